//! Discrete detection: which points are inside a mesh or below a plane, how deep, and which way is out.
//!
//! Seeds 000 §2 and 003 §1: the depth of a point inside a body is the distance to the closest point of its
//! surface, and the force acts along `n = (q − x)/|q − x| = −∇δ` (erratum T12: that is the face normal only
//! where the closest feature is a face). On the medial axis the closest point is not unique; the lowest
//! triangle index is taken, so the choice repeats.

use impinge_contact::par;
use impinge_geometry::{DMat3, DVec3, Pose, triangle_normal, try_normalized};
use impinge_query::{MeshIndex, Nearest};

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

/// Where a mesh stands.
#[derive(Clone, Copy, Debug)]
pub struct Stand {
    pose: Pose,
    /// To world axes, and back.
    turn: [DMat3; 2],
}

impl Stand {
    /// At this pose.
    #[must_use]
    pub fn new(pose: &Pose) -> Self {
        let r = pose.matrix();
        Self { pose: *pose, turn: [r, r.transposed()] }
    }

    /// A point (m, world) in axes of the mesh.
    fn local(&self, x: DVec3) -> DVec3 {
        self.turn[1] * (x - self.pose.position)
    }
}

/// Tests one point (m, world) against a mesh; see [`detect_mesh`].
#[must_use]
pub fn in_mesh(x: DVec3, mesh: &MeshIndex, at: &Stand) -> Option<Penetrating> {
    let r = at.turn[0];
    mesh.penetration(at.local(x)).map(|p| Penetrating {
        depth: p.depth,
        closest: at.pose.position + r * p.closest,
        normal: r * p.normal,
        triangle: p.triangle,
        weights: p.weights,
    })
}

/// Tests one point (m, world) of a surface against a mesh; see [`detect_facing`].
#[must_use]
pub fn in_mesh_facing(
    x: DVec3,
    opposes: impl Fn(DVec3) -> bool,
    reach: impl FnOnce() -> f64,
    mesh: &MeshIndex,
    at: &Stand,
) -> Option<Penetrating> {
    let found = in_mesh(x, mesh, at)?;
    if opposes(found.normal) {
        return Some(found);
    }
    let (r, local) = (at.turn[0], at.local(x));
    // Seen from inside the mesh; across a slot there are triangles that are not.
    let faces = |corners: &[DVec3; 3]| {
        let seen = |n: &DVec3| n.dot(corners[0] - local) >= 0.0 && opposes(r * *n);
        triangle_normal(*corners).as_ref().is_some_and(seen)
    };
    let Some(near) = mesh.nearest_where(local, reach(), faces) else { return Some(found) };
    if near.distance == 0.0 {
        // On the surface, which may count as free.
        return None;
    }
    let closest = at.pose.position + r * near.point;
    // Past the rim of the part that faces the point, the way to it leads along the surface again.
    let Some(normal) = try_normalized(closest - x).filter(|n| opposes(*n)) else { return Some(found) };
    let Nearest { distance: depth, triangle, weights, .. } = near;
    Some(Penetrating { depth, closest, normal, triangle, weights })
}

/// Tests `point(i)` (m, world) against a mesh standing at `pose`, for every `i < out.len()`. The mesh must be
/// closed (see [`impinge_geometry::Topology`]); a point on the surface may count either way, with depth 0. A point that is NaN or
/// infinite is in nothing, and under such a pose every point is: `None`.
pub fn detect_mesh(
    point: impl Fn(usize) -> DVec3 + Sync + Send,
    mesh: &MeshIndex,
    pose: &Pose,
    out: &mut [Option<Penetrating>],
) {
    let at = Stand::new(pose);
    par::fill(out, CHUNK, |i, hit| *hit = in_mesh(point(i), mesh, &at));
}

/// What the surface that the points are part of says about the way out.
pub struct Facing<O, R> {
    /// Whether the surface around point `i` looks against this unit vector (world).
    pub opposes: O,
    /// How far away another way out may be for point `i` (m): about the distance to the points beside it.
    pub reach: R,
}

/// [`detect_mesh`] for points of a surface: where the closest point of the mesh would push a point along its own surface, and within
/// reach there is one that pushes against it, that one is taken. The depth is then the distance to the part of the mesh that
/// faces the point, as good a potential as the distance to all of it; where there is no such part the closest point stays.
///
/// Not in the seeds: the vertex of a flat floor just inside the lower rim of a box is nearer to the box's side than to its bottom, and pushed
/// along the floor it would stop the box.
pub fn detect_facing(
    point: impl Fn(usize) -> DVec3 + Sync + Send,
    facing: &Facing<impl Fn(usize, DVec3) -> bool + Sync + Send, impl Fn(usize) -> f64 + Sync + Send>,
    mesh: &MeshIndex,
    pose: &Pose,
    out: &mut [Option<Penetrating>],
) {
    let at = Stand::new(pose);
    par::fill(out, CHUNK, |i, hit| {
        *hit = in_mesh_facing(point(i), |n| (facing.opposes)(i, n), || (facing.reach)(i), mesh, &at);
    });
}

/// Depth of a point below the plane `normal · x = offset` (m); zero or negative when it is free. NaN gives NaN, which is not above 0.
#[must_use]
pub fn plane_depth(normal: DVec3, offset: f64, x: DVec3) -> f64 {
    offset - normal.dot(x)
}

/// Penalty impulses of points inside a mesh, without any table: `I = Δt k δ n` on each point and
/// `−w_j I` on the corners of its closest triangle (seed 003 (4); seed 000 (13)).
///
/// `k` in N/m, `dt` in s, `points` in world coordinates. `out[i]` is `None` for a free point, for one that is NaN or infinite, and
/// for every point under such a pose: look for those before. `k` and `dt` are taken as they are: NaN gives impulses of NaN, a negative one pulls.
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
