//! How each response approaches a known answer: with shorter steps, with finer meshes, with stiffer contacts.
//!
//! Of no paper: the papers show no such curves. The scenes are those of `verify`, so that what is expected stands there.

use super::figure::{Curve, Figure};
use super::seed_000::{Entry, Fixtures};
use crate::fixtures::beside_scenes;
use impinge_cli::runner;
use impinge_scene::{Response, SceneSpec};
use impinge_world::Simulation;
use rayon::prelude::*;

/// The figures.
pub const FIGURES: &[Entry] =
    &[("convergence-step", steps), ("convergence-mesh", meshes), ("convergence-stiffness", stiffnesses)];

/// A response with the errors it came to, or why there is none.
type Row = (Response, Vec<Result<f64, String>>);

/// A scene of `fixtures/verify` with keys set.
fn test(name: &str, fixtures: Fixtures<'_>, keys: &[(&str, String)]) -> Result<SceneSpec, String> {
    let file = beside_scenes(fixtures, "verify")?.join(name);
    let keys: Vec<(&str, &str)> = keys.iter().map(|(k, v)| (*k, v.as_str())).collect();
    SceneSpec::load_with(&file, &keys).map_err(|e| e.to_string())
}

/// The responses with the error of each of `values`: `scene` makes the test, `error` runs it.
fn rows(
    values: &[f64],
    scene: impl Fn(f64) -> Result<SceneSpec, String>,
    error: impl Fn(&SceneSpec, Response) -> Result<f64, String> + Sync,
) -> Result<Vec<Row>, String> {
    let scenes = values.iter().map(|&v| scene(v)).collect::<Result<Vec<_>, _>>()?;
    // The runs are small: one beside the other.
    let one = |&r: &Response| (r, scenes.par_iter().map(|s| error(s, r)).collect());
    Ok(Response::ALL.par_iter().map(one).collect())
}

/// Runs to the end, calling `look` after each step.
fn run(
    spec: &SceneSpec,
    response: Response,
    mut look: impl FnMut(&Simulation),
) -> Result<Simulation, String> {
    let mut sim = spec.simulation_with(response).map_err(|e| e.to_string())?;
    for _ in 0..spec.steps() {
        sim.step().map_err(|e| e.to_string())?;
        look(&sim);
    }
    Ok(sim)
}

/// The moving body.
fn body(sim: &Simulation, name: &str) -> Result<u32, String> {
    sim.slot(name).ok_or_else(|| format!("the scene has no body '{name}'"))
}

/// Halvings of 4 ms.
fn steps(fixtures: Fixtures<'_>) -> Result<Figure, String> {
    let dts: Vec<f64> = (0..6).map(|i| 4e-3 / f64::from(1 << i)).collect();
    let way = 25.0 / (2.0 * 0.5 * 9.81);
    let scene = |dt| test("stopping.toml", fixtures, &[("scene.dt", format!("{dt:e}"))]);
    let found = rows(&dts, scene, |spec, r| {
        let sim = run(spec, r, |_| {})?;
        Ok((sim.position(body(&sim, "box")?).x / way - 1.0).abs())
    })?;
    Ok(figure(
        "convergence-step",
        "Convergence with the step: the way of a box that slides to rest",
        "A box with 5 m/s and friction 0.5 stops after v²/(2μg) (B27). Error of the way, relative, against halvings of a step of 4 ms.",
        "halvings of Δt from 4 ms",
        "|x/x₀ − 1|",
        &dts,
        &found,
        |dt| format!("{dt:e} s"),
    ))
}

/// Doublings of the vertices around a ball.
fn meshes(fixtures: Fixtures<'_>) -> Result<Figure, String> {
    let segments: Vec<f64> = (0..5).map(|i| f64::from(32 << i)).collect();
    let expected = 5.0 / 7.0 * 9.81 * (15.0f64).to_radians().sin();
    let scene = |n: f64| {
        let keys = [("body.1.mesh.uv_sphere.segments", n.to_string()), ("scene.dt", "5e-4".into())];
        test("long/rolling.toml", fixtures, &keys)
    };
    let found = rows(&segments, scene, |spec, r| {
        let mut early = None;
        let sim = run(spec, r, |sim| {
            if early.is_none() && sim.time() >= 0.05 {
                early = body(sim, "ball").ok().map(|b| (sim.time(), sim.twist(b).velocity.y));
            }
        })?;
        let (time, speed) = early.ok_or("the run is too short")?;
        let late = sim.twist(body(&sim, "ball")?).velocity.y;
        Ok(((late - speed) / (sim.time() - time) / expected - 1.0).abs())
    })?;
    Ok(figure(
        "convergence-mesh",
        "Convergence with the mesh: a ball that rolls down 15°",
        "A ball rolls with (5/7) g sin 15° (B28); its mesh touches with the polygon around it. Error of the acceleration, relative, against \
         doublings of the polygon's 32 corners.",
        "doublings of the corners from 32",
        "|a/a₀ − 1|",
        &segments,
        &found,
        |n| format!("{n} corners"),
    ))
}

/// Factors of ten of whatever makes a response's contacts stiff.
fn stiffnesses(fixtures: Fixtures<'_>) -> Result<Figure, String> {
    let factors: Vec<f64> = (0..4).map(|i| 10f64.powi(i)).collect();
    let scene = |f: f64| {
        let keys = [
            ("pair.0.stiffness", format!("{:e}", 1e3 * f)),
            ("volume.stiffness", format!("{:e}", 1e9 * f)),
            ("volume.depth", format!("{:e}", 1e-4 / f)),
            ("qp.thickness", format!("{:e}", 1e-3 / f)),
            ("body.1.pressure.modulus", format!("{:e}", 1e5 * f)),
            ("body.1.velocity", "[0.0, 0.0, 0.0]".into()),
            ("scene.dt", "2e-4".into()),
        ];
        test("stopping.toml", fixtures, &keys)
    };
    let found = rows(&factors, scene, |spec, r| {
        let sim = run(spec, r, |_| {})?;
        Ok((sim.position(body(&sim, "box")?).z - 0.05).abs())
    })?;
    Ok(figure(
        "convergence-stiffness",
        "Convergence with stiffness: how far a box at rest is from the floor's height",
        "A box of 1 kg and 0.1 m, after 1.5 s. What is multiplied by ten: stiffness of a contact from 1e3 N/m (penalty, cpf, dpf-ccd, cpf-implicit), \
         modulus from 1e5 Pa (pressure), k of ½kV² from 1e9 Pa/m³ (volume-penalty); what is divided: thickness from 1 mm (qp), resting depth from 0.1 mm (volume).",
        "powers of ten",
        "|z − z₀| [m]",
        &factors,
        &found,
        |f| format!("× {f}"),
    ))
}

fn figure(
    id: &'static str,
    title: &'static str,
    what: &str,
    x: &'static str,
    y: &'static str,
    values: &[f64],
    found: &[Row],
    name: impl Fn(f64) -> String,
) -> Figure {
    let (first, last) = (values[0], values[values.len() - 1]);
    let mut ours =
        format!("{what}\nAt {} and {}, and the power of the last step:\n", name(first), name(last));
    let factor = (last / values[values.len() - 2]).ln().abs();
    let mut curves = Vec::new();
    for (response, errors) in found {
        let number = |e: &Result<f64, String>| e.as_ref().copied().unwrap_or(f64::NAN);
        let [.., before, end] = &errors[..] else { continue };
        let told = |e: &Result<f64, String>| match e {
            Ok(e) => format!("{e:.1e}"),
            Err(reason) => format!("none ({})", runner::without_file(reason).lines().next().unwrap_or("")),
        };
        let power = (number(before) / number(end)).ln() / factor;
        let power = if power.is_finite() { format!("{power:.2}") } else { "–".into() };
        ours += &format!("{}: {}, {}; {power}\n", response.name(), told(&errors[0]), told(end));
        // Zero has no place on a logarithmic axis: a gap.
        let points = errors.iter().map(number).enumerate();
        let points = points.map(|(i, e)| (i as f64, if e > 0.0 { e } else { f64::NAN })).collect();
        curves.push(Curve { name: response.name().into(), points });
    }
    // The legend stands to the right of the curves.
    let room = Some(values.len() as f64);
    Figure { id, title, paper: "No such curve in any of the papers.", ours, x, y, log: true, room, curves }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_those_of_the_errors_and_what_was_not_reached_is_said() {
        let found = vec![
            (Response::QP, vec![Ok(4e-2), Ok(1e-2), Ok(2.5e-3)]),
            (Response::CPF, vec![Ok(1e-3), Err("stopped".into()), Err("stopped".into())]),
            (Response::PENALTY, vec![Ok(1e-3), Ok(0.0), Ok(0.0)]),
        ];
        let f = figure("f", "T", "W", "x", "y", &[4.0, 2.0, 1.0], &found, |v| format!("{v} s"));
        assert!(f.ours.contains("At 4 s and 1 s"), "{}", f.ours);
        assert!(f.ours.contains("qp: 4.0e-2, 2.5e-3; 2.00"), "{}", f.ours);
        assert!(f.ours.contains("cpf: 1.0e-3, none (stopped); –"), "{}", f.ours);
        assert!(f.curves[2].points[1].1.is_nan() && f.curves[2].points[0].1 == 1e-3);
    }
}
