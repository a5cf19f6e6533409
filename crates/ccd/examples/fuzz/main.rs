//! Millions of degenerate pairs through every tier: `cargo run --release -p impinge-ccd --example fuzz -- --help`.
//!
//! Part A compares the crate with the big-integer oracle of its tests, which shares no code with it; part B compares all
//! tiers with the exact tier alone, which is faster. Stops at a few mismatches, prints each so that it can be put into a
//! test, and exits with status 1. The same seed gives the same queries, whatever the number of threads.

#[path = "../../tests/all/oracle/mod.rs"]
mod oracle;
mod report;
mod work;

use oracle::families::FAMILIES;
use report::Report;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use work::{CHUNK, Part};

const HELP: &str = "\
cargo run --release -p impinge-ccd --example fuzz -- [--oracle N] [--tiers N] [--seed S] [--family A,B] [--skip A,B] [--threads N]

  --oracle N     queries compared with the big-integer oracle (1000000)
  --tiers N      queries compared with the exact tier (10000000)
  --seed S       another sequence (1)
  --family A,B   these families only
  --skip A,B     all but these
";

struct Options {
    oracle: u64,
    tiers: u64,
    seed: u64,
    families: Vec<usize>,
    threads: usize,
}

fn options() -> Result<Options, String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let all = (0..FAMILIES.len()).collect();
    let mut o = Options { oracle: 1_000_000, tiers: 10_000_000, seed: 1, families: all, threads: cores };
    let mut words = std::env::args().skip(1);
    while let Some(name) = words.next() {
        if name == "--help" || name == "-h" {
            return Err(String::new());
        }
        let value = words.next().ok_or(format!("{name} needs a value"))?;
        let number = || value.replace('_', "").parse::<u64>().map_err(|e| format!("{name} {value}: {e}"));
        match name.as_str() {
            "--oracle" => o.oracle = number()?,
            "--tiers" => o.tiers = number()?,
            "--seed" => o.seed = number()?,
            "--threads" => o.threads = number()?.max(1) as usize,
            "--family" => o.families = named(&value)?,
            "--skip" => {
                let without = named(&value)?;
                o.families.retain(|f| !without.contains(f));
            }
            _ => return Err(format!("unknown argument {name}")),
        }
    }
    Ok(o)
}

/// Places of families in the list.
fn named(list: &str) -> Result<Vec<usize>, String> {
    let place = |name: &str| {
        let at = FAMILIES.iter().position(|f| f.name == name);
        let names = || FAMILIES.iter().map(|f| f.name).collect::<Vec<_>>().join(", ");
        at.ok_or_else(|| format!("no family {name}; there are {}", names()))
    };
    list.split(',').map(place).collect()
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(o) => o,
        Err(e) if e.is_empty() => {
            print!("{HELP}families: ");
            println!("{}", FAMILIES.iter().map(|f| f.name).collect::<Vec<_>>().join(", "));
            return ExitCode::SUCCESS;
        }
        Err(e) => {
            eprintln!("fuzz: {e}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    let mut right = true;
    for (part, queries) in [(Part::Oracle, options.oracle), (Part::Tiers, options.tiers)] {
        if queries > 0 {
            let report = run(&options, part, queries);
            print!("{}", report.table(part));
            right &= report.mismatches() == 0;
        }
    }
    println!("{}", if right { "no mismatch" } else { "MISMATCHES" });
    if right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Mismatches after which a part is given up.
const ENOUGH: usize = 20;

fn run(options: &Options, part: Part, queries: u64) -> Report {
    let chunks = queries.div_ceil(CHUNK as u64);
    let next = AtomicU64::new(0);
    let whole = Mutex::new(Report::default());
    let started = Instant::now();
    let told = Mutex::new(started);
    std::thread::scope(|scope| {
        for _ in 0..options.threads {
            scope.spawn(|| {
                let mut worker = work::Worker::default();
                loop {
                    let c = next.fetch_add(1, Ordering::Relaxed);
                    if c >= chunks {
                        return;
                    }
                    let (family, kind) = work::chunk_is(c, &options.families);
                    let found = worker.chunk(part, options.seed, c, family, kind);
                    let mut whole = whole.lock().unwrap_or_else(PoisonError::into_inner);
                    for m in &found.mismatches {
                        println!(
                            "mismatch, family {}, seed {} chunk {c}: {m}",
                            FAMILIES[family].name, options.seed
                        );
                    }
                    whole.add(family, found);
                    if whole.mismatches() >= ENOUGH {
                        return;
                    }
                    let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
                    if told.elapsed() > Duration::from_secs(5) {
                        *told = Instant::now();
                        let done = whole.queries();
                        let rate = done as f64 / started.elapsed().as_secs_f64();
                        println!("{part}: {done} of {queries} queries, {rate:.0} per second");
                    }
                }
            });
        }
    });
    let mut report = whole.into_inner().unwrap_or_else(PoisonError::into_inner);
    report.took(started.elapsed());
    report
}
