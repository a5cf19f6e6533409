//! Numbers as a reader wants them in a table: takes a number, gives text with a few significant digits.

/// About `digits` significant digits; plain notation where it stays short, a power of ten elsewhere, an en dash
/// for a number that is missing.
#[must_use]
pub fn short(value: f64, digits: usize) -> String {
    if value.is_nan() {
        return "–".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞".into() } else { "−∞".into() };
    }
    if value == 0.0 {
        return "0".into();
    }
    // Formatting in scientific notation rounds first, so 9.9999 knows that it became 10.
    let scientific = format!("{:.*e}", digits.saturating_sub(1), value.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific.as_str(), "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if value < 0.0 { "−" } else { "" };
    if (-3..6).contains(&exponent) {
        let places = (digits as i32 - 1 - exponent).max(0) as usize;
        return format!("{sign}{}", trimmed(&format!("{:.*}", places, value.abs())));
    }
    format!("{sign}{} × 10{}", trimmed(mantissa), superscript(exponent))
}

fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

fn superscript(value: i32) -> String {
    const UP: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    value.to_string().chars().map(|c| c.to_digit(10).map_or('⁻', |d| UP[d as usize])).collect()
}

/// A whole number with thin spaces between groups of three.
#[must_use]
pub fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) && digits.len() > 4 {
            out.push('\u{202f}');
        }
        out.push(c);
    }
    out
}

/// A duration given in seconds, with the SI prefix that fits.
#[must_use]
pub fn seconds(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() || size == 0.0 || (1.0..1e6).contains(&size) {
        return format!("{} s", short(value, 4));
    }
    for (unit, scale) in [("ms", 1e3), ("µs", 1e6), ("ns", 1e9)] {
        if size * scale >= 0.9999 && size < 1.0 {
            return format!("{} {unit}", short(value * scale, 4));
        }
    }
    format!("{} s", short(value, 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (9.80665, "9.807"),
            (-0.00012, "−1.2 × 10⁻⁴"),
            (9999.96, "10000"),
            (1e6, "1 × 10⁶"),
            (123456.0, "123456"),
            (0.1 + 0.2, "0.3"),
            (f64::NAN, "–"),
            (f64::NEG_INFINITY, "−∞"),
            (5e-324, "4.941 × 10⁻³²⁴"),
        ] {
            assert_eq!(short(value, 4), text);
        }
    }

    #[test]
    fn counts_and_durations_read_well() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(4096), "4096");
        assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(seconds(0.001), "1 ms");
        assert_eq!(seconds(2.5e-5), "25 µs");
        assert_eq!(seconds(3.0), "3 s");
        assert_eq!(seconds(f64::NAN), "– s");
    }
}
