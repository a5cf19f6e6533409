//! Intervals of rays that are near each other, found by the voxels of the lattice that they end in.

use super::joined::Joined;
use super::lattice::Lattice;
use super::sheets::OwnInterval;
use crate::closed::along;
use impinge_geometry::DVec3;

/// Voxels with ends of intervals in them, as runs along z. Those of one column (x, y) stand together, so that a neighbour is found from
/// the column's start and not by a search among all: there are as many columns as pixels, which the images take anyway.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// By interval: its place, named by its first interval.
    pub place: Vec<u32>,
    /// Columns along x and y, and voxels of each, with a margin of one on all sides.
    count: [usize; 3],
    /// By column (y fastest): where its runs start.
    start: Vec<u32>,
    /// Ascending within a column, with a gap between any two.
    runs: Vec<Run>,
    /// Column and height of each interval's ends, and (height, interval) by column.
    seen: Vec<[u32; 2]>,
    ends: Vec<u64>,
    sets: Joined,
}

/// Voxels above each other.
#[derive(Clone, Copy, Debug)]
struct Run {
    low: u32,
    high: u32,
    /// An interval that ends there, later its place.
    of: u32,
}

/// Whole pixels from the lattice's corner, rounded down.
fn whole(lattice: &Lattice, axis: usize, depth: f64) -> i64 {
    let at = (depth - along(lattice.origin, axis)) / lattice.pixel;
    // `floor` is a call where the processor may be any.
    let towards_zero = at as i64;
    towards_zero - i64::from(at < towards_zero as f64)
}

impl Places {
    /// Intervals that end in one voxel, or in neighbouring ones, are one place: the ends along three axes cover the surface of a place without a
    /// gap.
    pub fn settle(&mut self, lattice: &Lattice, intervals: &[OwnInterval]) {
        self.count = lattice.count.map(|c| c + 2);
        self.sort(lattice, intervals);
        self.sets.start(intervals.len());
        self.stack();
        self.join_neighbours();
        self.place.clear();
        self.place.extend((0..intervals.len() as u32).map(|i| self.sets.find(i).0));
        self.runs.iter_mut().for_each(|r| r.of = self.place[r.of as usize]);
    }

    /// Place of a voxel at a point or next to it, if there is one.
    pub fn near(&self, lattice: &Lattice, p: DVec3) -> Option<u32> {
        let at = self.voxel([0, 1, 2].map(|k| whole(lattice, k, along(p, k))));
        // Its own column first.
        const COLUMNS: [[isize; 2]; 9] =
            [[0, 0], [-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 1], [1, -1], [1, 0], [1, 1]];
        COLUMNS.iter().find_map(|&step| {
            let column = self.column(at, step)?;
            let runs = &self.runs[self.start[column] as usize..self.start[column + 1] as usize];
            let near = runs.iter().find(|r| r.high + 1 >= at[2] as u32)?;
            (near.low <= at[2] as u32 + 1).then_some(near.of)
        })
    }

    /// A voxel with the margin added; what rounding puts outside is in the margin.
    fn voxel(&self, at: [i64; 3]) -> [usize; 3] {
        [0, 1, 2].map(|k| (at[k] + 1).clamp(0, self.count[k] as i64 - 1) as usize)
    }

    /// A step from a voxel's column, unless it leads out of the margin.
    fn column(&self, at: [usize; 3], step: [isize; 2]) -> Option<usize> {
        let [x, y] = [0, 1].map(|k| at[k].wrapping_add_signed(step[k]));
        (x < self.count[0] && y < self.count[1]).then(|| x * self.count[1] + y)
    }

    /// Ends by column, lowest first; of those in one voxel, the first interval first.
    fn sort(&mut self, lattice: &Lattice, intervals: &[OwnInterval]) {
        let columns = self.count[0] * self.count[1];
        self.start.clear();
        self.start.resize(columns + 1, 0);
        self.seen.clear();
        for o in intervals {
            let axis = usize::from(o.axis);
            let mut at = [0; 3];
            at[(axis + 1) % 3] = i64::from(o.pixel[0]);
            at[(axis + 2) % 3] = i64::from(o.pixel[1]);
            for end in [o.lower, o.upper] {
                at[axis] = whole(lattice, axis, end.depth);
                let [x, y, z] = self.voxel(at);
                let column = x * self.count[1] + y;
                self.start[column] += 1;
                self.seen.push([column as u32, z as u32]);
            }
        }
        // Where each column ends; putting its ends there from the last to the first leaves where it starts.
        let mut sum = 0;
        for s in &mut self.start {
            sum += *s;
            *s = sum;
        }
        self.ends.clear();
        self.ends.resize(2 * intervals.len(), 0);
        for (i, &[column, height]) in self.seen.iter().enumerate().rev() {
            let slot = &mut self.start[column as usize];
            *slot -= 1;
            self.ends[*slot as usize] = u64::from(height) << 32 | (i / 2) as u64;
        }
    }

    /// One run for all ends in one voxel or in voxels on top of each other.
    fn stack(&mut self) {
        self.runs.clear();
        for column in 0..self.start.len() - 1 {
            let ends = &mut self.ends[self.start[column] as usize..self.start[column + 1] as usize];
            self.start[column] = self.runs.len() as u32;
            ends.sort_unstable();
            let mut last: Option<Run> = None;
            for &end in &*ends {
                let (height, interval) = ((end >> 32) as u32, end as u32);
                match &mut last {
                    Some(run) if height - run.high <= 1 => {
                        run.high = height;
                        self.sets.join(interval, run.of, false);
                    }
                    _ => self.runs.extend(last.replace(Run { low: height, high: height, of: interval })),
                }
            }
            self.runs.extend(last);
        }
        if let Some(end) = self.start.last_mut() {
            *end = self.runs.len() as u32;
        }
    }

    /// Each run with those of four columns beside it; the other four see it.
    fn join_neighbours(&mut self) {
        const COLUMNS: [[isize; 2]; 4] = [[0, 1], [1, -1], [1, 0], [1, 1]];
        for x in 0..self.count[0] {
            for y in 0..self.count[1] {
                let column = x * self.count[1] + y;
                let own = self.start[column] as usize..self.start[column + 1] as usize;
                if own.is_empty() {
                    continue;
                }
                for step in COLUMNS {
                    let Some(beside) = self.column([x, y, 0], step) else { continue };
                    let (mut j, end) = (self.start[beside] as usize, self.start[beside + 1] as usize);
                    for run in &self.runs[own.clone()] {
                        while j < end && self.runs[j].high + 1 < run.low {
                            j += 1;
                        }
                        for other in self.runs[j..end].iter().take_while(|o| o.low <= run.high + 1) {
                            self.sets.join(run.of, other.of, false);
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;
    use proptest::prelude::*;

    const SIDE: usize = 9;

    /// Voxels of both ends of an interval, from its two ends along its axis.
    fn voxels(o: &OwnInterval, lattice: &Lattice) -> [[i64; 3]; 2] {
        let axis = usize::from(o.axis);
        [o.lower, o.upper].map(|s| {
            let mut v = [0; 3];
            v[(axis + 1) % 3] = i64::from(o.pixel[0]);
            v[(axis + 2) % 3] = i64::from(o.pixel[1]);
            v[axis] = ((s.depth - lattice.origin[axis]) / lattice.pixel).floor() as i64;
            v
        })
    }

    fn beside(a: [i64; 3], b: [i64; 3]) -> bool {
        (0..3).all(|k| (a[k] - b[k]).abs() <= 1)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// Places are what joining every two intervals with ends beside each other gives, and a point is near a place where one of its
        /// voxels is beside the point's.
        #[test]
        fn places_are_those_of_all_pairs(
            found in prop::collection::vec(
                (0u8..3, 0..SIDE as u32, 0..SIDE as u32, -0.5..9.5f64, -0.5..9.5f64), 0..40),
            point in prop::array::uniform3(-1.5..10.5f64),
        ) {
            let lattice = Lattice { origin: DVec3::new(-1.0, 2.0, 0.5), pixel: 0.25, count: [SIDE; 3] };
            let intervals: Vec<OwnInterval> = found
                .iter()
                .map(|&(axis, u, v, a, b)| {
                    let at = |d: f64| lattice.origin[usize::from(axis)] + d * lattice.pixel;
                    let end = |d: f64| Sample { depth: at(d), ..Sample::default() };
                    OwnInterval { axis, pixel: [u, v], lower: end(a.min(b)), upper: end(a.max(b)) }
                })
                .collect();
            let ends: Vec<_> = intervals.iter().map(|o| voxels(o, &lattice)).collect();
            let mut expected: Vec<u32> = (0..intervals.len() as u32).collect();
            for i in 0..ends.len() {
                for j in 0..i {
                    if ends[i].iter().any(|a| ends[j].iter().any(|b| beside(*a, *b))) {
                        let (a, b) = (expected[i], expected[j]);
                        expected.iter_mut().filter(|e| **e == a.max(b)).for_each(|e| *e = a.min(b));
                    }
                }
            }
            let mut places = Places::default();
            // Twice: what was there before must not matter.
            for _ in 0..2 {
                places.settle(&lattice, &intervals);
                prop_assert_eq!(&places.place, &expected);
            }
            let p = lattice.origin + DVec3::from(point) * lattice.pixel;
            // Farther out than the margin, the point is taken to be in it.
            let at = point.map(|x| (x.floor() as i64).clamp(-1, SIDE as i64));
            let near: Vec<u32> = (0..ends.len())
                .filter(|&i| ends[i].iter().any(|e| beside(e.map(|x| x.clamp(-1, SIDE as i64)), at)))
                .map(|i| expected[i])
                .collect();
            match places.near(&lattice, p) {
                Some(place) => prop_assert!(near.contains(&place)),
                None => prop_assert!(near.is_empty()),
            }
        }
    }
}
