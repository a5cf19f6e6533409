//! `cargo xtask oracle`: the kernels against files of cases with known answers.
//!
//! Takes a folder of case files (`SCHEMA.md` beside them is their format); gives a table by family, what
//! failed, and a closing line `N passed, N failed`. A file is used entirely or refused with its name and line.
//! A family nobody knows is an error; JSON that holds no cases, such as an index, is passed over and named. What a kind of case
//! needs must be there; a key that nobody knows is counted as skipped and named.

mod ccd_pair;
mod compare;
mod cpf_pair;
mod cubic;
pub mod dense_program;
mod dpf_ccd_pair;
mod dpf_mesh;
mod drake;
mod families;
mod family;
mod feature_pair;
mod file;
mod friction;
mod ground;
mod keys;
mod ldi;
mod mlcp;
mod mlcp_dense;
mod mlcp_stabilization;
mod particle1d;
mod particle1d_robustness;
mod particle1d_spectral;
mod pressure_bodies;
mod pressure_body;
mod qp;
mod qp_row;
mod sinusoid;
mod table;
mod tet_overlap;
mod tet_pair;
mod validate;
mod volume;
mod volume_body;

use clap::Args;
use families::FAMILIES;
use impinge_cli::output::{Done, Json, NOT_DONE, judged};
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use table::Row;

/// Arguments of `cargo xtask oracle`.
#[derive(Args)]
#[command(after_help = "Examples:
  cargo xtask oracle oracles
  cargo xtask oracle oracles --family dpf_mesh,particle1d --verbose
  cargo xtask oracle oracles --json

Exit codes: 0 something was compared and all of it agrees. 1: a case fails. 2: a file cannot be read, or nothing
was compared.")]
pub struct OracleArgs {
    /// Folder of the case files (`*.json`).
    dir: PathBuf,
    /// Check only these families, separated by commas: `dpf_mesh,particle1d`.
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    family: Vec<String>,
    /// Print a line for every case.
    #[arg(long, short)]
    verbose: bool,
    #[command(flatten)]
    json: Json,
}

/// What the command says.
#[derive(Serialize)]
struct Table {
    families: Vec<table::Line>,
    passed: usize,
    failed: usize,
    skipped: usize,
    /// Why something could not be compared.
    problems: Vec<String>,
}

/// Runs the command. Exit code 0 when something was compared, nothing failed and every file could be read.
pub fn command(args: &OracleArgs) -> Done {
    args.json.begin();
    let mut out = Vec::new();
    // Stderr stays unlocked: a kernel that panics on a worker thread writes there too.
    let table = run(args, &mut out, &mut io::stderr());
    let table = table.map_err(|e| format!("the result cannot be written: {e}"))?;
    say!("{}", String::from_utf8_lossy(&out).trim_end());
    args.json.print(&table);
    Ok(if table.problems.is_empty() { judged(table.failed == 0) } else { ExitCode::from(NOT_DONE) })
}

/// The command with its two outputs given.
fn run(args: &OracleArgs, out: &mut impl Write, err: &mut impl Write) -> io::Result<Table> {
    let mut wanted: Vec<&str> = args.family.iter().map(|f| f.trim()).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let mut problems: Vec<String> = wanted.iter().filter_map(|w| families::known(w).err()).collect();
    let mut rows = Vec::new();
    if problems.is_empty() {
        match file::list(&args.dir) {
            Ok(files) => {
                for path in files {
                    match check_file(&path, &wanted, &mut rows) {
                        Ok(Found::Cases) => {}
                        Ok(Found::NoCases) => {
                            writeln!(
                                err,
                                "note: {} has no `family` and no `cases`: passed over",
                                path.display()
                            )?;
                        }
                        Err(reason) => problems.push(format!("{}: {reason}", path.display())),
                    }
                }
                // A file that cannot be read may hold what seems to be missing.
                if problems.is_empty() {
                    problems.extend(missing(&args.dir, &wanted, &rows));
                }
            }
            Err(e) => problems.push(e),
        }
    }
    rows.sort_by_key(|r| FAMILIES.iter().position(|f| f.name == r.family).unwrap_or(FAMILIES.len()));
    let totals = table::totals(&rows);
    if !rows.is_empty() {
        write!(out, "{}", table::table(&rows, args.verbose))?;
        if problems.is_empty() && totals.passed + totals.failed == 0 {
            // An exit code 0 would say that something had been checked.
            problems.push("every case was skipped; nothing was compared".to_string());
        }
    }
    out.flush()?;
    for p in &problems {
        writeln!(err, "error: {p}")?;
    }
    writeln!(out, "{}", table::closing_line(totals))?;
    out.flush()?;
    let families = rows.iter().map(Row::line).collect();
    let table::Totals { passed, failed, skipped } = totals;
    Ok(Table { families, passed, failed, skipped, problems })
}

/// Reads one file and adds its cases to the row of its family, if that is wanted.
fn check_file(path: &Path, wanted: &[&str], rows: &mut Vec<Row>) -> Result<Found, String> {
    let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
    let text = std::str::from_utf8(&bytes).map_err(|e| format!("not a text file: {e}"))?;
    let Some(header) = file::header(text).map_err(|e| e.0)? else { return Ok(Found::NoCases) };
    let family = header.family.as_str();
    // Of what was not asked for nothing is said, and so nothing can be wrong with it.
    if !wanted.is_empty() && !wanted.contains(&family) {
        return Ok(Found::Cases);
    }
    families::known(family)?;
    if let Some(known) = FAMILIES.iter().find(|f| f.name == family) {
        let checked = (known.check)(text).map_err(|e| e.0)?;
        let row = row(rows, family);
        checked.iter().for_each(|c| row.add(c));
    }
    Ok(Found::Cases)
}

/// What a file turned out to be.
enum Found {
    /// A file of cases.
    Cases,
    /// JSON that is something else, such as an index.
    NoCases,
}

/// The row of a family, new if there is none.
fn row<'a>(rows: &'a mut Vec<Row>, family: &str) -> &'a mut Row {
    let at = rows.iter().position(|r| r.family == family).unwrap_or_else(|| {
        rows.push(Row::new(family));
        rows.len() - 1
    });
    &mut rows[at]
}

/// What was asked for and is not there.
fn missing(dir: &Path, wanted: &[&str], rows: &[Row]) -> Vec<String> {
    let found = |family: &str| rows.iter().any(|r| r.family == family && r.cases > 0);
    if wanted.is_empty() && !rows.iter().any(|r| r.cases > 0) {
        return vec![format!("{} holds no case; give the folder of the case files (*.json)", dir.display())];
    }
    let absent = wanted.iter().filter(|w| !found(w));
    absent.map(|w| format!("{} holds no case of family `{w}`", dir.display())).collect()
}
