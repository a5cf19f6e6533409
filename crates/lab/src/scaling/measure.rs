//! Runs one scene under one response on several numbers of threads, in turn.

use crate::ccd_truth::quantile;
use impinge_scene::{Response, SceneSpec};
use impinge_world::Simulation;
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::Serialize;
use std::time::Instant;

/// The part of a round's steps that are quicker than the one that counts.
const QUICK: f64 = 0.1;
const MEDIAN: f64 = 0.5;

/// How much is run.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Effort {
    /// Steps before the first round.
    pub settle: usize,
    /// Steps in a round.
    pub steps: usize,
    /// Rounds.
    pub runs: usize,
}

/// The time of one stage.
#[derive(Clone, Debug, Serialize)]
pub struct Cost {
    /// The stage.
    pub name: String,
    /// A step, for each number of threads (µs).
    pub micros: Vec<f64>,
}

/// What a scene takes under a response.
#[derive(Debug, Serialize)]
pub struct Measured {
    /// In their order, and last what a step does between its stages.
    pub stages: Vec<Cost>,
    /// All of it.
    pub step: Cost,
    /// Time of all processors together, a step (µs), where the system tells.
    pub cpu: Vec<Option<f64>>,
    /// The world of the scene, made from its text as it was read, with the first number of threads (µs).
    pub built: f64,
    /// Rows that the last step's pairs of bodies had.
    pub contacts: u32,
    /// Every number of threads ended with the same state.
    pub same_bits: bool,
}

/// One run, with times by round.
struct Lane {
    pool: ThreadPool,
    sim: Simulation,
    /// Of each stage, of what is between them, and of the whole.
    rounds: Vec<Vec<f64>>,
    cpu: Vec<f64>,
}

/// Builds the scene for each number of threads and measures.
///
/// # Errors
/// In words, where the response refuses the scene or a step fails.
pub fn measure(
    spec: &SceneSpec,
    response: Response,
    threads: &[usize],
    effort: Effort,
) -> Result<Measured, String> {
    let mut lanes = Vec::new();
    let mut built = Vec::new();
    for &n in threads {
        let pool =
            ThreadPoolBuilder::new().num_threads(n).build().map_err(|e| format!("{n} threads: {e}"))?;
        let start = Instant::now();
        let sim = pool.install(|| spec.simulation_with(response)).map_err(|e| e.to_string())?;
        built.push(start.elapsed().as_secs_f64() * 1e6);
        let mut lane = Lane { pool, sim, rounds: Vec::new(), cpu: Vec::new() };
        lane.run(effort.settle)?;
        lanes.push(lane);
    }
    for round in 0..effort.runs {
        for turn in 0..lanes.len() {
            // Each goes first as often as last.
            let at = (round + turn) % lanes.len();
            lanes[at].round(effort.steps)?;
        }
    }
    let [first, ..] = &lanes[..] else { return Err("no number of threads".to_string()) };
    let names = first.sim.pipeline.costs().map(|(name, _)| name);
    let names: Vec<String> = names.chain(["between stages".into(), "whole step".into()]).collect();
    let cost = |(k, name): (usize, String)| {
        let time = |l: &Lane| at(MEDIAN, l.rounds.iter().map(|r| r[k]).collect()) * 1e6;
        Cost { name, micros: lanes.iter().map(time).collect() }
    };
    let mut stages: Vec<Cost> = names.into_iter().enumerate().map(cost).collect();
    let step = stages.pop().ok_or("no stages")?;
    let hashes: Vec<u64> = lanes.iter().map(|l| l.sim.hash()).collect();
    Ok(Measured {
        stages,
        step,
        cpu: lanes.iter().map(|l| (!l.cpu.is_empty()).then(|| at(MEDIAN, l.cpu.clone()) * 1e6)).collect(),
        built: built[0],
        contacts: lanes[0].sim.ledger().pairs.contacts.iter().sum(),
        same_bits: hashes.iter().all(|h| *h == hashes[0]),
    })
}

impl Lane {
    fn run(&mut self, steps: usize) -> Result<Vec<Vec<f64>>, String> {
        let Self { pool, sim, .. } = self;
        pool.install(|| {
            let mut times: Vec<Vec<f64>> = Vec::new();
            for _ in 0..steps {
                let start = Instant::now();
                sim.step().map_err(|e| e.to_string())?;
                let whole = start.elapsed().as_secs_f64();
                let stages = || sim.pipeline.raw_costs().map(|c| c.seconds);
                let between = (whole - stages().sum::<f64>()).max(0.0);
                times.push(stages().chain([between, whole]).collect());
            }
            Ok(times)
        })
    }

    fn round(&mut self, steps: usize) -> Result<(), String> {
        let before = processor_seconds();
        let times = self.run(steps)?;
        if let (Some(before), Some(after)) = (before, processor_seconds()) {
            self.cpu.push((after - before) / steps as f64);
        }
        let columns = times.first().map_or(0, Vec::len);
        self.rounds.push((0..columns).map(|k| at(QUICK, times.iter().map(|t| t[k]).collect())).collect());
        Ok(())
    }
}

/// What all threads of this program took of the processors so far (s).
fn processor_seconds() -> Option<f64> {
    let mut nanos = 0u64;
    for task in std::fs::read_dir("/proc/self/task").ok()?.flatten() {
        // A thread may have ended meanwhile.
        let Ok(text) = std::fs::read_to_string(task.path().join("schedstat")) else { continue };
        nanos += text.split_whitespace().next()?.parse::<u64>().ok()?;
    }
    Some(nanos as f64 * 1e-9)
}

fn at(q: f64, mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    quantile(&times, q)
}

impl Cost {
    /// Time of the first number of threads over that of the last.
    pub fn gain(&self) -> f64 {
        let [first, .., last] = &self.micros[..] else { return 1.0 };
        if *last > 0.0 { first / last } else { 1.0 }
    }
}

/// A stage that gains less does not gain.
const GAINS: f64 = 1.2;

impl Measured {
    /// Stages that more threads do not make quicker, with their part of the step, the largest first.
    pub fn serial(&self) -> Vec<(&str, f64)> {
        let part = |s: &Cost| s.micros[0] / self.step.micros[0].max(f64::MIN_POSITIVE);
        let mut out: Vec<(&str, f64)> =
            self.stages.iter().filter(|s| s.gain() < GAINS).map(|s| (s.name.as_str(), part(s))).collect();
        out.sort_by(|a, b| b.1.total_cmp(&a.1));
        out
    }

    /// Their part of the step in all.
    pub fn serial_share(&self) -> f64 {
        // A sum of nothing is -0.
        self.serial().iter().fold(0.0, |sum, s| sum + s.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(name: &str, micros: [f64; 2]) -> Cost {
        Cost { name: name.into(), micros: micros.to_vec() }
    }

    #[test]
    fn what_does_not_gain_is_serial_with_its_share() {
        let m = Measured {
            stages: vec![
                cost("narrow", [60.0, 30.0]),
                cost("broad", [10.0, 11.0]),
                cost("record", [30.0, 29.0]),
            ],
            step: cost("whole step", [100.0, 70.0]),
            cpu: vec![None, None],
            built: 0.0,
            contacts: 4,
            same_bits: true,
        };
        assert_eq!(m.serial(), [("record", 0.3), ("broad", 0.1)]);
        assert_eq!(m.stages[0].gain(), 2.0);
    }

    #[test]
    fn an_interrupted_step_does_not_count() {
        assert_eq!(at(QUICK, vec![9.0, 1.0, 2.0, 1.5, 50.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]), 1.5);
        assert_eq!(at(MEDIAN, vec![3.0, 1.0, 50.0, 2.0, 10.0]), 3.0);
    }
}
