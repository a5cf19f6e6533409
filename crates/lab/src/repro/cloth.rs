//! Fig. 13 of "Continuous penalty forces": tori on a cloth, at two steps; and with other stiffness, with the tori dropped in places beside theirs.

use super::figure::{Figure, short};
use super::maps::spread;
use super::seed_000::{Entry, Fixtures, METHODS, NEAR, compared, curves, near_scene, table};
use super::series::{JITTER, Run, largest, run, scene};
use impinge_geometry::DVec3;
use impinge_scene::{Response, SceneSpec};

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

/// Stiffness (N/m) and damping (N·s/m) of a pair of features that are compared: a third of the paper's, at which no force is near its limit of
/// stability (as if all weighed three times as much), one below the paper's, the paper's, one above.
const STIFFNESS: [[&str; 2]; 4] =
    [["0.7", "0.00175"], ["1.7", "0.00425"], ["2.0", "0.005"], ["2.3", "0.00575"]];

/// How far all tori are moved along x from their places in the scene (m); along y by 0.7 of it.
const PLACES: [f64; 3] = [0.0, 0.05, 0.1];

/// The lower tori; those above them are copies.
const TORI: [&str; 4] = ["a", "b", "c", "d"];

/// The force between tori and cloth, and how far below the cloth's plane the middle of the first torus came (m).
fn pressed(spec: &SceneSpec, response: Response) -> Result<(Run, f64), String> {
    let mut fallen = 0.0_f64;
    let r = run(spec, response, &["a-", "b-", "c-", "d-"], &["cloth"], |sim| {
        let slot = sim.slot("a-0").ok_or("no body 'a-0'")?;
        fallen = fallen.max(-sim.position(slot).z);
        Ok(())
    })?;
    Ok((r, fallen))
}

/// Farther down than this (m) a torus has come through: the cloth sags by 1 m.
const THROUGH: f64 = 5.0;

/// Jitter over that of the continuous force from the same place, for each stiffness.
fn by_stiffness(fixtures: Fixtures<'_>) -> Result<String, String> {
    let mut said = format!(
        "At 1/30 s with pairs of other stiffness, over the continuous force from the same place; median (lowest to highest) of {} places of the tori, \
         {} m apart along x and 0.7 of it along y:\n",
        PLACES.len(),
        short(PLACES[1])
    );
    let own = scene("cloth-cpf", fixtures, &[])?;
    let start = |torus: &str| {
        let name = format!("{torus}-0");
        let found = own.bodies.iter().find(|b| b.name == name);
        found.map(|b| b.pose.position).ok_or_else(|| format!("no body '{name}'"))
    };
    for [k, c] in STIFFNESS {
        let damping = format!("{{ kelvin_voigt = {c} }}");
        // By method that is compared, by measure.
        let mut ratios = vec![[const { Vec::new() }; JITTER.len()]; METHODS.len()];
        let mut through = [0; METHODS.len() + 1];
        for shift in PLACES {
            let mut moved = Vec::new();
            for torus in TORI {
                let at = start(torus)? + DVec3::new(shift, 0.7 * shift, 0.0);
                moved.push((
                    format!("body.{torus}.position"),
                    format!("[{:?}, {:?}, {:?}]", at.x, at.y, at.z),
                ));
            }
            let mut keys = vec![("pair.0.stiffness", k), ("pair.0.damping", damping.as_str())];
            keys.extend(moved.iter().map(|(key, at)| (key.as_str(), at.as_str())));
            let spec = scene("cloth-cpf", fixtures, &keys)?;
            let near = near_scene("cloth-cpf", fixtures, &keys, TOLERANCE)?;
            let mut all = Vec::new();
            for ((spec, response), n) in compared(&near, &spec).into_iter().zip(&mut through) {
                let (r, fallen) = pressed(spec, response)?;
                *n += usize::from(fallen > THROUGH);
                all.push(JITTER.map(|(_, of)| of(&r.force)));
            }
            if let Some((continuous, others)) = all.split_last() {
                for (ratios, jitter) in ratios.iter_mut().zip(others) {
                    (0..JITTER.len()).for_each(|i| ratios[i].push(jitter[i] / continuous[i]));
                }
            }
        }
        if through[METHODS.len()] > 0 {
            said += &format!("{k} N/m: the tori fall through under the continuous force, too\n");
        }
        let names = [NEAR].into_iter().chain(METHODS.map(|m| m.1));
        for ((name, ratios), through) in names.zip(ratios).zip(through) {
            let of = JITTER.iter().zip(ratios).map(|((measure, _), of)| {
                let [lo, mid, hi] = spread(of).unwrap_or_default();
                format!("{measure} {} ({} to {})", short(mid), short(lo), short(hi))
            });
            let through = if through > 0 { format!("; falls through in {through}") } else { String::new() };
            said += &format!("{k} N/m, {name}: {}{through}\n", of.collect::<Vec<_>>().join(", "));
        }
    }
    Ok(said)
}

fn cloth(fixtures: Fixtures<'_>) -> Result<Figure, String> {
    let mut runs = Vec::new();
    let mut said = String::new();
    for (keys, names) in [&[][..], &[("scene.dt", "0.01")][..]].into_iter().zip(NAMES) {
        let spec = scene("cloth-cpf", fixtures, keys)?;
        let near = near_scene("cloth-cpf", fixtures, keys, TOLERANCE)?;
        for ((spec, response), name) in compared(&near, &spec).into_iter().zip(names) {
            let (r, fallen) = pressed(spec, response)?;
            let through = if fallen > THROUGH { ", falls through the cloth" } else { "" };
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
        ours: format!("{}\n{said}{ratios}\n{}", table(&runs), by_stiffness(fixtures)?),
        x: "t [s]",
        y: "|F| [N]",
        log: false,
        room: None,
        curves: curves(&runs),
    })
}
