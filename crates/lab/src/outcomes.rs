//! `cargo xtask outcomes`: what users of other engines reported, under every response: right, refused, warned of, or false in silence.

use crate::fixtures::beside_scenes;
use clap::Args;
use impinge_cli::output::Json;
use impinge_cli::runner::{self, without_file};
use impinge_cli::{fail, scene_files};
use impinge_scene::{Checked, Response, SceneSpec, Verdict};
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `cargo xtask outcomes`.
#[derive(Args)]
#[command(after_help = "Examples:
  cargo xtask outcomes
  cargo xtask outcomes conveyor --responses cpf,qp
  cargo xtask outcomes --folder my-scenes
  cargo xtask outcomes --write crates/impinge/src/guide/outcomes.md

Every expectation must hold under every response, or the program says why not: by a refusal, by a warning before the first step, or by one of the
run. Exit code 1: a number is false and nothing was said.")]
pub struct OutcomesArgs {
    /// Scenes of the folder by name; all when none is given.
    scenes: Vec<String>,
    /// Responses, all eight by default.
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    responses: Vec<String>,
    /// Folder of scenes (default: `outcomes` beside the folder of scenes).
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Writes the table as a page (Markdown).
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

/// What became of a scene under a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Outcome {
    Met,
    Refused,
    WarnedBefore,
    ToldAfter,
    False,
}

impl Outcome {
    fn word(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Refused => "refused",
            Self::WarnedBefore => "warned",
            Self::ToldAfter => "told by the run",
            Self::False => "**false in silence**",
        }
    }
}

#[derive(Debug, Serialize)]
struct Cell {
    response: &'static str,
    outcome: Outcome,
    /// What was said, and what was measured where it was not what was asked for.
    said: Vec<String>,
    missed: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Row {
    scene: String,
    title: String,
    cells: Vec<Cell>,
}

/// Runs the command.
pub fn command(args: &OutcomesArgs) -> ExitCode {
    args.json.begin();
    match outcomes(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => fail(e),
    }
}

fn outcomes(args: &OutcomesArgs) -> Result<bool, String> {
    let dir = match &args.folder {
        Some(dir) => dir.clone(),
        None => beside_scenes(None, "outcomes")?,
    };
    let mut scenes = scene_files::in_folder(&dir)?;
    if let Some(unknown) = args.scenes.iter().find(|n| scenes.iter().all(|s| s.0 != **n)) {
        return Err(format!("there is no scene '{unknown}' in {}", dir.display()));
    }
    scenes.retain(|s| args.scenes.is_empty() || args.scenes.contains(&s.0));
    let known = |name: &String| {
        let found = Response::ALL.iter().copied().find(|r| r.name() == name);
        found.ok_or_else(|| format!("there is no response '{name}'"))
    };
    let responses: Vec<Response> = if args.responses.is_empty() {
        Response::ALL.to_vec()
    } else {
        args.responses.iter().map(known).collect::<Result<_, _>>()?
    };
    let mut rows = Vec::new();
    for (name, path) in &scenes {
        let row = row(name, path, &responses)?;
        for cell in &row.cells {
            say!("  {:<28} {:<15} {}", row.scene, cell.response, cell.outcome.word().trim_matches('*'));
            cell.missed.iter().for_each(|m| say!("      {m}"));
        }
        rows.push(row);
    }
    if let Some(file) = &args.write {
        std::fs::write(file, page(&rows)).map_err(|e| format!("{}: {e}", file.display()))?;
    }
    args.json.print(&rows);
    Ok(rows.iter().flat_map(|r| &r.cells).all(|c| c.outcome != Outcome::False))
}

fn row(name: &str, path: &Path, responses: &[Response]) -> Result<Row, String> {
    // A scene that no response takes is refused under each of them.
    let spec = SceneSpec::load(path).map_err(|e| e.to_string());
    let title = spec.as_ref().map_or_else(|_| name.to_string(), |s| s.title.clone());
    let cells = (responses.iter())
        .map(|&response| {
            let run = match &spec {
                Ok(spec) => runner::run(spec, response, false, true, |_| true),
                Err(e) => Err(e.clone()),
            };
            let (outcome, said, missed) = match run {
                Err(why) => (Outcome::Refused, vec![without_file(&why)], Vec::new()),
                Ok(run) => {
                    let missed: Vec<String> =
                        run.checks.iter().filter(|c| c.verdict == Verdict::Fail).map(line).collect();
                    let after: Vec<String> =
                        run.end.stopped().into_iter().chain(run.warnings.iter().cloned()).collect();
                    let is_met = missed.is_empty() && run.end.stopped().is_none();
                    let (outcome, said) = match (is_met, run.told.is_empty(), after.is_empty()) {
                        (true, ..) => (Outcome::Met, Vec::new()),
                        (false, false, _) => (Outcome::WarnedBefore, run.told.clone()),
                        (false, true, false) => (Outcome::ToldAfter, after),
                        (false, true, true) => (Outcome::False, Vec::new()),
                    };
                    (outcome, said, missed)
                }
            };
            Cell { response: response.name(), outcome, said, missed }
        })
        .collect();
    Ok(Row { scene: name.to_string(), title, cells })
}

fn line(c: &Checked) -> String {
    if c.measured.is_nan() {
        return format!("{} ({}): not reached", c.name, c.what);
    }
    format!("{} ({}): {:.4e} {}, expected {}", c.name, c.what, c.measured, c.unit, c.expected)
}

fn page(rows: &[Row]) -> String {
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
