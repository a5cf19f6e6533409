//! Fig. 8 of "Continuous penalty forces": a chain swings against a box; one run as the scene has it, and many from places of the box beside it.

use super::figure::{Figure, short};
use super::maps::spread;
use super::seed_000::{Entry, Fixtures, METHODS, all_methods, curves, table};
use super::series::{JITTER, Measure, run, scene};
use impinge_scene::Response;

/// The figure.
pub const FIGURES: &[Entry] = &[("fig-8", chain)];

/// How far the box's places are apart (m), along the swing and across it, and how many. Where the links strike it decides more about one run
/// than the force does.
const APART: f64 = 0.12;
const PLACES: usize = 21;

/// Where the scene has the box (m).
const BOX: [f64; 3] = [-18.0, 0.0, -60.0];

/// Stiffness (N/m) at which the discrete force holds a joint as stiffly as tracked features at the paper's 10: those have 1.3 times as many
/// points in touch, as they count edges too.
const AS_STIFF: &str = "13.0";

fn chain(fixtures: Fixtures<'_>) -> Result<Figure, String> {
    let runs = all_methods("chain-cpf", fixtures, &[], &["link"], &["box"])?;
    let said = format!("{}\n{}", table(&runs), many(fixtures)?);
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

/// Jitter over all places of the box, divided by that of the continuous force from the same place.
fn many(fixtures: Fixtures<'_>) -> Result<String, String> {
    let [discrete, tracked, continuous] = METHODS.map(|(response, _)| response);
    let methods: [(&str, Response, &str); 3] = [
        ("discrete", discrete, "10.0"),
        ("features from CCD", tracked, "10.0"),
        ("discrete, as stiff a joint (13 N/m)", discrete, AS_STIFF),
    ];
    let mut ratios = vec![[const { Vec::new() }; JITTER.len()]; methods.len()];
    for shift in (0..PLACES).map(|i| i as f64 * APART) {
        let jitter = |response, stiffness: &str| {
            let at = format!("[{:?}, {:?}, {:?}]", BOX[0] + shift, BOX[1] + shift, BOX[2]);
            let keys = [("body.box.position", at.as_str()), ("pair.0.stiffness", stiffness)];
            let spec = scene("chain-cpf", fixtures, &keys)?;
            let r = run(&spec, response, &["link"], &["box"], |_| Ok(()))?;
            // A run that stopped jitters without end.
            let of = |m: Measure| if r.stopped.is_some() { f64::INFINITY } else { m(&r.force) };
            Ok::<_, String>(JITTER.map(|(_, m)| of(m)))
        };
        let least = jitter(continuous, "10.0")?;
        for ((_, response, stiffness), ratios) in methods.iter().zip(&mut ratios) {
            let of = jitter(*response, stiffness)?;
            (0..JITTER.len()).for_each(|k| ratios[k].push(of[k] / least[k]));
        }
    }
    let mut said = format!(
        "From {PLACES} places of the box, {APART} m apart along the swing and across it, over the continuous force from the same place; median \
         (lowest to highest; from how many places above 1):\n"
    );
    for ((name, ..), ratios) in methods.iter().zip(ratios) {
        let of = JITTER.iter().zip(ratios).map(|((measure, _), of)| {
            let above = of.iter().filter(|x| **x > 1.0).count();
            let [lo, mid, hi] = spread(of).unwrap_or_default();
            format!("{measure} {} ({} to {}; {above})", short(mid), short(lo), short(hi))
        });
        said += &format!("{name}: {}\n", of.collect::<Vec<_>>().join(", "));
    }
    Ok(said)
}
