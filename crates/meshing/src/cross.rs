//! Whether two triangles cross, decided exactly.
//!
//! They cross when they share more than a point, and more than pieces of both their outlines: an edge of one that
//! runs through the face of the other, or a plane overlap with an area. A corner that rests on a face, and edges
//! that run along each other (neighbours, also those whose vertices were not merged, and T-junctions), only touch.
//!
//! Six signs tell on which side of the other's plane each corner lies. Two triangles that straddle each other's
//! planes both meet the line where the planes meet in an interval; two more determinants order the ends (Guigue and
//! Devillers 2003, "Fast and robust triangle-triangle overlap test using orientation predicates"), here with strict
//! comparisons. Triangles in one plane overlap unless a side of one separates them. Every sign is exact (Shewchuk's
//! predicates, the `robust` crate), so shared corners are seen as such without looking at indices.

use impinge_geometry::DVec3;
use robust::{Coord, Coord3D, orient2d, orient3d};

type Triangle = [DVec3; 3];

/// Whether two triangles cross each other; a triangle without area crosses nothing.
///
/// Exact as long as no product of three coordinate differences under- or overflows: sizes of 1e-90 to 1e90 m.
#[must_use]
pub fn triangles_cross(a: &Triangle, b: &Triangle) -> bool {
    let above_b = a.map(|p| above(b, p));
    if one_side(above_b) {
        return false;
    }
    if above_b == [0; 3] {
        return overlap_in_plane(a, b);
    }
    let above_a = b.map(|p| above(a, p));
    // All zero with `above_b` not zero: a has no area.
    if one_side(above_a) || above_a == [0; 3] {
        return false;
    }
    // An edge of each in the plane of the other: edge along edge.
    if zeros(above_b) == 2 && zeros(above_a) == 2 {
        return false;
    }
    let (p, q) = (alone(*a, above_b), alone(*b, above_a));
    let (Some((p, p_up)), Some((q, q_up))) = (p, q) else { return false };
    // Turn each so that the other's lone corner lies above it.
    let [p0, p1, p2] = if q_up { p } else { [p[0], p[2], p[1]] };
    let [q0, q1, q2] = if p_up { q } else { [q[0], q[2], q[1]] };
    sign(p0, p1, q0, q1) < 0 && sign(p0, p2, q2, q0) < 0
}

/// Exactly zero area: the three corners on one line.
pub(crate) fn is_flat(t: &Triangle) -> bool {
    (0..3).all(|axis| project(t, axis) == 0.0)
}

fn at(p: DVec3) -> Coord3D<f64> {
    Coord3D { x: p.x, y: p.y, z: p.z }
}

/// The sign of the signed volume of (a, b, c, d): +1 where d lies above the plane of a, b, c.
fn sign(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> i32 {
    // Neighbours share corners; the predicate would take its longest way to the zero.
    if a == b || c == d || a == c || b == d || a == d || b == c {
        return 0;
    }
    let below = orient3d(at(a), at(b), at(c), at(d));
    i32::from(below < 0.0) - i32::from(below > 0.0)
}

fn above(t: &Triangle, p: DVec3) -> i32 {
    sign(t[0], t[1], t[2], p)
}

fn zeros(signs: [i32; 3]) -> usize {
    signs.iter().filter(|&&s| s == 0).count()
}

/// No corner on one of the sides and at most one on the plane: they share a point at most.
fn one_side(signs: [i32; 3]) -> bool {
    (signs.iter().all(|&s| s >= 0) || signs.iter().all(|&s| s <= 0)) && zeros(signs) < 2
}

/// The triangle turned so that corner 0 alone lies on its side of the other's plane, and whether that is above.
fn alone(t: Triangle, signs: [i32; 3]) -> Option<(Triangle, bool)> {
    for up in [true, false] {
        let here = |i: usize| if up { signs[i] > 0 } else { signs[i] < 0 };
        if (0..3).filter(|&i| here(i)).count() == 1 {
            let i = (0..3).find(|&i| here(i))?;
            return Some(([t[i], t[(i + 1) % 3], t[(i + 2) % 3]], up));
        }
    }
    None
}

/// Twice the signed area seen along an axis; the sign is exact.
fn project(t: &Triangle, axis: usize) -> f64 {
    let [a, b, c] = t.map(|p| flat(p, axis));
    orient2d(a, b, c)
}

fn flat(p: DVec3, axis: usize) -> Coord<f64> {
    Coord { x: p[(axis + 1) % 3], y: p[(axis + 2) % 3] }
}

/// Both in one plane: whether the insides overlap. Convex shapes do, unless a side of one has the other beyond it.
fn overlap_in_plane(a: &Triangle, b: &Triangle) -> bool {
    // Dropping a coordinate is exact, and along some axis the plane is not seen edge-on.
    let Some(axis) = (0..3).find(|&k| project(a, k) != 0.0) else { return false };
    let (side_a, side_b) = (project(a, axis), project(b, axis));
    if side_b == 0.0 {
        return false;
    }
    let separates = |t: &Triangle, side: f64, other: &Triangle| {
        (0..3).any(|i| {
            let (p, q) = (flat(t[i], axis), flat(t[(i + 1) % 3], axis));
            other.iter().all(|&r| {
                let s = orient2d(p, q, flat(r, axis));
                if side > 0.0 { s <= 0.0 } else { s >= 0.0 }
            })
        })
    };
    !separates(a, side_a, b) && !separates(b, side_b, a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn t(p: [[f64; 3]; 3]) -> Triangle {
        p.map(DVec3::from)
    }

    fn both(a: &Triangle, b: &Triangle) -> bool {
        let once = triangles_cross(a, b);
        for (i, j) in [(0, 1), (1, 2), (2, 2)] {
            let (mut x, mut y) = (*a, *b);
            x.rotate_left(i);
            y.rotate_left(j);
            assert_eq!(triangles_cross(&y, &x), once, "{a:?} {b:?}");
            x.swap(0, 1);
            assert_eq!(triangles_cross(&x, &y), once, "{a:?} {b:?}");
        }
        once
    }

    #[test]
    fn crossing_and_touching_by_hand() {
        let a = t([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]]);
        // Through the face; beside it; above it.
        assert!(both(&a, &t([[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [9.0, 9.0, 1.0]])));
        assert!(!both(&a, &t([[5.0, 5.0, -1.0], [5.0, 5.0, 1.0], [9.0, 9.0, 1.0]])));
        assert!(!both(&a, &t([[1.0, 1.0, 0.5], [1.0, 1.0, 1.0], [9.0, 9.0, 1.0]])));
        // A corner rests on the face; an edge lies in the face.
        assert!(!both(&a, &t([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [2.0, 1.0, 1.0]])));
        assert!(both(&a, &t([[1.0, 1.0, 0.0], [2.0, 1.0, 0.0], [2.0, 1.0, 1.0]])));
        // An edge along an edge, whole or in part: neighbours and T-junctions.
        assert!(!both(&a, &t([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [1.0, -1.0, 1.0]])));
        assert!(!both(&a, &t([[1.0, 0.0, 0.0], [3.0, 0.0, 0.0], [1.0, -1.0, 1.0]])));
        assert!(!both(&a, &t([[1.0, 0.0, 0.0], [6.0, 0.0, 0.0], [1.0, 1.0, 1.0]])));
        // One shared corner: apart, and one edge through the other's inside.
        assert!(!both(&a, &t([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [2.0, 1.0, 1.0]])));
        assert!(both(&a, &t([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [2.0, 2.0, -1.0]])));
        assert!(!both(&a, &t([[0.0, 0.0, 0.0], [-1.0, -1.0, 1.0], [-2.0, -2.0, -1.0]])));
    }

    #[test]
    fn in_one_plane() {
        let a = t([[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 4.0, 1.0]]);
        assert!(both(&a, &t([[1.0, 1.0, 1.0], [9.0, 1.0, 1.0], [9.0, 2.0, 1.0]])));
        assert!(both(&a, &a));
        // Neighbours side by side, and one folded back over the other.
        assert!(!both(&a, &t([[4.0, 0.0, 1.0], [0.0, 4.0, 1.0], [4.0, 4.0, 1.0]])));
        assert!(both(&a, &t([[4.0, 0.0, 1.0], [0.0, 4.0, 1.0], [1.0, 1.0, 1.0]])));
        assert!(!both(&a, &t([[4.0, 0.0, 1.0], [8.0, 0.0, 1.0], [8.0, 1.0, 1.0]])));
        // No area, no crossing.
        assert!(!both(&a, &t([[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 3.0]])));
        assert!(!both(&a, &t([[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]])));
        assert!(is_flat(&t([[0.1, 0.1, 0.1], [0.2, 0.2, 0.2], [0.7, 0.7, 0.7]])) && !is_flat(&a));
    }

    /// Whether segment p–q passes strictly through the inside of the triangle, in whole numbers.
    fn pierces(p: [i64; 3], q: [i64; 3], t: [[i64; 3]; 3]) -> bool {
        let det = |a: [i64; 3], b: [i64; 3], c: [i64; 3], d: [i64; 3]| {
            let [u, v, w] = [b, c, d].map(|x| [x[0] - a[0], x[1] - a[1], x[2] - a[2]]);
            u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0])
                + u[2] * (v[0] * w[1] - v[1] * w[0])
        };
        let (dp, dq) = (det(t[0], t[1], t[2], p), det(t[0], t[1], t[2], q));
        if dp.signum() * dq.signum() >= 0 {
            return false;
        }
        let s = [0, 1, 2].map(|i| det(p, q, t[i], t[(i + 1) % 3]).signum());
        s[0] != 0 && s[0] == s[1] && s[1] == s[2]
    }

    proptest! {
        /// Where an edge passes strictly through the other's inside they cross; where they cross and no corner lies in
        /// the other's plane and no edge meets an edge, an edge passes through.
        #[test]
        fn agrees_with_edges_through_faces(
            a in prop::array::uniform3(prop::array::uniform3(0i64..7)),
            b in prop::array::uniform3(prop::array::uniform3(0i64..7)),
        ) {
            let real = |t: [[i64; 3]; 3]| t.map(|p| DVec3::from(p.map(|x| x as f64)));
            let (ra, rb) = (real(a), real(b));
            prop_assume!(!is_flat(&ra) && !is_flat(&rb));
            let edge = (0..3).any(|i| {
                pierces(a[i], a[(i + 1) % 3], b) || pierces(b[i], b[(i + 1) % 3], a)
            });
            let cross = both(&ra, &rb);
            if edge {
                prop_assert!(cross);
            }
            let general = ra.iter().all(|&p| above(&rb, p) != 0) && rb.iter().all(|&p| above(&ra, p) != 0);
            if general {
                // Then edges meet in no more than the measure-zero case of edge against edge.
                let on_edges = (0..3).any(|i| (0..3).any(|j| {
                    sign(ra[i], ra[(i + 1) % 3], rb[j], rb[(j + 1) % 3]) == 0
                }));
                prop_assert!(on_edges || cross == edge);
            }
        }
    }
}
