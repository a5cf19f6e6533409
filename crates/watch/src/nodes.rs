//! Nodes of cloth, cables and loose points that went through a body.
//!
//! What has no inside has no centre in itself, and any of its nodes may go its own way. So where a pair is pressed in far, or a step takes nodes far, each
//! node that enters the body is followed until it leaves. It went through where it leaves by a face that looks away from the one it came in by, and far from
//! that: what cuts a corner gave way.

use crate::bodies::Bodies;
use crate::sizes::Sizes;
use impinge_broadphase::Aabb;
use impinge_geometry::{DVec3, Pose};
use impinge_world::{Dofs, Elastic, Forces, Laws, MeshShape, NodeState, Shape, Shapes, Simulation};
use std::collections::{BTreeMap, BTreeSet};

/// Part of what a body is across from which on the way of a step is long, a node is deep, and a way through it is none around a corner.
const PART: f64 = 0.25;
/// Steps of its motion that a node may be behind an open surface or a plane more than its contacts know.
const STEPS: f64 = 2.0;
/// Depths of the deepest contact that it may.
const HELD: f64 = 2.0;

/// A face that a node went in by, in the frame of its body: a point of it (m) and its unit normal, on the side the node came from; and how deep behind
/// its plane the node is (m).
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Entry {
    point: [f64; 3],
    normal: [f64; 3],
    depth: f64,
    time: f64,
}

/// Of a pair of a thin body and one with a mesh.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Pair {
    /// Of the nodes that are inside now, counted from the first of the body.
    entries: BTreeMap<u32, Entry>,
    /// Nodes that went through, and when the first did (s).
    passed: BTreeSet<u32>,
    time: f64,
}

/// Nodes of one body that are on the wrong side of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lost {
    pub pair: [u32; 2],
    /// Of the first (s).
    pub time: f64,
    /// How many, of how many.
    pub nodes: [usize; 2],
    /// No contact is past the surface.
    pub unheld: bool,
}

/// Follows nodes of thin bodies into bodies with a mesh.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Nodes {
    pairs: BTreeMap<[u32; 2], Pair>,
    /// Pairs that are pressed in far now.
    pressed: Vec<[u32; 2]>,
    /// Thin bodies of which nodes were behind planes when they came: pinned there, or put there.
    began: BTreeSet<[u32; 2]>,
}

impl Nodes {
    /// Contacts of a pair are deep in this step.
    pub fn press(&mut self, pair: [u32; 2]) {
        self.pressed.push(pair);
    }

    /// Bodies that are there for the first time.
    pub fn know(&mut self, sim: &Simulation, who: &Bodies) {
        let came = who.changed();
        if came.is_empty() {
            return;
        }
        let began = thin_and_planes(sim).into_iter().filter(|[a, p]| {
            let is_new = [a, p].iter().any(|s| came.binary_search(s).is_ok());
            is_new && behind(sim, [*a, *p], 0.0) > 0
        });
        self.began.extend(began.map(|slots| who.of(slots)));
    }

    /// To be told of every step; `put` are the bodies that were put elsewhere in it, ascending.
    pub fn see(&mut self, sim: &Simulation, who: &Bodies, sizes: &Sizes, put: &[u32]) {
        self.know(sim, who);
        let (shapes, dofs) = (sim.column::<Shapes>(), sim.column::<Dofs>());
        let thin = |b: &u32| is_thin(&shapes.0[*b as usize]);
        for a in (0..shapes.0.len() as u32).filter(thin) {
            let Some(middle) = who.middle(a) else { continue };
            let way = middle.fastest * sim.dt();
            let reach = middle.around.inflated(2.0 * way);
            for (b, shape) in (0u32..).zip(&shapes.0) {
                let Shape::Mesh(mesh) = shape else { continue };
                let pair = who.of([a, b]);
                let goes = way + dofs.bodies.velocity[b as usize].mag() * sim.dt();
                let near = || mesh.bounds.transformed(&dofs.bodies.pose[b as usize]).overlaps(&reach);
                let far = 2.0 * goes > PART * sizes.across(pair[1]) && near();
                let pressed = self.pressed.iter().any(|p| *p == pair || *p == [pair[1], pair[0]]);
                if (far || pressed || self.is_in(&pair)) && meet(sim, [a, b]) {
                    let is_put = put.binary_search(&pair[1]).is_ok();
                    self.follow(sim, [a, b], pair, PART * sizes.across(pair[1]), mesh, is_put);
                }
            }
        }
        self.pressed.clear();
    }

    /// A node of the pair is deep.
    fn is_in(&self, pair: &[u32; 2]) -> bool {
        self.pairs.get(pair).is_some_and(|p| !p.entries.is_empty())
    }

    /// The ways of the nodes in the step just made. What lies less deep than `least` when it ends is known again by the nearest face.
    fn follow(
        &mut self,
        sim: &Simulation,
        [a, b]: [u32; 2],
        pair: [u32; 2],
        least: f64,
        mesh: &MeshShape,
        put: bool,
    ) {
        let (dofs, state) = (sim.column::<Dofs>(), sim.column::<NodeState>());
        let poses = [dofs.bodies.pose[b as usize], sim.pose(b)];
        let known = self.pairs.entry(pair).or_default();
        if put {
            known.entries.clear();
            return;
        }
        let mut deepest = 0.0f64;
        for (i, n) in (0u32..).zip(sim.nodes_of(a)) {
            let [from, to] = way(&poses, [dofs.nodes.x[n], state.x[n]]);
            let box_of_way = Aabb::from_points(&[from, to]);
            if !known.entries.contains_key(&i) && !box_of_way.overlaps(&mesh.bounds) {
                continue;
            }
            let now = sim.time();
            let began = known.entries.remove(&i).or_else(|| nearest(mesh, from, now));
            let Some(entry) = began.or_else(|| entered(mesh, from, to, now)) else { continue };
            let depth = (DVec3::from(entry.point) - to).dot(entry.normal.into());
            if depth > 0.0 && (mesh.open || mesh.index.inside(to)) {
                deepest = deepest.max(depth);
                known.entries.insert(i, Entry { depth, ..entry });
            } else if depth > 0.0 && leaves_behind(mesh, &entry, from, to, least) {
                known.time = if known.passed.is_empty() { entry.time } else { known.time };
                known.passed.insert(i);
            }
        }
        if deepest <= least {
            known.entries.clear();
        }
        if known.entries.is_empty() && known.passed.is_empty() {
            self.pairs.remove(&pair);
        }
    }

    /// Pairs of which nodes went through, or are behind where no contact holds them: as deep as `held` says (m) in the pairs that press.
    pub fn lost(&self, sim: &Simulation, who: &Bodies, sizes: &Sizes) -> Vec<Lost> {
        let mut out: Vec<Lost> = Vec::new();
        for (pair, known) in &self.pairs {
            let slots = who.slots(*pair).filter(|slots| who.knows(sim, *slots));
            let count = slots.map_or(0, |[a, _]| sim.nodes_of(a).len());
            let mut wrong = known.passed.clone();
            if let Some([a, b]) = slots {
                let open = matches!(&sim.column::<Shapes>().0[b as usize], Shape::Mesh(m) if m.open);
                let most = if open { 0.0 } else { PART * sizes.across(pair[1]) };
                let most = most.max(slack(sim, who, a) + HELD * held(sim, [a, b]));
                let deep = known.entries.iter().filter(|(_, e)| e.depth > most);
                wrong.extend(deep.map(|(i, _)| *i));
            }
            let first = known.entries.iter().filter(|(i, _)| wrong.contains(i)).map(|(_, e)| e.time);
            let passed = (!known.passed.is_empty()).then_some(known.time);
            if let Some(time) = first.chain(passed).min_by(f64::total_cmp) {
                out.push(Lost {
                    pair: *pair,
                    time,
                    nodes: [wrong.len(), count.max(wrong.len())],
                    unheld: false,
                });
            }
        }
        out.extend(self.behind_planes(sim, who));
        out
    }

    /// Thin bodies with nodes behind planes that no contact holds, now.
    fn behind_planes(&self, sim: &Simulation, who: &Bodies) -> Vec<Lost> {
        let mut out = Vec::new();
        for [a, p] in thin_and_planes(sim) {
            if !who.knows(sim, [a, p]) || self.began.contains(&who.of([a, p])) || !meet(sim, [a, p]) {
                continue;
            }
            let count = behind(sim, [a, p], slack(sim, who, a) + HELD * held(sim, [a, p]));
            if count > 0 {
                let (pair, nodes) = (who.of([a, p]), [count, sim.nodes_of(a).len()]);
                out.push(Lost { pair, time: sim.time(), nodes, unheld: true });
            }
        }
        out
    }
}

/// Whether it has nodes and no inside.
pub(crate) fn is_thin(shape: &Shape) -> bool {
    match shape {
        Shape::Soft(s) => !s.closed,
        Shape::Points { .. } => true,
        Shape::Mesh(_) | Shape::Plane { .. } => false,
    }
}

/// Contacts are to keep the two apart.
fn meet(sim: &Simulation, [a, b]: [u32; 2]) -> bool {
    let (a, b) = (a.min(b), a.max(b));
    sim.column::<Laws>().of(a, b).is_some() && attached(sim).binary_search(&(a, b)).is_err()
}

/// Bodies that are tied to each other, by slots, ascending.
pub(crate) fn attached(sim: &Simulation) -> Vec<(u32, u32)> {
    sim.column::<Elastic>().attached(&sim.column::<Dofs>().nodes.body)
}

/// Start and end of a step in the frame of a body that moves, too.
fn way(poses: &[Pose; 2], x: [DVec3; 2]) -> [DVec3; 2] {
    [poses[0].point_to_body(x[0]), poses[1].point_to_body(x[1])]
}

fn at_face(mesh: &MeshShape, triangle: u32) -> [DVec3; 2] {
    let [a, b, c] = mesh.mesh.triangles()[triangle as usize].map(|v| mesh.mesh.positions()[v as usize]);
    [a, (b - a).cross(c - a)]
}

/// The nearest face of what is inside.
fn nearest(mesh: &MeshShape, at: DVec3, time: f64) -> Option<Entry> {
    let found = (!mesh.open).then(|| mesh.index.penetration(at)).flatten()?;
    Some(Entry { point: found.closest.into(), normal: found.normal.into(), depth: found.depth, time })
}

/// The first face on a way.
fn entered(mesh: &MeshShape, from: DVec3, to: DVec3, time: f64) -> Option<Entry> {
    let way = to - from;
    let length = way.mag();
    let hit = (length > 0.0).then(|| mesh.index.ray(from, way / length, length)).flatten()?;
    let [_, across] = at_face(mesh, hit.triangle);
    let size = across.mag();
    let normal = if across.dot(way) > 0.0 { across / -size } else { across / size };
    (size > 0.0).then(|| Entry {
        point: (from + way * (hit.t / length)).into(),
        normal: normal.into(),
        depth: 0.0,
        time,
    })
}

/// A way out of a closed mesh by a face that looks away from the entry and is far from it.
fn leaves_behind(mesh: &MeshShape, entry: &Entry, from: DVec3, to: DVec3, least: f64) -> bool {
    let back = from - to;
    let length = back.mag();
    let hit = (length > 0.0).then(|| mesh.index.ray(to, back / length, length)).flatten();
    hit.is_some_and(|hit| {
        let out = to + back * (hit.t / length);
        let [_, across] = at_face(mesh, hit.triangle);
        let normal = if across.dot(back) > 0.0 { -across } else { across };
        normal.dot(entry.normal.into()) < 0.0 && (out - DVec3::from(entry.point)).mag() >= least
    })
}

/// How far a node of a body may be past a surface between two looks of its contacts (m).
fn slack(sim: &Simulation, who: &Bodies, body: u32) -> f64 {
    let g = sim.column::<Forces>().0.gravity.mag();
    who.middle(body).map_or(0.0, |m| STEPS * (m.fastest + g * sim.dt()) * sim.dt())
}

/// Depth of the deepest contact of a pair that presses (m).
fn held(sim: &Simulation, [a, b]: [u32; 2]) -> f64 {
    let (ledger, pair) = (sim.ledger(), [a.min(b), a.max(b)]);
    let p = &ledger.pairs;
    (0..p.a.len()).filter(|&i| [p.a[i], p.b[i]] == pair).fold(0.0, |d, i| p.depth_max[i].max(d))
}

/// Thin bodies, each with each plane.
fn thin_and_planes(sim: &Simulation) -> Vec<[u32; 2]> {
    let shapes = sim.column::<Shapes>();
    let of = |is: &dyn Fn(&Shape) -> bool| -> Vec<u32> {
        (0u32..).zip(&shapes.0).filter(|(_, s)| is(s)).map(|(slot, _)| slot).collect()
    };
    let (thin, planes) = (of(&is_thin), of(&|s| matches!(s, Shape::Plane { .. })));
    planes.iter().flat_map(|p| thin.iter().map(|a| [*a, *p])).collect()
}

/// How many nodes of a body are farther behind a plane than `least` (m).
fn behind(sim: &Simulation, [a, p]: [u32; 2], least: f64) -> usize {
    /// Of the distance from the origin: nearer is rounding.
    const ROUNDING: f64 = 1e-9;
    let (shapes, state) = (sim.column::<Shapes>(), sim.column::<NodeState>());
    let Shape::Plane { normal, offset } = &shapes.0[p as usize] else { return 0 };
    let pose = sim.pose(p);
    let is_behind = |x: &&DVec3| {
        let at = pose.point_to_body(**x);
        offset - at.dot(*normal) > least + ROUNDING * (at.mag() + offset.abs())
    };
    state.x[sim.nodes_of(a)].iter().filter(is_behind).count()
}
