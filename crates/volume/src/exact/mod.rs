//! The exact intersection volume of two closed meshes and its gradient at every vertex.
//!
//! ∂V/∂p_k = ∫ φ_k n dS over the part of a body's surface inside the other (seed 002 (12) in the limit of small pixels; checked by
//! the erratum V6), and V = ⅓ ∫ x·n dS over both parts. All that is needed are the moments ∫ φ of each triangle's part inside
//! the other body, and by Green's theorem those are sums over the directed segments that bound the part: pieces of the triangle's
//! own sides, and segments where the other surface cuts it. No polygon is ever assembled: each pair of crossing triangles
//! adds its terms, in any order (the idea of accumulating over local features is Franklin's, 1990).

mod cells;
mod chain;
mod clusters;
mod cross;
mod divided;
mod flat;
mod moments;
mod near;
mod places;
mod regions;
mod sign;
mod slabs;
pub(crate) mod sums;
mod tree;
mod winding;

use crate::bounds::Bounds;
use crate::closed::Body;
use crate::ldi::LayeredDepth;
use crate::overlap::{Cell, CellGrid, Evaluate, Gather, Overlap};
use crate::{VolumeError, exact::cross::Face};
use cells::{Adding, Piece};
pub(crate) use cells::{Met, WallRay};
pub(crate) use clusters::Clusters;
use cross::{Passage, Segment, cross, passages};
use flat::Flats;
use impinge_contact::wide::Instructions;
use impinge_contact::{for_each_set, par};
use impinge_geometry::{DVec3, Topology};
use moments::Moments;
use near::Near;
use places::Places;
use regions::Regions;
use sign::{Of, Plane};
use slabs::Cutter;
use sums::ByCell;
use tree::{Scratch, Tree};
use winding::Windings;

/// Triangles of A searched in one go; fixed, so that no thread count shows.
const CHUNK: usize = 256;
/// The code of a vertex that is not near the other body: beyond no side that is known.
const FAR: u8 = 64;

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

/// One body's triangles that reach the box of the intersection.
#[derive(Clone, Debug, Default)]
struct Active {
    triangle: Vec<u32>,
    bounds: Vec<Bounds>,
    face: Vec<Face>,
    moments: Vec<Moments>,
    windings: Windings,
    gather: Gather,
    /// Vertices that may be inside of the other body, ascending.
    near: Vec<u32>,
    /// Of these: the sides of that box that they are beyond; [`FAR`] of all others.
    beyond: Vec<u8>,
}

impl Active {
    /// All of a body, or some triangles and their vertices, those that may bound the intersection, which is within `reach`.
    fn fill(&mut self, body: Body<'_>, reach: &Bounds, some: Option<[&[u32]; 2]>) {
        self.triangle.clear();
        self.bounds.clear();
        self.face.clear();
        // A byte for each vertex: most triangles of a fine mesh are dismissed by three of them.
        self.near.drain(..).for_each(|v| self.beyond[v as usize] = FAR);
        self.beyond.resize(body.x.len().max(self.beyond.len()), FAR);
        match some {
            Some([_, vertices]) => self.near.extend(vertices),
            None => self.near.extend(0..body.x.len() as u32),
        }
        self.near.iter().for_each(|&v| self.beyond[v as usize] = reach.beyond(body.x[v as usize]));
        match some {
            Some([triangles, _]) => triangles.iter().for_each(|&t| self.look_at(body, t)),
            None => (0..body.surface.triangles().len() as u32).for_each(|t| self.look_at(body, t)),
        }
        self.moments.clear();
        self.moments.resize(self.triangle.len(), Moments::default());
        self.windings.shape(body);
        self.gather.shape(body.x.len());
    }

    /// Adds a triangle that is not all beyond one side. A face that names a vertex twice bounds nothing.
    #[inline]
    fn look_at(&mut self, body: Body<'_>, t: u32) {
        let vertices = body.surface.triangles()[t as usize];
        let all = vertices.iter().fold(u8::MAX, |all, &v| all & self.beyond[v as usize]);
        if all == 0 && body.surface.face_edges()[t as usize][0] != Topology::NONE {
            let corners = body.corners(t as usize);
            self.triangle.push(t);
            self.bounds.push(Bounds::of(corners));
            self.face.push(Face { plane: Plane::new(corners), vertices });
        }
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
        for i in 0..self.face.len() {
            // Sides 0–1 and 2–0 pass through the origin of the weights and add nothing: only side 1–2 has to be known.
            let mut m = self.moments[i];
            m.add_side_12(f64::from(self.windings.of(self.face[i].vertices[1])));
            volume += self.add(i, &m, centre);
        }
        volume
    }

    /// The gradient of what is inside of an active triangle, and V's share about `centre` (m³).
    #[inline]
    fn add(&mut self, active: usize, m: &Moments, centre: DVec3) -> f64 {
        if *m == Moments::default() {
            return 0.0;
        }
        let face = &self.face[active];
        let n = face.plane.normal;
        for (v, weight) in face.vertices.into_iter().zip(m.of_corners()) {
            *self.gather.at(v) += n * weight;
        }
        n.dot(face.plane.corners[0] - centre) * m.area / 3.0
    }
}

/// Exact volumes; holds scratch that only saves allocations.
///
/// What it measures is ∫ w_A w_B dV (m³) with the winding numbers w of both surfaces, how often each is around a point: 1 inside of a body, 0 outside.
/// A body that overlaps itself counts there as often as it does. Two cubes of 1 m that are 0.5 m apart, joined in one mesh, have 2 m³ in a box around
/// both, where [`crate::LayeredDepth`], for which a point is inside or not, has 1.5 m³.
#[derive(Clone, Debug, Default)]
pub struct Exact {
    a: Active,
    b: Active,
    near: Near,
    tree: Tree,
    found: Vec<Found>,
    cutter: Cutter,
    pieces: Vec<Piece>,
    adding: Adding,
    flats: Flats,
    by_cell: ByCell,
    /// Numbers of cells.
    order: Vec<u32>,
    hits: Vec<Hit>,
    rays: Vec<WallRay>,
    /// Numbers of the regions of each body by place, then by triangle.
    by_region: [Vec<u32>; 2],
    by_place: bool,
    places: Places,
    regions: [Regions; 2],
    /// Rays that share out the walls of a grid.
    image: Option<Box<LayeredDepth>>,
}

impl Exact {
    /// Empty scratch.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether each place where two bodies meet, a volume that hangs together, is a contact of its own ([`Cell::part`]). The paper has one for all
    /// of a pair: where a ring stands on a pin with both sides, their pushes cancel in it.
    #[must_use]
    pub fn by_place(self, by_place: bool) -> Self {
        Self { by_place, ..self }
    }

    /// Finds the segments where the surfaces cross, and the winding numbers of all vertices.
    fn intersect(&mut self, a: Body<'_>, b: Body<'_>, reach: [&Bounds; 2]) {
        let some = [a, b].map(|body| body.surface.clusters().is_some());
        let kept = |side: usize| some[side].then(|| self.near.kept(side));
        self.a.fill(a, reach[0], kept(0));
        self.b.fill(b, reach[1], kept(1));
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
        self.a.windings.settle(a, Of::A, b, (&self.a.near, &self.a.beyond));
        self.b.windings.settle(b, Of::B, a, (&self.b.near, &self.b.beyond));
    }

    fn mono(&mut self, centre: DVec3, out: &mut Overlap) {
        for hit in self.found.iter().flat_map(|f| &f.hits) {
            self.a.moments[hit.a as usize].add_segment(0, &hit.segment);
            self.b.moments[hit.b as usize].add_segment(1, &hit.segment);
        }
        let volume = self.a.finish(centre) + self.b.finish(centre);
        let start = Gather::drain_pair([&mut self.a.gather, &mut self.b.gather], out);
        if start[2] > start[0] {
            out.cells.push(Cell { index: [0; 3], part: 0, volume, along: [volume; 3], flat: None, start });
        }
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

pub(crate) fn unsettled(x: &[DVec3]) -> bool {
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
        if [a, b].iter().any(|body| body.known.is_none() && unsettled(body.x)) {
            let x = [a, b].map(|body| body.x.iter().map(|&p| settled(p)).collect::<Vec<_>>());
            let known = None;
            let [a, b] = [Body { x: &x[0], known, ..a }, Body { x: &x[1], known, ..b }];
            return self.evaluate(a, b, grid, out);
        }
        if !bounds[0].overlaps(&bounds[1]) {
            return Ok(());
        }
        let near = self.near.find([a, b], &bounds);
        let common = near.unwrap_or_else(|| bounds[0].intersection(&bounds[1]));
        if common.is_empty() {
            return Ok(());
        }
        match near {
            Some(_) => self.intersect(a, b, [&common; 2]),
            None => self.intersect(a, b, [&bounds[1], &bounds[0]]),
        }
        let centre = (common.lo + common.hi) * 0.5;
        match grid {
            Some(grid) => self.multi([a, b], grid, (&common, &bounds), out)?,
            None if self.by_place => self.mono_by_place([a, b], centre, out),
            None => self.mono(centre, out),
        }
        Ok(())
    }
}
