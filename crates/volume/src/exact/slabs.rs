//! The part of a face inside the other body, cut at the walls of a grid.
//!
//! Segments around it reach along its own sides from where they are met to a corner, and cancel where they lie on each other. So one line must be
//! cut at one place, whichever segment it is seen from. Of a face that lies in a wall up to rounding, a height as coordinate has no digits left for
//! that: it is the same number all along a part of the line and jumps somewhere, for each segment somewhere else. What was left of two segments then
//! was a triangle, above a wall and taken away below it, and no wall is handed an area below 0: volume was missing, and one body's push. Differences
//! from the wall have all their digits however small they are ([`Along::cut`]): by them such a face is a plane that leans a little.

use super::cells::{Piece, floor};
use super::chain::Chain;
use super::cross::Face;
use crate::bounds::Bounds;
use crate::closed::along;
use crate::overlap::CellGrid;
use impinge_geometry::DVec3;

/// Scratch of cutting: the chain below each wall, axis by axis.
#[derive(Clone, Debug, Default)]
pub struct Cutter {
    whole: Chain,
    slab: [Chain; 3],
}

impl Cutter {
    /// The chain to fill before [`Cutter::pieces`].
    pub fn start(&mut self) -> &mut Chain {
        self.whole.clear();
        &mut self.whole
    }

    /// Cuts the region of a face at the grid's walls and calls `out` for every piece. Moments are taken about [`floor`].
    pub fn pieces(&mut self, face: &Face, side: u8, grid: &CellGrid, common: &Bounds, out: &mut Vec<Piece>) {
        let [a, b, c] = face.plane.corners;
        let h = [0, 1, 2].map(|k| [along(a, k), along(b, k) - along(a, k), along(c, k) - along(a, k)]);
        let mut cell = [0; 3];
        let [s0, s1, s2] = &mut self.slab;
        let whole = &mut self.whole;
        let axes = [0, 1, 2].map(|k| {
            let level = is_level(face.plane.normal, k);
            Along { axis: k, h: h[k], level, grid, common }
        });
        axes[0].slabs(whole, s0, |x, k| {
            cell[0] = k;
            axes[1].slabs(x, s1, |xy, k| {
                cell[1] = k;
                axes[2].slabs(xy, s2, |part, k| {
                    cell[2] = k;
                    let m = part.moments();
                    let (n, weights) = (face.plane.normal, m.of_corners());
                    let first = |axis: usize| {
                        let low = along(a, axis) - floor(grid, common, axis, cell[axis]);
                        let moment = low * m.area + h[axis][1] * m.first[0] + h[axis][2] * m.first[1];
                        moment * along(n, axis)
                    };
                    let first = DVec3::new(first(0), first(1), first(2));
                    let corner = [0, 1, 2].map(|k| (face.vertices[k], n * weights[k]));
                    out.push(Piece { cell, side, corner, first });
                });
            });
        });
    }
}

/// A face is level along an axis where it leans from the walls across that by less than this (rad). Along a steeper one the rounding of a coordinate
/// moves a cut by that over the lean, 2e-12 of the coordinate at most: there either way to cut is as good, and it is cut as it always was, to the bit.
const LEVEL: f64 = 1e-4;

fn is_level(normal: DVec3, axis: usize) -> bool {
    let across = normal[(axis + 1) % 3].abs().max(normal[(axis + 2) % 3].abs());
    across <= LEVEL * normal[axis].abs()
}

/// A face along one axis of a grid.
struct Along<'a> {
    axis: usize,
    /// Of corner 0 along the axis, and how far corners 1 and 2 are from there (m).
    h: [f64; 3],
    level: bool,
    grid: &'a CellGrid,
    common: &'a Bounds,
}

impl Along<'_> {
    /// Calls `f` with the part of `chain` between each pair of walls.
    fn slabs(&self, chain: &mut Chain, part: &mut Chain, mut f: impl FnMut(&mut Chain, i32)) {
        if chain.is_empty() {
            return;
        }
        let &Self { axis, h, level, grid, common } = self;
        let (lo, hi) = chain.range(h);
        // What is inside both bodies is inside both boxes; of enormous triangles, only up to rounding.
        // A cell of slack leaves the ordinary rounding alone.
        let (least, most) = (along(common.lo, axis) - grid.size, along(common.hi, axis) + grid.size);
        let inside = |x: f64| grid.index(axis, x.max(least).min(most));
        // Which cell a coordinate is in is rounded apart from where the wall is. Of a level face that would be all of it: the walls themselves decide.
        let slack = i32::from(level);
        let (first, last) = (inside(lo) - slack, inside(hi) + slack);
        for k in first..last {
            self.cut(chain, grid.wall(axis, k + 1), part);
            if !part.is_empty() {
                f(part, k);
            }
        }
        if !chain.is_empty() {
            f(chain, last);
        }
    }

    /// Moves what is below a wall at this coordinate (m) from `chain` to `part`.
    fn cut(&self, chain: &mut Chain, wall: f64, part: &mut Chain) {
        if self.level {
            // The difference first: it is exact this near to the wall, and what is added to it is as small.
            chain.cut([self.h[0] - wall, self.h[1], self.h[2]], 0.0, part);
        } else {
            chain.cut(self.h, wall, part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sign::Plane;
    use super::*;

    /// A part of a triangle that stands in a wall but for the last digits of its corners, with segments that cancel each other beyond it.
    #[test]
    fn what_cancels_in_a_wall_is_cut_at_one_place() {
        let grid = CellGrid::new(DVec3::zero(), 0.25).unwrap();
        // Last digits of 1.25 m, and multiples of those.
        for (i, lean) in (0..375).zip([1.0, 10.0, 1e5].into_iter().cycle()) {
            let lean = f64::EPSILON * lean;
            let y = |digits: i32| 1.25 + lean * f64::from(digits % 5 - 2);
            let corners = [
                DVec3::new(0.01, y(i / 3), 0.01),
                DVec3::new(0.01, y(i / 15), 1.01),
                DVec3::new(1.01, y(i / 75), 0.01),
            ];
            let face = Face { plane: Plane::new(corners), vertices: [0, 1, 2] };
            let common = Bounds::of(corners);
            let mut cutter = Cutter::default();
            // The triangle below z = 0.24: of side 0–1 all, less what is above.
            let (on_01, on_12) = ([0.23, 0.0], [0.23, 0.77]);
            let chain = cutter.start();
            chain.add([0.0, 0.0], [1.0, 0.0], 1.0);
            chain.add(on_01, [1.0, 0.0], -1.0);
            chain.add(on_01, on_12, 1.0);
            chain.add(on_12, [0.0, 1.0], 1.0);
            chain.add([0.0, 1.0], [0.0, 0.0], 1.0);
            let mut pieces = Vec::new();
            cutter.pieces(&face, 0, &grid, &common, &mut pieces);
            let area = |p: &Piece| p.corner.iter().map(|c| c.1.y).sum::<f64>();
            let total: f64 = pieces.iter().map(area).sum();
            assert!((total - 0.5 * (1.0 - 0.77 * 0.77)).abs() < 1e-15, "{i}: {total}");
            for p in &pieces {
                assert!(area(p) > -1e-15, "{i}: {:?} has {:e} m²", p.cell, area(p));
                assert!(p.cell[2] == 0 || area(p) < 1e-15, "{i}: {:?} has {:e} m²", p.cell, area(p));
            }
        }
    }
}
