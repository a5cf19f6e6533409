//! Positions in which a body may come to rest, and how deep it sinks there under its own weight: what estimates of stiffness
//! are made at.

use impinge_geometry::DVec3;

/// Halvings of the depth.
const HALVINGS: usize = 40;
/// Depth over the body's size where nothing weighs.
const SHALLOW: f64 = 1e-3;
/// Deepest that is looked at, over the body's size.
const DEEP: f64 = 0.5;

/// The ways up: along the body's axes, to and fro.
pub fn ways_up() -> [DVec3; 6] {
    let [x, y, z] = [DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z()];
    [x, -x, y, -y, z, -z]
}

/// The height of a plane across `up` whose `force` (N, rising with the height) on the body over `points` carries `weight` (N).
pub fn resting_height(points: &[DVec3], up: DVec3, weight: f64, mut force: impl FnMut(f64) -> f64) -> f64 {
    let heights = || points.iter().map(|p| p.dot(up));
    let (lo, hi) = (heights().fold(f64::INFINITY, f64::min), heights().fold(f64::NEG_INFINITY, f64::max));
    if weight <= 0.0 {
        return lo + SHALLOW * (hi - lo);
    }
    let (mut shallow, mut deep) = (0.0, DEEP * (hi - lo));
    for _ in 0..HALVINGS {
        let middle = 0.5 * (shallow + deep);
        if force(lo + middle) < weight { shallow = middle } else { deep = middle }
    }
    lo + deep
}
