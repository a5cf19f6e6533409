//! `impinge ccd-truth`: contact decisions and times against sets of queries with known answers, timed.
//!
//! Takes a folder that holds `*.ccdq` files at any depth; gives a table by file with wrong answers, times and tiers, a
//! summary by folder, what was wrong, and a closing line `N passed, N failed` that counts queries. All calls run on one
//! thread. A file is used entirely or refused with its name.

mod csv;
mod file;
mod measure;
mod table;
#[cfg(test)]
mod tests;

use clap::Args;
use file::Set;
use measure::Measured;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `impinge ccd-truth`.
#[derive(Args)]
pub struct CcdTruthArgs {
    /// Folder of the sets (`*.ccdq`, searched at any depth; `roots.csv` beside them is compared too).
    dir: PathBuf,
    /// Timed passes over every file.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Name the files and what they hold; decide nothing.
    #[arg(long)]
    list: bool,
}

/// Runs the command. Exit code 0 when something was compared, nothing failed and every file could be read.
pub fn command(args: &CcdTruthArgs) -> ExitCode {
    // The issue is the cost of a query; other cores only add noise.
    let pool = match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(p) => p,
        Err(e) => return crate::fail(format!("no thread can be started: {e}")),
    };
    match pool.install(|| run(args, &mut io::stdout(), &mut io::stderr())) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => crate::fail(format!("the result cannot be written: {e}")),
    }
}

/// The command with its two outputs given. `true` when all is well.
fn run(args: &CcdTruthArgs, out: &mut impl Write, err: &mut impl Write) -> io::Result<bool> {
    let mut problems = Vec::new();
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
    Ok(problems.is_empty() && failed == 0)
}
