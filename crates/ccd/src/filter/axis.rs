//! Tier 0 pair by pair: a separating axis, from the points as they lie in memory.
//!
//! Takes eight rows of four numbers (x y z and whatever follows in memory), tells whether along x, y or z one feature stays
//! strictly on one side of the other at both ends of the step. Differences of coordinates are linear in t and a rounded
//! difference has the right sign, so the answer is exact.
//!
//! A register of four is written out by hand: left to the compiler, plain arrays became pairs of two with a shuffle before
//! every comparison, 45 cycles a pair where this takes a third of it.

#![allow(unsafe_code)]

/// Four numbers in a register.
///
/// # Safety
/// Every function must only be called on a processor that has the instructions of the implementation; nothing else
/// about them is unsafe.
pub(crate) trait Quad: Copy {
    unsafe fn load(row: &[f64; 4]) -> Self;
    unsafe fn store(self) -> [f64; 4];
    unsafe fn add(self, b: Self) -> Self;
    unsafe fn sub(self, b: Self) -> Self;
    /// The smaller of each; either when one is NaN.
    unsafe fn min(self, b: Self) -> Self;
    /// The larger of each; either when one is NaN.
    unsafe fn max(self, b: Self) -> Self;
    /// One of the first three is above zero.
    unsafe fn any_positive(self) -> bool;
}

impl Quad for [f64; 4] {
    #[inline(always)]
    unsafe fn load(row: &[f64; 4]) -> Self {
        *row
    }

    #[inline(always)]
    unsafe fn store(self) -> [f64; 4] {
        self
    }

    #[inline(always)]
    unsafe fn add(self, b: Self) -> Self {
        std::array::from_fn(|k| self[k] + b[k])
    }

    #[inline(always)]
    unsafe fn sub(self, b: Self) -> Self {
        std::array::from_fn(|k| self[k] - b[k])
    }

    #[inline(always)]
    unsafe fn min(self, b: Self) -> Self {
        // One instruction, unlike `f64::min`, which cares for NaN.
        std::array::from_fn(|k| if self[k] < b[k] { self[k] } else { b[k] })
    }

    #[inline(always)]
    unsafe fn max(self, b: Self) -> Self {
        std::array::from_fn(|k| if self[k] > b[k] { self[k] } else { b[k] })
    }

    #[inline(always)]
    unsafe fn any_positive(self) -> bool {
        self[0] > 0.0 || self[1] > 0.0 || self[2] > 0.0
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Quad;
    use std::arch::x86_64::*;

    // SAFETY of every call below: the trait asks its callers for a processor with AVX2; the loads and stores are of
    // four numbers behind a reference.
    impl Quad for __m256d {
        #[inline(always)]
        unsafe fn load(row: &[f64; 4]) -> Self {
            unsafe { _mm256_loadu_pd(row.as_ptr()) }
        }

        #[inline(always)]
        unsafe fn store(self) -> [f64; 4] {
            let mut out = [0.0; 4];
            unsafe { _mm256_storeu_pd(out.as_mut_ptr(), self) };
            out
        }

        #[inline(always)]
        unsafe fn add(self, b: Self) -> Self {
            unsafe { _mm256_add_pd(self, b) }
        }

        #[inline(always)]
        unsafe fn sub(self, b: Self) -> Self {
            unsafe { _mm256_sub_pd(self, b) }
        }

        #[inline(always)]
        unsafe fn min(self, b: Self) -> Self {
            unsafe { _mm256_min_pd(self, b) }
        }

        #[inline(always)]
        unsafe fn max(self, b: Self) -> Self {
            unsafe { _mm256_max_pd(self, b) }
        }

        #[inline(always)]
        unsafe fn any_positive(self) -> bool {
            unsafe { _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(self, _mm256_setzero_pd())) & 0b111 != 0 }
        }
    }
}

/// Tier 0 for one pair, `[end][point]`: the same answer as a lane's of the screen.
///
/// # Safety
/// As [`Quad`].
#[inline(always)]
pub(crate) unsafe fn separated<const EDGES: bool, Q: Quad>(p: &[[Q; 4]; 2]) -> bool {
    // SAFETY: the caller's.
    unsafe {
        let [[a, b, c, d], [e, f, g, h]] = *p;
        let gap = if EDGES {
            let above = c.min(d).sub(a.max(b)).min(g.min(h).sub(e.max(f)));
            let below = a.min(b).sub(c.max(d)).min(e.min(f).sub(g.max(h)));
            above.max(below)
        } else {
            let above = b.min(c).min(d).sub(a).min(f.min(g).min(h).sub(e));
            let below = a.sub(b.max(c).max(d)).min(e.sub(f.max(g).max(h)));
            above.max(below)
        };
        gap.any_positive()
    }
}
