//! From layers to intersection volumes and gradients: intervals of every ray, cut at the walls of a grid and added up by pair and cell.

use super::by_place::PlaceParts;
use super::intervals::{Wanted, fewest, within};
use super::lattice::{Lattice, View};
use super::room::Room;
use super::sample::Sample;
use super::sheets::OwnInterval;
use super::split::{Part, Split, Starts};
use super::within::Ends;
use super::{LayeredDepth, Strip, reach};
use crate::VolumeError;
use crate::bounds::Bounds;
use crate::carry::{Carry, Patch};
use crate::closed::{Body, along};
use crate::exact::WallRay;
use crate::overlap::{Cell, CellGrid, Evaluate, Gather, MOST_CELLS, Overlap, Walls};
use impinge_contact::par;

/// A pair of bodies found to overlap; twice the same body for a self-intersection, whose rows are all on side 0.
#[derive(Clone, Debug, PartialEq)]
pub struct PairOverlap {
    /// Lower body first.
    pub bodies: [usize; 2],
    /// Volumes and gradients; sides in the order of `bodies`.
    pub overlap: Overlap,
}

/// What an evaluation goes on with, for those who measure what its parts cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Layers along an axis: the paper's collision detection.
    Layers,
    /// What they say of volumes and gradients: its contact modelling.
    Volumes,
}

/// Part of a cell by which a layer's depth may be off.
const ROUNDING: f64 = 1e-6;

impl LayeredDepth {
    /// Intersections of any number of bodies in one go: of every pair, and of bodies with themselves when `within`. Pairs in
    /// order; those without volume are left out.
    ///
    /// # Errors
    /// [`VolumeError`] for positions that are not finite, pixels or cells that are too many, rays that meet too much.
    pub fn overlaps(
        &mut self,
        bodies: &[Body<'_>],
        within: bool,
        grid: Option<&CellGrid>,
    ) -> Result<Vec<PairOverlap>, VolumeError> {
        self.overlaps_watched(bodies, within, grid, &mut |_| ())
    }

    /// The same, telling `watch` what it goes on with.
    ///
    /// # Errors
    /// As [`LayeredDepth::overlaps`].
    pub fn overlaps_watched(
        &mut self,
        bodies: &[Body<'_>],
        within: bool,
        grid: Option<&CellGrid>,
        watch: &mut dyn FnMut(Work),
    ) -> Result<Vec<PairOverlap>, VolumeError> {
        let mut out: Vec<PairOverlap> = Vec::new();
        let Some((reach, bounds)) = reach(bodies, within)? else {
            self.deepest = 0;
            return Ok(out);
        };
        let wanted = Wanted { between: true, within };
        let lattice = self.measure(bodies, (&reach, &bounds), wanted, grid, watch)?;
        let starts = Starts::new(bodies);
        let carried = grid.is_some_and(|g| g.walls == Walls::Carried);
        let mut from = 0;
        while from < self.parts.len() {
            let pair = self.parts[from].pair;
            let end = from + self.parts[from..].iter().take_while(|p| p.pair == pair).count();
            let places = match self.by_place && pair[0] != pair[1] {
                true => self.places_of_pair(&lattice, (bodies, &starts), from..end),
                false => vec![PlaceParts { name: 0, parts: from..end }],
            };
            let mut overlap = Overlap::new();
            for PlaceParts { name, parts } in places {
                let carry = match carried && pair[0] != pair[1] {
                    true => self.carried(bodies, &starts, parts.clone()),
                    false => Carry::SHARED,
                };
                from = parts.start;
                while from < parts.end {
                    let cell = self.parts[from].cell;
                    let count = self.parts[from..parts.end].iter().take_while(|p| p.cell == cell).count();
                    self.add_up(bodies, (&starts, carry), name, from..from + count, &mut overlap);
                    from += count;
                }
            }
            overlap.order();
            from = end;
            out.push(PairOverlap { bodies: pair.map(|b| b as usize), overlap });
        }
        Ok(out)
    }

    /// How the bodies of a pair carry walls.
    fn carried(&self, bodies: &[Body<'_>], starts: &Starts, parts: std::ops::Range<usize>) -> Carry {
        let mut patches = [Patch::default(); 2];
        for p in &self.parts[parts] {
            let axis = usize::from(p.axis);
            for ((triangle, _), end) in [(p.lower, 0), (p.upper, 1)] {
                if p.alpha[end] != end as f64 {
                    continue;
                }
                let (body, t) = starts.of_triangle(triangle);
                let [a, b, c] = bodies[body].corners(t as usize);
                patches[usize::from(body as u32 != p.pair[0])].add_ray(axis, (b - a).cross(c - a));
            }
        }
        Carry::of(&patches)
    }

    /// Fills `parts`, sorted by pair and cell.
    fn measure(
        &mut self,
        bodies: &[Body<'_>],
        (reach, bounds): (&Bounds, &[Bounds]),
        wanted: Wanted,
        grid: Option<&CellGrid>,
        watch: &mut dyn FnMut(Work),
    ) -> Result<Lattice, VolumeError> {
        self.parts.clear();
        self.intervals.clear();
        self.deepest = 0;
        let lattice = self.lattice_over(reach)?;
        if let Some(grid) = grid {
            grid.count(reach.lo, reach.hi, MOST_CELLS)?;
        }
        let starts = Starts::new(bodies);
        let ends =
            if wanted.within { Ends::above(reach.hi) } else { Ends::of_pairs(bounds, &lattice, reach.hi) };
        watch(Work::Layers);
        self.visible.within.fill(bodies, bounds, &lattice, &[0, 1, 2], Some(&ends));
        let by_place = self.by_place;
        let each = size_of::<Part>() + if by_place { size_of::<OwnInterval>() } else { 0 };
        let room = Room::new(&self.limits, each);
        for axis in 0..3 {
            let view = View::new(&lattice, axis);
            watch(Work::Layers);
            self.rasterise(&view, reach.hi[axis], fewest(bodies, ends.cut[axis]))?;
            watch(Work::Volumes);
            par::for_each_chunk(&mut self.strips, 1, |_, strip| {
                let Strip { band, parts, intervals, walk } = &mut strip[0];
                parts.clear();
                intervals.clear();
                let body = |s: &Sample| starts.of_triangle(s.triangle()).0 as u32;
                let split = Split { view: &view, bodies, starts: &starts, grid, first_row: band.first_row };
                let found = |i| {
                    if room.take(split.parts(&i)) {
                        split.interval(&i, parts);
                        if by_place {
                            intervals.resize(
                                parts.len(),
                                OwnInterval::of(axis, view.count[0], band.first_row, &i),
                            );
                        }
                    }
                };
                match bodies {
                    [_] => within(band, found),
                    _ => walk.band(band, wanted, ends.cut[axis], body, found),
                }
            });
            room.check(lattice.pixel, axis + 1)?;
            self.strips.iter().for_each(|s| self.parts.extend_from_slice(&s.parts));
            self.strips.iter().for_each(|s| self.intervals.extend_from_slice(&s.intervals));
        }
        self.sort_parts();
        Ok(lattice)
    }

    /// Where rays between two bodies pass the walls of a grid. Along an axis on which no wall cuts the overlap's box no ray is sent, and none
    /// where all would pass beside that box: of what is thinner than half a pixel they see nothing.
    pub(crate) fn walls(
        &mut self,
        bodies: &[Body<'_>; 2],
        (reach, bounds): (&Bounds, &[Bounds; 2]),
        grid: &CellGrid,
        out: &mut Vec<WallRay>,
    ) -> Result<(), VolumeError> {
        let lattice = Lattice::around(reach, self.pixel, &self.limits)?;
        let starts = Starts::new(bodies);
        let wanted = Wanted { between: true, within: false };
        let ends = Ends::of_pairs(bounds, &lattice, reach.hi);
        let cuts = |&axis: &usize| {
            let slack = ROUNDING * grid.size;
            let [lo, hi] = [along(reach.lo, axis) - slack, along(reach.hi, axis) + slack];
            let view = View::new(&lattice, axis);
            let first = view.centre(0, 0);
            let passes = |k: usize, of: usize| first[k] <= along(reach.hi, of) + slack;
            grid.index(axis, lo) != grid.index(axis, hi) && passes(0, view.u) && passes(1, view.v)
        };
        let axes: Vec<usize> = (0..3).filter(cuts).collect();
        if axes.is_empty() {
            return Ok(());
        }
        self.visible.within.fill(bodies, bounds, &lattice, &axes, Some(&ends));
        for axis in axes {
            let view = View::new(&lattice, axis);
            self.rasterise(&view, reach.hi[axis], fewest(bodies, ends.cut[axis]))?;
            for strip in &mut self.strips {
                let body = |s: &Sample| starts.of_triangle(s.triangle()).0 as u32;
                let first_row = strip.band.first_row;
                let split = Split { view: &view, bodies, starts: &starts, grid: Some(grid), first_row };
                strip.walk.band(&strip.band, wanted, ends.cut[axis], body, |i| split.walls(&i, grid, out));
            }
        }
        Ok(())
    }

    /// One cell of one pair: its parts to a volume and rows.
    fn add_up(
        &mut self,
        bodies: &[Body<'_>],
        (starts, carry): (&Starts, Carry),
        part: u32,
        parts: std::ops::Range<usize>,
        out: &mut Overlap,
    ) {
        let head = self.parts[parts.start];
        let area = self.pixel * self.pixel;
        let sides = head.pair.map(|b| bodies[b as usize]);
        (0..2).for_each(|s| self.gather[s].shape(sides[s].x.len()));
        let mut along = [0.0; 3];
        for p in &self.parts[parts] {
            let axis = usize::from(p.axis);
            along[axis] += p.length;
            let ends = [p.lower, p.upper].map(|(triangle, weights)| {
                let (body, t) = starts.of_triangle(triangle);
                (usize::from(body as u32 != head.pair[0]), t, weights)
            });
            let [bottom, top] = p.alpha.map(|alpha| carry.share(alpha, ends[1].0, ends[0].0));
            for ((side, t, weights), sign) in [(ends[1], 1.0), (ends[0], -1.0)] {
                let push = sign * (top - bottom) * area;
                for (&v, w) in sides[side].surface.triangles()[t as usize].iter().zip(weights) {
                    self.gather[side].at(v)[axis] += push * w;
                }
            }
        }
        let along = along.map(|l| l * area);
        let start = Gather::drain_pair(self.gather.each_mut(), out);
        out.cells.push(Cell {
            index: head.cell,
            part,
            volume: (along[0] + along[1] + along[2]) / 3.0,
            along,
            flat: None,
            start,
        });
    }
}

impl Evaluate for LayeredDepth {
    fn evaluate(
        &mut self,
        a: Body<'_>,
        b: Body<'_>,
        grid: Option<&CellGrid>,
        out: &mut Overlap,
    ) -> Result<(), VolumeError> {
        out.clear();
        let found = self.overlaps(&[a, b], false, grid)?;
        if let Some(pair) = found.into_iter().next() {
            *out = pair.overlap;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ClosedSurface;
    use impinge_geometry::{DVec3, cuboid};

    /// Two cubes of 1 m, one on the other, `depth` deep: rays along x and y pass 0.05 m above the lower end of what they have in common.
    fn rays(depth: f64) -> [usize; 3] {
        let cube = cuboid(DVec3::one(), [1; 3]).unwrap();
        let above = cube.mapped(|p| p + DVec3::new(0.3, 0.2, 1.0 - depth)).unwrap();
        let surface = ClosedSurface::new(&cube).unwrap();
        let bodies = [&cube, &above].map(|m| Body::new(&surface, m.positions()).unwrap());
        let bounds = [0, 1].map(|i| bodies[i].bounds(i).unwrap());
        let reach = bounds[0].intersection(&bounds[1]);
        let grid = CellGrid::new(DVec3::broadcast(0.11), 0.25).unwrap();
        let mut out = Vec::new();
        let mut image = LayeredDepth::new(0.1).unwrap();
        image.walls(&bodies, (&reach, &bounds), &grid, &mut out).unwrap();
        [0, 1, 2].map(|axis| out.iter().filter(|r: &&WallRay| r.axis == axis).count())
    }

    #[test]
    fn rays_are_sent_where_one_passes_through_the_overlap() {
        assert_eq!(rays(0.049), [0; 3], "all pass above it");
        let [x, y, _] = rays(0.051);
        assert!(x > 0 && y > 0, "one row each: {x}, {y}");
    }
}
