//! How much of a rebound constraints ask for: by Newton's law it may give bodies energy, with friction or where contacts of several speeds act
//! together. Then less is asked for.

/// Part of the depth that contacts keep, over the step: a contact that approaches more slowly is at rest.
pub const STILL: f64 = 1e-6;
/// Part of the rebound below which there is none.
const LEAST_SHARE: f64 = 0.1;
/// Part of the work of all rows that rounding may leave as a gain.
const GAIN: f64 = 1e-9;

/// The part of the rebound to ask for where `share` of it gave energy: half, and in the end nothing.
#[must_use]
pub fn smaller_share(share: f64) -> f64 {
    if share > LEAST_SHARE { 0.5 * share } else { 0.0 }
}

/// Work of the impulses of rows (J), seen from what moves by a rule.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RowWork {
    sum: f64,
    size: f64,
}

impl RowWork {
    /// Adds the work of an impulse (N·s) on what went with the velocity `before` (m/s) and goes with `changed` more. At a restitution of 1 that
    /// is rounding of its terms, which are its size.
    pub fn add(&mut self, impulse: f64, before: f64, changed: f64) {
        self.sum += impulse * (before + 0.5 * changed);
        self.size += impulse.abs() * (before.abs() + 0.5 * changed.abs());
    }

    /// Whether bodies gain energy, beyond rounding.
    #[must_use]
    pub fn gains(&self) -> bool {
        self.sum > GAIN * self.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_end_with_nothing_and_rounding_is_no_gain() {
        let shares: Vec<f64> =
            std::iter::successors(Some(1.0), |s| (*s > 0.0).then(|| smaller_share(*s))).collect();
        assert_eq!(shares, [1.0, 0.5, 0.25, 0.125, 0.0625, 0.0]);
        let mut work = RowWork::default();
        // What leaves as fast as it came.
        work.add(3.0, -0.1, 0.2 + 1e-15);
        assert!(!work.gains());
        work.add(1e-3, 0.0, 1e-3);
        assert!(work.gains());
    }
}
