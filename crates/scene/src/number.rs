//! Numbers beside each other in one notation.

/// At most `digits` significant digits; written out from a thousandth to a million, with an exponent elsewhere.
pub fn plain(x: f64, digits: usize) -> String {
    let scientific = format!("{:.*e}", digits.saturating_sub(1), x);
    // Formatting rounds first: 9.9999 knows that it became 10.
    let Some((mantissa, Ok(exponent))) = scientific.split_once('e').map(|(m, e)| (m, e.parse::<i32>()))
    else {
        return scientific;
    };
    if x == 0.0 {
        return "0".to_string();
    }
    if (-3..6).contains(&exponent) {
        let places = (digits as i32 - 1 - exponent).max(0) as usize;
        return trimmed(&format!("{x:.places$}")).to_string();
    }
    format!("{}e{exponent}", trimmed(mantissa))
}

fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn one_notation_for_numbers_of_one_size() {
        assert_eq!(plain(34.335, 12), "34.335");
        assert_eq!(plain(0.343_37, 4), "0.3434");
        assert_eq!(plain(34.335, 7), "34.335");
        assert_eq!(plain(0.1 + 0.2, 12), "0.3");
        assert_eq!(plain(999_999.96, 7), "1e6");
        assert_eq!(plain(-1.5e-9, 7), "-1.5e-9");
        assert_eq!(plain(1e300, 7), "1e300");
        assert_eq!((plain(0.0, 7), plain(-2.0, 7)), ("0".to_string(), "-2".to_string()));
        assert_eq!((plain(f64::NAN, 7), plain(f64::INFINITY, 7)), ("NaN".to_string(), "inf".to_string()));
    }
}
