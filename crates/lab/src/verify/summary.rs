//! Which response keeps which test, in one small table.

use super::tested::{Column, Tested};
use impinge_scene::Verdict;
use std::fmt::Write;

/// A test's number and what it is, up to the first comma: tests that differ after it are one row.
fn row_of(title: &str) -> &str {
    title.split(',').next().unwrap_or(title)
}

/// The number in `B43 …`, so that B5 stands before B40; others come last.
fn order(title: &str) -> (u32, &str) {
    let digits = title.strip_prefix('B').map(|t| t.split(|c: char| !c.is_ascii_digit()).next().unwrap_or(""));
    (digits.and_then(|d| d.parse().ok()).unwrap_or(u32::MAX), title)
}

/// What a response makes of the tests of one row.
#[derive(Default)]
struct Tally {
    met: usize,
    explained: usize,
    wrong: usize,
}

impl Tally {
    fn add(&mut self, column: &Column) {
        let Column::Ran(checks, ..) = column else { return };
        for c in checks {
            match c.verdict {
                Verdict::Pass => self.met += 1,
                Verdict::ExpectedFail => self.explained += 1,
                Verdict::Fail | Verdict::UnexpectedPass | Verdict::NotJudged => self.wrong += 1,
            }
        }
    }

    fn cell(&self) -> String {
        let all = self.met + self.explained + self.wrong;
        match self {
            Self { wrong: 1.., .. } => format!("✗ {} of {all}", self.wrong),
            _ if all == 0 => "–".into(),
            Self { explained: 0, .. } => "✓".into(),
            _ => format!("{} of {all}", self.met),
        }
    }
}

/// Rows of cells, the first the name.
pub fn rows(tested: &[Tested]) -> Vec<Vec<String>> {
    let mut titles: Vec<&str> = tested.iter().map(|t| row_of(&t.spec.title)).collect();
    titles.sort_by_key(|t| order(t));
    titles.dedup();
    let of = |title: &str| {
        let of_it = |t: &&Tested| row_of(&t.spec.title) == title;
        let columns = tested.first().map_or(0, |t| t.columns.len());
        let cells = (0..columns).map(|i| {
            let mut tally = Tally::default();
            tested.iter().filter(of_it).for_each(|t| tally.add(&t.columns[i]));
            tally.cell()
        });
        std::iter::once(title.to_string()).chain(cells).collect()
    };
    titles.into_iter().map(of).collect()
}

/// The table in Markdown.
pub fn markdown(tested: &[Tested], names: &[&str]) -> String {
    let mut out = String::from(
        "\n✓ all expectations met, \"2 of 4\" so many and the others not, with a reason, ✗ one not met without a reason, – not a test of this response.\n\n",
    );
    let _ = writeln!(out, "| test | {} |\n|---|{}", names.join(" | "), "---|".repeat(names.len()));
    for row in rows(tested) {
        let _ = writeln!(out, "| {} |", row.join(" | "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_stand_in_the_order_of_their_numbers_and_cells_count() {
        assert!(order("B5 a") < order("B40 b") && order("B40 b") < order("S9 c"));
        assert_eq!(row_of("B43 Pyramid, on the ground, above"), "B43 Pyramid");
        let cell = |met, explained, wrong| Tally { met, explained, wrong }.cell();
        assert_eq!(
            [cell(0, 0, 0), cell(3, 0, 0), cell(2, 2, 0), cell(2, 1, 1)],
            ["–", "✓", "2 of 4", "✗ 1 of 4"]
        );
    }
}
