//! Which triangles and vertices the rays can meet at all: found once for the three directions, and packed.
//!
//! Of two fine bodies that touch, the rays see a small part. A vertex is classed against the six sides of the lattice's box; a
//! triangle whose corners are all beyond one side is out of reach. What is left is numbered anew, so that the loops over each
//! direction read memory in order and nothing else.
//!
//! Of a body that lies on another only the end that sticks into the other's box says anything, and a ray that starts at the box
//! does not begin outside of it: how often it is inside there is what it is short of on its way out, for it ends outside of a closed
//! surface. So what lies below the box along a ray is left out as well, of the one body that may have something there ([`Ends::cut`]).

use super::lattice::{Lattice, View};
use super::layers::WIDE;
use crate::closed::{Body, Bounds};
use impinge_contact::wide::Instructions;
use impinge_contact::{for_each_set, par};
use impinge_geometry::{DVec3, Topology};

/// Vertices classed, triangles looked at, vertices projected in one go; fixed, so that no thread count shows.
const CHUNK: usize = 8192;

/// Vertices placed at a time.
const LANES: usize = 8;

/// Where a vertex is among the pixels of a direction.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(16))]
pub struct Place {
    /// The first row of pixel centres at or above it.
    pub row: u32,
    /// The first columns to the right of it if it were a millionth of a pixel farther left, or right: room for rounding.
    column: [u32; 2],
    /// 1 where it lies above all that matters.
    above: u32,
}

impl Place {
    /// All of it as four lanes, so that three corners are compared at once.
    #[inline(always)]
    fn lanes(&self) -> [u32; 4] {
        [self.row, self.column[0], self.column[1], self.above]
    }

    /// Of a point at (u, v), and whether its row is in doubt.
    #[inline(always)]
    fn near(view: &View, u: f64, v: f64) -> (Self, bool) {
        let (columns, rows) = (view.count[0] as f64, view.count[1] as f64);
        let at = (u - view.origin[0]) * view.inverse - 0.5;
        let column = [at - 1e-6, at + 1e-6].map(|x| ceiling(x.max(0.0).min(columns)).0);
        let (row, over) = ceiling(((v - view.origin[1]) * view.inverse - 0.5).max(0.0).min(rows));
        (Self { row, column, above: 0 }, !(1e-6..=1.0 - 1e-6).contains(&over))
    }

    /// Where the quotient may be one off the rows' centres decide, as they are rounded.
    fn settle(&mut self, view: &View, v: f64) {
        while self.row > 0 && view.row(self.row as usize - 1) >= v {
            self.row -= 1;
        }
        while (self.row as usize) < view.count[1] && view.row(self.row as usize) < v {
            self.row += 1;
        }
    }
}

/// A vertex as the lanes fetch it: along u and v (m), its depth (m), its row.
pub type Corner = [f64; 4];

/// See [`place_all`].
#[inline(always)]
fn place_lanes(view: &View, top: f64, points: &[DVec3], places: &mut [Place], corners: &mut [Corner]) {
    let chunks = points.chunks(LANES).zip(places.chunks_mut(LANES)).zip(corners.chunks_mut(LANES));
    for ((points, places), corners) in chunks {
        let (mut u, mut v, mut w) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
        for (l, &p) in points.iter().enumerate() {
            [u[l], v[l], w[l]] = view.project(p);
        }
        let (mut row, mut left, mut right, mut doubt) = ([0; LANES], [0; LANES], [0; LANES], [0u32; LANES]);
        let mut above = [0; LANES];
        for l in 0..LANES {
            let (place, in_doubt) = Place::near(view, u[l], v[l]);
            (row[l], [left[l], right[l]]) = (place.row, place.column);
            doubt[l] = u32::from(in_doubt);
            above[l] = u32::from(!(w[l] <= top));
        }
        for (l, place) in places.iter_mut().enumerate() {
            *place = Place { row: row[l], column: [left[l], right[l]], above: above[l] };
        }
        if doubt.iter().any(|&d| d != 0) {
            for (l, place) in places.iter_mut().enumerate().filter(|(l, _)| doubt[*l] != 0) {
                place.settle(view, v[l]);
            }
        }
        for (l, (corner, place)) in corners.iter_mut().zip(places).enumerate() {
            *corner = [u[l], v[l], w[l], f64::from(place.row)];
        }
    }
}

for_each_set! {
    /// Where points are among the pixels, and which of them lie above `top`.
    place_all = place_lanes(view: &View, top: f64, points: &[DVec3], places: &mut [Place], corners: &mut [Corner])
}

/// Triangles that reach pixels, by their place, and the first and last tile they reach: the first `kept` of both lists.
#[derive(Clone, Debug, Default)]
struct Covering {
    list: Vec<u32>,
    tiles: Vec<[u32; 2]>,
    kept: usize,
}

impl Covering {
    /// Hands out those that follow each other and reach the same tiles, together.
    fn runs(&self, mut out: impl FnMut(&[u32], [u32; 2])) {
        let (list, tiles) = (&self.list[..self.kept], &self.tiles[..self.kept]);
        let mut from = 0;
        while from < list.len() {
            let same = tiles[from..].iter().take_while(|t| **t == tiles[from]).count();
            out(&list[from..from + same], tiles[from]);
            from += same;
        }
    }
}

/// See [`cover_all`].
#[inline(always)]
fn cover_lanes(
    triangles: &[Triangle],
    first: u32,
    places: &[Place],
    axis: usize,
    shift: u32,
    out: &mut Covering,
) {
    // All are written and some are kept: which cannot be guessed. What stands there is not worth clearing.
    let Covering { list, tiles, kept: end } = out;
    if list.len() < triangles.len() {
        list.resize(triangles.len(), 0);
        tiles.resize(triangles.len(), [0; 2]);
    }
    let (list, tiles) = (&mut list[..triangles.len()], &mut tiles[..triangles.len()]);
    let mut kept = 0;
    for (i, t) in triangles.iter().enumerate() {
        let [a, b, c] = t.corners.map(|v| places[v as usize].lanes());
        let (mut least, mut most) = ([0; 4], [0; 4]);
        for l in 0..4 {
            least[l] = a[l].min(b[l]).min(c[l]);
            most[l] = a[l].max(b[l]).max(c[l]);
        }
        let covers = (least[0] < most[0]) & (least[1] < most[2]) & (least[3] == 0) & !t.out_of_sight(axis);
        list[kept] = first + i as u32;
        tiles[kept] = [least[0] >> shift, most[0].wrapping_sub(1) >> shift];
        kept += usize::from(covers);
    }
    *end = kept;
}

for_each_set! {
    /// The triangles, by their place, that reach a pixel's row and column and are not all above or hidden; the tiles of 2^`shift` rows they reach.
    cover_all = cover_lanes(
        triangles: &[Triangle], first: u32, places: &[Place], axis: usize, shift: u32, out: &mut Covering
    )
}

/// The least whole number not below a number from 0 to 2³² − 1, and how far below it the number is. `ceil` is a call on a baseline
/// processor, and a conversion looks out for what cannot come here: this is an addition that leaves the whole number in the low bits.
#[inline(always)]
fn ceiling(x: f64) -> (u32, f64) {
    const WHOLE: f64 = 4_503_599_627_370_496.0;
    let near = x + WHOLE;
    let over = (near - WHOLE) - x;
    let up = over < 0.0;
    (near.to_bits() as u32 + u32::from(up), if up { over + 1.0 } else { over })
}

/// A triangle within reach of the rays.
#[derive(Clone, Copy, Debug)]
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
    pub fn above(top: DVec3) -> Self {
        Self { top, cut: [None; 3] }
    }
}

/// What rays can meet.
#[derive(Clone, Debug, Default)]
pub struct Visible {
    /// Vertices (m).
    pub points: Vec<DVec3>,
    pub triangles: Vec<Triangle>,
    /// By vertex, for the direction last looked along.
    pub places: Vec<Place>,
    /// The same vertices for the lanes.
    pub corners: Vec<Corner>,
    /// No coordinate is larger (m).
    pub size: f64,
    /// Coordinate of the pixels' centres along u (m), for that direction and for [`WIDE`] pixels beyond its last.
    pub columns: Vec<f64>,
    codes: Vec<u8>,
    renumbered: Vec<u32>,
    found: Vec<Vec<(u32, u8)>>,
    covering: Vec<Covering>,
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

impl Visible {
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
        self.points.clear();
        self.triangles.clear();
        let size = DVec3::new(lattice.count[0] as f64, lattice.count[1] as f64, lattice.count[2] as f64);
        let end = lattice.origin + size * lattice.pixel;
        let bounds = Bounds { lo: lattice.origin, hi: ends.map_or(end, |e| end.max_by_component(e.top)) };
        let wanted = axes.iter().fold(0, |w, axis| w | 1 << axis);
        let mut first = 0u32;
        for (b, (body, around)) in (0u32..).zip(bodies.iter().zip(around)) {
            let cut = ends.map_or([None; 3], |e| e.cut).map(|c| c == Some(b));
            let hidden_by = hidden_by_sides(ends.is_some(), cut);
            let (triangles, edges) = (body.surface.triangles(), body.surface.face_edges());
            if body.surface.all_faces_bound() && bounds.beyond(around.lo) | bounds.beyond(around.hi) == 0 {
                // All of it, with its own numbers.
                let before = self.points.len() as u32;
                self.points.extend_from_slice(body.x);
                self.triangles.extend(triangles.iter().zip(first..).map(|(c, number)| Triangle {
                    number,
                    corners: c.map(|v| before + v),
                    hidden: 0,
                }));
                first += triangles.len() as u32;
                continue;
            }
            self.codes.clear();
            self.codes.resize(body.x.len(), 0);
            par::fill(&mut self.codes, CHUNK, |i, code| *code = bounds.beyond(body.x[i]));
            let codes = &self.codes;
            self.found.resize_with(triangles.len().div_ceil(CHUNK), Vec::new);
            par::for_each_chunk(&mut self.found, 1, |c, found| {
                let found = &mut found[0];
                found.clear();
                let range = c * CHUNK..((c + 1) * CHUNK).min(triangles.len());
                for (i, &[p, q, r]) in triangles[range.clone()].iter().enumerate() {
                    let all = codes[p as usize] & codes[q as usize] & codes[r as usize];
                    let t = range.start + i;
                    let hidden = hidden_by[usize::from(all & 63)];
                    // A face that names a vertex twice bounds nothing.
                    if wanted & !hidden != 0 && edges[t][0] != Topology::NONE {
                        found.push((t as u32, hidden));
                    }
                }
            });
            self.renumber(body, first);
            first += triangles.len() as u32;
        }
    }

    /// Of a body whose triangles start with number `first`: what was found, with vertices in the order in which they are met.
    fn renumber(&mut self, body: &Body<'_>, first: u32) {
        self.renumbered.clear();
        self.renumbered.resize(body.x.len(), u32::MAX);
        for &(t, hidden) in self.found.iter().flatten() {
            let mut corners = body.surface.triangles()[t as usize];
            for v in &mut corners {
                let new = &mut self.renumbered[*v as usize];
                if *new == u32::MAX {
                    *new = self.points.len() as u32;
                    self.points.push(body.x[*v as usize]);
                }
                *v = *new;
            }
            self.triangles.push(Triangle { number: first + t, corners, hidden });
        }
    }

    /// Looks along an axis: `out` gets the triangles, by their place, that reach a pixel and are not all above `top`, some at a time, with the
    /// first and the last of the tiles of 2^`shift` rows that all of these reach.
    pub fn look(&mut self, view: &View, top: f64, shift: u32, mut out: impl FnMut(&[u32], [u32; 2])) {
        self.places.resize(self.points.len(), Place::default());
        self.corners.resize(self.points.len(), [0.0; 4]);
        let points = &self.points;
        let with = Instructions::best();
        par::for_each_chunk_of_two((&mut self.places, &mut self.corners), CHUNK, |c, places, corners| {
            place_all(with, view, top, &points[c * CHUNK..c * CHUNK + places.len()], places, corners);
        });
        self.columns.clear();
        self.columns.extend((0..view.count[0] + WIDE).map(|i| view.centre(i, 0)[0]));
        let (places, triangles) = (&self.places, &self.triangles);
        self.covering.resize_with(triangles.len().div_ceil(CHUNK), Covering::default);
        par::for_each_chunk(&mut self.covering, 1, |c, covering| {
            let range = c * CHUNK..((c + 1) * CHUNK).min(triangles.len());
            cover_all(
                with,
                &triangles[range.clone()],
                range.start as u32,
                places,
                view.axis,
                shift,
                &mut covering[0],
            );
        });
        self.covering.iter().for_each(|c| c.runs(&mut out));
    }
}
