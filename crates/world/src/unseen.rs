//! Bodies that are inside each other before the first step where the response would not know.
//!
//! Responses that see features as they cross know nothing of what has crossed before: the bodies go on into each other without a force. Under
//! `cpf`, `dpf-ccd`, `cpf-implicit` and `qp` a pair is held where a vertex that starts inside has a way out (see `impinge_swept::inside_at_start`), not by edges that cross
//! with no vertex inside; under `qp` and `penalty` not where such vertices have ways on all sides ([`impinge_bodies::have_one_way`]). By proximity `penalty` holds
//! no pair: what is behind a face is pushed on.

use crate::adapters::vertices::Vertices;
use crate::components::{Dofs, Elastic, Laws};
use crate::part::Part;
use crate::response::InitialOverlap;
use crate::simulation::Simulation;
use impinge_bodies::{Shapes, Standing, TOUCHING, have_one_way};
use impinge_broadphase::Aabb;
use impinge_contact::{BodyKind, Evaluate, Prediction, Sides, SurfaceMap};
use impinge_geometry::{DVec3, triangle_area_vector, try_normalized};
use std::cell::OnceCell;
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
        write!(f, "initial overlap of {depth:.2e} m between '{a}' and '{b}'")?;
        if self.edges_alone {
            f.write_str(" (edges cross, no vertex is inside)")?;
        }
        write!(f, ": '{response}' cannot resolve it; separate them, or use --response volume")
    }
}

/// What is asked of the bodies.
struct Asked<'a> {
    standing: Standing<'a>,
    /// Longest edge of each body (m).
    longest: Vec<OnceCell<f64>>,
}

impl Asked<'_> {
    /// How deep the deepest vertex of `body` is inside `target` (m).
    fn vertices(&self, body: u32, target: u32) -> f64 {
        let near = self.standing.vertices_in(body, self.standing.around(target));
        let depth = |&v: &u32| self.standing.depth(target, self.standing.x[v as usize]);
        near.iter().map(depth).fold(0.0f64, f64::max)
    }

    /// Whether a vertex of `body` that is inside `target` has a way out.
    fn has_way_out(&self, body: u32, target: u32) -> bool {
        let surface = |b: u32| self.standing.shapes.0[b as usize].surface().is_some();
        let near = || self.standing.vertices_in(body, self.standing.around(target));
        surface(body)
            && surface(target)
            && self.standing.ways_out(&near(), target).iter().any(Option::is_some)
    }

    /// Whether `body` has points of no surface inside `target`: a spring pushes each of them its own way.
    fn has_loose(&self, body: u32, target: u32) -> bool {
        self.standing.shapes.0[body as usize].surface().is_none() && self.vertices(body, target) > 0.0
    }

    /// Normals of the faces that vertices of `body` inside `target` are pushed to, and their number.
    fn pushed(&self, body: u32, target: u32) -> (DVec3, usize) {
        let surface = |b: u32| self.standing.shapes.0[b as usize].surface();
        let (Some(_), Some((mesh, _))) = (surface(body), surface(target)) else { return (DVec3::zero(), 0) };
        let near = self.standing.vertices_in(body, self.standing.around(target));
        let first = self.standing.map.first(target as usize);
        let corners = |f: u32| mesh.triangles()[f as usize].map(|c| self.standing.x[(first + c) as usize]);
        let ways = self.standing.ways_out(&near, target);
        let normals =
            ways.iter().flatten().filter_map(|w| try_normalized(triangle_area_vector(corners(w.face))));
        normals.fold((DVec3::zero(), 0), |(sum, count), n| (sum + n, count + 1))
    }

    /// How deep the edges of `body` are inside `target` (m).
    fn edges(&self, body: u32, target: u32) -> f64 {
        let Some((_, topology)) = self.standing.shapes.0[body as usize].surface() else { return 0.0 };
        let first = self.standing.map.first(body as usize);
        let ends = |e: u32| topology.edges()[e as usize].map(|v| self.standing.x[(first + v) as usize]);
        let longest = *self.longest[body as usize].get_or_init(|| {
            let lengths = (0..topology.edges().len() as u32).map(ends).map(|[p, q]| (q - p).mag());
            lengths.fold(0.0, f64::max)
        });
        // An edge that meets a box has both ends within its length of it.
        let around = self.standing.around(target);
        let near = self.standing.vertices_in(body, &around.inflated(longest));
        let faces = near.iter().flat_map(|v| topology.vertex_faces(v - first));
        let mut edges: Vec<u32> = faces.flat_map(|&f| topology.face_edges()[f as usize]).collect();
        edges.sort_unstable();
        edges.dedup();
        // Sides of a face that names a vertex twice are none.
        let real = edges.into_iter().filter(|&e| (e as usize) < topology.edges().len()).map(ends);
        let meets = real.filter(|e| Aabb::from_points(e).overlaps(around));
        meets.fold(0.0, |d, e| d.max(self.standing.segment_depth(target, e)))
    }
}

impl Simulation {
    /// Pairs of bodies that are inside each other now, by slots, and that the response in place would not hold; to be asked before the first step.
    /// What touches to rounding is not inside.
    pub fn unseen(&self) -> Vec<Unseen> {
        self.parts().flat_map(|part| self.unseen_by(part)).collect()
    }

    fn unseen_by(&self, part: Part<'_>) -> Vec<Unseen> {
        let overlap = part.response().initial_overlap();
        if overlap == InitialOverlap::Pushes {
            return Vec::new();
        }
        let (dofs, shapes, laws) = (self.column::<Dofs>(), self.column::<Shapes>(), self.column::<Laws>());
        let (map, prediction) = (self.column::<SurfaceMap>(), self.column::<Prediction>());
        let at = Vertices::at(Evaluate::Start, &map, &shapes, &dofs, &prediction);
        let x: Vec<DVec3> = (0..map.vertices()).map(|v| at.position(v as u32)).collect();
        let asked = Asked {
            standing: Standing::new(&map, &shapes, &x, &dofs.bodies.pose),
            longest: shapes.0.iter().map(|_| OnceCell::new()).collect(),
        };
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
                let held = |&(body, target, left_out): &(u32, u32, Sides)| {
                    sides != left_out && asked.has_way_out(body, target)
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
                    if have_one_way(way, count) || attached.binary_search(&(a, b)).is_ok() {
                        continue;
                    }
                } else if both.iter().any(held) {
                    continue;
                }
                let deepest = |of: &dyn Fn(u32, u32) -> f64| {
                    both.iter().fold(0.0f64, |d, &(body, target, _)| d.max(of(body, target)))
                };
                let vertex = deepest(&|body, target| asked.vertices(body, target));
                let edges_alone = vertex <= least;
                let depth =
                    if edges_alone { deepest(&|body, target| asked.edges(body, target)) } else { vertex };
                if depth > least {
                    let [a, b] = [a, b].map(|i| self.names()[i as usize].clone());
                    out.push(Unseen { a, b, depth, edges_alone, response: part.response().name() });
                }
            }
        }
        out
    }
}
