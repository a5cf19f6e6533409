//! VTU and PVD out: what is written reads back with the same bits; files appear whole; series go on.

use impinge_geometry::{DVec3, TetMesh, generators};
use impinge_io::*;
use proptest::prelude::*;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn bytes(grid: &Grid) -> Vec<u8> {
    let mut out = Vec::new();
    write_vtu_to(&mut out, grid).unwrap();
    out
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|x| x.to_bits()).collect()
}

proptest! {
    #[test]
    fn any_grid_reads_back_with_the_same_bits(
        p in prop::collection::vec(prop::array::uniform3(prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO), 1..20),
        triangles in prop::collection::vec(prop::array::uniform3(0u32..1000), 0..10),
        tets in prop::collection::vec(prop::array::uniform4(0u32..1000), 1..10),
        vertices in prop::collection::vec(0u32..1000, 0..5),
        seed in any::<u64>(),
        name in "[ -~]{1,12}",
    ) {
        let n = p.len() as u32;
        let triangles: Vec<[u32; 3]> = triangles.into_iter().map(|t| t.map(|i| i % n)).collect();
        let tets: Vec<[u32; 4]> = tets.into_iter().map(|t| t.map(|i| i % n)).collect();
        let vertices: Vec<u32> = vertices.into_iter().map(|i| i % n).collect();
        let positions: Vec<DVec3> = p.into_iter().map(DVec3::from).collect();
        // Any bits at all, NaN and infinities among them.
        let scalar: Vec<f64> = (0..u64::from(n)).map(|i| f64::from_bits(seed.wrapping_mul(2 * i + 1))).collect();
        let vector: Vec<f64> = (0..3 * u64::from(n)).map(|i| f64::from_bits(seed.rotate_left(i as u32))).collect();
        let cell: Vec<f64> = (0..triangles.len() + tets.len() + vertices.len()).map(|i| i as f64).collect();
        let grid = Grid {
            positions: &positions,
            triangles: &triangles,
            tets: &tets,
            vertices: &vertices,
            point_data: &[
                Field { name: &name, components: 1, values: &scalar },
                Field { name: "a <vector> & \"more\" with λ", components: 3, values: &vector },
            ],
            cell_data: &[Field { name: "cell", components: 1, values: &cell }],
            cell_numbers: &[Numbers { name: "number", components: 1, values: &vec![7; cell.len()] }],
        };
        let file = read_vtu_from(&bytes(&grid), "t.vtu", &ReadOptions::default()).unwrap();
        prop_assert_eq!(&file.positions, &positions);
        prop_assert_eq!(&file.triangles, &triangles);
        prop_assert_eq!(&file.tets, &tets);
        prop_assert_eq!(&file.point_data[0].name, &name);
        prop_assert_eq!(bits(&file.point_data[0].values), bits(&scalar));
        prop_assert_eq!(&file.point_data[1].name, "a <vector> & \"more\" with λ");
        prop_assert_eq!(bits(&file.point_data[1].values), bits(&vector));
    }
}

proptest! {
    /// Any bits at all in every format that keeps 64-bit floats, through files of every extension.
    #[test]
    fn every_writer_round_trips(
        p in prop::collection::vec(prop::array::uniform3(prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO), 4..20),
        triangles in prop::collection::vec(prop::array::uniform3(0u32..1000), 1..10),
        tets in prop::collection::vec(prop::array::uniform4(0u32..1000), 1..10),
        seed in any::<u64>(),
    ) {
        let n = p.len() as u32;
        let positions: Vec<DVec3> = p.into_iter().map(DVec3::from).collect();
        let triangles: Vec<[u32; 3]> = triangles.into_iter().map(|t| t.map(|i| i % n)).collect();
        let tets: Vec<[u32; 4]> = tets.into_iter().map(|t| t.map(|i| i % n)).collect();
        let values: Vec<f64> = (0..u64::from(n)).map(|i| f64::from_bits(seed.wrapping_mul(2 * i + 1))).map(|x| if x.is_finite() { x } else { 0.5 }).collect();
        let point_data = [Field { name: "a field, 50 %", components: 1, values: &values }];
        let grid = Grid { positions: &positions, triangles: &triangles, tets: &tets, point_data: &point_data, ..Grid::default() };
        let (mut vtk, mut msh) = (Vec::new(), Vec::new());
        write_vtk_to(&mut vtk, &grid).unwrap();
        write_msh_to(&mut msh, &grid).unwrap();
        let options = ReadOptions::default();
        for file in [read_vtk_from(&vtk, "t.vtk", &options).unwrap(), read_msh_from(&msh, "t.msh", &options).unwrap()] {
            prop_assert_eq!(&file.triangles, &triangles);
            prop_assert_eq!(&file.tets, &tets);
            prop_assert_eq!(&file.point_data[0].name, "a field, 50 %");
            prop_assert_eq!(bits(&file.point_data[0].values), bits(&values));
            for (a, b) in file.positions.iter().zip(&positions) {
                prop_assert_eq!([a.x, a.y, a.z].map(f64::to_bits), [b.x, b.y, b.z].map(f64::to_bits));
            }
        }
        let mesh = impinge_geometry::TriMesh::new(positions, triangles).unwrap();
        let mut ply = Vec::new();
        write_ply_to(&mut ply, &mesh).unwrap();
        prop_assert_eq!(read_ply_from(&ply, "t.ply", &options).unwrap(), mesh);
    }
}

#[test]
fn the_extension_chooses_the_format() {
    let folder = folder("out_formats");
    let surface = generators::icosphere(0.3, 1).unwrap();
    let solid = generators::tet_box(DVec3::new(1.0, 0.7, 0.3), [2, 1, 1]).unwrap();
    for extension in WRITTEN_EXTENSIONS {
        let path = folder.join(format!("a.{}", extension.to_uppercase()));
        write_mesh(&path, &surface).unwrap();
        let back = read_mesh(&path, &ReadOptions::default()).unwrap();
        match *extension {
            // 32-bit floats, in the order of their first appearance.
            "stl" => {
                assert_eq!(back.triangles().len(), surface.triangles().len());
                assert_eq!(stl_rounding(&back), 0.0);
                let most = stl_rounding(&surface);
                assert!(most > 0.0 && most < 0.3 * 6e-8, "{most}");
                for t in 0..back.triangles().len() {
                    for (a, b) in back.corners(t).into_iter().zip(surface.corners(t)) {
                        assert!((a - b).abs().component_max() <= most);
                    }
                }
                let once = std::fs::read(&path).unwrap();
                write_mesh(&path, &back).unwrap();
                assert_eq!(once[84 + 12..][..36], std::fs::read(&path).unwrap()[84 + 12..][..36]);
            }
            _ => assert_eq!(back, surface, "{extension}"),
        }
    }
    for extension in WRITTEN_TET_EXTENSIONS {
        let path = folder.join(format!("tets.{extension}"));
        write_tets(&path, &solid).unwrap();
        assert_eq!(read_tets(&path, &ReadOptions::default()).unwrap(), solid, "{extension}");
        let e = read_mesh(&path, &ReadOptions::default()).unwrap_err().to_string();
        assert!(e.contains("tetrahedra, and a surface is asked for"), "{e}");
    }
    for (name, tets, part) in [
        (
            "a.step",
            false,
            "`.step` is not known; give a name that ends with one of .obj, .stl, .ply, .vtk, .vtu, .msh",
        ),
        ("a", false, "no extension"),
        ("a.stl", true, "`.stl` holds no tetrahedra; give a name that ends with one of .vtk, .vtu, .msh"),
    ] {
        let e = can_write(name, tets).unwrap_err().to_string();
        assert!(e.contains(part) && e.contains(name), "{e}");
    }
    assert!(
        write_mesh(folder.join("a.step"), &surface).is_err()
            && write_tets(folder.join("a.obj"), &solid).is_err()
    );
    let huge = surface.mapped(|p| p * 1e40).unwrap();
    let e = write_mesh(folder.join("huge.stl"), &huge).unwrap_err().to_string();
    assert!(e.contains("32-bit floats of STL") && !folder.join("huge.stl").exists(), "{e}");
    let cell_data = [Field { name: "c", components: 1, values: &vec![0.0; solid.tets().len()] }];
    let e =
        write_msh(folder.join("c.msh"), &Grid { cell_data: &cell_data, ..Grid::from(&solid) }).unwrap_err();
    assert!(e.to_string().contains("write .vtu"), "{e}");
}

/// The whole file, byte by byte where it matters to other programs.
#[test]
fn the_layout_is_appended_raw_with_64_bit_numbers() {
    let grid = Grid {
        positions: &[DVec3::zero(), DVec3::unit_x(), DVec3::unit_y()],
        triangles: &[[0, 1, 2]],
        vertices: &[2],
        cell_data: &[Field { name: "force", components: 1, values: &[1.5, -2.0] }],
        cell_numbers: &[Numbers { name: "body", components: 1, values: &[3, -4] }],
        ..Grid::default()
    };
    let file = bytes(&grid);
    let start = file.windows(5).position(|w| w == b"\n   _").unwrap() + 5;
    let (head, data) = (std::str::from_utf8(&file[..start]).unwrap(), &file[start..]);
    for part in [
        r#"byte_order="LittleEndian" header_type="UInt64""#,
        r#"<Piece NumberOfPoints="3" NumberOfCells="2">"#,
        r#"<DataArray type="Float64" Name="force" NumberOfComponents="1" format="appended" offset="0"/>"#,
        r#"<DataArray type="Int32" Name="body" NumberOfComponents="1" format="appended" offset="24"/>"#,
        r#"<DataArray type="Float64" Name="Points" NumberOfComponents="3" format="appended" offset="40"/>"#,
        r#"<DataArray type="Int64" Name="connectivity" NumberOfComponents="1" format="appended" offset="120"/>"#,
        r#"<DataArray type="Int64" Name="offsets" NumberOfComponents="1" format="appended" offset="160"/>"#,
        r#"<DataArray type="UInt8" Name="types" NumberOfComponents="1" format="appended" offset="184"/>"#,
        r#"<AppendedData encoding="raw">"#,
    ] {
        assert!(head.contains(part), "{part} not in\n{head}");
    }
    let word = |at: usize| i64::from_le_bytes(data[at..at + 8].try_into().unwrap());
    assert_eq!([0, 24, 40, 120, 160].map(word), [16, 8, 72, 32, 16]);
    assert_eq!(f64::from_bits(word(16) as u64), -2.0);
    assert_eq!(&data[32..40], [3i32.to_le_bytes(), (-4i32).to_le_bytes()].concat());
    assert_eq!([128, 136, 144, 152].map(word), [0, 1, 2, 2]);
    assert_eq!([168, 176].map(word), [3, 4]);
    assert_eq!((word(184), &data[192..194]), (2, &[5, 1][..]));
    assert_eq!(&data[194..], b"\n  </AppendedData>\n</VTKFile>\n");
}

#[test]
fn what_does_not_fit_is_refused_before_anything_is_written() {
    let path = folder("out_refused").join("a.vtu");
    let points = [DVec3::zero()];
    let base = Grid { positions: &points, vertices: &[0], ..Grid::default() };
    let field = |name, components, values| Field { name, components, values };
    for (grid, part) in [
        (Grid { triangles: &[[0, 1, 0]], ..base }, "names point 1, but there are 1 points"),
        (Grid { point_data: &[field("p", 1, &[1.0, 2.0])], ..base }, "field `p` has 2 numbers; 1 points"),
        (Grid { point_data: &[field("p", 0, &[])], ..base }, "0 components"),
        (Grid { cell_data: &[field("c", 3, &[1.0])], ..base }, "1 cells with 3 components"),
        (Grid { cell_data: &[field("a\nb", 1, &[1.0])], ..base }, "printable"),
        (
            Grid { cell_numbers: &[Numbers { name: "b", components: 2, values: &[1] }], ..base },
            "field `b` has 1 numbers; 1 cells",
        ),
        (
            Grid { cell_data: &[field("a", 1, &[1.0]), field("a", 1, &[1.0])], ..base },
            "two fields of the cells",
        ),
    ] {
        let e = write_vtu(&path, &grid).unwrap_err();
        assert!(matches!(e, WriteError::BadData { .. }));
        assert!(e.to_string().contains(part) && e.to_string().contains("a.vtu"), "{e}");
        assert!(write_vtu_to(Vec::new(), &grid).is_err());
    }
    assert!(!path.exists());
}

#[test]
fn a_file_appears_whole_or_not_at_all() {
    let folder = folder("out_atomic");
    let path = folder.join("a.vtu");
    let mesh = generators::icosphere(1.0, 2).unwrap();
    write_vtu(&path, &Grid::from(&mesh)).unwrap();
    assert_eq!(read_vtu(&path, &ReadOptions::default()).unwrap().triangles, mesh.triangles());
    // The place is taken by a folder: the error names it and nothing is left behind.
    let taken = folder.join("taken.vtu");
    std::fs::create_dir_all(taken.join("x")).unwrap();
    let e = write_vtu(&taken, &Grid::from(&mesh)).unwrap_err();
    assert!(matches!(e, WriteError::Io { .. }) && e.to_string().contains("taken.vtu"), "{e}");
    let names: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|f| f.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(write_vtu(folder.join("none/a.vtu"), &Grid::from(&mesh)).is_err());
}

#[test]
fn a_series_is_whole_after_every_step_and_can_be_continued() {
    let folder = folder("out_series");
    let list = folder.join("run.pvd");
    let tets = TetMesh::from_arrays(
        &[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        &[[0, 1, 2, 3]],
    )
    .unwrap();
    let mut series = PvdSeries::create(&list).unwrap();
    assert!(series.is_empty());
    for k in 0..3 {
        let file = series.step(0.1 * f64::from(k), &Grid::from(&tets)).unwrap();
        assert_eq!(read_tets(&file, &ReadOptions::default()).unwrap(), tets);
        let text = std::fs::read_to_string(&list).unwrap();
        assert!(text.ends_with("  </Collection>\n</VTKFile>\n"), "{text}");
        assert_eq!(text.matches("<DataSet ").count(), k as usize + 1);
    }
    drop(series);
    let mut series = PvdSeries::open(&list).unwrap();
    assert_eq!(series.len(), 3);
    series.step(0.5, &Grid::from(&tets)).unwrap();
    series.append(1.0, folder.join("sub/b & c.vtu")).unwrap();
    let text = std::fs::read_to_string(&list).unwrap();
    for part in [
        r#"<VTKFile type="Collection" version="1.0" byte_order="LittleEndian">"#,
        r#"<DataSet timestep="0.2" part="0" file="run_000002.vtu"/>"#,
        r#"<DataSet timestep="0.5" part="0" file="run_000003.vtu"/>"#,
        r#"<DataSet timestep="1.0" part="0" file="sub/b &amp; c.vtu"/>"#,
    ] {
        assert!(text.contains(part), "{part} not in\n{text}");
    }

    // Errors leave the list as it is.
    assert!(series.append(f64::NAN, folder.join("c.vtu")).unwrap_err().to_string().contains("finite number"));
    for outside in [folder.join("../c.vtu"), "/c.vtu".into(), folder.clone()] {
        let e = series.append(2.0, outside).unwrap_err().to_string();
        assert!(e.contains("does not lie in the folder of the series"), "{e}");
    }
    assert_eq!(std::fs::read_to_string(&list).unwrap(), text);
    std::fs::write(&list, &text[..text.len() - 5]).unwrap();
    assert!(PvdSeries::open(&list).unwrap_err().to_string().contains("begin a new one"));
    assert!(matches!(PvdSeries::open(folder.join("no.pvd")), Err(WriteError::Io { .. })));
}

/// A link stays one, to a file that is there and to one that is not.
#[test]
#[cfg(unix)]
fn links_are_followed() {
    use std::io::Write;
    let folder = folder("links");
    std::fs::create_dir_all(folder.join("far")).unwrap();
    std::os::unix::fs::symlink("far/second", folder.join("first")).unwrap();
    std::os::unix::fs::symlink("file", folder.join("far/second")).unwrap();
    assert_eq!(place_of(&folder.join("first")).unwrap(), folder.join("far/file"));
    for text in ["one", "two"] {
        write_whole(&folder.join("first"), |out| out.write_all(text.as_bytes())).unwrap();
        assert!(folder.join("first").is_symlink() && folder.join("far/second").is_symlink());
        assert_eq!(std::fs::read_to_string(folder.join("far/file")).unwrap(), text);
    }
    // Links in a ring lead nowhere.
    std::os::unix::fs::symlink("ring", folder.join("ring")).unwrap();
    assert!(place_of(&folder.join("ring")).is_some());
}
