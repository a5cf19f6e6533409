//! Which way is up.

use impinge_geometry::DVec3;
use impinge_io::{ReadOptions, UpAxis};

#[test]
fn up_goes_up_and_keeps_handedness() {
    let o = ReadOptions { scale: 0.5, up: UpAxis::Y };
    let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|a| o.apply(a));
    assert_eq!(y, DVec3::new(0.0, 0.0, 0.5));
    assert_eq!(x.cross(y).dot(z), 0.125);
    assert_eq!(ReadOptions::default().apply([1.0, 2.0, 3.0]), DVec3::new(1.0, 2.0, 3.0));
}
