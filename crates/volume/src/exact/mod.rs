//! The exact intersection volume of two closed meshes and its gradient at every vertex.
//!
//! ∂V/∂p_k = ∫ φ_k n dS over the part of a body's surface inside the other (seed 002 (12) in the limit of small pixels; checked by
//! the erratum V6), and V = ⅓ ∫ x·n dS over both parts. All that is needed are the moments ∫ φ of each triangle's part inside
//! the other body, and by Green's theorem those are sums over the directed segments that bound the part: pieces of the triangle's
//! own sides, and segments where the other surface cuts it. No polygon is ever assembled: each pair of crossing triangles
//! adds its terms, in any order (the idea of accumulating over local features is Franklin's, 1990).

mod cells;
mod chain;
mod cross;
mod moments;
mod sign;
mod tree;
mod winding;

use crate::closed::{Body, Bounds};
use crate::ldi::LayeredDepth;
use crate::overlap::{Cell, CellGrid, Evaluate, Gather, Overlap};
use crate::{VolumeError, exact::cross::Face};
use cells::{Cutter, Entry, Piece, add_up};
pub(crate) use cells::{Met, WallRay};
use cross::{Passage, Segment, cross, passages};
use impinge_contact::wide::Instructions;
use impinge_contact::{for_each_set, par};
use impinge_geometry::{DVec3, Topology};
use moments::Moments;
use sign::{Of, Plane};
use tree::{Scratch, Tree};
use winding::Windings;

/// Triangles of A searched in one go; fixed, so that no thread count shows.
const CHUNK: usize = 256;
/// Vertices classed in one go.
const VERTICES: usize = 8192;

/// A segment and the active triangles it belongs to.
#[derive(Clone, Copy, Debug)]
struct Hit {
    a: u32,
    b: u32,
    segment: Segment,
}

/// A passage of an edge and the active triangles it belongs to.
#[derive(Clone, Copy, Debug)]
struct Through {
    a: u32,
    b: u32,
    passage: Passage,
}

#[derive(Clone, Debug, Default)]
struct Found {
    hits: Vec<Hit>,
    through: Vec<Through>,
    scratch: Scratch,
}

/// One body's triangles that reach the other's box.
#[derive(Clone, Debug, Default)]
struct Active {
    triangle: Vec<u32>,
    bounds: Vec<Bounds>,
    face: Vec<Face>,
    moments: Vec<Moments>,
    windings: Windings,
    gather: Gather,
    /// Of every vertex: the sides of the other body's box that it is beyond.
    beyond: Vec<u8>,
}

impl Active {
    fn fill(&mut self, body: Body<'_>, reach: &Bounds) {
        self.triangle.clear();
        self.bounds.clear();
        self.face.clear();
        let (triangles, face_edges) = (body.surface.triangles(), body.surface.face_edges());
        // A byte for each vertex: most triangles of a fine mesh are dismissed by three of them.
        self.beyond.clear();
        self.beyond.resize(body.x.len(), 0);
        par::fill(&mut self.beyond, VERTICES, |v, code| *code = reach.beyond(body.x[v]));
        let beyond = |v: u32| self.beyond[v as usize];
        for (t, &vertices) in triangles.iter().enumerate() {
            let [p, q, r] = vertices;
            // A face that names a vertex twice bounds nothing.
            if beyond(p) & beyond(q) & beyond(r) == 0 && face_edges[t][0] != Topology::NONE {
                let corners = body.corners(t);
                self.triangle.push(t as u32);
                self.bounds.push(Bounds::of(corners));
                self.face.push(Face { plane: Plane::new(corners), vertices });
            }
        }
        self.moments.clear();
        self.moments.resize(self.triangle.len(), Moments::default());
        self.windings.shape(body);
        self.gather.shape(body.x.len());
    }

    /// Notes that side `side` of an active triangle passes through the other body's surface; counted at one of its two faces.
    fn pass(&mut self, body: Body<'_>, active: u32, side: u8, sign: i8) {
        let t = self.triangle[active as usize];
        let edge = body.surface.face_edges()[t as usize][usize::from(side)];
        if body.surface.edge_owner()[edge as usize] == t {
            let from = body.surface.triangles()[t as usize][usize::from(side)];
            let upward = body.surface.edges()[edge as usize][0] == from;
            self.windings.pass(edge, i32::from(if upward { sign } else { -sign }));
        }
    }

    /// Pieces of whole triangles, then V's share about `centre` (m³) and the gradient.
    fn finish(&mut self, centre: DVec3) -> f64 {
        let mut volume = 0.0;
        for (face, m) in self.face.iter().zip(&mut self.moments) {
            // Sides 0–1 and 2–0 pass through the origin of the weights and add nothing: only side 1–2 has to be known.
            m.add_side_12(f64::from(self.windings.of(face.vertices[1])));
            if *m == Moments::default() {
                continue;
            }
            let n = face.plane.normal;
            volume += n.dot(face.plane.corners[0] - centre) * m.area / 3.0;
            for (v, weight) in face.vertices.into_iter().zip(m.of_corners()) {
                *self.gather.at(v) += n * weight;
            }
        }
        volume
    }
}

/// Exact volumes; holds scratch that only saves allocations.
#[derive(Clone, Debug, Default)]
pub struct Exact {
    a: Active,
    b: Active,
    tree: Tree,
    found: Vec<Found>,
    cutter: Cutter,
    pieces: Vec<Piece>,
    entries: Vec<Entry>,
}

/// Rays along a cell's edge that share out the walls' pushes.
const RAYS_PER_CELL: f64 = 16.0;
/// At least so many.
const LEAST_RAYS: f64 = 2.0;
/// Rays through walls at most, along the three axes (600 MB, some times that while they are collected and sorted): in grids of more than 5461 cells fewer rays go through each.
const MOST_RAYS: usize = 1 << 22;

/// Rays along an edge where so many cells are full.
fn rays_per_cell(cells: f64) -> f64 {
    (MOST_RAYS as f64 / (3.0 * cells)).sqrt().clamp(LEAST_RAYS, RAYS_PER_CELL)
}

impl Exact {
    /// Empty scratch.
    pub fn new() -> Self {
        Self::default()
    }

    /// Finds the segments where the surfaces cross, and the winding numbers of all vertices.
    fn intersect(&mut self, a: Body<'_>, b: Body<'_>, [ba, bb]: [Bounds; 2]) {
        self.a.fill(a, &bb);
        self.b.fill(b, &ba);
        self.tree.build(&self.b.bounds);
        let chunks = self.a.triangle.len().div_ceil(CHUNK);
        self.found.resize_with(chunks, Found::default);
        let (active, other, tree) = (&self.a, &self.b, &self.tree);
        let with = Instructions::best();
        par::for_each_chunk(&mut self.found, 1, |c, found| {
            let Found { hits, through, scratch } = &mut found[0];
            hits.clear();
            through.clear();
            for i in c * CHUNK..((c + 1) * CHUNK).min(active.triangle.len()) {
                tree.query(with, &active.bounds[i], scratch, |j| {
                    let (face, its) = (&active.face[i], &other.face[j as usize]);
                    if let Some(segment) = cross(face, its) {
                        hits.push(Hit { a: i as u32, b: j, segment });
                    } else {
                        passages(face, its, |passage| through.push(Through { a: i as u32, b: j, passage }));
                    }
                });
            }
        });
        for hit in self.found.iter().flat_map(|f| &f.hits) {
            for end in [hit.segment.start, hit.segment.end] {
                match end.of {
                    Of::A => self.a.pass(a, hit.a, end.side, end.sign),
                    Of::B => self.b.pass(b, hit.b, end.side, end.sign),
                }
            }
        }
        for t in self.found.iter().flat_map(|f| &f.through) {
            match t.passage.of {
                Of::A => self.a.pass(a, t.a, t.passage.side, t.passage.sign),
                Of::B => self.b.pass(b, t.b, t.passage.side, t.passage.sign),
            }
        }
        self.a.windings.settle(a, Of::A, b, &self.a.beyond);
        self.b.windings.settle(b, Of::B, a, &self.b.beyond);
    }

    fn mono(&mut self, centre: DVec3, out: &mut Overlap) {
        for hit in self.found.iter().flat_map(|f| &f.hits) {
            let Segment { start, end } = hit.segment;
            self.a.moments[hit.a as usize].add(start.in_a, end.in_a, 1.0);
            self.b.moments[hit.b as usize].add(end.in_b, start.in_b, 1.0);
            for e in [start, end].into_iter().filter(|e| e.side == 1) {
                let s = f64::from(e.sign);
                match e.of {
                    Of::A => self.a.moments[hit.a as usize].add(e.in_a, [0.0, 1.0], s),
                    Of::B => self.b.moments[hit.b as usize].add(e.in_b, [0.0, 1.0], s),
                }
            }
        }
        let volume = self.a.finish(centre) + self.b.finish(centre);
        self.a.gather.drain(out);
        let middle = out.vertex.len();
        self.b.gather.drain(out);
        if !out.vertex.is_empty() {
            let start = [0, middle, out.vertex.len()];
            out.cells.push(Cell { index: [0; 3], part: 0, volume, along: [volume; 3], start });
        }
    }
}

impl Exact {
    /// The pieces of both surfaces in the cells of the grid.
    fn cut(&mut self, grid: &CellGrid, common: &Bounds) {
        self.pieces.clear();
        for of in [Of::A, Of::B] {
            let mut segments: Vec<(u32, [f64; 2], [f64; 2], f64)> = Vec::new();
            for hit in self.found.iter().flat_map(|f| &f.hits) {
                let Segment { start, end } = hit.segment;
                let (face, from, to) = match of {
                    Of::A => (hit.a, start.in_a, end.in_a),
                    Of::B => (hit.b, end.in_b, start.in_b),
                };
                segments.push((face, from, to, 1.0));
                for e in [start, end].into_iter().filter(|e| e.of == of) {
                    let at = if of == Of::A { e.in_a } else { e.in_b };
                    segments.push((face, at, CORNERS[(usize::from(e.side) + 1) % 3], f64::from(e.sign)));
                }
            }
            segments.sort_by_key(|s| s.0);
            let (body, side) = if of == Of::A { (&self.a, 0) } else { (&self.b, 1) };
            let mut rest = &segments[..];
            for (i, face) in body.face.iter().enumerate() {
                let own;
                (own, rest) = rest.split_at(rest.partition_point(|s| s.0 as usize <= i));
                let chain = self.cutter.start();
                own.iter().for_each(|&(_, s, e, times)| chain.add(s, e, times));
                for k in 0..3 {
                    let inside = body.windings.of(face.vertices[k]);
                    chain.add(CORNERS[k], CORNERS[(k + 1) % 3], f64::from(inside));
                }
                if !chain.is_empty() {
                    self.cutter.pieces(face, side, grid, common, &mut self.pieces);
                }
            }
        }
    }

    fn multi(
        &mut self,
        bodies: [Body<'_>; 2],
        grid: &CellGrid,
        (common, bounds): (&Bounds, &[Bounds; 2]),
        out: &mut Overlap,
    ) -> Result<(), VolumeError> {
        let most = MOST_RAYS / (3 * (LEAST_RAYS * LEAST_RAYS) as usize);
        let cells = grid.count(common.lo, common.hi, most)?;
        // Rays first: they refuse what would need too much memory.
        let mut rays = Vec::new();
        LayeredDepth::new(grid.size / rays_per_cell(cells))?.walls(
            &bodies,
            (common, bounds),
            grid,
            &mut rays,
        )?;
        self.cut(grid, common);
        rays.sort_by_key(|r| (r.axis, r.cell));
        self.entries.clear();
        let cells = add_up(&self.pieces, &rays, grid, common, &mut self.entries);
        self.entries.sort_by_key(|e| e.cell);
        let mut rest = &self.entries[..];
        for (index, sum) in cells {
            let rows;
            (rows, rest) = rest.split_at(rest.partition_point(|e| e.cell <= index));
            for e in rows {
                let body = if e.side == 0 { &mut self.a } else { &mut self.b };
                *body.gather.at(e.vertex) += e.gradient;
            }
            let first = out.vertex.len();
            self.a.gather.drain(out);
            let middle = out.vertex.len();
            self.b.gather.drain(out);
            let start = [first, middle, out.vertex.len()];
            let along = [sum.along.x, sum.along.y, sum.along.z];
            out.cells.push(Cell {
                index,
                part: 0,
                volume: (along[0] + along[1] + along[2]) / 3.0,
                along,
                start,
            });
        }
        Ok(())
    }
}

/// Coordinates nearer to 0 than this (m) count as 0: products of three would fall below the smallest number there, and
/// expansions that lose a term give signs that contradict each other.
const LEAST: f64 = 1e-80;

fn settled(p: DVec3) -> DVec3 {
    p.map(|x| if x.abs() < LEAST { 0.0 } else { x })
}

/// See [`find_unsettled`].
#[inline(always)]
fn find_unsettled_lanes(x: &[DVec3], found: &mut u64) {
    // Without the sign, and 0 moved to the far end: one comparison of whole numbers.
    let least = 2 * LEAST.to_bits() - 1;
    let small = |x: f64| u64::from((x.to_bits() << 1).wrapping_sub(1) < least);
    for p in x {
        *found |= small(p.x) | small(p.y) | small(p.z);
    }
}

for_each_set! {
    /// Sets `found` where some coordinate counts as 0 and is not.
    find_unsettled = find_unsettled_lanes(x: &[DVec3], found: &mut u64)
}

fn unsettled(x: &[DVec3]) -> bool {
    let mut found = 0;
    find_unsettled(Instructions::best(), x, &mut found);
    found != 0
}

/// Corners of a triangle by the weights of corners 1 and 2.
const CORNERS: [[f64; 2]; 3] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];

impl Evaluate for Exact {
    fn evaluate(
        &mut self,
        a: Body<'_>,
        b: Body<'_>,
        grid: Option<&CellGrid>,
        out: &mut Overlap,
    ) -> Result<(), VolumeError> {
        out.clear();
        let bounds = [a.bounds(0)?, b.bounds(1)?];
        if [a, b].iter().any(|body| unsettled(body.x)) {
            let x = [a, b].map(|body| body.x.iter().map(|&p| settled(p)).collect::<Vec<_>>());
            let [a, b] = [Body { x: &x[0], ..a }, Body { x: &x[1], ..b }];
            return self.evaluate(a, b, grid, out);
        }
        if !bounds[0].overlaps(&bounds[1]) {
            return Ok(());
        }
        self.intersect(a, b, bounds);
        let common = bounds[0].intersection(&bounds[1]);
        match grid {
            Some(grid) => self.multi([a, b], grid, (&common, &bounds), out)?,
            None => self.mono((common.lo + common.hi) * 0.5, out),
        }
        Ok(())
    }
}
