//! Fig. 13 of "Continuous penalty forces": tori on a cloth, at two steps.

use super::figure::{Figure, short};
use super::seed_000::{Entry, Fixtures, METHODS, curves, near_scene, table};
use super::series::{JITTER, Run, largest, run, scene};
use impinge_scene::Response;

/// The figure.
pub const FIGURES: &[Entry] = &[("fig-13", cloth)];

/// Names of the runs, at the scene's step and at 0.01 s.
const NAMES: [[&str; 4]; 2] = [
    [
        "discrete, by proximity, 1/30 s",
        "discrete, 1/30 s",
        "discrete, features from CCD, 1/30 s",
        "continuous, 1/30 s",
    ],
    [
        "discrete, by proximity, 0.01 s",
        "discrete, 0.01 s",
        "discrete, features from CCD, 0.01 s",
        "continuous, 0.01 s",
    ],
];

/// The paper's collision tolerance is 0.2 mm, its lengths are not stated; those of the scene are metres.
const TOLERANCE: &str = "0.2";

fn cloth(fixtures: Fixtures<'_>) -> Result<Figure, String> {
    let mut runs = Vec::new();
    let mut said = String::new();
    for (keys, names) in [&[][..], &[("scene.dt", "0.01")][..]].into_iter().zip(NAMES) {
        let spec = scene("cloth-cpf", fixtures, keys)?;
        let near = near_scene("cloth-cpf", fixtures, keys, TOLERANCE)?;
        let methods = METHODS.map(|(response, _)| (&spec, response));
        for ((spec, response), name) in [(&near, Response::Penalty)].into_iter().chain(methods).zip(names) {
            let mut fallen = 0.0_f64;
            let r = run(spec, response, &["a-", "b-", "c-", "d-"], &["cloth"], |sim| {
                let slot = sim.slot("a-0").ok_or("no body 'a-0'")?;
                fallen = fallen.max(-sim.position(slot).z);
                Ok(())
            })?;
            let through = if fallen > 5.0 { ", falls through the cloth" } else { "" };
            said += &format!("{name}: peak {} N{through}\n", short(largest(&r.force)));
            runs.push((name, r));
        }
    }
    // The last of each step is the continuous one.
    let [coarse, fine] = [&runs[..4], &runs[4..]];
    let mut ratios = String::from("Over continuous at 1/30 s and at 0.01 s:");
    for ((a, b), what) in coarse.iter().zip(fine).zip(["by proximity", "discrete", "with CCD"]) {
        let of = JITTER.map(|(name, of)| {
            let over = |r: &Run, all: &[(&str, Run)]| short(of(&r.force) / of(&all[3].1.force));
            format!("{name} {} and {}", over(&a.1, coarse), over(&b.1, fine))
        });
        ratios += &format!("\n{what}: {}", of.join(", "));
    }
    Ok(Figure {
        id: "fig-13",
        title: "Fig. 13: force between soft tori and the cloth at two steps",
        paper: "Discrete forces are noisy at 0.03 s and at 0.01 s, continuous ones smooth at both; under discrete forces the tori \
                penetrate the cloth severely.",
        ours: format!("{}\n{said}{ratios}", table(&runs)),
        x: "t [s]",
        y: "|F| [N]",
        log: false,
        room: None,
        curves: curves(&runs),
    })
}
