//! The exact winding number of a closed mesh around a point.
//!
//! A ray runs from the point along x, to the nearer side of the mesh. A triangle it leaves through counts +1, one
//! it enters through −1; for a closed, oriented surface the sum is the winding number, either way: 1 inside, 0
//! outside, 2 where two parts overlap. Every decision is the sign of a determinant, evaluated exactly (Shewchuk's predicates, the
//! `robust` crate), and a zero is decided by moving the point by (ε, ε², ε³) with ε > 0 infinitely small
//! (simulation of simplicity, Edelsbrunner and Mücke 1990). All triangles see the *same* moved point, which lies
//! on nothing, so a ray through shared sides and corners is counted exactly once, and a point on the surface is
//! decided like the point infinitely close to it in +x (then +y, then +z).
//!
//! Exact as long as no product of three coordinate differences under- or overflows: sizes of 1e-90 to 1e90 m.

use crate::nearest::is_finite;
use crate::tree::{MeshIndex, Node, Visitor};
use impinge_geometry::DVec3;
use robust::{Coord, Coord3D, orient2d, orient3d};

struct Crossings<'a> {
    index: &'a MeshIndex,
    p: DVec3,
    /// `p` relative to the centre of the boxes.
    local: DVec3,
    way: Way,
    winding: i32,
}

impl Visitor for Crossings<'_> {
    #[inline]
    fn bounds(&self, node: &Node) -> [f64; 2] {
        let p = self.local;
        // Inclusive, by comparisons only: a ray in the plane of a flat box is not lost. Taking off the centre
        // and rounding outward keep the order, so a box the ray meets is never refused.
        let within = |axis: usize, half: usize, x: f64| {
            f64::from(node.lo[axis][half]) <= x && x <= f64::from(node.hi[axis][half])
        };
        let hit = |half: usize| {
            let reached = match self.way {
                Way::Up => p.x <= f64::from(node.hi[0][half]),
                Way::Down => p.x >= f64::from(node.lo[0][half]),
            };
            if reached && within(1, half, p.y) && within(2, half, p.z) { 0.0 } else { f64::INFINITY }
        };
        [hit(0), hit(1)]
    }
    #[inline]
    fn limit(&self) -> f64 {
        0.0
    }
    #[inline]
    fn triangle(&mut self, slot: usize) {
        self.winding += crossing(self.p, &self.index.corners[slot], self.way);
    }
}

/// Where the ray goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Way {
    /// Along +x.
    Up,
    /// Along −x.
    Down,
}

/// What one triangle adds to the winding number around `p`: +1, 0 or −1.
pub(crate) fn crossing(p: DVec3, [a, b, c]: &[DVec3; 3], way: Way) -> i32 {
    // Beside the ray: by far the most common answer, and exact.
    if (a.y < p.y && b.y < p.y && c.y < p.y)
        || (a.y > p.y && b.y > p.y && c.y > p.y)
        || (a.z < p.z && b.z < p.z && c.z < p.z)
        || (a.z > p.z && b.z > p.z && c.z > p.z)
        || (way == Way::Up && a.x < p.x && b.x < p.x && c.x < p.x)
        || (way == Way::Down && a.x > p.x && b.x > p.x && c.x > p.x)
    {
        return 0;
    }
    let s = side(a, b, p);
    if s == 0 || side(b, c, p) != s || side(c, a, p) != s {
        return 0;
    }
    // `s` is the sign of the normal's x. The plane is crossed above p when p lies below it, seen along x; on
    // the plane, the move by +ε in x puts p above.
    let v = |q: &DVec3| Coord3D { x: q.x, y: q.y, z: q.z };
    let below = orient3d(v(a), v(b), v(c), v(&p));
    let crossed_above = if s > 0 { below > 0.0 } else { below < 0.0 };
    match (way, crossed_above) {
        (Way::Up, true) => s,
        (Way::Down, false) => -s,
        _ => 0,
    }
}

/// On which side of the line a→b the moved p lies in the (y, z) projection: +1 left, −1 right; 0 only when a
/// and b project to one point.
fn side(a: &DVec3, b: &DVec3, p: DVec3) -> i32 {
    let v = |q: &DVec3| Coord { x: q.y, y: q.z };
    let d = orient2d(v(a), v(b), v(&p));
    let sign = |x: f64| i32::from(x > 0.0) - i32::from(x < 0.0);
    if d != 0.0 {
        return sign(d);
    }
    // d(orient2d)/dp_y = a_z − b_z, d/dp_z = b_y − a_y; comparisons give the exact signs of the differences.
    let compare = |x: f64, y: f64| i32::from(x > y) - i32::from(x < y);
    let by_y = compare(a.z, b.z);
    if by_y != 0 { by_y } else { compare(b.y, a.y) }
}

impl MeshIndex {
    /// The winding number around `p` (m, body frame): how often the closed surface wraps it.
    ///
    /// Points on the surface are decided like the point infinitely close in +x (then +y, +z), so the
    /// answer is always a whole number and the same for the same input. For a mesh with holes it counts the crossings of one ray,
    /// which says little. A point that is not finite gives 0.
    #[doc(alias("point in mesh"))]
    #[must_use]
    pub fn winding(&self, p: impl Into<DVec3>) -> i32 {
        let p = p.into();
        if !is_finite(p) {
            return 0;
        }
        let local = p - self.centre;
        let way = if local.x >= 0.0 { Way::Up } else { Way::Down };
        let mut crossings = Crossings { index: self, p, local, way, winding: 0 };
        self.walk(&mut crossings);
        crossings.winding
    }

    /// `true` when the winding number is positive. On the surface: by the same rule as
    /// [`MeshIndex::winding`], so a point on the face towards −x is inside, on the face towards +x outside.
    #[must_use]
    pub fn inside(&self, p: impl Into<DVec3>) -> bool {
        let p = p.into();
        self.winding(p) > 0
    }

    /// Distance to the surface (m), negative inside.
    #[doc(alias("SDF", "signed distance field"))]
    #[must_use]
    pub fn signed_distance(&self, p: impl Into<DVec3>) -> f64 {
        let p = p.into();
        let d = self.nearest(p).distance;
        if self.inside(p) { -d } else { d }
    }
}
