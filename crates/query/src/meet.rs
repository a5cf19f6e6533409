//! Do two triangles share a point, and does an edge of one pass through the other: exact.
//!
//! Triangles are closed sets; collapsed ones are segments or points. Every decision is the sign of a determinant (Shewchuk's
//! predicates, the `robust` crate), exact as long as no product of three coordinate differences under- or overflows.
//! What lies in one plane is decided in its three projections: it meets where all three do, since one of them keeps the plane.

use impinge_geometry::DVec3;
use robust::{Coord, Coord3D, orient2d, orient3d};

/// How two triangles lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Meet {
    /// No common point.
    Apart,
    /// Common points, but no edge that passes through the inside of the other.
    Touch,
    /// An edge with its ends strictly on both sides passes through the inside of the other triangle.
    Cross,
}

/// Do two closed triangles share a point? Exact, also for triangles in one plane and collapsed ones.
///
/// ```
/// use impinge_geometry::DVec3;
/// use impinge_query::triangles_meet;
///
/// let [a, b, c] = [DVec3::zero(), DVec3::unit_x(), DVec3::unit_y()];
/// assert!(triangles_meet(&[a, b, c], &[a, -b, -c]));
/// assert!(!triangles_meet(&[a, b, c], &[a, b, c].map(|p| p + DVec3::unit_z() * 1e-300)));
/// ```
#[must_use]
pub fn triangles_meet(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    meet(a, b) != Meet::Apart
}

/// How two closed triangles lie.
pub(crate) fn meet(a: &[DVec3; 3], b: &[DVec3; 3]) -> Meet {
    // Exact, and by far the most common answer.
    let least = |t: &[DVec3; 3]| t[0].min_by_component(t[1]).min_by_component(t[2]);
    let most = |t: &[DVec3; 3]| t[0].max_by_component(t[1]).max_by_component(t[2]);
    let beyond = |p: DVec3, q: DVec3| p.x > q.x || p.y > q.y || p.z > q.z;
    if beyond(least(a), most(b)) || beyond(least(b), most(a)) {
        return Meet::Apart;
    }
    let sides = |t: &[DVec3; 3], of: &[DVec3; 3]| of.map(|p| volume(t, p));
    let (of_b, of_a) = (sides(a, b), sides(b, a));
    let beside = |s: [i32; 3]| s[0] != 0 && s == [s[0]; 3];
    if beside(of_a) || beside(of_b) {
        return Meet::Apart;
    }
    let mut found = Meet::Apart;
    for (edges, face, sides) in [(a, b, of_a), (b, a, of_b)] {
        for i in 0..3 {
            let j = (i + 1) % 3;
            found = found.max(edge([edges[i], edges[j]], face, [sides[i], sides[j]]));
            if found == Meet::Cross {
                return found;
            }
        }
    }
    found
}

/// A segment against a triangle; `sides` says on which side of its plane the ends lie.
fn edge([p, q]: [DVec3; 2], t: &[DVec3; 3], sides: [i32; 2]) -> Meet {
    match sides {
        [1, 1] | [-1, -1] => Meet::Apart,
        [0, 0] => {
            let [a, b, c] = *t;
            let inside = [p, q].iter().any(|&p| holds(t, p));
            let crosses = || [[a, b], [b, c], [c, a]].iter().any(|&s| segments([p, q], s));
            if inside || crosses() { Meet::Touch } else { Meet::Apart }
        }
        // One end in the plane: that end decides.
        [0, _] => touch_if(holds(t, p)),
        [_, 0] => touch_if(holds(t, q)),
        _ => {
            let s = [0, 1, 2].map(|i| volume(&[p, q, t[i]], t[(i + 1) % 3]));
            let (low, high) = (s[0].min(s[1]).min(s[2]), s[0].max(s[1]).max(s[2]));
            if low * high < 0 {
                Meet::Apart
            } else if s.contains(&0) {
                Meet::Touch
            } else {
                Meet::Cross
            }
        }
    }
}

fn touch_if(yes: bool) -> Meet {
    if yes { Meet::Touch } else { Meet::Apart }
}

fn sign(x: f64) -> i32 {
    i32::from(x > 0.0) - i32::from(x < 0.0)
}

fn volume([a, b, c]: &[DVec3; 3], p: DVec3) -> i32 {
    let v = |q: &DVec3| Coord3D { x: q.x, y: q.y, z: q.z };
    sign(orient3d(v(a), v(b), v(c), v(&p)))
}

/// A point without one of its coordinates.
fn flat(p: DVec3, without: usize) -> Coord<f64> {
    Coord { x: p[(without + 1) % 3], y: p[(without + 2) % 3] }
}

/// Does a triangle hold a point of its plane? A collapsed triangle has any plane, so its points are asked, too.
fn holds(t: &[DVec3; 3], p: DVec3) -> bool {
    (0..3).all(|k| {
        let [a, b, c] = t.map(|q| flat(q, k));
        let p = flat(p, k);
        let s = [sign(orient2d(a, b, p)), sign(orient2d(b, c, p)), sign(orient2d(c, a, p))];
        // All three zero: on a line, within its ends.
        !(s.contains(&1) && s.contains(&-1)) && between(&[a, b, c], p)
    })
}

/// Do two segments share a point?
fn segments([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> bool {
    volume(&[a, b, c], d) == 0
        && (0..3).all(|k| {
            let [a, b, c, d] = [a, b, c, d].map(|q| flat(q, k));
            let (s, t) = ([orient2d(a, b, c), orient2d(a, b, d)], [orient2d(c, d, a), orient2d(c, d, b)]);
            let apart = |s: [f64; 2]| sign(s[0]) * sign(s[1]) > 0;
            let boxes = |x: fn(&Coord<f64>) -> f64| {
                x(&a).min(x(&b)) <= x(&c).max(x(&d)) && x(&c).min(x(&d)) <= x(&a).max(x(&b))
            };
            !apart(s) && !apart(t) && boxes(|p| p.x) && boxes(|p| p.y)
        })
}

fn between(t: &[Coord<f64>; 3], p: Coord<f64>) -> bool {
    let within = |x: fn(&Coord<f64>) -> f64| {
        let v = [x(&t[0]), x(&t[1]), x(&t[2])];
        v.iter().any(|&v| v <= x(&p)) && v.iter().any(|&v| v >= x(&p))
    };
    within(|p| p.x) && within(|p| p.y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Points in eighths, so that touching, coplanar and collapsed triangles are common.
    fn corner() -> impl Strategy<Value = DVec3> {
        (-2i8..3, -2i8..3, -2i8..3).prop_map(|(x, y, z)| DVec3::new(x.into(), y.into(), z.into()))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]
        /// The distance of two triangles with whole corners of at most 2 is zero or above 1e-4.
        #[test]
        fn triangles_meet_where_their_distance_is_zero(
            a in prop::array::uniform3(corner()), b in prop::array::uniform3(corner()),
        ) {
            let d = crate::between::triangles(&a, &b).distance_squared.sqrt();
            prop_assert_eq!(meet(&a, &b) != Meet::Apart, d < 1e-9, "distance {}", d);
            prop_assert_eq!(meet(&a, &b), meet(&b, &a));
        }
    }

    #[test]
    fn an_edge_through_the_inside_crosses_and_through_a_side_touches() {
        let v = |x, y, z| DVec3::new(x, y, z);
        let t = [v(0., 0., 0.), v(4., 0., 0.), v(0., 4., 0.)];
        let through = |x: f64, y: f64| [v(x, y, -1.), v(x, y, 1.), v(x + 9.0, y + 9.0, 1.)];
        assert_eq!(meet(&t, &through(1.0, 1.0)), Meet::Cross);
        assert_eq!(meet(&t, &[v(1., 1., 0.), v(1., 1., 1.), v(2., 1., 1.)]), Meet::Touch);
        assert_eq!(meet(&t, &[v(0., 0., 0.), v(-1., 0., 0.), v(0., -1., 1.)]), Meet::Touch);
        assert_eq!(meet(&t, &t), Meet::Touch);
        assert_eq!(meet(&t, &through(2.5, 2.5)), Meet::Apart);
    }
}
