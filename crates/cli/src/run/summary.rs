//! A run in numbers, for `--json`.

use crate::check::Expectation;
use crate::runner::Run;
use impinge_scene::{Response, SceneSpec};
use serde::Serialize;
use std::path::PathBuf;

/// What `impinge run --json` prints, and what `impinge compare --json` says of each run.
#[derive(Serialize)]
pub(crate) struct Summary {
    pub scene: String,
    title: String,
    pub response: &'static str,
    bodies: usize,
    dt: f64,
    steps: u64,
    /// `completed`, `interrupted`, or why it stopped.
    end: String,
    /// State hash after the last step.
    hash: String,
    /// Of the steps alone (s).
    wall_seconds: f64,
    /// Median, 99th percentile and longest step (s).
    step_seconds: [f64; 3],
    /// Steps over `--budget`.
    late_steps: Option<u64>,
    pub expectations: Vec<Expectation>,
    pub warnings: Vec<String>,
    /// Some of the warnings say that what was computed is no physics.
    unphysical: bool,
    /// The page.
    pub report: Option<PathBuf>,
}

impl Summary {
    /// Of a run that has ended.
    pub fn of(run: &Run, spec: &SceneSpec, response: Response, scene: &str) -> Self {
        let times = &run.times;
        Self {
            scene: scene.to_string(),
            title: spec.title.clone(),
            response: response.name(),
            bodies: run.sim.names().len(),
            dt: spec.dt,
            steps: run.sim.steps(),
            end: run.end.to_string(),
            hash: format!("{:016x}", run.sim.hash()),
            wall_seconds: times.total().as_secs_f64(),
            step_seconds: [0.5, 0.99, 1.0].map(|q| times.quantile(q)),
            late_steps: times.late(),
            expectations: Expectation::all(&run.checks),
            warnings: run.told.iter().chain(&run.warnings).cloned().collect(),
            unphysical: !run.lost.is_empty(),
            report: None,
        }
    }
}
