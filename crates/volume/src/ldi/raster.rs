//! Triangles to depth layers: which pixels a triangle covers along one axis, and how deep.
//!
//! Row by row between two sides of the triangle. Where a side passes a row is decided once per side, from its vertices in one
//! order and exactly (Shewchuk's orient2d) where rounding is in doubt, with every pixel centre moved by (ε, ε²), ε > 0
//! infinitely small: a ray through an edge or a corner of a closed surface meets it as often inwards as outwards.

use super::lanes;
use super::lattice::View;
use super::layers::{Depths, Waiting};
use super::sample::Sample;
use super::visible::Visible;
use impinge_contact::wide::Instructions;
use robust::{Coord, orient2d};

/// A vertex seen along the axis.
#[derive(Clone, Copy)]
struct Corner {
    /// Where (m).
    u: f64,
    v: f64,
    depth: f64,
    /// The first row at or above it.
    row: u32,
}

/// A side of a triangle, from its lower end (along v) to its upper.
struct Side {
    ends: [[f64; 2]; 2],
    /// Where it passes the row last asked for, and how far it goes from row to row: pixels times 2²⁴.
    at: i64,
    step: i64,
}

/// One pixel.
const ONE: f64 = 16_777_216.0;
const BITS: u32 = 24;
const MASK: i64 = (1 << BITS) - 1;
/// Nearer to a pixel's centre than this (2⁻¹⁶ of a pixel), a side's position is in doubt. Its rounding is far below: half a unit where it
/// starts and for each row of a band, and what [`Side::new`] allows the floating-point numbers before.
const DOUBT: i64 = 1 << (BITS - 16);
/// The same in pixels.
pub const DOUBT_PIXELS: f64 = DOUBT as f64 / ONE;
/// Rounding of a side's position, relative to the largest coordinate.
pub const ROUNDING: f64 = 8e-15;
/// Pixels away, or from row to row, that a position can be counted in.
const FAR: f64 = 16_777_216.0;

/// A position in pixels below [`FAR`] times 2²⁴, rounded; any other number gives one without a meaning. A conversion would have to look out for
/// those: this is an addition that leaves the whole number in the low bits.
#[inline(always)]
fn counted(x: f64) -> i64 {
    const ROUND: f64 = 1.5 * 4_503_599_627_370_496.0;
    ((x * ONE + ROUND).to_bits() as i64).wrapping_sub(ROUND.to_bits() as i64)
}

impl Side {
    /// As it passes `row`, which is at `v`. `size`: the largest coordinate of the triangle's corners. `false` where rounding could come near the
    /// doubt: such a side is decided row by row. Ends in one row make a side that no row asks for.
    #[inline(always)]
    fn new(view: &View, p: &Corner, q: &Corner, v: f64, size: f64) -> (Self, bool) {
        let slope = (q.u - p.u) / (q.v - p.v) * view.inverse;
        let at = (p.u - view.origin[0]) * view.inverse - 0.5 + slope * (v - p.v);
        let step = slope * view.pixel;
        let rounding = ROUNDING * size * (view.inverse + slope.abs());
        let sure = (rounding < 2e-7) & (at.abs() < FAR) & (step.abs() < FAR);
        let side = Self { ends: [[p.u, p.v], [q.u, q.v]], at: counted(at), step: counted(step) };
        (side, sure)
    }

    /// The first pixel to its right, and whether that is in doubt. On to the next row.
    #[inline(always)]
    fn first_right(&mut self) -> (i64, bool) {
        let i = self.at.wrapping_add(MASK) >> BITS;
        let doubt = self.at.wrapping_add(DOUBT) & MASK < 2 * DOUBT;
        self.at = self.at.wrapping_add(self.step);
        (i, doubt)
    }

    /// A pixel's centre is to its right, exactly; on the side, the centre's move along u puts it there.
    fn exact_right(&self, view: &View, row: usize, i: usize) -> bool {
        let c = |p: [f64; 2]| Coord { x: p[0], y: p[1] };
        orient2d(c(self.ends[0]), c(self.ends[1]), c(view.centre(i, row))) <= 0.0
    }

    /// The first pixel of a row to its right, exactly.
    #[cold]
    fn exact_first_right(&self, view: &View, row: usize) -> i64 {
        let (mut from, mut end) = (0, view.count[0]);
        while from < end {
            let middle = from + (end - from) / 2;
            if self.exact_right(view, row, middle) {
                end = middle;
            } else {
                from = middle + 1;
            }
        }
        from as i64
    }

    /// The same where only one pixel is in doubt, of a side whose position is known: `i` from [`Side::first_right`], which has gone on by
    /// a row since, is that pixel or the one after it.
    fn exact_if(&self, doubt: bool, i: i64, view: &View, row: usize) -> i64 {
        if !doubt {
            return i;
        }
        let nearest = self.at.wrapping_sub(self.step).wrapping_add(DOUBT) >> BITS;
        match usize::try_from(nearest) {
            // What is beyond the row's ends is cut off there either way.
            Ok(pixel) if pixel < view.count[0] => nearest + i64::from(!self.exact_right(view, row, pixel)),
            _ => i,
        }
    }
}

/// Corners by row, from whether corner 0 is at most 1, 1 at most 2, 0 at most 2 (bits 0, 1, 2): a table has no branch to guess wrong.
const ORDER: [[usize; 3]; 8] =
    [[2, 1, 0], [2, 0, 1], [1, 2, 0], [0, 1, 2], [0, 1, 2], [0, 2, 1], [1, 0, 2], [0, 1, 2]];

/// Columns up to which 64 rows, or 32, are collected together.
const SMALL: usize = 512;
const MIDDLE: usize = 1024;

/// Rows of a tile for so many columns, as a power of two that divides a band's: few enough pixels, but more rows than triangles mostly have.
#[must_use]
pub fn tile_shift(columns: usize) -> u32 {
    if columns <= SMALL {
        6
    } else if columns <= MIDDLE {
        5
    } else {
        4
    }
}

/// The layers of a band of rows: `samples[start[p]..start[p + 1]]` are those of its pixel p, along the ray.
#[derive(Clone, Debug, Default)]
pub struct Band {
    pub first_row: usize,
    pub rows: usize,
    pub start: Vec<u32>,
    pub samples: Vec<Sample>,
    /// Most layers of a pixel.
    pub deepest: usize,
    /// How many layers were met, those of pixels that are left out among them.
    pub met: usize,
}

impl Band {
    /// Fills the band tile by tile, of so many rows each, with the triangles that reach it, by their place in the list of visible ones; stops
    /// beyond `most` layers met. A pixel with less than `fewest` layers has none. Gives how many triangles the lanes left to be done one by one.
    pub fn raster(
        &mut self,
        with: Instructions,
        view: &View,
        visible: &Visible,
        (tiles, tile_rows): (&[Vec<u32>], usize),
        [fewest, most]: [usize; 2],
        waiting: &mut Waiting,
    ) -> usize {
        let columns = view.count[0];
        // All of both is written; what stands there is not worth clearing.
        self.start.resize(self.rows * columns + 1, 0);
        let (mut filled, mut left) = (0, 0);
        (self.deepest, self.met) = (0, 0);
        for (k, list) in tiles.iter().enumerate() {
            let rows = [k * tile_rows, ((k + 1) * tile_rows).min(self.rows)];
            let start = &mut self.start[rows[0] * columns..rows[1] * columns];
            waiting.start(start.len());
            let of_all = rows.map(|r| self.first_row + r);
            lanes::raster(with, view, visible, list, of_all, most.saturating_sub(self.met), waiting);
            left += waiting.one_by_one;
            self.met += waiting.count();
            let [end, deepest] = waiting.finish(start, &mut self.samples, filled, fewest as u32);
            filled = end;
            self.deepest = self.deepest.max(deepest);
        }
        self.samples.truncate(filled);
        self.start[self.rows * columns] = filled as u32;
        left
    }
}

/// Samples of one triangle, by its place, in rows `band` of a band that starts with the first of them.
#[inline(never)]
pub fn one(view: &View, visible: &Visible, place: u32, band: [usize; 2], out: &mut Waiting) {
    let t = &visible.within.triangles[place as usize];
    let corners = t.corners.map(|v| {
        let [u, w, depth, _] = visible.corners[v as usize];
        Corner { u, v: w, depth, row: visible.places[v as usize].row }
    });
    let [a, b, c] = &corners;
    let (u, v) = ([b.u - a.u, b.v - a.v, b.depth - a.depth], [c.u - a.u, c.v - a.v, c.depth - a.depth]);
    let turn = u[0] * v[1] - u[1] * v[0];
    let per_turn = 1.0 / turn;
    let (gu, gv) = ((u[2] * v[1] - u[1] * v[2]) * per_turn, (u[0] * v[2] - u[2] * v[0]) * per_turn);
    let (near, far) = (a.depth.min(b.depth).min(c.depth), a.depth.max(b.depth).max(c.depth));
    let size = corners.iter().fold(0.0, |m: f64, p| m.max(p.u.abs()).max(p.v.abs()));
    // Corners by row; the side from the lowest to the highest faces the other two. Sides within a row are passed by none.
    let key =
        usize::from(a.row <= b.row) | usize::from(b.row <= c.row) << 1 | usize::from(a.row <= c.row) << 2;
    let [bottom, middle, top] = ORDER[key];
    let rows = (corners[bottom].row as usize).max(band[0])..(corners[top].row as usize).min(band[1]);
    let first = view.row(rows.start);
    let side = |p: usize, q: usize| Side::new(view, &corners[p], &corners[q], first, size);
    let ((mut long, known), (mut low, low_known), (mut high, high_known)) =
        (side(bottom, top), side(bottom, middle), side(middle, top));
    let long_rises = (bottom + 1) % 3 == top;
    let turns = corners[middle].row as usize;
    // A side that no row asks for may be anything.
    let sure = known & (low_known | (rows.start >= turns)) & (high_known | (rows.end <= turns));
    let columns = view.count[0] as i64;
    for row in rows {
        let v = view.row(row);
        let (mut x, x_doubt) = long.first_right();
        let (below, above) = (low.first_right(), high.first_right());
        let (mut y, y_doubt) = if row < turns { below } else { above };
        if x_doubt | y_doubt | !sure {
            let short = if row < turns { &low } else { &high };
            (x, y) = if sure {
                (long.exact_if(x_doubt, x, view, row), short.exact_if(y_doubt, y, view, row))
            } else {
                (long.exact_first_right(view, row), short.exact_first_right(view, row))
            };
        }
        let (x, y) = (x.clamp(0, columns), y.clamp(0, columns));
        // Counter-clockwise, seen against the ray: the rising side is on the right, the ray leaves.
        let leaves = if long_rises { x > y } else { y > x };
        let (from, span) = (x.min(y) as usize, x.abs_diff(y) as usize);
        let tag = t.number << 1 | u32::from(!leaves);
        let at_row = a.depth + gv * (v - a.v);
        let pixel = (row - band[0]) * view.count[0] + from;
        let depths = Depths { at: at_row, slope: gu, from: a.u, near, far };
        let at = out.room();
        let at = out.span(at, &visible.columns, [from, span], pixel as u32, tag, depths);
        out.written(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::closed::{Body, ClosedSurface};
    use crate::ldi::Lattice;
    use impinge_geometry::{DVec3, TriMesh, cuboid, icosphere, torus};

    /// Layers of a mesh along `axis` in rows from 3 on, by lanes of each kind and triangle by triangle: how many, and which part of the
    /// triangles the lanes left.
    fn both_ways(mesh: &TriMesh, lattice: &Lattice, axis: usize) -> (usize, f64) {
        let surface = ClosedSurface::new(mesh).unwrap();
        let mut visible = Visible::default();
        let body = Body::new(&surface, mesh.positions()).unwrap();
        visible.within.fill(&[body], &[body.bounds(0).unwrap()], lattice, &[axis], None);
        let view = View::new(lattice, axis);
        let rows = [3, view.count[1] - 2];
        let mut list = Vec::new();
        visible.look(&view, f64::INFINITY, 0, |run, [first, last]| {
            if (first as usize) < rows[1] && last as usize >= rows[0] {
                list.extend_from_slice(run);
            }
        });
        let pixels = (rows[1] - rows[0]) * view.count[0];
        let (mut start, mut samples, mut waiting) = (vec![0; pixels], Vec::new(), Waiting::default());
        waiting.start(pixels);
        list.iter().for_each(|&t| one(&view, &visible, t, rows, &mut waiting));
        let [end, deepest] = waiting.finish(&mut start, &mut samples, 0, 0);
        samples.truncate(end);
        start.push(end as u32);
        let tiles = [list];
        let mut left = f64::NAN;
        for with in Instructions::available() {
            let (first_row, rows) = (rows[0], rows[1] - rows[0]);
            let mut band = Band { first_row, rows, ..Band::default() };
            let one_by_one =
                band.raster(with, &view, &visible, (&tiles, rows), [0, usize::MAX], &mut waiting);
            left = one_by_one as f64 / tiles[0].len() as f64;
            assert_eq!(band.start, start, "{}", with.name());
            assert_eq!(band.deepest, deepest);
            assert_eq!(band.samples.len(), samples.len());
            for (a, b) in band.samples.iter().zip(&samples) {
                assert_eq!((a.depth.to_bits(), a.tag), (b.depth.to_bits(), b.tag), "{}", with.name());
            }
        }
        (samples.len(), left)
    }

    #[test]
    fn the_one_pixel_in_doubt_decides_as_the_whole_row_does() {
        let view = View::new(&Lattice { origin: DVec3::zero(), pixel: 1.0 / 32.0, count: [20, 24, 4] }, 2);
        let (columns, rows) = (view.count[0] as i64, view.count[1]);
        // Ends at pixels' centres in the lattice and outside of it, and less than the doubt beside them.
        let at = |i: i64, off: f64| (i as f64 + 0.5 + off) * view.pixel;
        let (mut in_doubt, mut went_on) = (0, 0);
        for low in -3..columns + 3 {
            for high in [-40, low - 7, low, low + 1, low + 13, 60] {
                for off in [-1e-6, 0.0, 1e-13, 1e-6] {
                    let corner = |i: i64, row: i64, off: f64| Corner {
                        u: at(i, off),
                        v: at(row, 0.0),
                        depth: 0.0,
                        row: row as u32,
                    };
                    let (p, q) = (corner(low, 0, off), corner(high, rows as i64, -off));
                    let (mut side, sure) = Side::new(&view, &p, &q, view.row(0), 2.0);
                    assert!(sure);
                    for row in 0..rows {
                        let (i, doubt) = side.first_right();
                        let one = side.exact_if(doubt, i, &view, row).clamp(0, columns);
                        assert_eq!(
                            one,
                            side.exact_first_right(&view, row),
                            "{low} to {high} + {off} in {row}"
                        );
                        let within = doubt && (0..columns).contains(&i);
                        in_doubt += u32::from(within);
                        went_on += u32::from(within && one == i + 1);
                    }
                }
            }
        }
        assert!(in_doubt > 500 && went_on > 50, "{in_doubt} pixels in doubt, {went_on} passed over");
    }

    #[test]
    fn lanes_are_triangles_one_by_one() {
        let small = torus(1.0, 0.35, 61, 34).unwrap();
        let meshes = [
            // Oblique triangles of some pixels; of hundreds; sides along the pixels' centres; far from the origin; some rows high and more than a
            // thousand pixels wide, and half as wide.
            small.mapped(|p| DVec3::new(p.x + 0.1 * p.y, p.y - 0.3 * p.z, p.z + 0.2 * p.x)).unwrap(),
            icosphere(1.0, 1).unwrap(),
            cuboid(DVec3::new(2.0, 2.0, 2.0), [8; 3]).unwrap(),
            small.mapped(|p| p + DVec3::new(3e9, -2e9, 1e9)).unwrap(),
            icosphere(1.0, 0)
                .unwrap()
                .mapped(|p| DVec3::new(60.0 * p.x + p.y, 0.05 * p.y, 0.06 * p.z))
                .unwrap(),
            icosphere(1.0, 0)
                .unwrap()
                .mapped(|p| DVec3::new(25.0 * p.x + p.y, 0.05 * p.y, 0.06 * p.z))
                .unwrap(),
        ];
        for (i, mesh) in meshes.iter().enumerate() {
            let (lo, hi) = mesh.bounds();
            // Whole pixels to a side of the cuboid's squares, and half a pixel off: every corner is a pixel's centre.
            let pixel = 1.0 / 32.0;
            let origin = lo - DVec3::broadcast(4.5 * pixel);
            let count = [hi.x - lo.x, hi.y - lo.y, hi.z - lo.z].map(|e| (e / pixel) as usize + 10);
            for axis in 0..3 {
                let (samples, left) = both_ways(mesh, &Lattice { origin, pixel, count }, axis);
                assert!(samples > if i < 4 { 1000 } else { 0 }, "mesh {i}: {samples}");
                // Eight at a time are small ones that nothing is in doubt of; the other meshes are there for what is.
                let expected = match (i, axis) {
                    (0, _) => 0.0..=0.01,
                    // Wide seen along z only; tall along y, of less than a row along x.
                    (4, 2) => 0.5..=1.0,
                    (5, 2) => 0.0..=0.2,
                    (4 | 5, _) => 0.0..=1.0,
                    _ => 0.9..=1.0,
                };
                assert!(expected.contains(&left), "mesh {i}: the lanes left {left} of the triangles");
            }
        }
    }
}
