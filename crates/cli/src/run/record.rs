//! The record of a run as the report wants it: what the recorder cannot know by itself.

use crate::runner::End;
use impinge_report::{Check, Parameter, RunRecord, Status, Verdict};
use impinge_scene::{Checked, Measure, Response, SceneSpec, Setting};
use impinge_world::{ContactError, StageError};

/// Fills in what the recorder cannot know: words, parameters, checks, status.
pub fn fill(
    record: &mut RunRecord,
    spec: &SceneSpec,
    response: Response,
    name: &str,
    checks: &[Checked],
    (end, lost): (&End, &[String]),
) {
    record.title = spec.title.clone();
    record.scene = name.to_string();
    record.description = spec.description.clone();
    for (shape, body) in record.bodies.iter_mut().zip(&spec.bodies) {
        shape.colour = body.color;
    }
    record.status = match end {
        End::Completed => Status::Completed,
        End::Interrupted => Status::Interrupted { step: record.steps, time: record.steps as f64 * spec.dt },
        End::Stopped(e) => Status::Stopped {
            reason: e.source.to_string(),
            step: e.step,
            time: e.time,
            stage: Some(e.stage.clone()),
            body: match &e.source {
                StageError::Contact(
                    ContactError::NonFinite { body, .. } | ContactError::Absurd { body, .. },
                ) => Some(body.clone()),
                _ => None,
            },
        },
    };
    if !end.is_absurd() {
        // What stopped the run is told by its end.
        record.lost = lost.to_vec();
    }
    // What the recorder found out by itself comes after what the scene says.
    let found = std::mem::replace(&mut record.parameters, parameters(spec, response));
    record.parameters.retain(|p| found.iter().all(|f| f.name != p.name));
    record.parameters.extend(found);
    record.versions = vec![("impinge".to_string(), env!("CARGO_PKG_VERSION").to_string())];
    record.checks = checks.iter().map(to_check).collect();
    record.notes.splice(0..0, spec.notes(response));
}

fn to_check(c: &Checked) -> Check {
    Check {
        name: c.name.clone(),
        what: c.what.clone(),
        expected: c.expected.clone(),
        measured: c.measured,
        unit: if c.unit == Measure::Finite.unit() { String::new() } else { c.unit.to_string() },
        verdict: match c.verdict {
            impinge_scene::Verdict::Pass => Verdict::Pass,
            impinge_scene::Verdict::ExpectedFail => Verdict::ExpectedFail,
            impinge_scene::Verdict::Fail | impinge_scene::Verdict::UnexpectedPass => Verdict::Fail,
            impinge_scene::Verdict::NotJudged => Verdict::NotJudged,
        },
        note: c.note.replace('\n', " "),
    }
}

/// One row for each key, in the scene's own words.
fn parameters(spec: &SceneSpec, response: Response) -> Vec<Parameter> {
    let note = |stated: bool| if stated { String::new() } else { "default".to_string() };
    let row = |s: Setting| Parameter { name: s.key, value: s.value, unit: s.unit, note: note(s.stated) };
    spec.settings(response).into_iter().map(row).collect()
}
