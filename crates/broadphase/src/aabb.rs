//! Axis-aligned boxes in f64 and the half-space test.
//!
//! Takes points or boxes (m), gives boxes that are never too small: whatever rounding does, a point inside
//! a box is inside its transformed box, and touching counts as overlap.

use impinge_geometry::arrays::arrays;
use impinge_geometry::{DMat3, DVec3, Pose};

/// An axis-aligned box `lo ≤ x ≤ hi` (m). A box with `lo > hi` on any axis is empty and meets nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias("bounding box"))]
pub struct Aabb {
    /// Lower corner (m).
    pub lo: DVec3,
    /// Upper corner (m).
    pub hi: DVec3,
}

impl Default for Aabb {
    fn default() -> Self {
        Self::empty()
    }
}

impl Aabb {
    /// A box from its corners (m).
    #[must_use]
    pub fn new(lo: DVec3, hi: DVec3) -> Self {
        Self { lo, hi }
    }

    /// The box around nothing: `lo = +∞`, `hi = −∞`, the neutral element of [`Aabb::union`].
    #[must_use]
    pub fn empty() -> Self {
        Self { lo: DVec3::broadcast(f64::INFINITY), hi: DVec3::broadcast(f64::NEG_INFINITY) }
    }

    /// The smallest box around points; empty for no points. A coordinate that is NaN is passed over, so a point of NaN alone gives
    /// the empty box, which touches nothing: look for NaN before.
    #[must_use]
    pub fn from_points(points: &[DVec3]) -> Self {
        // Four points side by side: the compiler keeps them in wide registers, and no minimum waits for the one before.
        const LANES: usize = 12;
        let (mut lo, mut hi) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
        let mut blocks = arrays(points).as_flattened().chunks_exact(LANES);
        for block in &mut blocks {
            for i in 0..LANES {
                // A NaN is passed over, as by `f64::min`.
                lo[i] = if block[i] < lo[i] { block[i] } else { lo[i] };
                hi[i] = if block[i] > hi[i] { block[i] } else { hi[i] };
            }
        }
        for (i, &x) in blocks.remainder().iter().enumerate() {
            lo[i] = lo[i].min(x);
            hi[i] = hi[i].max(x);
        }
        let of = |v: &[f64; LANES], pick: fn(f64, f64) -> f64| {
            let axis = |k: usize| pick(pick(v[k], v[k + 3]), pick(v[k + 6], v[k + 9]));
            DVec3::new(axis(0), axis(1), axis(2))
        };
        Self { lo: of(&lo, f64::min), hi: of(&hi, f64::max) }
    }

    /// `true` when no point is inside.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lo.x > self.hi.x || self.lo.y > self.hi.y || self.lo.z > self.hi.z
    }

    /// `true` when all six numbers are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        let Self { lo, hi } = self;
        [lo.x, lo.y, lo.z, hi.x, hi.y, hi.z].iter().all(|c| c.is_finite())
    }

    /// The midpoint (m).
    #[must_use]
    pub fn centre(&self) -> DVec3 {
        self.lo * 0.5 + self.hi * 0.5
    }

    /// Half the edge lengths (m).
    #[must_use]
    pub fn half_extent(&self) -> DVec3 {
        self.hi * 0.5 - self.lo * 0.5
    }

    /// The smallest box around both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self { lo: self.lo.min_by_component(other.lo), hi: self.hi.max_by_component(other.hi) }
    }

    /// The box with `margin` (m) added on every side; an empty box stays empty.
    #[must_use]
    pub fn inflated(&self, margin: f64) -> Self {
        if self.is_empty() {
            return *self;
        }
        let m = DVec3::broadcast(margin);
        Self { lo: self.lo - m, hi: self.hi + m }
    }

    /// `true` when the boxes share a point; touching counts, an empty box shares none.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        let (a, b) = (self, other);
        a.lo.x <= b.hi.x
            && b.lo.x <= a.hi.x
            && a.lo.y <= b.hi.y
            && b.lo.y <= a.hi.y
            && a.lo.z <= b.hi.z
            && b.lo.z <= a.hi.z
            && !a.is_empty()
            && !b.is_empty()
    }

    /// `true` when the point is inside or on the border.
    #[must_use]
    pub fn contains(&self, p: DVec3) -> bool {
        self.lo.x <= p.x
            && p.x <= self.hi.x
            && self.lo.y <= p.y
            && p.y <= self.hi.y
            && self.lo.z <= p.z
            && p.z <= self.hi.z
    }

    /// A box around the image of this one under `pose`.
    ///
    /// It holds `pose.point_to_world(p)`, as computed, for every `p` inside: the half extents are widened by
    /// a bound on the rounding of that product (16 ε of its largest term).
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Self {
        if self.is_empty() {
            return Self::empty();
        }
        let m = pose.matrix();
        let abs = abs_matrix(&m);
        let reach = self.lo.abs().max_by_component(self.hi.abs());
        let pad = (pose.position.abs() + abs * reach) * ROUNDING;
        let centre = pose.position + m * self.centre();
        let half = abs * self.half_extent() + pad;
        Self { lo: centre - half, hi: centre + half }
    }
}

/// Relative bound on the rounding of one pose product and the box arithmetic around it; 16 ε where about 8
/// can occur.
pub(crate) const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// The matrix of absolute values: maps half extents to half extents.
pub(crate) fn abs_matrix(m: &DMat3) -> DMat3 {
    DMat3::new(m.cols[0].abs(), m.cols[1].abs(), m.cols[2].abs())
}

/// `true` when the box reaches the half space `normal·x ≤ offset` (the solid side of a plane).
///
/// A plane is not a box: as one it would overlap everything. `normal` need not be unit; `offset` is in the
/// units of `normal·x` (m for a unit normal). Touching counts, and rounding is decided in favour of overlap.
#[must_use]
pub fn plane_overlaps(aabb: &Aabb, normal: DVec3, offset: f64) -> bool {
    if aabb.is_empty() {
        return false;
    }
    // The corner furthest against the normal.
    let corner = DVec3::new(
        if normal.x >= 0.0 { aabb.lo.x } else { aabb.hi.x },
        if normal.y >= 0.0 { aabb.lo.y } else { aabb.hi.y },
        if normal.z >= 0.0 { aabb.lo.z } else { aabb.hi.z },
    );
    let pad = (normal.abs().dot(corner.abs()) + offset.abs()) * ROUNDING;
    normal.dot(corner) - pad <= offset
}
