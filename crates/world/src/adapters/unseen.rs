//! Bodies that are inside each other before the first step where the response would not know.
//!
//! Responses that see features as they cross know nothing of what has crossed before: the bodies go on into each other without a force. Under
//! `cpf`, `dpf-ccd` and `cpf-implicit` vertices that start inside are held (see `swept/inside.rs`), edges that cross with no vertex inside are not;
//! `qp` keeps apart what starts apart, and nothing else.

use super::swept::TOUCHING;
use super::vertices::Vertices;
use crate::components::{Dofs, Laws};
use crate::shapes::{Shape, Shapes};
use crate::simulation::Simulation;
use crate::support::Family;
use impinge_broadphase::Aabb;
use impinge_contact::{BodyKind, Prediction, Sides, SurfaceMap};
use impinge_geometry::{DVec3, Pose};
use impinge_penalty::Evaluate;
use impinge_query::MeshIndex;
use std::fmt;

/// Two bodies that start inside each other and would not be held.
#[derive(Clone, Debug, PartialEq)]
pub struct Unseen {
    /// The body of lower slot.
    pub a: String,
    /// The other.
    pub b: String,
    /// How deep a vertex is inside; where none is, the middle of the part of an edge that is (m).
    pub depth: f64,
    /// No vertex of either is inside the other.
    pub edges_alone: bool,
    /// The response family.
    pub response: &'static str,
}

impl fmt::Display for Unseen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { a, b, depth, response, .. } = self;
        write!(f, "'{a}' and '{b}' are inside each other at the start, {depth:.2e} m deep")?;
        if self.edges_alone {
            f.write_str(", by edges that cross with no vertex inside")?;
        }
        write!(
            f,
            "; response '{response}' sees what crosses from outside and will let this go on: move them apart, or take 'volume', which looks at \
             all that is inside"
        )
    }
}

/// A body's surface where it stands.
struct Standing<'a> {
    x: &'a [DVec3],
    around: Aabb,
    shape: &'a Shape,
    pose: Pose,
}

impl Standing<'_> {
    /// Calls `f` with what answers for the inside, in the world, and the pose it stands at; `None` for what has no inside.
    fn inside<R>(&self, f: impl FnOnce(&MeshIndex, &Pose) -> R) -> Option<R> {
        match self.shape {
            Shape::Mesh(m) => Some(f(&m.index, &self.pose)),
            Shape::Soft(s) if s.closed => {
                let mut at = self.x.iter();
                let mesh = s.mesh.as_ref()?.mapped(|p| at.next().copied().unwrap_or(p)).ok()?;
                Some(f(&MeshIndex::new(&mesh), &Pose::identity()))
            }
            Shape::Soft(_) | Shape::Plane { .. } | Shape::Points { .. } => None,
        }
    }
}

/// How deep the deepest vertex of `body` is inside `target` (m), and, where none is deeper than `least`, its edges; 0 for outside.
fn depths(body: &Standing<'_>, target: &Standing<'_>, edges: bool, least: f64) -> [f64; 2] {
    let Some((_, topology)) = body.shape.surface() else { return [0.0; 2] };
    let of_point = |index: &MeshIndex, p: DVec3| index.penetration(p).map_or(0.0, |p| p.depth);
    let found = target.inside(|index, pose| {
        let local = |p: DVec3| pose.point_to_body(p);
        let within = |(_, p): &(usize, &DVec3)| target.around.contains(**p);
        let used = |(i, _): &(usize, &DVec3)| !topology.vertex_faces(*i as u32).is_empty();
        let vertices = body.x.iter().enumerate().filter(within).filter(used);
        let vertex = vertices.fold(0.0f64, |d, (_, p)| d.max(of_point(index, local(*p))));
        let mut edge = 0.0f64;
        if edges && vertex <= least {
            for ends in topology.edges() {
                let [p, q] = ends.map(|v| body.x[v as usize]);
                if Aabb::from_points(&[p, q]).overlaps(&target.around) {
                    edge = edge.max(middle_depth(index, local(p), local(q)));
                }
            }
        }
        [vertex, edge]
    });
    found.unwrap_or_default()
}

/// How deep the middles of the parts are that the surface divides a segment into (m): the deepest.
fn middle_depth(index: &MeshIndex, p: DVec3, q: DVec3) -> f64 {
    // Beyond a crossing by this part of the segment the next one is looked for; no part that small is deep.
    const BEYOND: f64 = 1e-6;
    // One that runs along the surface meets it everywhere.
    const MOST: usize = 16;
    let (way, mut from, mut deepest) = (q - p, 0.0, 0.0f64);
    for _ in 0..MOST {
        let start = from + BEYOND;
        let hit = index.ray(p + way * start, way, (1.0 - start).max(0.0));
        let to = hit.map_or(1.0, |h| start + h.t);
        deepest = deepest.max(index.penetration(p + way * (0.5 * (from + to))).map_or(0.0, |p| p.depth));
        if hit.is_none() || to >= 1.0 {
            break;
        }
        from = to;
    }
    deepest
}

impl Simulation {
    /// Pairs of bodies that are inside each other now, by slots, and that the response in place would not hold; to be asked before the first step.
    /// What touches to rounding is not inside.
    pub fn unseen(&self) -> Vec<Unseen> {
        let family = self.response().family();
        let tracks = matches!(family, Family::Cpf | Family::DpfCcd | Family::CpfImplicit);
        if !tracks && family != Family::Qp {
            return Vec::new();
        }
        let (dofs, shapes, laws) = (self.column::<Dofs>(), self.column::<Shapes>(), self.column::<Laws>());
        let (map, prediction) = (self.column::<SurfaceMap>(), self.column::<Prediction>());
        let at = Vertices::at(Evaluate::Start, &map, &shapes, &dofs, &prediction);
        let x: Vec<DVec3> = (0..map.vertices()).map(|v| at.position(v as u32)).collect();
        let bodies: Vec<Standing<'_>> = (0..shapes.0.len())
            .map(|b| {
                let x = &x[map.range(b)];
                Standing { x, around: Aabb::from_points(x), shape: &shapes.0[b], pose: dofs.bodies.pose[b] }
            })
            .collect();
        let held = |b: usize| matches!(dofs.bodies.kind[b], BodyKind::Fixed | BodyKind::Kinematic);
        let mut out = Vec::new();
        for b in 1..bodies.len() {
            for a in 0..b {
                if held(a) && held(b) || !bodies[a].around.overlaps(&bodies[b].around) {
                    continue;
                }
                let Some((_, sides)) = laws.of(a as u32, b as u32) else { continue };
                let [size, other] = [a, b].map(|i| bodies[i].around.half_extent().mag());
                let least = TOUCHING * size.min(other);
                let (mut vertex, mut edge) = (0.0f64, 0.0f64);
                for (body, target, left_out) in [(a, b, Sides::Second), (b, a, Sides::First)] {
                    if sides != left_out {
                        let [v, e] = depths(&bodies[body], &bodies[target], sides == Sides::Both, least);
                        (vertex, edge) = (vertex.max(v), edge.max(e));
                    }
                }
                let edges_alone = vertex <= least;
                let depth = if edges_alone { edge } else { vertex };
                if depth > least && (edges_alone || !tracks) {
                    let [a, b] = [a, b].map(|i| self.names()[i].clone());
                    out.push(Unseen { a, b, depth, edges_alone, response: family.name() });
                }
            }
        }
        out
    }
}
