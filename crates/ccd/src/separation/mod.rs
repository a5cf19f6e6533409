//! Minimum separation: does a pair come within a thickness d of each other during the step, and when first?
//!
//! Takes the positions of a pair at both ends of the step (order as in [`Kind`], straight motion, t ∈ [0, 1]) and a
//! thickness d ≥ 0. Distance is that of the closed features: the nearest points may lie on a face, a side or a corner,
//! and parallel edges and collapsed triangles are ordinary.
//!
//! What is guaranteed, rounding included (derivations in `hull.rs` and `search.rs`):
//!
//! * never a miss: `None` means that the exact distance is above d for all t ∈ \[0,1\];
//! * never late: before the reported time the exact distance is above d;
//! * a hit is near: at the reported time the distance is at most [`Within::distance`], and that is at most
//!   d + [`tolerance`]`(d, M)`, M the largest difference between coordinates of the two features at either end;
//! * d = 0 reports exactly the pairs whose closed features touch, at the exact time (integer arithmetic for what comes
//!   within the tolerance);
//! * bounded work: at most 1536 distance evaluations (about 50 ns each; 2 to 8 on average, 86 the most seen on random and
//!   whole-number motion). After the first 256 the tolerance doubles every 32, so a motion that keeps the pair within a
//!   hair of d while it turns, or edges that come to lie on each other with d below 2⁻²⁴M, can end as a hit reported
//!   farther away than promised above; `distance` says how far.
//!
//! A pair that is closer than d + tolerance at the start is reported at t = 0.
//!
//! Compared with conservative advancement (Mirtich 1996; additive CCD, Li 2021), which steps by distance over largest
//! speed: see `search.rs` for the bound used instead, and `examples/separation_timing.rs` for the numbers.

mod hull;
mod search;

use crate::decide;
use crate::kind::{Kind, NotFinite, check_finite};
use hull::{Moving, Screened};
use impinge_geometry::DVec3;
use std::fmt;

/// The pair comes within the thickness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Within {
    /// When first, in \[0,1\]; never late.
    pub t: f64,
    /// Upper bound of the distance of the features at `t` (m).
    pub distance: f64,
}

/// Why a pair cannot be decided.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SeparationError {
    /// A coordinate is NaN or infinite.
    NotFinite(NotFinite),
    /// The thickness is negative, NaN or infinite.
    Thickness(f64),
}

impl fmt::Display for SeparationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite(e) => e.fmt(f),
            Self::Thickness(d) => write!(f, "the thickness is {d}; give a finite distance of at least 0"),
        }
    }
}

impl std::error::Error for SeparationError {}

impl From<NotFinite> for SeparationError {
    fn from(e: NotFinite) -> Self {
        Self::NotFinite(e)
    }
}

/// How much farther than `d` a reported pair may be: 2⁻²⁰d + 2⁻³⁶M (m), with M the largest absolute difference
/// between coordinates of the one and the other feature, at either end of the step (m).
#[must_use]
pub fn tolerance(d: f64, m: f64) -> f64 {
    search::RELATIVE * d + search::ABSOLUTE * m
}

/// First time a vertex `x[0]` and a triangle `x[1..4]` are within `d` (m) of each other; `None` when they never are.
///
/// # Errors
/// A coordinate is not finite, or `d` is negative or not finite.
#[doc(alias("minimum separation", "rest offset"))]
pub fn vertex_face_within(
    x0: &[DVec3; 4],
    x1: &[DVec3; 4],
    d: f64,
) -> Result<Option<Within>, SeparationError> {
    within(Kind::VertexFace, x0, x1, d)
}

/// First time the edges `x[0] x[1]` and `x[2] x[3]` are within `d` (m) of each other; `None` when they never are.
///
/// # Errors
/// A coordinate is not finite, or `d` is negative or not finite.
pub fn edge_edge_within(x0: &[DVec3; 4], x1: &[DVec3; 4], d: f64) -> Result<Option<Within>, SeparationError> {
    within(Kind::EdgeEdge, x0, x1, d)
}

/// [`vertex_face_within`] or [`edge_edge_within`].
///
/// # Errors
/// A coordinate is not finite, or `d` is negative or not finite.
pub fn within(
    kind: Kind,
    x0: &[DVec3; 4],
    x1: &[DVec3; 4],
    d: f64,
) -> Result<Option<Within>, SeparationError> {
    check_thickness(d)?;
    check_pair(x0, x1)?;
    Ok(decide(kind, x0, x1, d, 1.0))
}

/// [`within`] for many pairs: `stencils[i]` names the four points of pair `i` in the columns `x0` and `x1`, `out[i]`
/// takes its answer. Works on as many pairs as `stencils` and `out` both have.
///
/// # Errors
/// `d`, or the first pair with a coordinate that is not finite; `out` is then partly written.
///
/// # Panics
/// When a stencil names a point that `x0` or `x1` does not have.
pub fn within_into(
    kind: Kind,
    x0: &[DVec3],
    x1: &[DVec3],
    stencils: &[[u32; 4]],
    d: f64,
    out: &mut [Option<Within>],
) -> Result<(), SeparationError> {
    check_thickness(d)?;
    for (stencil, out) in stencils.iter().zip(out) {
        let (x0, x1) = gather(x0, x1, stencil);
        check_pair(&x0, &x1)?;
        *out = decide(kind, &x0, &x1, d, 1.0);
    }
    Ok(())
}

/// The earliest [`Within`] of many pairs and which pair it belongs to (the lowest index among equal times): the step
/// length up to which nothing is within `d`. Pairs are searched only up to the earliest time found so far.
///
/// # Errors
/// `d`, or the first pair with a coordinate that is not finite.
///
/// # Panics
/// When a stencil names a point that `x0` or `x1` does not have.
pub fn first_within(
    kind: Kind,
    x0: &[DVec3],
    x1: &[DVec3],
    stencils: &[[u32; 4]],
    d: f64,
) -> Result<Option<(usize, Within)>, SeparationError> {
    check_thickness(d)?;
    let mut first: Option<(usize, Within)> = None;
    for (i, stencil) in stencils.iter().enumerate() {
        let (x0, x1) = gather(x0, x1, stencil);
        check_pair(&x0, &x1)?;
        let until = first.map_or(1.0, |(_, w)| w.t);
        if let Some(w) = decide(kind, &x0, &x1, d, until)
            && first.is_none_or(|(_, f)| w.t < f.t)
        {
            first = Some((i, w));
        }
    }
    Ok(first)
}

/// [`check_finite`], branch-free where all is well.
#[inline]
fn check_pair(x0: &[DVec3; 4], x1: &[DVec3; 4]) -> Result<(), SeparationError> {
    // 0·x is zero for finite x and NaN otherwise; a sum that overflows only costs the second look.
    let nothing =
        ((x0[0] + x1[0]) * 0.0 + (x0[1] + x1[1]) * 0.0) + ((x0[2] + x1[2]) * 0.0 + (x0[3] + x1[3]) * 0.0);
    if nothing.x + nothing.y + nothing.z == 0.0 { Ok(()) } else { Ok(check_finite(x0, x1)?) }
}

fn check_thickness(d: f64) -> Result<(), SeparationError> {
    if d >= 0.0 && d.is_finite() { Ok(()) } else { Err(SeparationError::Thickness(d)) }
}

#[inline]
fn gather(x0: &[DVec3], x1: &[DVec3], stencil: &[u32; 4]) -> ([DVec3; 4], [DVec3; 4]) {
    let p = stencil.map(|i| i as usize);
    (p.map(|i| x0[i]), p.map(|i| x1[i]))
}

/// Everything checked; searches [0, `until`].
#[inline]
pub(crate) fn decide(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4], d: f64, until: f64) -> Option<Within> {
    match kind {
        Kind::VertexFace => match hull::screen(x0, x1, d, hull::triangle) {
            Screened::Clear => None,
            Screened::Open(moving) => look(kind, x0, x1, &moving, d, until),
        },
        Kind::EdgeEdge => match hull::screen(x0, x1, d, hull::parallelogram) {
            Screened::Clear => None,
            Screened::Open(moving) => look(kind, x0, x1, &moving, d, until),
        },
    }
}

fn look<const N: usize>(
    kind: Kind,
    x0: &[DVec3; 4],
    x1: &[DVec3; 4],
    moving: &Moving<N>,
    d: f64,
    until: f64,
) -> Option<Within> {
    if moving.m == 0.0 {
        return Some(Within { t: 0.0, distance: 0.0 });
    }
    let e = moving.exponent;
    let scaled_d = if e == 0 {
        d
    } else {
        let far = hull::times_power(4.0 * moving.m, e);
        if d >= far {
            // Beyond every corner; scaling d down to the corners could overflow.
            return Some(Within { t: 0.0, distance: 0.5 * far });
        }
        hull::times_power(d, -e)
    };
    let tol = tolerance(scaled_d, moving.m);
    let hit = search::first(moving, until, scaled_d, tol, &mut search::Effort::default())?;
    let (t, at_most) = if d == 0.0 {
        // Near is not enough: the exact decision, and its time.
        let t = first_touch(kind, x0, x1).filter(|&t| t <= until)?;
        (t, moving.at(t).at_most)
    } else {
        (hit.t, hit.at_most)
    };
    let distance = if e == 0 { at_most } else { hull::times_power(at_most, e) };
    Some(Within { t, distance })
}

/// The exact first contact, never late.
fn first_touch(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4]) -> Option<f64> {
    decide::all_roots(kind, x0, x1).first_contact()
}
