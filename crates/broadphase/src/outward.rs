//! f64 boxes as f32 boxes that are never too small, and the parry3d tree over them.
//!
//! Takes f64 boxes, gives f32 boxes in a frame of their own: `t = (x − centre) / half`, all inputs within
//! about ±1. Subtracting and multiplying in f64 are monotone, and so is rounding down (up) to f32, hence two
//! boxes that touch in f64 still touch in f32: the tree's answer is a superset, wherever the scene stands and
//! whatever its size. Without the frame an f32 step is 6 cm at 10⁶ m.

use crate::aabb::Aabb;
use impinge_geometry::DVec3;
use parry3d::bounding_volume::Aabb as Box32;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy};

/// The affine map from metres to the tree's numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// What becomes zero (m).
    pub centre: DVec3,
    /// What becomes one (m).
    pub half: f64,
    per_metre: f64,
}

impl Frame {
    /// The frame in which `bounds` becomes about `[−1, 1]³`. `bounds` must be finite and not empty.
    #[must_use]
    pub fn around(bounds: &Aabb) -> Self {
        let centre = bounds.centre();
        let reach = (bounds.hi - centre).component_max().max((centre - bounds.lo).component_max());
        // The limits keep 1/half a normal number for any finite input.
        let half = if reach > 0.0 { reach.clamp(1e-300, 1e300) } else { 1.0 };
        Self { centre, half, per_metre: 1.0 / half }
    }

    /// A point in the tree's numbers; monotone in every coordinate.
    #[inline]
    #[must_use]
    pub fn scaled(&self, p: DVec3) -> DVec3 {
        (p - self.centre) * self.per_metre
    }

    /// The box rounded outward; `grow` (in the tree's numbers) is added on every side.
    #[must_use]
    pub fn outward(&self, b: &Aabb, grow: f64) -> Box32 {
        let lo = self.scaled(b.lo) - DVec3::broadcast(grow);
        let hi = self.scaled(b.hi) + DVec3::broadcast(grow);
        Box32 {
            mins: Vector::new(down(lo.x), down(lo.y), down(lo.z)),
            maxs: Vector::new(up(hi.x), up(hi.y), up(hi.z)),
        }
    }
}

/// Numbers beyond this (boxes of a query far outside the tree) are cut to it, so that no product of three
/// overflows f32. Cutting is monotone, so it loses no overlap.
const FAR: f64 = 1e9;

/// The largest f32 that is at most `x`.
fn down(x: f64) -> f32 {
    let x = x.clamp(-FAR, FAR);
    let y = x as f32;
    if f64::from(y) > x { y.next_down() } else { y }
}

/// The smallest f32 that is at least `x`.
fn up(x: f64) -> f32 {
    let x = x.clamp(-FAR, FAR);
    let y = x as f32;
    if f64::from(y) < x { y.next_up() } else { y }
}

/// How much boxes are grown while the tree is being split, as a fraction of the whole.
///
/// parry3d splits by volume: for flat boxes in one plane every split costs nothing, it always takes the
/// first one, and the tree leans to depth 50 and more. Grown boxes have a volume.
pub(crate) const GROW_FOR_SPLIT: f64 = 1.0 / 1024.0;

/// A tree over leaves `0..n` (n may be 0), split well even when all boxes are flat or equal.
pub(crate) fn build(frame: &Frame, boxes: impl ExactSizeIterator<Item = Aabb> + Clone) -> Bvh {
    build_rounded(boxes.map(|b| frame.outward(&b, 0.0)))
}

/// The same from boxes rounded already, in a frame where all is within about ±1.
pub(crate) fn build_rounded(boxes: impl ExactSizeIterator<Item = Box32> + Clone) -> Bvh {
    let grow = Vector::splat(GROW_FOR_SPLIT as f32);
    let grown: Vec<Box32> =
        boxes.clone().map(|b| Box32 { mins: b.mins - grow, maxs: b.maxs + grow }).collect();
    // `from_leaves` rather than `from_iter`: the latter panics for one or two leaves with other ids.
    let mut bvh = Bvh::from_leaves(BvhBuildStrategy::Binned, &grown);
    for (i, b) in boxes.enumerate() {
        bvh.insert_or_update_partially(b, i as u32, 0.0);
    }
    bvh
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rounding_encloses_and_is_tight(bits in any::<u64>()) {
            let x = f64::from_bits(bits);
            prop_assume!(!x.is_nan());
            let c = x.clamp(-FAR, FAR);
            let (a, b) = (down(x), up(x));
            prop_assert!(f64::from(a) <= c && c <= f64::from(b));
            prop_assert!(a == b || a.next_up() == b);
        }

        #[test]
        fn boxes_that_touch_still_touch(x in -1e7..1e7f64, w in 0.0..2.0f64, far in -1e6..1e6f64) {
            let at = |lo: f64, hi: f64| Aabb::new(DVec3::broadcast(lo), DVec3::broadcast(hi));
            let (a, b) = (at(x - w, x), at(x, x + w));
            let frame = Frame::around(&a.union(&at(far, far + 1.0)));
            let (a32, b32) = (frame.outward(&a, 0.0), frame.outward(&b, 0.0));
            prop_assert!(a32.maxs.x >= b32.mins.x);
        }
    }

    #[test]
    fn any_finite_size_has_a_frame() {
        for s in [0.0, 5e-324, 1e-300, 1e-9, 1.0, 1e9, 1e300, f64::MAX] {
            let b = Aabb::new(DVec3::broadcast(-s), DVec3::broadcast(s));
            let q = Frame::around(&b).outward(&b, 0.0);
            assert!(
                q.mins.x.is_finite() && q.maxs.x.is_finite() && q.mins.x <= 0.0 && q.maxs.x >= 0.0,
                "{s}"
            );
        }
    }

    #[test]
    fn flat_leaves_do_not_lean() {
        let n = 100usize;
        let boxes: Vec<Aabb> = (0..n * n)
            .map(|i| {
                let p = DVec3::new((i % n) as f64, (i / n) as f64, 0.0);
                Aabb::new(p, p + DVec3::new(1.0, 1.0, 0.0))
            })
            .collect();
        let bounds = boxes.iter().fold(Aabb::empty(), |u, b| u.union(b));
        let bvh = build(&Frame::around(&bounds), boxes.iter().copied());
        assert!(bvh.subtree_depth(0) < 24, "depth {}", bvh.subtree_depth(0));
    }
}
