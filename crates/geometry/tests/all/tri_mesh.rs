//! Arrays that make no triangle mesh are refused with the place.

use impinge_geometry::{MeshError, TriMesh};
use ultraviolet::DVec3;

#[test]
fn bad_arrays_are_refused_with_the_place() {
    let p = vec![DVec3::zero(), DVec3::unit_x(), DVec3::unit_y()];
    assert!(matches!(TriMesh::new(p.clone(), vec![]), Err(MeshError::Empty)));
    assert!(matches!(
        TriMesh::new(p.clone(), vec![[0, 1, 3]]),
        Err(MeshError::IndexOutOfRange { triangle: 0, index: 3, vertices: 3 })
    ));
    let one = TriMesh::new(p.clone(), vec![[0, 1, 2]]).unwrap();
    let two = TriMesh::joined(&[&one, &one]).unwrap();
    assert_eq!((two.positions().len(), two.triangles()), (6, &[[0, 1, 2], [3, 4, 5]][..]));
    assert_eq!(TriMesh::joined(&[]), Err(MeshError::Empty));
    let mut q = p;
    q[1].y = f64::NAN;
    let e = TriMesh::new(q, vec![[0, 1, 2]]).unwrap_err();
    assert_eq!(e, MeshError::NonFinite { vertex: 1 });
    assert!(e.to_string().contains("vertex 1"));
}
