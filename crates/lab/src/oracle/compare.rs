//! One case's comparisons: what was computed against what is expected, kept as error over tolerance.
//!
//! A ratio of 1 is just allowed. Anything that is not a finite number, and anything that should hold and does
//! not, has an infinite ratio, so no NaN ever passes.

use impinge_geometry::DVec3;

/// A case file says something that makes no sense; the text says what.
#[derive(Debug)]
pub struct Malformed(pub String);

/// A part of a case that this build has no method for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip {
    /// How many rows of the case.
    pub rows: usize,
    /// Why.
    pub reason: String,
}

/// Everything found out about one case.
#[derive(Debug, Default)]
pub struct Comparison {
    compared: usize,
    worst: f64,
    place: String,
    skipped: Vec<Skip>,
}

impl Comparison {
    /// Compares two numbers; `tolerance` is absolute. `place` names the number and is only called when it is
    /// the worst so far.
    pub fn number(&mut self, place: impl FnOnce() -> String, got: f64, expected: f64, tolerance: f64) {
        self.note(ratio((got - expected).abs(), tolerance), || {
            format!("{} is {got:e}, expected {expected:e} ± {tolerance:e}", place())
        });
    }

    /// Compares two vectors by the length of their difference.
    pub fn vector(&mut self, place: impl FnOnce() -> String, got: DVec3, expected: DVec3, tolerance: f64) {
        self.note(ratio((got - expected).mag(), tolerance), || {
            let show = |v: DVec3| format!("({:e}, {:e}, {:e})", v.x, v.y, v.z);
            format!("{} is {}, expected {} ± {tolerance:e}", place(), show(got), show(expected))
        });
    }

    /// A statement that must be true; `otherwise` says what was found instead.
    pub fn holds(&mut self, truth: bool, otherwise: impl FnOnce() -> String) {
        self.note(
            if truth { 0.0 } else { f64::INFINITY },
            || if truth { String::new() } else { otherwise() },
        );
    }

    /// Rows of the case that no method of this build can compute.
    pub fn skip(&mut self, rows: usize, reason: impl Into<String>) {
        self.skipped.push(Skip { rows, reason: reason.into() });
    }

    /// The largest error over tolerance and where it is; `None` when the whole case was skipped.
    ///
    /// A case that neither compared nor skipped anything has failed: a silent pass would hide a bad file.
    pub fn worst(&self) -> Option<(f64, &str)> {
        match (self.compared, self.skipped.is_empty()) {
            (0, true) => Some((f64::INFINITY, "the case holds nothing to compare")),
            (0, false) => None,
            _ => Some((self.worst, &self.place)),
        }
    }

    /// What was left out.
    pub fn skipped(&self) -> &[Skip] {
        &self.skipped
    }

    fn note(&mut self, ratio: f64, text: impl FnOnce() -> String) {
        self.compared += 1;
        if ratio > self.worst {
            self.worst = ratio;
            self.place = text();
        }
    }
}

/// Error over tolerance; no error is 0 whatever the tolerance, a NaN is infinite.
fn ratio(error: f64, tolerance: f64) -> f64 {
    if error == 0.0 {
        0.0
    } else if error.is_finite() && tolerance > 0.0 {
        error / tolerance
    } else {
        f64::INFINITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_is_kept_with_its_place() {
        let mut c = Comparison::default();
        c.number(|| "a".into(), 1.0, 1.0, 0.0);
        c.number(|| "b".into(), 1.5, 1.0, 1.0);
        c.vector(|| "c".into(), DVec3::unit_x(), DVec3::zero(), 4.0);
        let (worst, place) = c.worst().unwrap();
        assert_eq!(worst, 0.5);
        assert!(place.starts_with("b is 1.5e0"), "{place}");
    }

    #[test]
    fn nothing_wrong_passes() {
        for (got, expected, tolerance) in
            [(f64::NAN, 0.0, 1.0), (f64::INFINITY, 0.0, 1.0), (1.0, 0.0, 0.0), (1.0, 0.0, -1.0)]
        {
            let mut c = Comparison::default();
            c.number(|| "x".into(), got, expected, tolerance);
            assert_eq!(c.worst().unwrap().0, f64::INFINITY, "{got} {expected} {tolerance}");
        }
        let mut c = Comparison::default();
        c.holds(false, || "no".into());
        assert_eq!(c.worst(), Some((f64::INFINITY, "no")));
    }

    #[test]
    fn an_empty_case_fails_and_a_skipped_one_has_no_score() {
        let mut c = Comparison::default();
        assert_eq!(c.worst().unwrap().0, f64::INFINITY);
        c.skip(3, "no method");
        assert_eq!(c.worst(), None);
    }
}
