//! Anchored friction of one contact: a spring from the contact point to where it first touched, capped by
//! Coulomb's cone (seed 003, "Friction"; Yamane and Nakamura 2006).
//!
//! `f_s = k_FP (p_ref − p)_t − k_FD v_t`, static while `|f_s| ≤ μ_S f_n`. Errata applied: T8 the dynamic
//! force opposes the slip (`−μ_D |f_n| v̂`, not along the normal), T9 only relative, tangential quantities
//! enter, T11 a contact with `f_n ≤ 0` loses its anchor.

use crate::{FrictionLaw, SlipRule};
use impinge_geometry::{DVec3, try_normalized};

/// What a contact's friction is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias("stick-slip", "stiction"))]
pub enum SlipState {
    /// No normal force: no friction, no anchor.
    #[default]
    Open,
    /// Held by its anchor.
    Static,
    /// Sliding.
    Dynamic,
}

/// One step of one contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionStep {
    /// Force on the point (N).
    pub force: DVec3,
    /// The anchor after the step; `None` when the contact is open.
    pub anchor: Option<DVec3>,
    /// State after the step.
    pub state: SlipState,
}

/// |v|, also where its square leaves the range of doubles.
fn length(v: DVec3) -> f64 {
    let square = v.mag_sq();
    if square > 1e-280 && square < f64::INFINITY {
        return square.sqrt();
    }
    try_normalized(v).map_or(square.sqrt(), |n| n.dot(v))
}

/// Friction on a point `p` that slides with `slip` (relative velocity, m/s) over a surface with unit
/// `normal`, pressed with `f_n` (N). `anchor` is `p_ref` from the last step (same frame as `p`), `was_slipping`
/// whether that step was dynamic.
#[must_use]
pub fn anchored(
    law: &FrictionLaw,
    normal: DVec3,
    p: DVec3,
    slip: DVec3,
    f_n: f64,
    anchor: Option<DVec3>,
    was_slipping: bool,
) -> FrictionStep {
    if f_n <= 0.0 || !f_n.is_finite() {
        return FrictionStep { force: DVec3::zero(), anchor: None, state: SlipState::Open };
    }
    let tangential = |v: DVec3| v - normal * normal.dot(v);
    let v_t = tangential(slip);
    let p_ref = anchor.unwrap_or(p);
    let trial = tangential(p_ref - p) * law.k_fp - v_t * law.k_fd;
    let size = length(trial);
    let sliding_threshold = law.rule == SlipRule::ReturnMap && was_slipping;
    let mu = if sliding_threshold { law.mu_k } else { law.mu_s };
    if size <= mu * f_n {
        return FrictionStep { force: trial, anchor: Some(p_ref), state: SlipState::Static };
    }
    match law.rule {
        SlipRule::Yamane => {
            let speed = length(v_t);
            // ω(x)/x with its limit k_ω at 0 (seed 003): expm1 keeps the small-slip digits.
            let weight = if speed > 0.0 { -libm::expm1(-law.k_omega * speed) / speed } else { law.k_omega };
            FrictionStep {
                force: v_t * (-law.mu_k * f_n * weight),
                anchor: Some(p),
                state: SlipState::Dynamic,
            }
        }
        SlipRule::ReturnMap => {
            let direction = try_normalized(trial).unwrap_or_else(DVec3::zero);
            let force = direction * (law.mu_k * f_n);
            FrictionStep {
                force,
                anchor: Some(p + (force + v_t * law.k_fd) / law.k_fp),
                state: SlipState::Dynamic,
            }
        }
    }
}

/// The anchors of all contacts, sorted by contact key. Anchors are points of the *target* body, in its
/// frame, so they ride on moving ground and survive a slide to the next triangle.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Anchors {
    rows: Vec<(u64, DVec3, bool)>,
}

impl Anchors {
    /// The anchor of a contact and whether it was sliding.
    #[inline]
    #[must_use]
    pub fn get(&self, key: u64) -> Option<(DVec3, bool)> {
        let i = self.rows.binary_search_by_key(&key, |r| r.0).ok()?;
        Some((self.rows[i].1, self.rows[i].2))
    }

    /// Adds an anchor; call [`Anchors::sort`] before reading.
    pub fn push(&mut self, key: u64, anchor: DVec3, slipping: bool) {
        self.rows.push((key, anchor, slipping));
    }

    /// Brings the rows into key order.
    pub fn sort(&mut self) {
        self.rows.sort_unstable_by_key(|r| r.0);
    }

    /// Removes every row and keeps the memory.
    pub fn clear(&mut self) {
        self.rows.clear();
    }

    /// Rows the table can hold before it allocates.
    pub fn reserve(&mut self, rows: usize) {
        self.rows.reserve(rows);
    }

    /// Key, anchor (m, target frame) and sliding flag of every contact, ascending by key.
    #[must_use]
    pub fn rows(&self) -> &[(u64, DVec3, bool)] {
        &self.rows
    }
}
