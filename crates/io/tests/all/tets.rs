//! VTK, VTU and MSH: every coding gives the same grid; every refusal names the place and the fix.

use crate::samples;
use crate::samples::*;
use impinge_geometry::{DVec3, TetMesh};
use impinge_io::*;

fn read(name: &str, bytes: impl AsRef<[u8]>) -> Result<TetFile, ReadError> {
    read_with(name, bytes, &ReadOptions::default())
}

fn read_with(name: &str, bytes: impl AsRef<[u8]>, options: &ReadOptions) -> Result<TetFile, ReadError> {
    match name.rsplit('.').next().unwrap() {
        "vtk" => read_vtk_from(bytes.as_ref(), name, options),
        "vtu" => read_vtu_from(bytes.as_ref(), name, options),
        "msh" => read_msh_from(bytes.as_ref(), name, options),
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

#[track_caller]
fn with(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let at = bytes.windows(from.len()).position(|w| w == from.as_bytes()).expect(from);
    [&bytes[..at], to.as_bytes(), &bytes[at + from.len()..]].concat()
}

#[test]
fn every_coding_gives_the_same_grid() {
    for (name, bytes) in volumes() {
        let file = read(name, &bytes).unwrap();
        assert_eq!(file.positions, POINTS.map(DVec3::from), "{name}");
        assert_eq!(file.tets, TETS, "{name}");
        assert_eq!(file.triangles, [TRIANGLE], "{name}");
        assert_eq!(file.scalar("pressure").unwrap(), PRESSURE, "{name}");
        let options = ReadOptions { scale: 0.001, up: UpAxis::Y };
        let turned = read_with(name, &bytes, &options).unwrap();
        assert_eq!(turned.positions, POINTS.map(|p| options.apply(p)), "{name}");
        let e = read_with(name, &bytes, &ReadOptions { scale: 0.0, up: UpAxis::Z }).unwrap_err();
        assert!(matches!(e, ReadError::BadScale { .. }));
    }
    let more = read("a.vtk", vtk_binary()).unwrap().point_data;
    assert_eq!(more[1].values, [1.0, 0.0, 1.0, 0.0, 1.0]);
    assert_eq!(more[2].values, [1.0, 2.0, 3.0, 4.0, 5.0]);
}

#[test]
fn extensions_find_their_reader() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    for (name, bytes) in volumes() {
        let path = folder.join(format!("tets_{name}"));
        std::fs::write(&path, &bytes).unwrap();
        let mesh = read_tets(&path, &ReadOptions::default()).unwrap();
        assert_eq!(mesh, TetMesh::from_arrays(&POINTS, &TETS).unwrap());
        mesh.require_positive().unwrap();
    }
    let e = read_tets("a.obj", &ReadOptions::default()).unwrap_err().to_string();
    assert!(e.contains("holds a surface") && e.contains(".vtk, .vtu, .msh"), "{e}");
    let e = read_tets("missing.vtu", &ReadOptions::default()).unwrap_err().to_string();
    assert!(e.contains("missing.vtu") && e.contains("check the path"), "{e}");
    let surface = folder.join("tets_surface.vtk");
    std::fs::write(&surface, with(&vtk_ascii(), "10 10 5 3", "2 2 5 3")).unwrap();
    let e = read_tets(&surface, &ReadOptions::default()).unwrap_err().to_string();
    assert!(e.contains("1 triangles and no tetrahedra"), "{e}");
}

#[test]
fn other_flat_cells_become_triangles() {
    let cells = |list: &str, types: &str| {
        let n = types.split(' ').count();
        let size = list.split(' ').count();
        let text = format!(
            "# vtk DataFile Version 2.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n0 0 0 1 0 0 0 1 0 1 1 0 0 0 1\n\
             CELLS {n} {size}\n{list}\nCELL_TYPES {n}\n{types}\n"
        );
        read("a.vtk", text).map(|f| f.triangles)
    };
    assert_eq!(cells("4 0 1 3 2", "9").unwrap(), [[0, 1, 3], [0, 3, 2]]);
    assert_eq!(cells("4 0 1 2 3", "8").unwrap(), [[0, 1, 3], [0, 3, 2]]);
    assert_eq!(cells("5 0 1 3 2 4", "7").unwrap(), [[0, 1, 3], [0, 3, 2], [0, 2, 4]]);
    assert_eq!(cells("5 0 1 2 3 4", "6").unwrap(), [[0, 1, 2], [2, 1, 3], [2, 3, 4]]);
    assert!(
        cells("3 0 1 2", "9")
            .unwrap_err()
            .to_string()
            .contains("cell 0 (counted from 0) of type 9 has 3 corners")
    );
}

#[test]
fn tets_that_are_no_solid_are_refused_by_line() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let refused = |name: &str, bytes: Vec<u8>, parts: &[&str]| {
        let path = folder.join(format!("tets_bad_{name}"));
        std::fs::write(&path, bytes).unwrap();
        let e = read_tets(&path, &ReadOptions::default()).unwrap_err().to_string();
        for part in parts {
            assert!(e.contains(part) && !e.contains("()") && !e.contains("::"), "`{part}` not in: {e}");
        }
    };
    refused(
        "twice.msh",
        with(&msh4_ascii(), "3 2 3 4 5", "3 4 2 1 3"),
        &[":28: tet 1", "same as tet 0 (line 27)"],
    );
    refused(
        "twice.vtk",
        with(&vtk_ascii(), "4 1 2 3 4", "4 1 2 3 0"),
        &[":15: tet 1", "same as tet 0 (line 14)"],
    );
    refused(
        "inverted.msh",
        with(&msh4_ascii(), "2 1 2 3 4", "2 1 3 2 4"),
        &[":27: tet 0 is inside out", "orient"],
    );
    refused(
        "flat.msh",
        with(&msh2_ascii(), "2 30 4 5", "2 30 4 4"),
        &[":22: tet 1 is flat", "drop-degenerate"],
    );
    // Lines of the array, where it is text; cells may share one.
    for (name, corners, before, part) in [
        ("inverted.vtu", "\n0 1 2 3\n1 3 2 4 ", "1 3 2 4", "tet 1 is inside out"),
        ("twice.vtu", "\n0 1 2\n3 1 2\n0 3 ", "3 1 2", "tet 1 is the same as tet 0 (line"),
    ] {
        let bytes = with(&vtu_ascii(), "0 1 2 3 1 2 3 4 ", corners);
        let at = bytes.windows(before.len()).position(|w| w == before.as_bytes()).unwrap();
        let line = 1 + bytes[..at].iter().filter(|&&b| b == b'\n').count();
        refused(name, bytes, &[&format!(":{line}: {part}")]);
    }
    let mut bytes = vtu_appended(true);
    let corners = [0u8, 1, 2, 3].map(|b| [b, 0, 0, 0]).concat();
    let at = bytes.windows(16).position(|w| w == corners).unwrap();
    bytes.swap(at + 4, at + 8);
    refused("raw.vtu", bytes, &["tet 0 is inside out", "counts from 0"]);
}

/// An L of six corners, from a corner where a fan would leave it.
#[test]
fn concave_polygons_keep_their_area_in_every_format() {
    let points = "0 0 0 2 0 0 2 1 0 1 1 0 1 2 0 0 2 0";
    let vtk = |corners: &str, kind: u8| {
        let n = corners.split(' ').count();
        format!(
            "# vtk DataFile Version 2.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 double\n{points}\nCELLS 1 {}\n{n} \
             {corners}\nCELL_TYPES 1\n{kind}\n",
            n + 1
        )
    };
    let vtu = format!(
        "<VTKFile type=\"UnstructuredGrid\"><Piece NumberOfPoints=\"6\" NumberOfCells=\"1\"><Points><DataArray \
         type=\"Float64\" NumberOfComponents=\"3\">{points}</DataArray></Points><Cells><DataArray type=\"Int32\" \
         Name=\"connectivity\">1 2 3 4 5 0</DataArray><DataArray type=\"Int32\" Name=\"offsets\">6</DataArray><DataArray \
         type=\"UInt8\" Name=\"types\">7</DataArray></Cells></Piece></VTKFile>"
    );
    for file in [read("a.vtk", vtk("1 2 3 4 5 0", 7)).unwrap(), read("a.vtu", vtu).unwrap()] {
        let mesh = impinge_geometry::TriMesh::new(file.positions, file.triangles).unwrap();
        assert_eq!(impinge_geometry::area(&mesh), 3.0);
    }
    // A quadrilateral with a corner pushed in, and one whose sides cross.
    let dart = read("a.vtk", vtk("0 1 3 4", 9)).unwrap();
    assert_eq!(dart.triangles.len(), 2);
    refused("a.vtk", vtk("0 2 1 5", 9), &["a.vtk:8: face 0", "of 4 corners", "crosses itself"]);
}

#[test]
fn vtk_refusals() {
    let a = vtk_ascii();
    refused("a.vtk", with(&a, "0 1 0\n", "0 x 0\n"), &["a.vtk:11: `x` found, a coordinate"]);
    refused("a.vtk", with(&a, "0 1 0\n", "0 nan 0\n"), &["a.vtk:11: ", "finite"]);
    refused(
        "a.vtk",
        with(&a, "4 1 2 3 4", "4 1 2 3 5"),
        &["a.vtk:15: vertex index 5, but there are 5 vertices"],
    );
    refused("a.vtk", with(&a, "4 1 2 3 4", "4 1 2 3 -4"), &["a.vtk:15: vertex index -4"]);
    refused(
        "a.vtk",
        with(&a, "4 1 2 3 4", "40 1 2 3 4"),
        &["a.vtk:15: a cell with 40 corners, but 12 numbers"],
    );
    refused("a.vtk", with(&a, "CELLS 4 17", "CELLS 4 18"), &["1 numbers of the cell list belong to no cell"]);
    refused("a.vtk", with(&a, "10 10 5 3", "10 24 5 3"), &["a.vtk:19: cell type 24", "quadratic", "linear"]);
    refused("a.vtk", with(&a, "10 10 5 3", "10 12 5 3"), &["a.vtk:19: cell type 12: hexahedra"]);
    refused("a.vtk", with(&a, "TYPES 4\n10 10 5 3", "TYPES 3\n10 10 5"), &["4 cells, but 3 cell types"]);
    refused(
        "a.vtk",
        with(&a, "POINTS 5 double", "POINTS 500000000 double"),
        &["a.vtk:9: 500000000 points", "cut off"],
    );
    refused("a.vtk", with(&a, "POINTS 5 double", "POINTS 5 quad"), &["a.vtk:9: `quad` found"]);
    refused(
        "a.vtk",
        with(&a, "UNSTRUCTURED_GRID", "POLYDATA"),
        &["a.vtk:4: ", "no tetrahedra", "UNSTRUCTURED_GRID"],
    );
    refused(
        "a.vtk",
        with(&a, "POINT_DATA 5", "POINT_DATA 6"),
        &["a.vtk:24: data for 6 points, but there are 5"],
    );
    refused("a.vtk", with(&a, "ASCII", "ASKII"), &["a.vtk:3: `ASKII` found"]);
    refused("a.vtk", with(&a, "Version 3.0", "Version 9.0"), &["a.vtk:1: `9.0` found"]);
    refused("a.vtk", with(&a, "CELL_DATA 4", "CELLDATA 4"), &["a.vtk:20: `CELLDATA` found, a section"]);
    refused("a.vtk", with(&vtk5_ascii(), "0 4 8 11", "0 4 8 10"), &["do not cover"]);
    refused("a.vtk", with(&vtk5_ascii(), "0 4 8 11", "0 8 4 11"), &["a.vtk:16: offset 4"]);
    let mut b = vtk_binary();
    let start = b.windows(12).position(|w| w == b"CELLS 3 14\n\0").unwrap() + 11;
    b[start + 4 + 3] = 77;
    refused("a.vtk", &b, &[&format!("a.vtk:byte {}: vertex index 77", start + 4)]);
}

#[test]
fn vtu_refusals() {
    let a = vtu_ascii();
    refused("a.vtu", [&a, &b"\0\0"[..]].concat(), &["a NUL byte"]);
    // Anywhere in the text, where a number stands and where nobody reads.
    let text = String::from_utf8(a.clone()).unwrap();
    for (at, c) in text.char_indices().filter(|(_, c)| ">\n ".contains(*c)) {
        let mut bytes = a.clone();
        bytes.insert(at + c.len_utf8(), 0);
        assert!(read("a.vtu", &bytes).is_err(), "byte {at}");
    }
    let line = 1 + text[..text.find("</Piece>").unwrap()].matches('\n').count();
    refused("a.vtu", with(&a, "</Piece>", "</Piece>\0"), &[&format!("a.vtu:{line}: a NUL byte")]);
    refused("a.vtu", with(&a, "0 1 2 3 1 2 3 4", "0 1 2 3 1 2 3 9"), &["a.vtu:16: vertex index 9"]);
    refused(
        "a.vtu",
        with(&a, "0 1 2 3 1 2 3 4", "0 1 2 3 1 2 3"),
        &["the array ends here", "corners expected"],
    );
    refused(
        "a.vtu",
        with(&a, "10 10 5", "10 10 5 5"),
        &["a.vtu:24: `5` found, the end of the array after 3"],
    );
    refused("a.vtu", with(&a, "10 10 5", "10 11 5"), &["a.vtu:24: cell type 11"]);
    refused("a.vtu", with(&a, "4 8 11", "8 4 11"), &["a.vtu:20: offset 4 after 8"]);
    refused("a.vtu", with(&a, "4 8 11", "4 7 11"), &["cell 1 (counted from 0) of type 10 has 3 corners"]);
    refused("a.vtu", with(&a, "Points='5'", "Points='6'"), &["the array ends here"]);
    refused("a.vtu", with(&a, "Points='5'", "Points='9999999999'"), &["announced", "room for at most"]);
    refused(
        "a.vtu",
        with(&a, "UnstructuredGrid\" v", "PolyData\" v"),
        &["a.vtu:3: ", "PolyData", "UnstructuredGrid"],
    );
    for (compressor, name) in [("LZ4", "lz4"), ("LZMA", "lzma")] {
        let head = format!("compressor=\"vtk{compressor}DataCompressor\" byte");
        let compressed = with(&a, "version=\"1.0\" byte", &head);
        refused("a.vtu", compressed, &["a.vtu:3: ", &format!("compressed by {name};"), "ZLib or None"]);
    }
    let z = include_bytes!("samples/zlib_meshio.vtu");
    // The number of blocks, the length of a block, a byte of the data.
    refused("a.vtu", with(z, "AQAAAACAAAB4AAAA", "AgAAAACAAAB4AAAA"), &["a.vtu:7: array `Points`", "needed"]);
    refused("a.vtu", with(z, "AQAAAACAAAB4AAAAFwAAAA", "AQAAAACAAAB4AAAA/w8AAA"), &["are not all there"]);
    refused("a.vtu", with(z, "eJxjYMAHPt", "eJxjYMAHPu"), &["a.vtu:7: ", "compressed block 0", "damaged"]);
    refused("a.vtu", with(&a, "</Piece>", "</Peace>"), &["a.vtu:27: `</Peace>` closes no open tag"]);
    refused("a.vtu", with(&a, "Name=\"types\"", "Name=\"kinds\""), &["a.vtu:5: a piece without `types`"]);
    refused("a.vtu", "solid\n", &["a.vtu:1: `solid` found"]);
    let b = vtu_base64(false);
    let head = samples::base64(&[&40u32.to_le_bytes()[..], &[0]].concat());
    refused("a.vtu", with(&b, &head[..5], "BAAA"), &["a.vtu:7: array `pressure` is", "5 numbers of 8 bytes"]);
    let raw = vtu_appended(true);
    refused("a.vtu", with(&raw, "offset=\"0\"", "offset=\"99999\""), &["a.vtu:7: offset 99999 beyond"]);
    refused("a.vtu", with(&raw, "offset=\"0\"", "offset=\"1\""), &["a.vtu:byte", "pressure"]);
    // Four arrays that name the same large block cannot ask for more than the file holds.
    let again = "<DataArray type=\"Float64\" Name=\"q\" format=\"appended\" offset=\"0\"/>".repeat(3);
    let short = with(&raw, "</PointData>", &(again + "</PointData>"));
    assert_eq!(read("a.vtu", short).unwrap().point_data.len(), 4);
}

#[test]
fn vtu_pieces_are_joined() {
    let a = String::from_utf8(vtu_ascii()).unwrap();
    let (start, end) = (a.find("<Piece").unwrap(), a.find("</Piece>").unwrap() + 8);
    let two = format!("{}{}{}", &a[..end], &a[start..end], &a[end..]);
    let file = read("a.vtu", two).unwrap();
    assert_eq!((file.positions.len(), file.triangles.len()), (10, 2));
    assert_eq!(file.tets[2..], TETS.map(|t| t.map(|i| i + 5)));
    assert_eq!(file.scalar("pressure").unwrap(), [PRESSURE, PRESSURE].concat());
    let other = format!("{}{}{}", &a[..end], a[start..end].replace("pressure", "other"), &a[end..]);
    refused("a.vtu", other, &["piece 1 (counted from 0) has other point data"]);
}

#[test]
fn msh_refusals() {
    let a = msh2_ascii();
    refused("a.msh", with(&a, "30 0 1 0", "30 0 x 0"), &["a.msh:12: `x` found"]);
    refused("a.msh", with(&a, "30 0 1 0", "30 0 inf 0"), &["a.msh:12: ", "finite"]);
    refused("a.msh", with(&a, "30 0 1 0", "2 0 1 0"), &["two nodes with the tag 2"]);
    refused("a.msh", with(&a, "1 1 2 30 4", "1 1 2 31 4"), &["a.msh:21: node 31 is not among the 5"]);
    refused("a.msh", with(&a, "1 1 2 30 4", "1 1 2 30"), &["a.msh:21: the line ends here, a node"]);
    refused(
        "a.msh",
        with(&a, "4 4 2 0 1", "4 11 2 0 1"),
        &["a.msh:21: element type 11: 10-node", "ElementOrder = 1"],
    );
    refused("a.msh", with(&a, "4 4 2 0 1", "4 5 2 0 1"), &["a.msh:21: element type 5: hexahedra"]);
    refused(
        "a.msh",
        with(&a, "$Nodes\n5", "$Nodes\n500000000"),
        &["a.msh:9: 500000000 nodes announced", "cut off"],
    );
    refused("a.msh", with(&a, "$EndElements", "$EndNodes"), &["`$EndNodes` found, `$EndElements` expected"]);
    refused("a.msh", with(&a, "2.2 0 8", "4 0 8"), &["a.msh:2: MSH version 4; ", "msh41"]);
    refused("a.msh", with(&a, "2.2 0 8", "2.2 0 4"), &["a.msh:2: numbers of 4 bytes"]);
    refused("a.msh", with(&a, "$Nodes", "$ParametricNodes"), &["a.msh:8: ", "SaveParametric = 0"]);
    refused("a.msh", "$NOD\n1\n", &["a.msh:1: MSH version 1"]);
    refused("a.msh", "ply\n", &["a.msh:1: `ply` found, `$MeshFormat`"]);
    refused("a.msh", with(&msh4_ascii(), "2 5 1 5", "2 6 1 5"), &["6 nodes announced, but 5"]);
    refused("a.msh", with(&msh4_ascii(), "2 3 1 3", "2 4 1 3"), &["4 elements announced, but 3"]);
    let b = msh4_binary();
    refused("a.msh", &b[..b.len() / 2], &["a.msh:byte", "cut off"]);
    // Big-endian files say so by the number 1.
    refused("a.msh", with(&b, "\x01\0\0\0", "\x02\0\0\0"), &["order of bytes"]);
}

#[test]
fn fields_are_checked_where_they_are_asked_for() {
    let file = read("a.msh", with(&msh2_ascii(), "1\n5\n1 0\n2 .5", "1\n4\n2 .5")).unwrap();
    assert!(file.scalar("pressure").unwrap_err().contains("NaN at vertex 0"));
    assert!(file.scalar("p").unwrap_err().contains("the file has `pressure`"));
    assert!(TetFile::default().scalar("p").unwrap_err().contains("has none"));
    let text = with(
        &vtk_ascii(),
        "SCALARS pressure double 1\nLOOKUP_TABLE default\n0",
        "VECTORS v double\n1 1 1 1 1 1 1 1 1 1 0",
    );
    assert!(read("a.vtk", text).unwrap().scalar("v").unwrap_err().contains("3 numbers per vertex"));
}
