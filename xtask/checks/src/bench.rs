//! `bench`: measures kernels (criterion) and scenes (in `impinge-lab`), keeps the numbers with the name of
//! the machine, compares them with earlier ones.

mod compare;
mod date;
mod kernels;
mod machine;
mod programs;
mod record;
mod scenes;
mod table;
mod verdict;

use crate::arguments::Arguments;
use crate::workspace::{Failure, Outcome, root, target};
use machine::Machine;
use record::Record;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The table that the laboratory measures, and explains.
pub const SCALING: &str = "scaling";

/// Shown by `--help`.
pub const HELP: &str = "\
Measures the kernels (criterion, benches/) and every stage of every scene (impinge-lab scenes-bench).

    cargo xtask bench                        measure and print
    cargo xtask bench --save NAME            … and keep it as benches/baselines/NAME.toml
    cargo xtask bench --against NAME         … and compare with that file (a path to a .toml works too)
    cargo xtask bench --against NAME --measured FILE    compare two files, measure nothing

    cargo xtask bench --against PROGRAM      run another impinge and this one in turn, and compare stage by stage

    --only kernels|scenes    one half
    --runs N                 how often everything is run (default 3)
    -- FILTER                what follows goes to criterion: the kernels whose name contains FILTER

    cargo xtask bench volume [--short] [--runs N]    Table 1 of seed 002 for scenes of ours beside the paper's figures;
                                                     --short is small and done in seconds, --only WORD are
                                                     the scenes with WORD in their name
    cargo xtask bench pressure [--short] [--runs N]  contact queries of pressure fields beside Drake's figures
    cargo xtask bench scaling [--threads 1,2] …      what a step costs, stage by stage, on one thread and on more;
                                                     cargo xtask bench scaling --help

With a PROGRAM (a path, such as ../old/target/release/impinge) the scenes run --runs times in each of the two, in
turn, and the table has a row for each scene, response and stage: the median of the medians, the ratio now/against of
the runs that followed each other, and the noise, which is twice the median distance of these ratios from their own
median. A stage that is slower by more than 3 % and by more than the noise is SLOWER, after three times as many runs
said so too; then the exit status is 1.

    --scenes A,B             other scenes than stack,incline,tumble,torus-stack,cloth-hang
    --responses A,B          other responses than all
    -- ARGUMENTS             for both programs: -- --threads 1 --duration 0.5

What was measured is always written to target/xtask-bench/last.toml.

Each number has an interval: for a kernel from the lowest to the highest end of criterion's 95 % confidence
intervals of the median in the runs, for a stage from the smallest to the largest median of the runs. The ratio
new/old then lies between new.low/old.high and new.high/old.low, and the verdict is

    faster    the whole interval of the ratio is below 1
    slower    the whole interval is above 1
    same      it contains 1: no difference within the noise
    short     a stage below 5 µs a step in both: read off the clock, not judged

The exit status is 1 only when something is slower with the whole interval above 1.1: no interval knows what
changed between two sittings (other programs, temperature), and that is often some per cent. Compare on one idle
machine only: the file names it, and a difference is warned of.
";

/// Measures or reads, then saves and compares.
///
/// # Errors
/// When a program fails, a file cannot be read, or a scene's state differs between two runs.
pub fn run(arguments: &[OsString]) -> Outcome {
    if let Some((first, rest)) = arguments.split_first()
        && let Some(program) = first.to_str().and_then(table::program)
    {
        return table::run(program, rest);
    }
    if let Some((first, rest)) = arguments.split_first()
        && first == SCALING
    {
        return table::scaling(rest);
    }
    let mut a = Arguments::new(arguments)?;
    let (save, against) = (a.value("--save")?, a.value("--against")?);
    let (measured, only, runs) = (a.value("--measured")?, a.value("--only")?, a.value("--runs")?);
    let (scenes, responses) = (a.value("--scenes")?, a.value("--responses")?);
    let criterion = std::mem::take(&mut a.after);
    a.finish(
        "--save NAME, --against NAME|PROGRAM, --measured FILE, --only kernels|scenes, --runs N, --scenes A,B, \
         --responses A,B, and -- FILTER",
    )?;
    let half = |name: &str| only.as_deref().is_none_or(|o| o == name);
    if !half("kernels") && !half("scenes") {
        return Err(Failure::usage("--only takes kernels or scenes"));
    }
    let runs: usize = match runs.as_deref().map(str::parse) {
        None => 3,
        Some(Ok(n)) if n > 0 => n,
        Some(_) => return Err(Failure::usage("--runs takes a whole number from 1")),
    };
    if let Some(program) = against.as_deref().and_then(program) {
        if save.is_some() || measured.is_some() || only.is_some() {
            return Err(Failure::usage("--save, --measured and --only do not go with a program"));
        }
        let arguments = criterion.iter().map(|a| a.to_string_lossy().into_owned()).collect();
        return programs::run(&programs::Asked { against: program, scenes, responses, runs, arguments });
    }
    if scenes.is_some() || responses.is_some() {
        return Err(Failure::usage(
            "--scenes and --responses go with --against PROGRAM, the path of another impinge",
        ));
    }
    // Both files are looked at before minutes are spent.
    let baseline = against.map(|n| baseline_path(&n, false).and_then(|p| load(&p))).transpose()?;
    let save = save.map(|n| baseline_path(&n, true)).transpose()?;

    let record = match measured {
        Some(file) => load(&root().join(file))?,
        None => {
            let machine = Machine::here()?;
            machine.warn_when_busy();
            let mut r = Record { machine, rows: Vec::new() };
            let folder = target().join("xtask-bench");
            if half("kernels") {
                r.rows.extend(kernels::measure(&folder, runs, &criterion)?);
            }
            if half("scenes") {
                r.rows.extend(scenes::measure(&folder, runs)?);
            }
            write(&folder.join("last.toml"), &r)?;
            r
        }
    };
    if let Some(path) = save {
        write(&path, &record)?;
    }
    let Some(baseline) = baseline else {
        print!("{}", compare::listing(&record));
        return Ok(ExitCode::SUCCESS);
    };
    for difference in record.machine.differences(&baseline.machine) {
        eprintln!("warning: {difference}; ratios between two machines say little");
    }
    let comparison = compare::against(&record, &baseline);
    print!("{}", comparison.text);
    Ok(if comparison.regressions == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The program that `--against` names: a file with a path, and not one of measurements.
fn program(name: &str) -> Option<PathBuf> {
    let path = root().join(name);
    (!name.ends_with(".toml") && name.contains(std::path::is_separator) && path.is_file()).then_some(path)
}

/// `NAME` to `benches/baselines/NAME.toml`; what ends in `.toml` is a path already.
fn baseline_path(name: &str, to_write: bool) -> Result<PathBuf, Failure> {
    if name.ends_with(".toml") {
        return Ok(root().join(name));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || !name.chars().all(plain) {
        return Err(Failure::usage(format!(
            "the name of a baseline has letters, digits, - _ and . only, not '{name}'"
        )));
    }
    let folder = root().join("benches/baselines");
    let path = folder.join(format!("{name}.toml"));
    if to_write || path.is_file() {
        return Ok(path);
    }
    let mut known: Vec<String> = std::fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|e| e.file_name().to_str().and_then(|n| n.strip_suffix(".toml")).map(str::to_string))
        .collect();
    known.sort_unstable();
    let known =
        if known.is_empty() { "none yet; --save NAME makes one".to_string() } else { known.join(", ") };
    Err(Failure::usage(format!("there is no baseline '{name}' in benches/baselines (there: {known})")))
}

fn load(path: &Path) -> Result<Record, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| Failure::new(format!("{} cannot be read: {e}", path.display())))?;
    Record::parse(&text).map_err(|e| Failure::new(format!("{}: {e}", path.display())))
}

fn write(path: &Path, record: &Record) -> Result<(), Failure> {
    let cannot = |e| Failure::new(format!("{} cannot be written: {e}", path.display()));
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(cannot)?;
    }
    std::fs::write(path, record.to_toml()).map_err(cannot)?;
    eprintln!("written: {}", path.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_in_the_call_cost_no_measurement() {
        let e = |words: &[&str]| run(&words.iter().map(OsString::from).collect::<Vec<_>>()).unwrap_err();
        assert!(e(&["--only", "stages"]).message.contains("kernels or scenes"));
        assert!(e(&["--runs", "0"]).message.contains("from 1"));
        assert!(e(&["--against", "no-such-baseline"]).message.contains("benches/baselines"));
        assert!(e(&["--save", "../elsewhere"]).message.contains("'../elsewhere'"));
        assert!(e(&["--agianst", "x"]).message.contains("--agianst"));
        assert!(e(&["--against", "no/such/file.toml"]).message.contains("cannot be read"));
        assert!(e(&["--scenes", "stack"]).message.contains("--against PROGRAM"));
        let here = std::env::current_exe().unwrap();
        assert!(e(&["--against", here.to_str().unwrap(), "--save", "x"]).message.contains("--save"));
    }
}
