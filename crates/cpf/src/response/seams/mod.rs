//! Seams: what stands a little inside one body and comes into the next through a wall that no body from outside could reach.
//!
//! A contact holds with depth. A box that slides over two flush tiles comes into the second by as much below its rim as it stands in the first,
//! through the side wall; a contact of that wall pushed it back, and a box at 1.5 m/s came back at 0.2 m/s. So a contact that begins is looked at once
//! more where one of the two bodies already stands on another: with the two moved apart along that push by as much as they are deep in
//! what they stand on, do they still meet? If not, the features have passed over each other as far as contacts can tell. Then the contact with
//! the wall does not begin; the face that continues the surface takes the vertex over, and the first body lets go of it. An open surface has no wall: what
//! comes over its border is looked for by itself (`borders.rs`).
//!
//! What is higher than the surface that the box stands on by less than twice that depth is taken for flush too: the depth is what contacts leave
//! unsaid, and it differs from corner to corner. So soft contacts pass over low steps.
//! Where bodies are deeper in each other than their faces are long it says nothing of features, and what begins there is a contact.

mod borders;
mod pushes;
mod take_over;

pub(crate) use pushes::standing_normal;
pub(crate) use take_over::{change, let_go};

use super::hand_over::ALONG;
use crate::{Tracked, TrackedRow, vertex_and_face};
use impinge_bodies::{Dofs, TOUCHING};
use impinge_geometry::{DVec3, Pose, closest_on_segment, triangle_area_vector};
use impinge_swept::{List, Matter, SweptCandidates, edges_of};
use pushes::Pushes;
use smallvec::SmallVec;
use take_over::{continues, edges_take_over, in_line, taken_over};

/// How deep what stands on each other may be in a face that takes over, in depths of what they stand on. Those differ from corner to corner, and a
/// tile sinks more where it bears the box.
const DEPTHS: f64 = 2.0;

/// Cosine of the angle between pushes from which they are one way.
const ONE_WAY: f64 = 0.98;

/// Ways that are looked at.
const WAYS: usize = 8;

/// Bodies that stand on each other, one in the next.
const STOREYS: usize = 3;

/// A contact that begins.
pub(crate) struct Begins {
    pub list: List,
    pub key: u64,
    pub stencil: [u32; 4],
    /// To the free side of the first feature.
    pub normal: DVec3,
    /// How far its features may have gone since they met (m).
    pub way: f64,
}

/// A push that the two bodies may be apart along.
#[derive(Clone, Copy)]
struct Way {
    /// Of the first body out of the second.
    n: DVec3,
    /// On what the push comes from (m).
    place: DVec3,
    /// It is the second body that stands on another.
    second_stands: bool,
    /// Depth up to which they are apart then (m).
    deepest: f64,
}

/// What stands on what.
#[derive(Clone, Copy)]
pub(crate) struct Standing<'a> {
    pub matter: &'a Matter<'a>,
    pub dofs: &'a Dofs,
    pub candidates: &'a SweptCandidates,
    /// Contacts that are open, by [`List`].
    pub open: &'a [Tracked; 3],
    /// Surface vertices when the step begins and when it ends (m).
    pub x: [&'a [DVec3]; 2],
    /// Poses when it ends of the bodies that contacts do not move.
    pub frames: &'a [Pose],
}

/// Finds the contacts that begin at a seam; kept from step to step for its memory alone.
#[derive(Default)]
pub(crate) struct Seams {
    pushes: Pushes,
    known: bool,
    /// The contacts that take over, by [`List`].
    pub handed: [Vec<TrackedRow>; 3],
}

impl Seams {
    /// Of other contacts than before.
    pub fn begin(&mut self) {
        self.known = false;
        self.handed.iter_mut().for_each(Vec::clear);
    }

    /// Looks at what pushes what, once for these contacts.
    fn gather(&mut self, on: &Standing<'_>) {
        if !self.known {
            self.known = true;
            self.pushes.gather(on);
        }
    }

    /// Whether a contact begins at a seam only, with surface vertices at `x` (m). The one that takes over, if any, is added to `handed`.
    pub fn passes(&mut self, on: &Standing<'_>, begins: &Begins, x: &dyn Fn(u32) -> DVec3) -> bool {
        let map = on.matter.map;
        let [a, b] = [begins.stencil[0], begins.stencil[3]].map(|v| map.body_of(v));
        let solid = |s: u32| on.matter.shapes.0[s as usize].has_front();
        let solids = match begins.list {
            List::Solid => solid(b),
            List::Sheet => false,
            List::Edges => solid(a) && solid(b),
        };
        if a == b || !solids {
            return false;
        }
        self.gather(on);
        // Most of what begins is far from an end of its features, or from the height that its bodies stand at.
        let p = begins.stencil.map(x);
        let size = size(begins.list, &p);
        let rounded = TOUCHING * size;
        let most = (DEPTHS * (1 + STOREYS) as f64 * self.pushes.deepest).min(size) + rounded;
        if self.pushes.deepest == 0.0 || !at_an_end(begins.list, &p, most + begins.way) {
            return false;
        }
        let met = if begins.list == List::Edges { &p[..] } else { &p[..1] };
        let mut ways: SmallVec<[Way; WAYS]> = SmallVec::new();
        for (body, other, turned) in [(a, b, 1.0), (b, a, -1.0)] {
            if !on.dofs.bodies.kind[body as usize].is_dynamic() {
                continue;
            }
            for push in self.pushes.of(body).iter().filter(|p| p.other != other) {
                let (n, place) = (push.normal * turned, push.place);
                // How deep it is in all that it stands on is no less.
                if DEPTHS * push.depth + rounded >= size {
                    continue;
                }
                let level = || met.iter().any(|q| n.dot(*q - place).abs() <= most);
                if n.dot(begins.normal).abs() >= ALONG || ways.len() == WAYS || !level() {
                    continue;
                }
                let deep = self.deep(on, &[b, a], n) + self.deep(on, &[a, b], -n);
                let deepest = DEPTHS * deep + rounded;
                if deepest < size {
                    ways.push(Way { n, place, second_stands: turned < 0.0, deepest });
                }
            }
        }
        ways.into_iter().any(|way| self.passes_along(on, begins, way, x))
    }

    /// Whether the two bodies are free of each other there once they are apart along a way.
    fn passes_along(
        &mut self,
        on: &Standing<'_>,
        begins: &Begins,
        Way { n, place, second_stands, deepest }: Way,
        x: &dyn Fn(u32) -> DVec3,
    ) -> bool {
        let faces = on.matter.faces;
        let level = |v: u32| n.dot(x(v) - place).abs() <= deepest;
        let [p, q, r, s] = begins.stencil;
        if let Some((vertex, face)) = vertex_and_face(begins.key) {
            let next = Some(vertex).filter(|v| level(*v));
            let next =
                next.and_then(|v| continues(on, v, (&[face], begins.normal), n, [deepest, begins.way], x));
            let Some(next) = next else { return false };
            if second_stands && in_line(on, vertex, x) {
                return true;
            }
            self.handed[List::Solid as usize].extend(taken_over(on, vertex, next, x));
            if second_stands {
                let edges = &mut self.handed[List::Edges as usize];
                edges_take_over(on, vertex, [face, next], (n, deepest), x, edges);
            }
            return true;
        }
        let (first, second) = edges_of(begins.key);
        // An end of an edge that leads from there along the push.
        let ends = [(p, q, second, n), (q, p, second, n), (r, s, first, -n), (s, r, first, -n)];
        ends.into_iter().any(|(end, other, edge, out)| {
            let along = x(other) - x(end);
            let beside = faces.edge_faces.get(edge as usize).copied().unwrap_or([u32::MAX; 2]);
            along.dot(out) > 0.5 * along.mag()
                && level(end)
                && continues(on, end, (&beside, DVec3::zero()), out, [deepest, begins.way], x).is_some()
        })
    }

    /// How deep the last body of `path` is in what pushes it along `n`, and that in what it stands on (m); the others of `path` apart.
    fn deep(&self, on: &Standing<'_>, path: &[u32], n: DVec3) -> f64 {
        let Some(&body) = path.last() else { return 0.0 };
        if path.len() > 1 + STOREYS || !on.dofs.bodies.kind[body as usize].is_dynamic() {
            return 0.0;
        }
        let mut most = 0.0f64;
        for others in self.pushes.of(body).chunk_by(|p, q| p.other == q.other) {
            let other = others[0].other;
            if path.contains(&other) {
                continue;
            }
            let along = others.iter().filter(|p| p.normal.dot(n) > ALONG);
            let here = along.map(|p| p.depth).fold(0.0, f64::max);
            if here > 0.0 {
                let mut path: SmallVec<[u32; 2 + STOREYS]> = SmallVec::from_slice(path);
                path.push(other);
                most = most.max(here + self.deep(on, &path, n));
            }
        }
        most
    }
}

/// Length of the features that begin (m): of a face, or of the shorter of two edges.
fn size(list: List, p: &[DVec3; 4]) -> f64 {
    match list {
        List::Edges => (p[1] - p[0]).mag().min((p[3] - p[2]).mag()),
        List::Solid | List::Sheet => (2.0 * triangle_area_vector([p[1], p[2], p[3]]).mag()).sqrt(),
    }
}

/// Whether a vertex is within `reach` (m) of a side of its face, or an end of one of two edges of the other one.
fn at_an_end(list: List, p: &[DVec3; 4], reach: f64) -> bool {
    let near = |v: usize, [a, b]: [usize; 2]| {
        closest_on_segment(p[v], [p[a], p[b]]).distance_squared <= reach * reach
    };
    match list {
        List::Edges => [(0, [2, 3]), (1, [2, 3]), (2, [0, 1]), (3, [0, 1])].iter().any(|&(v, e)| near(v, e)),
        List::Solid | List::Sheet => [[1, 2], [2, 3], [3, 1]].iter().any(|&e| near(0, e)),
    }
}
