//! From positions to exact differences, and how long those are as integers.
//!
//! Takes the eight positions, gives the differences `P_i = x_i − x_0` at both ends as unevaluated sums of two doubles and,
//! for every axis by itself, the power of two that makes them integers. Scaling an axis is an affine map: collinearity,
//! coplanarity, the order of points on a line and contact do not change, so each axis takes the shortest integers it
//! can; and a common translation is gone before its bits are counted.

use super::width::exp2;
use impinge_geometry::DVec3;

/// Differences as `hi + lo`, index `[end][i − 1][axis]`.
pub(super) struct Scaled {
    pub hi: [[[f64; 3]; 3]; 2],
    pub lo: [[[f64; 3]; 3]; 2],
    /// All `lo` are zero.
    pub exact: bool,
    /// Exponent of the unit of every axis.
    pub low: [i32; 3],
    /// |hi + lo| ≤ 2^(low + bits).
    pub bits: [i32; 3],
    /// The longest axis.
    pub most: i32,
}

/// `a − b = hi + lo` exactly (Knuth), unless `hi` overflows.
#[inline]
fn two_diff(a: f64, b: f64) -> (f64, f64) {
    let hi = a - b;
    let b_part = a - hi;
    let a_part = hi + b_part;
    (hi, (a - a_part) + (b_part - b))
}

/// Mantissa and exponent of a double's magnitude.
#[inline]
fn parts(bits: u64) -> (u64, i32) {
    let field = (bits >> 52) & 0x7ff;
    let fraction = bits & ((1 << 52) - 1);
    (fraction | u64::from(field != 0) << 52, field.max(1) as i32 - 1075)
}

impl Scaled {
    #[must_use]
    pub fn new(x0: &[DVec3; 4], x1: &[DVec3; 4]) -> Self {
        let (mut hi, mut lo) = ([[[0.0; 3]; 3]; 2], [[[0.0; 3]; 3]; 2]);
        // All magnitudes' bits together: nothing to do for halves that are zero.
        let (mut any_lo, mut overflow) = (0, false);
        for (end, x) in [x0, x1].into_iter().enumerate() {
            let origin: [f64; 3] = x[0].into();
            for i in 0..3 {
                let point: [f64; 3] = x[i + 1].into();
                for k in 0..3 {
                    let (h, l) = two_diff(point[k], origin[k]);
                    hi[end][i][k] = h;
                    lo[end][i][k] = l;
                    any_lo |= l.to_bits() << 1;
                    overflow |= !h.is_finite();
                }
            }
        }
        if overflow {
            // The sum of two doubles still says it all.
            any_lo = 1;
            for (end, x) in [x0, x1].into_iter().enumerate() {
                for i in 0..3 {
                    hi[end][i] = x[i + 1].into();
                    lo[end][i] = (-x[0]).into();
                }
            }
        }
        // The lowest bit of every axis, and its largest magnitude, which as bits sorts like a number.
        let (mut bottom, mut largest) = ([i32::MAX; 3], [0; 3]);
        let mut measure = |k: usize, x: f64| {
            let magnitude = x.to_bits() & (u64::MAX >> 1);
            if magnitude != 0 {
                let (mantissa, exponent) = parts(magnitude);
                bottom[k] = bottom[k].min(exponent + mantissa.trailing_zeros() as i32);
                largest[k] = magnitude.max(largest[k]);
            }
        };
        for end in 0..2 {
            for i in 0..3 {
                for k in 0..3 {
                    measure(k, hi[end][i][k]);
                    if any_lo != 0 {
                        measure(k, lo[end][i][k]);
                    }
                }
            }
        }
        let (mut low, mut bits) = ([0; 3], [0; 3]);
        for k in 0..3 {
            if largest[k] != 0 {
                let (mantissa, exponent) = parts(largest[k]);
                low[k] = bottom[k];
                // One more when the halves are two coordinates of one size.
                bits[k] = exponent + 64 - mantissa.leading_zeros() as i32 - low[k] + i32::from(overflow);
            }
        }
        let most = bits.into_iter().fold(0, i32::max);
        Self { hi, lo, exact: any_lo == 0, low, bits, most }
    }

    /// Two factors, each a normal double, that together divide axis `k` by its unit.
    #[must_use]
    pub fn unit(&self, k: usize) -> [f64; 2] {
        halves(-self.low[k])
    }

    /// The same so that no difference exceeds 1.
    #[must_use]
    pub fn whole(&self, k: usize) -> [f64; 2] {
        halves(-self.low[k] - self.bits[k])
    }
}

fn halves(e: i32) -> [f64; 2] {
    [exp2(i64::from(e / 2)), exp2(i64::from(e - e / 2))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_translation_costs_no_bits() {
        let x = [DVec3::new(1024.25, 7.0, 0.0), DVec3::new(1024.5, 7.0, 1.0), DVec3::new(1024.0, 7.0, 3.0)];
        let x = [x[0], x[1], x[2], x[0]];
        let scaled = Scaled::new(&x, &x);
        assert_eq!(scaled.low, [-2, 0, 0]);
        assert_eq!(scaled.bits, [1, 0, 2]);
    }

    #[test]
    fn differences_are_exact_at_both_ends_of_the_range() {
        let tiny = f64::from_bits(1);
        let x = [
            DVec3::new(1.0, f64::MAX, -tiny),
            DVec3::new(tiny, -f64::MAX, tiny),
            DVec3::zero(),
            DVec3::zero(),
        ];
        let scaled = Scaled::new(&x, &x);
        // Overflow on one axis: the differences fall back to pairs of coordinates.
        assert_eq!((scaled.hi[0][0][1], scaled.lo[0][0][1]), (-f64::MAX, -f64::MAX));
        assert_eq!((scaled.low[2], scaled.bits[2]), (-1074, 2));
        assert!(scaled.bits[0] >= 1075);
        let near = [x[0] - DVec3::unit_y() * f64::MAX; 4];
        let far = [near[0], DVec3::new(1.0 + f64::EPSILON, 0.0, 0.0), near[0], near[0]];
        let scaled = Scaled::new(&near, &far);
        assert_eq!(scaled.hi[1][0][0] + scaled.lo[1][0][0], f64::EPSILON);
    }
}
