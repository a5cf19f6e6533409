//! Point in tet against a loop over all tets, on structured meshes and on shared faces, sides and corners.

use impinge_geometry::{DVec3, TetMesh, tet_box, tet_sphere};
use impinge_query::TetIndex;
use proptest::prelude::*;

/// Lowest tet whose barycentric weights are all above −tolerance.
fn by_loop(mesh: &TetMesh, p: DVec3, tolerance: f64) -> Option<usize> {
    (0..mesh.tets().len()).find(|&t| {
        let c = mesh.corners(t);
        let volume = |c: [DVec3; 4]| (c[1] - c[0]).dot((c[2] - c[0]).cross(c[3] - c[0]));
        let whole = volume(c);
        (0..4).all(|i| {
            let mut d = c;
            d[i] = p;
            volume(d) / whole >= -tolerance
        })
    })
}

fn at(mesh: &TetMesh, tet: u32, w: [f64; 4]) -> DVec3 {
    let c = mesh.corners(tet as usize);
    c[0] * w[0] + c[1] * w[1] + c[2] * w[2] + c[3] * w[3]
}

#[test]
fn every_vertex_middle_and_centre_is_found_and_lands_where_it_was() {
    let mesh = tet_box(DVec3::new(1.0, 2.0, 0.5), [3, 4, 2]).unwrap();
    let index = TetIndex::new(&mesh);
    let mut points: Vec<DVec3> = mesh.positions().to_vec();
    for t in 0..mesh.tets().len() {
        let c = mesh.corners(t);
        points.push((c[0] + c[1] + c[2] + c[3]) / 4.0);
        points.push((c[1] + c[2] + c[3]) / 3.0);
        points.push((c[0] + c[3]) / 2.0);
    }
    let (lo, hi) = mesh.bounds();
    for p in points {
        // A middle may round out of the box by an ulp; inside it nothing may be lost.
        let p = p.max_by_component(lo).min_by_component(hi);
        let found = index.locate(p).unwrap_or_else(|| panic!("{p:?} is lost"));
        assert!((at(&mesh, found.tet, found.weights) - p).mag() < 1e-15);
        assert!((found.weights.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        assert!(found.weights.iter().all(|&w| w >= 0.0));
    }
    assert_eq!(index.locate([9.0, 0.0, 0.0]), None);
    assert_eq!(index.locate([f64::NAN, 0.0, 0.0]), None);
}

#[test]
fn flat_tets_hold_nothing_and_inverted_ones_do() {
    let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]];
    let mesh = TetMesh::from_arrays(&points, &[[0, 1, 2, 4], [0, 2, 1, 3], [0, 1, 2, 3]]).unwrap();
    let found = TetIndex::new(&mesh).locate([0.2, 0.2, 0.2]).unwrap();
    assert_eq!(found.tet, 1, "the inverted twin has the lower index");
    assert!((at(&mesh, found.tet, found.weights) - DVec3::broadcast(0.2)).mag() < 1e-15);
    assert_eq!(TetIndex::new(&mesh).locate([0.9, 0.9, 0.0]), None, "in the flat one only");
}

#[test]
fn ten_thousand_tets_in_one_place_do_not_overflow_the_stack() {
    let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mesh = TetMesh::from_arrays(&points, &vec![[0, 1, 2, 3]; 10_000]).unwrap();
    assert_eq!(TetIndex::new(&mesh).locate([0.1, 0.1, 0.1]).unwrap().tet, 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn located_like_the_loop(x in -1.2f64..1.2, y in -1.2f64..1.2, z in -1.2f64..1.2, shift in prop_oneof![Just(0.0), Just(1e6)]) {
        let mesh = tet_sphere(1.0, 4).unwrap().mapped(|p| p + DVec3::broadcast(shift)).unwrap();
        let index = TetIndex::new(&mesh);
        let p = DVec3::new(x, y, z) + DVec3::broadcast(shift);
        let rounding = 1e-13 + 1e-15 * shift;
        match index.locate(p) {
            // The loop measures in rounding arithmetic: it may see a neighbour across a face.
            Some(found) => {
                prop_assert!((at(&mesh, found.tet, found.weights) - p).mag() < 1e-9 * (1.0 + shift * 1e-3));
                prop_assert!(by_loop(&mesh, p, rounding * 1e3).is_some());
            }
            None => prop_assert!(by_loop(&mesh, p, -rounding * 1e3).is_none()),
        }
    }
}
