//! The record of a run as the report wants it: what the recorder cannot know by itself.

use super::notes::notes;
use crate::runner::End;
use impinge_report::{Check, Parameter, RunRecord, Status, Verdict};
use impinge_scene::{Checked, Measure, Response, SceneSpec};
use impinge_world::{Detection, StageError, VolumeFriction};

/// Fills in what the recorder cannot know: words, parameters, checks, status.
pub(crate) fn fill(
    record: &mut RunRecord,
    spec: &SceneSpec,
    response: Response,
    name: &str,
    checks: &[Checked],
    end: &End,
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
                StageError::NonFinite { body, .. } => Some(body.clone()),
                _ => None,
            },
        },
    };
    // What the recorder found out by itself comes after what the scene says.
    let found = std::mem::replace(&mut record.parameters, parameters(spec, response));
    record.parameters.extend(found);
    record.versions = vec![("impinge".to_string(), env!("CARGO_PKG_VERSION").to_string())];
    record.checks = checks.iter().map(to_check).collect();
    record.notes.splice(0..0, notes(spec, response));
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

fn parameters(spec: &SceneSpec, response: Response) -> Vec<Parameter> {
    let p = |name: &str, value: String, unit: &str| Parameter {
        name: name.to_string(),
        value,
        unit: unit.to_string(),
        note: String::new(),
    };
    let g = spec.gravity;
    let mut out = vec![
        p("dt", format!("{}", spec.dt), "s"),
        p("duration", format!("{}", spec.duration), "s"),
        p("gravity", format!("[{}, {}, {}]", g.x, g.y, g.z), "m/s²"),
        p("integrator", format!("{:?}", spec.integrator), ""),
        p("source", spec.source.clone(), ""),
    ];
    match response {
        Response::Penalty => {
            out.push(p("penalty.evaluate", format!("{:?}", spec.penalty.evaluate), ""));
            out.push(p("penalty.release", format!("{:?}", spec.penalty.release), ""));
            if let Detection::Proximity { reach } = spec.penalty.detection {
                out.push(p("penalty.proximity", format!("{reach}"), "m"));
            }
        }
        Response::Cpf | Response::DpfCcd => {
            out.push(p("cpf.friction", if spec.cpf.friction_along { "path" } else { "end" }.to_string(), ""));
            out.push(p("cpf.normalisation", format!("{:?}", spec.cpf.normalisation), ""));
            out.push(p("cpf.band", format!("{}", spec.cpf.band), "triangle sizes"));
        }
        Response::CpfImplicit => {
            out.push(p("cpf.gradient", format!("{:?}", spec.cpf.gradient), ""));
            out.push(p("cpf.band", format!("{}", spec.cpf.band), "triangle sizes"));
        }
        Response::Qp => {
            out.push(p("qp.thickness", format!("{}", spec.qp.thickness), "m"));
            for (b, radius) in spec.bodies.iter().filter_map(|b| Some((b, b.thickness?))) {
                out.push(p(&format!("thickness of {}", b.name), format!("{radius}"), "m"));
            }
            for (i, b) in spec.bodies.iter().enumerate() {
                for (j, a) in spec.bodies[..=i].iter().enumerate() {
                    if let Some(distance) = spec.thickness_for(j, i) {
                        out.push(p(
                            &format!("thickness of {} and {}", a.name, b.name),
                            format!("{distance}"),
                            "m",
                        ));
                    }
                }
            }
            out.push(p("qp.recovery", format!("{}", spec.qp.recovery), "m/s"));
            out.push(p("qp.tolerance", format!("{}", spec.qp.tolerance), ""));
        }
        Response::Volume => {
            let v = &spec.volume;
            let length = |l: Option<f64>, none: &str| l.map_or(none.to_string(), |l| format!("{l}"));
            out.push(p("volume.cell", length(v.measure.cell, "none"), "m"));
            out.push(p("volume.by_place", v.measure.tells_places().to_string(), ""));
            out.push(p("volume.pixel", length(v.measure.pixel, "exact"), "m"));
            if v.measure.cell.is_some() {
                let shared = v.measure.walls == impinge_world::Walls::Shared;
                out.push(p("volume.walls", if shared { "shared" } else { "carried" }.to_string(), ""));
            }
            if let Some(e) = v.measure.error {
                out.push(p("volume.error", format!("{e}"), ""));
            }
            out.push(p("volume.depth", format!("{}", v.depth), "m"));
            out.push(p("volume.recovery", length(v.recovery, "within a step"), "m/s"));
            out.push(p("volume.friction_at", format!("{:?}", v.friction_at), ""));
            out.push(p("volume.cone", if v.pyramid { "pyramid" } else { "round" }.to_string(), ""));
            out.push(p("volume.tolerance", format!("{}", v.tolerance), ""));
        }
        Response::VolumePenalty => {
            let v = &spec.volume_penalty;
            out.push(p("volume.stiffness", format!("{}", v.stiffness), "Pa/m³"));
            out.push(p("volume.viscosity", format!("{}", v.viscosity), "Pa·s/m³"));
            match v.friction {
                VolumeFriction::Viscous => out.push(p("volume.friction", "viscous".to_string(), "")),
                VolumeFriction::Bristles { stiffness, damping } => {
                    out.push(p("volume.friction", "bristles".to_string(), ""));
                    out.push(p("volume.bristle_stiffness", format!("{stiffness}"), "1/m"));
                    out.push(p("volume.bristle_damping", format!("{damping}"), "s"));
                }
            }
        }
        Response::Pressure => {
            out.push(p("pressure.step", spec.pressure.step.name().to_string(), ""));
            out.push(p("pressure.friction", format!("{:?}", spec.pressure.friction), ""));
            for b in spec.bodies.iter().filter(|b| b.pressure.is_some()) {
                let field = b.pressure.as_ref().map_or(0.0, |f| f.modulus);
                out.push(p(&format!("modulus of {}", b.name), format!("{field}"), "Pa"));
            }
        }
    }
    for pair in &spec.pairs {
        let [a, b] = &pair.materials;
        let law =
            format!("{:?}, μs {}, μk {}, damping {:?}", pair.stiffness, pair.mu_s, pair.mu_k, pair.damping);
        out.push(p(&format!("law {a} – {b}"), law, "N/m or N/m³"));
    }
    out.retain(|p| !p.value.is_empty());
    out
}
