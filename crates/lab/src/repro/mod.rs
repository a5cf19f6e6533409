//! `cargo xtask repro`: figures of the papers computed anew, as CSV, pictures and one page, beside what the papers say.

mod balls;
mod beside;
mod chain;
mod cloth;
mod convergence;
mod cost;
mod figure;
mod friction;
mod maps;
mod methods;
mod models;
mod scaling;
mod seed_000;
mod seed_001;
mod seed_002;
mod seed_003;
mod seed_004;
mod series;
mod sides;
mod snake;
mod tangled;

use clap::Args;
use impinge_cli::open::Open;
use impinge_cli::output::{self, Done, Json};
use impinge_scene::did_you_mean;
pub use seed_000::{At, perturbed_energy};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `cargo xtask repro`.
#[derive(Args)]
#[command(after_help = "Examples:
  cargo xtask repro --list
  cargo xtask repro fig-8 --open
  cargo xtask repro                       (all of them, many minutes)")]
pub struct ReproArgs {
    /// Figures, such as `fig-8`; all of them (many minutes) when none is given. `--list` names them.
    figures: Vec<String>,
    /// Name the figures and end.
    #[arg(long)]
    list: bool,
    /// Folder for page, pictures and data.
    #[arg(long, value_name = "DIR", default_value = "target/repro")]
    out: PathBuf,
    /// Folder that holds `scenes` (default: `fixtures` here or in a folder above).
    #[arg(long, value_name = "DIR")]
    fixtures: Option<PathBuf>,
    #[command(flatten)]
    open: Open,
    #[command(flatten)]
    json: Json,
}

/// What the command says.
#[derive(Serialize)]
struct Table {
    figures: Vec<Made>,
    page: PathBuf,
}

/// One figure.
#[derive(Serialize)]
struct Made {
    id: &'static str,
    title: &'static str,
    /// What the paper says, and what came out.
    paper: &'static str,
    ours: String,
}

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1f24}\
svg{max-width:100%;height:auto}dt{font-weight:600}dd{margin:0 0 .5rem 1rem}section{margin-bottom:3rem}";

/// Runs the command.
pub fn command(args: &ReproArgs) -> Done {
    args.json.begin();
    let known: Vec<&str> = all().map(|f| f.0).collect();
    if args.list {
        args.json.print(&known);
        say!("{}", known.join("\n"));
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(other) = args.figures.iter().find(|f| !known.contains(&f.as_str())) {
        return Err(format!("no figure '{other}'; {}", did_you_mean(other, &known, "there are")).into());
    }
    let table = write(args)?;
    say!("page {}", table.page.display());
    args.open.page(&table.page);
    args.json.print(&table);
    Ok(ExitCode::SUCCESS)
}

/// All figures: those of "Continuous penalty forces", what it says in words, those of "QP-Collide" and of volume contact, that of the thesis,
/// those of the pressure field, and how the responses converge.
fn all() -> impl Iterator<Item = &'static seed_000::Entry> {
    [
        seed_000::FIGURES,
        chain::FIGURES,
        cloth::FIGURES,
        cost::FIGURES,
        tangled::FIGURES,
        beside::FIGURES,
        maps::FIGURES,
        seed_001::FIGURES,
        seed_002::FIGURES,
        snake::FIGURES,
        seed_003::FIGURES,
        friction::FIGURES,
        seed_004::FIGURES,
        sides::FIGURES,
        models::FIGURES,
        scaling::FIGURES,
        convergence::FIGURES,
        balls::FIGURES,
    ]
    .into_iter()
    .flatten()
}

fn write(args: &ReproArgs) -> Result<Table, String> {
    std::fs::create_dir_all(&args.out).map_err(|e| format!("{}: {e}", args.out.display()))?;
    let wanted = |name: &str| args.figures.is_empty() || args.figures.iter().any(|f| f == name);
    let figures: Vec<_> = all().filter(|f| wanted(f.0)).collect();
    let bar = output::bar(figures.len() as u64, "{bar:30} {pos}/{len} {msg}");
    let (mut sections, mut made) = (String::new(), Vec::new());
    for (name, compute) in figures {
        bar.set_message(*name);
        let figure = compute(args.fixtures.as_deref()).map_err(|e| format!("{name}: {e}"))?;
        sections += &figure.write(&args.out)?;
        bar.suspend(|| say!("{}\n{}\n", figure.title, figure.ours));
        made.push(Made { id: figure.id, title: figure.title, paper: figure.paper, ours: figure.ours });
        bar.inc(1);
    }
    bar.finish_and_clear();
    let page = args.out.join("index.html");
    let text = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>Figures of the papers, computed anew</title><style>{STYLE}</style>\
         <h1>Figures of the papers, computed anew</h1><p>The first are of \"Continuous penalty forces\": scenes, steps and stiffnesses are \
         those of the files named \
         <code>…-cpf</code>; sizes and masses, which the paper leaves open, were chosen there. Those after them name their paper by its number: \
         001 is \"QP-Collide\", 002 \"Volume \
         contact constraints at arbitrary resolution\", 003 the thesis, 004 the pressure field. The last, of no paper, are how each response converges.</p>{sections}</html>\n"
    );
    std::fs::write(&page, text).map_err(|e| format!("{}: {e}", page.display()))?;
    Ok(Table { figures: made, page })
}
