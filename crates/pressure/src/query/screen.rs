//! Which of eight items of the host a tet of the guest can share a polygon with: eight answers in one pass.
//!
//! Stages, each of which ends the pass when no lane is left: boxes; the plane of equal pressure cuts the host's tet; it
//! cuts the guest's; no face of the guest separates; no face of the host separates. Every stage is one loop over lanes
//! with straight-line arithmetic inside: written as loops over corners around loops over lanes, LLVM made gathers of it
//! and the query took three times as long. A tet of the guest is one record (`TetRecord`), not a lane of a block, for the
//! same reason.

use super::relative::{max, min};
use crate::blocks::{TetBlock, TetRecord, TriBlock};
use crate::levels::{LaneBoxes, part_below};
use crate::simd::{Lanes, W};
use crate::tree::Box3;

/// A tet of the guest in the host's frame, with its box, widened by what rounding may be.
pub struct GuestTet {
    pub t: TetRecord,
    pub lo: [f64; 3],
    pub hi: [f64; 3],
}

impl GuestTet {
    #[inline(always)]
    #[must_use]
    pub fn new(t: TetRecord, limit: f64, rounding: f64) -> Self {
        let wide = |lo: [f64; 3], hi: [f64; 3]| (lo.map(|x| x - rounding), hi.map(|x| x + rounding));
        if max4(t.p[0], t.p[1], t.p[2], t.p[3]) > limit {
            let b = part_below(&t, limit);
            let (lo, hi) = wide([b.lo.x, b.lo.y, b.lo.z], [b.hi.x, b.hi.y, b.hi.z]);
            return Self { t, lo, hi };
        }
        let low = |x: &Lanes| min4(x[0], x[1], x[2], x[3]);
        let high = |x: &Lanes| max4(x[0], x[1], x[2], x[3]);
        let (lo, hi) = wide([low(&t.x), low(&t.y), low(&t.z)], [high(&t.x), high(&t.y), high(&t.z)]);
        Self { t, lo, hi }
    }

    /// Whether its box meets another (touching counts).
    #[inline(always)]
    #[must_use]
    pub fn meets(&self, b: &Box3) -> bool {
        let (lo, hi) = (&self.lo, &self.hi);
        lo[0] <= b.hi.x
            && b.lo.x <= hi[0]
            && lo[1] <= b.hi.y
            && b.lo.y <= hi[1]
            && lo[2] <= b.hi.z
            && b.lo.z <= hi[2]
    }

    /// Corner i (0–3) or normal i − 4 (4–7).
    #[inline(always)]
    fn v(&self, i: usize) -> [f64; 3] {
        [self.t.x[i], self.t.y[i], self.t.z[i]]
    }
}

/// A byte per lane, 0 or 1: compares become one mask instruction and one store of eight bytes.
type Flags = [u8; W];

/// All lanes at once.
#[inline(always)]
fn word(f: Flags) -> u64 {
    u64::from_le_bytes(f)
}

/// The lanes whose box meets the box (touching counts).
#[inline(always)]
#[must_use]
pub fn boxes(lo: &[f64; 3], hi: &[f64; 3], b_lo: &[Lanes; 3], b_hi: &[Lanes; 3]) -> u64 {
    let mut f = [0u8; W];
    for l in 0..W {
        let x = max(b_lo[0][l] - hi[0], lo[0] - b_hi[0][l]);
        let y = max(b_lo[1][l] - hi[1], lo[1] - b_hi[1][l]);
        let z = max(b_lo[2][l] - hi[2], lo[2] - b_hi[2][l]);
        f[l] = u8::from(max(max(x, y), z) <= 0.0);
    }
    word(f)
}

/// n·x + d of lane `l`.
#[inline(always)]
fn dot(n: &[f64; 3], d: f64, x: &[Lanes; 3], l: usize) -> f64 {
    n[0] * x[0][l] + n[1] * x[1][l] + n[2] * x[2][l] + d
}

/// The affine function of lane `l` at one point.
#[inline(always)]
fn at(n: &[Lanes; 3], d: &Lanes, x: &[f64; 3], l: usize) -> f64 {
    n[0][l] * x[0] + n[1][l] * x[1] + n[2][l] * x[2] + d[l]
}

#[inline(always)]
fn max4(a: f64, b: f64, c: f64, d: f64) -> f64 {
    max(max(a, b), max(c, d))
}

#[inline(always)]
fn min4(a: f64, b: f64, c: f64, d: f64) -> f64 {
    min(min(a, b), min(c, d))
}

/// Part of the larger value: above [`super::relative::TIED`], which is a part of sizes that differences may be far below.
const MISSED: f64 = 1e-7;

/// Whether values between these pass zero or only miss it by what may be rounding: the clipping decides that.
#[inline(always)]
fn both_signs(lowest: f64, highest: f64) -> u8 {
    u8::from((highest >= MISSED * lowest) & (lowest <= MISSED * highest))
}

/// Whether values between these pass zero by more than `slack` short of it.
#[inline(always)]
fn nearly<const WIDE: bool>(lowest: f64, highest: f64, slack: f64) -> u8 {
    if WIDE { both_signs(lowest - slack, highest + slack) } else { both_signs(lowest, highest) }
}

/// |x| + |y| + |z|, which no length exceeds.
#[inline(always)]
fn one_norm(x: f64, y: f64, z: f64) -> f64 {
    x.abs() + y.abs() + z.abs()
}

/// The host tets that may share a polygon of equal pressure with `a`.
#[inline(always)]
#[must_use]
pub fn tets(a: &GuestTet, b: &TetBlock, near: &LaneBoxes) -> u64 {
    screened::<false>(a, b, near, 0.0)
}

/// The host tets that may share one with `a` moved by up to `margin` (m), whose box is already widened by it: nothing that
/// [`tets`] finds then is missing.
#[inline(always)]
#[must_use]
pub fn tets_near(a: &GuestTet, b: &TetBlock, near: &LaneBoxes, margin: f64) -> u64 {
    screened::<true>(a, b, near, margin)
}

#[inline(always)]
fn screened<const WIDE: bool>(a: &GuestTet, b: &TetBlock, near: &LaneBoxes, margin: f64) -> u64 {
    let mut m = boxes(&a.lo, &a.hi, &near.lo, &near.hi);
    if m == 0 {
        return 0;
    }
    let mut f = [0u8; W];
    let (g, c, p) = (&a.t.g, a.t.c, &a.t.p);
    // Values of an affine function whose body moves change by the length of its gradient times the way.
    let slack = if WIDE { margin * one_norm(g[0], g[1], g[2]) } else { 0.0 };
    for l in 0..W {
        let h0 = dot(g, c, &b.x[0], l) - b.p[0][l];
        let h1 = dot(g, c, &b.x[1], l) - b.p[1][l];
        let h2 = dot(g, c, &b.x[2], l) - b.p[2][l];
        let h3 = dot(g, c, &b.x[3], l) - b.p[3][l];
        f[l] = nearly::<WIDE>(min4(h0, h1, h2, h3), max4(h0, h1, h2, h3), slack);
    }
    m &= word(f);
    if m == 0 {
        return 0;
    }
    let (x0, x1, x2, x3) = (a.v(0), a.v(1), a.v(2), a.v(3));
    for l in 0..W {
        let h0 = p[0] - at(&b.g, &b.c, &x0, l);
        let h1 = p[1] - at(&b.g, &b.c, &x1, l);
        let h2 = p[2] - at(&b.g, &b.c, &x2, l);
        let h3 = p[3] - at(&b.g, &b.c, &x3, l);
        let slack = if WIDE { margin * one_norm(b.g[0][l], b.g[1][l], b.g[2][l]) } else { 0.0 };
        f[l] = nearly::<WIDE>(min4(h0, h1, h2, h3), max4(h0, h1, h2, h3), slack);
    }
    m &= word(f);
    if m == 0 {
        return 0;
    }
    // The smallest over the faces of the largest weight of a corner: not above 0 where a face separates.
    let weight = |i: usize| {
        let v = a.v(4 + i);
        if WIDE { margin * one_norm(v[0], v[1], v[2]) } else { 0.0 }
    };
    let wide = [weight(0), weight(1), weight(2), weight(3)];
    for l in 0..W {
        let highest = |i: usize| {
            let (n, d) = (a.v(4 + i), a.t.d[i]);
            let h = max4(
                dot(&n, d, &b.x[0], l),
                dot(&n, d, &b.x[1], l),
                dot(&n, d, &b.x[2], l),
                dot(&n, d, &b.x[3], l),
            );
            if WIDE { h + wide[i] } else { h }
        };
        f[l] = u8::from(min4(highest(0), highest(1), highest(2), highest(3)) > 0.0);
    }
    m &= word(f);
    if m == 0 {
        return 0;
    }
    for l in 0..W {
        let highest = |i: usize| {
            let (n, d) = (&b.n[i], &b.d[i]);
            let h = max4(at(n, d, &x0, l), at(n, d, &x1, l), at(n, d, &x2, l), at(n, d, &x3, l));
            if WIDE { h + margin * one_norm(n[0][l], n[1][l], n[2][l]) } else { h }
        };
        f[l] = u8::from(min4(highest(0), highest(1), highest(2), highest(3)) > 0.0);
    }
    m & word(f)
}

/// The host triangles that may reach into `a`.
#[inline(always)]
#[must_use]
pub fn triangles(a: &GuestTet, b: &TriBlock) -> u64 {
    let mut m = boxes(&a.lo, &a.hi, &b.lo, &b.hi);
    if m == 0 {
        return 0;
    }
    let mut f = [0u8; W];
    let (x0, x1, x2, x3) = (a.v(0), a.v(1), a.v(2), a.v(3));
    for l in 0..W {
        let h0 = at(&b.n, &b.d, &x0, l);
        let h1 = at(&b.n, &b.d, &x1, l);
        let h2 = at(&b.n, &b.d, &x2, l);
        let h3 = at(&b.n, &b.d, &x3, l);
        f[l] = both_signs(min4(h0, h1, h2, h3), max4(h0, h1, h2, h3));
    }
    m &= word(f);
    if m == 0 {
        return 0;
    }
    for l in 0..W {
        let highest = |n: [f64; 3], d: f64| {
            max(max(dot(&n, d, &b.x[0], l), dot(&n, d, &b.x[1], l)), dot(&n, d, &b.x[2], l))
        };
        let (h0, h1) = (highest(a.v(4), a.t.d[0]), highest(a.v(5), a.t.d[1]));
        let (h2, h3) = (highest(a.v(6), a.t.d[2]), highest(a.v(7), a.t.d[3]));
        f[l] = u8::from(min4(h0, h1, h2, h3) > -super::clip::NEAR_FACE);
    }
    m & word(f)
}

/// The triangles with a corner no higher than `slack` over the plane n·x = d.
#[inline(always)]
#[must_use]
pub fn under_plane(b: &TriBlock, n: &[f64; 3], d: f64, slack: f64) -> u64 {
    let mut f = [0u8; W];
    for l in 0..W {
        let (h0, h1, h2) = (dot(n, -d, &b.x[0], l), dot(n, -d, &b.x[1], l), dot(n, -d, &b.x[2], l));
        f[l] = u8::from(super::relative::min(super::relative::min(h0, h1), h2) <= slack);
    }
    word(f)
}

/// The tets a plane h(x) = g·x + c cuts, with `own` times their own pressure added.
#[inline(always)]
#[must_use]
pub fn cut_by_plane(b: &TetBlock, own: f64, g: &[f64; 3], c: f64) -> u64 {
    let mut f = [0u8; W];
    for l in 0..W {
        let h0 = dot(g, c, &b.x[0], l) + own * b.p[0][l];
        let h1 = dot(g, c, &b.x[1], l) + own * b.p[1][l];
        let h2 = dot(g, c, &b.x[2], l) + own * b.p[2][l];
        let h3 = dot(g, c, &b.x[3], l) + own * b.p[3][l];
        f[l] = both_signs(min4(h0, h1, h2, h3), max4(h0, h1, h2, h3));
    }
    word(f) & lanes(b.len)
}

/// The lanes before `len`. What is past it has no box to say so, and its zeros lie in any plane with h = 0 there.
#[inline(always)]
fn lanes(len: u32) -> u64 {
    1u64.checked_shl(8 * len).map_or(u64::MAX, |m| m - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use impinge_geometry::DVec3;

    #[test]
    fn lanes_past_the_end_are_in_no_answer() {
        let tet = [[0.0, 0.0, -1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]].map(DVec3::from);
        let mut b = TetBlock::EMPTY;
        for n in 1..=W as u32 {
            b.push(tet, [0.0, 0.0, 0.0, 1.0]);
            assert_eq!(lanes(b.len), (0..n).fold(0, |m, l| m | 0xff << (8 * l)));
            for (own, c) in [(0.0, 0.0), (0.0, -0.0), (1.0, 0.0), (1.0, -0.0), (1.0, 1e-300), (0.0, 0.5)] {
                let m = cut_by_plane(&b, own, &[0.0, 0.0, 1.0], c);
                assert_eq!(m, lanes(n) & 0x0101_0101_0101_0101, "{n} tets, {own}, {c:e}");
            }
        }
    }
}
