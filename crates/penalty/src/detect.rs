//! Discrete detection: which points are inside a mesh or below a plane, how deep, and which way is out.
//!
//! Seeds 000 §2 and 003 §1: the depth of a point inside a body is the distance to the closest point of its
//! surface, and the force acts along `n = (q − x)/|q − x| = −∇δ` (erratum T12: that is the face normal only
//! where the closest feature is a face). On the medial axis the closest point is not unique; the lowest
//! triangle index is taken, so the choice repeats.

use impinge_contact::par;
use impinge_geometry::{DVec3, Pose};
use impinge_query::MeshIndex;

/// A point inside a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penetrating {
    /// Distance to the surface (m).
    pub depth: f64,
    /// Closest point of the surface (m, world).
    pub closest: DVec3,
    /// Unit vector towards the free side (world).
    pub normal: DVec3,
    /// The closest triangle.
    pub triangle: u32,
    /// Barycentric weights of the closest point on it.
    pub weights: [f64; 3],
}

/// Points of one chunk: large enough to hide the pool's cost, small enough to share.
const CHUNK: usize = 64;

/// Tests `point(i)` (m, world) against a mesh standing at `pose`, for every `i < out.len()`. The mesh must be
/// closed (see [`impinge_geometry::Topology`]); a point on the surface may count either way, with depth 0.
pub fn detect_mesh(
    point: impl Fn(usize) -> DVec3 + Sync + Send,
    mesh: &MeshIndex,
    pose: &Pose,
    out: &mut [Option<Penetrating>],
) {
    let r = pose.matrix();
    let back = r.transposed();
    par::fill(out, CHUNK, |i, hit| {
        let local = back * (point(i) - pose.position);
        *hit = mesh.penetration(local).map(|p| Penetrating {
            depth: p.depth,
            closest: pose.position + r * p.closest,
            normal: r * p.normal,
            triangle: p.triangle,
            weights: p.weights,
        });
    });
}

/// Depth of a point below the plane `normal · x = offset` (m); zero or negative when it is free.
pub fn plane_depth(normal: DVec3, offset: f64, x: DVec3) -> f64 {
    offset - normal.dot(x)
}

/// Penalty impulses of points inside a mesh, without any table: `I = Δt k δ n` on each point and
/// `−w_j I` on the corners of its closest triangle (seed 003 (4); seed 000 (13)).
///
/// `k` in N/m, `dt` in s, `points` in world coordinates. `out[i]` is `None` for a free point.
pub fn point_mesh_impulses(
    points: &[DVec3],
    mesh: &MeshIndex,
    pose: &Pose,
    k: f64,
    dt: f64,
    out: &mut Vec<Option<PointImpulse>>,
) {
    let mut hits = vec![None; points.len()];
    detect_mesh(|i| points[i], mesh, pose, &mut hits);
    out.clear();
    out.extend(hits.into_iter().map(|h| {
        h.map(|hit| {
            let impulse = hit.normal * (dt * k * hit.depth);
            PointImpulse { hit, impulse, reaction: hit.weights.map(|w| impulse * -w) }
        })
    }));
}

/// The impulse on one point and its reaction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointImpulse {
    /// Where and how deep.
    pub hit: Penetrating,
    /// On the point (N·s).
    pub impulse: DVec3,
    /// On the three corners of the closest triangle (N·s).
    pub reaction: [DVec3; 3],
}
