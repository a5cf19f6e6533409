//! Intervals to parts: cut at the walls of the grid, with the triangles and weights at their ends.

use super::intervals::{Interval, weights};
use super::lattice::View;
use super::sample::Sample;
use crate::closed::Body;
use crate::exact::{Met, WallRay};
use crate::overlap::CellGrid;

/// A part of an interval in one cell, ready to be added up.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub pair: [u32; 2],
    pub cell: [i32; 3],
    pub axis: u8,
    /// Length in the cell (m), and where on the interval it begins and ends: from 0 to 1.
    pub length: f64,
    pub alpha: [f64; 2],
    pub upper: (u32, [f64; 3]),
    pub lower: (u32, [f64; 3]),
}

/// Where each body's triangles start among all.
pub struct Starts(Vec<u32>);

impl Starts {
    #[must_use]
    pub fn new(bodies: &[Body<'_>]) -> Self {
        let mut total = 0;
        Self(
            bodies
                .iter()
                .map(|b| {
                    let first = total;
                    total += b.surface.triangles().len() as u32;
                    first
                })
                .collect(),
        )
    }

    /// Body and triangle of a number.
    #[inline]
    #[must_use]
    pub fn of_triangle(&self, number: u32) -> (usize, u32) {
        let body = match self.0[..] {
            [_, second] => usize::from(number >= second),
            _ => self.0.partition_point(|&s| s <= number) - 1,
        };
        (body, number - self.0[body])
    }
}

/// Cuts intervals at the walls of the grid.
pub struct Split<'a> {
    pub view: &'a View,
    pub bodies: &'a [Body<'a>],
    pub starts: &'a Starts,
    pub grid: Option<&'a CellGrid>,
    pub first_row: usize,
}

impl Split<'_> {
    /// The walls one interval passes.
    pub fn walls(&self, i: &Interval, grid: &CellGrid, out: &mut Vec<WallRay>) {
        let view = self.view;
        let centre = self.centre(i);
        let (lo, hi) = (i.lower.depth, i.upper.depth);
        let (first, last) = (grid.index(view.axis, lo), grid.index(view.axis, hi));
        if first == last {
            return;
        }
        let met = |s: &Sample| {
            let (triangle, weights) = self.end(s, centre);
            let (body, t) = self.starts.of_triangle(triangle);
            let vertices = self.bodies[body].surface.triangles()[t as usize];
            Met { side: body as u8, triangle: t, corner: [0, 1, 2].map(|k| (vertices[k], weights[k])) }
        };
        let (upper, lower) = (met(&i.upper), met(&i.lower));
        let mut cell = [0; 3];
        cell[view.u] = grid.index(view.u, centre[0]);
        cell[view.v] = grid.index(view.v, centre[1]);
        for k in first..last {
            cell[view.axis] = k;
            let alpha = ((grid.wall(view.axis, k + 1) - lo) / (hi - lo)).clamp(0.0, 1.0);
            out.push(WallRay { axis: view.axis, cell, alpha, upper, lower });
        }
    }

    fn centre(&self, i: &Interval) -> [f64; 2] {
        let columns = self.view.count[0];
        self.view.centre(i.pixel as usize % columns, self.first_row + i.pixel as usize / columns)
    }

    /// A sample's triangle and the weights of its corners.
    fn end(&self, s: &Sample, centre: [f64; 2]) -> (u32, [f64; 3]) {
        let (body, t) = self.starts.of_triangle(s.triangle());
        let [a, b, c] = self.bodies[body].corners(t as usize);
        let corner = [self.view.project(a), self.view.project(b), self.view.project(c)];
        (s.triangle(), weights(corner, centre))
    }

    /// How many parts [`Split::interval`] makes of it.
    #[must_use]
    pub fn parts(&self, i: &Interval) -> usize {
        let Some(grid) = self.grid else { return 1 };
        let [lo, hi] = [&i.lower, &i.upper].map(|s| grid.index(self.view.axis, s.depth));
        (i64::from(hi) - i64::from(lo) + 1).max(0) as usize
    }

    /// One that nothing cuts.
    #[inline]
    #[must_use]
    pub fn whole(&self, pair: [u32; 2], centre: [f64; 2], [lower, upper]: [&Sample; 2]) -> Part {
        Part {
            pair,
            cell: [0; 3],
            axis: self.view.axis as u8,
            length: upper.depth - lower.depth,
            alpha: [0.0, 1.0],
            upper: self.end(upper, centre),
            lower: self.end(lower, centre),
        }
    }

    /// Appends what the grid cuts it into.
    pub fn interval(&self, i: &Interval, out: &mut Vec<Part>) {
        let view = self.view;
        let centre = self.centre(i);
        let (lo, hi) = (i.lower.depth, i.upper.depth);
        let whole = self.whole(i.pair, centre, [&i.lower, &i.upper]);
        let Some(grid) = self.grid else {
            out.push(whole);
            return;
        };
        let mut cell = [0; 3];
        cell[view.u] = grid.index(view.u, centre[0]);
        cell[view.v] = grid.index(view.v, centre[1]);
        let (first, last) = (grid.index(view.axis, lo), grid.index(view.axis, hi));
        for k in first..=last {
            cell[view.axis] = k;
            let bottom = if k == first { lo } else { grid.wall(view.axis, k) };
            let top = if k == last { hi } else { grid.wall(view.axis, k + 1) };
            // Walls are where rounding puts them; shares of one interval still add up to one.
            let at = |x: f64| if hi > lo { ((x - lo) / (hi - lo)).clamp(0.0, 1.0) } else { 0.0 };
            let alpha = [if k == first { 0.0 } else { at(bottom) }, if k == last { 1.0 } else { at(top) }];
            if first == last || top > bottom {
                out.push(Part { cell, length: top - bottom, alpha, ..whole });
            }
        }
    }
}
