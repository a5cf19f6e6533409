//! Numbers in a sentence.

/// A number with so many places behind the point; one of a million or more as a power of ten, so that it has no hundreds of digits.
#[must_use]
pub fn places(x: f64, places: usize) -> String {
    if x.abs() < 1e6 { format!("{x:.places$}") } else { format!("{x:.places$e}") }
}

#[cfg(test)]
mod tests {
    use super::places;

    #[test]
    fn no_number_has_hundreds_of_digits() {
        assert_eq!(places(354.8081, 3), "354.808");
        assert_eq!(places(-4.5e200, 3), "-4.500e200");
        assert_eq!(places(f64::INFINITY, 1), "inf");
        for exponent in -300..300 {
            let x = 3.3 * 10f64.powi(exponent);
            assert!(places(x, 3).len() < 14, "{x}");
        }
    }
}
