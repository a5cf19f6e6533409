//! Paths: dispatch, missing and unwritable files, and the real meshes when they are at hand.

use impinge_geometry::{Topology, generators, mass_properties};
use impinge_io::{ReadError, ReadOptions, WriteError, read_mesh, read_obj, write_obj};
use std::path::{Path, PathBuf};

fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn a_file_round_trips_whatever_the_case_of_its_extension() {
    let mesh = generators::capsule(0.2, 0.5, 9, 3).unwrap();
    for name in ["io_round_trip.obj", "io_round_trip_2.OBJ"] {
        write_obj(scratch(name), &mesh).unwrap();
        assert_eq!(read_mesh(scratch(name), &ReadOptions::default()).unwrap(), mesh);
    }
}

#[test]
fn missing_files_and_folders_are_named() {
    let missing = scratch("there_is_no_such.obj");
    let e = read_obj(&missing, &ReadOptions::default()).unwrap_err();
    assert!(matches!(e, ReadError::Open { .. }));
    assert!(
        e.to_string().contains("there_is_no_such.obj") && e.to_string().contains("check the path"),
        "{e}"
    );

    let folder = scratch("a_folder.obj");
    std::fs::create_dir_all(&folder).unwrap();
    let e = read_mesh(&folder, &ReadOptions::default()).unwrap_err();
    assert!(e.to_string().contains("a_folder.obj"), "{e}");

    let mesh = generators::tetrahedron(1.0).unwrap();
    let e = write_obj(scratch("no_such_folder/out.obj"), &mesh).unwrap_err();
    assert!(matches!(e, WriteError::Io { .. }) && e.to_string().contains("folder exists"), "{e}");
}

#[test]
fn text_of_two_bytes_a_letter_is_named() {
    let text = "ply obj solid";
    for (name, little) in [("wide.obj", true), ("wide.ply", true), ("wide_big.obj", false)] {
        let wide = std::iter::once(0xfeff).chain(text.encode_utf16());
        let bytes: Vec<u8> =
            wide.flat_map(|w| if little { w.to_le_bytes() } else { w.to_be_bytes() }).collect();
        std::fs::write(scratch(name), bytes).unwrap();
        let e = read_mesh(scratch(name), &ReadOptions::default()).unwrap_err().to_string();
        assert!(e.contains(name) && e.contains("UTF-16") && e.ends_with("save it as UTF-8 or ASCII"), "{e}");
    }
}

#[test]
fn an_unknown_extension_lists_the_known_ones() {
    for (name, part) in [("part.step", "`.step` is not known"), ("part", "no extension")] {
        let e = read_mesh(name, &ReadOptions::default()).unwrap_err();
        let message = e.to_string();
        assert!(matches!(e, ReadError::Unsupported { .. }));
        assert!(message.contains(part) && message.contains("supported: .obj"), "{message}");
    }
}

/// One real mesh: vertices as listed in the file, those no face names, triangles, parts, pinched vertices, and
/// the Euler characteristic where it is closed.
struct Expected(&'static str, usize, usize, usize, usize, usize, Option<i64>);

/// Real meshes from the folder `meshes` under the folder that `IMPINGE_SHARED` names.
#[test]
fn real_meshes_read_as_they_are() {
    let Some(shared) = std::env::var_os("IMPINGE_SHARED") else {
        println!("skipped: set IMPINGE_SHARED to the folder that holds meshes/ to read the real meshes");
        return;
    };
    for Expected(name, vertices, unused, triangles, parts, pinched, euler) in EXPECTED {
        let path = Path::new(&shared).join("meshes").join(name);
        let mesh = read_mesh(&path, &ReadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        let t = Topology::new(&mesh);
        let found = (mesh.positions().len(), t.unreferenced_vertices().len(), mesh.triangles().len());
        println!(
            "{name}: {found:?}, {} parts, {} boundary, {} non-manifold, {} misoriented edges, Euler {}, {} collapsed, {} pinched",
            t.part_count(),
            t.boundary_edges(),
            t.non_manifold_edges(),
            t.misoriented_edges(),
            t.euler_characteristic(),
            t.collapsed_faces().len(),
            t.pinched_vertices().len(),
        );
        assert_eq!(found, (*vertices, *unused, *triangles), "{name}");
        assert_eq!(t.part_count(), *parts, "{name}");
        assert_eq!(t.pinched_vertices().len(), *pinched, "{name}");
        assert_eq!(t.is_closed(), euler.is_some(), "{name}");
        if let Some(euler) = euler {
            assert_eq!(t.euler_characteristic(), *euler, "{name}");
            assert!(mass_properties(&mesh).unwrap().volume > 0.0, "{name}");
        } else {
            assert!(mass_properties(&mesh).is_err(), "{name}");
        }
    }
}

// Counts by position index. A reader that makes one vertex per v/vt pair finds more vertices in spot.obj, and
// sees its texture seams as open edges; the surface itself is closed.
const EXPECTED: &[Expected] = &[
    Expected("cow.obj", 2903, 0, 5804, 1, 1, Some(1)),
    Expected("fandisk.obj", 6475, 0, 12_946, 1, 0, Some(2)),
    Expected("rocker-arm.obj", 10_044, 0, 20_088, 1, 0, Some(0)),
    Expected("stanford-bunny.obj", 35_947, 1113, 69_451, 1, 0, None),
    Expected("spot.obj", 2930, 0, 5856, 1, 0, Some(2)),
    Expected("suzanne.obj", 507, 0, 968, 3, 0, None),
    Expected("teapot.obj", 3644, 0, 6320, 4, 38, None),
];

/// A name that ends like a mesh file's may stand for anything.
#[cfg(unix)]
#[test]
fn devices_and_endless_pipes_end_in_an_error() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("files_devices");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for extension in ["obj", "stl", "vtu"] {
        let path = folder.join(format!("zero.{extension}"));
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        let e = read_mesh(&path, &ReadOptions::default()).unwrap_err().to_string();
        assert!(e.contains(&format!("zero.{extension}")) && e.contains("a device, not a file"), "{e}");
        // Sparse: a terabyte that takes no room on the disk.
        let path = folder.join(format!("sparse.{extension}"));
        std::fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
        let e = read_mesh(&path, &ReadOptions::default()).unwrap_err().to_string();
        assert!(e.contains("longer than 4096 MiB"), "{e}");
        std::fs::remove_file(&path).unwrap();
    }
    let e = read_mesh(folder.join("none.obj"), &ReadOptions::default()).unwrap_err().to_string();
    assert!(e.contains("cannot open mesh file"), "{e}");
    std::fs::create_dir(folder.join("folder.obj")).unwrap();
    let e = read_mesh(folder.join("folder.obj"), &ReadOptions::default()).unwrap_err().to_string();
    assert!(e.contains("it is a folder"), "{e}");
}
