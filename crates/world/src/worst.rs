//! The larger of two numbers, where what is not a number is the worst of all: a bound must see it.

/// NaN if either is NaN; `f64::max` would drop it, and with it the finding.
#[must_use]
pub fn worst(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

#[cfg(test)]
mod tests {
    use super::worst;

    #[test]
    fn nothing_hides_what_is_not_a_number() {
        assert_eq!(worst(1.0, 2.0), 2.0);
        assert!(worst(f64::NAN, 2.0).is_nan() && worst(2.0, f64::NAN).is_nan());
        assert!([1.0, f64::NAN, 3.0].into_iter().fold(0.0, worst).is_nan());
    }
}
