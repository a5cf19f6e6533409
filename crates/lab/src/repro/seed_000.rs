//! Figures of "Continuous penalty forces" (seed 000).
//!
//! The paper prints curves without their data and leaves sizes and masses open; what can be compared is the order of the
//! methods and what it says in words. The scenes are the `…-cpf` files, which state what was chosen.

use super::figure::{Curve, Figure, short};
use super::series::{JITTER, Run, alternation, largest, mean, roughness, run, scene, variation};
use impinge_cpf::{Force, Normalisation, Params, Particle};
use impinge_scene::{Response, SceneSpec};
use impinge_world::Cpf;
use std::path::Path;

/// What a figure needs: where the scenes are.
pub type Fixtures<'a> = Option<&'a Path>;

/// A figure's name and how to compute it.
pub type Entry = (&'static str, fn(Fixtures<'_>) -> Result<Figure, String>);

/// Keys of a scene and their values.
type Keys<'a> = &'a [(&'a str, &'a str)];

/// All figures of the paper that can be computed.
pub const FIGURES: &[Entry] = &[
    ("fig-6", normals),
    ("fig-9", stick),
    ("fig-11", octopus),
    ("fig-15", rings_stiffness),
    ("fig-16", rings_step),
    ("perturbed", perturbed),
    ("box", resting_box),
];

/// The methods of Fig. 8, in its order.
pub const METHODS: [(Response, &str); 3] = [
    (Response::PENALTY, "discrete"),
    (Response::DPF_CCD, "discrete, features from CCD"),
    (Response::CPF, "continuous"),
];

/// What the paper's discrete force was computed with: the framework's detection by proximity (§5), below a distance that it calls
/// collision tolerance.
pub const NEAR: &str = "discrete, by proximity";

/// A scene with that detection for the discrete force, below this distance (m).
pub fn near_scene(
    name: &str,
    fixtures: Fixtures<'_>,
    keys: Keys<'_>,
    below: &str,
) -> Result<SceneSpec, String> {
    scene(name, fixtures, &[keys, &[("penalty.proximity", below)]].concat())
}

/// What is compared: the discrete force by proximity, in a scene of its own, and the three methods.
pub fn compared<'a>(near: &'a SceneSpec, spec: &'a SceneSpec) -> [(&'a SceneSpec, Response); 4] {
    let [a, b, c] = METHODS.map(|(response, _)| (spec, response));
    [(near, Response::PENALTY), a, b, c]
}

/// A scene under the discrete force by proximity below this distance (m), and under the three methods.
pub fn all_methods(
    name: &str,
    fixtures: Fixtures<'_>,
    below: &str,
    first: &[&str],
    second: &[&str],
) -> Result<Vec<(&'static str, Run)>, String> {
    let near = near_scene(name, fixtures, &[], below)?;
    let spec = scene(name, fixtures, &[])?;
    let mut runs = Vec::new();
    let names = [NEAR].into_iter().chain(METHODS.map(|m| m.1));
    for ((spec, response), name) in compared(&near, &spec).into_iter().zip(names) {
        runs.push((name, run(spec, response, first, second, |_| Ok(()))?));
    }
    Ok(runs)
}

/// A line for each run: what its force jitters, how large it is and how deep bodies are, step time.
pub fn table(runs: &[(&str, Run)]) -> String {
    let mut out = String::from(
        "Total variation of |F|, its roughness (sum of second differences), its alternation (the smaller of the two steps at each turn), peak \
         and mean, greatest depth, median wall time of a step:\n",
    );
    for (name, r) in runs {
        let (v, p, m) = (variation(&r.force), largest(&r.force), mean(&r.force));
        out += &format!(
            "{name}: {} N, {} N, {} N, {} N, {} N, {} m, {} ms{}\n",
            short(v),
            short(roughness(&r.force)),
            short(alternation(&r.force)),
            short(p),
            short(m),
            short(largest(&r.depth)),
            short(r.step_time * 1e3),
            r.stopped.as_ref().map_or(String::new(), |s| format!("; stopped: {s}"))
        );
    }
    if let [others @ .., (last, c)] = runs
        && *last == METHODS[2].1
    {
        out += "Over those of the continuous force:";
        for (name, r) in others {
            let of = JITTER.map(|(what, of)| format!("{what} {}", short(of(&r.force) / of(&c.force))));
            out += &format!("\n{name}: {}", of.join(", "));
        }
    }
    out
}

pub fn curves(runs: &[(&str, Run)]) -> Vec<Curve> {
    runs.iter().map(|(n, r)| Curve { name: (*n).into(), points: r.force.clone() }).collect()
}

/// Fig. 6: the force with L_k against the one with |m(t)|, from the same states.
fn normals(fixtures: Fixtures<'_>) -> Result<Figure, String> {
    let spec = scene("chain-cpf", fixtures, &[])?;
    let response = spec.with_settings(Response::CPF);
    let of_scene = *response.settings::<Cpf>().ok_or("the scene has no settings of cpf")?;
    let with =
        |normalisation| Cpf { force: Force::Integrated, normalisation, friction_along: false, ..of_scene };
    let exact = with(Normalisation::Exact { tolerance: 1e-9 });
    let constant = with(Normalisation::Constant);
    let mut points = Vec::new();
    let r = run(&spec, Response::CPF, &["link"], &["link", "box", "hook"], |sim| {
        let total = |sim: &mut impinge_world::Simulation, response| -> Result<f64, String> {
            let before = sim.snapshot();
            sim.swap_response(response).map_err(|e| e.to_string())?;
            let ok = sim.step().is_ok();
            let pressed =
                if ok { sim.ledger().pairs.pressed.iter().sum::<f64>() / sim.dt() } else { f64::NAN };
            sim.restore(&before)?;
            Ok(pressed)
        };
        let (l, e) = (total(sim, constant)?, total(sim, exact)?);
        if e > 0.0 {
            points.push((sim.time(), 100.0 * (l / e - 1.0).abs()));
        }
        Ok(())
    })?;
    let mut sorted: Vec<f64> = points.iter().map(|p| p.1).collect();
    sorted.sort_by(f64::total_cmp);
    let at =
        |q: f64| sorted.get((sorted.len().saturating_sub(1) as f64 * q) as usize).copied().unwrap_or(0.0);
    Ok(Figure {
        id: "fig-6",
        title: "Fig. 6: the constant L_k against the exact normal, chain",
        paper: "The magnitude of the contact force differs by 4.2 % to 8.1 %.",
        ours: format!(
            "Every step computed twice from the same state; all normal forces added up. Median {} %, nine in ten below {} %, largest \
             {} %. Links here are rigid and turn slowly within a step, so their normals keep their length.{}",
            short(at(0.5)),
            short(at(0.9)),
            short(at(1.0)),
            r.stopped.map_or(String::new(), |s| format!(" Stopped: {s}"))
        ),
        x: "t [s]",
        y: "difference [%]",
        log: false,
        room: None,
        curves: vec![Curve { name: "| F(L_k) / F(|m|) − 1 |".into(), points }],
    })
}

/// Fig. 9: where the ball goes.
fn stick(fixtures: Fixtures<'_>) -> Result<Figure, String> {
    let spec = scene("stick-cpf", fixtures, &[])?;
    let (mut out, mut said) = (Vec::new(), String::new());
    for (response, label) in METHODS {
        let mut points = Vec::new();
        let mut first = None;
        run(&spec, response, &["ball"], &["stick"], |sim| {
            let slot = sim.slot("ball").ok_or("no body 'ball'")?;
            let p = sim.position(slot);
            points.push((p.x, p.z));
            let v = sim.twist(slot).velocity;
            if (sim.time() - 0.45).abs() < 0.5 * sim.dt() {
                first = Some(v);
            }
            Ok(())
        })?;
        let v = first.unwrap_or_default();
        said += &format!("{label}: ({}, {}) m/s\n", short(v.x), short(v.z));
        out.push(Curve { name: label.into(), points });
    }
    Ok(Figure {
        id: "fig-9",
        title: "Fig. 9: a ball bounces off a stick",
        paper: "At t = 0.45 s they have collided. With the continuous force the ball bounces upwards, with the discrete force sideways.",
        ours: format!(
            "Velocity of the ball at t = 0.45 s (x, z):\n{said}A mirror would send it at (2.6, 3.6) m/s."
        ),
        x: "x [m]",
        y: "z [m]",
        log: false,
        room: None,
        curves: out,
    })
}

/// Fig. 11: |F| between octopus and bowl.
fn octopus(fixtures: Fixtures<'_>) -> Result<Figure, String> {
    let runs = all_methods("octopus-cpf", fixtures, "0.01", &["octopus"], &["bowl"])?;
    Ok(Figure {
        id: "fig-11",
        title: "Fig. 11: force between the soft octopus and the bowl",
        paper: "More stable with continuous than with discrete forces.",
        ours: format!(
            "{}\nThe paper states no tolerance for this scene: proximity acts below 10 mm, and between octopus and bowl alone. All at the same stiffness, which is several times as stiff on tracked features, which count vertices of both \
             surfaces and edges, as for the vertices of one surface that the discrete response looks at.",
            table(&runs)
        ),
        x: "t [s]",
        y: "|F| [N]",
        log: false,
        room: None,
        curves: curves(&runs),
    })
}

fn rings(
    fixtures: Fixtures<'_>,
    cases: &[(&'static str, Response, Keys<'_>)],
) -> Result<Vec<(&'static str, Run)>, String> {
    cases
        .iter()
        .map(|(name, response, keys)| {
            let spec = scene("rings-cpf", fixtures, keys)?;
            Ok((*name, run(&spec, *response, &["ring"], &["floor", "pin"], |_| Ok(()))?))
        })
        .collect()
}

/// Fig. 15: stiffness.
fn rings_stiffness(fixtures: Fixtures<'_>) -> Result<Figure, String> {
    let (half, full): (Keys<'_>, Keys<'_>) = (&[("pair.0.stiffness", "4000.0")], &[]);
    let runs = rings(
        fixtures,
        &[
            ("discrete, 4000 N/m", Response::PENALTY, half),
            ("continuous, 4000 N/m", Response::CPF, half),
            ("discrete, 8000 N/m", Response::PENALTY, full),
            ("continuous, 8000 N/m", Response::CPF, full),
        ],
    )?;
    Ok(Figure {
        id: "fig-15",
        title: "Fig. 15: force between rings and base for several stiffnesses, 1/30 s",
        paper: "Continuous forces behave well for all of them.",
        ours: table(&runs),
        x: "t [s]",
        y: "|F| [N]",
        log: false,
        room: None,
        curves: curves(&runs),
    })
}

/// Fig. 16: step.
fn rings_step(fixtures: Fixtures<'_>) -> Result<Figure, String> {
    let runs = rings(
        fixtures,
        &[
            ("continuous, 1/30 s", Response::CPF, &[]),
            ("discrete, 1/30 s", Response::PENALTY, &[]),
            ("discrete, 1/90 s", Response::PENALTY, &[("scene.dt", "0.011111111111111112")]),
            ("discrete, 1 ms", Response::PENALTY, &[("scene.dt", "0.001")]),
        ],
    )?;
    Ok(Figure {
        id: "fig-16",
        title: "Fig. 16: force between rings and base for several steps, 8000 N/m",
        paper: "A third of the step does not make the discrete force smooth; 0.1 ms does.",
        ours: format!("{}\n1 ms in place of 0.1 ms, which takes ten times as long.", table(&runs)),
        x: "t [s]",
        y: "|F| [N]",
        log: false,
        room: None,
        curves: curves(&runs),
    })
}

/// A particle of 1 kg that falls 0.1 m on a spring of 10 kN/m perturbed by so many per cent at twice its frequency, in steps of 2 ms for
/// 20 s: time and E/E₀ of every 20th step.
pub fn perturbed_energy(percent: f64, continuous: bool) -> Result<Vec<(f64, f64)>, String> {
    let (m, k, g, x0, dt, steps) = (1.0, 1e4, 9.81, 0.1, 2e-3, 10_000);
    let particle = Particle::new(m, g, false).map_err(|e| e.to_string())?;
    let params = Params::new(dt, Normalisation::Constant).map_err(|e| e.to_string())?;
    let frequency = f64::sqrt(k / m);
    let (mut x, mut v, mut out) = (x0, 0.0, Vec::new());
    let start = particle.energy(x, v, k);
    for n in 0..steps {
        let phase: f64 = 2.0 * frequency * n as f64 * dt;
        let perturbed = k * (1.0 + percent / 100.0 * phase.sin());
        if continuous {
            let s = particle.explicit(x, v, perturbed, &params);
            (x, v) = (s.x, s.v);
        } else {
            // Symplectic Euler with the force at the start of the step.
            v += dt * (perturbed * f64::max(-x, 0.0) / m - g);
            x += dt * v;
        }
        if n % 20 == 0 {
            out.push((n as f64 * dt, particle.energy(x, v, k) / start));
        }
    }
    Ok(out)
}

/// The 1-D experiment of section 3.6: a particle on a spring whose stiffness is not well known.
fn perturbed(_: Fixtures<'_>) -> Result<Figure, String> {
    let mut out = Vec::new();
    let mut said = String::from("Energy at the end over that at the start:\n");
    for percent in [0.0, 15.0, 25.0, 70.0] {
        for continuous in [false, true] {
            let points = perturbed_energy(percent, continuous)?;
            let name = format!("{}, ±{percent} %", if continuous { "continuous" } else { "discrete" });
            said += &format!("{name}: {}\n", short(points.last().map_or(0.0, |p| p.1)));
            if percent > 0.0 {
                out.push(Curve { name, points });
            }
        }
    }
    Ok(Figure {
        id: "perturbed",
        title: "Section 3.6: stiffness that is off, a particle on a spring",
        paper: "The discrete scheme blows up when the stiffness is perturbed by 25 %, the continuous one holds up to 70 %.",
        ours: format!("1 kg, 10 kN/m, 0.1 m, 2 ms, perturbation at twice the spring's frequency. {said}"),
        x: "t [s]",
        y: "E / E₀",
        log: true,
        room: None,
        curves: out,
    })
}

/// Section 5.1: a box that should come to rest.
fn resting_box(fixtures: Fixtures<'_>) -> Result<Figure, String> {
    let mut out = Vec::new();
    let mut said = String::from(
        "Not at these two stiffnesses; box-rest-map has those between. Largest kinetic energy in the second half:\n",
    );
    for k in ["130", "190"] {
        let spec = scene("box-rest", fixtures, &[("pair.0.stiffness", k)])?;
        for (response, label) in METHODS {
            let r = run(&spec, response, &["box"], &["floor"], |_| Ok(()))?;
            let late = largest(&r.kinetic[r.kinetic.len() / 2..]);
            let name = format!("{label}, {k} N/m");
            said += &format!("{name}: {} J\n", short(late));
            out.push(Curve { name, points: r.kinetic });
        }
    }
    said += "Both forces are evaluated on the predicted motion, and both take energy away while contacts stay; both jitter at the same \
             stiffness, where they come and go.";
    Ok(Figure {
        id: "box",
        title: "Section 5.1: a box on a plane",
        paper: "It comes to rest with continuous forces; with discrete ones jitter keeps it from stopping.",
        ours: said,
        x: "t [s]",
        y: "kinetic energy [J]",
        log: true,
        room: None,
        curves: out,
    })
}
