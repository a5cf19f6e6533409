//! Cloth and cables that meet themselves: which features of one body are nearer to each other than the distance that it keeps.
//!
//! A vertex counts where the nearest point is a local minimum of its distance to the sheet, once, and two edges where they are nearest inside
//! both. Points that are nearer than the distance at rest are left out: neighbours are. What has come through is tracked as any contact of
//! continuous penalty, with its side; here that side says which way it is pushed, and the layer's force is all of it.

mod cable;

use super::dissipation::Pair;
use crate::conserving::crossing;
use crate::layer::{LayerPair, Nearest, On, Push, between, comes_within, layer_impulse};
use crate::{Params, Tracked};
use impinge_bodies::{Own, Shape};
use impinge_ccd::Kind;
use impinge_contact::{Surface, par};
use impinge_geometry::DVec3;
use impinge_swept::{Faces, Followed, List, Matter, SweptCandidates, vertex_face_key};

/// Pairs of one chunk.
const CHUNK: usize = 64;

/// Of a distance: nearest points of neighbouring faces that are one.
const ROUNDED: f64 = 1e-12;

/// A pair that acts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LayerRow {
    pub list: List,
    pub key: u64,
    pub slot: u32,
    pub stencil: [u32; 4],
    pub weight: [f64; 4],
    pub share: f64,
    pub does: crate::layer::LayerImpulse,
}

impl LayerRow {
    /// As a contact of features that held nothing before.
    #[must_use]
    pub fn seen(&self) -> Pair {
        Pair {
            key: self.key,
            stencil: self.stencil,
            weight: self.weight,
            normal: self.does.normal,
            impulse: self.does.impulse,
            span: self.does.t_out - self.does.t_in,
            share: self.share,
            continued: false,
            velocity: None,
        }
    }
}

/// Finds them; kept from step to step for its memory alone.
#[derive(Default)]
pub(crate) struct Layers {
    /// Ascending by body, list and key.
    pub rows: Vec<LayerRow>,
    /// By slot.
    keeps: Vec<bool>,
    found: Vec<Option<LayerRow>>,
    /// Nodes and segments of one cable.
    nodes: Vec<(u32, u32)>,
}

/// What the pairs of one sheet or cable have in common.
struct Thin<'a> {
    params: &'a Params,
    matter: &'a Matter<'a>,
    surface: &'a Surface,
    slot: u32,
    distance: f64,
    rest: &'a [DVec3],
}

impl Layers {
    /// The body keeps a distance from itself: contacts of its features at no distance do not act.
    #[must_use]
    pub fn keeps(&self, a: u32, b: u32) -> bool {
        a == b && self.keeps[a as usize]
    }

    /// Of all sheets and cables that may meet themselves, in a step whose contacts through them are `followed`.
    pub fn find(
        &mut self,
        params: &Params,
        matter: &Matter<'_>,
        candidates: &SweptCandidates,
        surface: &Surface,
        followed: &Followed,
    ) {
        let Self { rows, keeps, found, nodes } = self;
        rows.clear();
        keeps.clear();
        for (slot, shape) in (0..).zip(&matter.shapes.0) {
            let rest = match shape {
                Shape::Soft(s) => match (&s.own, &s.mesh) {
                    (Some(Own::Sheet), Some(mesh)) => Some(mesh.positions()),
                    (Some(Own::Line(rest)), _) => Some(&rest[..]),
                    _ => None,
                },
                _ => None,
            };
            let distance = matter.laws.thickness.between(slot, slot);
            let met = rest.filter(|_| distance > 0.0 && matter.laws.of(slot, slot).is_some());
            keeps.push(met.is_some());
            let Some(rest) = met else { continue };
            let thin = Thin { params, matter, surface, slot, distance, rest };
            let first = rows.len();
            for list in [List::Sheet, List::Edges] {
                let open = &followed.0[list as usize];
                let own = |s: &[u32; 4]| s.iter().all(|v| matter.map.body_of(*v) == slot);
                rows.extend(
                    (0..open.len())
                        .filter(|&i| own(&open.stencil[i]))
                        .filter_map(|i| thin.open(list, open, i)),
                );
                let pairs = candidates.lists[list as usize].of([slot, slot]);
                found.clear();
                found.resize(pairs.len(), None);
                par::fill(found, CHUNK, |i, row| {
                    *row = match open.find(list.key(pairs[i])) {
                        Some(_) => None,
                        None => thin.near(list, pairs[i]),
                    };
                });
                rows.extend(found.iter().flatten());
            }
            if shape.surface().is_none() {
                let segments = candidates.lists[List::Edges as usize].of([slot, slot]);
                thin.list_nodes(segments, nodes);
                found.clear();
                found.resize(nodes.len(), None);
                par::fill(found, CHUNK, |i, row| *row = thin.near_node(nodes[i]));
                rows.extend(found.iter().flatten());
            }
            // By names: in whatever order, and how often, they were listed.
            rows[first..].sort_by_key(|r| (r.list, r.key));
            rows.dedup_by_key(|r| (r.list, r.key));
        }
    }
}

impl Thin<'_> {
    fn places(&self, x: &[DVec3], stencil: [u32; 4]) -> [DVec3; 4] {
        stencil.map(|v| x[v as usize])
    }

    /// One that has come through, with the points and the side it did so with.
    fn open(&self, list: List, open: &Tracked, i: usize) -> Option<LayerRow> {
        let push = Push::Normal(open.side[i]);
        self.row(list, (open.key[i], open.stencil[i]), (open.weight[i], push, 0.0), open.share[i])
    }

    /// One that is not through at the start of the step.
    fn near(&self, list: List, (first, second): (u32, u32)) -> Option<LayerRow> {
        let faces = self.matter.faces;
        let (kind, stencil) = match list {
            List::Edges => {
                let ([a, b], [c, d]) = (faces.edges[first as usize], faces.edges[second as usize]);
                (Kind::EdgeEdge, [a, b, c, d])
            }
            List::Solid | List::Sheet => {
                let [a, b, c] = faces.corners[second as usize];
                (Kind::VertexFace, [first, a, b, c])
            }
        };
        let [a, b, c, d] = stencil;
        if a == c || a == d || b == c || b == d && kind == Kind::EdgeEdge || a == b {
            return None;
        }
        let (x0, x1) = (self.places(&self.surface.x0, stencil), self.places(&self.surface.x1, stencil));
        let (t, near) = comes_within(kind, &x0, &x1, self.distance)?;
        let x = between(&x0, &x1, t);
        let (key, share) = match kind {
            Kind::EdgeEdge if near.on == On::Inside => (list.key((first, second)), crossing(&x)),
            Kind::EdgeEdge => return None,
            Kind::VertexFace => (self.once(faces, (first, second), &near, t)?, 1.0),
        };
        self.row(list, (key, stencil), (near.weight, Push::of(kind, &x, &near)?, t), share)
    }

    /// The name of a vertex over a face, at a time, where its distance to the sheet has a local minimum there; of all faces there one says so.
    fn once(&self, faces: &Faces, (vertex, face): (u32, u32), near: &Nearest, t: f64) -> Option<u64> {
        let place = |v: u32| self.surface.x0[v as usize] * (1.0 - t) + self.surface.x1[v as usize] * t;
        let corners = faces.corners[face as usize];
        match near.on {
            On::Inside => {}
            On::Side(i) => {
                let other = faces.across[face as usize][i as usize];
                if let Some(c) = faces.corners.get(other as usize) {
                    let far = Nearest::of(Kind::VertexFace, &[vertex, c[0], c[1], c[2]].map(place)).distance;
                    if other < face || far < near.distance * (1.0 - ROUNDED) {
                        return None;
                    }
                }
            }
            On::Corner(i) => {
                let corner = corners[i as usize];
                let gap = place(vertex) - place(corner);
                let ends = faces.edges_at.of(corner).iter().map(|&e| faces.edges[e as usize]);
                for end in ends.map(|[a, b]| if a == corner { b } else { a }) {
                    if end == vertex || gap.dot(place(end) - place(corner)) > 0.0 {
                        return None;
                    }
                }
                // All faces around are listed: the corner is that near.
                if lowest_around(faces, face, corner) != face {
                    return None;
                }
            }
            On::End => return None,
        }
        Some(vertex_face_key(vertex, face))
    }

    fn row(
        &self,
        list: List,
        (key, stencil): (u64, [u32; 4]),
        (weight, push, from): ([f64; 4], Push, f64),
        share: f64,
    ) -> Option<LayerRow> {
        let first = self.matter.map.first(self.slot as usize);
        let rest = stencil.map(|v| self.rest[(v - first) as usize]);
        let apart = (rest[1] - rest[0]) * weight[1]
            + (rest[2] - rest[0]) * weight[2]
            + (rest[3] - rest[0]) * weight[3];
        if apart.mag() < self.distance {
            return None;
        }
        let stiffness = self.matter.stiffness(list, stencil, key)? * share;
        let pair =
            LayerPair { kind: list.features().0, weight, push, from, distance: self.distance, stiffness };
        let (x0, x1) = (self.places(&self.surface.x0, stencil), self.places(&self.surface.x1, stencil));
        let does = layer_impulse(&pair, &x0, &x1, self.params.dt, self.params.force)?;
        Some(LayerRow { list, key, slot: self.slot, stencil, weight, share, does })
    }
}

/// Faces at a corner at the most.
const MOST_AROUND: usize = 64;

/// The lowest of the faces that follow each other around a corner of this one.
fn lowest_around(faces: &Faces, face: u32, corner: u32) -> u32 {
    let mut lowest = face;
    // The side that begins at the corner, and the one that ends there.
    for side in [0, 2] {
        let mut at = face;
        for _ in 0..MOST_AROUND {
            let Some(k) = faces.corners[at as usize].iter().position(|v| *v == corner) else { break };
            at = faces.across[at as usize][(k + side) % 3];
            // At a rim, or once around.
            if at as usize >= faces.corners.len() || at == face {
                break;
            }
            lowest = lowest.min(at);
        }
    }
    lowest
}
