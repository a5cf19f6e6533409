//! `cargo xtask verify`: closed-form tests of `fixtures/verify` under every response, as one table.
//!
//! A test is a scene whose expectations name the measure, the value and the tolerance; those said of every response hold for all, and one
//! that a response cannot meet by design is written down beside it with the reason. So the table has a cell for every
//! response, and an empty one says why. Kernels that need no scene stand in a table of their own.

mod kept;
mod kernels;
mod page;
mod summary;
mod table;
mod tested;

use crate::fixtures::beside_scenes;
use clap::Args;
use impinge_cli::open::Open;
use impinge_cli::output::{Done, Json, judged};
use impinge_cli::{arguments, over, scene_files};
use impinge_scene::{Response, did_you_mean};
use rayon::prelude::*;
use serde::Serialize;
use std::path::PathBuf;
use tested::{Test, Tested};

/// Arguments of `cargo xtask verify`.
#[derive(Args)]
#[command(after_help = "Examples:
  cargo xtask verify
  cargo xtask verify weight sliding --responses penalty,qp
  cargo xtask verify --write docs/evidence/VERIFY.md --readme docs/evidence/README.md   (keeps the table, and its summary)
  cargo xtask verify --check docs/evidence/VERIFY.md --readme docs/evidence/README.md   (says where they are out of date)
  cargo xtask verify --long --write docs/evidence/VERIFY_LONG.md --readme docs/evidence/README.md

Exit codes: 0 every result is as the tests say. 1: one is not, or --check finds another table. 2: nothing was tested.")]
pub struct VerifyArgs {
    /// Tests by name; all when none is given.
    tests: Vec<String>,
    /// Response families; all when none is given.
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    responses: Vec<String>,
    /// The tests that take minutes, in `verify/long`, instead of the quick ones.
    #[arg(long)]
    long: bool,
    /// Writes the table to a file (Markdown), and beside it as a page (.html) with times.
    #[arg(long, value_name = "FILE", group = "kept")]
    write: Option<PathBuf>,
    /// Compares the table with one that was written.
    #[arg(long, value_name = "FILE", group = "kept")]
    check: Option<PathBuf>,
    /// With --write and --check: the summary of the table in this file too, between `<!-- verify -->` and `<!-- /verify -->`
    /// (`verify-long` with --long).
    #[arg(long, value_name = "FILE", requires = "kept")]
    readme: Option<PathBuf>,
    /// Folder that holds `verify` (default: `fixtures` here or in a folder above).
    #[arg(long, value_name = "DIR")]
    fixtures: Option<PathBuf>,
    #[command(flatten)]
    open: Open,
    #[command(flatten)]
    json: Json,
}

/// What the command says.
#[derive(Serialize)]
struct Table<'a> {
    kernels: Vec<kernels::Line<'a>>,
    tests: Vec<Test<'a>>,
    /// No failure without a reason.
    good: bool,
}

/// Runs the command.
pub fn command(args: &VerifyArgs) -> Done {
    args.json.begin();
    Ok(judged(verify(args)?))
}

fn verify(args: &VerifyArgs) -> Result<bool, String> {
    if let Some(file) = &args.write {
        over::same_head("--write", file, "# Tests with known answers, under every response")?;
        over::same_head(
            "--write",
            &kept::page_of(file),
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Impinge: ",
        )?;
    }
    let dir = beside_scenes(args.fixtures.as_deref(), "verify")?;
    let dir = if args.long { dir.join("long") } else { dir };
    let mut tests = scene_files::in_folder(&dir)?;
    if let Some(unknown) = args.tests.iter().find(|t| !tests.iter().any(|(n, _)| n == *t)) {
        let names: Vec<&str> = tests.iter().map(|(n, _)| n.as_str()).collect();
        return Err(format!("no test '{unknown}'; {}", did_you_mean(unknown, &names, "there are")));
    }
    tests.retain(|(n, _)| args.tests.is_empty() || args.tests.contains(n));
    let responses = arguments::responses(&args.responses, Response::ALL)?;

    let whole = args.tests.is_empty() && args.responses.is_empty();
    if !whole && (args.write.is_some() || args.check.is_some()) {
        return Err("a table that is kept has all tests and all responses: leave out the names".into());
    }
    let kernels = if args.long || !whole { Vec::new() } else { kernels::run()? };
    // Each run has the same bits on any number of threads; only their lines below come in any order.
    let tested = tests
        .par_iter()
        .map(|(name, path)| Tested::new(name, path, &responses))
        .collect::<Result<Vec<Tested>, String>>()?;
    let names: Vec<&'static str> = responses.iter().map(|r| r.name()).collect();
    let summary = summary::markdown(&tested, &names);
    let mut table = table::head(args.long) + &summary;
    if !kernels.is_empty() {
        table += &kernels::markdown(&kernels);
    }
    tested.iter().for_each(|t| table += &table::markdown(t, &names));
    let page = page::html(args.long, &kernels, &tested, &names);
    let good = kernels.iter().all(kernels::Known::holds) && tested.iter().all(Tested::good);

    let kept = kept::Kept { table: &table, page: &page, summary: &summary, long: args.long };
    let current = match (&args.write, &args.check) {
        (Some(file), _) => kept.write(file, args.readme.as_deref()).map(|()| true)?,
        (None, Some(file)) => kept.check(file, args.readme.as_deref())?,
        (None, None) => {
            say!("\n{table}");
            true
        }
    };
    say!(
        "{}",
        match (good, current) {
            (true, true) => "no unexplained failure",
            (false, _) => "there are failures nobody explained",
            (true, false) => "no unexplained failure, but a table is out of date",
        }
    );
    if let Some(file) = &args.write {
        args.open.page(&kept::page_of(file));
    }
    args.json.print(&Table {
        kernels: kernels.iter().map(kernels::Known::line).collect(),
        tests: tested.iter().map(|t| t.document(&names)).collect(),
        good,
    });
    Ok(good && current)
}
