//! Sixteen boxes side by side, and the names of what is in them: what [`crate::wide_pair`] reads.
//!
//! Takes [`LaneBox`]es and columns of [`crate::clusters`], gives rows of sixteen numbers, one row per axis and side.
//! The names change with the clusters only, the boxes with every list.

use crate::lane_box::LaneBox;
use parry3d::glamx::Mat4;

/// Boxes per group.
pub(crate) const WIDE: usize = 16;

/// A rank that no vertex has.
const NONE: u32 = u32::MAX;

/// 384 bytes: one row per axis and side, one column per box.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct BoxGroup {
    pub lo: [[f32; WIDE]; 3],
    pub minus_hi: [[f32; WIDE]; 3],
}

/// The caller's numbers of sixteen features and the ranks of their vertices; what a feature has fewer of is never equal to a rank.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct NameGroup {
    pub id: [u32; WIDE],
    pub ranks: [[u32; WIDE]; 3],
}

impl BoxGroup {
    /// Touches nothing.
    pub const EMPTY: Self = Self { lo: [[4.0; WIDE]; 3], minus_hi: [[4.0; WIDE]; 3] };
}

/// How many groups hold so many features.
#[inline]
pub(crate) fn groups(features: usize) -> usize {
    features.div_ceil(WIDE)
}

/// Writes `count` boxes from rank `first` on, the last group filled up with nothing; returns what is left of `out`.
#[inline]
pub(crate) fn fill(
    out: &mut [BoxGroup],
    count: usize,
    first: usize,
    box_of: impl Fn(usize) -> LaneBox,
) -> &mut [BoxGroup] {
    let (mine, rest) = out.split_at_mut(groups(count));
    for (k, group) in mine.iter_mut().enumerate() {
        for four in (0..WIDE).step_by(4) {
            let [a, b, c, d] = std::array::from_fn(|lane| {
                let i = k * WIDE + four + lane;
                if i < count { box_of(first + i) } else { LaneBox::EMPTY }
            });
            let lo = Mat4::from_cols(a.lo, b.lo, c.lo, d.lo).transpose();
            let hi = Mat4::from_cols(a.minus_hi, b.minus_hi, c.minus_hi, d.minus_hi).transpose();
            for (axis, (l, h)) in
                [(lo.x_axis, hi.x_axis), (lo.y_axis, hi.y_axis), (lo.z_axis, hi.z_axis)].iter().enumerate()
            {
                group.lo[axis][four..four + 4].copy_from_slice(&l.to_array());
                group.minus_hi[axis][four..four + 4].copy_from_slice(&h.to_array());
            }
        }
    }
    rest
}

/// Appends the names of the features with these numbers and ranks.
pub(crate) fn name<const N: usize>(out: &mut Vec<NameGroup>, ids: &[u32], ranks: impl Fn(usize) -> [u32; N]) {
    for (k, ids) in ids.chunks(WIDE).enumerate() {
        let mut group = NameGroup { id: [0; WIDE], ranks: [[NONE; WIDE]; 3] };
        for (lane, id) in ids.iter().enumerate() {
            group.id[lane] = *id;
            for (row, rank) in group.ranks.iter_mut().zip(ranks(k * WIDE + lane)) {
                row[lane] = rank;
            }
        }
        out.push(group);
    }
}
