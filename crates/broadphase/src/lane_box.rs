//! A box of eight f32 lanes that is compared and joined without branches: the number format of feature lists.
//!
//! Takes f64 boxes, gives f32 boxes that are never too small, in a tree's frame (all inputs within ±1). The
//! upper corner is stored negated, so joining is one minimum and two boxes miss when a sum is positive:
//! `lo_a + (−hi_b) > 0`. A sum of two f32 never has the wrong sign, so this is as exact as `lo_a > hi_b`.

use crate::aabb::Aabb;
use crate::outward::Frame;
use impinge_geometry::DVec3;
use parry3d::bounding_volume::Aabb as Box32;
use parry3d::glamx::Vec4;

/// 32 bytes; the fourth lanes are −1, out of every comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneBox {
    pub lo: Vec4,
    pub minus_hi: Vec4,
}

/// Numbers are cut to this; monotone, so no overlap is lost, and the tree's own stay below it.
const LIMIT: f64 = 1.5;

/// Subtracted before rounding to nearest, whose error is at most 2⁻²⁴ below 2. The quarter covers the
/// rounding of the subtraction itself. Cheaper than stepping to the next number, and has no branch.
const STEP: f64 = 1.25 / (1u32 << 24) as f64;

/// Rounding moves each bound by less than 2⁻²² (STEP + 2⁻²⁴), so boxes that overlap by more than two of
/// these, in the tree's numbers, overlap before rounding. Here: 2⁻²¹.
pub(crate) const SURE: f32 = 1.0 / (1u32 << 21) as f32;

impl LaneBox {
    /// Neutral for [`LaneBox::join`].
    pub const EMPTY: Self =
        Self { lo: Vec4::new(4.0, 4.0, 4.0, -1.0), minus_hi: Vec4::new(4.0, 4.0, 4.0, -1.0) };

    /// `b` in `frame`, rounded outward. `b` must be finite.
    #[must_use]
    pub fn outward(frame: &Frame, b: &Aabb) -> Self {
        let down = |t: f64| (t.clamp(-LIMIT, LIMIT) - STEP) as f32;
        let (lo, hi) = (frame.scaled(b.lo), frame.scaled(b.hi));
        Self {
            lo: Vec4::new(down(lo.x), down(lo.y), down(lo.z), -1.0),
            minus_hi: Vec4::new(down(-hi.x), down(-hi.y), down(-hi.z), -1.0),
        }
    }

    /// The smallest box around both.
    #[inline]
    #[must_use]
    pub fn join(self, other: &Self) -> Self {
        Self { lo: self.lo.min(other.lo), minus_hi: self.minus_hi.min(other.minus_hi) }
    }

    /// Sum of the three edge lengths, in the tree's numbers.
    #[must_use]
    pub fn girth(&self) -> f64 {
        let s = -(self.lo + self.minus_hi);
        f64::from(s.x) + f64::from(s.y) + f64::from(s.z)
    }

    /// Twice the centre, in the tree's numbers.
    #[must_use]
    pub fn twice_centre(&self) -> [f32; 3] {
        let s = self.lo - self.minus_hi;
        [s.x, s.y, s.z]
    }

    /// For parry3d; the same numbers.
    #[must_use]
    pub fn to_parry(self) -> Box32 {
        Box32 { mins: self.lo.truncate(), maxs: -self.minus_hi.truncate() }
    }
}

/// `f64` boxes of two features share a point, touching included.
pub(crate) fn exact_overlap(a: &Aabb, b: &Aabb) -> bool {
    let le = |p: DVec3, q: DVec3| p.x <= q.x && p.y <= q.y && p.z <= q.z;
    le(a.lo, b.hi) && le(b.lo, a.hi)
}

/// One box with one box: the scalar twin of [`crate::lane_block`], for its tests.
#[cfg(test)]
impl LaneBox {
    /// `true` when the rounded boxes share no point; then the exact ones share none either.
    #[must_use]
    pub fn misses(&self, other: &Self) -> bool {
        self.gap(other).cmpgt(Vec4::ZERO).any()
    }

    /// `true` when the exact boxes certainly share a point, by more than rounding can explain. Boxes that neither
    /// miss nor surely meet are too close to tell: ask the exact ones.
    #[must_use]
    pub fn surely_meets(&self, other: &Self) -> bool {
        self.gap(other).cmplt(Vec4::splat(-SURE)).all()
    }

    fn gap(&self, other: &Self) -> Vec4 {
        (self.lo + other.minus_hi).max(other.lo + self.minus_hi)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn relation_never_contradicts_the_exact_boxes(
            a in prop::array::uniform3(-1.0..1.0f64), b in prop::array::uniform3(-1.0..1.0f64),
            size in prop::array::uniform3(0.0..1.0f64),
            nudge in prop::array::uniform3(-4i32..=4), ulp in prop::sample::select(vec![0.0, 1e-16, 3e-8, 1e-6, 1e-3]),
            place in prop::sample::select(vec![0.0, 1.0, 1e6]),
            far in prop::sample::select(vec![0.0, 3.0, 1e12]),
        ) {
            // The second box starts where the first one ends, but for a nudge, on each axis that `b` picks.
            let (a, size) = (DVec3::from(a), DVec3::from(size));
            let shift = DVec3::broadcast(place);
            let first = Aabb::new(a + shift, a + size + shift);
            let mut lo = DVec3::from(b) + shift;
            for c in 0..3 {
                if b[c] > -0.6 {
                    lo[c] = first.hi[c] + f64::from(nudge[c]) * ulp;
                }
            }
            let second = Aabb::new(lo, lo + size + DVec3::broadcast(far));
            let frame = Frame::around(&Aabb::new(shift - DVec3::broadcast(2.0), shift + DVec3::broadcast(2.0)));
            let (p, q) = (LaneBox::outward(&frame, &first), LaneBox::outward(&frame, &second));
            prop_assert!(!p.misses(&q) || !first.overlaps(&second));
            prop_assert!(!p.surely_meets(&q) || first.overlaps(&second));
            prop_assert_eq!(p.misses(&q), q.misses(&p));
            prop_assert_eq!(p.surely_meets(&q), q.surely_meets(&p));
            // Rounding the join is joining the rounded, so only vertices are ever rounded.
            let (u, v) = (LaneBox::outward(&frame, &first.union(&second)), p.join(&q));
            prop_assert_eq!(u.to_parry(), v.to_parry());
            prop_assert_eq!(LaneBox::EMPTY.join(&p).to_parry(), p.to_parry());
        }
    }

    #[test]
    fn clear_cases_are_decided() {
        let frame = Frame::around(&Aabb::new(DVec3::broadcast(-1.0), DVec3::broadcast(1.0)));
        let at = |lo: f64, hi: f64| {
            LaneBox::outward(&frame, &Aabb::new(DVec3::broadcast(lo), DVec3::broadcast(hi)))
        };
        let first = at(0.0, 0.5);
        assert!(first.surely_meets(&at(0.4, 1.0)) && !first.misses(&at(0.4, 1.0)));
        assert!(!first.surely_meets(&at(0.5, 1.0)) && !first.misses(&at(0.5, 1.0)));
        assert!(!first.surely_meets(&at(0.6, 1.0)) && first.misses(&at(0.6, 1.0)));
        assert!((first.girth() - 1.5).abs() < 1e-5);
        assert_eq!(size_of::<LaneBox>(), 32);
    }
}
