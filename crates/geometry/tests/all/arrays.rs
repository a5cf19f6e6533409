//! The functions for plain arrays give the bits of those for vectors.

use impinge_geometry::arrays::{
    closest_between_segments, closest_on_segment, closest_on_triangle, tet_orientation, tet_volume,
    triangle_area, triangle_normal,
};
use ultraviolet::DVec3;

#[test]
fn arrays_give_the_bits_of_vectors() {
    let t = [[0.1, 0.2, 0.3], [1.7, 0.1, -0.4], [0.3, 2.1, 0.9]];
    let (v, p) = (t.map(DVec3::from), [0.7, 0.9, 1.3]);
    let d = DVec3::from(p);
    assert_eq!(closest_on_triangle(p, t), impinge_geometry::closest_on_triangle(d, v));
    assert_eq!(closest_on_segment(p, [t[0], t[1]]), impinge_geometry::closest_on_segment(d, [v[0], v[1]]));
    let (a, b) = ([p, t[0]], [t[1], t[2]]);
    let between = impinge_geometry::closest_between_segments([d, v[0]], [v[1], v[2]]);
    assert_eq!(closest_between_segments(a, b), between);
    assert_eq!(triangle_area(t), impinge_geometry::triangle_area(v));
    assert_eq!(triangle_normal(t).map(DVec3::from), impinge_geometry::triangle_normal(v));
    assert_eq!(triangle_normal([p; 3]), None);
    let tet = [t[0], t[1], t[2], p];
    assert_eq!(tet_volume(tet), impinge_geometry::tet_volume(tet.map(DVec3::from)));
    assert_eq!(tet_orientation(tet), tet_volume(tet).total_cmp(&0.0));
}
