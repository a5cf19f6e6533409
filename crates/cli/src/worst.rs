//! The larger of two numbers, where what is not a number is the worst of all: a bound must see it.

/// NaN if either is NaN; `f64::max` would drop it, and with it the finding.
pub fn worst(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}
