//! How deep a point is inside the mesh, and the way out.
//!
//! The direction is n = (q − p)/|q − p| = −∇depth with q the closest surface point: a face's normal only where
//! the closest feature is a face. Where p is on the surface to rounding, the quotient is noise; there the
//! angle-weighted pseudo-normal of the closest feature takes over (Bærentzen and Aanæs 2005), from
//! the triangles that touch q.

use crate::nearest::{Nearest, box_distances_squared, local_closest, triangle_box_distance_squared};
use crate::tree::{MeshIndex, Node, Visitor};
use impinge_geometry::{ClosestPoint, DVec3, TriangleFeature, triangle_normal, try_normalized};

/// Below this fraction of the mesh's size a depth is rounding, and two distances tie.
const TINY: f64 = 1e-12;

/// A point inside a closed mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Penetration {
    /// Distance to the surface (m), not negative.
    pub depth: f64,
    /// The closest surface point (m, body frame).
    pub closest: DVec3,
    /// Unit vector towards the free side (body frame).
    pub normal: DVec3,
    /// The triangle the closest point lies on.
    pub triangle: u32,
    /// Barycentric weights of its corners.
    pub weights: [f64; 3],
    /// Where on the triangle it lies.
    pub feature: TriangleFeature,
    /// `false` on the medial axis: another surface point is as near, so the way out is a matter of choice
    /// (the lowest triangle index).
    pub unique: bool,
}

/// Looks at everything about as near as the closest point.
struct Around<'a> {
    index: &'a MeshIndex,
    p: DVec3,
    /// `p` relative to the centre of the boxes.
    local: [f64; 3],
    /// The closest point relative to p.
    to_closest: DVec3,
    limit: f64,
    /// Squared distance beyond which another closest point is a different one.
    apart: f64,
    /// Distance within which triangles touch the closest point, squared.
    touching: f64,
    unique: bool,
    pseudo_normal: DVec3,
    any_normal: Option<(u32, DVec3)>,
    /// Cosine of the angle between the way to the closest point and the normal there that is nearest to it.
    straight: f64,
}

/// A point behind the front of an open mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Behind {
    /// How deep, and the way to the front.
    pub at: Penetration,
    /// The way out is the normal of a triangle there, to an angle of 1e-4: the point lies behind that triangle, not beside it.
    pub straight: bool,
}

/// Cosine of the angle up to which a point beside a border is behind it.
const STRAIGHT: f64 = 1.0 - 5e-9;

impl Visitor for Around<'_> {
    fn bounds(&self, node: &Node) -> [f64; 2] {
        box_distances_squared(node, self.local)
    }
    fn limit(&self) -> f64 {
        self.limit
    }
    fn triangle(&mut self, slot: usize) {
        let corners = &self.index.corners[slot];
        if triangle_box_distance_squared(corners, self.p) > self.limit {
            return;
        }
        let local = local_closest(self.p, corners);
        if local.distance_squared > self.limit {
            return;
        }
        let gap = (local.point - self.to_closest).mag_sq();
        if gap > self.apart {
            self.unique = false;
        }
        if gap <= self.touching
            && let Some(n) = triangle_normal(*corners)
        {
            self.pseudo_normal += n * angle_at(&local, corners);
            let way = try_normalized(self.to_closest).unwrap_or(n);
            self.straight = self.straight.max(n.dot(way));
            let id = self.index.ids[slot];
            if self.any_normal.is_none_or(|(t, _)| id < t) {
                self.any_normal = Some((id, n));
            }
        }
    }
}

/// The angle a triangle spans around its closest point (rad): 2π inside, π on a side, its own at a corner.
fn angle_at(local: &ClosestPoint, corners: &[DVec3; 3]) -> f64 {
    use std::f64::consts::PI;
    match local.feature {
        TriangleFeature::Face => 2.0 * PI,
        TriangleFeature::Edge(_) => PI,
        TriangleFeature::Vertex(i) => {
            let i = usize::from(i);
            let (u, v) = (corners[(i + 1) % 3] - corners[i], corners[(i + 2) % 3] - corners[i]);
            match (try_normalized(u), try_normalized(v)) {
                // atan2 keeps small angles exact where acos does not.
                (Some(u), Some(v)) => libm::atan2(u.cross(v).mag(), u.dot(v)),
                _ => 0.0,
            }
        }
    }
}

impl MeshIndex {
    /// Depth, closest point and way out for a point inside the closed mesh (m, body frame); `None` outside.
    ///
    /// Inside means [`MeshIndex::inside`]. For depths below 1e-12 of the mesh's size the normal is the surface's
    /// own (face, side or corner); it is never NaN: where the mesh has no normal at all it is +x.
    #[doc(alias("penetration depth"))]
    #[must_use]
    pub fn penetration(&self, p: impl Into<DVec3>) -> Option<Penetration> {
        let p = p.into();
        if !self.inside(p) {
            return None;
        }
        Some(self.way_out(p)?.0)
    }

    /// The same for an open mesh: depth, closest point and way to the front for a point behind the surface; `None` in front of it and on it.
    ///
    /// Which side a point is on the pseudo-normal of the closest feature tells: every point beside the border is on one of them, see
    /// [`Behind::straight`].
    #[must_use]
    pub fn behind(&self, p: impl Into<DVec3>) -> Option<Behind> {
        let (at, around) = self.way_out(p.into())?;
        let behind = at.depth > 0.0 && around.pseudo_normal.dot(around.to_closest) > 0.0;
        behind.then_some(Behind { at, straight: around.straight >= STRAIGHT })
    }

    fn way_out(&self, p: DVec3) -> Option<(Penetration, Around<'_>)> {
        let (slot, local) = self.nearest_local(p, f64::INFINITY, |_| true)?;
        let Nearest { point, distance, triangle, weights, feature } =
            Nearest::assemble(self.ids[slot], &self.corners[slot], &local);

        let tie = TINY * self.size;
        // On a plane a neighbour's closest point is r away for a distance of d + r²/2d: ties within `tie` are
        // up to √(2 d tie + tie²) apart and still one point. Four times that is another one.
        let spread = 2.0 * distance * tie + tie * tie;
        let mut around = Around {
            index: self,
            p,
            local: (p - self.centre).into(),
            to_closest: local.point,
            limit: (distance + tie) * (distance + tie),
            apart: 16.0 * spread,
            touching: 16.0 * tie * tie,
            unique: true,
            pseudo_normal: DVec3::zero(),
            any_normal: None,
            straight: -1.0,
        };
        self.walk(&mut around);

        let quotient = try_normalized(local.point);
        let surface = || try_normalized(around.pseudo_normal).or(around.any_normal.map(|(_, n)| n));
        let normal = if distance > tie { quotient } else { surface().or(quotient) };
        let found = Penetration {
            depth: distance,
            closest: point,
            normal: normal.unwrap_or(DVec3::unit_x()),
            triangle,
            weights,
            feature,
            unique: around.unique,
        };
        Some((found, around))
    }
}
