//! One scene under one response: what was asked for and what was said, told apart.

use impinge_cli::runner::{self, without_file};
use impinge_scene::{Checked, Response, SceneSpec, Verdict};
use serde::Serialize;
use std::time::Instant;

/// What became of a scene under a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Outcome {
    Met,
    Refused,
    WarnedBefore,
    ToldAfter,
    False,
}

impl Outcome {
    pub fn word(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Refused => "refused",
            Self::WarnedBefore => "warned",
            Self::ToldAfter => "told by the run",
            Self::False => "**false in silence**",
        }
    }
}

#[derive(Debug, Serialize)]
pub(super) struct Cell {
    pub response: &'static str,
    pub outcome: Outcome,
    /// Wall time, its set-up with it (s); of a refusal what it took to refuse.
    pub seconds: f64,
    /// What was said, and what was measured where it was not what was asked for.
    pub said: Vec<String>,
    pub missed: Vec<String>,
}

impl Cell {
    /// What becomes of `spec`, or of the reason why it is none: a scene that no response takes is refused under each of them.
    pub fn of(spec: &Result<SceneSpec, String>, response: Response) -> Self {
        let start = Instant::now();
        let run = match spec {
            Ok(spec) => runner::run_unheard(spec, response),
            Err(e) => Err(e.clone()),
        };
        let seconds = start.elapsed().as_secs_f64();
        let (outcome, said, missed) = match run {
            Err(why) => (Outcome::Refused, vec![without_file(&why)], Vec::new()),
            Ok(run) => {
                let missed: Vec<String> =
                    run.checks.iter().filter(|c| c.verdict == Verdict::Fail).map(line).collect();
                let after: Vec<String> =
                    run.end.stopped().into_iter().chain(run.warnings.iter().cloned()).collect();
                let is_met = missed.is_empty() && run.end.stopped().is_none();
                let (outcome, said) = match (is_met, run.told.is_empty(), after.is_empty()) {
                    (true, ..) => (Outcome::Met, Vec::new()),
                    (false, false, _) => (Outcome::WarnedBefore, run.told.clone()),
                    (false, true, false) => (Outcome::ToldAfter, after),
                    (false, true, true) => (Outcome::False, Vec::new()),
                };
                (outcome, said, missed)
            }
        };
        Self { response: response.name(), outcome, seconds, said, missed }
    }
}

fn line(c: &Checked) -> String {
    if c.measured.is_nan() {
        return format!("{} ({}): not reached", c.name, c.what);
    }
    format!("{} ({}): {:.4e} {}, expected {}", c.name, c.what, c.measured, c.unit, c.expected)
}
