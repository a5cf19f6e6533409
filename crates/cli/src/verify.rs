//! `impinge verify`: closed-form tests of `fixtures/verify` under every response, as one table.
//!
//! A test is a scene whose expectations name the measure, the value and the tolerance; those said of every response hold for all, and one
//! that a response cannot meet by design is written down beside it with the reason. So the table has a cell for every
//! response, and an empty one says why.

use crate::arguments;
use crate::runner::{self, End};
use crate::{fail, scene_files};
use clap::Args;
use impinge_scene::{Checked, Response, SceneSpec, Verdict};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `impinge verify`.
#[derive(Args)]
#[command(after_help = "Examples:
  impinge verify
  impinge verify weight sliding --responses penalty,qp
  impinge verify --write docs/VERIFY.md        (keeps the table)
  impinge verify --check docs/VERIFY.md        (says where it is out of date)
  impinge verify --long --write docs/VERIFY_LONG.md

The exit code is 1 when a test fails that nobody says must fail, and when --check finds another table.")]
pub struct VerifyArgs {
    /// Tests by name; all when none is given.
    tests: Vec<String>,
    /// Response families; all when none is given.
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    responses: Vec<String>,
    /// The tests that take minutes, in `verify/long`, instead of the quick ones.
    #[arg(long)]
    long: bool,
    /// Writes the table to a file (Markdown).
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Compares the table with one that was written.
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
    /// Folder that holds `verify` (default: `fixtures` here or in a folder above).
    #[arg(long, value_name = "DIR")]
    fixtures: Option<PathBuf>,
}

/// Runs the command.
pub fn command(args: &VerifyArgs) -> ExitCode {
    match verify(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => fail(e),
    }
}

/// What one response makes of one test.
enum Column {
    /// It cannot take the scene.
    Refused(String),
    /// Its expectations, and how the run ended when it did not complete.
    Ran(Vec<Checked>, Option<String>),
}

fn verify(args: &VerifyArgs) -> Result<bool, String> {
    let dir = scene_files::scenes_dir(args.fixtures.as_deref())?.with_file_name("verify");
    let dir = if args.long { dir.join("long") } else { dir };
    let mut tests = scene_files::in_folder(&dir)?;
    if let Some(unknown) = args.tests.iter().find(|t| !tests.iter().any(|(n, _)| n == *t)) {
        let names: Vec<&str> = tests.iter().map(|(n, _)| n.as_str()).collect();
        return Err(format!("no test '{unknown}'; there are {}", names.join(", ")));
    }
    tests.retain(|(n, _)| args.tests.is_empty() || args.tests.contains(n));
    let responses = arguments::responses(&args.responses, Response::ALL)?;

    let mut table = head(args.long);
    let mut good = true;
    for (name, path) in &tests {
        let (text, fine) = test(name, path, &responses)?;
        table += &text;
        good &= fine;
    }
    if let Some(file) = &args.write {
        std::fs::write(file, &table).map_err(|e| format!("{} cannot be written: {e}", file.display()))?;
        say!("wrote {}", file.display());
    } else if args.check.is_none() {
        say!("\n{table}");
    }
    if let Some(file) = &args.check {
        let kept =
            std::fs::read_to_string(file).map_err(|e| format!("{} cannot be read: {e}", file.display()))?;
        if kept != table {
            let (a, b) = kept
                .lines()
                .zip(table.lines())
                .find(|(a, b)| a != b)
                .unwrap_or(("the end of the file", "the end of the table"));
            say!(
                "{} is out of date; it has\n  {a}\nand this run gives\n  {b}\nIf the change is meant: impinge verify --write {}",
                file.display(),
                file.display()
            );
            good = false;
        }
    }
    say!(
        "{}",
        if good {
            "no unexplained failure"
        } else {
            "there are failures nobody explained, or a table out of date"
        }
    );
    Ok(good)
}

fn head(long: bool) -> String {
    let (what, file, folder, other) = if long {
        (
            ", the long ones",
            "--long --write docs/VERIFY_LONG.md",
            "fixtures/verify/long",
            "The quick ones: VERIFY.md.",
        )
    } else {
        ("", "--write docs/VERIFY.md", "fixtures/verify", "Those that take minutes: VERIFY_LONG.md.")
    };
    format!(
        "# Tests with known answers, under every response{what}\n\n\
Written by `cargo xtask verify {file}`; the scenes are in `{folder}`. {other} Each cell is what came out. ✓ within tolerance, \
✗ not, (✗) not and not meant to be: the reason stands below the table. – the response cannot take the scene, or nothing is expected of it: that stands below, too.\n"
    )
}

fn test(name: &str, path: &Path, responses: &[Response]) -> Result<(String, bool), String> {
    let spec = SceneSpec::load(path).map_err(|e| e.to_string())?;
    if spec.expectations.is_empty() {
        return Err(format!("{}: nothing is expected of any response; add an [[expect]]", path.display()));
    }
    let mut columns = Vec::new();
    let mut good = true;
    for &response in responses {
        if !spec.expectations.iter().any(|e| e.response == response) {
            columns.push(Column::Ran(Vec::new(), None));
            continue;
        }
        let column = match runner::run(&spec, response, false, true, |_| true) {
            Err(reason) => Column::Refused(reason),
            Ok(run) => {
                let stopped = match &run.end {
                    End::Stopped(e) => Some(e.to_string()),
                    End::Completed | End::Interrupted => None,
                };
                let met = run.checks.iter().filter(|c| c.verdict.is_as_expected()).count();
                good &= met == run.checks.len();
                say!(
                    "{name:24} {:16} {met} of {} in {:.3} s",
                    response.name(),
                    run.checks.len(),
                    run.times.total().as_secs_f64()
                );
                Column::Ran(run.checks, stopped)
            }
        };
        columns.push(column);
    }
    Ok((markdown(&spec, responses, &columns), good))
}

fn markdown(spec: &SceneSpec, responses: &[Response], columns: &[Column]) -> String {
    let mut out = format!("\n## {}\n\n{}", spec.title, spec.description);
    if !spec.source.is_empty() {
        let _ = write!(out, " ({})", spec.source);
    }
    let names: Vec<&str> = responses.iter().map(|r| r.name()).collect();
    let _ = write!(
        out,
        "\n\n| measure | expected | {} |\n|---|---|{}\n",
        names.join(" | "),
        "---|".repeat(names.len())
    );
    let mut rows: Vec<&Checked> = Vec::new();
    for c in columns.iter().flat_map(|c| if let Column::Ran(checks, _) = c { &checks[..] } else { &[] }) {
        if !rows.iter().any(|r| r.name == c.name) {
            rows.push(c);
        }
    }
    let mut notes: Vec<String> = Vec::new();
    let nothing: Vec<&str> = names
        .iter()
        .zip(columns)
        .filter(|(_, c)| matches!(c, Column::Ran(checks, _) if checks.is_empty()))
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
    for row in rows {
        let unit = if row.unit == "1" { String::new() } else { format!(" {}", row.unit) };
        let _ = write!(out, "| {}: {} | {}{unit} |", row.name, row.what, row.expected);
        for (column, response) in columns.iter().zip(&names) {
            let cell = match column {
                Column::Refused(reason) => {
                    let reason = runner::without_file(reason);
                    note(format!("{response}: {}", reason.replace('\n', " ")));
                    "–".to_string()
                }
                Column::Ran(checks, stopped) => match checks.iter().find(|c| c.name == row.name) {
                    None => "–".to_string(),
                    Some(c) => {
                        if c.verdict == Verdict::ExpectedFail {
                            note(format!("{response}, {}: {}", c.name, c.note.replace('\n', " ")));
                        }
                        if let (true, Some(why)) = (c.measured.is_nan(), stopped) {
                            note(format!("{response} stopped: {}", why.replace('\n', " ")));
                        }
                        cell(c)
                    }
                },
            };
            let _ = write!(out, " {cell} |");
        }
        out.push('\n');
    }
    if !notes.is_empty() {
        out.push('\n');
    }
    for n in notes {
        let _ = writeln!(out, "* {n}");
    }
    out
}

/// The number to the digits in which runs agree on every machine, and the verdict.
fn cell(c: &Checked) -> String {
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
