//! Counts of long runs, kept as a page of the guide: a row for each target and seed; the other rows stay, so that runs add up.

use crate::case::Target;
use crate::runner::Tally;
use std::collections::BTreeMap;
use std::path::Path;

const HEAD: &str = "# Long runs of random cases\n\n\
Written by `cargo xtask fuzz TARGET … --seconds N --write crates/impinge/src/guide/long_fuzz.md`; rows of other targets and seeds\n\
stay. A case of `open` is 50 operations on a world, made twice, and a part of them a third time from a snapshot. Each row is of the program of its\n\
day; the history of this page says which.\n\n\
| target | seed | cases | operations | answered | failures | together | slowest case |\n\
|---|---|---|---|---|---|---|---|\n";

/// Puts the row of `target` and `seed` on the page, and below the rows what each target adds up to.
///
/// # Errors
/// The page cannot be written.
pub fn keep(file: &Path, target: &Target, operations: u64, seed: u64, t: &Tally) -> Result<(), String> {
    is_page(file, HEAD)?;
    let row = row(target.name, operations, seed, t);
    let before = std::fs::read_to_string(file).unwrap_or_default();
    std::fs::write(file, page(&before, target.name, seed, row))
        .map_err(|e| format!("{}: {e}", file.display()))
}

/// That a page takes the place of nothing but an older one, which begins with the first line of its `head`.
///
/// # Errors
/// There is another file.
pub fn is_page(file: &Path, head: &str) -> Result<(), String> {
    let first = head.lines().next().unwrap_or_default().as_bytes();
    match std::fs::read(file) {
        Ok(there) if !(there.is_empty() || there.starts_with(first)) => Err(format!(
            "{} is there already and is no page of this command; give another --write",
            file.display()
        )),
        _ => Ok(()),
    }
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

fn page(before: &str, name: &str, seed: u64, row: String) -> String {
    let own = format!("| {name} | {seed} |");
    let mut rows: Vec<String> = before
        .lines()
        .filter(|l| l.starts_with("| ") && !l.starts_with("| target |") && !l.starts_with(&own))
        .map(str::to_string)
        .collect();
    rows.push(row);
    rows.sort_by_key(|row| {
        let [name, seed, ..] = cells(row)[..] else { return (String::new(), 0) };
        (name.to_string(), seed.parse().unwrap_or(0))
    });
    format!("{HEAD}{}\n\n{}", rows.join("\n"), together(&rows))
}

fn cells(row: &str) -> Vec<&str> {
    row.trim_matches('|').split('|').map(str::trim).collect()
}

/// A line for each target: its operations and failures over all seeds.
fn together(rows: &[String]) -> String {
    let mut sums: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
    for row in rows {
        let [name, _, _, operations, _, failures, ..] = cells(row)[..] else { continue };
        let sum = sums.entry(name).or_default();
        sum[0] += operations.parse::<u64>().unwrap_or(0);
        sum[1] += failures.parse::<u64>().unwrap_or(0);
    }
    sums.iter()
        .map(|(name, [operations, failures])| {
            format!("`{name}` together: {operations} operations, {failures} failures.\n")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_other_targets_and_seeds_stay_and_add_up() {
        let t = Tally { cases: 7, ..Tally::default() };
        let put = |before: &str, name: &str, each: u64, seed: u64| {
            page(before, name, seed, row(name, each, seed, &t))
        };
        let one = put("", "open", 50, 10);
        assert!(
            one.contains("| open | 10 | 7 | 350 | 0 | 0 |")
                && one.contains("`open` together: 350 operations, 0 failures."),
            "{one}"
        );
        let all = put(&put(&put(&one, "ccd", 1, 1), "open", 50, 2), "open", 50, 10);
        assert_eq!(all.matches("| open |").count(), 2);
        assert!(all.find("| open | 2 |") < all.find("| open | 10 |"), "{all}");
        assert!(all.contains("| ccd | 1 | 7 | 7 |") && all.contains("`ccd` together: 7 "), "{all}");
        assert!(all.contains("`open` together: 700 operations"), "{all}");
    }
}
