//! A tumbling box and a ball fall on a plane; the run is written as a report.
//!
//! `cargo run -p impinge-report --example demo [FOLDER] [stopped]`. The physics is a penalty force at the
//! box's corners and the ball's lowest point, with symplectic Euler: just enough to fill every part of the
//! page.

use impinge_report::*;

mod shapes;
mod toy;

use toy::{Touch, Toy};

const DT: f64 = 1e-4;
const STEPS: usize = 30_000;
const EVERY: usize = 80;
const NAMES: [&str; 3] = ["floor", "box", "ball"];
const PAIRS: [[u32; 2]; 2] = [[1, 0], [2, 0]];

fn main() -> Result<(), ReportError> {
    let mut words = std::env::args().skip(1);
    let folder = words.next().unwrap_or_else(|| "target/report-demo".into());
    let stopped = words.next().as_deref() == Some("stopped");
    let record = simulate(if stopped { STEPS / 3 } else { STEPS }, stopped);
    let written = write_report(std::path::Path::new(&folder), &record)?;
    println!("{}", written.html.display());
    Ok(())
}

fn simulate(steps: usize, stopped: bool) -> RunRecord {
    let mut toy = Toy::new();
    let mut frames = Frames { pairs: PAIRS.to_vec(), ..Frames::default() };
    let mut time = Vec::with_capacity(steps);
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); 12];
    for step in 0..steps {
        let touches = toy.step(DT);
        let force = |pair: u32, part: fn(&Touch) -> f64| -> f64 {
            touches.iter().filter(|t| t.pair == pair).map(part).sum()
        };
        let depths = || touches.iter().map(|t| t.depth);
        let energy = toy.energy();
        time.push((step + 1) as f64 * DT);
        let row = [
            force(0, |t| t.force[2]),
            force(1, |t| t.force[2]),
            force(0, |t| t.force[0].hypot(t.force[1])),
            force(1, |t| t.force[0].hypot(t.force[1])),
            energy.kinetic,
            energy.potential,
            energy.elastic,
            energy.kinetic + energy.potential + energy.elastic,
            toy.momentum_residual(),
            depths().fold(0.0, f64::max),
            if touches.is_empty() { 0.0 } else { depths().sum::<f64>() / touches.len() as f64 },
            touches.len() as f64,
        ];
        for (column, value) in columns.iter_mut().zip(row) {
            column.push(value);
        }
        if step % EVERY == EVERY - 1 || step + 1 == steps {
            frames.time.push((step + 1) as f64 * DT);
            frames.poses.push(toy.poses());
            frames.contacts.push(touches.iter().map(Touch::mark).collect());
        }
    }
    record(steps, stopped, frames, plots(&time, columns), &toy)
}

fn plots(time: &[f64], columns: Vec<Vec<f64>>) -> Vec<Plot> {
    let mut columns = columns.into_iter();
    let mut plot = |id: &str, title: &str, unit: &str, names: &[&str], log: bool, note: &str| Plot {
        id: id.into(),
        title: title.into(),
        unit: unit.into(),
        x: time.to_vec(),
        curves: names
            .iter()
            .map(|n| Curve { name: (*n).into(), values: columns.next().unwrap_or_default() })
            .collect(),
        log,
        note: note.into(),
    };
    vec![
        plot("force-normal", "Normal force per pair", "N", &["box on floor", "ball on floor"], false, ""),
        plot("force-friction", "Friction force per pair", "N", &["box on floor", "ball on floor"], false, ""),
        plot("energy", "Energy", "J", &["kinetic", "potential", "contact", "total"], false, ""),
        plot(
            "momentum",
            "Momentum residual",
            "N·s",
            &["|Σ p − Σ applied|"],
            true,
            "What the ledger says was applied, against what the bodies gained.",
        ),
        plot("penetration", "Penetration", "m", &["deepest", "mean"], false, ""),
        plot("contacts", "Contacts", "", &["contacts"], false, ""),
    ]
}

fn record(steps: usize, stopped: bool, frames: Frames, plots: Vec<Plot>, toy: &Toy) -> RunRecord {
    let text = |t: &str| t.to_owned();
    let parameter = |name: &str, value: &str, unit: &str, note: &str| Parameter {
        name: text(name),
        value: text(value),
        unit: text(unit),
        note: text(note),
    };
    let stage = |name: &str, total: f64, items: f64| StageTime {
        name: text(name),
        total_seconds: total,
        median_microseconds: total / steps as f64 * 0.92e6,
        p99_microseconds: total / steps as f64 * 3.1e6,
        items_mean: items,
    };
    let weight = toy.weight();
    let settled = toy.applied_normal();
    let check =
        |name: &str, expected: f64, measured: f64, tolerance: f64, unit: &str, note: &str, known: bool| {
            Check {
                name: text(name),
                what: String::new(),
                expected: format!("{expected:.4} ± {tolerance:.1e}"),
                measured,
                unit: text(unit),
                verdict: match (expected - measured).abs() <= tolerance {
                    true => Verdict::Pass,
                    false if known => Verdict::ExpectedFail,
                    false => Verdict::Fail,
                },
                note: text(note),
            }
        };
    RunRecord {
        lost: Vec::new(),
        title: text("Box and ball on a plane"),
        scene: text("drop"),
        description: text(
            "A tilted box and a ball fall 0.6 m onto a plane, bounce, and come to rest under friction.",
        ),
        response: text("penalty"),
        status: if stopped {
            Status::Stopped {
                reason: text(
                    "the velocity of `box` is not finite; the step is too long for this stiffness: \
                     try dt <= 5e-5 s or a stiffness below 2e4 N/m",
                ),
                step: steps as u64,
                time: steps as f64 * DT,
                stage: Some(text("advance")),
                body: Some(text("box")),
            }
        } else {
            Status::Completed
        },
        dt: DT,
        steps: steps as u64,
        state_hash: text("9f3c2e71d04ab85e"),
        parameters: vec![
            parameter("stiffness", "20000", "N/m", "per contact point"),
            parameter("damping", "90", "N·s/m", ""),
            parameter("friction μ", "0.4", "", "regularised below 5 mm/s"),
            parameter("gravity", "9.80665", "m/s²", "along −z"),
            parameter("time step", "1e-4", "s", ""),
        ],
        versions: vec![
            (text("impinge-report"), text(env!("CARGO_PKG_VERSION"))),
            (text("profile"), text("example")),
        ],
        bodies: shapes::bodies(&NAMES),
        frames,
        motion: Default::default(),
        plots,
        stages: vec![
            stage("surface", 0.021, 656.0),
            stage("broad", 0.034, 2.0),
            stage("narrow", 0.118, 9.0),
            stage("response", 0.047, 2.6),
            stage("advance", 0.012, 2.0),
            stage("record", 0.009, 1.0),
        ],
        checks: vec![
            check(
                "Weight at rest",
                weight,
                settled,
                weight * 1e-3,
                "N",
                "normal forces against m g",
                stopped,
            ),
            check(
                "Momentum residual",
                0.0,
                toy.momentum_residual(),
                1e-9,
                "N·s",
                "applied against gained",
                false,
            ),
            check(
                "Deepest penetration",
                0.0,
                toy.deepest(),
                1e-3,
                "m",
                "a penalty law must sink to push",
                true,
            ),
        ],
        notes: vec![
            text("Normal force: Kelvin–Voigt, k d + c ḋ, never pulling. Friction: Coulomb, regularised."),
            text("Symplectic Euler; rotation by quaternion increments with the body's inertia as a scalar."),
        ],
    }
}
