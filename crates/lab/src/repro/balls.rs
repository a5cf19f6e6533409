//! SimBenchmark's "666": 6³ balls of 10 kg fall onto the floor and each other without bouncing; how deep against what it costs.
//!
//! Of no paper. There is no closed form: what must hold whatever the response (weight, momentum, energy) is expected of each run,
//! and a run that does not keep it is named as one; how deep they sink is the curve.

use super::figure::{Curve, Figure};
use super::seed_000::{Entry, Fixtures};
use impinge_cli::runner::{self, End, Run};
use impinge_geometry::{DVec3, TriMesh, generators};
use impinge_scene::{Response, SceneSpec};
use impinge_world::{NewtonReport, PressureReport, QpReport, Simulation, VolumeReport};
use std::fmt::Write as _;
use std::path::Path;

/// The figure.
pub const FIGURES: &[Entry] = &[("balls-666", |_: Fixtures<'_>| figure())];

/// Balls along an edge of the cube.
const EDGE: usize = 6;
/// Radius (m), middle to middle (m), height of the lowest middles (m), mass (kg).
const RADIUS: f64 = 0.1;
const SPACING: f64 = 0.21;
const LOWEST: f64 = 0.101;
const MASS: f64 = 10.0;
const GRAVITY: f64 = 9.81;
/// Subdivisions of the icosahedron: 162 vertices.
const SUBDIVISIONS: u32 = 2;
/// Simulated time (s), and from when on the pile lies.
const DURATION: f64 = 0.6;
const LIES: f64 = 0.5;
/// Steps (s).
const STEPS: [f64; 4] = [4e-3, 2e-3, 1e-3, 5e-4];

/// `edge`³ balls. A face of each looks down and one up, so that the columns stand on facets as those of round balls stand on points; all
/// that is stiff grows with 1/Δt², as far as a step can follow it.
fn scene(edge: usize, dt: f64) -> Result<SceneSpec, String> {
    let grows = (1e-3 / dt).powi(2);
    // Six such contacts between two balls: k n Δt²/m = 0.06 and, with half of 10 kg, damped critically.
    let stiffness = 1e5 * grows;
    let damping = 2.0 * (stiffness * 0.5 * MASS / 6.0).sqrt();
    // 590 N on the lowest balls: 2 mm, by V = π R d²/2 and F = k V π R d; the same damping.
    let volume = 1.5e12 * grows;
    let weight = (edge * edge * edge) as f64 * MASS * GRAVITY;
    let mut text = format!(
        "[scene]\ntitle = \"Balls\"\ndt = {dt:e}\nduration = {DURATION}\n\
         [qp]\nthickness = 1e-4\n\
         [volume]\nstiffness = {volume:e}\nviscosity = {:e}\n\
         [pressure]\nenergy = true\n\
         [[material]]\nname = \"any\"\n\
         [[pair]]\nmaterials = [\"*\", \"*\"]\nstiffness = {stiffness:e}\ndamping = {{ kelvin_voigt = {damping:e} }}\n\
         [[body]]\nname = \"floor\"\nkind = \"fixed\"\nmaterial = \"any\"\nplane = {{}}\n",
        5.0 * dt * volume,
    );
    for i in 0..edge {
        for j in 0..edge {
            let [x, y] = [i, j].map(|k| SPACING * (k as f64 - 0.5 * (edge as f64 - 1.0)));
            let _ = write!(
                text,
                "[[body]]\nname = \"ball-{i}{j}\"\nmaterial = \"any\"\nmass = {MASS}\n\
                 mesh = {{ icosphere = {{ radius = {RADIUS}, subdivisions = {SUBDIVISIONS} }} }}\n\
                 pressure = {{ modulus = {:e}, field = \"distance\", resolution = 0.05, dissipation = 20.0 }}\n\
                 position = [{x}, {y}, {LOWEST}]\nrotation = {{ axis = [1.0, -1.0, 0.0], degrees = 54.735610317245346 }}\n\
                 copies = {{ count = {edge}, offset = [0.0, 0.0, {SPACING}] }}\n",
                1e7 * grows,
            );
        }
    }
    for (name, rest) in [
        ("finite", "measure = \"finite\"\nmin = 1".to_string()),
        // Rounding: of the impulses of the whole run.
        ("momentum", format!("measure = \"momentum_residual\"\nmax = {:e}", 1e-12 * weight * DURATION)),
        ("energy", "measure = \"energy_growth\"\nmax = 0.05".to_string()),
        (
            "weight",
            format!(
                "measure = \"contact_force.z\"\nbody = \"floor\"\nwindow = [{LIES}, {DURATION}]\nvalue = {:e}\nrel = 0.01",
                -weight
            ),
        ),
    ] {
        let _ = write!(text, "[[expect]]\nname = \"{name}\"\nevery_response = true\n{rest}\n");
    }
    SceneSpec::from_str(&text, Path::new("balls-666")).map_err(|e| e.to_string())
}

/// How deep balls are in each other and in the floor, all of them together (m): along the line of their middles, or down, by how far their
/// meshes reach there. The same measure for all responses, whose own depths are of different things.
fn sunk(sim: &Simulation, mesh: &TriMesh) -> f64 {
    let poses: Vec<_> = (0..sim.names().len() as u32)
        .filter(|&b| sim.names()[b as usize] != "floor")
        .map(|b| sim.pose(b))
        .collect();
    let reach = |k: usize, way: DVec3| {
        let way = poses[k].vector_to_body(way);
        mesh.positions().iter().map(|p| p.dot(way)).fold(0.0, f64::max)
    };
    let mut sum = 0.0;
    for i in 0..poses.len() {
        // The height of the middle is a bound: most balls are far from the floor.
        let height = poses[i].position.z;
        if height < RADIUS {
            sum += (reach(i, -DVec3::unit_z()) - height).max(0.0);
        }
        for j in 0..i {
            let way = poses[j].position - poses[i].position;
            let apart = way.mag();
            if apart < 2.0 * RADIUS && apart > 0.0 {
                let way = way / apart;
                sum += (reach(i, way) + reach(j, -way) - apart).max(0.0);
            }
        }
    }
    sum
}

/// Iterations of the last step that solve for contact, and what they are; none where there is nothing to solve.
fn iterations(sim: &Simulation) -> Option<(u32, &'static str)> {
    Some(match sim.response().name() {
        "qp" => (sim.column::<QpReport>().iterations, "linear systems"),
        "volume" => (sim.column::<VolumeReport>().iterations, "iterations"),
        "pressure" => (sim.column::<PressureReport>().iterations, "Newton iterations"),
        "cpf-implicit" => (sim.column::<NewtonReport>().iterations, "Newton iterations"),
        _ => return None,
    })
}

/// What came of one run.
struct Pile {
    /// Metres, over all contacts, times seconds.
    integral: f64,
    /// Seconds on one thread, of the steps alone.
    seconds: f64,
    iterations: Option<(u64, &'static str)>,
    /// Gravity's, above that of balls that lie on each other without sinking in (J).
    potential: f64,
    /// What it did not keep.
    missed: Vec<String>,
    stopped: Option<String>,
}

fn pile(edge: usize, dt: f64, response: Response) -> Result<Pile, String> {
    let spec = scene(edge, dt)?;
    let mesh = generators::icosphere(RADIUS, SUBDIVISIONS).map_err(|e| e.to_string())?;
    let (mut integral, mut count) = (0.0, None);
    let run: Run = runner::run(&spec, response, false, true, |sim| {
        integral += sunk(sim, &mesh) * dt;
        if let Some((n, what)) = iterations(sim) {
            count = Some((count.map_or(0, |c: (u64, &str)| c.0) + u64::from(n), what));
        }
        true
    })?;
    // A face looks down: the balls lie where their faces meet.
    let down = DVec3::new(1.0, 1.0, 1.0).normalized();
    let half = mesh.positions().iter().map(|p| p.dot(down)).fold(0.0, f64::max);
    let layer = (edge * edge) as f64 * MASS * GRAVITY;
    let lying: f64 = (0..edge).map(|k| layer * half * (2 * k + 1) as f64).sum();
    let missed = run.checks.iter().filter(|c| !c.verdict.is_as_expected());
    Ok(Pile {
        integral,
        seconds: run.times.total().as_secs_f64(),
        iterations: count,
        potential: run.sim.energy().gravity - lying,
        missed: missed
            .map(|c| format!("{}: {:.3e} {} (expected {})", c.name, c.measured, c.unit, c.expected))
            .collect(),
        stopped: match &run.end {
            End::Stopped(e) => Some(e.to_string()),
            End::Completed | End::Interrupted => None,
        },
    })
}

fn figure() -> Result<Figure, String> {
    // Seconds of different machines are not alike anyway; those of one thread are of the work alone.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|e| e.to_string())?;
    let mut ours = format!(
        "{EDGE}³ balls of {} triangles, no friction, columns that stand; {DURATION} s. Stiffness is 1e5 N/m a contact, 1.5e12 Pa/m³ and a modulus of 1e7 Pa \
         with steps of 1 ms, and grows with 1/Δt²; the thickness of qp and the depth of volume are 0.1 mm throughout. Depth is that of the meshes along the \
         line of the middles, summed over all pairs. Each run is expected to keep momentum (1e-12 of all impulses), to gain no energy (5 %), and to bear \
         the weight (1 %) from {LIES} s on.\nResponse, step: ∫depth dt; seconds on one thread; iterations; potential energy at the end, above balls that just touch\n",
        generators::icosphere(RADIUS, SUBDIVISIONS).map_err(|e| e.to_string())?.triangles().len()
    );
    let mut curves = Vec::new();
    for response in Response::ALL {
        let mut points = Vec::new();
        for dt in STEPS {
            let name = format!("{}, {} ms", response.name(), 1e3 * dt);
            let pile = match pool.install(|| pile(EDGE, dt, *response)) {
                Ok(pile) => pile,
                Err(reason) => {
                    let _ = writeln!(ours, "{}: none ({})", response.name(), runner::without_file(&reason));
                    break;
                }
            };
            if let Some(reason) = &pile.stopped {
                let _ = writeln!(ours, "{name}: stopped ({reason})");
                continue;
            }
            if !pile.missed.is_empty() {
                let _ = writeln!(ours, "{name}: MISSED {}", pile.missed.join("; "));
            }
            let count = pile.iterations.map_or("–".to_string(), |(n, what)| format!("{n} {what}"));
            let _ = writeln!(
                ours,
                "{name}: {:.2e} m s; {:.2} s; {count}; {:.2} J",
                pile.integral, pile.seconds, pile.potential
            );
            points.push((pile.seconds.log10(), pile.integral));
        }
        curves.push(Curve { name: response.name().into(), points });
    }
    Ok(Figure {
        id: "balls-666",
        title: "SimBenchmark's 666: penetration of 216 balls against cost",
        paper: "SimBenchmark draws the integral of penetration against wall time for rigid-body engines; no number of it is taken here.",
        ours,
        x: "log₁₀ of the seconds on one thread [1]",
        y: "∫ depth dt [m s]",
        log: true,
        room: None,
        curves,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_pile_keeps_what_it_must_and_sinks_in_as_its_law_says() {
        let of = |dt, response| pile(2, dt, response).unwrap();
        let (coarse, fine) = (of(4e-3, Response::PENALTY), of(1e-3, Response::PENALTY));
        let volume = of(4e-3, Response::VOLUME);
        for p in [&coarse, &fine, &volume] {
            assert!(p.missed.is_empty() && p.stopped.is_none(), "{:?} {:?}", p.missed, p.stopped);
        }
        // Sixteen times as stiff.
        assert!(coarse.integral > 4.0 * fine.integral && fine.integral > 0.0);
        assert!(coarse.potential < fine.potential && fine.potential < 0.1, "{}", fine.potential);
        assert!(coarse.iterations.is_none() && volume.iterations.is_some_and(|(n, _)| n > 0));
    }
}
