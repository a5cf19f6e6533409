//! `impinge-fuzz`, started by `cargo xtask fuzz`: see the README of the crate.

use clap::Parser;
use impinge_fuzz::case::Target;
use impinge_fuzz::runner::{self, Tally, Until};
use impinge_fuzz::targets::{OPEN_OPERATIONS, TARGETS};
use impinge_fuzz::{kept, memory, watch};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOCATOR: memory::Counted = memory::Counted;

/// Hostile input for every reader and kernel.
#[derive(Parser)]
#[command(name = "cargo xtask fuzz")]
struct Arguments {
    /// Targets to run; all of them without one.
    targets: Vec<String>,
    /// Seconds in all, shared between the targets.
    #[arg(long, default_value_t = 60.0)]
    seconds: f64,
    /// Cases of each target, however long they take.
    #[arg(long, conflicts_with = "seconds")]
    count: Option<u64>,
    /// A fixed number of cases of each target, a second or two of work: the same cases on any machine.
    #[arg(long, conflicts_with_all = ["seconds", "count"])]
    quick: bool,
    /// Another seed is another sequence of cases.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of the first case.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// One case alone, its input printed.
    #[arg(long)]
    case: Option<u64>,
    /// Seconds that a case may take before the program ends, in place of the target's own: for a busy machine.
    #[arg(long, value_name = "SECONDS")]
    case_seconds: Option<u64>,
    /// Failures after which a target is left.
    #[arg(long, default_value_t = 5)]
    failures: usize,
    /// Workers.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Keeps the counts on this page (Markdown), after each target; rows of other targets and seeds stay.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Names the targets and what each one checks.
    #[arg(long)]
    list: bool,
}

fn main() -> ExitCode {
    let a = Arguments::parse();
    if a.list {
        for t in TARGETS {
            println!("{:<12} {}", t.name, t.what);
        }
        return ExitCode::SUCCESS;
    }
    let unknown = a.targets.iter().find(|n| TARGETS.iter().all(|t| t.name != **n));
    if let Some(name) = unknown {
        let names: Vec<&str> = TARGETS.iter().map(|t| t.name).collect();
        eprintln!("there is no target '{name}'; there are {}", names.join(", "));
        return ExitCode::from(2);
    }
    if !(a.seconds > 0.0 && a.seconds.is_finite() && a.threads > 0 && a.failures > 0) {
        eprintln!("--seconds, --threads and --failures must be above 0");
        return ExitCode::from(2);
    }
    let targets: Vec<&'static Target> =
        TARGETS.iter().filter(|t| a.targets.is_empty() || a.targets.iter().any(|n| n == t.name)).collect();
    watch::start(a.case_seconds);
    if let Some(index) = a.case {
        return single(&targets, a.seed, index);
    }
    runner::keep_panics();
    let share = Duration::from_secs_f64(a.seconds / targets.len() as f64);
    println!(
        "{:<12} {:>10} {:>10} {:>10} {:>11} {:>9} {:>12} {:>8}",
        "target", "cases", "answered", "cases/s", "slowest ms", "its case", "peak bytes", "failed"
    );
    let mut failed = 0;
    for target in targets {
        let count = if a.quick { Some(target.quick) } else { a.count };
        let until = Until { time: count.is_none().then_some(share), count, failures: a.failures };
        let t = runner::many(target, a.seed, a.first, until, a.threads);
        report(target, a.seed, &t);
        let operations = if target.name == "open" { OPEN_OPERATIONS } else { 1 };
        if let Some(Err(e)) = a.write.as_ref().map(|file| kept::keep(file, target, operations, a.seed, &t)) {
            eprintln!("{e}");
            return ExitCode::from(2);
        }
        failed += t.failures.len();
    }
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn report(target: &Target, seed: u64, t: &Tally) {
    println!(
        "{:<12} {:>10} {:>10} {:>10.0} {:>11.3} {:>9} {:>12} {:>8}",
        target.name,
        t.cases,
        t.answered,
        t.cases as f64 / t.wall.as_secs_f64(),
        t.slowest.0.as_secs_f64() * 1e3,
        t.slowest.1,
        t.peak,
        t.failures.len()
    );
    for (index, text) in &t.failures {
        println!("    cargo xtask fuzz {} --seed {seed} --case {index}\n        {text}", target.name);
    }
}

fn single(targets: &[&'static Target], seed: u64, index: u64) -> ExitCode {
    let [target] = targets else {
        eprintln!("--case needs the name of one target");
        return ExitCode::from(2);
    };
    let since = Instant::now();
    watch::announce(0, Some(watch::At { target, seed, index, since }));
    match runner::one(target, seed, index, true) {
        Ok((outcome, peak)) => {
            println!(
                "{outcome:?} in {:.3} ms, at most {peak} bytes held",
                since.elapsed().as_secs_f64() * 1e3
            );
            ExitCode::SUCCESS
        }
        Err(e) => {
            println!("{e}");
            ExitCode::FAILURE
        }
    }
}
