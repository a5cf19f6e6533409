//! The first time at which the moving polygon comes within a distance of the origin.
//!
//! Two certificates, both for a piece [tₐ, t_b] of the step, both only inner products:
//!
//! * one direction: if n·cᵢ(t) > d for every corner, the distance is above d (|n| ≤ 1). n·cᵢ is linear in t, so the
//!   time up to which one direction holds is a quotient. For motion without rotation this is Newton's method on the
//!   distance, and it arrives at d itself.
//! * two directions: n(t) goes linearly from nₐ to n_b, the directions at both ends. |n(t)| ≤ 1 still, and n(t)·cᵢ(t) is
//!   quadratic with Bernstein coefficients nₐ·cₐ, (nₐ·c_b + n_b·cₐ)/2, n_b·c_b: all of them > d is enough. The middle
//!   one is (δₐ + δ_b)/2 − (n_b−nₐ)·(c_b−cₐ)/2, so the certificate loses only a second-order term, and in a
//!   rotation even that one vanishes to first order (the normal turns across the motion it causes). Distance minus
//!   largest speed times time, the usual bound, loses a first-order term everywhere.
//!
//! The polynomial f² − d²|N|² (degree 6) was considered as a third certificate: it sees only the plane of the features,
//! and the two-direction certificate is as good for that and covers sides and corners with the same few products.
//!
//! Rounding: |n| ≤ 1 and a corner is off by ≤ 9uM, three products and two sums by ≤ 6uM, so n·c is right to 15uM;
//! a time rounded to a double moves a corner by ≤ 8uM. Everything is compared with d + 64uM.
//!
//! Work: by |δ(t) − δ(s)| ≤ V|t−s| a piece shorter than tol/V whose ends are above d + tol is certified, so pieces never
//! get shorter than tol/2V. Because that alone would be a poor promise, the tolerance doubles every [`STRIDE`]
//! evaluations after the first [`FREE`]; it passes 4M, and so everything, after 40 doublings.

use super::hull::{Instant, Moving, U};
use impinge_geometry::DVec3;
use smallvec::{SmallVec, smallvec};

/// Distance evaluations before the tolerance starts to grow.
const FREE: u32 = 256;
/// Evaluations between doublings.
const STRIDE: u32 = 32;
/// Pieces that wait to the right of the one at hand, held without allocation.
const WAITING: usize = 8;

/// Relative tolerance 2⁻²⁰: a hit is reported at distances of at most d(1 + `RELATIVE`) + `ABSOLUTE`·M.
pub(super) const RELATIVE: f64 = 1.0 / 1_048_576.0;
/// Tolerance in units of the largest relative coordinate, 2⁻³⁶.
pub(super) const ABSOLUTE: f64 = 1.0 / 68_719_476_736.0;

/// Where the search stopped, in the units of [`Moving`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hit {
    pub t: f64,
    pub at_most: f64,
}

/// How much the search did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Effort {
    pub evaluations: u32,
}

/// All n·c above `limit`?
#[inline]
fn above<const N: usize>(n: DVec3, c: &[DVec3; N], limit: f64) -> bool {
    c.iter().all(|c| n.dot(*c) > limit)
}

/// The two-direction certificate.
#[inline]
fn certified<const N: usize>(a: &Instant<N>, b: &Instant<N>, limit: f64) -> bool {
    above(a.n, &a.c, limit)
        && above(b.n, &b.c, limit)
        && (0..N).all(|i| 0.5 * (a.n.dot(b.c[i]) + b.n.dot(a.c[i])) > limit)
}

/// Up to which fraction of the piece the direction at `a` alone certifies.
#[inline]
fn reach<const N: usize>(a: &Instant<N>, end: &[DVec3; N], limit: f64) -> f64 {
    let mut s = 1.0f64;
    for i in 0..N {
        let (from, to) = (a.n.dot(a.c[i]), a.n.dot(end[i]));
        if to <= limit {
            // from ≤ limit: this direction certifies nothing.
            s = s.min(if from > limit { (from - limit) / (from - to) } else { 0.0 });
        }
    }
    s
}

/// First time in [0, `until`] at which the distance is not certainly above `d`, or `None`.
///
/// `d` ≥ 0 and `tol` in the units of `moving`; `tol` ≥ 2⁻⁴⁰M or so to be above rounding.
pub(super) fn first<const N: usize>(
    moving: &Moving<N>,
    until: f64,
    d: f64,
    tol: f64,
    effort: &mut Effort,
) -> Option<Hit> {
    let limit = (d + 64.0 * U * moving.m) * (1.0 + 4.0 * U);
    let mut accept = d + tol;
    let mut eval = |t: f64, accept: &mut f64| {
        effort.evaluations += 1;
        let e = effort.evaluations;
        if e > FREE && (e - FREE).is_multiple_of(STRIDE) {
            *accept = d + (*accept - d) * 2.0;
        }
        moving.at(t)
    };
    let hit = |a: &Instant<N>| Some(Hit { t: a.t, at_most: a.at_most });

    let mut a = eval(0.0, &mut accept);
    if a.at_most <= accept {
        return hit(&a);
    }
    // Most misses end here, with one evaluation.
    let end = moving.corners(until);
    if reach(&a, &end, limit) >= 1.0 {
        return None;
    }
    let mut waiting: SmallVec<[Instant<N>; WAITING]> = smallvec![eval(until, &mut accept)];
    let mut turn = 0u32;
    while let Some(b) = waiting.last() {
        let width = b.t - a.t;
        let s = reach(&a, &b.c, limit);
        if s >= 1.0 || certified(&a, b, limit) {
            a = *b;
            waiting.pop();
            if a.at_most <= accept {
                return hit(&a);
            }
            continue;
        }
        if s >= 0.5 {
            a = eval(a.t + s * width, &mut accept);
            if a.at_most <= accept {
                return hit(&a);
            }
            continue;
        }
        // A hit at b is known: aim between d and the tolerance, every other time; else at the middle.
        turn += 1;
        let target = d + 0.5 * tol;
        let cut = if b.at_most <= accept && turn.is_multiple_of(2) && a.at_most > b.at_most {
            ((a.at_most - target) / (a.at_most - b.at_most)).clamp(0.1, 0.9)
        } else {
            0.5
        };
        let t = a.t + cut * width;
        if !(t > a.t && t < b.t) {
            // Neighbouring doubles: nothing in between.
            return hit(&a);
        }
        let middle = eval(t, &mut accept);
        if middle.at_most <= accept {
            // The first hit is not later than the middle; what waits to the right is of no interest any more.
            waiting.clear();
        }
        waiting.push(middle);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::hull::*;
    use super::*;

    fn unit(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn run<const N: usize>(
        x0: &[DVec3; 4],
        x1: &[DVec3; 4],
        d: f64,
        corners: impl Fn(&[DVec3; 4]) -> [DVec3; N],
    ) -> u32 {
        let mut effort = Effort::default();
        if let Screened::Open(m) = screen(x0, x1, d, corners)
            && m.m > 0.0
        {
            first(&m, 1.0, d, RELATIVE * d + ABSOLUTE * m.m, &mut effort);
        }
        effort.evaluations
    }

    #[test]
    fn effort_stays_small() {
        let mut seed = 1;
        for (name, grid, speed) in [("any", false, 1.0), ("slow", false, 0.1), ("whole numbers", true, 1.0)] {
            for d in [1e-9, 1e-6, 1e-3, 1e-1] {
                let (mut all, mut most, mut n, mut grown) = (0u64, 0, 0u64, 0);
                for _ in 0..20000 {
                    let mut p = || {
                        let v = DVec3::new(unit(&mut seed), unit(&mut seed), unit(&mut seed));
                        if grid {
                            DVec3::new((v.x * 2.5).round(), (v.y * 2.5).round(), (v.z * 2.5).round())
                        } else {
                            v
                        }
                    };
                    let x0: [DVec3; 4] = std::array::from_fn(|_| p());
                    let x1: [DVec3; 4] =
                        std::array::from_fn(|i| if grid { p() } else { x0[i] + p() * speed });
                    for e in [run(&x0, &x1, d, triangle), run(&x0, &x1, d, parallelogram)] {
                        if e > 0 {
                            n += 1;
                            all += u64::from(e);
                            most = most.max(e);
                            grown += u32::from(e > 100);
                        }
                    }
                }
                // What the module promises about cost; the worst seen is 86, for edges that come to lie on each other.
                assert!(most <= 128 && all < 12 * n, "{name} {d}");
                println!(
                    "{name} d={d}: {n} searched, mean {:.2}, most {most}, more than 100: {grown}",
                    all as f64 / n as f64
                );
            }
        }
    }

    /// The vertex stays a hair above d over a triangle that turns by 0.3 rad: the worst for stepping by distance over
    /// speed, which needs 0.3·speed/hair steps (3e7 for the smallest).
    #[test]
    fn turning_with_the_face() {
        for d in [1e-1, 1e-3, 1e-5] {
            for hair in [1e-4, 1e-6, 1e-8] {
                let x = |angle: f64| {
                    let (s, c) = (libm_free_sin(angle), (1.0 - libm_free_sin(angle).powi(2)).sqrt());
                    let corner = |x: f64, y: f64| DVec3::new(x, y * c, y * s);
                    [
                        DVec3::new(0.0, -s, c) * (d + hair),
                        corner(1.0, 0.0),
                        corner(-0.5, 0.8),
                        corner(-0.5, -0.8),
                    ]
                };
                let e = run(&x(0.0), &x(0.3), d, triangle);
                println!("d={d} hair={hair}: {e} evaluations");
                assert!(e < 300);
            }
        }
    }

    fn libm_free_sin(x: f64) -> f64 {
        x - x * x * x / 6.0
    }
}
