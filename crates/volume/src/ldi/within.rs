//! Which triangles and vertices rays along the axes can meet at all: found once for the three directions, and packed.
//!
//! Of two fine bodies that touch, the rays see a small part. A vertex is classed against the six sides of the lattice's box; a
//! triangle whose corners are all beyond one side is out of reach. What is left is numbered anew, so that the loops over each
//! direction read memory in order and nothing else.
//!
//! Of a body that lies on another only the end that sticks into the other's box says anything, and a ray that starts at the box
//! does not begin outside of it: how often it is inside there is what it is short of on its way out, for it ends outside of a closed
//! surface. So what lies below the box along a ray is left out as well, of the one body that may have something there ([`Ends::cut`]).

use super::lattice::Lattice;
use crate::bounds::{Bounds, all_beyond};
use crate::closed::Body;
use impinge_contact::par;
use impinge_geometry::{DVec3, Topology};
use std::ops::Range;

/// Vertices classed, triangles looked at in one go; fixed, so that no thread count shows.
const CHUNK: usize = 8192;

/// A triangle within reach of the rays.
#[derive(Clone, Copy, Debug, Default)]
pub struct Triangle {
    /// Its number among all bodies'.
    pub number: u32,
    /// Among the vertices within reach.
    pub corners: [u32; 3],
    /// A bit for each axis: 1 where no ray along it can meet the triangle, or says nothing by that.
    hidden: u8,
}

impl Triangle {
    /// No ray along the axis can meet it, or it is left out there.
    #[inline(always)]
    #[must_use]
    pub fn out_of_sight(&self, axis: usize) -> bool {
        self.hidden >> axis & 1 == 1
    }
}

/// Where along the rays what matters ends.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    /// Nothing above it matters (m).
    pub top: DVec3,
    /// By axis: the body of which nothing below the lattice matters, either. Rays start inside of it as often as they leave it more than
    /// they enter.
    pub cut: [Option<u32>; 3],
}

impl Ends {
    /// For the overlaps of different bodies within a box. A body is cut off below the lattice where no other has anything there, so
    /// that no two overlap before, and where nothing of it lies above the box: what does is needed to know where its rays start.
    #[must_use]
    pub fn of_pairs(bounds: &[Bounds], lattice: &Lattice, top: DVec3) -> Self {
        let cut = [0, 1, 2].map(|k| {
            let below = |b: &Bounds| b.lo[k] < lattice.origin[k];
            let mut reach_down = (0u32..).zip(bounds).filter(|(_, b)| below(b));
            let first = reach_down.next().filter(|(_, b)| b.hi[k] <= top[k])?;
            reach_down.next().is_none().then_some(first.0)
        });
        Self { top, cut }
    }

    /// For overlaps of a body with itself.
    #[must_use]
    pub fn above(top: DVec3) -> Self {
        Self { top, cut: [None; 3] }
    }
}

/// Sides of the box as bits: below and above along x, y, z.
fn sides(axis: usize) -> [u8; 2] {
    [1 << (2 * axis), 2 << (2 * axis)]
}

/// By the sides that all of a triangle is beyond: along which axes it is out of sight, with what lies above left out, and below along
/// those that `cut` says.
fn hidden_by_sides(above: bool, cut: [bool; 3]) -> [u8; 64] {
    let mask = |axis: usize| {
        let [u, v] = [(axis + 1) % 3, (axis + 2) % 3].map(|k| sides(k)[0] | sides(k)[1]);
        let [lower, upper] = sides(axis);
        u | v | if above { upper } else { 0 } | if cut[axis] { lower } else { 0 }
    };
    std::array::from_fn(|all| (0..3).fold(0, |h, axis| h | u8::from(all as u8 & mask(axis) != 0) << axis))
}

/// Triangles of a body that some ray may meet, each with its `hidden`: the first `kept`.
#[derive(Clone, Debug, Default)]
struct Found {
    list: Vec<(u32, u8)>,
    kept: usize,
}

impl Found {
    /// Of triangles with numbers from `first` on, by the sides that their corners are beyond; those alone that bound something: a face that names a
    /// vertex twice does not.
    #[inline(always)]
    fn fill(
        &mut self,
        triangles: &[[u32; 3]],
        first: usize,
        (codes, hidden_by, wanted): (&[u8], &[u8; 64], u8),
        bounds: impl Fn(usize) -> bool,
    ) {
        // All are written and some are kept: which cannot be guessed.
        if self.list.len() < triangles.len() {
            self.list.resize(triangles.len(), (0, 0));
        }
        let list = &mut self.list[..triangles.len()];
        let mut kept = 0;
        for (t, &[p, q, r]) in (first..).zip(triangles) {
            let all = codes[p as usize] & codes[q as usize] & codes[r as usize];
            let hidden = hidden_by[usize::from(all & 63)];
            list[kept] = (t as u32, hidden);
            kept += usize::from((wanted & !hidden != 0) & bounds(t));
        }
        self.kept = kept;
    }

    fn kept(&self) -> &[(u32, u8)] {
        &self.list[..self.kept]
    }
}

/// What rays can meet.
#[derive(Clone, Debug, Default)]
pub struct Within {
    /// Vertices (m), some bodies' in each of `ranges`; what stands between those means nothing.
    pub points: Vec<DVec3>,
    pub ranges: Vec<Range<usize>>,
    pub triangles: Vec<Triangle>,
    /// No coordinate is larger (m).
    pub size: f64,
    codes: Vec<u8>,
    /// By body, nothing where all of it is within reach; by some triangles.
    found: Vec<Option<Vec<Found>>>,
    renumbered: Vec<u32>,
}

/// A body whose vertices and triangles are to be packed: its own part of all lists.
struct Packing<'a> {
    body: &'a Body<'a>,
    found: &'a Option<Vec<Found>>,
    /// The number of its first triangle, and of its first vertex among those within reach.
    first: u32,
    before: u32,
    renumbered: &'a mut [u32],
    triangles: &'a mut [Triangle],
    points: &'a mut [DVec3],
    /// How many vertices there are.
    count: &'a mut Range<usize>,
}

impl Packing<'_> {
    /// Writes them, vertices in the order in which they are met.
    fn pack(&mut self) {
        let (corners_of, x) = (self.body.surface.triangles(), self.body.x);
        let mut count = 0;
        match self.found {
            None => {
                // All of it, with its own numbers.
                for (t, (out, c)) in (self.first..).zip(self.triangles.iter_mut().zip(corners_of)) {
                    *out = Triangle { number: t, corners: c.map(|v| self.before + v), hidden: 0 };
                }
                self.points.copy_from_slice(x);
                count = x.len();
            }
            Some(found) => {
                self.renumbered.fill(u32::MAX);
                let found = found.iter().flat_map(Found::kept);
                for (out, &(t, hidden)) in self.triangles.iter_mut().zip(found) {
                    let mut corners = corners_of[t as usize];
                    for v in &mut corners {
                        let new = &mut self.renumbered[*v as usize];
                        if *new == u32::MAX {
                            *new = self.before + count as u32;
                            self.points[count] = x[*v as usize];
                            count += 1;
                        }
                        *v = *new;
                    }
                    *out = Triangle { number: self.first + t, corners, hidden };
                }
            }
        }
        *self.count = self.before as usize..self.before as usize + count;
    }
}

impl Within {
    /// Finds what rays along the axes can meet; with `ends`, only what is not all above them and the lattice, or cut off below it. The
    /// lattice may end short of the overlap by rounding: a face in the overlap's end is no less needed.
    /// `around`: the boxes of the bodies.
    pub fn fill(
        &mut self,
        bodies: &[Body<'_>],
        around: &[Bounds],
        lattice: &Lattice,
        axes: &[usize],
        ends: Option<&Ends>,
    ) {
        self.size = around
            .iter()
            .fold(0.0, |m: f64, b| m.max(b.lo.abs().max_by_component(b.hi.abs()).component_max()));
        let size = DVec3::new(lattice.count[0] as f64, lattice.count[1] as f64, lattice.count[2] as f64);
        let end = lattice.origin + size * lattice.pixel;
        let bounds = Bounds { lo: lattice.origin, hi: ends.map_or(end, |e| end.max_by_component(e.top)) };
        let wanted = axes.iter().fold(0, |w, axis| w | 1 << axis);
        debug_assert_eq!(bodies.len(), around.len());
        self.found.resize_with(bodies.len(), || None);
        for (b, (body, around)) in bodies.iter().zip(around).enumerate() {
            let (triangles, edges) = (body.surface.triangles(), body.surface.face_edges());
            let all_bound = body.surface.all_faces_bound();
            if all_bound && bounds.beyond(around.lo) | bounds.beyond(around.hi) == 0 {
                self.found[b] = None;
                continue;
            }
            let cut = ends.map_or([None; 3], |e| e.cut).map(|c| c == Some(b as u32));
            let hidden_by = hidden_by_sides(ends.is_some(), cut);
            self.codes.resize(body.x.len(), 0);
            par::for_each_chunk(&mut self.codes, CHUNK, |c, codes| {
                all_beyond(&bounds, &body.x[c * CHUNK..c * CHUNK + codes.len()], codes);
            });
            let codes = &self.codes;
            let found = self.found[b].get_or_insert_default();
            found.resize_with(triangles.len().div_ceil(CHUNK), Found::default);
            par::for_each_chunk(found, 1, |c, found| {
                let range = c * CHUNK..((c + 1) * CHUNK).min(triangles.len());
                let bounds = |t: usize| all_bound || edges[t][0] != Topology::NONE;
                found[0].fill(&triangles[range.clone()], range.start, (codes, &hidden_by, wanted), bounds);
            });
        }
        self.pack(bodies);
    }

    /// Packs what was found, bodies side by side: each has room for as many vertices as it may need.
    fn pack(&mut self, bodies: &[Body<'_>]) {
        let room = |body: &Body<'_>, found: &Option<Vec<Found>>| match found {
            None => [body.surface.triangles().len(), body.x.len(), 0],
            Some(found) => {
                let kept = found.iter().map(|f| f.kept).sum();
                [kept, body.x.len().min(3 * kept), body.x.len()]
            }
        };
        let rooms: Vec<[usize; 3]> = bodies.iter().zip(&self.found).map(|(b, f)| room(b, f)).collect();
        let [triangles, points, renumbered] = [0, 1, 2].map(|k| rooms.iter().map(|r| r[k]).sum());
        // Nothing is cleared that is written again.
        self.triangles.resize(triangles, Triangle::default());
        self.points.resize(points, DVec3::zero());
        self.renumbered.resize(renumbered, 0);
        self.ranges.clear();
        self.ranges.resize(bodies.len(), 0..0);
        let mut rest = (&mut self.triangles[..], &mut self.points[..], &mut self.renumbered[..]);
        let (mut first, mut before) = (0, 0);
        let mut packing = Vec::with_capacity(bodies.len());
        let each = bodies.iter().zip(&self.found).zip(&rooms).zip(&mut self.ranges);
        for (((body, found), &[triangles, points, renumbered]), count) in each {
            let (t, more_t) = rest.0.split_at_mut(triangles);
            let (p, more_p) = rest.1.split_at_mut(points);
            let (r, more_r) = rest.2.split_at_mut(renumbered);
            rest = (more_t, more_p, more_r);
            packing.push(Packing {
                body,
                found,
                first,
                before,
                renumbered: r,
                triangles: t,
                points: p,
                count,
            });
            first += body.surface.triangles().len() as u32;
            before += points as u32;
        }
        par::for_each_chunk(&mut packing, 1, |_, one| one[0].pack());
    }

    /// All vertices within reach (m).
    pub fn points(&self) -> impl Iterator<Item = &DVec3> {
        self.ranges.iter().flat_map(|r| &self.points[r.clone()])
    }
}
