//! Seconds since 1970 to a date in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

/// Now, as `2031-05-17T08:09:10Z`.
pub fn now() -> String {
    // A clock before 1970 is a broken clock; the date is for people only.
    text(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs()))
}

fn text(seconds: u64) -> String {
    let (mut days, s) = (seconds / 86_400, seconds % 86_400);
    let leap = |y: u64| y.is_multiple_of(4) && (!y.is_multiple_of(100) || y.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let months = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= months[month] {
        days -= months[month];
        month += 1;
    }
    let (day, month) = (days + 1, month + 1);
    format!("{year}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", s / 3600, s / 60 % 60, s % 60)
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn known_dates() {
        assert_eq!(text(0), "1970-01-01T00:00:00Z");
        assert_eq!(text(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(text(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(text(1_000_000_000), "2001-09-09T01:46:40Z");
        assert_eq!(text(4_107_542_400), "2100-03-01T00:00:00Z"); // 2100 has no 29 February
    }
}
