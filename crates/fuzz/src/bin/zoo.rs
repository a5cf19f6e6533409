//! `impinge-zoo`, started by `cargo xtask zoo`: see the README of the crate.

use clap::Parser;
use impinge_fuzz::zoo::stages::{Came, Passage, read_broken, walk};
use impinge_fuzz::zoo::{animals, files, table};
use impinge_fuzz::{kept, memory, runner};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: memory::Counted = memory::Counted;

/// Broken meshes through reading, health, repair, filling and every response.
#[derive(Parser)]
#[command(name = "cargo xtask zoo")]
struct Arguments {
    /// Writes the table to a file (Markdown).
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Compares the table with one that was written.
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
    /// Surfaces whose row begins with this only; no table then.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Every N-th surface only; no table then.
    #[arg(long, value_name = "N", default_value_t = 1)]
    every: usize,
    /// Prints the text of every refusal.
    #[arg(long)]
    reasons: bool,
    /// Workers.
    #[arg(long, default_value_t = 2)]
    threads: usize,
}

fn main() -> ExitCode {
    let a = Arguments::parse();
    runner::keep_panics();
    let folder = std::env::temp_dir().join(format!("impinge-zoo-{}", std::process::id()));
    let result = std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()));
    let done = result.and_then(|()| visit(&a, &folder));
    let _ = std::fs::remove_dir_all(&folder);
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::from(2)
        }
    }
}

fn visit(a: &Arguments, folder: &Path) -> Result<bool, String> {
    let mut all = animals::all();
    if let Some(only) = &a.only {
        all.retain(|x| x.kind.starts_with(only.as_str()));
    }
    let mut number = 0;
    all.retain(|_| {
        number += 1;
        (number - 1) % a.every.max(1) == 0
    });
    let next = AtomicUsize::new(0);
    let found: Mutex<Vec<(usize, Passage, f64)>> = Mutex::new(Vec::new());
    let began = Instant::now();
    std::thread::scope(|s| {
        for _ in 0..a.threads.max(1) {
            s.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(animal) = all.get(i) else { break };
                    let since = Instant::now();
                    let path = walk(i, animal, folder);
                    let took = since.elapsed().as_secs_f64();
                    found.lock().unwrap_or_else(|e| e.into_inner()).push((i, path, took));
                }
            });
        }
    });
    let mut paths = found.into_inner().unwrap_or_else(|e| e.into_inner());
    paths.sort_by_key(|p| p.0);
    let (paths, took): (Vec<Passage>, Vec<f64>) = paths.into_iter().map(|p| (p.1, p.2)).unzip();
    let together = (began.elapsed().as_secs_f64(), a.threads.max(1));
    let files: Vec<(String, Came)> =
        files::all().iter().map(|f| (f.0.to_string(), read_broken(f, folder))).collect();
    if a.reasons {
        reasons(&paths, &files);
    }
    let text = table::markdown(&paths, &files);
    let wrong = table::wrong(&paths, &files);
    wrong.iter().for_each(|w| println!("WRONG {w}"));
    println!("{} surfaces and {} files, {} outcomes that must not be", paths.len(), files.len(), wrong.len());
    if a.only.is_some() || a.every > 1 {
        return Ok(wrong.is_empty());
    }
    if let Some(file) = &a.write {
        kept::is_page(file, &text)?;
        let whole = format!("{text}{}", table::times(&paths, &took, together));
        std::fs::write(file, whole).map_err(|e| format!("{}: {e}", file.display()))?;
    } else if a.check.is_none() {
        println!("\n{text}");
    }
    let mut good = wrong.is_empty();
    if let Some(file) = &a.check {
        let kept = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        // Times are of another machine, or of another hour.
        let kept = kept.split(table::TIMES).next().unwrap_or_default();
        let differs = kept.lines().zip(text.lines()).find(|(k, t)| k != t);
        if kept != text {
            let (k, t) = differs.unwrap_or(("the end", "the end"));
            println!(
                "{} has\n  {k}\nand this run gives\n  {t}\nIf the change is meant: cargo xtask zoo --write {0}",
                file.display()
            );
            good = false;
        }
    }
    Ok(good)
}

fn reasons(paths: &[Passage], files: &[(String, Came)]) {
    let tell = |name: &str, stage: &str, came: &Came| {
        if let Came::Refused(e) | Came::Stopped(e) = came {
            println!("{name}, {stage}: {e}");
        }
    };
    for p in paths {
        tell(&p.name, "read", &p.load);
        tell(&p.name, "repair", &p.repair);
        tell(&p.name, "fill", &p.fill);
        p.runs.iter().flatten().for_each(|(r, came)| tell(&p.name, r.name(), came));
    }
    files.iter().for_each(|(name, came)| tell(name, "read", came));
}
