//! A sheet faces up and covers its area.

use impinge_geometry::{area, grid, triangle_normal, vertex_areas};
use ultraviolet::DVec3;

#[test]
fn faces_up_and_covers_its_area() {
    let g = grid([3.0, 2.0], [6, 5]).unwrap();
    assert!((area(&g) - 6.0).abs() < 1e-14);
    assert!((vertex_areas(&g).iter().sum::<f64>() - 6.0).abs() < 1e-14);
    for f in 0..g.triangles().len() {
        assert_eq!(triangle_normal(g.corners(f)), Some(DVec3::unit_z()));
    }
}
