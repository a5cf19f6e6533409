//! Length limits of springs: data, a report of violations, rows for a QP, and a stiff penalty.
//!
//! Rows follow QP-Collide, (16) and (17), with erratum Q4 applied: the printed (17) leaves out the current
//! velocity. With `n = (xᵢ − xⱼ)/l` and the step `dt`,
//! upper `(Δvᵢ − Δvⱼ)·n ≤ (l_max − l)/dt − (vᵢ − vⱼ)·n`,
//! lower `−(Δvᵢ − Δvⱼ)·n ≤ (l − l_min)/dt + (vᵢ − vⱼ)·n`.

use super::{SpringsView, block, two_node_blocks};
use crate::element::{BadElement, Blocks, Elements, Projection, zero_blocks};
use impinge_geometry::DVec3;

impinge_contact::table! {
    /// How long springs may be.
    pub struct Limits / LimitsView / Limit {
        /// The two nodes i and j.
        ends: [u32; 2],
        /// l_min (m); 0 for none.
        shortest: f64,
        /// l_max (m); infinite for none.
        longest: f64,
    }
}

impl Limits {
    /// Limits from strains relative to the rest length: −0.1 and 0.1 allow ±10 %.
    ///
    /// # Errors
    /// Strains in the wrong order, below −1, or not on both sides of zero.
    pub fn from_strain(springs: SpringsView<'_>, lowest: f64, highest: f64) -> Result<Self, BadElement> {
        if !((-1.0..=0.0).contains(&lowest) && highest >= 0.0) {
            return Err(BadElement::batch(format!(
                "strain limits are {lowest} and {highest}; give one in [−1, 0] and one that is zero or positive"
            )));
        }
        let mut limits = Self::default();
        for (&ends, &rest) in springs.ends.iter().zip(springs.rest) {
            // 0 · ∞ would be NaN for a spring without rest length: it stays without an upper limit.
            let longest = if highest.is_infinite() { f64::INFINITY } else { rest * (1.0 + highest) };
            limits.push(Limit { ends, shortest: rest * (1.0 + lowest), longest });
        }
        Ok(limits)
    }
}

/// A spring outside its limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Violation {
    /// Which row of the limits.
    pub element: u32,
    /// Its length (m).
    pub length: f64,
    /// The limit it breaks (m).
    pub limit: f64,
}

/// Lists every spring beyond its limits by more than `tolerance` (m), in order. Clears `out` first.
pub fn violations(limits: LimitsView<'_>, x: &[DVec3], tolerance: f64, out: &mut Vec<Violation>) {
    out.clear();
    for e in 0..limits.len() {
        let length = span(limits, e, x).mag();
        let (low, high) = (limits.shortest[e], limits.longest[e]);
        if length > high + tolerance {
            out.push(Violation { element: e as u32, length, limit: high });
        } else if length < low - tolerance {
            out.push(Violation { element: e as u32, length, limit: low });
        }
    }
}

/// One linear constraint on velocity changes: `gradient · (Δvᵢ − Δvⱼ) ≤ bound`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrainRow {
    /// Which row of the limits.
    pub element: u32,
    /// The nodes i and j.
    pub nodes: [u32; 2],
    /// ±n, applied to node i; node j has the negative.
    pub gradient: DVec3,
    /// Right-hand side (m/s).
    pub bound: f64,
}

/// The rows (17) at positions `x` (m), velocities `v` (m/s) and step `dt` (s), upper then lower for each spring.
/// Rows with a bound above `below` (m/s) are left out: they cannot become active when no relative velocity
/// change is larger; infinity keeps all. A spring without length has no direction and no row. Clears `out`.
///
/// The rows are exact to first order: a spring that also turns by an angle φ in the step ends longer by the
/// factor √(1 + φ²).
///
/// # Panics
/// When `dt` is not positive.
pub fn rows(limits: LimitsView<'_>, x: &[DVec3], v: &[DVec3], dt: f64, below: f64, out: &mut Vec<StrainRow>) {
    assert!(dt > 0.0, "the step is {dt} s; it must be positive");
    out.clear();
    for e in 0..limits.len() {
        let d = span(limits, e, x);
        let l = d.mag();
        if l == 0.0 {
            continue;
        }
        let n = d / l;
        let nodes = limits.ends[e];
        let rate = (v[nodes[0] as usize] - v[nodes[1] as usize]).dot(n);
        let element = e as u32;
        let upper = (limits.longest[e] - l) / dt - rate;
        if upper <= below && limits.longest[e].is_finite() {
            out.push(StrainRow { element, nodes, gradient: n, bound: upper });
        }
        let lower = (l - limits.shortest[e]) / dt + rate;
        if lower <= below && limits.shortest[e] > 0.0 {
            out.push(StrainRow { element, nodes, gradient: -n, bound: lower });
        }
    }
}

/// `xᵢ − xⱼ`.
fn span(limits: LimitsView<'_>, e: usize, x: &[DVec3]) -> DVec3 {
    x[limits.ends[e][0] as usize] - x[limits.ends[e][1] as usize]
}

/// Limits as a stiff spring that works only outside them: `E = ½ k (l − limit)²`. For solvers without rows.
/// The force is continuous; the exact Hessian jumps at the limit.
#[derive(Clone, Copy, Debug)]
pub struct LimitPenalty<'a> {
    /// The limits.
    pub limits: LimitsView<'a>,
    /// k (N/m), the same for all.
    pub stiffness: f64,
}

impl LimitPenalty<'_> {
    /// The limit a length breaks.
    fn broken(&self, e: usize, l: f64) -> Option<f64> {
        let (low, high) = (self.limits.shortest[e], self.limits.longest[e]);
        if l > high {
            Some(high)
        } else if l < low {
            Some(low)
        } else {
            None
        }
    }
}

impl Elements<2> for LimitPenalty<'_> {
    fn nodes(&self) -> &[[u32; 2]] {
        self.limits.ends
    }

    fn energy_of(&self, e: usize, x: &[DVec3; 2]) -> f64 {
        let l = (x[1] - x[0]).mag();
        self.broken(e, l).map_or(0.0, |limit| 0.5 * self.stiffness * (l - limit) * (l - limit))
    }

    fn gradient_of(&self, e: usize, x: &[DVec3; 2]) -> [DVec3; 2] {
        let d = x[1] - x[0];
        let l = d.mag();
        match self.broken(e, l) {
            Some(limit) if l > 0.0 => {
                let g = d * (self.stiffness * (l - limit) / l);
                [-g, g]
            }
            _ => [DVec3::zero(); 2],
        }
    }

    fn hessian_of(&self, e: usize, x: &[DVec3; 2], projection: Projection) -> Blocks<2> {
        let d = x[1] - x[0];
        match self.broken(e, d.mag()) {
            Some(limit) => two_node_blocks(block(d, limit, self.stiffness, projection)),
            None => zero_blocks(),
        }
    }
}
