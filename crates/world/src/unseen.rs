//! Bodies that are inside each other: before the first step where the response would not know, and at any time.
//!
//! Responses that see features as they cross know nothing of what has crossed before: the bodies go on into each other without a force. Under
//! `cpf`, `dpf-ccd`, `cpf-implicit` and `qp` a pair is held where a vertex that starts inside has a way out (see `impinge_swept::inside_at_start`), not by edges that cross
//! with no vertex inside and are past each other by more than a hair ([`impinge_swept::shallow`]); under `qp` and `penalty` not where such vertices have ways on all sides ([`impinge_bodies::have_one_way`]). By proximity `penalty` holds
//! no pair: what is behind a face is pushed on.

use crate::adapters::vertices::Vertices;
use crate::components::{Dofs, Elastic, Laws};
use crate::part::Part;
use crate::response::InitialOverlap;
use crate::simulation::Simulation;
use impinge_bodies::unseen::Asked;
use impinge_bodies::{Shapes, Standing, TOUCHING, have_one_way};
use impinge_broadphase::{Aabb, BodyPairs};
use impinge_contact::{BodyKind, Evaluate, Ledger, Prediction, Sides, SurfaceMap};
use impinge_geometry::DVec3;

pub use impinge_bodies::unseen::Unseen;

/// Part of how deep bodies are in each other that contacts which hold them have at least, and part of what presses that pushes one way.
const HELD: f64 = 0.5;

impl Simulation {
    /// Pairs of bodies that are inside each other now, by slots, and that the response in place would not hold; to be asked before the first step.
    /// What touches to rounding is not inside.
    #[must_use]
    pub fn unseen(&self) -> Vec<Unseen> {
        self.parts().flat_map(|part| self.unseen_by(part)).collect()
    }

    /// The same at any time, of responses that look at where bodies are and remember no way: the others know what they hold.
    #[must_use]
    pub fn unheld_now(&self) -> Vec<Unseen> {
        let looks = |part: &Part<'_>| part.response().initial_overlap() == InitialOverlap::OneWayOfSprings;
        let mut found: Vec<Unseen> =
            self.parts().filter(looks).flat_map(|part| self.unseen_by(part)).collect();
        let (ledger, names) = (self.column::<Ledger>(), self.names());
        let pairs = ledger.pairs.view();
        // Springs that push one way and hold most of the depth hold the pair, whichever features found it.
        let held = |u: &Unseen| {
            (0..pairs.len()).map(|i| pairs.row(i)).any(|p| {
                [p.a, p.b].map(|s| &names[s as usize]) == [&u.a, &u.b]
                    && p.pressed > 0.0
                    && p.depth_max >= HELD * u.depth
                    && p.normal.mag() >= HELD * p.pressed
            })
        };
        found.retain(|u| !held(u));
        found
    }

    /// Pairs of bodies (slots, lower first) that may touch and are inside each other now, a vertex or the middle of where their boxes overlap by more than
    /// this part of the narrower one, and how deep (m). Of a rule with one side, vertices of that side alone. Only pairs that `asked_for` wants, lower
    /// slot first, are looked at.
    #[must_use]
    pub fn in_each_other(&self, part_of: f64, asked_for: impl Fn(u32, u32) -> bool) -> Vec<([u32; 2], f64)> {
        let (dofs, shapes, laws) = (self.column::<Dofs>(), self.column::<Shapes>(), self.column::<Laws>());
        let (map, x) = (self.column::<SurfaceMap>(), self.vertices_now());
        let asked = Asked::new(Standing::new(&map, &shapes, &x, &dofs.bodies.pose));
        let attached = self.column::<Elastic>().attached(&dofs.nodes.body);
        let boxes: Vec<Aabb> = (0..shapes.0.len() as u32).map(|b| *asked.standing.around(b)).collect();
        let fixed = |b: u32| matches!(dofs.bodies.kind[b as usize], BodyKind::Fixed | BodyKind::Kinematic);
        let meet = |a: u32, b: u32| {
            !(fixed(a) && fixed(b))
                && laws.of(a, b).is_some()
                && attached.binary_search(&(a, b)).is_err()
                && asked_for(a.min(b), a.max(b))
        };
        let mut pairs = Vec::new();
        if BodyPairs::new().find(&boxes, meet, &mut pairs).is_err() {
            return Vec::new();
        }
        let depth = |body: u32, target: u32| {
            let behind = asked.standing.ways_to_front(body, target).into_iter();
            behind.map(|(_, way)| -way.height).fold(asked.vertices(body, target), f64::max)
        };
        let narrowest = |b: u32| shapes.0[b as usize].narrowest();
        let of = |(a, b)| {
            let sides = laws.of(a, b).map(|(_, sides)| sides);
            let from =
                |body, target, left_out| if sides == Some(left_out) { 0.0 } else { depth(body, target) };
            let vertices = f64::max(from(a, b, Sides::Second), from(b, a, Sides::First));
            // Of boxes that cross by their edges no vertex is inside.
            let amid = if sides == Some(Sides::Both) { amid(&asked.standing, a, b) } else { 0.0 };
            ([a, b], vertices.max(amid))
        };
        let deep = |&([a, b], depth): &([u32; 2], f64)| depth > part_of * narrowest(a).min(narrowest(b));
        pairs.into_iter().map(of).filter(deep).collect()
    }

    /// Surface vertices of all bodies (m).
    fn vertices_now(&self) -> Vec<DVec3> {
        let (dofs, shapes) = (self.column::<Dofs>(), self.column::<Shapes>());
        let (map, prediction) = (self.column::<SurfaceMap>(), self.column::<Prediction>());
        let at = Vertices::at(Evaluate::Start, &map, &shapes, &dofs, &prediction);
        (0..map.vertices()).map(|v| at.position(v as u32)).collect()
    }

    fn unseen_by(&self, part: Part<'_>) -> Vec<Unseen> {
        let overlap = part.response().initial_overlap();
        if overlap == InitialOverlap::Pushes {
            return Vec::new();
        }
        let (dofs, shapes, laws) = (self.column::<Dofs>(), self.column::<Shapes>(), self.column::<Laws>());
        let (map, x) = (self.column::<SurfaceMap>(), self.vertices_now());
        let asked = Asked::new(Standing::new(&map, &shapes, &x, &dofs.bodies.pose));
        let attached = self.column::<Elastic>().attached(&dofs.nodes.body);
        let fixed = |b: u32| matches!(dofs.bodies.kind[b as usize], BodyKind::Fixed | BodyKind::Kinematic);
        let mut out = Vec::new();
        for b in 1..shapes.0.len() as u32 {
            for a in 0..b {
                let [first, second] = [a, b].map(|i| asked.standing.around(i));
                if fixed(a) && fixed(b) || !first.overlaps(second) {
                    continue;
                }
                let Some((_, sides)) = laws.of(a, b).filter(|_| part.owns(&laws, a, b)) else { continue };
                let least = TOUCHING * first.half_extent().mag().min(second.half_extent().mag());
                let both = [(a, b, Sides::Second), (b, a, Sides::First)];
                let deepest = |of: &dyn Fn(u32, u32) -> f64| {
                    both.iter().fold(0.0f64, |d, &(body, target, _)| d.max(of(body, target)))
                };
                let vertex = deepest(&|body, target| asked.vertices(body, target));
                // A vertex that touches holds nothing that is inside elsewhere.
                let edges_alone = vertex <= least;
                let held = |&(body, target, left_out): &(u32, u32, Sides)| {
                    sides != left_out && asked.has_way_out(body, target)
                };
                let comes = |&(body, target, left_out): &(u32, u32, Sides)| {
                    sides != left_out && !asked.standing.ways_to_front(body, target).is_empty()
                };
                let summed = matches!(overlap, InitialOverlap::OneWay | InitialOverlap::OneWayOfSprings);
                if overlap == InitialOverlap::Stays {
                    // Whichever side a vertex is on, there it stays.
                } else if summed {
                    // A row has no stiffness: pushed from all sides none of them gives way. Springs of all sides add up to nothing.
                    let asked_for = both.iter().filter(|(_, _, left_out)| sides != *left_out);
                    let loose = |&(body, target, _): &(u32, u32, Sides)| asked.has_loose(body, target);
                    if overlap == InitialOverlap::OneWayOfSprings && asked_for.clone().any(loose) {
                        continue;
                    }
                    let (way, count) =
                        asked_for.fold((DVec3::zero(), 0), |(sum, count), &(body, target, _)| {
                            let (n, of) = asked.pushed(body, target);
                            (if body == a { sum + n } else { sum - n }, count + of)
                        });
                    let one_way = !edges_alone && have_one_way(way, count);
                    if one_way || attached.binary_search(&(a, b)).is_ok() {
                        continue;
                    }
                } else if !edges_alone && both.iter().any(held) || both.iter().any(comes) {
                    continue;
                }
                let edges =
                    || deepest(&|body, target| asked.edges(body, target)).max(amid(&asked.standing, a, b));
                let depth = if edges_alone { edges() } else { vertex };
                let shape = |b: u32| &shapes.0[b as usize];
                let held = edges_alone && depth <= part.response().holds_crossed(shape(a), shape(b));
                if depth > least && !held {
                    let [a, b] = [a, b].map(|i| self.names()[i as usize].clone());
                    out.push(Unseen { a, b, depth, edges_alone, response: part.response().name() });
                }
            }
        }
        out
    }
}

/// How deep two solids are in each other where their boxes overlap, if the middle of that is in both (m): boxes of one size in line have no vertex and no
/// edge inside.
fn amid(standing: &Standing<'_>, a: u32, b: u32) -> f64 {
    let [a_box, b_box] = [a, b].map(|b| standing.around(b));
    let middle = 0.5 * (a_box.lo.max_by_component(b_box.lo) + a_box.hi.min_by_component(b_box.hi));
    2.0 * standing.depth(a, middle).min(standing.depth(b, middle))
}
