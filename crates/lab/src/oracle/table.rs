//! The table of results: one row per family, then the failures, then the closing line.

use super::family::Checked;
use serde::Serialize;
use std::fmt::Write;

/// Failures named per family unless all are asked for.
const NAMED: usize = 5;

/// The results of one family.
#[derive(Default)]
pub struct Row {
    /// As in the case files.
    pub family: String,
    /// Cases found.
    pub cases: usize,
    passed: usize,
    failed: usize,
    /// Largest error over tolerance, and the case it is in.
    worst: Option<(f64, String)>,
    /// Rows left out, by reason.
    skipped: Vec<(usize, String)>,
    /// Case and what was worst in it.
    failures: Vec<(String, String)>,
    /// Every case's line, for `--verbose`.
    lines: Vec<String>,
}

/// A row, for `--json`.
#[derive(Serialize)]
pub struct Line {
    family: String,
    cases: usize,
    passed: usize,
    failed: usize,
    /// Largest error over tolerance, and the case it is in.
    worst: Option<(f64, String)>,
    /// Rows left out, by reason.
    skipped: Vec<(usize, String)>,
    /// Case and what was worst in it.
    failures: Vec<(String, String)>,
}

impl Row {
    /// For `--json`.
    pub fn line(&self) -> Line {
        Line {
            family: self.family.clone(),
            cases: self.cases,
            passed: self.passed,
            failed: self.failed,
            worst: self.worst.clone(),
            skipped: self.skipped.clone(),
            failures: self.failures.clone(),
        }
    }

    /// A family nothing is known of yet.
    pub fn new(family: &str) -> Self {
        Self { family: family.to_string(), ..Self::default() }
    }

    /// Adds a case that was checked.
    pub fn add(&mut self, case: &Checked) {
        self.cases += 1;
        let mut line = format!("{} {}: ", self.family, case.id);
        match case.comparison.worst() {
            None => line.push_str("skipped"),
            Some((ratio, place)) => {
                let verdict = if ratio <= 1.0 {
                    self.passed += 1;
                    "passed"
                } else {
                    self.failed += 1;
                    self.failures.push((case.id.clone(), place.to_string()));
                    "failed"
                };
                let _ = write!(line, "{verdict}, worst {}", show(ratio));
                if !place.is_empty() {
                    let _ = write!(line, ": {place}");
                }
                if self.worst.as_ref().is_none_or(|(w, _)| ratio > *w) {
                    self.worst = Some((ratio, case.id.clone()));
                }
            }
        }
        self.lines.push(line);
        for s in case.comparison.skipped() {
            self.skip(s.rows, &s.reason);
        }
    }

    fn skip(&mut self, rows: usize, reason: &str) {
        match self.skipped.iter_mut().find(|(_, r)| r == reason) {
            Some((n, _)) => *n += rows,
            None => self.skipped.push((rows, reason.to_string())),
        }
    }

    fn skipped_rows(&self) -> usize {
        self.skipped.iter().map(|(n, _)| n).sum()
    }
}

/// What the whole run came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Cases that passed.
    pub passed: usize,
    /// Cases that failed.
    pub failed: usize,
    /// Cases, and rows of cases, left out.
    pub skipped: usize,
}

/// Sums the rows.
pub fn totals(rows: &[Row]) -> Totals {
    rows.iter().fold(Totals::default(), |t, r| Totals {
        passed: t.passed + r.passed,
        failed: t.failed + r.failed,
        skipped: t.skipped + r.skipped_rows(),
    })
}

/// The table, with the failures below it.
pub fn table(rows: &[Row], verbose: bool) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "{:<22} {:>5} {:>6} {:>6}  {:<42} skipped",
        "family", "cases", "passed", "failed", "worst error/tolerance"
    );
    for r in rows {
        let worst = r.worst.as_ref().map_or("-".to_string(), |(w, id)| format!("{} in {id}", show(*w)));
        let skipped: Vec<String> = r.skipped.iter().map(|(n, why)| format!("{n} ({why})")).collect();
        let skipped = if skipped.is_empty() { "0".to_string() } else { skipped.join(", ") };
        let _ = writeln!(
            out,
            "{:<22} {:>5} {:>6} {:>6}  {:<42} {skipped}",
            r.family, r.cases, r.passed, r.failed, worst
        );
    }
    for r in rows {
        if verbose {
            r.lines.iter().for_each(|l| {
                let _ = writeln!(out, "{l}");
            });
            continue;
        }
        for (id, place) in r.failures.iter().take(NAMED) {
            let _ = writeln!(out, "failed: {} {id}: {place}", r.family);
        }
        if r.failures.len() > NAMED {
            let more = r.failures.len() - NAMED;
            let _ = writeln!(out, "failed: {} and {more} more (--verbose names them all)", r.family);
        }
    }
    out
}

/// The last line of the output.
pub fn closing_line(t: Totals) -> String {
    let skipped = if t.skipped > 0 { format!(", {} skipped", t.skipped) } else { String::new() };
    format!("{} passed, {} failed{skipped}", t.passed, t.failed)
}

fn show(ratio: f64) -> String {
    match ratio {
        r if r.is_infinite() => "wrong".to_string(),
        0.0 => "0".to_string(),
        r if (1e-3..1e4).contains(&r) => format!("{r:.4}"),
        r => format!("{r:.1e}"),
    }
}
