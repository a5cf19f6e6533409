//! Two records in, a table and the number of regressions out.

use super::record::{Record, Row, Subject};
use super::verdict::{Verdict, compare};

/// A stage below this in both records (ns a step) is too short to judge: the clock itself costs some 50 ns.
pub const SHORT: f64 = 5e3;

/// The comparison.
pub struct Comparison {
    /// For people.
    pub text: String,
    /// Rows slower with the whole interval above the limit.
    pub regressions: usize,
}

/// The rows of one record.
pub fn listing(record: &Record) -> String {
    let mut out = String::new();
    for r in &record.rows {
        let t = &r.time;
        out.push_str(&format!(
            "{:<52} {:>10}  [{}, {}]\n",
            r.name,
            duration(t.median),
            duration(t.low),
            duration(t.high)
        ));
    }
    out
}

/// `new` against `old`, row by row.
pub fn against(new: &Record, old: &Record) -> Comparison {
    let mut text =
        format!("{:<52} {:>10} {:>10} {:>7}  {:<14} verdict\n", "", "baseline", "now", "ratio", "interval");
    let mut counts = [0usize; 4];
    let mut missing = 0;
    for r in &new.rows {
        let Some(before) = old.rows.iter().find(|o| o.key() == r.key()) else {
            missing += 1;
            text.push_str(&format!("{:<52} {:>10} {:>10}\n", r.name, "-", duration(r.time.median)));
            continue;
        };
        let ratio = compare(r.time, before.time);
        let short = r.subject != Subject::Kernel && r.time.median < SHORT && before.time.median < SHORT;
        let word = if short { "short" } else { ratio.verdict.word() };
        if !short {
            counts[ratio.verdict as usize] += 1;
        }
        text.push_str(&format!(
            "{:<52} {:>10} {:>10} {:>7.3}  [{:.3}, {:.3}] {word}{}\n",
            r.name,
            duration(before.time.median),
            duration(r.time.median),
            ratio.median,
            ratio.low,
            ratio.high,
            changed_work(r, before)
        ));
    }
    let gone = old.rows.iter().filter(|o| new.rows.iter().all(|r| r.key() != o.key())).count();
    if missing > 0 {
        text.push_str(&format!("{missing} not in the baseline\n"));
    }
    if gone > 0 {
        text.push_str(&format!("{gone} of the baseline not measured now\n"));
    }
    let regressions = counts[Verdict::Regression as usize];
    text.push_str(&format!(
        "{} faster, {} same, {} slower, {regressions} slower by more than 10 %\n",
        counts[Verdict::Faster as usize],
        counts[Verdict::Same as usize],
        counts[Verdict::Slower as usize],
    ));
    Comparison { text, regressions }
}

/// A stage that had other work is not comparable like a kernel is.
fn changed_work(new: &Row, old: &Row) -> String {
    match (&new.subject, &old.subject) {
        (Subject::Stage { items, hash, .. }, Subject::Stage { items: i0, hash: h0, .. }) if hash != h0 => {
            format!(" (other state; items {i0:.1} → {items:.1})")
        }
        _ => String::new(),
    }
}

/// Nanoseconds with a unit people read.
pub fn duration(ns: f64) -> String {
    match ns {
        n if n < 1e3 => format!("{n:.1} ns"),
        n if n < 1e6 => format!("{:.2} µs", n * 1e-3),
        n if n < 1e9 => format!("{:.2} ms", n * 1e-6),
        n => format!("{:.2} s", n * 1e-9),
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::sample;
    use super::super::verdict::Interval;
    use super::*;

    fn scaled(record: &Record, factor: f64) -> Record {
        let mut r = record.clone();
        for row in &mut r.rows {
            let t = row.time;
            row.time = Interval::new(t.low * factor, t.median * factor, t.high * factor).unwrap();
        }
        r
    }

    #[test]
    fn a_record_is_the_same_as_itself() {
        let c = against(&sample(), &sample());
        assert_eq!(c.regressions, 0);
        assert!(c.text.contains("0 faster, 2 same, 0 slower, 0 slower by more"), "{}", c.text);
    }

    #[test]
    fn slower_by_a_third_is_two_regressions_and_back_is_none() {
        let (old, new) = (sample(), scaled(&sample(), 1.33));
        let c = against(&new, &old);
        assert_eq!(c.regressions, 2, "{}", c.text);
        assert!(c.text.contains("81.2 ns") && c.text.contains("108.1 ns"), "{}", c.text);
        let c = against(&old, &new);
        assert_eq!(c.regressions, 0);
        assert!(c.text.contains("2 faster"), "{}", c.text);
    }

    #[test]
    fn a_stage_of_microseconds_is_not_judged() {
        let old = scaled(&sample(), 0.1);
        let c = against(&scaled(&old, 2.0), &old);
        assert_eq!(c.regressions, 1, "the kernel only: {}", c.text);
        assert!(c.text.contains("short"), "{}", c.text);
    }

    #[test]
    fn new_and_vanished_rows_and_other_work_are_said() {
        let (mut new, old) = (sample(), sample());
        new.rows[0].name = "query/other".to_string();
        if let Subject::Stage { hash, .. } = &mut new.rows[1].subject {
            *hash = "ff00".to_string();
        }
        let c = against(&new, &old);
        assert!(c.text.contains("1 not in the baseline"), "{}", c.text);
        assert!(c.text.contains("1 of the baseline not measured now"), "{}", c.text);
        assert!(c.text.contains("other state"), "{}", c.text);
        assert_eq!(c.regressions, 0);
    }

    #[test]
    fn durations_have_units() {
        assert_eq!([3.0, 4.5e3, 6e6, 7e9].map(duration), ["3.0 ns", "4.50 µs", "6.00 ms", "7.00 s"]);
        assert!(listing(&sample()).contains("20.00 µs"));
    }
}
