//! What "Continuous penalty forces" leaves to future work (section 6): the method beside constraints on the same pair, and a
//! penalty method without numerical damping (section 3.6).

use super::figure::{Curve, Figure, short};
use super::seed_000::{Entry, Fixtures};
use super::series::{largest, mean, run, scene};
use impinge_scene::Response;

/// The figures of these two questions.
pub const FIGURES: &[Entry] = &[("beside", beside), ("conserving", conserving)];

/// A box falls on a plane under penalty forces, explicit and implicit, and under constraints.
fn beside(fixtures: Fixtures<'_>) -> Result<Figure, String> {
    let spec = scene("box-rest", fixtures, &[])?;
    let (mut curves, mut said) = (
        Vec::new(),
        String::from(
            "Largest force, mean force in the last quarter, greatest depth, kinetic energy at the end:\n",
        ),
    );
    for (response, name) in [
        (Response::CPF, "continuous, explicit"),
        (Response::CPF_IMPLICIT, "continuous, implicit"),
        (Response::QP, "constraints (qp)"),
    ] {
        let r = run(&spec, response, &["box"], &["floor"], |_| Ok(()))?;
        let late = &r.force[3 * r.force.len() / 4..];
        let rest = r.kinetic.last().map_or(0.0, |p| p.1);
        said += &format!(
            "{name}: {} N, {} N, {} m, {} J{}\n",
            short(largest(&r.force)),
            short(mean(late)),
            short(largest(&r.depth)),
            short(rest),
            r.stopped.as_ref().map_or(String::new(), |s| format!("; stopped: {s}"))
        );
        curves.push(Curve { name: name.into(), points: r.force });
    }
    said += "A constraint stops the box in the step in which it arrives; the penalty forces take the time that their stiffness takes. Under the \
             first and the last the box comes to rest on its weight; the implicit force takes nothing away, and what friction has left of the motion \
             goes on about it.";
    Ok(Figure {
        id: "beside",
        title: "Section 6: penalty beside constraints on the same pair",
        paper: "Future work: the combination with constraint-based methods.",
        ours: said,
        x: "t [s]",
        y: "|F| [N]",
        log: false,
        room: None,
        curves,
    })
}

/// Energy of a tumbling box under explicit and implicit continuous penalty.
fn conserving(fixtures: Fixtures<'_>) -> Result<Figure, String> {
    let (mut curves, mut said) = (Vec::new(), String::new());
    for (response, stiffness, name) in [
        (Response::CPF, "1e4", "explicit, 10 kN/m"),
        (Response::CPF_IMPLICIT, "1e4", "implicit, 10 kN/m"),
        (Response::CPF, "1e7", "explicit, 10 MN/m"),
        (Response::CPF_IMPLICIT, "1e7", "implicit, 10 MN/m"),
    ] {
        let integrator =
            if response == Response::CPF { "\"symplectic-euler\"" } else { "\"implicit-midpoint\"" };
        let keys = [("pair.0.stiffness", stiffness), ("scene.integrator", integrator)];
        let spec = scene("bounce-implicit", fixtures, &keys)?;
        let mut sim = spec.simulation_with(response).map_err(|e| e.to_string())?;
        let start = sim.energy().total();
        let (mut points, mut worst, mut stopped) = (vec![(0.0, 1.0)], 0.0f64, String::new());
        for _ in 0..spec.steps() {
            if let Err(e) = sim.step() {
                stopped = format!("; stopped: {e}");
                break;
            }
            let e = sim.ledger().energy.total() / start;
            worst = worst.max((e - 1.0).abs());
            points.push((sim.time(), e));
        }
        let last = points.last().map_or(1.0, |p| p.1);
        said +=
            &format!("{name}: E/E₀ at the end {}, off by {} at most{stopped}\n", short(last), short(worst));
        curves.push(Curve { name: name.into(), points });
    }
    Ok(Figure {
        id: "conserving",
        title: "Section 3.6: a penalty method free of numerical damping",
        paper: "Numerical damping of the method could be regarded as a limitation; one that is free of it and robust to jitter is future work.",
        ours: said,
        x: "t [s]",
        y: "E / E₀",
        log: true,
        room: None,
        curves,
    })
}
