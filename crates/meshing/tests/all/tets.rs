//! Faults of tet meshes and their repair.

use impinge_geometry::TetMesh;
use impinge_meshing::{repair_tets, tet_health};

#[test]
fn faults_are_found_by_number_and_mended_by_name() {
    let corners =
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0], [9.0; 3]];
    let tets = [[0, 2, 1, 3], [0, 1, 2, 4], [3, 1, 0, 2], [1, 4, 2, 3]];
    let mesh = TetMesh::from_arrays(&corners, &tets).unwrap();
    let h = tet_health(&mesh);
    assert_eq!((&h.inverted[..], &h.flat[..], &h.duplicates[..]), (&[0][..], &[1][..], &[[0, 2]][..]));
    assert!(!h.is_solid() && h.unused_vertices == 1);
    let text: Vec<String> = h
        .rows(|t| (t == 0).then(|| "line 7".to_string()))
        .into_iter()
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    for part in [
        "inside out: 1 (tets 0 in line 7)",
        "flat: 1 (tets 1)",
        "there twice: 1 (tets 2 as 0 in line 7)",
        "repairs on offer: orient, drop-degenerate, drop-unused",
    ] {
        assert!(text.iter().any(|t| t == part), "{part} not in {text:?}");
    }
    let mut mesh = mesh;
    for name in ["orient", "drop-degenerate", "drop-unused"] {
        mesh = repair_tets(&mesh, name).unwrap().0;
    }
    let h = tet_health(&mesh);
    assert!(h.is_solid() && h.tets == 2 && h.vertices == 5, "{h}");
    assert!((h.volume - 1.0 / 3.0).abs() < 1e-15 && h.surface.unwrap().closed());
    assert!(repair_tets(&mesh, "weld").unwrap_err().contains("there are: orient"));
}
