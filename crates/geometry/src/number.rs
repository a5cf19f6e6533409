//! Numbers beside each other in one notation.

/// At most `digits` significant digits; written out from a thousandth to a million, with an exponent elsewhere.
#[must_use]
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
