//! The overlap of a body with itself, contact by contact, in the shape of a pair's.

use super::LayeredDepth;
use super::intervals::{Interval, fewest, within};
use super::lattice::View;
use super::room::Room;
use super::sheets::{OwnInterval, Sheets};
use super::split::{Part, Split, Starts};
use super::within::Ends;
use crate::VolumeError;
use crate::carry::{Carry, Patch};
use crate::closed::Body;
use crate::overlap::{Cell, CellGrid, Gather, MOST_CELLS, Overlap, Walls};

/// Shorter than this part of a pixel an interval is the rounding of two depths at a crease, and has no volume.
const ROUNDING: f64 = 1e-9;

/// Scratch that only saves allocations.
#[derive(Clone, Debug, Default)]
pub(super) struct Own {
    intervals: Vec<OwnInterval>,
    /// With a grid: the intervals cut at its walls, and by part its interval.
    parts: Vec<Part>,
    owner: Vec<u32>,
    /// (cell, name of the contact, part).
    order: Vec<([i32; 3], u32, u32)>,
    sorted: Sorted,
}

/// What is added up together: intervals or parts, by what they have in common.
#[derive(Clone, Debug, Default)]
struct Sorted {
    list: Vec<u32>,
    /// Cell, name of the contact, and where in the list they end.
    groups: Vec<([i32; 3], u32, usize)>,
}

impl Sorted {
    /// Parts by cell, then by the name of the contact; those of a group in the order in which they came.
    fn parts(&mut self, own: &mut Vec<([i32; 3], u32, u32)>, keys: impl Iterator<Item = ([i32; 3], u32)>) {
        own.clear();
        own.extend((0..).zip(keys).map(|(i, (cell, name))| (cell, name, i)));
        own.sort_unstable();
        self.list.clear();
        self.list.extend(own.iter().map(|o| o.2));
        self.groups.clear();
        let mut end = 0;
        for same in own.chunk_by(|p, q| (p.0, p.1) == (q.0, q.1)) {
            end += same.len();
            self.groups.push((same[0].0, same[0].1, end));
        }
    }

    /// Intervals by the name of their contact; those of a name in the order in which they came.
    fn intervals(&mut self, contact: &[u32], name: &[u32]) {
        let mut by_name: Vec<usize> = (0..name.len()).collect();
        by_name.sort_unstable_by_key(|&c| name[c]);
        self.groups.clear();
        // By contact: its group. Two contacts may have one name.
        let mut group = vec![0; name.len()];
        for c in by_name {
            if self.groups.last().is_none_or(|g| g.1 != name[c]) {
                self.groups.push(([0; 3], name[c], 0));
            }
            group[c] = self.groups.len() - 1;
        }
        // How many, then where the next goes, which is their end after the last.
        contact.iter().for_each(|&c| self.groups[group[c as usize]].2 += 1);
        let mut next = 0;
        for g in &mut self.groups {
            next += std::mem::replace(&mut g.2, next);
        }
        self.list.clear();
        self.list.resize(contact.len(), 0);
        for (i, &c) in (0..).zip(contact) {
            let at = &mut self.groups[group[c as usize]].2;
            self.list[*at] = i;
            *at += 1;
        }
    }
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
        let Own { intervals, parts, owner, order, sorted } = own;
        intervals.clear();
        parts.clear();
        owner.clear();
        self.visible.within.fill(&bodies, &[reach], &lattice, &[0, 1, 2], Some(&Ends::above(reach.hi)));
        let room = Room::new(&self.limits, size_of::<Part>() + size_of::<OwnInterval>());
        let views = [0, 1, 2].map(|axis| View::new(&lattice, axis));
        // Pixels of intervals are numbered in the whole image.
        let splits =
            views.each_ref().map(|view| Split { view, bodies: &bodies, starts: &starts, grid, first_row: 0 });
        for (axis, view) in views.iter().enumerate() {
            self.rasterise(view, reach.hi[axis], fewest(&bodies, None))?;
            for strip in &self.strips {
                let first = (strip.band.first_row * view.count[0]) as u32;
                within(&strip.band, |i| {
                    if !(i.upper.depth - i.lower.depth > ROUNDING * view.pixel) {
                        return;
                    }
                    let i = Interval { pixel: first + i.pixel, ..i };
                    if !room.take(splits[axis].parts(&i)) {
                        return;
                    }
                    if grid.is_some() {
                        splits[axis].interval(&i, parts);
                        owner.resize(parts.len(), intervals.len() as u32);
                    }
                    intervals.push(OwnInterval::of(axis, view.count[0], 0, &i));
                });
            }
            room.check(lattice.pixel, axis + 1)?;
        }
        if intervals.is_empty() {
            return Ok(());
        }
        self.sheets.settle(body, &lattice, intervals);
        let sheets = &self.sheets;
        match grid {
            Some(_) => {
                let name = |&o: &u32| sheets.name[sheets.contact[o as usize] as usize];
                sorted.parts(order, parts.iter().zip(&*owner).map(|(p, o)| (p.cell, name(o))));
            }
            None => sorted.intervals(&sheets.contact, &sheets.name),
        }
        (0..2).for_each(|s| self.gather[s].shape(body.x.len()));
        let carries = match grid.is_some_and(|g| g.walls == Walls::Carried) {
            true => carried(body, sheets, intervals),
            false => vec![Carry::SHARED; sheets.name.len()],
        };
        let area = self.pixel * self.pixel;
        let mut from = 0;
        for &(index, part, end) in &sorted.groups {
            let mut along = [0.0; 3];
            for &i in &sorted.list[from..end] {
                let (interval, p) = match grid {
                    Some(_) => (owner[i as usize] as usize, parts[i as usize]),
                    None => {
                        let o = &intervals[i as usize];
                        let split = &splits[usize::from(o.axis)];
                        let centre = split.view.centre(o.pixel[0] as usize, o.pixel[1] as usize);
                        (i as usize, split.whole([0; 2], centre, [&o.lower, &o.upper]))
                    }
                };
                let axis = usize::from(p.axis);
                along[axis] += p.length;
                let sides = [0, 1].map(|end| sheets.side_of_end(interval, end));
                // Without a side for each end, they share as in the paper.
                let [lower, upper] = sides.map(|s| s.unwrap_or(0));
                let carry = carries[sheets.contact[interval] as usize];
                let [bottom, top] = p.alpha.map(|alpha| carry.share(alpha, upper, lower));
                for ((triangle, weights), end, sign) in [(p.upper, 1, 1.0), (p.lower, 0, -1.0)] {
                    let push = sign * (top - bottom) * area;
                    for (&v, w) in body.surface.triangles()[triangle as usize].iter().zip(weights) {
                        let side = sides[end].unwrap_or_else(|| sheets.side(interval, end, v));
                        self.gather[side].at(v)[axis] += push * w;
                    }
                }
            }
            from = end;
            let along = along.map(|l| l * area);
            let start = Gather::drain_pair(self.gather.each_mut(), out);
            let volume = (along[0] + along[1] + along[2]) / 3.0;
            out.cells.push(Cell { index, part, volume, along, flat: None, start });
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
