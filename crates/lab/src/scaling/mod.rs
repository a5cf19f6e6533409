//! `cargo xtask bench scaling`: what a step costs, stage by stage, on one thread and on more.

mod measure;
mod page;
mod scene;

use clap::Args;
use impinge_cli::output::{Done, Json, judged};
use impinge_cli::{arguments, over, scene_files};
use impinge_scene::{Response, SceneSpec};
use measure::{Effort, Measured, measure};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Arguments of `cargo xtask bench scaling`.
#[derive(Args)]
#[command(after_help = "Examples:
  cargo xtask bench scaling --responses penalty,cpf
  cargo xtask bench scaling --bodies 200,968,5000 --responses penalty --threads 1,2,4
  cargo xtask bench scaling stack incline --responses qp
  cargo xtask bench scaling --write crates/impinge/src/guide/cost.md

Columns of two boxes on a plane are made here, so that scenes of any size differ in nothing but their number. Each response runs them once for each
number of threads, in turn: some steps with one, as many with two, and so on, in rounds, from the same state. What else the machine does is met by
all of them.

How to read it:
  time     of each round the step that a tenth of its steps are quicker than, of the rounds the median: a step that another program interrupted
           says nothing of this one
  gain     time of the first number of threads over that of the last
  serial   stages that gain less than 1.2, with their share of the step: a step cannot gain more than 1 / share
  CPU      of all threads, a step; more than the wall time on two threads is waiting as well as work
  exponent p of time ~ bodies^p, from the size before

Exit code 1: a run ended with other bits on another number of threads. Without a quiet machine gains are too small; the load is printed.")]
pub struct ScalingArgs {
    /// Scenes by name or file, in place of columns of boxes.
    scenes: Vec<String>,
    /// Boxes in columns of two.
    #[arg(long, value_delimiter = ',', value_name = "N,…", default_value = "200,968")]
    bodies: Vec<usize>,
    /// Responses, all eight by default.
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    responses: Vec<String>,
    /// Numbers of threads; the first is what gains are measured against.
    #[arg(long, value_delimiter = ',', value_name = "N,…", default_value = "1,2")]
    threads: Vec<usize>,
    /// Steps in each round.
    #[arg(long, value_name = "N", default_value_t = 20)]
    steps: usize,
    /// Rounds.
    #[arg(long, value_name = "N", default_value_t = 7)]
    runs: usize,
    /// Steps before the first round: what falls has landed.
    #[arg(long, value_name = "N", default_value_t = 20)]
    settle: usize,
    /// Folder that holds `scenes` (default: `fixtures` here or in a folder above, else this program's own).
    #[arg(long, value_name = "DIR")]
    fixtures: Option<PathBuf>,
    /// Writes the tables as a page (Markdown), with what other engines took beside them.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

/// One scene under one response.
#[derive(Serialize)]
struct Row {
    scene: String,
    bodies: usize,
    response: &'static str,
    /// Why there are no numbers.
    refused: Option<String>,
    measured: Option<Measured>,
}

/// The tables and what they were made on.
#[derive(Serialize)]
struct Sitting {
    machine: String,
    load: [Option<f64>; 2],
    threads: Vec<usize>,
    effort: Effort,
    rows: Vec<Row>,
}

/// Runs the command.
pub fn command(args: &ScalingArgs) -> Done {
    args.json.begin();
    if let Some(file) = &args.write {
        over::same_head("--write", file, "# What a step costs\n")?;
    }
    let sitting = sit(args)?;
    if let Some(file) = &args.write {
        std::fs::write(file, page::page(&sitting))
            .map_err(|e| format!("{}: {e}; give a file in a folder that can be written", file.display()))?;
    }
    args.json.print(&sitting);
    let other = sitting.rows.iter().filter_map(|r| r.measured.as_ref()).any(|m| !m.same_bits);
    Ok(judged(!other))
}

fn sit(args: &ScalingArgs) -> Result<Sitting, String> {
    let above = |what: &str, n: usize| if n == 0 { Err(format!("{what} 0: give 1 or more")) } else { Ok(()) };
    above("--steps", args.steps)?;
    above("--runs", args.runs)?;
    args.threads.iter().try_for_each(|&n| above("--threads", n))?;
    let responses = arguments::responses(&args.responses, Response::ALL)?;
    let specs = specs(args)?;
    let effort = Effort { settle: args.settle, steps: args.steps, runs: args.runs };
    let (machine, before) = (machine(), load());
    say!("{machine}; load {}", page::number(before));
    let mut sitting =
        Sitting { machine, load: [before, None], threads: args.threads.clone(), effort, rows: Vec::new() };
    for (scene, bodies, spec) in &specs {
        for &response in &responses {
            let (measured, refused) = match measure(spec, response, &args.threads, effort) {
                Ok(m) => (Some(m), None),
                Err(e) => (None, Some(e)),
            };
            let row =
                Row { scene: scene.clone(), bodies: *bodies, response: response.name(), refused, measured };
            say!("\n{}", page::stages(&row, &args.threads).trim_end());
            sitting.rows.push(row);
        }
    }
    sitting.load[1] = load();
    say!("\n{}", page::overview(&sitting).trim_end());
    say!("\nload {} before, {} after", page::number(before), page::number(sitting.load[1]));
    Ok(sitting)
}

/// Name, number of bodies and scene of each.
fn specs(args: &ScalingArgs) -> Result<Vec<(String, usize, SceneSpec)>, String> {
    if args.scenes.is_empty() {
        let columns = |&n: &usize| {
            let origin = Path::new("columns.toml");
            let spec = SceneSpec::from_str(&scene::columns(n), origin).map_err(|e| e.to_string())?;
            Ok((format!("{n} boxes"), n, spec))
        };
        return args.bodies.iter().map(columns).collect();
    }
    let named = scene_files::some_or_all(&args.scenes, args.fixtures.as_deref())?;
    let load = |(name, path): &(String, PathBuf)| {
        let spec = SceneSpec::load(path).map_err(|e| e.to_string())?;
        Ok((name.clone(), spec.bodies.len(), spec))
    };
    named.iter().map(load).collect()
}

/// Processor and cores, as the system tells.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let named = info.lines().filter_map(|l| l.split_once(':')).find(|(k, _)| k.trim() == "model name");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let cores = format!("{cores} {}", if cores == 1 { "core" } else { "cores" });
    named.map_or(cores.clone(), |(_, name)| format!("{}, {cores}", name.trim()))
}

/// Programs that ran in the last minute, on average.
fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_sitting_has_every_stage_and_the_same_bits() {
        let spec = SceneSpec::from_str(&scene::columns(6), Path::new("columns.toml")).unwrap();
        assert_eq!(spec.bodies.len(), 7);
        let effort = Effort { settle: 4, steps: 3, runs: 2 };
        for &response in Response::ALL {
            let m = measure(&spec, response, &[1, 2], effort).unwrap();
            assert!(m.same_bits, "{}", response.name());
            assert!(m.stages.iter().any(|s| s.name.starts_with("response")), "{}", response.name());
            assert!(m.stages.iter().chain([&m.step]).all(|s| s.micros.len() == 2 && s.micros[0] >= 0.0));
            let row = Row {
                scene: "6 boxes".into(),
                bodies: 6,
                response: response.name(),
                refused: None,
                measured: Some(m),
            };
            let text = page::stages(&row, &[1, 2]);
            assert!(text.contains("whole step") && text.contains("record"), "{text}");
        }
    }
}
