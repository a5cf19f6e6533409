//! Fig. 13 of "Continuous penalty forces": tori on a cloth, at two steps; and with other stiffness, with the tori dropped in places beside theirs.

use super::figure::{Curve, Figure, short};
use super::maps::spread;
use super::methods::{ALL, all, curves, table};
use super::seed_000::{Entry, Fixtures};
use super::series::{JITTER, Run, run, scene};
use impinge_geometry::DVec3;
use impinge_scene::{Response, SceneSpec};

/// The figure.
pub const FIGURES: &[Entry] = &[("fig-13", cloth)];

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
        let mut ratios = vec![[const { Vec::new() }; JITTER.len()]; ALL - 1];
        let mut through = [0; ALL];
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
            let mut found = Vec::new();
            for (method, n) in all().iter().zip(&mut through) {
                let spec = method.scene("cloth-cpf", fixtures, &keys, TOLERANCE)?;
                let (r, fallen) = pressed(&spec, method.response)?;
                *n += usize::from(fallen > THROUGH);
                found.push(JITTER.map(|(_, of)| of(&r.force)));
            }
            if let Some((continuous, others)) = found.split_last() {
                for (ratios, jitter) in ratios.iter_mut().zip(others) {
                    (0..JITTER.len()).for_each(|i| ratios[i].push(jitter[i] / continuous[i]));
                }
            }
        }
        if through[ALL - 1] > 0 {
            said += &format!("{k} N/m: the tori fall through under the continuous force, too\n");
        }
        for ((name, ratios), through) in all().map(|m| m.name).into_iter().zip(ratios).zip(through) {
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
    let mut said = String::new();
    let mut steps = Vec::new();
    for (keys, step) in [(&[][..], "1/30 s"), (&[("scene.dt", "0.01")][..], "0.01 s")] {
        let mut runs = Vec::new();
        for method in all() {
            let spec = method.scene("cloth-cpf", fixtures, keys, TOLERANCE)?;
            let (r, fallen) = pressed(&spec, method.response)?;
            if fallen > THROUGH {
                said += &format!("{}, {step}: falls through the cloth\n", method.name);
            }
            runs.push((method.name, r));
        }
        steps.push((step, runs));
    }
    let tables = steps.iter().map(|(step, runs)| format!("At {step}. {}\n", table(runs))).collect::<String>();
    let curves = steps.iter().flat_map(|(step, runs)| {
        curves(runs).into_iter().map(move |c| Curve { name: format!("{}, {step}", c.name), ..c })
    });
    Ok(Figure {
        id: "fig-13",
        title: "Fig. 13: force between soft tori and the cloth at two steps",
        paper: "Discrete forces are noisy at 0.03 s and at 0.01 s, continuous ones smooth at both; under discrete forces the tori \
                penetrate the cloth severely.",
        ours: format!("{tables}{said}{}", by_stiffness(fixtures)?),
        x: "t [s]",
        y: "|F| [N]",
        log: false,
        room: None,
        curves: curves.collect(),
    })
}
