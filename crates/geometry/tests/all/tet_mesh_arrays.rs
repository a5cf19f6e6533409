//! Arrays that make no tet mesh are refused with the place.

use impinge_geometry::{MeshError, TetMesh, tet_orientation};
use std::cmp::Ordering;
use ultraviolet::DVec3;

fn unit() -> Vec<DVec3> {
    vec![DVec3::zero(), DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z()]
}

#[test]
fn bad_arrays_are_refused_with_the_place() {
    assert_eq!(TetMesh::new(unit(), vec![]), Err(MeshError::NoTets));
    let e = TetMesh::new(unit(), vec![[0, 1, 2, 3], [0, 1, 2, 4]]).unwrap_err();
    assert_eq!(e, MeshError::TetIndexOutOfRange { tet: 1, index: 4, vertices: 4 });
    assert!(e.to_string().contains("tet 1 names vertex 4"));
    let e = TetMesh::from_arrays(&[[0.0, f64::INFINITY, 0.0]; 4], &[[0, 1, 2, 3]]).unwrap_err();
    assert_eq!(e, MeshError::NonFinite { vertex: 0 });
}

#[test]
fn the_sign_is_exact_and_the_culprit_is_named() {
    let good = TetMesh::new(unit(), vec![[0, 1, 2, 3]]).unwrap();
    assert!(good.require_positive().is_ok());
    assert_eq!(good.volume(0), 1.0 / 6.0);
    let mixed = TetMesh::new(unit(), vec![[0, 1, 2, 3], [0, 2, 1, 3]]).unwrap();
    let e = mixed.require_positive().unwrap_err();
    assert_eq!(e, MeshError::TetNotPositive { tet: 1, volume: -1.0 / 6.0, flat: false });
    assert!(e.to_string().contains("tet 1"));
    assert_eq!(mixed.duplicates(), [[0, 1]]);
    let (turned, n) = mixed.oriented().unwrap();
    assert_eq!(n, 1);
    assert!(turned.require_positive().is_ok());
    // In a plane through points that round: the plain determinant of the first is not zero, its sign is.
    let p = |x: f64, y: f64| DVec3::new(x, y, x + y);
    let flat = [p(0.5, 0.5), p(12.0, 12.0), p(24.0, 24.0), p(0.1, 3.0)];
    assert_eq!(tet_orientation(flat), Ordering::Equal);
    let tiny = [flat[0], flat[1], p(24.0, 23.0), flat[3] + DVec3::new(0.0, 0.0, 1e-15)];
    assert_ne!(tet_orientation(tiny), Ordering::Equal);
    let e = TetMesh::new(flat.to_vec(), vec![[0, 1, 2, 3]]).unwrap().oriented().unwrap_err();
    assert!(e.to_string().contains("flat"), "{e}");
}

#[test]
fn faces_look_outwards() {
    let p = unit();
    let middle = (p[0] + p[1] + p[2] + p[3]) / 4.0;
    for (i, f) in TetMesh::FACES.iter().enumerate() {
        let [a, b, c] = f.map(|k| p[k]);
        assert!((b - a).cross(c - a).dot(a - middle) > 0.0, "face {i}");
        assert!(!f.contains(&i));
    }
}
