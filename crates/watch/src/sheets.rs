//! Bodies that went through cloth: which side of a sheet the centre of a rigid body is on.
//!
//! A sheet has no inside, and past it there is no contact that could tell. So in each step the way of the centre is held against the ways of the sheet's
//! triangles, exactly: who crosses it is on its other side until it crosses it again, and who goes around its rim has not crossed it.

use crate::bodies::Bodies;
use impinge_broadphase::Aabb;
use impinge_ccd::vertex_face;
use impinge_contact::BodyKind;
use impinge_geometry::{DVec3, TriMesh};
use impinge_world::{Dofs, Elastic, Laws, NodeState, Shape, Shapes, Simulation};
use std::collections::BTreeMap;

/// What a body moves in a step, over its speeds before and after it times the step: more, and somebody put it there.
const FARTHEST: f64 = 2.0;

/// Start and end of a step.
type Way = [DVec3; 2];

/// Follows the centres of rigid bodies and the vertices of sheets, all by their numbers.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Sheets {
    /// Where they were a step ago (m), and how fast (m/s).
    centres: BTreeMap<u32, ([f64; 3], f64)>,
    vertices: BTreeMap<u32, Vec<[f64; 3]>>,
    /// Whose centre is on the other side of which sheet now, and since when.
    pub crossed: Vec<([u32; 2], f64)>,
}

impl Sheets {
    /// To be told of the start and of every step. The bodies that were put elsewhere since the last one: theirs is no way.
    pub fn see(&mut self, sim: &Simulation, who: &Bodies) -> Vec<u32> {
        for &slot in who.changed() {
            let [body] = who.of([slot]);
            if triangles(&sim.column::<Shapes>(), slot).is_some() {
                self.vertices.insert(body, Vec::new());
            } else if has_its_centre(sim, slot) {
                self.centres.insert(body, (sim.position(slot).into(), sim.twist(slot).velocity.mag()));
            }
        }
        let mut put = Vec::new();
        let mut ways: Vec<(u32, Way)> = Vec::new();
        self.centres.retain(|&body, (at, speed)| {
            let Some([slot]) = who.slots([body]) else { return false };
            let (now, fast) = (sim.position(slot), sim.twist(slot).velocity.mag());
            let from = DVec3::from(std::mem::replace(at, now.into()));
            let before = std::mem::replace(speed, fast);
            if (now - from).mag() > FARTHEST * (before + fast) * sim.dt() {
                put.push(body);
            } else {
                ways.push((body, [from, now]));
            }
            true
        });
        if self.vertices.is_empty() {
            return put;
        }
        let (shapes, state) = (sim.column::<Shapes>(), sim.column::<NodeState>());
        let crossed = &mut self.crossed;
        self.vertices.retain(|&body, before| {
            let there = who.slots([body]).and_then(|[slot]| Some((slot, triangles(&shapes, slot)?)));
            let Some((slot, triangles)) = there else { return false };
            let now = &state.x[sim.nodes_of(slot)];
            let before = std::mem::replace(before, now.iter().map(|&x| x.into()).collect());
            // Of one that is new, or cut since, nothing is known.
            if before.len() != now.len() {
                return true;
            }
            let vertices: Vec<Way> = before.iter().zip(now).map(|(from, to)| [(*from).into(), *to]).collect();
            let around = Aabb::from_points(vertices.as_flattened());
            for &(other, way) in ways.iter().filter(|(_, way)| around.overlaps(&Aabb::from_points(way))) {
                let pair = [other, body];
                if crossings(triangles, &vertices, way).is_multiple_of(2) || !meet(sim, who, pair) {
                    continue;
                }
                match crossed.iter().position(|c| c.0 == pair) {
                    Some(back) => drop(crossed.remove(back)),
                    None => crossed.push((pair, sim.time())),
                }
            }
            true
        });
        put
    }
}

/// The triangles of a sheet, whose vertices are the nodes of its body.
fn triangles(shapes: &Shapes, slot: u32) -> Option<&[[u32; 3]]> {
    match &shapes.0[slot as usize] {
        Shape::Soft(s) if !s.closed => s.mesh.as_ref().map(TriMesh::triangles),
        _ => None,
    }
}

/// A rigid body with its centre of mass inside it: what goes through a ring goes through no surface of it.
fn has_its_centre(sim: &Simulation, slot: u32) -> bool {
    let shapes = sim.column::<Shapes>();
    let Shape::Mesh(own) = &shapes.0[slot as usize] else { return false };
    let rigid = sim.column::<Dofs>().bodies.kind[slot as usize] == BodyKind::Rigid;
    rigid && !own.open && own.index.inside([0.0; 3])
}

/// Contacts are to keep the two apart.
fn meet(sim: &Simulation, who: &Bodies, pair: [u32; 2]) -> bool {
    let Some([a, b]) = who.slots(pair) else { return false };
    let attached = sim.column::<Elastic>().attached(&sim.column::<Dofs>().nodes.body);
    sim.column::<Laws>().of(a, b).is_some() && attached.binary_search(&(a.min(b), a.max(b))).is_err()
}

/// How often a point crosses the triangles on its way.
fn crossings(triangles: &[[u32; 3]], vertices: &[Way], [from, to]: Way) -> usize {
    let (least, most) = (from.min_by_component(to), from.max_by_component(to));
    let mut hits: Vec<[f64; 2]> = Vec::new();
    for triangle in triangles {
        let [a, b, c] = triangle.map(|v| vertices[v as usize]);
        let all = [a, b, c].into_iter().flatten();
        let (low, high) =
            all.fold((a[0], a[0]), |(low, high), p| (low.min_by_component(p), high.max_by_component(p)));
        let apart = |lo: DVec3, hi: DVec3| lo.x > hi.x || lo.y > hi.y || lo.z > hi.z;
        if apart(least, high) || apart(low, most) {
            continue;
        }
        let at = |k: usize, point: DVec3| [point, a[k], b[k], c[k]];
        // What is met as a step begins was met as the last one ended.
        if let Ok(Some(hit)) = vertex_face(&at(0, from), &at(1, to))
            && hit.t_hi > 0.0
        {
            hits.push([hit.t, hit.t_hi]);
        }
    }
    // At an edge the triangles on both sides are crossed at once.
    hits.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut count = 0;
    let mut until = f64::NEG_INFINITY;
    for [t, t_hi] in hits {
        count += usize::from(t > until);
        until = until.max(t_hi);
    }
    count
}
