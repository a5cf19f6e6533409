//! How many contacts two bodies have that lie on each other with flat faces: corners of either within the other, and sides that cross. Two squares
//! of one size, one of them turned by 45°, meet at eight crossings, where each alone rests on four corners. Edges within a flat face are no
//! features; a vertex that meets one of the other body is counted twice.

use crate::shadow::{Across, Point, hull, sides, turn};
use impinge_geometry::DVec3;

/// Part of the size of the two faces by which a corner must be within the other, or a crossing off the ends of its sides.
const CLEAR: f64 = 1e-6;

/// Contacts of a body with the vertices `above` on one with `below`, along `up` (unit).
pub(crate) fn crossed(above: &[DVec3], below: &[DVec3], up: DVec3) -> usize {
    let Some(&from) = above.first() else { return 0 };
    let across = Across::new(up, from);
    let (over, under) = (across.face(above, up), across.face(below, -up));
    let (outer, inner) = (hull(&over), hull(&under));
    let most = over.iter().chain(&under).fold(0.0f64, |m, p| m.max(p[0].abs()).max(p[1].abs()));
    let least = CLEAR * most;
    let within = |points: &[Point], of: &[Point]| points.iter().filter(|p| inside(of, **p) > least).count();
    within(&over, &inner) + within(&under, &outer) + crossings(&outer, &inner, least)
}

fn length([a, b]: [Point; 2]) -> f64 {
    libm::hypot(b[0] - a[0], b[1] - a[1])
}

/// How far a point is within a hull (m); negative outside.
fn inside(polygon: &[Point], p: Point) -> f64 {
    let off = |side: [Point; 2]| turn(side[0], side[1], p) / length(side).max(f64::MIN_POSITIVE);
    if polygon.len() < 3 { f64::NEG_INFINITY } else { sides(polygon).map(off).fold(f64::INFINITY, f64::min) }
}

/// Pairs of sides that cross well within each other.
fn crossings(a: &[Point], b: &[Point], least: f64) -> usize {
    let apart = |[p, q]: [Point; 2], [r, s]: [Point; 2]| {
        let long = length([p, q]);
        let (x, y) = (turn(p, q, r) / long, turn(p, q, s) / long);
        x.min(y) < -least && x.max(y) > least
    };
    sides(a).map(|m| sides(b).filter(|&n| apart(m, n) && apart(n, m)).count()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(size: f64, degrees: f64, at: Point, z: f64) -> Vec<DVec3> {
        let (s, c) = degrees.to_radians().sin_cos();
        let corners = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]];
        let place =
            |[x, y]: Point| [0.5 * size * (c * x - s * y) + at[0], 0.5 * size * (s * x + c * y) + at[1]];
        let of = |h: f64| corners.map(|p| DVec3::new(place(p)[0], place(p)[1], h));
        [of(z), of(z + 1.0)].concat()
    }

    #[test]
    fn squares_meet_at_four_corners_at_eight_crossings_or_partly() {
        let count = |size: f64, degrees: f64, at: Point| {
            let (above, below) = (square(size, degrees, at, 1.0), square(1.0, 0.0, [0.0; 2], 0.0));
            crossed(&above, &below, DVec3::unit_z())
        };
        assert_eq!(count(1.0, 45.0, [0.0; 2]), 8);
        assert_eq!(count(1.0, 10.0, [0.0; 2]), 8);
        assert_eq!(count(0.5, 30.0, [0.0; 2]), 4);
        assert_eq!(count(2.0, 30.0, [0.0; 2]), 4);
        // A corner of each, and two crossings.
        assert_eq!(count(1.0, 0.0, [0.5, 0.5]), 4);
        assert_eq!(count(0.5, 0.0, [3.0, 0.0]), 0);
        // The same far from the origin.
        let far = |x: Vec<DVec3>| x.iter().map(|p| *p + DVec3::new(1e6, -2e6, 0.0)).collect::<Vec<_>>();
        let (above, below) = (far(square(1.0, 45.0, [0.0; 2], 1.0)), far(square(1.0, 0.0, [0.0; 2], 0.0)));
        assert_eq!(crossed(&above, &below, DVec3::unit_z()), 8);
    }
}
