//! Area and normal of one triangle.

use impinge_geometry::{triangle_area, triangle_normal};
use ultraviolet::DVec3;

#[test]
fn right_triangle_and_collapsed_ones() {
    let t = [DVec3::zero(), DVec3::new(3.0, 0.0, 0.0), DVec3::new(0.0, 4.0, 0.0)];
    assert_eq!(triangle_area(t), 6.0);
    assert_eq!(triangle_normal(t), Some(DVec3::unit_z()));
    assert_eq!(triangle_normal([t[0], t[2], t[1]]), Some(-DVec3::unit_z()));
    assert_eq!(triangle_normal([t[0], t[1], t[1] * 2.0]), None);
    assert_eq!(triangle_area([t[0]; 3]), 0.0);
}
