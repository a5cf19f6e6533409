//! Bodies that went through each other: the centre of one came out of the other at its back.
//!
//! A vertex deeper than the middle of a closed body is pushed on, out at its back, and behind an open mesh nothing is pushed at all. The depth of a
//! contact says nothing of either, so where a pair is once pressed in too far its way is followed, and where one is so fast that no step would see it
//! pressed in. What comes out again where it went in gave way, and what stays inside is deep. Sheets and planes are followed from the start.

use crate::bodies::{Bodies, radius};
use crate::nodes::{Lost, Nodes, is_thin};
use crate::sheets::{Crossed, Sheets};
use crate::sizes::Sizes;
use impinge_broadphase::{Aabb, BodyPairs};
use impinge_contact::BodyKind;
use impinge_geometry::DVec3;
use impinge_world::{Dofs, Laws, Shape, Shapes, Simulation};
use std::collections::{BTreeMap, BTreeSet};

/// Part of the thinner body from which on the way of a step is long: its middle may be passed between two looks.
const FAST: f64 = 0.25;
/// Part of what presses two bodies that pushes one way, at least: pushes that cancel hold nothing.
const ONE_WAY: f64 = 0.5;
/// A step that turns the other farther (rad) bends the way in its frame.
const BENT: f64 = 0.25;

/// A face that a centre went in by, in the frame of its body: a point of it (m) and its normal, on the side the centre came from.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Entry {
    point: [f64; 3],
    normal: [f64; 3],
    time: f64,
}

impl Entry {
    fn is_behind(&self, at: [f64; 3]) -> bool {
        (DVec3::from(at) - DVec3::from(self.point)).dot(self.normal.into()) < 0.0
    }
}

/// A centre in the frame of another body.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Followed {
    /// m.
    at: [f64; 3],
    /// Where it is behind a face.
    entry: Option<Entry>,
}

/// Follows pairs of bodies.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Through {
    /// The centre of the first in the frame of the second, by their numbers.
    followed: BTreeMap<[u32; 2], Followed>,
    /// Whose centre went through whom, and when; the first of each pair.
    passed: Vec<([u32; 2], f64)>,
    sheets: Sheets,
    nodes: Nodes,
    /// Whose centre is behind which plane now, and since when.
    behind: BTreeMap<[u32; 2], f64>,
    /// How far the farthest vertex of each body is from its middle (m), by its number.
    radius: Vec<f64>,
}

impl Through {
    /// Of a world that has not made a step.
    pub fn new(sim: &Simulation, who: &Bodies, sizes: &Sizes) -> Self {
        let mut through = Self::default();
        let put = through.sheets.see(sim, who);
        through.nodes.know(sim, who);
        through.look(sim, who, sizes, &put);
        through
    }

    /// Follows a pair from now on, in both directions, but for a centre that is in the other already.
    pub fn follow(&mut self, sim: &Simulation, who: &Bodies, [a, b]: [u32; 2]) {
        self.nodes.press([a, b]);
        for pair in [[a, b], [b, a]] {
            if !self.followed.contains_key(&pair)
                && self.passed.iter().all(|p| p.0 != pair)
                && let Some(slots) = who.slots(pair)
                && let Some(at) = centre(sim, who, slots)
                && !is_inside(sim, slots[1], at)
            {
                self.followed.insert(pair, Followed { at, entry: None });
            }
        }
    }

    /// To be told of every step.
    pub fn see(&mut self, sim: &Simulation, who: &Bodies, sizes: &Sizes) {
        let put = self.sheets.see(sim, who);
        self.nodes.see(sim, who, sizes, &put);
        self.look(sim, who, sizes, &put);
    }

    fn look(&mut self, sim: &Simulation, who: &Bodies, sizes: &Sizes, put: &[u32]) {
        let shapes = sim.column::<Shapes>();
        self.radius.extend(who.changed().iter().map(|&slot| radius(&shapes.0[slot as usize])));
        drop(shapes);
        self.look_behind_planes(sim, who);
        self.go_on(sim, who, put);
        self.follow_fast(sim, who, sizes.solids());
    }

    /// Whose centre is behind a plane: of rigid bodies and of solids that deform.
    fn look_behind_planes(&mut self, sim: &Simulation, who: &Bodies) {
        let (shapes, laws, dofs) = (sim.column::<Shapes>(), sim.column::<Laws>(), sim.column::<Dofs>());
        let before = std::mem::take(&mut self.behind);
        // Of who is no more there it stands as it was.
        self.behind
            .extend(before.iter().filter(|(pair, _)| who.slots(**pair).is_none()).map(|(k, t)| (*k, *t)));
        for (p, shape) in (0u32..).zip(&shapes.0) {
            let Shape::Plane { normal, offset } = shape else { continue };
            let pose = sim.pose(p);
            let moves = (0u32..).zip(&dofs.bodies.kind).filter(|(_, kind)| kind.is_dynamic());
            for b in moves.map(|(b, _)| b).filter(|b| !is_thin(&shapes.0[*b as usize])) {
                let at = who.middle(b).map_or_else(|| sim.pose(b).position, |m| m.at);
                let height = pose.point_to_body(at).dot(*normal) - offset;
                if height < 0.0 && laws.of(b.min(p), b.max(p)).is_some() {
                    let pair = who.of([b, p]);
                    let since = before.get(&pair).copied().unwrap_or(sim.time());
                    self.behind.insert(pair, since);
                }
            }
        }
    }

    /// Follows those that the next step may take past the middle of another before anything presses.
    fn follow_fast(&mut self, sim: &Simulation, who: &Bodies, across: &[f64]) {
        let (shapes, laws) = (sim.column::<Shapes>(), sim.column::<Laws>());
        let mesh = |slot: u32| matches!(&shapes.0[slot as usize], Shape::Mesh(_));
        let goes = |b: u32| mesh(b) || shapes.0[b as usize].is_solid();
        let ways: Vec<Option<DVec3>> =
            (0..shapes.0.len() as u32).map(|b| goes(b).then(|| who.speed(sim, b) * sim.dt())).collect();
        let longest = ways.iter().flatten().map(|way| way.mag()).fold(0.0, f64::max);
        // Thin enough for the fastest two: a pair without any such is not fast.
        let thin = |slot: usize| {
            let [number] = who.of([slot as u32]);
            FAST * across[number as usize] < 2.0 * longest
        };
        let thin: Vec<bool> = (0..ways.len()).map(|slot| ways[slot].is_some() && thin(slot)).collect();
        if !thin.contains(&true) {
            return;
        }
        let around = |(slot, way): (usize, &Option<DVec3>)| {
            let Some(way) = way else { return Aabb::empty() };
            let [number] = who.of([slot as u32]);
            if let Some(middle) = who.middle(slot as u32) {
                return middle.around.inflated(2.0 * way.mag());
            }
            let (at, reach) =
                (sim.pose(slot as u32).position, self.radius[number as usize] + 2.0 * way.mag());
            Aabb::new(at - DVec3::broadcast(reach), at + DVec3::broadcast(reach))
        };
        let boxes: Vec<Aabb> = ways.iter().enumerate().map(around).collect();
        let fast = |a: u32, b: u32| {
            let (Some(way), Some(other)) = (ways[a as usize], ways[b as usize]) else { return false };
            if !thin[a as usize] && !thin[b as usize] {
                return false;
            }
            let least = who.of([a, b]).map(|body| across[body as usize]);
            (way - other).mag() > FAST * least[0].min(least[1])
                && (mesh(a) || mesh(b))
                && laws.of(a, b).is_some()
                && ![a, b].into_iter().any(|slot| bends(sim, slot))
        };
        let mut pairs = Vec::new();
        // Of a world that is not finite any more other watches tell.
        if BodyPairs::new().find(&boxes, fast, &mut pairs).is_ok() {
            pairs.into_iter().for_each(|(a, b)| self.follow(sim, who, who.of([a, b])));
        }
    }

    /// Where those that are followed are now.
    fn go_on(&mut self, sim: &Simulation, who: &Bodies, put: &[u32]) {
        if self.followed.is_empty() {
            return;
        }
        let shapes = sim.column::<Shapes>();
        let passed = &mut self.passed;
        self.followed.retain(|&pair, f| {
            let Some(slots) = who.slots(pair) else { return false };
            let (Shape::Mesh(other), Some(to)) = (&shapes.0[slots[1] as usize], centre(sim, who, slots))
            else {
                return false;
            };
            let from = std::mem::replace(&mut f.at, to);
            if pair.iter().any(|body| put.binary_search(body).is_ok()) {
                f.entry = None;
                return true;
            }
            if slots.iter().any(|&slot| bends(sim, slot)) {
                return true;
            }
            if f.entry.is_none() {
                let way = DVec3::from(to) - DVec3::from(from);
                let length = way.mag();
                let hit = (length > 0.0).then(|| other.index.ray(from, way / length, length)).flatten();
                f.entry = hit.map(|hit| {
                    let [a, b, c] = other.mesh.triangles()[hit.triangle as usize]
                        .map(|v| other.mesh.positions()[v as usize]);
                    let across = (b - a).cross(c - a);
                    let normal = if across.dot(way) > 0.0 { -across } else { across };
                    Entry { point: a.into(), normal: normal.into(), time: sim.time() }
                });
            }
            let Some(entry) = f.entry else { return true };
            // An open mesh has no inside: it is in front again or behind.
            if entry.is_behind(to) && (other.open || other.index.inside(to)) {
                return true;
            }
            f.entry = None;
            let through = entry.is_behind(to);
            if through {
                passed.push((pair, entry.time));
            }
            !through
        });
    }

    /// Pairs that went through, and those that are behind an open mesh or a sheet now, by the time of it; also who is in a mesh or behind a plane by its
    /// centre where contacts push it nowhere. What they push one way is deep, on springs as soft as somebody chose them. Of thin bodies nodes count.
    fn all(&self, sim: &Simulation, who: &Bodies, sizes: &Sizes) -> Vec<Gone> {
        let ledger = sim.ledger();
        let pushed: BTreeSet<[u32; 2]> = (0..ledger.pairs.a.len())
            .filter(|&i| ledger.pairs.pressed[i] > 0.0)
            .filter(|&i| ledger.pairs.normal[i].mag() >= ONE_WAY * ledger.pairs.pressed[i])
            .map(|i| [ledger.pairs.a[i], ledger.pairs.b[i]])
            .collect();
        let free = |pair: [u32; 2]| {
            let slots = who.slots(pair).filter(|slots| who.knows(sim, *slots));
            slots.is_none_or(|[a, b]| !pushed.contains(&[a, b]) && !pushed.contains(&[b, a]))
        };
        let there = self.followed.iter().filter(|(pair, _)| who.slots(**pair).is_some());
        let inside = there.filter(|(pair, _)| is_open(sim, who, pair[1]) || free(**pair));
        let inside = inside.filter_map(|(pair, f)| Some(Gone::centre(*pair, f.entry?.time, false)));
        let planes = self.behind.iter().filter(|(pair, _)| free(**pair));
        let planes = planes.map(|(pair, time)| Gone::centre(*pair, *time, true));
        let passed = self.passed.iter().map(|(pair, time)| Gone::centre(*pair, *time, false));
        // The cells of cloth may be wider than what it hangs on, with the middle of that between two vertices that hold it.
        let dofs = sim.column::<Dofs>();
        let kinds = &dofs.bodies.kind;
        let is_rigid =
            |body: u32| who.slots([body]).is_none_or(|[slot]| kinds[slot as usize] == BodyKind::Rigid);
        let through = |c: &&Crossed| c.is_centre() && is_rigid(c.pair()[0]) || free(c.pair());
        let sheets = self.sheets.crossed.iter().filter(through);
        let sheets = sheets.map(|c| Gone {
            nodes: (!c.is_centre()).then_some(None),
            ..Gone::centre(c.pair(), c.time, true)
        });
        let nodes = self
            .nodes
            .lost(sim, who, sizes)
            .into_iter()
            .map(|Lost { pair, time, nodes, unheld }| Gone { pair, time, unheld, nodes: Some(Some(nodes)) });
        let mut all: Vec<Gone> = passed.chain(sheets).chain(inside).chain(planes).chain(nodes).collect();
        all.sort_by(|a, b| a.time.total_cmp(&b.time));
        // Each pair once, by what it did first.
        let mut seen = BTreeSet::new();
        all.retain(|gone| seen.insert([gone.pair[0].min(gone.pair[1]), gone.pair[0].max(gone.pair[1])]));
        all
    }

    /// Whether any pair did.
    pub fn any(&self, sim: &Simulation, who: &Bodies, sizes: &Sizes) -> bool {
        !self.all(sim, who, sizes).is_empty()
    }

    /// What there is to say.
    pub fn warning(&self, sim: &Simulation, who: &Bodies, sizes: &Sizes) -> Option<String> {
        let all = self.all(sim, who, sizes);
        let &Gone { pair, time, unheld, nodes } = all.first()?;
        let [a, b] = who.names(pair);
        let others = all.len() - 1;
        let more = if others == 0 { String::new() } else { format!(" (and {others} pairs like it)") };
        let response = who.slots(pair).map(|[a, b]| sim.response_of(a, b));
        // Of forces that follow from the motion there is no stiffness to raise.
        let is_soft = response.is_none_or(|r| !r.has_multipliers());
        let stiffness = if response.is_some_and(|r| r.needs_fields()) { "modulus" } else { "stiffness" };
        let why = match (unheld, is_soft) {
            (true, _) => "nothing pushes it back".to_string(),
            (false, true) => format!("the {stiffness} is too low for the load, or a step takes it too far"),
            (false, false) => "a step takes it too far".to_string(),
        };
        let mut fixes = Vec::new();
        if is_soft {
            // The program's own follows the lightest node.
            let own = if nodes.is_some() { " (state one where the program chooses it)" } else { "" };
            fixes.push(format!("raise the {stiffness}{own}"));
        }
        fixes.push("use a smaller dt".to_string());
        if unheld || !is_soft {
            let others = ["cpf", "qp"].into_iter().filter(|name| response.is_none_or(|r| r.name() != *name));
            let others: Vec<String> = others.map(|name| format!("'{name}'")).collect();
            fixes.push(format!("use a response that follows ways ({})", others.join(", ")));
        }
        if !unheld && !is_open(sim, who, pair[1]) {
            fixes.push("make the other thicker".to_string());
        }
        let last = fixes.pop().unwrap_or_default();
        let remedy = if fixes.is_empty() { last } else { format!("{}, or {last}", fixes.join(", ")) };
        let what = match nodes {
            None => format!("the centre of '{a}'"),
            Some(None) => format!("a node of '{a}'"),
            Some(Some([wrong, count])) => format!("{wrong} of {count} nodes of '{a}'"),
        };
        Some(format!("{what} went through the surface of '{b}'{more} at t = {time:.3} s: {why}; {remedy}"))
    }
}

/// The first of a pair went through the second.
#[derive(Clone, Copy, Debug)]
struct Gone {
    pair: [u32; 2],
    time: f64,
    /// Past the surface there is no contact that could push it back.
    unheld: bool,
    /// Nodes of it did, not its centre; how many of how many, where they are counted.
    nodes: Option<Option<[usize; 2]>>,
}

impl Gone {
    fn centre(pair: [u32; 2], time: f64, unheld: bool) -> Self {
        Self { pair, time, unheld, nodes: None }
    }
}

/// A step turns a body so far that a way is bent in its frame.
fn bends(sim: &Simulation, slot: u32) -> bool {
    sim.twist(slot).angular_velocity.mag() * sim.dt() > BENT
}

/// A point in the frame of a body is inside its mesh.
fn is_inside(sim: &Simulation, body: u32, at: [f64; 3]) -> bool {
    matches!(&sim.column::<Shapes>().0[body as usize], Shape::Mesh(m) if !m.open && m.index.inside(at))
}

/// A body is there and is an open mesh.
fn is_open(sim: &Simulation, who: &Bodies, body: u32) -> bool {
    let open = |slot: u32| matches!(&sim.column::<Shapes>().0[slot as usize], Shape::Mesh(m) if m.open);
    who.slots([body]).is_some_and(|[slot]| who.knows(sim, [slot]) && open(slot))
}

/// The centre of a solid that moves in the frame of another body with a mesh (m). `None` for other bodies, and for one whose centre is not in itself: what
/// goes through a ring goes through no surface of it.
fn centre(sim: &Simulation, who: &Bodies, [body, other]: [u32; 2]) -> Option<[f64; 3]> {
    let mesh = matches!(&sim.column::<Shapes>().0[other as usize], Shape::Mesh(_));
    let moves = sim.column::<Dofs>().bodies.kind[body as usize].is_dynamic();
    let at = (mesh && moves).then(|| who.centre(sim, body)).flatten()?;
    Some(sim.pose(other).point_to_body(at).into())
}
