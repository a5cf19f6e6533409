//! Discrete detection on open meshes: which vertices are behind the front, how deep, and which way it is.
//!
//! An open mesh has no inside, so being behind it says nothing alone: everything on that side is. A vertex is in contact where three things hold.
//! It lies behind a triangle, not beside the border. Its body stands through the surface there: the box around the body reaches to
//! the front of the plane of the closest point. And its own surface looks at the front ([`crate::opposes`]). So a vertex deeper than its body is
//! thick is lost, and a body that comes from behind is let in until it stands through, and then pushed to the front.

use crate::detect::{Facing, Penetrating};
use crate::shapes::{MeshShape, Shape};
use crate::vertices::Vertices;
use impinge_contact::par;
use impinge_geometry::{DVec3, Pose, Topology, TriangleFeature, triangle_normal, try_normalized};
use impinge_query::Penetration;

/// As in [`crate::detect_mesh`].
const CHUNK: usize = 64;

/// The box around a body, in the frame of its pose.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    pose: Pose,
    centre: DVec3,
    half: DVec3,
}

impl Extent {
    /// Of a body where its vertices are.
    #[must_use]
    pub fn of(at: &Vertices<'_>, body: u32) -> Self {
        let (around, pose) = match &at.shapes.0[body as usize] {
            Shape::Mesh(m) => (m.bounds, at.poses[body as usize]),
            _ => (at.around(body), Pose::identity()),
        };
        Self { pose, centre: around.centre(), half: around.half_extent() }
    }

    /// How far the body reaches from `p` along the unit vector `n` (m).
    fn beyond(&self, p: DVec3, n: DVec3) -> f64 {
        let local = self.pose.vector_to_body(n);
        n.dot(self.pose.point_to_world(self.centre) - p) + local.abs().dot(self.half)
    }
}

/// Tests `point(i)` (m, world), a vertex of a body of this extent, against an open mesh at `pose`, for every `i < out.len()`. A point that is NaN or
/// infinite is behind nothing.
pub fn detect_front(
    point: impl Fn(usize) -> DVec3 + Sync + Send,
    own: &Extent,
    facing: &Facing<impl Fn(usize, DVec3) -> bool + Sync + Send, impl Fn(usize) -> f64 + Sync + Send>,
    shape: &MeshShape,
    pose: &Pose,
    out: &mut [Option<Penetrating>],
) {
    let r = pose.matrix();
    let back = r.transposed();
    par::fill(out, CHUNK, |i, hit| {
        *hit = None;
        let x = point(i);
        let local = back * (x - pose.position);
        let Some(behind) = shape.index.behind(local) else { return };
        if !behind.straight && on_border(shape, &behind.at) {
            return;
        }
        let found = |depth, closest: DVec3, normal: DVec3, triangle, weights| {
            let (closest, normal) = (pose.position + r * closest, r * normal);
            let through = own.beyond(closest, normal) > 0.0 && (facing.opposes)(i, normal);
            through.then_some(Penetrating { depth, closest, normal, triangle, weights })
        };
        let b = behind.at;
        *hit = found(b.depth, b.closest, b.normal, b.triangle, b.weights);
        if hit.is_some() {
            return;
        }
        // The closest point may be on a part that the vertex' own surface does not look at.
        let faces = |corners: &[DVec3; 3]| {
            let seen = |n: &DVec3| n.dot(corners[0] - local) > 0.0 && (facing.opposes)(i, r * *n);
            triangle_normal(*corners).as_ref().is_some_and(seen)
        };
        let Some(near) = shape.index.nearest_where(local, (facing.reach)(i), faces) else { return };
        let Some(normal) = try_normalized(near.point - local) else { return };
        *hit = found(near.distance, near.point, normal, near.triangle, near.weights);
    });
}

/// Whether a closest point is on a side with one triangle, or at an end of one.
fn on_border(shape: &MeshShape, at: &Penetration) -> bool {
    let topology = &shape.topology;
    let alone = |e: u32| e != Topology::NONE && topology.edge_faces()[e as usize][1] == Topology::NONE;
    match at.feature {
        TriangleFeature::Face => false,
        TriangleFeature::Edge(i) => alone(topology.face_edges()[at.triangle as usize][i as usize]),
        TriangleFeature::Vertex(i) => {
            let v = shape.mesh.triangles()[at.triangle as usize][i as usize];
            let sides = topology.vertex_faces(v).iter().flat_map(|f| topology.face_edges()[*f as usize]);
            let mut sides = sides.filter(|e| *e != Topology::NONE);
            sides.any(|e| alone(e) && topology.edges()[e as usize].contains(&v))
        }
    }
}
