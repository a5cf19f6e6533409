//! The overlap of a body with itself, contact by contact, in the shape of a pair's.

use super::LayeredDepth;
use super::intervals::within;
use super::lattice::View;
use super::room::Room;
use super::sheets::{OwnInterval, Sheets};
use super::split::{Part, Split, Starts};
use super::visible::Ends;
use crate::VolumeError;
use crate::carry::{Carry, Patch};
use crate::closed::Body;
use crate::overlap::{Cell, CellGrid, MOST_CELLS, Overlap, Walls};
use impinge_geometry::DVec3;

/// Shorter than this part of a pixel an interval is the rounding of two depths at a crease, and has no volume.
const ROUNDING: f64 = 1e-9;

/// Scratch that only saves allocations.
#[derive(Clone, Debug, Default)]
pub(super) struct Own {
    intervals: Vec<OwnInterval>,
    parts: Vec<Part>,
    /// By part: its interval.
    owner: Vec<u32>,
    /// (cell, name of the contact, part).
    order: Vec<([i32; 3], u32, u32)>,
}

impl LayeredDepth {
    /// The overlap of a body with itself (a ray has entered twice; seed 002 §3.2) as a pair of its sheets: sides 0 and 1 of `out` are
    /// the parts of the surface that stand against each other, both in the body's vertices. Each place where the body meets itself is a cell of its
    /// own, told from others by [`Cell::part`]; with a grid it is cut into cells as well. `out` is cleared first.
    ///
    /// # Errors
    /// As [`LayeredDepth::overlaps`].
    pub fn own(
        &mut self,
        body: Body<'_>,
        grid: Option<&CellGrid>,
        out: &mut Overlap,
    ) -> Result<(), VolumeError> {
        out.clear();
        self.deepest = 0;
        let mut own = std::mem::take(&mut self.own);
        let measured = self.measure_own(body, grid, &mut own, out);
        self.own = own;
        measured
    }

    fn measure_own(
        &mut self,
        body: Body<'_>,
        grid: Option<&CellGrid>,
        own: &mut Own,
        out: &mut Overlap,
    ) -> Result<(), VolumeError> {
        let reach = body.bounds(0)?;
        let lattice = self.lattice_over(&reach)?;
        if let Some(grid) = grid {
            grid.count(reach.lo, reach.hi, MOST_CELLS)?;
        }
        let bodies = [body];
        let starts = Starts::new(&bodies);
        let Own { intervals, parts, owner, order } = own;
        intervals.clear();
        parts.clear();
        owner.clear();
        self.visible.fill(&bodies, &[reach], &lattice, &[0, 1, 2], Some(&Ends::above(reach.hi)));
        let room = Room::new(&self.limits, size_of::<Part>() + size_of::<OwnInterval>());
        for axis in 0..3 {
            let view = View::new(&lattice, axis);
            self.rasterise(&view, reach.hi[axis])?;
            for strip in &self.strips {
                let first_row = strip.band.first_row;
                let split = Split { view: &view, bodies: &bodies, starts: &starts, grid, first_row };
                within(&strip.band, |i| {
                    if !(i.upper.depth - i.lower.depth > ROUNDING * view.pixel) {
                        return;
                    }
                    if !room.take(split.parts(&i)) {
                        return;
                    }
                    let (column, row) = (i.pixel as usize % view.count[0], i.pixel as usize / view.count[0]);
                    let number = intervals.len() as u32;
                    intervals.push(OwnInterval {
                        axis: axis as u8,
                        pixel: [column as u32, (first_row + row) as u32],
                        lower: i.lower,
                        upper: i.upper,
                    });
                    split.interval(&i, parts);
                    owner.resize(parts.len(), number);
                });
            }
            room.check(lattice.pixel, axis + 1)?;
        }
        if parts.is_empty() {
            return Ok(());
        }
        self.sheets.settle(body, &lattice, intervals);
        let sheets = &self.sheets;
        order.clear();
        order.extend(
            (0..).zip(parts.iter().zip(&*owner)).map(|(i, (p, &interval))| {
                (p.cell, sheets.name[sheets.contact[interval as usize] as usize], i)
            }),
        );
        // Ascending to begin with where there is one contact and no grid.
        if !order.is_sorted() {
            order.sort_unstable();
        }
        (0..2).for_each(|s| self.gather[s].shape(body.x.len()));
        let carries = match grid.is_some_and(|g| g.walls == Walls::Carried) {
            true => carried(body, sheets, intervals),
            false => vec![Carry::SHARED; sheets.name.len()],
        };
        let area = self.pixel * self.pixel;
        for same in order.chunk_by(|p, q| (p.0, p.1) == (q.0, q.1)) {
            let mut along = [0.0; 3];
            for &(_, _, i) in same {
                let (p, interval) = (&parts[i as usize], owner[i as usize] as usize);
                let axis = usize::from(p.axis);
                along[axis] += p.length;
                // Without a side for each end, they share as in the paper.
                let [lower, upper] = [0, 1].map(|end| sheets.side_of_end(interval, end).unwrap_or(0));
                let carry = carries[sheets.contact[interval] as usize];
                let [bottom, top] = p.alpha.map(|alpha| carry.share(alpha, upper, lower));
                for ((triangle, weights), end, sign) in [(p.upper, 1, 1.0), (p.lower, 0, -1.0)] {
                    let push = sign * (top - bottom) * area;
                    for (&v, w) in body.surface.triangles()[triangle as usize].iter().zip(weights) {
                        let mut g = DVec3::zero();
                        g[axis] = push * w;
                        self.gather[sheets.side(interval, end, v)].add(v, g);
                    }
                }
            }
            let along = along.map(|l| l * area);
            let first = out.vertex.len();
            self.gather[0].drain(out);
            let middle = out.vertex.len();
            self.gather[1].drain(out);
            let (index, part, _) = same[0];
            let start = [first, middle, out.vertex.len()];
            let volume = (along[0] + along[1] + along[2]) / 3.0;
            out.cells.push(Cell { index, part, volume, along, start });
        }
        Ok(())
    }
}

/// How the sheets of every contact carry walls.
fn carried(body: Body<'_>, sheets: &Sheets, intervals: &[OwnInterval]) -> Vec<Carry> {
    let mut patches = vec![[Patch::default(); 2]; sheets.name.len()];
    for (i, o) in intervals.iter().enumerate() {
        for (end, sample) in [&o.lower, &o.upper].into_iter().enumerate() {
            if let Some(side) = sheets.side_of_end(i, end) {
                let [a, b, c] = body.corners(sample.triangle() as usize);
                patches[sheets.contact[i] as usize][side].add_ray(usize::from(o.axis), (b - a).cross(c - a));
            }
        }
    }
    patches.iter().map(Carry::of).collect()
}
