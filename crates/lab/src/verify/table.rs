//! The tests as a Markdown file.

use super::tested::{Column, Tested};
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

/// Why cells are empty or not met: what is said of several responses or expectations stands once.
pub fn notes(test: &Tested, names: &[&str]) -> Vec<String> {
    let not_asked = |response: &str| test.spec.not_asked.iter().any(|n| n.response.name() == response);
    let nothing: Vec<&str> = names
        .iter()
        .zip(&test.columns)
        .filter(|(n, c)| matches!(c, Column::Ran(checks, ..) if checks.is_empty()) && !not_asked(n))
        .map(|(n, _)| *n)
        .collect();
    let mut notes: Vec<String> = Vec::new();
    if !nothing.is_empty() {
        notes.push(format!("Nothing is expected of {} here.", nothing.join(", ")));
    }
    let no_test = names.iter().flat_map(|&response| {
        let of_it = test.spec.not_asked.iter().filter(move |n| n.response.name() == response);
        of_it.map(move |n| (response, n.name.as_str(), n.why.as_str()))
    });
    notes.extend(
        together(no_test).into_iter().map(|(who, what, why)| format!("Not a test of {who} ({what}): {why}")),
    );
    let rows = test.rows();
    let missed = test.columns.iter().zip(names).flat_map(|(column, &response)| {
        let of = |row: &&Checked| column.of(&row.name).filter(|c| c.verdict == Verdict::ExpectedFail);
        rows.iter().filter_map(of).map(move |c| (response, c.name.as_str(), c.note.as_str()))
    });
    notes.extend(together(missed).into_iter().map(|(who, what, why)| format!("{who}, {what}: {why}")));
    for (column, response) in test.columns.iter().zip(names) {
        match column {
            Column::Refused(reason) => {
                notes.push(format!("{response}: {}", runner::without_file(reason).replace('\n', " ")));
            }
            Column::Ran(checks, Some(why), _) if checks.iter().any(|c| c.measured.is_nan()) => {
                notes.push(format!("{response} stopped: {}", why.replace('\n', " ")));
            }
            Column::Ran(..) => {}
        }
    }
    notes
}

/// Responses and expectations, each list joined, by reason: first the expectations of a response, then the responses with the same ones.
fn together<'a>(said: impl Iterator<Item = (&'a str, &'a str, &'a str)>) -> Vec<(String, String, String)> {
    let mut of_one: Vec<(&str, Vec<&str>, &str)> = Vec::new();
    for (response, name, why) in said {
        match of_one.iter_mut().find(|o| o.0 == response && o.2 == why) {
            Some(o) => o.1.push(name),
            None => of_one.push((response, vec![name], why)),
        }
    }
    let mut out: Vec<(String, String, String)> = Vec::new();
    for (response, names, why) in of_one {
        let (names, why) = (names.join(", "), why.replace('\n', " "));
        match out.iter_mut().find(|o| o.1 == names && o.2 == why) {
            Some(o) => o.0 = format!("{}, {response}", o.0),
            None => out.push((response.to_string(), names, why)),
        }
    }
    out
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
