//! The geometric part of an impulse: J = ∫ n nᵀ(p−q) dt over one penetration interval, so that I = −k Δt J on the first
//! feature (ERRATA C1, C2: the printed sign pushes deeper, and Δt is missing in the text).
//!
//! With n = m/|m| and f = m·(p−q) the integrand is f m/|m|², even in m: it does not matter which way the normal points, nor
//! that it flips where the features become parallel for a moment (C13).
//!
//! * [`constant`]: |m| replaced by L_k. The integrand has degree 5 (11 with constant acceleration), so three (six) Gauss
//!   points give the paper's polynomial of degree 6 (12) between its limits, without the supplement's six vector
//!   coefficients and their misprints (C4, C5).
//! * [`certified`]: |m| itself. Gauss points with a bound of the error: g = f m/|m|² is analytic where |m|² does not vanish,
//!   and on the ellipse with foci ±1 and semi-axes (ρ ± 1/ρ)/2 around a piece |g| ≤ |m|²|r|/||m|²|, where the Taylor vectors
//!   about the middle bound |m| and |r| from above and |m·m| from below. N points are then off by at most
//!   (64/15) M ρ^(2−2N)/(1 − ρ⁻²) (Trefethen, *Approximation Theory and Approximation Practice*, theorem 19.3). Pieces for
//!   which no rule is good enough are halved. Around an instant at which m vanishes there is no such ellipse, but
//!   |f|/|m| ≤ |r|, so a short enough piece cannot matter whatever happens in it. The bound is that of the quadrature;
//!   rounding adds a few ulps of the largest |m||r|/|m| met.

use crate::gauss::{GAUSS_4, GAUSS_6, GAUSS_8, GAUSS_12, GAUSS_16};
use crate::lanes::NEAR;
use crate::path::{Frame, Path};
use impinge_geometry::DVec3;
use smallvec::SmallVec;

/// ∫ with the constant L_k² (`lk2`, m⁴) from `a` to `b`, by a rule that is exact for the path's degree; and ∫|f| dt by the same
/// points.
#[inline(always)]
pub(crate) fn constant<P: Path>(path: &P, rule: &[(f64, f64)], a: f64, b: f64, lk2: f64) -> (DVec3, f64) {
    let (mid, half) = (0.5 * (a + b), 0.5 * (b - a));
    let (mut sum, mut f_sum) = (DVec3::zero(), 0.0);
    for &(x, w) in rule {
        let at = path.at(mid + half * x);
        let m = at.normal();
        let f = w * m.dot(at.r);
        sum += m * f;
        f_sum += f.abs();
    }
    (sum * (half / lk2), half * f_sum)
}

/// Bound of the error of [`constant`], in the units of its value: off · ∫δ dt, with δ = |f|/|m| and |m|² ≥ L_k²(1 − off). Where
/// that says nothing ∫δ dt comes from the points one by one.
#[inline(always)]
pub(crate) fn constant_bound<P: Path>(
    path: &P,
    rule: &[(f64, f64)],
    a: f64,
    b: f64,
    lk2: f64,
    off: f64,
    f: f64,
) -> f64 {
    if off < NEAR {
        return if off == 0.0 { 0.0 } else { off * f / (lk2 * (1.0 - off)).sqrt() };
    }
    off * mean_distance(path, rule, a, b)
}

/// ∫δ dt from `a` to `b`, from the points of a rule one by one.
pub(crate) fn mean_distance<P: Path>(path: &P, rule: &[(f64, f64)], a: f64, b: f64) -> f64 {
    let (mid, half) = (0.5 * (a + b), 0.5 * (b - a));
    half * rule.iter().map(|&(x, w)| w * signed_distance(&path.at(mid + half * x)).abs()).sum::<f64>()
}

/// An integral and a bound of its error.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Certified {
    pub value: DVec3,
    pub error: f64,
}

/// Ellipses that are tried: ρ. Small ones suit normals that turn fast.
pub(crate) const RHO: [f64; 7] = [1.4, 2.0, 3.0, 5.0, 9.0, 20.0, 60.0];

/// Rules that are tried, cheapest first.
const RULES: [&[(f64, f64)]; 5] = [&GAUSS_4, &GAUSS_6, &GAUSS_8, &GAUSS_12, &GAUSS_16];

/// ρ^(2−2N) by rule and ellipse.
pub(crate) const SHRINK: [[f64; RHO.len()]; RULES.len()] = {
    let mut out = [[0.0; RHO.len()]; RULES.len()];
    let mut rule = 0;
    while rule < RULES.len() {
        let mut i = 0;
        while i < RHO.len() {
            out[rule][i] = 1.0 / power(RHO[i], 2 * RULES[rule].len() - 2);
            i += 1;
        }
        rule += 1;
    }
    out
};

/// By squares; `powi` may have other bits on another machine.
const fn power(mut base: f64, mut n: usize) -> f64 {
    let mut out = 1.0;
    while n > 0 {
        if n % 2 == 1 {
            out *= base;
        }
        base *= base;
        n /= 2;
    }
    out
}

/// The ellipse's part of the bound: long semi-axis, and (64/15)/(1 − ρ⁻²) as factor and divisor.
pub(crate) const fn ellipse(rho: f64) -> (f64, f64, f64) {
    (0.5 * (rho + 1.0 / rho), 64.0 / 15.0, 1.0 - 1.0 / (rho * rho))
}

/// Pieces per integral at the most; beyond them the remaining pieces are added as they are, with their crude bound.
const PIECES: usize = 4096;

/// f m/|m|² at a time; 0 where the normal vanishes. [`crate::exact`] has the same in lanes.
#[inline(always)]
fn integrand(at: &Frame) -> DVec3 {
    let m = at.normal();
    let mm = m.dot(m);
    if mm > 0.0 { m * (m.dot(at.r) / mm) } else { DVec3::zero() }
}

/// Signed depth f/|m| at a time; 0 where the normal vanishes.
#[inline(always)]
pub(crate) fn signed_distance(at: &Frame) -> f64 {
    let m = at.normal();
    let mm = m.dot(m);
    if mm > 0.0 { m.dot(at.r) / mm.sqrt() } else { 0.0 }
}

/// ∫ with |m(t)| itself from `a` to `b`, the quadrature's error at most `tolerance` times ∫|f|/|m| dt (and reported).
pub(crate) fn certified<P: Path>(path: &P, a: f64, b: f64, tolerance: f64) -> Certified {
    let (mid, half) = (0.5 * (a + b), 0.5 * (b - a));
    let size: f64 =
        crate::gauss::GAUSS_3.iter().map(|&(x, w)| w * signed_distance(&path.at(mid + half * x)).abs()).sum();
    let mut out = Certified::default();
    // Where the estimate is nothing but rounding there is nothing to resolve either.
    if !(size > 0.0 && size.is_finite() && half > 0.0) {
        return out;
    }
    let rate = tolerance * size * 0.5; // per unit of time, as `size · half` is the integral
    let mut stack: SmallVec<[(f64, f64); 16]> = SmallVec::new();
    stack.push((mid, half));
    let mut pieces = 0;
    while let Some((mid, half)) = stack.pop() {
        pieces += 1;
        let (normal, reach) = path.taylor(mid, half);
        if let Some((rule, error)) = rule_for(&normal, &reach, rate) {
            let mut sum = DVec3::zero();
            for &(x, w) in rule {
                sum += integrand(&path.at(mid + half * x)) * w;
            }
            out.value += sum * half;
            out.error += error * half;
            continue;
        }
        // |f|/|m| ≤ |r|: what a piece can hold at the most, twice over for what it is replaced by.
        let most = 4.0 * half * reach.iter().map(|r| r.mag()).sum::<f64>();
        let negligible = most <= rate * (b - a) * (1.0 / 64.0);
        if negligible || pieces > PIECES || half < 1e-15 {
            out.value += integrand(&path.at(mid)) * (2.0 * half);
            out.error += most;
            continue;
        }
        let quarter = 0.5 * half;
        stack.push((mid + quarter, quarter));
        stack.push((mid - quarter, quarter));
    }
    out
}

/// The cheapest rule whose error on [−1, 1] is below `tolerance`, with the bound; `None` when none is.
fn rule_for(m: &[DVec3; 5], r: &[DVec3; 3], tolerance: f64) -> Option<(&'static [(f64, f64)], f64)> {
    let lengths = [m[1].mag(), m[2].mag(), m[3].mag(), m[4].mag()];
    let along = [m[0].dot(m[1]).abs(), m[0].dot(m[2]).abs(), m[0].dot(m[3]).abs(), m[0].dot(m[4]).abs()];
    let reach = [r[0].mag(), r[1].mag(), r[2].mag()];
    let (m00, m0) = (m[0].dot(m[0]), m[0].mag());
    let horner = |c: &[f64; 4], a: f64| a * (c[0] + a * (c[1] + a * (c[2] + a * c[3])));
    let mut bounds = [f64::INFINITY; RHO.len()];
    for (bound, rho) in bounds.iter_mut().zip(RHO) {
        // |s| is at most the long semi-axis on the ellipse.
        let (a, factor, divisor) = ellipse(rho);
        let change = horner(&lengths, a);
        let below = m00 - 2.0 * horner(&along, a) - change * change;
        if below > 0.0 {
            let above = m0 + change;
            let reach = reach[0] + a * (reach[1] + a * reach[2]);
            *bound = factor * above * above * reach / below / divisor;
        }
    }
    RULES.iter().zip(&SHRINK).find_map(|(rule, shrink)| {
        let best = bounds.iter().zip(shrink).map(|(b, s)| b * s).fold(f64::INFINITY, f64::min);
        (best <= tolerance).then_some((*rule, best))
    })
}

/// How far the constant L_k is from |m(t)| at the most: max |L(t)²/L_k² − 1| by the hull of the Bernstein coefficients.
/// The impulse with L_k is off by at most this part of k Δt ∫δ dt.
#[inline(always)]
pub(crate) fn constant_error(l: &[f64], lk2: f64) -> f64 {
    let inverse = 1.0 / lk2;
    let off = l.iter().map(|l| (l * inverse - 1.0).abs()).fold(0.0, f64::max);
    // Multiplying by the inverse leaves an ulp or two where all coefficients are equal.
    if off <= 4.0 * f64::EPSILON { 0.0 } else { off }
}
