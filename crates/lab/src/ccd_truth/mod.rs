//! `cargo xtask ccd-truth`: contact decisions and times against sets of queries with known answers, timed.
//!
//! Takes a folder that holds `*.ccdq` files at any depth; gives a table by file with wrong answers, times and tiers, a
//! summary by folder, what was wrong, and a closing line `N passed, N failed` that counts queries. All calls run on one
//! thread. A file is used entirely or refused with its name.

mod csv;
mod file;
mod measure;
mod table;

use clap::Args;
use file::Set;
use impinge_cli::output::{Done, Json, NOT_DONE, judged};
use measure::Measured;
pub use measure::quantile;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `cargo xtask ccd-truth`.
#[derive(Args)]
#[command(after_help = "Examples:
  cargo xtask ccd-truth ccd-queries
  cargo xtask ccd-truth ccd-queries --list
  cargo xtask ccd-truth ccd-queries --repeat 1 --json

Exit codes: 0 something was compared and every answer is right. 1: an answer is wrong. 2: a file cannot be read, or
nothing was compared.")]
pub struct CcdTruthArgs {
    /// Folder of the sets (`*.ccdq`, searched at any depth; `roots.csv` beside them is compared too).
    dir: PathBuf,
    /// Timed passes over every file.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Name the files and what they hold; decide nothing.
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    json: Json,
}

/// What the command says.
#[derive(Default, Serialize)]
struct Table {
    files: Vec<File>,
    passed: usize,
    failed: usize,
    /// Why something could not be compared.
    problems: Vec<String>,
}

/// One file; what `--list` does not decide is left out.
#[derive(Serialize)]
struct File {
    folder: PathBuf,
    name: String,
    kind: &'static str,
    queries: usize,
    positives: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    decided: Option<Decided>,
}

/// Wrong answers, and nanoseconds per query.
#[derive(Serialize)]
struct Decided {
    false_negatives: usize,
    false_positives: usize,
    wrong: usize,
    mean_ns: f64,
    median_ns: f64,
    p99_ns: f64,
    max_ns: f64,
}

/// Runs the command. Exit code 0 when something was compared, nothing failed and every file could be read.
pub fn command(args: &CcdTruthArgs) -> Done {
    // The issue is the cost of a query; other cores only add noise.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.map_err(|e| format!("no thread can be started: {e}"))?;
    args.json.begin();
    let mut out = Vec::new();
    let table = pool.install(|| run(args, &mut out, &mut io::stderr()));
    let table = table.map_err(|e| format!("the result cannot be written: {e}"))?;
    say!("{}", String::from_utf8_lossy(&out).trim_end());
    args.json.print(&table);
    Ok(if table.problems.is_empty() { judged(table.failed == 0) } else { ExitCode::from(NOT_DONE) })
}

/// The command with its two outputs given.
fn run(args: &CcdTruthArgs, out: &mut impl Write, err: &mut impl Write) -> io::Result<Table> {
    let mut problems = Vec::new();
    let mut listed = Vec::new();
    let mut files = Vec::new();
    if let Err(e) = file::find(&args.dir, &mut files) {
        problems.push(e);
    } else if files.is_empty() {
        problems.push(format!("{} holds no *.ccdq file at any depth", args.dir.display()));
    }
    let mut groups: BTreeMap<PathBuf, Vec<Measured>> = BTreeMap::new();
    let mut sets: BTreeMap<PathBuf, csv::Listed> = BTreeMap::new();
    for path in &files {
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        if !sets.contains_key(&folder) {
            let listed = csv::read(&folder).unwrap_or_else(|e| {
                problems.push(e);
                csv::Listed::default()
            });
            sets.insert(folder.clone(), listed);
        }
        let set = match Set::read(path) {
            Ok(s) => s,
            Err(e) => {
                problems.push(format!("{}: {e}", path.display()));
                continue;
            }
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if args.list {
            writeln!(out, "{}", table::listed(path, &set))?;
            let positives = set.truth.iter().filter(|t| **t).count();
            let (kind, queries) = (table::short(set.kind), set.len());
            listed.push(File { folder, name, kind, queries, positives, decided: None });
            continue;
        }
        let rows = match sets[&folder].of(&name, set.len()) {
            Ok(r) => r,
            Err(e) => {
                problems.push(e);
                continue;
            }
        };
        match measure::measure(&name, &set, rows, args.repeat) {
            Ok(m) => groups.entry(folder).or_default().push(m),
            Err(e) => problems.push(format!("{}: {e}", path.display())),
        }
    }
    for (folder, listed) in &sets {
        let here = |name: &str| files.iter().any(|f| f.ends_with(name) && f.parent() == Some(folder));
        let absent = listed.files().filter(|f| !here(f));
        problems
            .extend(absent.map(|f| format!("{}: roots.csv names {f}, which is not there", folder.display())));
    }
    if !groups.is_empty() {
        write!(out, "{}", table::table(&args.dir, &groups, args.repeat))?;
    }
    out.flush()?;
    for p in &problems {
        writeln!(err, "error: {p}")?;
    }
    let all = || groups.values().flatten();
    let failed: usize = all().map(Measured::failed).sum();
    let passed = all().map(|m| m.queries).sum::<usize>() - failed;
    if !args.list {
        writeln!(out, "{passed} passed, {failed} failed")?;
    }
    out.flush()?;
    for (folder, files) in &groups {
        listed.extend(files.iter().map(|m| File {
            folder: folder.clone(),
            name: m.name.clone(),
            kind: table::short(m.kind),
            queries: m.queries,
            positives: m.positives,
            decided: Some(Decided {
                false_negatives: m.false_negatives,
                false_positives: m.false_positives,
                wrong: m.failed(),
                mean_ns: m.mean,
                median_ns: m.quantile(0.5),
                p99_ns: m.quantile(0.99),
                max_ns: m.worst(),
            }),
        }));
    }
    Ok(Table { files: listed, passed, failed, problems })
}
