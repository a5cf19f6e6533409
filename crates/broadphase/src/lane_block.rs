//! Four boxes side by side, compared with one box at once.
//!
//! Takes [`LaneBox`]es, gives bit masks: comparing one box with the next through [`LaneBox`] spends most of its
//! time on fetching and branching (measured: the candidate kernel was 2.5 times slower).

use crate::lane_box::{LaneBox, SURE};
use parry3d::glamx::{Mat4, Vec4};

/// Boxes per block.
pub(crate) const LANES: usize = 4;

/// 96 bytes: one row per axis and side, one column per box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneBlock {
    lo: [Vec4; 3],
    minus_hi: [Vec4; 3],
}

/// One box, its numbers spread over all lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpreadBox {
    lo: [Vec4; 3],
    minus_hi: [Vec4; 3],
}

impl SpreadBox {
    #[inline]
    #[must_use]
    pub fn new(b: &LaneBox) -> Self {
        let (lo, minus_hi) = (b.lo, b.minus_hi);
        Self {
            lo: [Vec4::splat(lo.x), Vec4::splat(lo.y), Vec4::splat(lo.z)],
            minus_hi: [Vec4::splat(minus_hi.x), Vec4::splat(minus_hi.y), Vec4::splat(minus_hi.z)],
        }
    }
}

/// Boxes of a row of blocks, one bit each; the first box is the lowest bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Touching {
    /// The rounded boxes touch.
    pub maybe: u64,
    /// The exact ones certainly do; a subset.
    pub surely: u64,
}

impl LaneBlock {
    /// Touches nothing.
    pub const EMPTY: Self = Self { lo: [Vec4::splat(4.0); 3], minus_hi: [Vec4::splat(4.0); 3] };

    #[inline]
    #[must_use]
    pub fn new(boxes: [LaneBox; LANES]) -> Self {
        let [a, b, c, d] = boxes;
        let lo = Mat4::from_cols(a.lo, b.lo, c.lo, d.lo).transpose();
        let hi = Mat4::from_cols(a.minus_hi, b.minus_hi, c.minus_hi, d.minus_hi).transpose();
        Self { lo: [lo.x_axis, lo.y_axis, lo.z_axis], minus_hi: [hi.x_axis, hi.y_axis, hi.z_axis] }
    }

    /// One of the boxes.
    #[inline]
    #[must_use]
    pub fn spread(&self, lane: usize) -> SpreadBox {
        Self::map(self, |row| Vec4::splat(row[lane]))
    }

    #[inline]
    fn map(&self, f: impl Fn(Vec4) -> Vec4) -> SpreadBox {
        SpreadBox { lo: self.lo.map(&f), minus_hi: self.minus_hi.map(&f) }
    }

    /// Largest gap on any axis, as in [`LaneBox`].
    #[inline]
    fn gap(&self, b: &SpreadBox) -> Vec4 {
        let axis = |c: usize| (self.lo[c] + b.minus_hi[c]).max(self.minus_hi[c] + b.lo[c]);
        axis(0).max(axis(1)).max(axis(2))
    }
}

/// Which boxes of the blocks (16 at most) share a point with `b`. A NaN is "maybe", never "surely".
#[inline]
pub(crate) fn touching(blocks: &[LaneBlock], b: &SpreadBox) -> Touching {
    let mut out = Touching::default();
    for (k, block) in blocks.iter().enumerate() {
        let gap = block.gap(b);
        out.maybe |= u64::from(!gap.cmpgt(Vec4::ZERO).bitmask() & 0xF) << (LANES * k);
        out.surely |= u64::from(gap.cmplt(Vec4::splat(-SURE)).bitmask()) << (LANES * k);
    }
    out
}

/// Only the first half of [`touching`].
#[inline]
pub(crate) fn touching_maybe(blocks: &[LaneBlock], b: &SpreadBox) -> u64 {
    let mut out = 0;
    for (k, block) in blocks.iter().enumerate() {
        out |= u64::from(!block.gap(b).cmpgt(Vec4::ZERO).bitmask() & 0xF) << (LANES * k);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aabb::Aabb;
    use crate::outward::Frame;
    use impinge_geometry::DVec3;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_single_boxes(
            at in prop::collection::vec(prop::array::uniform3(-4i32..=4), 9), size in prop::collection::vec(0i32..3, 9),
        ) {
            // Lattice boxes: many touch exactly, many coincide.
            let frame = Frame::around(&Aabb::new(DVec3::broadcast(-2.0), DVec3::broadcast(2.0)));
            let boxes: Vec<LaneBox> = at.iter().zip(&size).map(|(p, &s)| {
                let lo = DVec3::from(p.map(|c| f64::from(c) * 0.3));
                LaneBox::outward(&frame, &Aabb::new(lo, lo + DVec3::broadcast(f64::from(s) * 0.3)))
            }).collect();
            let block = |b: &[LaneBox]| LaneBlock::new([b[0], b[1], b[2], b[3]]);
            let blocks = [block(&boxes), block(&boxes[4..]), LaneBlock::EMPTY];
            let t = touching(&blocks, &SpreadBox::new(&boxes[8]));
            for i in 0..8 {
                prop_assert_eq!(t.maybe >> i & 1 == 1, !boxes[i].misses(&boxes[8]));
                prop_assert_eq!(t.surely >> i & 1 == 1, boxes[i].surely_meets(&boxes[8]));
                let again = touching(&blocks, &blocks[i / 4].spread(i % 4));
                prop_assert_eq!(again, touching(&blocks, &SpreadBox::new(&boxes[i])));
            }
            prop_assert_eq!(t.maybe >> 8, 0);
            prop_assert_eq!(t.surely & !t.maybe, 0);
            prop_assert_eq!(touching_maybe(&blocks, &SpreadBox::new(&boxes[8])), t.maybe);
        }
    }
}
