//! Tier 2 for eight pairs at a time: the usual case, one simple root.
//!
//! Takes coordinates packed by lane; where the signs of the Bernstein coefficients leave exactly one root in [0, 1]
//! (Descartes' rule, as in [`super::certify`]), gives a tight certified enclosure of it and whether the features touch
//! there. All other lanes stay open for the tiers that go pair by pair. Nearly all contacts of a simulation are of this
//! kind, and a pair by itself spends its time with divisions that wait for each other.
//!
//! Errors are those of [`super::pair::Pair`]; the sums are formed in the same order.

use super::certify::TIGHT;
use super::screen::{Block, LARGEST, TINY, U, W, bound, cross, dot, largest, max, min};
use crate::Kind;
use crate::root::Root;
use impinge_geometry::DVec3;
use impinge_geometry::for_each_set;

/// What became of the lanes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Singles<const N: usize> {
    /// A [`state`].
    pub state: [f64; N],
    /// Enclosure of the root.
    pub t: [f64; N],
    /// Its upper end.
    pub t_hi: [f64; N],
    /// 1 where `f` rises through the root, −1 where it falls.
    pub up: [f64; N],
}

impl<const N: usize> Singles<N> {
    pub const NONE: Self = Self { state: [state::OPEN; N], t: [0.0; N], t_hi: [0.0; N], up: [0.0; N] };

    /// The only root in [0, 1] of a lane, where all about it is certain.
    #[inline]
    #[must_use]
    pub fn root(&self, kind: Kind, l: usize) -> Option<Root> {
        let inside = self.state[l] == state::TOUCH;
        if !inside && self.state[l] != state::APART {
            return None;
        }
        let after = if self.up[l] > 0.0 { kind.sign() as i8 } else { -(kind.sign() as i8) };
        let (t, t_hi) = (self.t[l], self.t_hi[l]);
        Some(Root { t, t_hi, multiplicity: 1, vanishing: 0, inside, before: -after, after })
    }
}

/// States of a lane; numbers, so that they stay in the same registers.
pub(crate) mod state {
    /// For the tiers that go pair by pair.
    pub const OPEN: f64 = 0.0;
    /// One root in [0, 1], regular, and the features do not touch there.
    pub const APART: f64 = 1.0;
    /// One root in [0, 1], regular, and they touch there.
    pub const TOUCH: f64 = 2.0;
}

/// The coplanarity cubic of one lane.
pub(super) struct Cubic {
    /// Bernstein coefficients.
    pub b: [f64; 4],
    /// Largest difference along each axis.
    pub m: [f64; 3],
    /// The last three points against the first, at the start.
    pub p0: [[f64; 3]; 3],
    /// And at the end.
    pub p1: [[f64; 3]; 3],
}

/// Of lane `l`. Without inner loops, see [`super::screen`].
#[inline(always)]
pub(super) fn cubic<const N: usize>(x: &[[[[f64; N]; 3]; 4]; 2], l: usize) -> Cubic {
    let [s, e] = x;
    let at0 = |i: usize| [s[i][0][l] - s[0][0][l], s[i][1][l] - s[0][1][l], s[i][2][l] - s[0][2][l]];
    let at1 = |i: usize| [e[i][0][l] - e[0][0][l], e[i][1][l] - e[0][1][l], e[i][2][l] - e[0][2][l]];
    let (p0, p1) = ([at0(1), at0(2), at0(3)], [at1(1), at1(2), at1(3)]);
    let all = |k: usize| largest([p0[0][k], p0[1][k], p0[2][k]], [p1[0][k], p1[1][k], p1[2][k]]);
    let m = [all(0), all(1), all(2)];
    let (n00, n11) = (cross(p0[1], p0[2]), cross(p1[1], p1[2]));
    let (c, d) = (cross(p0[1], p1[2]), cross(p1[1], p0[2]));
    let mid = [c[0] + d[0], c[1] + d[1], c[2] + d[2]];
    let third = 1.0 / 3.0;
    let b = [
        dot(p0[0], n00),
        (dot(p1[0], n00) + dot(p0[0], mid)) * third,
        (dot(p0[0], n11) + dot(p1[0], mid)) * third,
        dot(p1[0], n11),
    ];
    Cubic { b, m, p0, p1 }
}

/// One lane: the scalar twin, and the body of the wide kernel. Without inner loops, see [`super::screen`].
#[inline(always)]
fn lane<const EDGES: bool, const N: usize>(x: &[[[[f64; N]; 3]; 4]; 2], l: usize) -> [f64; 4] {
    let Cubic { b, m, p0, p1 } = cubic(x, l);
    let error = bound(m);
    let top = max(max(b[0].abs(), b[1].abs()), max(b[2].abs(), b[3].abs()));
    let error_at = error + 16.0 * U * top;
    // Turned so that the function rises through its root.
    let up = if b[0] < 0.0 { 1.0 } else { -1.0 };
    let g = [up * b[0], up * b[1], up * b[2], up * b[3]];
    // Certain and opposite ends; of the inner two not (+, −): then one variation, one root.
    let room = LARGEST - max(m[0], max(m[1], m[2]));
    let single = min(min(-error - g[0], g[3] - error), max(-error - g[1], g[2] - error));
    if N == 1 && (single <= 0.0 || room < 0.0) {
        return [state::OPEN, 0.0, 0.0, 0.0];
    }

    let value = |t: f64| {
        let s = 1.0 - t;
        let (ss, tt) = (s * s, t * t);
        (g[0] * ss * s + g[3] * tt * t) + 3.0 * s * t * (g[1] * s + g[2] * t)
    };
    let slope = |t: f64| {
        let s = 1.0 - t;
        3.0 * ((g[1] - g[0]) * s * s + 2.0 * (g[2] - g[1]) * s * t + (g[3] - g[2]) * t * t)
    };
    // The slack: once it has converged, a step goes to and fro across an end of the bracket, by roundings.
    let newton = |[lo, hi, t]: [f64; 3]| {
        let v = value(t);
        let (lo, hi) = (if v < 0.0 { t } else { lo }, if v < 0.0 { hi } else { t });
        let next = t - v / slope(t);
        [lo, hi, if next > lo - 1e-9 && next < hi + 1e-9 { next } else { 0.5 * (lo + hi) }]
    };
    let [.., t] = newton(newton(newton(newton(newton(newton([0.0, 1.0, g[0] / (g[0] - g[3])]))))));
    // Certain signs at both ends, or the ends of the step, whose signs are.
    let reach = 2.0 * error_at / slope(t).abs() + 4.0 * f64::EPSILON * t;
    let lower = |r: f64| max(t - r, 0.0);
    let upper = |r: f64| min(t + r, 1.0);
    let certain_lower = |t: f64| if t > 0.0 { -error_at - value(t) } else { 1.0 };
    let certain_upper = |t: f64| if t < 1.0 { value(t) - error_at } else { 1.0 };
    let far = 16.0 * reach;
    let lo = if certain_lower(lower(reach)) > 0.0 { lower(reach) } else { lower(far) };
    let hi = if certain_upper(upper(reach)) > 0.0 { upper(reach) } else { upper(far) };
    let enclosed = min(certain_lower(lo), certain_upper(hi));

    // As `meet` of the certified tier.
    let t = 0.5 * (lo + hi);
    let s = 1.0 - t;
    let at =
        |i: usize| [p0[i][0] * s + p1[i][0] * t, p0[i][1] * s + p1[i][1] * t, p0[i][2] * s + p1[i][2] * t];
    let p = [at(0), at(1), at(2)];
    let (e23, e31, e12) = (cross(p[1], p[2]), cross(p[2], p[0]), cross(p[0], p[1]));
    let normal = |k: usize| if EDGES { e31[k] + e12[k] } else { e23[k] + e31[k] + e12[k] }.abs();
    let a = [normal(0), normal(1), normal(2)];
    let first = a[0] >= a[1] && a[0] >= a[2];
    let second = a[1] >= a[2];
    let pick = |v: [f64; 3]| {
        if first {
            v[0]
        } else if second {
            v[1]
        } else {
            v[2]
        }
    };
    let (x, y, z) = (pick(e23), pick(e31), pick(e12));
    let e = (96.0 * U + 12.0 * (hi - lo)) * pick([m[1] * m[2], m[2] * m[0], m[0] * m[1]]) + TINY;
    let (low, high) = if EDGES {
        let sum = x + y + z;
        (min(min(y, z), min(-x, sum)), max(max(y, z), max(-x, sum)))
    } else {
        (min(x, min(y, z)), max(x, max(y, z)))
    };
    let touch = max(low - e, -high - e);
    let apart = min(-low - e, high - e);
    // NaN from a slope of zero fails every comparison.
    let sure = single > 0.0 && room >= 0.0 && enclosed > 0.0 && hi - lo <= TIGHT && pick(a) > e;
    let state = if !sure {
        state::OPEN
    } else if touch > 0.0 {
        state::TOUCH
    } else if apart > 0.0 {
        state::APART
    } else {
        state::OPEN
    };
    [state, lo, hi, up]
}

/// One pair, scalar: the same answer as its lane in a block.
#[inline]
pub(crate) fn one(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4]) -> Singles<1> {
    let x: [[[[f64; 1]; 3]; 4]; 2] = [x0, x1].map(|x| x.map(|p| <[f64; 3]>::from(p).map(|c| [c])));
    let [state, t, t_hi, up] = match kind {
        Kind::VertexFace => lane::<false, 1>(&x, 0),
        Kind::EdgeEdge => lane::<true, 1>(&x, 0),
    };
    Singles { state: [state], t: [t], t_hi: [t_hi], up: [up] }
}

#[inline(always)]
fn all_lanes<const EDGES: bool>(block: &Block, out: &mut Singles<W>) {
    for l in 0..W {
        let [state, t, t_hi, up] = lane::<EDGES, W>(&block.x, l);
        out.state[l] = state;
        out.t[l] = t;
        out.t_hi[l] = t_hi;
        out.up[l] = up;
    }
}

for_each_set! {
    /// The lanes of a block.
    pub(crate) singles<EDGES> = all_lanes(block: &Block, out: &mut Singles<W>)
}
