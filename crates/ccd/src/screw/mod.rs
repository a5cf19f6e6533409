//! Rotating rigid features: first time within a thickness, on the true arcs.
//!
//! Takes a pair at t = 0 (order as in [`Kind`]) and the rigid motion that carries each of the two features; gives the first
//! time at which they are within d. Linear motion between the ends of a step cuts the corner of an arc by (angle)²·radius/8
//! and misses what lies in between; here the step is cut into pieces in which the features move linearly up to a
//! certified deviation, and each piece is a question to [`crate::separation`] with the thickness d + deviation.
//!
//! * Deviation. On a piece of length h a point at distance ρ from the axis through o has |x″| = |w|²ρ, so it is within
//!   (|w|h)²ρ/8 of its chord; a feature is the convex hull of its points and so is its chord motion, so the same holds for
//!   the distance. The rounded ends add the error of [`RigidMotion::point_at`]. D is the sum for both features.
//! * Never late, never a miss: a piece is passed over only up to the time at which the chords are certainly more than
//!   d + D apart, so the features are more than d apart.
//! * Near: a hit is reported when D is below an eighth of the tolerance T = [`tolerance`]`(d, S)`; then the features are
//!   within d + T at the reported time, and `distance` bounds how far.
//! * d = 0 asks for a distance of at most T, not for exact contact: sines of doubles are not algebraic, no finite computation
//!   decides.
//! * Bounded work: a piece as short as √(T/ρ)/|w| has a small enough D, pieces grow by two after a success and shrink by
//!   four after a failure: at most about 3|w|√(ρ/T) pieces, 10⁵ per radian when the features stay within T of the
//!   thickness all along; 5 to 15 for a hit, 1 to 3 for a miss.
//!
//! Mirtich's conservative advancement (1996) bounds the motion by its largest speed; chords keep its direction.

mod motion;

use crate::kind::{Kind, check_finite};
use crate::separation::{self, SeparationError, Within};
use impinge_geometry::DVec3;
pub use motion::RigidMotion;
use std::fmt;

/// Largest rotation per step (rad): about 1600 turns.
pub const LARGEST_ROTATION: f64 = 1e4;

/// Largest angle of a piece (rad), where the deviation is 3 % of the radius.
const WIDEST: f64 = 0.5;

const U: f64 = f64::EPSILON / 2.0;

/// Why a pair cannot be decided.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ScrewError {
    /// A coordinate or the thickness.
    Separation(SeparationError),
    /// The motion of feature 0 (vertex or first edge) or 1 is not finite.
    MotionNotFinite(usize),
    /// The motion of feature 0 or 1 turns by more than [`LARGEST_ROTATION`].
    TooManyTurns(usize),
}

impl fmt::Display for ScrewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Separation(e) => e.fmt(f),
            Self::MotionNotFinite(i) => {
                write!(f, "the motion of feature {i} is not finite; stop at the state that made it")
            }
            Self::TooManyTurns(i) => {
                write!(
                    f,
                    "the motion of feature {i} turns by more than {LARGEST_ROTATION} rad; take a shorter step"
                )
            }
        }
    }
}

impl std::error::Error for ScrewError {}

/// How much farther than `d` a reported pair may be: 2⁻¹⁹d + 2⁻³⁰S (m), where S is the sum over both features of the
/// largest |x − o| + |o| + |v| (m).
#[must_use]
pub fn tolerance(d: f64, s: f64) -> f64 {
    d / 524_288.0 + s / 1_073_741_824.0
}

/// |v| or a little more, also where its square over- or underflows.
fn length(v: DVec3) -> f64 {
    let m = v.mag();
    if m > 1e-140 && m.is_finite() { m } else { 1.75 * v.x.abs().max(v.y.abs()).max(v.z.abs()) }
}

/// First time in [0, 1] at which two features on rigid motions are within `d` (m) of each other; `None` when they never are.
///
/// `x` are the positions at t = 0; `motions[0]` carries the vertex (or the first edge), `motions[1]` the triangle (or the
/// second edge).
///
/// # Errors
/// Something is not finite, `d` is negative, or a motion turns by more than [`LARGEST_ROTATION`].
pub fn screw_within(
    kind: Kind,
    x: &[DVec3; 4],
    motions: &[RigidMotion; 2],
    d: f64,
) -> Result<Option<Within>, ScrewError> {
    if !(d >= 0.0 && d.is_finite()) {
        return Err(ScrewError::Separation(SeparationError::Thickness(d)));
    }
    check_finite(x, x).map_err(|e| ScrewError::Separation(e.into()))?;
    let split = match kind {
        Kind::VertexFace => 1,
        Kind::EdgeEdge => 2,
    };
    let features = [&x[..split], &x[split..]];
    // Deviation of a piece of length h: bend·h² + blur.
    let (mut bend, mut blur, mut size, mut fastest) = (0.0, 0.0, 0.0, 0.0f64);
    for (i, (motion, feature)) in motions.iter().zip(features).enumerate() {
        if !motion.is_finite() {
            return Err(ScrewError::MotionNotFinite(i));
        }
        let angle = length(motion.rotation);
        if angle > LARGEST_ROTATION {
            return Err(ScrewError::TooManyTurns(i));
        }
        let (mut radius, mut across) = (0.0f64, 0.0f64);
        for x in feature {
            let a = *x - motion.origin;
            radius = radius.max(length(a));
            across = across.max(length(motion.rotation.cross(a)));
        }
        let away = length(motion.origin) + length(motion.translation);
        // |w × a| is right to 4u|w||a|.
        bend += 0.125 * angle * (across + 8.0 * U * angle * radius) * (1.0 + 32.0 * U);
        blur += 64.0 * U * ((1.0 + angle) * radius + away);
        size += radius + away;
        fastest = fastest.max(angle);
    }
    let tol = tolerance(d, size);
    let place = |t: f64| -> [DVec3; 4] {
        std::array::from_fn(|i| motions[usize::from(i >= split)].point_at(x[i], t))
    };
    let widest = if fastest > WIDEST { WIDEST / fastest } else { 1.0 };
    let (mut t, mut h) = (0.0, widest);
    let mut from = place(0.0);
    while t < 1.0 {
        // The last piece ends at 1 exactly; a sliver of it would cost as much as a piece.
        let end = if t + 1.125 * h < 1.0 { t + h } else { 1.0 };
        let to = place(end);
        let deviation = (bend * (end - t) * (end - t) + blur) * (1.0 + 8.0 * U);
        match separation::decide(kind, &from, &to, d + deviation, 1.0) {
            None => {
                t = end;
                from = to;
                h = (2.0 * h).min(widest);
            }
            Some(hit) => {
                // Never after the instant the chords are d + D apart: two roundings, taken back.
                let at = (t + hit.t * (end - t) * (1.0 - 4.0 * U)) * (1.0 - 2.0 * U);
                let at = at.max(t);
                // Overflowing sizes give deviations that never shrink; report those as they are.
                if deviation <= 0.125 * tol || at >= 1.0 || !deviation.is_finite() {
                    return Ok(Some(Within { t: at, distance: hit.distance + deviation + blur }));
                }
                h = 0.25 * (end - t);
                if at > t {
                    t = at;
                    from = place(t);
                }
            }
        }
    }
    Ok(None)
}
