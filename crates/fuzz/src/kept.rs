//! Counts of long runs, kept as a page of the guide: a row for each target, the rows of other targets stay.

use crate::case::Target;
use crate::runner::Tally;
use std::path::Path;

const HEAD: &str = "# Long runs of random cases\n\n\
Written by `cargo xtask fuzz TARGET … --seconds N --write crates/impinge/src/guide/long_fuzz.md`; rows of other targets stay. A case of `open` is 50\n\
operations on a world, made twice, and a part of them a third time from a snapshot.\n\n\
| target | seed | cases | operations | answered | failures | together | slowest case |\n\
|---|---|---|---|---|---|---|---|\n";

/// Puts the row of `target` on the page.
///
/// # Errors
/// The page cannot be written.
pub fn keep(file: &Path, target: &Target, operations: u64, seed: u64, t: &Tally) -> Result<(), String> {
    let row = row(target.name, operations, seed, t);
    let before = std::fs::read_to_string(file).unwrap_or_default();
    std::fs::write(file, page(&before, target.name, row)).map_err(|e| format!("{}: {e}", file.display()))
}

fn row(name: &str, operations: u64, seed: u64, t: &Tally) -> String {
    format!(
        "| {name} | {seed} | {} | {} | {} | {} | {:.0} s | {:.2} s (case {}) |",
        t.cases,
        t.cases * operations,
        t.answered,
        t.failures.len(),
        t.wall.as_secs_f64(),
        t.slowest.0.as_secs_f64(),
        t.slowest.1
    )
}

fn page(before: &str, name: &str, row: String) -> String {
    let own = format!("| {name} |");
    let mut rows: Vec<String> = before
        .strip_prefix(HEAD)
        .unwrap_or_default()
        .lines()
        .filter(|l| l.starts_with('|') && !l.starts_with(&own))
        .map(str::to_string)
        .collect();
    rows.push(row);
    rows.sort();
    format!("{HEAD}{}\n", rows.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_other_targets_stay() {
        let t = Tally { cases: 7, ..Tally::default() };
        let one = page("", "open", row("open", 50, 1, &t));
        assert!(one.contains("| open | 1 | 7 | 350 | 0 | 0 |"), "{one}");
        let two = page(&one, "ccd", row("ccd", 1, 1, &t));
        let three = page(&two, "open", row("open", 50, 2, &t));
        assert_eq!(three.matches("| open |").count(), 1);
        assert!(three.contains("| ccd | 1 | 7 | 7 |") && three.contains("| open | 2 |"), "{three}");
    }
}
