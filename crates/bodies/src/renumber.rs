//! Features after a body was cut: the same ones under new numbers.
//!
//! A feature that is still there keeps its contacts. A vertex or an edge that came apart hands them to both sides. Of a triangle or
//! an edge that was divided, the piece that the traced point lies on takes over: it is in the same plane or on the same line, so depth
//! and side stay. What was removed takes its contacts along.

use crate::shapes::{Shape, Shapes};
use impinge_contact::SurfaceMap;
use impinge_geometry::edit::TopologyEdit;
use impinge_geometry::{DVec3, Topology};
use smallvec::{SmallVec, smallvec};

/// How far from the old edge a vertex of its pieces may be, in lengths of the edge: rounding.
const ON_EDGE: f64 = 1e-9;

/// Place among a body's first numbers of that of its segments.
pub(crate) const SEGMENTS: usize = 3;

/// First surface vertex, face and edge of each body, and segment of each cable: those are counted behind all edges.
#[derive(Clone, Debug)]
pub struct FeatureNumbers {
    first: Vec<[u32; 4]>,
    /// Where their numbers end.
    pub(crate) total: [u32; 4],
}

impl FeatureNumbers {
    /// Of these bodies.
    #[must_use]
    pub fn of(map: &SurfaceMap, shapes: &Shapes) -> Self {
        let (mut faces, mut edges, mut segments) = (0u32, 0u32, 0u32);
        let mut first = Vec::with_capacity(shapes.0.len());
        for (b, shape) in shapes.0.iter().enumerate() {
            first.push([map.first(b), faces, edges, segments]);
            if let Some((mesh, topology)) = shape.surface() {
                faces += mesh.triangles().len() as u32;
                edges += topology.edges().len() as u32;
            } else if let Shape::Soft(s) = shape {
                segments += s.segments();
            }
        }
        first.iter_mut().for_each(|f| f[SEGMENTS] += edges);
        Self { first, total: [map.vertices() as u32, faces, edges, edges + segments] }
    }

    /// Bodies without vertices (or edges) share their first one with the next body, which has it.
    fn body(&self, vertex: u32) -> usize {
        self.body_of(0, vertex)
    }

    /// Whether this edge is counted among those of surfaces, or as a segment.
    pub(crate) fn kind_of_edge(&self, number: u32) -> usize {
        if number < self.total[2] { 2 } else { SEGMENTS }
    }

    /// The same of a vertex (0), a face (1), an edge (2) or a segment.
    pub(crate) fn body_of(&self, what: usize, number: u32) -> usize {
        self.first.partition_point(|f| f[what] <= number).saturating_sub(1)
    }

    pub(crate) fn first_of(&self, body: usize, what: usize) -> Option<u32> {
        self.first.get(body).map(|f| f[what])
    }
}

/// One feature under its new number, with its vertices, the weights of the traced point, and the anchor: in the frame of a face; of an edge
/// as it was.
pub struct Piece<const N: usize> {
    /// Its number.
    pub number: u32,
    /// Its vertices.
    pub vertices: [u32; N],
    /// Weights of the traced point on them.
    pub weight: [f64; N],
    /// The anchor.
    pub anchor: DVec3,
}

/// The pieces of a feature; none where it was taken away.
pub type Pieces<const N: usize> = SmallVec<[Piece<N>; 2]>;

/// What became of the features of a world when one body was cut.
pub struct Renumber<'a> {
    before: FeatureNumbers,
    after: FeatureNumbers,
    slot: usize,
    /// Old surface vertex and new one, both counted from the body's first; ascending.
    copies: Vec<(u32, u32)>,
    /// Old surface triangle and new one, likewise.
    parts: Vec<(u32, u32)>,
    triangles: &'a [[u32; 3]],
    topology: Option<Topology>,
    /// Where the surface vertices of the body were and are (m).
    old_x: Vec<DVec3>,
    new_x: Vec<DVec3>,
}

/// Places of the surface vertices of a body with nodes.
#[must_use]
pub fn surface_of(map: &SurfaceMap, slot: usize, nodes: &[DVec3]) -> Vec<DVec3> {
    map.range(slot).map(|v| map.at_nodes(v as u32, nodes).unwrap_or_else(DVec3::zero)).collect()
}

fn by_origin(origin: &[u32]) -> Vec<(u32, u32)> {
    let mut out: Vec<(u32, u32)> = (0..).zip(origin).map(|(new, old)| (*old, new)).collect();
    out.retain(|c| c.0 != TopologyEdit::NONE);
    out.sort_unstable();
    out
}

fn of<'a>(pairs: &'a [(u32, u32)], old: u32) -> impl Iterator<Item = u32> + 'a {
    let from = pairs.partition_point(|p| p.0 < old);
    pairs[from..].iter().take_while(move |p| p.0 == old).map(|p| p.1)
}

impl<'a> Renumber<'a> {
    /// `vertex_origin`, `triangle_origin` as in [`TopologyEdit`]; places of the body's surface vertices before and after.
    #[must_use]
    pub fn new(
        [before, after]: [FeatureNumbers; 2],
        slot: u32,
        [vertex_origin, triangle_origin]: [&[u32]; 2],
        shapes: &'a Shapes,
        [old_x, new_x]: [Vec<DVec3>; 2],
    ) -> Self {
        let slot = slot as usize;
        let mesh = shapes.0.get(slot).and_then(|s| s.triangles());
        Self {
            before,
            after,
            slot,
            copies: by_origin(vertex_origin),
            parts: by_origin(triangle_origin),
            triangles: mesh.map_or(&[], |m| m.triangles()),
            topology: mesh.map(Topology::new),
            old_x,
            new_x,
        }
    }

    /// Slot of the body that was cut; numbers of the others only move up.
    #[must_use]
    pub fn slot(&self) -> u32 {
        self.slot as u32
    }

    fn shift(&self, body: usize, what: usize, number: u32) -> u32 {
        number - self.before.first[body][what] + self.after.first[body][what]
    }

    fn local(&self, what: usize, number: u32) -> u32 {
        number - self.before.first[self.slot][what]
    }

    /// A surface vertex under its new numbers: two where it came apart, none where it was taken away.
    #[must_use]
    pub fn vertex(&self, v: u32) -> Pieces<1> {
        let body = self.before.body(v);
        let one = |number: u32| Piece { number, vertices: [number], weight: [1.0], anchor: DVec3::zero() };
        if body != self.slot {
            return smallvec![one(self.shift(body, 0, v))];
        }
        let first = self.after.first[body][0];
        of(&self.copies, self.local(0, v)).map(|new| one(first + new)).collect()
    }

    /// A face under its new number. Weights sum to one; they may lie beside the triangle while a contact is handed on.
    #[must_use]
    pub fn face(&self, face: u32, vertices: [u32; 3], weight: [f64; 3], anchor: DVec3) -> Option<Piece<3>> {
        let body = self.before.body(vertices[0]);
        if body != self.slot {
            let number = self.shift(body, 1, face);
            let vertices = vertices.map(|v| self.shift(body, 0, v));
            return Some(Piece { number, vertices, weight, anchor });
        }
        let [first, first_face, ..] = self.after.first[body];
        let old = vertices.map(|v| self.local(0, v));
        let corners = old.map(|o| self.old_x[o as usize]);
        let q = (0..3).fold(DVec3::zero(), |q, i| q + corners[i] * weight[i]);
        // In the plane; the height over it stays.
        let held = corners[0] + (corners[1] - corners[0]) * anchor.x + (corners[2] - corners[0]) * anchor.y;
        let mut best: Option<(f64, Piece<3>)> = None;
        for t in of(&self.parts, self.local(1, face)) {
            let corners = self.triangles[t as usize];
            let whole = old.map(|o| corners.into_iter().find(|&c| of(&self.copies, o).any(|n| n == c)));
            let (inside, new, weight, anchor) = match whole {
                // The triangle it was: the order of the stencil and its weights stay to the bit.
                [Some(a), Some(b), Some(c)] => (f64::INFINITY, [a, b, c], weight, anchor),
                _ => {
                    let x = corners.map(|c| self.new_x[c as usize]);
                    let (w, [_, s, t]) = (barycentric(q, x), barycentric(held, x));
                    (w.into_iter().fold(f64::INFINITY, f64::min), corners, w, DVec3::new(s, t, anchor.z))
                }
            };
            if best.as_ref().is_none_or(|b| inside > b.0) {
                let vertices = new.map(|v| first + v);
                best = Some((inside, Piece { number: first_face + t, vertices, weight, anchor }));
            }
        }
        best.map(|b| b.1)
    }

    /// An edge under its new numbers, or the pieces of it that the traced point lies on.
    #[must_use]
    pub fn edge(&self, edge: u32, vertices: [u32; 2], weight: [f64; 2], anchor: DVec3) -> Pieces<2> {
        let body = self.before.body(vertices[0]);
        if body != self.slot {
            let number = self.shift(body, self.before.kind_of_edge(edge), edge);
            let vertices = vertices.map(|v| self.shift(body, 0, v));
            return smallvec![Piece { number, vertices, weight, anchor }];
        }
        let [first, _, first_edge, _] = self.after.first[body];
        let ends = vertices.map(|v| self.old_x[self.local(0, v) as usize]);
        let along = ends[1] - ends[0];
        // Where a vertex is on the old edge; `None` beside it.
        let on = |v: u32| {
            let from = self.new_x[v as usize] - ends[0];
            let s = from.dot(along) / along.mag_sq();
            ((from - along * s).mag_sq() <= ON_EDGE * ON_EDGE * along.mag_sq()).then_some(s)
        };
        let mut out = Pieces::new();
        for (e, &[a, b]) in self.topology.iter().flat_map(|t| t.edges()).enumerate() {
            let old = |v: u32, which: usize| of(&self.copies, self.local(0, vertices[which])).any(|n| n == v);
            let number = first_edge + e as u32;
            // The edge it was, or both of its sides.
            let same = [(a, b), (b, a)].into_iter().find(|&(a, b)| old(a, 0) && old(b, 1));
            if let Some((a, b)) = same {
                out.push(Piece { number, vertices: [first + a, first + b], weight, anchor });
                continue;
            }
            // A piece ends at one of the old ends or between two cuts.
            let (Some(s), Some(t)) = (on(a), on(b)) else { continue };
            let (lo, hi, from, to) = if s < t { (s, t, a, b) } else { (t, s, b, a) };
            // NaN for two cuts at one place.
            let inner = (weight[1] - lo) / (hi - lo);
            if lo >= -ON_EDGE && hi <= 1.0 + ON_EDGE && (0.0..=1.0).contains(&inner) {
                let vertices = [first + from, first + to];
                // The anchor is told from the same point of the edge along the same direction, in metres.
                out.push(Piece { number, vertices, weight: [1.0 - inner, inner], anchor });
            }
        }
        out
    }
}

/// Weights of the foot of `q` on a triangle; all on the first corner where it has no area.
fn barycentric(q: DVec3, [a, b, c]: [DVec3; 3]) -> [f64; 3] {
    let (u, v, r) = (b - a, c - a, q - a);
    let m = u.cross(v);
    let mm = m.mag_sq();
    if !(mm > 0.0 && mm.is_finite()) {
        return [1.0, 0.0, 0.0];
    }
    let (s, t) = (r.cross(v).dot(m) / mm, u.cross(r).dot(m) / mm);
    [1.0 - s - t, s, t]
}
