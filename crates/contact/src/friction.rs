//! Anchored friction of one contact: a spring from the contact point to where it first touched, capped by
//! Coulomb's cone (seed 003, "Friction"; Yamane and Nakamura 2006).
//!
//! `f_s = k_FP (p_ref − p)_t − k_FD v_t`, static while `|f_s| ≤ μ_S f_n`. Errata applied: T8 the dynamic
//! force opposes the slip (`−μ_D |f_n| v̂`, not along the normal), T9 only relative, tangential quantities
//! enter, T11 a contact with `f_n ≤ 0` loses its anchor.

use crate::{FrictionLaw, SlipRule};
use impinge_geometry::{DVec3, try_normalized};

/// What a contact's friction is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SlipState {
    /// No normal force: no friction, no anchor.
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
    pub fn rows(&self) -> &[(u64, DVec3, bool)] {
        &self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn law(rule: SlipRule) -> FrictionLaw {
        FrictionLaw { mu_s: 0.5, mu_k: 0.3, k_fp: 1e4, k_fd: 10.0, k_omega: 1e3, rule }
    }

    #[test]
    fn sticks_inside_the_cone_and_forgets_when_open() {
        let l = law(SlipRule::ReturnMap);
        let n = DVec3::unit_z();
        let p = DVec3::new(1e-5, 0.0, -1e-3);
        let s = anchored(&l, n, p, DVec3::zero(), 10.0, Some(DVec3::zero()), false);
        assert_eq!(s.state, SlipState::Static);
        assert!((s.force - DVec3::new(-0.1, 0.0, 0.0)).mag() < 1e-12, "{:?}", s.force);
        let o = anchored(&l, n, p, DVec3::zero(), 0.0, Some(DVec3::zero()), false);
        assert_eq!((o.state, o.anchor), (SlipState::Open, None));
    }

    #[test]
    fn steady_sliding_gives_exactly_mu_k() {
        let l = law(SlipRule::ReturnMap);
        let (n, v, dt) = (DVec3::unit_z(), DVec3::new(0.2, 0.0, 0.0), 1e-3);
        let (mut anchor, mut slipping, mut p) = (None, false, DVec3::zero());
        let mut last = DVec3::zero();
        for _ in 0..200 {
            let s = anchored(&l, n, p, v, 10.0, anchor, slipping);
            anchor = s.anchor;
            slipping = s.state == SlipState::Dynamic;
            last = s.force;
            p += v * dt;
        }
        assert!(slipping);
        assert!((last - DVec3::new(-3.0, 0.0, 0.0)).mag() < 1e-12, "{last:?}");
    }

    #[test]
    fn yamane_small_slip_limit_is_k_omega() {
        let mut l = law(SlipRule::Yamane);
        l.mu_s = 1e-9;
        let v = DVec3::new(1e-9, 0.0, 0.0);
        let s = anchored(&l, DVec3::unit_z(), DVec3::zero(), v, 10.0, Some(DVec3::new(1.0, 0.0, 0.0)), false);
        assert_eq!(s.state, SlipState::Dynamic);
        // ω(v)/v → k_ω: 0.3 · 10 N · 1000 s/m · 1e-9 m/s, less k_ω v/2 = 5e-7 of it.
        assert!((s.force.x + 3e-6 * (1.0 - 5e-7)).abs() < 1e-17);
        assert_eq!(s.anchor, Some(DVec3::zero()));
    }

    #[test]
    fn scales_whose_squares_are_no_numbers_are_scales() {
        let n = DVec3::unit_z();
        for scale in [2f64.powi(-565), 2f64.powi(-900), 2f64.powi(640), 2f64.powi(990)] {
            for stretch in [1e-3, 1e-2] {
                let p = DVec3::new(0.6 * stretch, -0.8 * stretch, -1e-3);
                for rule in [SlipRule::ReturnMap, SlipRule::Yamane] {
                    let l = FrictionLaw { k_fd: 0.0, ..law(rule) };
                    let at =
                        |s: f64, slip| anchored(&l, n, p * s, slip, 100.0 * s, Some(DVec3::zero()), false);
                    let slip = DVec3::new(30.0, 40.0, 0.0);
                    let (one, other) = (at(1.0, slip), at(scale, slip));
                    assert_eq!(one.state, other.state, "{scale:e} {stretch} {rule:?}");
                    assert!((one.force - other.force / scale).mag() < 1e-12, "{:?}", other.force / scale);
                }
            }
        }
        // As fast as that: all of the friction, against the slip.
        let l = FrictionLaw { k_fd: 0.0, ..law(SlipRule::Yamane) };
        let s =
            anchored(&l, n, DVec3::unit_x(), DVec3::new(3e200, 4e200, 0.0), 10.0, Some(DVec3::zero()), false);
        assert!((s.force - DVec3::new(-1.8, -2.4, 0.0)).mag() < 1e-14, "{:?}", s.force);
    }
}
