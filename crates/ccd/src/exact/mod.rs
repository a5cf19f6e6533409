//! The exact tier: decides and times any finite pair without error.
//!
//! Takes positions, gives [`Roots`]. Everything is a sign of an integer polynomial at an exact point; doubles only guess
//! where to look and answer what their error bound settles. Nothing depends on a tolerance, the machine, or the
//! order of evaluation, so the reported times are the same bits everywhere.
//!
//! Nothing searches for a sign: the number of roots, the sign of one polynomial at a root of another and common roots are
//! all decided by a fixed number of integer operations. Only the rounding of a time to doubles iterates, two looks
//! per root as a rule. (The prototype halved until signs separated: about 4 µs per adversarial query, and nearly common
//! roots needed bounds on how close they can be.)
//!
//! ```text
//! positions ── scale ──> differences ── motion ──> f, orientations        (width: 1, 2 or any number of limbs)
//!                                          │
//!        f ≢ 0: isolate ── tighten ──> roots between neighbouring doubles ── decide ──> inside, vanishing
//!        f ≡ 0: coplanar: sweep over the roots of the orientations        ──> intervals
//!                                          │
//!        what doubles and fixed widths leave open: poly, separate (int)
//! ```

mod coplanar;
mod decide;
mod fix;
pub(crate) mod int;
mod isolate;
mod motion;
mod poly;
mod scale;
mod separate;
#[cfg(test)]
mod tests;
mod tighten;
mod width;

use crate::{Class, Kind, Root, Roots};
use decide::{At, examine, touch};
use impinge_geometry::DVec3;
use isolate::{Alpha, roots_inside};
use motion::Motion;
use poly::Form;
use scale::Scaled;
use smallvec::SmallVec;
use width::{Middle, Narrow, Num, Wide, Width};

/// Do the closed features touch at some t ∈ [0, 1]? All coordinates are finite.
pub(crate) fn touches(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4]) -> bool {
    solve(kind, x0, x1, true).touch()
}

/// All roots of the cubic and all contacts. All coordinates are finite.
pub(crate) fn roots(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4]) -> Roots {
    solve(kind, x0, x1, false)
}

/// Sign of the papers' coplanarity function at t = 0. All coordinates are finite.
pub(crate) fn sign_at_start(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4]) -> i8 {
    let scaled = Scaled::new(x0, x1);
    let sign = if scaled.most <= Middle::BITS {
        Motion::<Middle>::new(kind, &scaled).cubic()[0].sign()
    } else {
        Motion::<Wide>::new(kind, &scaled).cubic()[0].sign()
    };
    sign * kind.sign() as i8
}

fn solve(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4], any: bool) -> Roots {
    let scaled = Scaled::new(x0, x1);
    if scaled.most <= Narrow::BITS {
        solve_in(&Motion::<Narrow>::new(kind, &scaled), any)
    } else if scaled.most <= Middle::BITS {
        solve_in(&Motion::<Middle>::new(kind, &scaled), any)
    } else {
        solve_in(&Motion::<Wide>::new(kind, &scaled), any)
    }
}

/// With `any`, stops at the first contact and leaves out what does not say whether there is one.
fn solve_in<W: Width>(motion: &Motion<W>, any: bool) -> Roots {
    let b = motion.cubic();
    let Some(at_0) = b.iter().position(|b| !b.is_zero()) else {
        let (class, touching) = coplanar::touching(motion, any);
        return Roots { class, roots: SmallVec::new(), touching };
    };
    let at_1 = b.iter().rev().position(|b| !b.is_zero()).unwrap_or(0);
    // Without its roots at 0 and 1.
    let g = &b[at_0..4 - at_1];
    let mut alphas: SmallVec<[Alpha; 3]> = SmallVec::new();
    if at_0 > 0 {
        alphas.push(Alpha::exact(0.0, at_0 as u8));
    }
    alphas.extend(roots_inside(g));
    if at_1 > 0 {
        alphas.push(Alpha::exact(1.0, at_1 as u8));
    }
    let integers = || -> Form { g.iter().map(Num::to_int).collect() };

    let mut out = Roots::default();
    let mut sign = g[0].sign() * motion.kind.sign() as i8 * if at_0 % 2 == 1 { -1 } else { 1 };
    for alpha in &alphas {
        let at = At { alpha, form: &integers };
        let (inside, vanishing) = if any { (touch(motion, &at), 0) } else { examine(motion, &at) };
        let before = sign;
        if alpha.multiplicity % 2 == 1 {
            sign = -sign;
        }
        if vanishing > 0 {
            out.class = Class::DegenerateInstant;
        }
        out.roots.push(Root {
            t: alpha.lo,
            t_hi: alpha.hi,
            multiplicity: alpha.multiplicity,
            vanishing,
            inside,
            before,
            after: sign,
        });
        if any && inside {
            break;
        }
    }
    out
}
