//! Fig. 13 of "Continuous penalty forces": tori on a cloth, at two steps.

use super::figure::{Figure, short};
use super::seed_000::{Entry, Fixtures, METHODS, curves, table};
use super::series::{JITTER, largest, run, scene};

/// The figure.
pub const FIGURES: &[Entry] = &[("fig-13", cloth)];

/// Names of the runs, at the scene's step and at 0.01 s.
const NAMES: [[&str; 3]; 2] = [
    ["discrete, 1/30 s", "discrete, features from CCD, 1/30 s", "continuous, 1/30 s"],
    ["discrete, 0.01 s", "discrete, features from CCD, 0.01 s", "continuous, 0.01 s"],
];

fn cloth(fixtures: Fixtures<'_>) -> Result<Figure, String> {
    let mut runs = Vec::new();
    let mut said = String::new();
    for (keys, names) in [&[][..], &[("scene.dt", "0.01")][..]].into_iter().zip(NAMES) {
        let spec = scene("cloth-cpf", fixtures, keys)?;
        for ((response, _), name) in METHODS.into_iter().zip(names) {
            let mut fallen = 0.0_f64;
            let r = run(&spec, response, &["a-", "b-", "c-", "d-"], &["cloth"], |sim| {
                let slot = sim.slot("a-0").ok_or("no body 'a-0'")?;
                fallen = fallen.max(-sim.position(slot).z);
                Ok(())
            })?;
            let through = if fallen > 5.0 { ", falls through the cloth" } else { "" };
            said += &format!("{name}: peak {} N{through}\n", short(largest(&r.force)));
            runs.push((name, r));
        }
    }
    let ratios = JITTER.map(|(name, of)| {
        let over =
            |run: usize, continuous: usize| short(of(&runs[run].1.force) / of(&runs[continuous].1.force));
        format!(
            "{name}, discrete {} and {}, with CCD {} and {}",
            over(0, 2),
            over(3, 5),
            over(1, 2),
            over(4, 5)
        )
    });
    let ratios = format!("Over continuous at 1/30 s and at 0.01 s: {}.", ratios.join("; "));
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
