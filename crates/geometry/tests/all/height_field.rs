//! Ground from heights: the vertices are the samples, and it can be seen whole from above.

use impinge_geometry::generators::{grid, height_field};
use impinge_geometry::{DVec3, Topology, triangle_normal};

#[test]
fn each_height_is_at_its_row_and_column() {
    let heights = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
    let ground = height_field([4.0, 6.0], [3, 2], &heights).unwrap();
    let at: Vec<DVec3> = ground.positions().to_vec();
    assert_eq!(at[0], DVec3::new(-2.0, -3.0, 0.0));
    assert_eq!(at[2], DVec3::new(2.0, -3.0, 2.0));
    assert_eq!(at[4], DVec3::new(0.0, 3.0, 4.0));
    assert_eq!(ground.triangles(), grid([4.0, 6.0], [2, 1]).unwrap().triangles());
    for t in 0..ground.triangles().len() {
        assert!(triangle_normal(ground.corners(t)).unwrap().z > 0.0);
    }
    let topology = Topology::new(&ground);
    assert_eq!([topology.boundary_edges(), topology.misoriented_edges()], [6, 0]);
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let refused =
        |samples, heights: &[f64]| height_field([1.0, 1.0], samples, heights).unwrap_err().to_string();
    assert!(refused([2, 2], &[0.0; 3]).contains("3 heights for 2 by 2 samples; give 4"));
    assert!(refused([1, 2], &[0.0; 2]).contains("two or more"));
    let mut heights = [0.0; 6];
    heights[5] = f64::NAN;
    assert!(refused([3, 2], &heights).contains("row 1, column 2"));
    assert!(height_field([0.0, 1.0], [2, 2], &[0.0; 4]).is_err());
}
