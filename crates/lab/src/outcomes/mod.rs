//! `cargo xtask outcomes`: what users of other engines reported, and scenes by chance, under every response: right, refused, warned of, or false in
//! silence.

mod cell;
mod drawn;
mod page;
mod random;
mod sketch;

use crate::fixtures::beside_scenes;
use cell::{Cell, Outcome};
use clap::Args;
use drawn::Kind;
use impinge_cli::output::{Done, Json, judged};
use impinge_cli::{arguments, over, scene_files};
use impinge_scene::{Response, SceneSpec, plain};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Arguments of `cargo xtask outcomes`.
#[derive(Args)]
#[command(after_help = "Examples:
  cargo xtask outcomes
  cargo xtask outcomes conveyor --responses cpf,qp
  cargo xtask outcomes --folder my-scenes
  cargo xtask outcomes --write crates/impinge/src/guide/outcomes.md
  cargo xtask outcomes --random 10 --seed 7
  cargo xtask outcomes --random 50 --kinds stack,cards --responses qp --keep drawn
  cargo xtask outcomes stack-3 --folder drawn

Every expectation must hold under every response, or the program says why not: by a refusal, by a warning before the first step, or by one of the
run. --random draws scenes and asks for what closed forms say: v²/2μg, e·v, weights, heights. Exit code 1: a number is false and nothing was said.")]
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
    /// Draws this many scenes of each kind instead, and prints what is false in silence and a table of counts.
    #[arg(long, value_name = "N", conflicts_with_all = ["scenes", "folder", "write"])]
    random: Option<u32>,
    /// Where the numbers begin: the same scenes for the same seed.
    #[arg(long, default_value_t = 1, requires = "random")]
    seed: u64,
    /// Kinds that are drawn, all by default.
    #[arg(long, value_enum, value_delimiter = ',', requires = "random", value_name = "KIND,…")]
    kinds: Vec<Kind>,
    /// Writes the drawn scenes to a folder.
    #[arg(long, requires = "random", value_name = "DIR")]
    keep: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

#[derive(Debug, Serialize)]
struct Row {
    scene: String,
    title: String,
    cells: Vec<Cell>,
}

/// Runs the command.
pub fn command(args: &OutcomesArgs) -> Done {
    args.json.begin();
    Ok(judged(outcomes(args)?))
}

fn outcomes(args: &OutcomesArgs) -> Result<bool, String> {
    if let Some(file) = &args.write {
        over::same_head("--write", file, "# Scenes that others reported, under every response\n")?;
    }
    let responses = arguments::responses(&args.responses, Response::ALL)?;
    if let Some(each) = args.random {
        let cells = random::command(args, each, &responses)?;
        args.json.print(&cells);
        return Ok(cells.iter().all(|c| c.cell.outcome != Outcome::False));
    }
    let dir = match &args.folder {
        Some(dir) => dir.clone(),
        None => beside_scenes(None, "outcomes")?,
    };
    let mut scenes = scene_files::in_folder(&dir)?;
    if let Some(unknown) = args.scenes.iter().find(|n| scenes.iter().all(|s| s.0 != **n)) {
        return Err(format!("there is no scene '{unknown}' in {}", dir.display()));
    }
    scenes.retain(|s| args.scenes.is_empty() || args.scenes.contains(&s.0));
    let mut rows = Vec::new();
    for (name, path) in &scenes {
        let row = row(name, path, &responses);
        for cell in &row.cells {
            let word = cell.outcome.word().trim_matches('*');
            say!("  {:<28} {:<15} {word}, {} s", row.scene, cell.response, plain(cell.seconds, 2));
            cell.missed.iter().for_each(|m| say!("      {m}"));
        }
        rows.push(row);
    }
    if let Some(file) = &args.write {
        std::fs::write(file, page::page(&rows)).map_err(|e| format!("{}: {e}", file.display()))?;
    }
    args.json.print(&rows);
    Ok(rows.iter().flat_map(|r| &r.cells).all(|c| c.outcome != Outcome::False))
}

fn row(name: &str, path: &Path, responses: &[Response]) -> Row {
    let spec = SceneSpec::load(path).map_err(|e| e.to_string());
    let title = spec.as_ref().map_or_else(|_| name.to_string(), |s| s.title.clone());
    let cells = responses.iter().map(|&r| Cell::of(&spec, r)).collect();
    Row { scene: name.to_string(), title, cells }
}
