//! Where the vertices within reach are among the pixels of a direction, and which triangles reach pixels there.

use super::lattice::View;
use super::layers::WIDE;
use super::within::{Triangle, Within};
use impinge_contact::wide::Instructions;
use impinge_contact::{for_each_set, par};
use impinge_geometry::DVec3;

/// Vertices projected, triangles looked at in one go; fixed, so that no thread count shows.
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

/// What rays can meet, as they look along one direction.
#[derive(Clone, Debug, Default)]
pub struct Visible {
    pub within: Within,
    /// By vertex, for the direction last looked along.
    pub places: Vec<Place>,
    /// The same vertices for the lanes.
    pub corners: Vec<Corner>,
    /// Coordinate of the pixels' centres along u (m), for that direction and for [`WIDE`] pixels beyond its last.
    pub columns: Vec<f64>,
    covering: Vec<Covering>,
}

impl Visible {
    /// Looks along an axis: `out` gets the triangles, by their place, that reach a pixel and are not all above `top`, some at a time, with the
    /// first and the last of the tiles of 2^`shift` rows that all of these reach.
    pub fn look(&mut self, view: &View, top: f64, shift: u32, mut out: impl FnMut(&[u32], [u32; 2])) {
        let Within { points, ranges, triangles, .. } = &self.within;
        self.places.resize(points.len(), Place::default());
        self.corners.resize(points.len(), [0.0; 4]);
        let with = Instructions::best();
        let mut pieces = Vec::with_capacity(ranges.len() + points.len() / CHUNK);
        let (mut places, mut corners, mut passed) = (&mut self.places[..], &mut self.corners[..], 0);
        for range in ranges {
            for from in range.clone().step_by(CHUNK) {
                let count = CHUNK.min(range.end - from);
                let skipped = (places.split_at_mut(from - passed).1, corners.split_at_mut(from - passed).1);
                let (p, more) = skipped.0.split_at_mut(count);
                let (c, others) = skipped.1.split_at_mut(count);
                pieces.push((&points[from..from + count], p, c));
                (places, corners, passed) = (more, others, from + count);
            }
        }
        par::for_each_chunk(&mut pieces, 1, |_, piece| {
            let (points, places, corners) = &mut piece[0];
            place_all(with, view, top, points, places, corners);
        });
        self.columns.clear();
        self.columns.extend((0..view.count[0] + WIDE).map(|i| view.centre(i, 0)[0]));
        let places = &self.places;
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
