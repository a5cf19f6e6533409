//! Figures of "Continuous penalty forces" (seed 000).
//!
//! The paper prints curves without their data and leaves sizes and masses open; what can be compared is the order of the
//! methods and what it says in words. The scenes are the `…-cpf` files, which state what was chosen.

use super::figure::{Curve, Figure, short};
use super::methods::{Keys, METHODS, curves, over, runs, table};
use super::series::{Run, largest, run, scene};
use impinge_cpf::{Force, Normalisation, Params, Particle};
use impinge_scene::Response;
use impinge_world::Cpf;
use std::path::Path;

/// What a figure needs: where the scenes are.
pub type Fixtures<'a> = Option<&'a Path>;

/// A figure's name and how to compute it.
pub type Entry = (&'static str, fn(Fixtures<'_>) -> Result<Figure, String>);

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
    let (mut out, mut said) = (Vec::new(), String::new());
    for method in METHODS {
        let spec = method.scene("stick-cpf", fixtures, &[], "")?;
        let mut points = Vec::new();
        let mut first = None;
        run(&spec, method.response, &["ball"], &["stick"], |sim| {
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
        said += &format!("{}: ({}, {}) m/s\n", method.name, short(v.x), short(v.z));
        out.push(Curve { name: method.name.into(), points });
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
        room: Some(1.4),
        curves: out,
    })
}

/// Fig. 11: |F| between octopus and bowl.
fn octopus(fixtures: Fixtures<'_>) -> Result<Figure, String> {
    let runs = runs("octopus-cpf", fixtures, "0.01", &["octopus"], &["bowl"])?;
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

type Rings<'a> = (&'static str, usize, Keys<'a>);

/// The force between rings and base under some of the forces, in a scene with keys.
fn rings(fixtures: Fixtures<'_>, cases: &[Rings<'_>]) -> Result<Vec<(&'static str, Run)>, String> {
    cases
        .iter()
        .map(|(name, method, keys)| {
            let method = METHODS[*method];
            let spec = method.scene("rings-cpf", fixtures, keys, "")?;
            Ok((*name, run(&spec, method.response, &["ring"], &["floor", "pin"], |_| Ok(()))?))
        })
        .collect()
}

/// Places in [`METHODS`].
const START: usize = 0;
const END: usize = 1;
const CONTINUOUS: usize = 3;

/// Fig. 15: stiffness.
fn rings_stiffness(fixtures: Fixtures<'_>) -> Result<Figure, String> {
    let (half, full): (Keys<'_>, Keys<'_>) = (&[("pair.0.stiffness", "4000.0")], &[]);
    let runs = rings(
        fixtures,
        &[
            ("discrete, start of step, 4000 N/m", START, half),
            ("discrete, end of step, 4000 N/m", END, half),
            ("continuous, 4000 N/m", CONTINUOUS, half),
            ("discrete, start of step, 8000 N/m", START, full),
            ("discrete, end of step, 8000 N/m", END, full),
            ("continuous, 8000 N/m", CONTINUOUS, full),
        ],
    )?;
    let mut said = format!("{}Over those of the continuous force of the same stiffness:", table(&runs));
    for of in [&runs[..3], &runs[3..]] {
        said += &over(&of[..2], &of[2].1);
    }
    Ok(Figure {
        id: "fig-15",
        title: "Fig. 15: force between rings and base for several stiffnesses, 1/30 s",
        paper: "Continuous forces behave well for all of them.",
        ours: said,
        x: "t [s]",
        y: "|F| [N]",
        log: false,
        room: None,
        curves: curves(&runs),
    })
}

/// Fig. 16: step.
fn rings_step(fixtures: Fixtures<'_>) -> Result<Figure, String> {
    let (third, fine): (Keys<'_>, Keys<'_>) =
        (&[("scene.dt", "0.011111111111111112")], &[("scene.dt", "0.001")]);
    let runs = rings(
        fixtures,
        &[
            ("discrete, start of step, 1/30 s", START, &[]),
            ("discrete, end of step, 1/30 s", END, &[]),
            ("discrete, start of step, 1/90 s", START, third),
            ("discrete, end of step, 1/90 s", END, third),
            ("discrete, start of step, 1 ms", START, fine),
            ("discrete, end of step, 1 ms", END, fine),
            ("continuous, 1/30 s", CONTINUOUS, &[]),
        ],
    )?;
    let [others @ .., (_, continuous)] = &runs[..] else { return Err("no runs".into()) };
    Ok(Figure {
        id: "fig-16",
        title: "Fig. 16: force between rings and base for several steps, 8000 N/m",
        paper: "A third of the step does not make the discrete force smooth; 0.1 ms does.",
        ours: format!(
            "{}Over those of the continuous force at 1/30 s:{}\n1 ms in place of 0.1 ms, which takes ten times as long.",
            table(&runs),
            over(others, continuous)
        ),
        x: "t [s]",
        y: "|F| [N]",
        log: false,
        room: None,
        curves: curves(&runs),
    })
}

/// Where the force of a particle on a spring is evaluated.
#[derive(Clone, Copy, PartialEq)]
pub enum At {
    /// The start of the step: symplectic Euler.
    Start,
    /// The predicted end of the step.
    End,
    /// All the way between: the continuous force.
    Path,
}

/// A particle of 1 kg that falls 0.1 m on a spring of 10 kN/m perturbed by so many per cent at twice its frequency, in steps of 2 ms for
/// 20 s: time and E/E₀ of every 20th step.
pub fn perturbed_energy(percent: f64, force: At) -> Result<Vec<(f64, f64)>, String> {
    let (m, k, g, x0, dt, steps) = (1.0, 1e4, 9.81, 0.1, 2e-3, 10_000);
    let particle = Particle::new(m, g, false).map_err(|e| e.to_string())?;
    let params = Params::new(dt, Normalisation::Constant).map_err(|e| e.to_string())?;
    let frequency = f64::sqrt(k / m);
    let (mut x, mut v, mut out) = (x0, 0.0, Vec::new());
    let start = particle.energy(x, v, k);
    for n in 0..steps {
        let phase: f64 = 2.0 * frequency * n as f64 * dt;
        let perturbed = k * (1.0 + percent / 100.0 * phase.sin());
        if force == At::Path {
            let s = particle.explicit(x, v, perturbed, &params);
            (x, v) = (s.x, s.v);
        } else {
            let seen = if force == At::Start { x } else { x + dt * (v - dt * g) };
            v += dt * (perturbed * f64::max(-seen, 0.0) / m - g);
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
        for (at, name) in
            [(At::Start, METHODS[START].name), (At::End, METHODS[END].name), (At::Path, "continuous")]
        {
            let points = perturbed_energy(percent, at)?;
            let name = format!("{name}, ±{percent} %");
            said += &format!("{name}: {}\n", short(points.last().map_or(0.0, |p| p.1)));
            if percent > 0.0 {
                out.push(Curve { name, points });
            }
        }
    }
    Ok(Figure {
        id: "perturbed",
        title: "Section 3.6: stiffness that is off, a particle on a spring",
        paper: "Symplectic Euler, the discrete force at the start of the step, blows up when the stiffness is perturbed by 25 %, the continuous one holds up to 70 %.",
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
        "Two stiffnesses; box-rest-map has others. Largest kinetic energy in the second half:\n",
    );
    for k in ["130", "190"] {
        for method in METHODS {
            let spec = method.scene("box-rest", fixtures, &[("pair.0.stiffness", k)], "")?;
            let r = run(&spec, method.response, &["box"], &["floor"], |_| Ok(()))?;
            let late = largest(&r.kinetic[r.kinetic.len() / 2..]);
            let name = format!("{}, {k} N/m", method.name);
            said += &format!("{name}: {} J\n", short(late));
            out.push(Curve { name, points: r.kinetic });
        }
    }
    said += "The discrete force of the start of the step takes no energy away, and the box rocks on. That of the end and the continuous one are \
             evaluated on the predicted motion: both take energy away while contacts stay, and both jitter at the same stiffness, where they come and go.";
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
