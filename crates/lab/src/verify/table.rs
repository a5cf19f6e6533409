//! The tests as a Markdown file.

use super::Column;
use super::Tested;
use impinge_cli::runner;
use impinge_scene::{Checked, Verdict};
use std::fmt::Write;

pub fn head(long: bool) -> String {
    let (what, file, folder, other) = if long {
        (
            ", the long ones",
            "--long --write docs/evidence/VERIFY_LONG.md --readme docs/evidence/README.md",
            "fixtures/verify/long",
            "The quick ones: VERIFY.md.",
        )
    } else {
        (
            "",
            "--write docs/evidence/VERIFY.md --readme docs/evidence/README.md",
            "fixtures/verify",
            "Those that take minutes: VERIFY_LONG.md.",
        )
    };
    format!(
        "# Tests with known answers, under every response{what}\n\n\
Written by `cargo xtask verify {file}`; the scenes are in `{folder}`. {other} Each cell is what came out. ✓ within tolerance, \
✗ not, (✗) not and not meant to be: the reason stands below the table. – the response cannot take the scene, or nothing is expected of it: that stands below, too.\n"
    )
}

/// The section of one test.
pub fn markdown(test: &Tested, names: &[&str]) -> String {
    let (spec, columns) = (&test.spec, &test.columns);
    let mut out = format!("\n## {}\n\n{}", spec.title, spec.description);
    if !spec.source.is_empty() {
        let _ = write!(out, " ({})", spec.source);
    }
    let _ = write!(
        out,
        "\n\n| measure | expected | {} |\n|---|---|{}\n",
        names.join(" | "),
        "---|".repeat(names.len())
    );
    let rows = test.rows();
    for row in &rows {
        let unit = if row.unit == "1" { String::new() } else { format!(" {}", row.unit) };
        let _ = write!(out, "| {}: {} | {}{unit} |", row.name, row.what, row.expected);
        for column in columns {
            let cell = column.of(&row.name).map_or("–".to_string(), cell);
            let _ = write!(out, " {cell} |");
        }
        out.push('\n');
    }
    let notes = notes(test, names);
    if !notes.is_empty() {
        out.push('\n');
    }
    for n in notes {
        let _ = writeln!(out, "* {n}");
    }
    out
}

/// Why cells are empty or not met.
pub fn notes(test: &Tested, names: &[&str]) -> Vec<String> {
    let columns = &test.columns;
    let mut notes: Vec<String> = Vec::new();
    let nothing: Vec<&str> = names
        .iter()
        .zip(columns)
        .filter(|(_, c)| matches!(c, Column::Ran(checks, ..) if checks.is_empty()))
        .map(|(n, _)| *n)
        .collect();
    if !nothing.is_empty() {
        notes.push(format!("Nothing is expected of {} here.", nothing.join(", ")));
    }
    let mut note = |text: String| {
        if !notes.contains(&text) {
            notes.push(text);
        }
    };
    for row in test.rows() {
        for (column, response) in columns.iter().zip(names) {
            match column {
                Column::Refused(reason) => {
                    note(format!("{response}: {}", runner::without_file(reason).replace('\n', " ")));
                }
                Column::Ran(_, stopped, _) => {
                    let Some(c) = column.of(&row.name) else { continue };
                    if c.verdict == Verdict::ExpectedFail {
                        note(format!("{response}, {}: {}", c.name, c.note.replace('\n', " ")));
                    }
                    if let (true, Some(why)) = (c.measured.is_nan(), stopped) {
                        note(format!("{response} stopped: {}", why.replace('\n', " ")));
                    }
                }
            }
        }
    }
    notes
}

/// The number to the digits in which runs agree on every machine, and the verdict.
pub fn cell(c: &Checked) -> String {
    let mark = match c.verdict {
        Verdict::Pass => "✓",
        Verdict::ExpectedFail => "(✗)",
        Verdict::Fail | Verdict::UnexpectedPass | Verdict::NotJudged => "✗",
    };
    // A residual or a creep is noise: its size is told, not its digits.
    let text = match c.measured.abs() {
        m if m.is_nan() => "not reached".to_string(),
        0.0 => "0".to_string(),
        m if m < 1e-9 => "< 1e-9".to_string(),
        m if !(1e-3..1e6).contains(&m) => format!("{:.3e}", c.measured),
        _ => format!("{:.6}", c.measured),
    };
    format!("{text} {mark}")
}
