//! STL, PLY and GLB: every coding gives the same surface; every refusal names the place and the fix.

use crate::samples;
use impinge_geometry::{DVec3, Topology, TriMesh, mass_properties};
use impinge_io::*;

fn read(name: &str, bytes: impl AsRef<[u8]>) -> Result<TriMesh, ReadError> {
    read_with(name, bytes, &ReadOptions::default())
}

fn read_with(name: &str, bytes: impl AsRef<[u8]>, options: &ReadOptions) -> Result<TriMesh, ReadError> {
    match name.rsplit('.').next().unwrap() {
        "stl" => read_stl_from(bytes.as_ref(), name, options),
        "ply" => read_ply_from(bytes.as_ref(), name, options),
        #[cfg(feature = "glb")]
        "glb" => read_glb_from(bytes.as_ref(), name, options),
        other => panic!("{other}"),
    }
}

#[track_caller]
fn refused(name: &str, bytes: impl AsRef<[u8]>, parts: &[&str]) {
    let message = read(name, bytes).unwrap_err().to_string();
    for part in parts {
        assert!(message.contains(part), "`{part}` not in: {message}");
    }
}

/// The text with one part replaced, which must be there.
#[track_caller]
fn with(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let at = bytes.windows(from.len()).position(|w| w == from.as_bytes()).expect(from);
    [&bytes[..at], to.as_bytes(), &bytes[at + from.len()..]].concat()
}

#[test]
fn every_coding_gives_the_same_closed_surface() {
    for (name, bytes) in samples::surfaces() {
        let mesh = read(name, &bytes).unwrap();
        assert_eq!(mesh.triangles().len(), 4, "{name}");
        assert_eq!(mesh.positions().len(), 4, "{name}");
        assert!(Topology::new(&mesh).is_closed(), "{name}");
        assert!((mass_properties(&mesh).unwrap().volume - 1.0 / 6.0).abs() < 1e-16, "{name}");
        if !name.ends_with("stl") {
            // Order and number of the vertices are the file's.
            assert_eq!(mesh.triangles(), samples::FACES, "{name}");
            let want = samples::CORNERS.map(|p| DVec3::from(p.map(f64::from)));
            assert_eq!(mesh.positions(), want, "{name}");
        }
        let options = ReadOptions { scale: 0.5, up: UpAxis::Y };
        let turned = read_with(name, &bytes, &options).unwrap();
        for (p, q) in mesh.positions().iter().zip(turned.positions()) {
            assert_eq!(*q, options.apply([p.x, p.y, p.z]), "{name}");
        }
        let e = read_with(name, &bytes, &ReadOptions { scale: -1.0, up: UpAxis::Z }).unwrap_err();
        assert!(matches!(e, ReadError::BadScale { .. }));
        let e = read_with(name, &bytes, &ReadOptions { scale: 1e308, up: UpAxis::Z });
        assert!(e.is_ok(), "1e308 is finite");
    }
}

#[test]
fn extensions_find_their_reader() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    for (name, bytes) in samples::surfaces() {
        let path = folder.join(format!("surfaces_{}", name.to_uppercase()));
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(read_mesh(&path, &ReadOptions::default()).unwrap(), read(name, &bytes).unwrap());
    }
    for (name, part) in [("a.gltf", "export as .glb"), ("a.step", "`.step`")] {
        let message = read_mesh(name, &ReadOptions::default()).unwrap_err().to_string();
        assert!(message.contains(part) && message.contains(".obj, .stl, .ply"), "{message}");
    }
}

#[test]
fn stl_is_told_apart_by_its_length() {
    // A header that is blank but for `solid`, and one that is ascii STL to its end.
    let mut bytes = samples::stl_binary();
    bytes[..80].fill(b' ');
    bytes[..5].copy_from_slice(b"solid");
    assert_eq!(read("a.stl", &bytes).unwrap().triangles().len(), 4);
    bytes[..36].copy_from_slice(b"solid a\nfacet normal 0 0 1\nouter loo");
    assert_eq!(read("a.stl", &bytes).unwrap().triangles().len(), 4);
    // Two solids, upper case, CRLF, no name.
    let text = "SOLID\r\nFACET NORMAL 0 0 1\r\nOUTER LOOP\r\nVERTEX 0 0 0\r\nVERTEX 1 0 0\r\nVERTEX -0 1 0\r\nENDLOOP\r\n\
                ENDFACET\r\nENDSOLID\r\nsolid b\r\nfacet normal 0 0 1\r\nouter loop\r\nvertex 0 0 0\r\nvertex 0 1 0\r\n\
                vertex 0 1 0\r\nendloop\r\nendfacet\r\nendsolid b\r\n";
    let mesh = read("a.stl", text).unwrap();
    // 0 and −0 are one position; the flat triangle is kept.
    assert_eq!((mesh.positions().len(), mesh.triangles()), (3, &[[0, 1, 2], [0, 2, 2]][..]));
}

#[test]
fn stl_refusals() {
    let ascii = samples::stl_ascii();
    refused("a.stl", with(&ascii, "vertex 0e0 1 0", "vertex 0e0 1,5 0"), &["a.stl:5: `1,5`", "0.5"]);
    refused("a.stl", with(&ascii, "vertex 0e0 1 0", "vertex 0e0 nan 0"), &["a.stl:5: ", "finite"]);
    refused("a.stl", with(&ascii, "vertex 0e0 1 0", "vertex 0e0 1e999 0"), &["a.stl:5: ", "finite"]);
    refused(
        "a.stl",
        with(&ascii, "vertex 0e0 1 0", "vertex 0e0 1"),
        &["a.stl:6: `vertex` found", "coordinate"],
    );
    refused("a.stl", with(&ascii, "endloop", "vertex 1 1 1\nendloop"), &["a.stl:7: ", "triangulate"]);
    refused("a.stl", with(&ascii, "outer loop", "outer lop"), &["a.stl:3: `lop` found, `loop` expected"]);
    refused("a.stl", &ascii[..ascii.len() - 26], &["the file ends here", "`endsolid` expected", "cut off"]);
    refused("a.stl", "solid a\nendsolid a\n", &["a.stl: an STL file without triangles"]);
    let macintosh = String::from_utf8(ascii).unwrap().replace('\n', "\r");
    refused("a.stl", macintosh, &["a.stl:1: ", "convert the line ends to LF or CRLF"]);
    refused("a.stl", "solid a\nfacet\nouter \0loop\n", &["a.stl:3: a NUL byte"]);
    refused("a.stl", "", &["a.stl:byte 0: ", "84 bytes"]);
    let binary = samples::stl_binary();
    refused("a.stl", &binary[..200], &["a.stl:byte 80: 4 triangles announced", "at most 2", "cut off"]);
    refused("a.stl", [&binary[..], b"x"].concat(), &["a.stl:byte 80: ", "1 bytes follow"]);
    let mut bad = binary.clone();
    bad[84 + 50 + 12 + 4..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
    refused("a.stl", &bad, &["a.stl:byte 134: ", "finite"]);
}

#[test]
fn ply_polygons_of_any_shape_keep_their_area() {
    let text = |face: &str| {
        let n = face.split(' ').count();
        format!(
            "ply\nformat ascii 1.0\nelement vertex 6\nproperty int x\nproperty int y\nproperty int z\nelement face 1\nproperty \
             list uchar int vertex_indices\nend_header\n0 0 0\n2 0 0\n2 1 0\n1 1 0\n1 2 0\n0 2 0\n{n} {face}\n"
        )
    };
    assert_eq!(impinge_geometry::area(&read("a.ply", text("1 2 3 4 5 0")).unwrap()), 3.0);
    refused("a.ply", text("0 2 1 5"), &["a.ply:16: face 0", "crosses itself", "before export"]);
}

#[test]
fn ply_polygons_become_fans() {
    let text = "ply\rformat ascii 1.0\relement face 2\rproperty list int int8 vertex_indices\relement vertex 5\rproperty \
                int x\rproperty int y\rproperty int z\rend_header\r4 0 1 2 3\r3 0 3 4\r0 0 0\r1 0 0\r1 1 0\r0 1 0\r0 0 1";
    let mesh = read("a.ply", text).unwrap();
    assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
}

#[test]
fn ply_refusals() {
    let ascii = samples::ply_ascii();
    refused("a.ply", [&ascii, &b"\0\0"[..]].concat(), &["a NUL byte"]);
    refused(
        "a.ply",
        with(&ascii, "9 1 0 0", "9 1 0"),
        &["a.ply:16: the line ends here, a coordinate expected"],
    );
    refused("a.ply", with(&ascii, "9 1 0 0", "9 1 0 0 0"), &["a.ply:16: `0` found, the end of the line"]);
    refused("a.ply", with(&ascii, "9 1 0 0", "9 1 inf 0"), &["a.ply:16: ", "finite"]);
    refused(
        "a.ply",
        with(&ascii, "3 0 1 3", "3 0 1 4"),
        &["a.ply:20: vertex index 4, but there are 4 vertices"],
    );
    refused("a.ply", with(&ascii, "3 0 1 3", "3 0 -1 3"), &["a.ply:20: vertex index -1"]);
    refused("a.ply", with(&ascii, "3 0 1 3", "2 0 1"), &["a.ply:20: a face with 2 corners"]);
    refused("a.ply", with(&ascii, "3 0 1 3", "1000 0 1 3"), &["a.ply:20: 1000 list items announced"]);
    refused(
        "a.ply",
        with(&ascii, "vertex 4", "vertex 900000000000"),
        &["a.ply:4: 900000000000 elements", "cut off"],
    );
    refused("a.ply", with(&ascii, "float y", "float q"), &["a.ply:4: ", "x, y and z"]);
    refused("a.ply", with(&ascii, "double x", "quad x"), &["a.ply:6: `quad` found"]);
    refused("a.ply", with(&ascii, "uchar int", "uchar float"), &["a.ply:9: ", "whole numbers"]);
    refused("a.ply", with(&ascii, "int vertex_indices", "int corners"), &["a.ply:9: ", "vertex_indices"]);
    refused("a.ply", with(&ascii, "1.0", "2.0"), &["a.ply:2: `2.0` found"]);
    refused("a.ply", with(&ascii, "element edge 1", "element edge 0"), &["`2` after the last element"]);
    refused("a.ply", with(&ascii, "element edge", "element tristrips"), &["a.ply:12: ", "triangle strips"]);
    refused("a.ply", "obj\n", &["a.ply:1: `obj` found, `ply`"]);
    let cloud = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n";
    refused("a.ply", cloud, &["no faces", "point cloud"]);
    let binary = samples::ply_binary(false);
    let start = binary.windows(12).position(|w| w == b"end_header\r\n").unwrap() + 12;
    let mut bad = binary.clone();
    bad[start + 21 * 4 + 2] = 9;
    refused("a.ply", &bad, &[&format!("a.ply:byte {}: vertex index 9", start + 21 * 4 + 2)]);
    refused("a.ply", &binary[..binary.len() - 1], &["the file ends here", "cut off"]);
}

#[cfg(feature = "glb")]
mod glb {
    use super::*;
    use samples::{glb_data, glb_json, glb_of};

    fn scene(nodes: &str) -> TriMesh {
        read("a.glb", glb_of(&glb_json(nodes, ""), &glb_data())).unwrap()
    }

    #[test]
    fn transforms_are_applied_from_the_root() {
        // A quarter turn about z, then twice as large along x and a step: x → y → y.
        let mesh = scene(
            r#"{"children":[1],"translation":[10,0,0],"scale":[2,1,1]},
               {"mesh":0,"rotation":[0,0,0.7071067811865476,0.7071067811865476]}"#,
        );
        let p = mesh.positions();
        assert!((p[1] - DVec3::new(10.0, 1.0, 0.0)).mag() < 1e-15, "{:?}", p[1]);
        assert!((p[2] - DVec3::new(8.0, 0.0, 0.0)).mag() < 1e-15, "{:?}", p[2]);
        assert!((mass_properties(&mesh).unwrap().volume - 2.0 / 6.0).abs() < 1e-15);
        // The same as a matrix, stored by columns.
        let same = scene(r#"{"mesh":0,"matrix":[0,1,0,0, -2,0,0,0, 0,0,1,0, 10,0,0,1]}"#);
        for (a, b) in p.iter().zip(same.positions()) {
            assert!((*a - *b).mag() < 1e-15);
        }
    }

    #[test]
    fn a_mirror_keeps_the_outside_out() {
        let mesh = scene(r#"{"mesh":0,"scale":[-1,1,1]}"#);
        assert!((mass_properties(&mesh).unwrap().volume - 1.0 / 6.0).abs() < 1e-16);
    }

    #[test]
    fn a_mesh_under_two_nodes_is_there_twice() {
        let mesh = scene(r#"{"children":[2,1]},{"mesh":0},{"mesh":0,"translation":[0,0,5]}"#);
        assert_eq!((mesh.positions().len(), mesh.triangles().len()), (8, 8));
        assert_eq!(mesh.positions()[0].z, 5.0);
    }

    #[test]
    fn strips_fans_and_lists_without_indices() {
        let of = |mode: &str| {
            let json = glb_json(r#"{"mesh":0}"#, "").replace(r#""indices":1"#, &format!(r#""mode":{mode}"#));
            read("a.glb", glb_of(&json, &glb_data()))
        };
        assert_eq!(of("5").unwrap().triangles(), [[0, 1, 2], [2, 1, 3]]);
        assert_eq!(of("6").unwrap().triangles(), [[1, 2, 0], [2, 3, 0]]);
        assert!(of("4").unwrap_err().to_string().contains("no multiple of 3"));
        assert!(of("1").unwrap_err().to_string().contains("without triangles"));
        assert!(of("7").unwrap_err().to_string().contains("mode above 6"));
    }

    #[test]
    fn indices_of_every_width_and_strides() {
        for (kind, width) in [(5121, 1), (5123, 2), (5125, 4)] {
            // Positions 16 bytes apart.
            let mut bin: Vec<u8> = Vec::new();
            for p in samples::CORNERS {
                bin.extend(p.iter().flat_map(|x| x.to_le_bytes()));
                bin.extend([0xff; 4]);
            }
            for i in samples::FACES.as_flattened() {
                bin.extend(&i.to_le_bytes()[..width]);
            }
            let json = glb_json(r#"{"mesh":0}"#, "")
                .replace("5123", &kind.to_string())
                .replace(r#""byteLength":48"#, r#""byteLength":64,"byteStride":16"#)
                .replace(
                    r#""byteOffset":48,"byteLength":24"#,
                    &format!(r#""byteOffset":64,"byteLength":{}"#, 12 * width),
                );
            assert_eq!(read("a.glb", glb_of(&json, &bin)).unwrap(), read("b.glb", samples::glb()).unwrap());
        }
    }

    #[test]
    fn refusals() {
        let json = glb_json(r#"{"mesh":0}"#, "");
        let with = |from: &str, to: &str| {
            assert!(json.contains(from), "{from}");
            glb_of(&json.replacen(from, to, 1), &glb_data())
        };
        for (from, to, parts) in [
            (r#""count":4}"#, r#""count":5}"#, &["accessors[0]", "beyond the data"][..]),
            (r#""count":4}"#, r#""count":18446744073709551615}"#, &["accessors[0]", "beyond the data"]),
            (r#""byteLength":48"#, r#""byteLength":4800"#, &["accessors[0]", "beyond the data"]),
            (r#""count":4}"#, r#""count":4,"sparse":{}}"#, &["accessors[0]", "sparse"]),
            (r#""count":4}"#, r#""count":3}"#, &["a.glb:byte", "vertex index 3, but there are 3 vertices"]),
            ("5126", "5123", &["accessors[0]", "32-bit floats", "quantisation"]),
            ("5123", "5126", &["accessors[1]", "indices of another type"]),
            (r#"{"byteLength":72}"#, r#"{"byteLength":96}"#, &["buffers[0]", "96 bytes", "has 72"]),
            (r#"{"byteLength":72}"#, r#"{"byteLength":72,"uri":"x.bin"}"#, &["buffers[0]", "one .glb file"]),
            (r#"{"mesh":0}"#, r#"{"mesh":3}"#, &["meshes", "no item 3"]),
            (r#"{"mesh":0}"#, r#"{"mesh":0,"skin":0}"#, &["nodes[0]", "skinned", "armature"]),
            (r#"{"mesh":0}"#, r#"{"mesh":0,"children":[0]}"#, &["nodes[0]", "own ancestor"]),
            (r#"{"mesh":0}"#, r#"{"mesh":0,"children":[4]}"#, &["nodes[0].children[0]", "does not exist"]),
            (r#"{"mesh":0}"#, r#"{"mesh":0,"rotation":[0,0,0,0]}"#, &["nodes[0]", "unit quaternion"]),
            (r#"{"mesh":0}"#, r#"{"mesh":0,"scale":[1,1]}"#, &["nodes[0].scale", "3 finite numbers"]),
            (r#"{"mesh":0}"#, r#"{"mesh":0,"translation":[1e308,0,0],"scale":[1e308,1,1]}"#, &["finite"]),
            (r#"{"primitives""#, r#"{"weights":[0.5],"primitives""#, &["meshes[0]", "shape keys"]),
            (
                r#""indices":1"#,
                r#""extensions":{"KHR_draco_mesh_compression":{}}"#,
                &["primitives[0]", "Draco", "without mesh compression"],
            ),
            (
                r#"{"asset""#,
                r#"{"extensionsRequired":["KHR_draco_mesh_compression"],"asset""#,
                &["extensionsRequired[0]", "without mesh compression"],
            ),
            (
                r#"{"asset""#,
                r#"{"extensionsRequired":["KHR_materials_unlit","XYZ_curved"],"asset""#,
                &["extensionsRequired[1]", "XYZ_curved is required", "export without it"],
            ),
            (
                r#"{"asset""#,
                r#"{"extensionsRequired":["KHR_materials_displaced"],"asset""#,
                &["KHR_materials_displaced is required"],
            ),
            (r#"{"asset":{"version":"2.0"},"#, "{", &["the JSON part has no `asset`"]),
            (r#"{"version":"2.0"}"#, "{}", &["`asset` has no `version`"]),
            (r#""2.0""#, r#""1.0""#, &["asset.version", "glTF version 1.0", "export as glTF 2.0"]),
            (r#""2.0""#, r#""3.1""#, &["asset.version", "glTF version 3.1"]),
            (r#""2.0""#, "2", &["asset.version", "is no version"]),
            (
                r#""2.0""#,
                r#""2.0","minVersion":"3.0""#,
                &["asset.minVersion", "is 3.0, above the version 2.0"],
            ),
            (
                r#""2.0""#,
                r#""2.1","minVersion":"2.1""#,
                &["asset.minVersion", "a reader of glTF 2.1 is asked for", "export as glTF 2.0"],
            ),
            (
                r#"{"mesh":0}"#,
                r#"{"mesh":0,"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],"scale":[2,2,2]}"#,
                &["nodes[0]", "a `matrix` and a `scale`"],
            ),
            (
                r#"{"mesh":0}"#,
                r#"{"mesh":0,"translation":[0,0,1],"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}"#,
                &["nodes[0]", "a `matrix` and a `translation`"],
            ),
            (r#""scene":0"#, r#""scene":0 x"#, &["JSON part is damaged", "column"]),
        ] {
            if to.contains("1e308") {
                // 1e308 · 1 + 1e308 overflows.
                refused("a.glb", with(from, to), parts);
                continue;
            }
            refused("a.glb", with(from, to), parts);
        }
        // Later minor versions that ask for no more than 2.0.
        for to in [r#""2.1""#, r#""2.5","minVersion":"2.0""#] {
            assert!(read("a.glb", with(r#""2.0""#, to)).is_ok(), "{to}");
        }
        let whole = samples::glb();
        refused("a.glb", &whole[..whole.len() - 4], &["bytes long, but says", "cut off"]);
        refused("a.glb", "solid a", &["`glTF` at the start"]);
    }
}
