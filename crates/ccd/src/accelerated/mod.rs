//! Constant acceleration: pairs whose points move on parabolas.
//!
//! Takes Bernstein control points b₀, b₁, b₂ of every point, x(t) = (1−t)²b₀ + 2t(1−t)b₁ + t²b₂, t ∈ [0, 1] (order of the
//! points as in [`Kind`]). For x(t) = x₀ + vt + ½at² they are x₀, x₀ + v/2, x₀ + v/2 + (v+a)/2 = x₀ + v + a/2;
//! [`control_points`] computes them, with one rounding per operation. Control points are asked for because they
//! are doubles: whatever the caller rounded to get them, the motion they define is a definite one, two pairs that share
//! a vertex share its path, and the answer about it is exact. b₁ = (b₀+b₂)/2 is straight motion.
//!
//! The coplanarity function f has degree 6, its orientation vectors E degree 4 (seed 000, "Extension to higher order
//! deformations"). The guarantees are those of straight motion: the decision is that of exact arithmetic, no pair
//! missed and none invented; every root of f is reported, with a certified enclosure, and the first time is never late.
//! Tiers:
//!
//! 1. one coordinate separates the control points: exact, nothing computed;
//! 2. the Bernstein coefficients of f have one certain sign, or those of two orientations certain opposite ones
//!    (`filter.rs` has the error bounds);
//! 3. roots and inside tests with certain signs in doubles (`certified.rs`);
//! 4. integers of any size (`poly.rs`, `algebraic.rs`, `decide.rs`): square-free part by the subresultant sequence,
//!    isolation by Descartes' rule and halving, signs at algebraic numbers. Degenerate motions are decided too.

mod algebraic;
mod certified;
mod decide;
mod filter;
mod integers;
mod poly;
#[cfg(test)]
mod tests;

use crate::kind::Kind;
use crate::root::Roots;
use filter::Filter;
use impinge_geometry::DVec3;
use std::fmt;

/// A control point has a coordinate that is NaN or infinite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlNotFinite {
    /// Which of the four points.
    pub point: usize,
    /// Which of its three control points.
    pub control: usize,
}

impl fmt::Display for ControlNotFinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "control point {} of point {} is not finite; stop at the state that made it",
            self.control, self.point
        )
    }
}

impl std::error::Error for ControlNotFinite {}

/// Control points of x(t) = x + v t + ½ a t² for t ∈ [0, 1]: `v` is the motion per step at its start (velocity times step),
/// `a` acceleration times step squared; all in m.
///
/// Rounded: b₁ by two operations, b₂ by three, each half an ulp of its result. Compute them once per vertex, so that all
/// pairs of the vertex see the same path.
pub fn control_points(x: DVec3, v: DVec3, a: DVec3) -> [DVec3; 3] {
    [x, x + v * 0.5, x + (v + a * 0.5)]
}

/// All contacts of a pair with control points `b[0]` (start), `b[1]`, `b[2]` (end), and the roots of f that had to be looked
/// at for them.
///
/// As for straight motion: [`Roots::touch`] is the decision of exact arithmetic, [`Roots::first_contact`] is never late,
/// enclosures contain their roots (from integers: neighbouring doubles for roots above 2⁻¹¹; from doubles: as narrow as
/// certain signs allow). Where f vanishes for all time, [`Roots::touching`] has the contact intervals. Where a coordinate
/// or an orientation rules contact out for the whole step, no roots are reported; [`roots`] reports them.
///
/// # Errors
/// A coordinate is not finite.
pub fn contacts(kind: Kind, b: &[[DVec3; 4]; 3]) -> Result<Roots, ControlNotFinite> {
    check(b)?;
    if filter::separated(split(kind), b) {
        return Ok(Roots::default());
    }
    Ok(solve(kind, b, true))
}

/// [`contacts`] with every root of f in \[0,1\] (up to six), whether contact is possible or not: for pairs that are already
/// in contact, whose depth changes its sign at each of them.
///
/// # Errors
/// A coordinate is not finite.
pub fn roots(kind: Kind, b: &[[DVec3; 4]; 3]) -> Result<Roots, ControlNotFinite> {
    check(b)?;
    Ok(solve(kind, b, false))
}

fn solve(kind: Kind, b: &[[DVec3; 4]; 3], contacts_only: bool) -> Roots {
    if let Some(filter) = Filter::new(&filter::differences(b)) {
        if filter.clear() || contacts_only && filter.apart(kind) {
            return Roots::default();
        }
        if let Some(roots) = certified::solve(kind, &filter) {
            return roots;
        }
    }
    decide::solve(&integers::Integers::new(kind, b))
}

/// [`roots`] from integers alone: no double is looked at. For tests and for enclosures of the last bit.
///
/// # Errors
/// A coordinate is not finite.
pub fn roots_exact(kind: Kind, b: &[[DVec3; 4]; 3]) -> Result<Roots, ControlNotFinite> {
    check(b)?;
    Ok(decide::solve(&integers::Integers::new(kind, b)))
}

fn split(kind: Kind) -> usize {
    match kind {
        Kind::VertexFace => 1,
        Kind::EdgeEdge => 2,
    }
}

fn check(b: &[[DVec3; 4]; 3]) -> Result<(), ControlNotFinite> {
    for (control, x) in b.iter().enumerate() {
        if let Some(point) = x.iter().position(|p| !impinge_geometry::is_finite(*p)) {
            return Err(ControlNotFinite { point, control });
        }
    }
    Ok(())
}
