//! The two feature pairs, and what is the same for both.
//!
//! Points: vertex–face `[p, a, b, c]`, edge–edge `[a, b, c, d]` (edge `ab`, edge `cd`), positions at the start of the
//! step `x0` and at its end `x1`; in between every point moves on a straight line, t ∈ [0, 1].
//!
//! With `P_i = x_i − x_0` (i = 1..3) both kinds share the coplanarity cubic `P1·(P2×P3)` and the three quadratic
//! vectors `E_ij = P_i × P_j`; at a root of the cubic the three are parallel, so any axis `k` with a nonzero entry
//! decides, with `x = E23ₖ, y = E31ₖ, z = E12ₖ`:
//!
//! * vertex–face touch: `x, y, z` all ≥ 0 or all ≤ 0 (not all 0);
//! * edge–edge touch: `y, z ≥ 0, x ≤ 0, x + y + z ≥ 0`, or the same with all signs turned (not all 0).

use impinge_geometry::DVec3;
use std::fmt;

/// Which features a pair consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A vertex `x[0]` and a triangle `x[1..4]`.
    VertexFace,
    /// Edge `x[0] x[1]` and edge `x[2] x[3]`.
    EdgeEdge,
}

impl Kind {
    /// Sign of the papers' coplanarity function relative to `P1·(P2×P3)`.
    ///
    /// The papers (seed 000; conventions of ERRATA C7, C10) use `f = ((b−a)×(c−a))·(p−a) = −P1·(P2×P3)` for
    /// vertex–face and `f = ((b−a)×(d−c))·(a−c) = P1·(P2×P3)` for edge–edge.
    #[must_use]
    pub fn sign(self) -> f64 {
        match self {
            Self::VertexFace => -1.0,
            Self::EdgeEdge => 1.0,
        }
    }
}

/// A coordinate is NaN or infinite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotFinite {
    /// Which of the four points.
    pub point: usize,
    /// `true` when it is the position at the end of the step.
    pub at_end: bool,
}

impl fmt::Display for NotFinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "point {}: {}", self.point, self.place())
    }
}

impl NotFinite {
    pub(crate) fn place(&self) -> &'static str {
        if self.at_end {
            "not finite at the end of the step; stop at the state that made it"
        } else {
            "not finite at the start of the step; stop at the state that made it"
        }
    }
}

impl std::error::Error for NotFinite {}

/// Refuses NaN and infinities.
pub(crate) fn check_finite(x0: &[DVec3; 4], x1: &[DVec3; 4]) -> Result<(), NotFinite> {
    for (at_end, x) in [(false, x0), (true, x1)] {
        if let Some(point) = x.iter().position(|p| !impinge_geometry::is_finite(*p)) {
            return Err(NotFinite { point, at_end });
        }
    }
    Ok(())
}
