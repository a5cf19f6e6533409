//! Fig. 8 of "Continuous penalty forces": a chain swings against a box; one run as the scene has it, and many with the box in places beside
//! that one, with links of three weights.

use super::figure::{Figure, short};
use super::maps::{held, spread};
use super::methods::{ALL, all, curves, runs, table};
use super::seed_000::{Entry, Fixtures};
use super::series::{JITTER, Run, scene};
use impinge_geometry::DVec3;
use impinge_world::Dofs;

/// The figure.
pub const FIGURES: &[Entry] = &[("fig-8", chain)];

/// How far the box's places are apart (m), along the swing and across it, and how many. Where the links strike it decides more about one run
/// than the force does.
const APART: f64 = 0.12;
const PLACES: usize = 21;

/// Densities of the links (kg/m³): nothing for the scene's, one a little more, one at which no force is near its limit of stability, and one whose links
/// come apart under the discrete force by depth after these seconds. By proximity they may come apart before they reach the box, with which of these is an accident.
const DENSITIES: [Option<&str>; 4] = [None, Some("0.004"), Some("0.006"), Some("0.008")];

/// Duration (s): the swing to the box and all that it strikes there. It comes back at about 15 s, under some of the forces before the scene ends.
const DURATION: &str = "10.0";

/// The paper's collision tolerance is 0.4 mm, its lengths are not stated; those of the scene are metres.
const TOLERANCE: &str = "0.4";

/// Lower than this (m) the last link has come off: eight of 12 m reach down to 96 m, half of one less to its middle.
const LOWEST: f64 = -96.0;

fn chain(fixtures: Fixtures<'_>) -> Result<Figure, String> {
    let runs = runs("chain-cpf", fixtures, TOLERANCE, &["link"], &["box"])?;
    let mut said = format!("{}\n", table(&runs));
    said += &format!(
        "In the first {DURATION} s from {PLACES} places of the box, {APART} m apart along the swing and across it, over the continuous force from the \
         same place; median (lowest to highest; from how many places above 1):\n"
    );
    for density in DENSITIES {
        said += &many(fixtures, density)?;
    }
    Ok(Figure {
        id: "fig-8",
        title: "Fig. 8: force between the swinging chain and the box",
        paper: "Discrete forces (a) are noisy, with features from CCD (b) less so, the continuous force (c) is smooth.",
        ours: said,
        x: "t [s]",
        y: "|F| [N]",
        log: false,
        room: None,
        curves: curves(&runs),
    })
}

/// Jitter over all places of the box, divided by that of the continuous force from the same place; places from which a chain comes apart or
/// a run stops under one of the forces are left out and counted.
fn many(fixtures: Fixtures<'_>, density: Option<&str>) -> Result<String, String> {
    let own = scene("chain-cpf", fixtures, &[])?;
    let start = own.bodies.iter().find(|b| b.name == "box").ok_or("no body 'box'")?.pose.position;
    // By method that is compared, by measure.
    let mut ratios = vec![[const { Vec::new() }; JITTER.len()]; ALL - 1];
    let (mut mass, mut hold) = (0.0, [0; ALL]);
    for shift in (0..PLACES).map(|i| i as f64 * APART) {
        let at = start + DVec3::new(shift, shift, 0.0);
        let at = format!("[{:?}, {:?}, {:?}]", at.x, at.y, at.z);
        let mut keys = vec![("body.box.position", at.as_str()), ("scene.duration", DURATION)];
        keys.extend(density.map(|d| ("material.iron.density", d)));
        let mut runs = Vec::new();
        for method in all() {
            let spec = method.scene("chain-cpf", fixtures, &keys, TOLERANCE)?;
            runs.push(held(&spec, method.response, [&["link"], &["box"]], |sim| {
                let last = sim.slot("link-6").unwrap_or_default();
                if sim.time() > 0.0 {
                    mass = sim.column::<Dofs>().bodies.mass[last as usize];
                }
                sim.position(last).z > LOWEST
            })?);
        }
        hold.iter_mut().zip(&runs).for_each(|(n, r)| *n += usize::from(r.is_some()));
        let of = |r: &Run| JITTER.map(|(_, of)| of(&r.force));
        // Each from where it and the continuous force hold.
        let Some((Some(continuous), others)) = runs.split_last() else { continue };
        let continuous = of(continuous);
        for (ratios, r) in ratios.iter_mut().zip(others) {
            let Some(jitter) = r.as_ref().map(of) else { continue };
            (0..JITTER.len()).for_each(|k| ratios[k].push(jitter[k] / continuous[k]));
        }
    }
    let held = all().iter().zip(hold).map(|(m, n)| format!("{n} ({})", m.name)).collect::<Vec<_>>();
    let mut said = format!("links of {} kg hold from so many places: {}\n", short(mass), held.join(", "));
    for (name, ratios) in all().map(|m| m.name).into_iter().zip(ratios).filter(|(_, r)| !r[0].is_empty()) {
        let of = JITTER.iter().zip(ratios).map(|((measure, _), of)| {
            let above = of.iter().filter(|x| **x > 1.0).count();
            let [lo, mid, hi] = spread(of).unwrap_or_default();
            format!("{measure} {} ({} to {}; {above})", short(mid), short(lo), short(hi))
        });
        said += &format!("{name}: {}\n", of.collect::<Vec<_>>().join(", "));
    }
    Ok(said)
}
