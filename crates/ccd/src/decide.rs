//! The decision for one pair: filters in growing cost, then the exact tier.

use crate::filter::certify::{self, TIGHT, Verdict};
use crate::filter::pair::Pair;
use crate::filter::screen::{self, verdict};
use crate::filter::single;
use crate::kind::check_finite;
use crate::{Kind, NotFinite, Roots, exact};
use impinge_geometry::DVec3;

/// Which tier answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tier {
    /// A separating axis of the relative motion; exact.
    Axis,
    /// Signs of the coplanarity cubic, or of the touching conditions, throughout the step.
    Signs,
    /// Certified roots in f64.
    Certified,
    /// Integer arithmetic.
    Exact,
}

/// Do the closed features touch at some t ∈ [0, 1]? Equals exact arithmetic for every finite input.
///
/// # Errors
/// [`NotFinite`] for NaN and infinities.
pub fn touches(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4]) -> Result<bool, NotFinite> {
    touches_by(kind, x0, x1).map(|(touch, _)| touch)
}

/// As [`touches`], with the tier that answered.
///
/// # Errors
/// [`NotFinite`] for NaN and infinities.
pub fn touches_by(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4]) -> Result<(bool, Tier), NotFinite> {
    check_finite(x0, x1)?;
    let v = screen::one(kind, x0, x1);
    Ok(if v == verdict::AXIS {
        (false, Tier::Axis)
    } else if v != verdict::OPEN {
        (false, Tier::Signs)
    } else {
        open(kind, x0, x1)
    })
}

/// The tiers after the screen.
fn open(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4]) -> (bool, Tier) {
    match single::one(kind, x0, x1).root(kind, 0) {
        Some(root) => (root.inside, Tier::Certified),
        None => several(kind, x0, x1),
    }
}

/// The tiers for pairs that do not have just one simple root.
pub(crate) fn several(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4]) -> (bool, Tier) {
    match Pair::new(kind, x0, x1).map(|p| certify::decide(&p)) {
        Some(Verdict::Apart) => (false, Tier::Certified),
        Some(Verdict::Touch) => (true, Tier::Certified),
        Some(Verdict::Open) | None => (exact::touches(kind, x0, x1), Tier::Exact),
    }
}

/// Every root of the coplanarity cubic in [0, 1] with its flags, by the cheapest tier that is certain of all of them.
///
/// # Errors
/// [`NotFinite`] for NaN and infinities.
pub fn roots(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4]) -> Result<Roots, NotFinite> {
    check_finite(x0, x1)?;
    Ok(all_roots(kind, x0, x1))
}

/// As [`roots`], by the exact tier alone: the reference for tests and fuzzing.
///
/// # Errors
/// [`NotFinite`] for NaN and infinities.
pub fn roots_exact(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4]) -> Result<Roots, NotFinite> {
    check_finite(x0, x1)?;
    Ok(exact::roots(kind, x0, x1))
}

pub(crate) fn all_roots(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4]) -> Roots {
    let mut out = Roots::default();
    if let Some(root) = single::one(kind, x0, x1).root(kind, 0) {
        out.roots.push(root);
        return out;
    }
    match Pair::new(kind, x0, x1) {
        Some(pair)
            if certify::roots(&pair, &mut out.roots) && out.roots.iter().all(|r| r.t_hi - r.t <= TIGHT) =>
        {
            out
        }
        _ => exact::roots(kind, x0, x1),
    }
}

/// On which side the features are at rest: the exact sign of the papers' coplanarity function at positions `x`, 0 where the four points lie
/// in a plane. A vertex over its face, in front of it, is at +1.
///
/// # Errors
/// [`NotFinite`] for NaN and infinities.
pub fn side_of(kind: Kind, x: &[DVec3; 4]) -> Result<i8, NotFinite> {
    check_finite(x, x)?;
    Ok(constant_sign(kind, x, x))
}

/// Sign of the papers' coplanarity function for a pair whose cubic has no root in [0, 1]; 0 when it is zero throughout.
pub(crate) fn constant_sign(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4]) -> i8 {
    let certain = Pair::new(kind, x0, x1).and_then(|p| {
        let top = p.f.iter().copied().fold(0.0f64, |a, b| if b.abs() > a.abs() { b } else { a });
        // A coefficient need not have the sign of the function; the ends have it.
        let end = if p.f[0].abs() > p.f[3].abs() { p.f[0] } else { p.f[3] };
        (top.abs() > p.error && end.abs() > p.error).then(|| (end * kind.sign()).signum() as i8)
    });
    certain.unwrap_or_else(|| exact::sign_at_start(kind, x0, x1))
}
