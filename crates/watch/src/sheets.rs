//! Bodies that went through cloth, or through a solid that deforms: which side of its surface the centre of a body is on, or a node of what has no centre.
//!
//! A sheet has no inside, and past it there is no contact that could tell. So in each step the way of the point is held against the ways of the surface's
//! triangles, exactly: who crosses a sheet is on its other side until it crosses it again, and who goes around its rim has not crossed it. Who enters a solid
//! went through it when it leaves by a face that looks away from the one it came in by.

use crate::bodies::Bodies;
use crate::nodes::{attached, is_thin};
use impinge_broadphase::Aabb;
use impinge_ccd::vertex_face;
use impinge_contact::{NONE, SurfaceMap};
use impinge_geometry::{DVec3, TriMesh};
use impinge_world::{Dofs, Laws, NodeState, Shape, Shapes, Simulation};
use std::collections::BTreeMap;

/// What a body moves in a step, over its speeds before and after it times the step: more, and somebody put it there.
const FARTHEST: f64 = 2.0;
/// Nodes that stand for a body without a centre of its own.
const NODES: usize = 8;
/// Part of what a solid is across that a way through it has at least: what cuts a corner gave way.
const PART: f64 = 0.25;

/// Start and end of a step.
type Way = [DVec3; 2];

/// The centre of a body ([`NONE`]) or one of its nodes, counted from its first; bodies are by their numbers.
type Point = [u32; 2];

/// A point that is on the other side of a surface.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Crossed {
    point: Point,
    by: u32,
    pub time: f64,
}

impl Crossed {
    pub fn pair(&self) -> [u32; 2] {
        [self.point[0], self.by]
    }

    /// It is a centre: no contact has that on its other side.
    pub fn is_centre(&self) -> bool {
        self.point[1] == NONE
    }
}

/// Follows points of bodies and the vertices of surfaces.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Sheets {
    /// Where they were a step ago (m), and how fast (m/s).
    points: BTreeMap<Point, ([f64; 3], f64)>,
    vertices: BTreeMap<u32, Vec<[f64; 3]>>,
    /// The face that a point entered a solid by.
    inside: BTreeMap<(Point, u32), u32>,
    /// Who is on the other side of which surface now, and since when; of solids who went through.
    pub crossed: Vec<Crossed>,
}

impl Sheets {
    /// To be told of the start and of every step. The bodies that were put elsewhere since the last one: theirs is no way.
    pub fn see(&mut self, sim: &Simulation, who: &Bodies) -> Vec<u32> {
        self.know(sim, who);
        let (state, dofs) = (sim.column::<NodeState>(), sim.column::<Dofs>());
        let mut put = Vec::new();
        let mut ways: Vec<(Point, Way)> = Vec::new();
        self.points.retain(|&point, (at, speed)| {
            let Some([slot]) = who.slots([point[0]]) else { return false };
            let Some((now, fast)) = at_point(sim, who, &state, slot, point[1]) else { return false };
            let from = DVec3::from(std::mem::replace(at, now.into()));
            let before = std::mem::replace(speed, fast);
            if (now - from).mag() <= FARTHEST * (before + fast) * sim.dt() {
                ways.push((point, [from, now]));
            } else if point[1] == NONE && dofs.bodies.kind[slot as usize].is_dynamic() {
                put.push(point[0]);
            }
            true
        });
        if self.vertices.is_empty() {
            return put;
        }
        let shapes = sim.column::<Shapes>();
        let (laws, attached) = (sim.column::<Laws>(), attached(sim));
        let may_meet = |[a, b]: [u32; 2]| {
            laws.of(a.min(b), a.max(b)).is_some() && attached.binary_search(&(a.min(b), a.max(b))).is_err()
        };
        let (crossed, inside) = (&mut self.crossed, &mut self.inside);
        self.vertices.retain(|&body, before| {
            let there = who.slots([body]).and_then(|[slot]| Some((slot, triangles(&shapes, slot)?)));
            let Some((slot, triangles)) = there else { return false };
            let now = at_vertices(sim, &state, slot);
            let before = std::mem::replace(before, now.iter().map(|&x| x.into()).collect());
            // Of one that is new, or cut since, nothing is known.
            if before.len() != now.len() {
                inside.retain(|(_, by), _| *by != body);
                return true;
            }
            let vertices: Vec<Way> =
                before.iter().zip(&now).map(|(from, to)| [(*from).into(), *to]).collect();
            let around = Aabb::from_points(vertices.as_flattened());
            let shape = &shapes.0[slot as usize];
            let others = ways.iter().filter(|(point, _)| point[0] != body);
            for &(point, way) in others.filter(|(_, way)| around.overlaps(&Aabb::from_points(way))) {
                if !who.slots([point[0], body]).is_some_and(may_meet) {
                    continue;
                }
                let hits = crossings(triangles, &vertices, way);
                if !shape.is_solid() {
                    if !hits.len().is_multiple_of(2) {
                        turn(crossed, Crossed { point, by: body, time: sim.time() });
                    }
                    continue;
                }
                for face in hits {
                    let Some(entry) = inside.remove(&(point, body)) else {
                        inside.insert((point, body), face);
                        continue;
                    };
                    let through = through(triangles, &now, [entry, face], PART * shape.narrowest());
                    if through && crossed.iter().all(|c| [c.point, [c.by; 2]] != [point, [body; 2]]) {
                        crossed.push(Crossed { point, by: body, time: sim.time() });
                    }
                }
            }
            true
        });
        put
    }

    /// Bodies that are there for the first time.
    fn know(&mut self, sim: &Simulation, who: &Bodies) {
        let (shapes, state) = (sim.column::<Shapes>(), sim.column::<NodeState>());
        for &slot in who.changed() {
            let [body] = who.of([slot]);
            if triangles(&shapes, slot).is_some() {
                self.vertices.insert(body, Vec::new());
            }
            let thin = is_thin(&shapes.0[slot as usize]);
            let count = if thin { sim.nodes_of(slot).len() } else { 0 };
            let nodes = (0..count).step_by(count.div_ceil(NODES).max(1)).map(|n| n as u32);
            for point in nodes.chain((!thin).then_some(NONE)) {
                if let Some((at, speed)) = at_point(sim, who, &state, slot, point) {
                    self.points.insert([body, point], (at.into(), speed));
                }
            }
        }
    }
}

/// Who crossed is on the other side, or back.
fn turn(crossed: &mut Vec<Crossed>, now: Crossed) {
    match crossed.iter().position(|c| c.point == now.point && c.by == now.by) {
        Some(back) => drop(crossed.remove(back)),
        None => crossed.push(now),
    }
}

/// Where a point of a body is (m), and how fast (m/s).
fn at_point(
    sim: &Simulation,
    who: &Bodies,
    state: &NodeState,
    slot: u32,
    point: u32,
) -> Option<(DVec3, f64)> {
    if point == NONE {
        return Some((who.centre(sim, slot)?, who.speed(sim, slot).mag()));
    }
    let n = sim.nodes_of(slot).nth(point as usize)?;
    Some((state.x[n], state.v[n].mag()))
}

/// The triangles of what deforms.
fn triangles(shapes: &Shapes, slot: u32) -> Option<&[[u32; 3]]> {
    match &shapes.0[slot as usize] {
        Shape::Soft(s) => s.mesh.as_ref().map(TriMesh::triangles),
        _ => None,
    }
}

/// Its vertices (m).
fn at_vertices(sim: &Simulation, state: &NodeState, slot: u32) -> Vec<DVec3> {
    let map = sim.column::<SurfaceMap>();
    map.range(slot as usize).filter_map(|v| map.at_nodes(v as u32, &state.x)).collect()
}

/// From the first face to the second is a way through a solid with these vertices: they look away from each other and are far apart.
fn through(triangles: &[[u32; 3]], x: &[DVec3], faces: [u32; 2], least: f64) -> bool {
    // One that was cut away leads nowhere.
    let corners = |face: u32| triangles.get(face as usize).map(|t| t.map(|v| x[v as usize]));
    let [Some(p), Some(q)] = faces.map(corners) else { return false };
    let across = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a);
    let middle = |[a, b, c]: [DVec3; 3]| (a + b + c) / 3.0;
    across(p).dot(across(q)) < 0.0 && (middle(q) - middle(p)).mag() >= least
}

/// The triangles that a point crosses on its way, in their order.
fn crossings(triangles: &[[u32; 3]], vertices: &[Way], [from, to]: Way) -> Vec<u32> {
    let (least, most) = (from.min_by_component(to), from.max_by_component(to));
    let mut hits: Vec<([f64; 2], u32)> = Vec::new();
    for (face, triangle) in (0..).zip(triangles) {
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
            hits.push(([hit.t, hit.t_hi], face));
        }
    }
    // At an edge the triangles on both sides are crossed at once.
    hits.sort_by(|a, b| a.0[0].total_cmp(&b.0[0]));
    let mut until = f64::NEG_INFINITY;
    hits.retain(|&([t, t_hi], _)| {
        let counts = t > until;
        until = until.max(t_hi);
        counts
    });
    hits.into_iter().map(|hit| hit.1).collect()
}
