//! One scene under several responses, your own among them, on one page: what `impinge compare` does, open to programs.

use impinge_report::{ComparedRun, Comparison, Recorder, ReportError, Status, Written, write_comparison};
use impinge_scene::{Response, SceneSpec};
use impinge_world::{Simulation, StageError};
use std::path::Path;

/// Puts a response of your own into a simulation that was built with the discrete penalty: inserts its columns and swaps its stages.
pub type Install<'a> = &'a dyn Fn(&mut Simulation) -> Result<(), String>;

/// Runs the scene under these families and under responses of your own, and writes `compare.html` and the CSV files into `dir`. A
/// response that cannot take the scene stands on the page with the reason; a run that stops is shown as far as it came.
///
/// # Errors
/// When the page cannot be written. The `Comparison` comes back with it, so that a program can look at the numbers.
pub fn compare(
    spec: &SceneSpec,
    families: &[Response],
    own: &[(&str, Install<'_>)],
    dir: &Path,
) -> Result<(Comparison, Written), ReportError> {
    let mut page = Comparison {
        title: spec.title.clone(),
        description: spec.description.clone(),
        ..Comparison::default()
    };
    let mut add = |label: &str, run: Result<ComparedRun, String>| match run {
        Ok(run) => page.runs.push(run),
        Err(reason) => page.refused.push((label.to_string(), reason)),
    };
    for &family in families {
        add(family.name(), run(spec, family, family.name(), &|_| Ok(())));
    }
    for (label, install) in own {
        add(label, run(spec, Response::Penalty, label, install));
    }
    let written = write_comparison(dir, &page)?;
    Ok((page, written))
}

/// One run of the scene from its start to its end.
///
/// # Errors
/// The reason, when the response cannot take the scene.
pub fn run(
    spec: &SceneSpec,
    family: Response,
    label: &str,
    install: Install<'_>,
) -> Result<ComparedRun, String> {
    let mut sim = spec.simulation_with(family).map_err(|e| e.to_string())?;
    install(&mut sim)?;
    let mut recorder = Recorder::new(&sim, spec.record.frame_interval);
    let mut status = Status::Completed;
    for _ in 0..spec.steps() {
        if let Err(e) = sim.step() {
            let body = match &e.source {
                StageError::NonFinite { body, .. } => Some(body.clone()),
                _ => None,
            };
            status = Status::Stopped {
                reason: e.source.to_string(),
                step: e.step,
                time: e.time,
                stage: Some(e.stage.clone()),
                body,
            };
            break;
        }
        recorder.capture(&sim);
    }
    let mut record = recorder.finish(&sim);
    record.title.clone_from(&spec.title);
    record.response = label.to_string();
    record.status = status;
    for (shape, body) in record.bodies.iter_mut().zip(&spec.bodies) {
        shape.colour = body.color;
    }
    Ok(ComparedRun { label: label.to_string(), record })
}
