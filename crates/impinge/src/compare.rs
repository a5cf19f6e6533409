//! One scene under several responses, your own among them, on one page: what `impinge compare` does, open to programs.
//!
//! A response of your own is named like the others once [`impinge_world::register`] has it.

use impinge_report::{ComparedRun, Comparison, Recorder, ReportError, Status, Written, write_comparison};
use impinge_scene::{Response, SceneSpec};
use impinge_world::{ContactError, StageError};
use std::path::Path;

/// Runs the scene under these responses, and writes `compare.html` and the CSV files into `dir`. A
/// response that cannot take the scene stands on the page with the reason; a run that stops is shown as far as it came.
///
/// # Errors
/// When the page cannot be written. The `Comparison` comes back with it, so that a program can look at the numbers.
pub fn compare(
    spec: &SceneSpec,
    families: &[Response],
    dir: &Path,
) -> Result<(Comparison, Written), ReportError> {
    let mut page = Comparison {
        title: spec.title.clone(),
        description: spec.description.clone(),
        ..Comparison::default()
    };
    for &family in families {
        match run(spec, family) {
            Ok(run) => page.runs.push(run),
            Err(reason) => page.refused.push((family.name().to_string(), reason)),
        }
    }
    let written = write_comparison(dir, &page)?;
    Ok((page, written))
}

/// One run of the scene from its start to its end.
///
/// # Errors
/// The reason, when the response cannot take the scene.
pub fn run(spec: &SceneSpec, family: Response) -> Result<ComparedRun, String> {
    let label = family.name();
    let mut sim = spec.simulation_with(family).map_err(|e| e.to_string())?;
    let mut recorder = Recorder::new(&sim, spec.record.frame_interval);
    let mut status = Status::Completed;
    for _ in 0..spec.steps() {
        if let Err(e) = sim.step() {
            let body = match &e.source {
                StageError::Contact(ContactError::NonFinite { body, .. }) => Some(body.clone()),
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
    record.notes.splice(0..0, spec.notes(family));
    record.status = status;
    for (shape, body) in record.bodies.iter_mut().zip(&spec.bodies) {
        shape.colour = body.color;
    }
    Ok(ComparedRun { label: label.to_string(), record })
}
