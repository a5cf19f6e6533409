//! Intervals of rays that are near each other, found by the voxels of the lattice that they end in.

use super::blocks::{Block, Blocks, EDGE, NONE, beside, beside_along, bit_of};
use super::lattice::Lattice;
use super::sheets::OwnInterval;
use crate::bounds::Bounds;
use crate::closed::along;
use crate::joined::Joined;
use impinge_geometry::DVec3;

/// Voxels with ends of intervals in them, in blocks of 4³. Rays next to each other mostly end in one block, so that few are searched for, and what
/// is next to each other within a block or across its border is a matter of a few shifts. (Runs of voxels by column, sorted, took 1.1 to 1.3 times
/// as long for two tori deep in each other, and twice as long where they touch; blocks in chains by column took as long.)
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// By interval: its place, named by its first interval.
    pub place: Vec<u32>,
    /// There is one place.
    pub only_one: bool,
    /// Voxels along the axes, with a margin of one on all sides.
    count: [u32; 3],
    blocks: Blocks,
    /// Voxels of a block that hang together, by block.
    clusters: Vec<u64>,
    /// By cluster: the place it belongs to.
    of: Vec<u32>,
    /// By interval, lower and upper: its block, and the voxel in it in the lowest six bits.
    ends: Vec<u64>,
    sets: Joined,
}

impl Places {
    /// Intervals that end in one voxel, or in neighbouring ones, are one place: the ends along three axes cover the surface of a place without a
    /// gap.
    pub fn settle(&mut self, lattice: &Lattice, intervals: &[OwnInterval]) {
        self.fill(lattice, intervals);
        self.cluster();
        self.join_neighbours();
        self.name();
    }

    /// Place of a voxel at a point or next to it, if there is one.
    #[must_use]
    pub fn near(&self, lattice: &Lattice, p: DVec3) -> Option<u32> {
        let at = [0, 1, 2].map(|k| self.voxel(lattice, k, along(p, k)));
        if !self.any_near(at) {
            return None;
        }
        // Its own column first.
        const COLUMNS: [[i32; 2]; 9] =
            [[0, 0], [-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 1], [1, -1], [1, 0], [1, 1]];
        COLUMNS.iter().flat_map(|c| [-1, 0, 1].map(|dz| [c[0], c[1], dz])).find_map(|step| {
            // What is before the first voxel comes out behind the last.
            let voxel = [0, 1, 2].map(|k| at[k].wrapping_add_signed(step[k]));
            let block = self.blocks.at(voxel.map(|v| v >> EDGE));
            let bit = bit_of(voxel);
            let met = block != NONE && self.blocks.list[block as usize].voxels >> bit & 1 == 1;
            met.then(|| self.of[self.cluster_of(block, bit) as usize])
        })
    }

    /// Whether there is an end in a voxel or next to it: most are not, and of its block and those beside it there are few.
    fn any_near(&self, at: [u32; 3]) -> bool {
        // Blocks from one to the other, both included.
        let first = at.map(|v| v.saturating_sub(1) >> EDGE);
        let last = at.map(|v| (v + 1) >> EDGE);
        let own = at.map(|v| v >> EDGE);
        let voxel = 1 << bit_of(at);
        let met = |block: [u32; 3]| {
            let b = self.blocks.at(block);
            let step = [0, 1, 2].map(|k| block[k].wrapping_sub(own[k]) as i32);
            b != NONE && beside(voxel, step) & self.blocks.list[b as usize].voxels != 0
        };
        (first[0]..=last[0])
            .any(|x| (first[1]..=last[1]).any(|y| (first[2]..=last[2]).any(|z| met([x, y, z]))))
    }

    /// Outside of it no point is near a place.
    #[must_use]
    pub fn bounds(&self, lattice: &Lattice) -> Bounds {
        let (mut lo, mut hi) = (DVec3::broadcast(f64::INFINITY), DVec3::broadcast(f64::NEG_INFINITY));
        for b in &self.blocks.list {
            let at = DVec3::new(f64::from(b.at[0]), f64::from(b.at[1]), f64::from(b.at[2]));
            (lo, hi) = (lo.min_by_component(at), hi.max_by_component(at));
        }
        // Less the margin and a neighbour on each side, and one for rounding.
        let edge = f64::from(1 << EDGE);
        let to_space = |v: DVec3| lattice.origin + v * lattice.pixel;
        Bounds {
            lo: to_space(lo * edge - DVec3::broadcast(3.0)),
            hi: to_space((hi + DVec3::one()) * edge + DVec3::one()),
        }
    }

    /// A voxel along an axis, the margin counted; what rounding puts outside is in the margin.
    #[inline(always)]
    fn voxel(&self, lattice: &Lattice, axis: usize, depth: f64) -> u32 {
        let at = (depth - along(lattice.origin, axis)) / lattice.pixel;
        // `floor` is a call where the processor may be any.
        let towards_zero = at as i64;
        let whole = towards_zero - i64::from(at < towards_zero as f64);
        (whole + 1).clamp(0, i64::from(self.count[axis]) - 1) as u32
    }

    /// Voxels in which intervals end.
    fn fill(&mut self, lattice: &Lattice, intervals: &[OwnInterval]) {
        self.count = lattice.count.map(|c| c as u32 + 2);
        self.blocks.clear();
        self.ends.clear();
        // Along one axis after the other: where a number goes is known before.
        for same in intervals.chunk_by(|a, b| a.axis == b.axis) {
            match same[0].axis {
                0 => self.fill_along::<0>(lattice, same),
                1 => self.fill_along::<1>(lattice, same),
                _ => self.fill_along::<2>(lattice, same),
            }
        }
    }

    fn fill_along<const AXIS: usize>(&mut self, lattice: &Lattice, intervals: &[OwnInterval]) {
        let mut last = [([u32::MAX; 3], NONE); 2];
        for o in intervals {
            let [u, v] = o.pixel.map(|i| i + 1);
            for (end, last) in [o.lower, o.upper].into_iter().zip(&mut last) {
                let w = self.voxel(lattice, AXIS, end.depth);
                let voxel = match AXIS {
                    0 => [w, u, v],
                    1 => [v, w, u],
                    _ => [u, v, w],
                };
                let of = voxel.map(|v| v >> EDGE);
                if last.0 != of {
                    *last = (of, self.blocks.at_or_new(of));
                }
                let bit = bit_of(voxel);
                self.blocks.list[last.1 as usize].voxels |= 1 << bit;
                self.ends.push(u64::from(last.1) << (3 * EDGE) | u64::from(bit));
            }
        }
    }

    /// What hangs together within each block.
    fn cluster(&mut self) {
        self.clusters.clear();
        for b in &mut self.blocks.list {
            b.first = self.clusters.len() as u32;
            let mut left = b.voxels;
            while left != 0 {
                let mut cluster = left & left.wrapping_neg();
                loop {
                    let more = beside(cluster, [0; 3]) & left;
                    if more == cluster {
                        break;
                    }
                    cluster = more;
                }
                self.clusters.push(cluster);
                left &= !cluster;
            }
        }
        self.sets.start(self.clusters.len());
    }

    fn clusters_of(&self, block: u32) -> std::ops::Range<u32> {
        let next = self.blocks.list.get(block as usize + 1);
        self.blocks.list[block as usize].first..next.map_or(self.clusters.len() as u32, |b| b.first)
    }

    /// The cluster of a voxel with an end in it.
    fn cluster_of(&self, block: u32, bit: u32) -> u32 {
        let of = self.clusters_of(block);
        if of.len() > 1 {
            return of.clone().find(|&c| self.clusters[c as usize] >> bit & 1 == 1).unwrap_or(of.start);
        }
        of.start
    }

    /// Each block with thirteen beside it; the other thirteen see it.
    fn join_neighbours(&mut self) {
        for b in 0..self.blocks.list.len() as u32 {
            let Block { voxels, at, .. } = self.blocks.list[b as usize];
            for dx in 0..=1 {
                let v = beside_along(voxels, 0, dx);
                for dy in -dx..=1 {
                    let v = beside_along(v, 1, dy);
                    for dz in -1..=1 {
                        let step = [dx, dy, dz];
                        if step <= [0; 3] || beside_along(v, 2, dz) == 0 {
                            continue;
                        }
                        let other = self.blocks.at([0, 1, 2].map(|k| at[k].wrapping_add_signed(step[k])));
                        if other != NONE {
                            self.join(b, other, step);
                        }
                    }
                }
            }
        }
    }

    /// Clusters of two blocks that are next to each other.
    fn join(&mut self, a: u32, b: u32, step: [i32; 3]) {
        let (of_a, of_b) = (self.clusters_of(a), self.clusters_of(b));
        for i in of_a {
            let beside = beside(self.clusters[i as usize], step);
            for j in of_b.clone() {
                if beside & self.clusters[j as usize] != 0 {
                    self.sets.join(i, j, false);
                }
            }
        }
    }

    /// The two ends of an interval are one place, which has the name of its first interval.
    fn name(&mut self) {
        self.place.clear();
        let (mut last, mut of_last) = ([NONE; 2], [NONE; 2]);
        for ends in self.ends.chunks_exact(2) {
            let blocks = [0, 1].map(|k| (ends[k] >> (3 * EDGE)) as u32);
            // In the blocks of the interval before, each with one cluster, there is nothing new.
            if blocks != last {
                let pair = [0, 1].map(|k| self.cluster_of(blocks[k], ends[k] as u32 & 63));
                if pair[0] != pair[1] {
                    self.sets.join(pair[0], pair[1], false);
                }
                let single = blocks.iter().all(|&b| self.clusters_of(b).len() == 1);
                (last, of_last) = (if single { blocks } else { [NONE; 2] }, pair);
            }
            self.place.push(of_last[0]);
        }
        self.of.clear();
        self.of.extend((0..self.clusters.len() as u32).map(|c| self.sets.find(c).0));
        // By the cluster that stands for a set: its first interval.
        let mut name = vec![NONE; self.clusters.len()];
        for (i, place) in (0..).zip(&mut self.place) {
            let name = &mut name[self.of[*place as usize] as usize];
            *name = i.min(*name);
            *place = *name;
        }
        self.of.iter_mut().for_each(|of| *of = name[*of as usize]);
        self.only_one = self.of.iter().all(|&of| of == 0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;
    use proptest::prelude::*;

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
                (0u8..3, 0..36u32, 0..36u32, 0.0..1.0f64, 0.0..1.0f64), 0..60),
            point in prop::array::uniform3(-0.15..1.15f64),
            // Crowded, and more blocks than there are slots for at first.
            side in prop_oneof![Just(9usize), Just(36)],
        ) {
            let lattice = Lattice { origin: DVec3::new(-1.0, 2.0, 0.5), pixel: 0.25, count: [side; 3] };
            let intervals: Vec<OwnInterval> = found
                .iter()
                .map(|&(axis, u, v, a, b)| {
                    // From half a pixel before the lattice to half a pixel behind it.
                    let voxel = |d: f64| d * (side as f64 + 1.0) - 0.5;
                    let at = |d: f64| lattice.origin[usize::from(axis)] + voxel(d) * lattice.pixel;
                    let [u, v] = [u, v].map(|i| i % side as u32);
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
            let point = point.map(|x| x * side as f64);
            let p = lattice.origin + DVec3::from(point) * lattice.pixel;
            // Farther out than the margin, the point is taken to be in it.
            let at = point.map(|x| (x.floor() as i64).clamp(-1, side as i64));
            let near: Vec<u32> = (0..ends.len())
                .filter(|&i| ends[i].iter().any(|e| beside(e.map(|x| x.clamp(-1, side as i64)), at)))
                .map(|i| expected[i])
                .collect();
            match places.near(&lattice, p) {
                Some(place) => {
                    prop_assert!(near.contains(&place));
                    let within = point.iter().all(|x| (-1.0..=side as f64 + 1.0).contains(x));
                    prop_assert!(!within || places.bounds(&lattice).contains(p));
                }
                None => prop_assert!(near.is_empty()),
            }
        }
    }
}
