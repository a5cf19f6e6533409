//! The page of the guide: a table of scenes and responses, and what was said.

use super::Row;
use super::cell::Outcome;
use std::fmt::Write;

/// The page (Markdown).
pub(super) fn page(rows: &[Row]) -> String {
    let mut out = String::from(
        "# Scenes that others reported, under every response\n\n\
         Written by `cargo xtask outcomes --write crates/impinge/src/guide/outcomes.md` from the scenes in `fixtures/outcomes`. Each asks for what users of other \
         engines missed. *met*: all expectations hold. *refused*: the program does not start, and says why. *warned*: before the first step. \
         *told by the run*: while or after it ran. *false in silence*: a number is not what was asked for, and nothing was said.\n\n",
    );
    let Some(first) = rows.first() else { return out };
    let names: Vec<&str> = first.cells.iter().map(|c| c.response).collect();
    let _ = writeln!(out, "| scene | {} |", names.join(" | "));
    let _ = writeln!(out, "|---|{}", "---|".repeat(names.len()));
    for row in rows {
        let cells: Vec<&str> = row.cells.iter().map(|c| c.outcome.word()).collect();
        let _ = writeln!(out, "| {} | {} |", row.scene, cells.join(" | "));
    }
    let count = |o: Outcome| rows.iter().flat_map(|r| &r.cells).filter(|c| c.outcome == o).count();
    let all: usize = rows.iter().map(|r| r.cells.len()).sum();
    let _ = writeln!(
        out,
        "\nOf {all}: {} met, {} refused, {} warned, {} told by the run, {} false in silence.\n",
        count(Outcome::Met),
        count(Outcome::Refused),
        count(Outcome::WarnedBefore),
        count(Outcome::ToldAfter),
        count(Outcome::False)
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
