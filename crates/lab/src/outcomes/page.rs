//! The page of the guide: a table of scenes and responses, and what was said.

use super::Row;
use super::cell::Outcome;
use impinge_scene::plain;
use std::fmt::Write;

/// The page (Markdown).
pub(super) fn page(rows: &[Row]) -> String {
    let mut out = String::from(
        "# Scenes that others reported, under every response\n\n\
         Written by `cargo xtask outcomes --write crates/impinge/src/guide/outcomes.md` from the scenes in `fixtures/outcomes`. Each asks for what users of other \
         engines missed. *met*: all expectations hold. *refused*: the program does not start, and says why. *warned*: before the first step. \
         *told by the run*: while or after it ran. *false in silence*: a number is not what was asked for, and nothing was said. \
         The number behind each word is the wall time of the run with its set-up (s).\n\n",
    );
    let Some(first) = rows.first() else { return out };
    let names: Vec<&str> = first.cells.iter().map(|c| c.response).collect();
    let _ = writeln!(out, "| scene | {} |", names.join(" | "));
    let _ = writeln!(out, "|---|{}", "---|".repeat(names.len()));
    for row in rows {
        let cells: Vec<String> =
            row.cells.iter().map(|c| format!("{} {}", c.outcome.word(), plain(c.seconds, 2))).collect();
        let _ = writeln!(out, "| {} | {} |", row.scene, cells.join(" | "));
    }
    let count = |o: Outcome| rows.iter().flat_map(|r| &r.cells).filter(|c| c.outcome == o).count();
    let all: usize = rows.iter().map(|r| r.cells.len()).sum();
    let _ = writeln!(
        out,
        "\nOf {all}: {} met, {} refused, {} warned, {} told by the run, {} false in silence. All of them took {} s.\n",
        count(Outcome::Met),
        count(Outcome::Refused),
        count(Outcome::WarnedBefore),
        count(Outcome::ToldAfter),
        count(Outcome::False),
        plain(rows.iter().flat_map(|r| &r.cells).map(|c| c.seconds).sum(), 3)
    );
    out.push_str("## What was said\n\nThe first sentence of each, and the first number that is not what was asked for.\n\n");
    out.push_str("| scene | response | said | measured |\n|---|---|---|---|\n");
    for row in rows {
        for cell in row.cells.iter().filter(|c| c.outcome != Outcome::Met) {
            let first = |list: &[String]| {
                // What would be a cell's end or a link in Markdown.
                let plain = |s: &String| s.replace('|', "\\|").replace('[', "\\[").replace('\n', " ");
                list.first().map_or(String::new(), plain)
            };
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} |",
                row.scene,
                cell.response,
                first(&cell.said),
                first(&cell.missed)
            );
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::cell::Cell;
    use super::*;

    #[test]
    fn the_table_says_how_long_each_run_took() {
        let cell = |response, outcome, seconds| Cell {
            response,
            outcome,
            seconds,
            said: Vec::new(),
            missed: Vec::new(),
        };
        let cells = vec![cell("cpf", Outcome::Met, 0.1234), cell("qp", Outcome::Refused, 21.5)];
        let page = page(&[Row { scene: "belt".into(), title: String::new(), cells }]);
        assert!(page.contains("| belt | met 0.12 | refused 22 |"), "{page}");
        assert!(page.contains("All of them took 21.6 s."), "{page}");
    }
}
