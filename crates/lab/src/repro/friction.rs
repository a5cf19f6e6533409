//! The thesis' friction (seed 003: anchors that jump, ω(v) = 1 − exp(−k_ω v)) against the default on one scene.
//!
//! The box of scene `incline` is thrown down its slope, brakes and stops. With m the mass and θ the slope's angle Coulomb has
//!
//! | while it slides | μk m g cos θ |
//! |---|---|
//! | time to the stop | v₀ / (g (μk cos θ − sin θ)) |
//! | way to the stop | v₀² / (2 g (μk cos θ − sin θ)) |
//! | when it holds | m g sin θ |

use super::figure::{Curve, Figure, short};
use super::seed_000::{Entry, Fixtures};
use super::series::{alternation, scene};
use impinge_geometry::DVec3;
use impinge_scene::Response;

/// The figure of friction laws.
pub const FIGURES: &[Entry] = &[("seed-003-friction", brakes)];

/// Speed of the throw (m/s), kinetic coefficient, duration (s).
const THROWN: f64 = 0.5;
const MU: f64 = 0.55;
const DURATION: f64 = 2.0;
/// Of the scene: static coefficient, tangent of the slope, gravity (m/s²).
const MU_STATIC: f64 = 0.6;
const SLOPE: f64 = 0.5;
const GRAVITY: f64 = 9.8;

/// What a law has: its name, its rule, its rate (s/m).
const LAWS: [(&str, &str, Option<&str>); 3] = [
    ("return map", "return-map", None),
    ("Yamane, 2000 s/m", "yamane", Some("2000")),
    ("Yamane, 20 s/m", "yamane", Some("20")),
];

/// What one law did.
struct Braked {
    /// Friction force (N) over time (s).
    force: Vec<(f64, f64)>,
    /// Way down the slope (m).
    way: f64,
    /// Speed down the slope in the mean over the last half second (m/s).
    creep: f64,
}

/// Coulomb's way and time to the stop.
fn closed_form() -> (f64, f64) {
    let along = 1.0 / (1.0 + SLOPE * SLOPE).sqrt();
    let brakes = GRAVITY * along * (MU - SLOPE);
    (THROWN * THROWN / (2.0 * brakes), THROWN / brakes)
}

fn run(rule: &str, rate: Option<&str>, fixtures: Fixtures<'_>) -> Result<Braked, String> {
    let cos = 1.0 / (1.0 + SLOPE * SLOPE).sqrt();
    let down = DVec3::new(cos, 0.0, SLOPE * cos);
    let numbers = [
        format!("[{}, 0.0, {}]", -THROWN * down.x, -THROWN * down.z),
        MU.to_string(),
        MU_STATIC.to_string(),
        DURATION.to_string(),
    ];
    let mut keys = vec![
        ("body.box.velocity", &numbers[0][..]),
        ("pair.0.mu_k", &numbers[1]),
        ("pair.0.mu_s", &numbers[2]),
        ("pair.0.slip_rule", rule),
    ];
    keys.extend(rate.map(|r| ("pair.0.k_omega", r)));
    let spec = scene("incline", fixtures, &keys)?;
    let mut sim = spec.simulation_with(Response::PENALTY).map_err(|e| e.to_string())?;
    let slot = sim.slot("box").ok_or("no body 'box'")?;
    let start = sim.position(slot);
    let steps = (DURATION / sim.dt()).round() as usize;
    let half = (0.5 / sim.dt()).round() as usize;
    let (mut force, mut before) = (Vec::with_capacity(steps), start);
    for step in 0..steps {
        if step + half == steps {
            before = sim.position(slot);
        }
        sim.step().map_err(|e| e.to_string())?;
        let p = &sim.ledger().pairs;
        let sum = (0..p.len()).fold(DVec3::zero(), |s, i| s + p.friction[i]);
        force.push((sim.time(), sum.mag() / sim.dt()));
    }
    let at = sim.position(slot);
    let along = |d: DVec3| -d.dot(down);
    Ok(Braked { force, way: along(at - start), creep: along(at - before) / 0.5 })
}

fn brakes(fixtures: Fixtures<'_>) -> Result<Figure, String> {
    let (way, stop) = closed_form();
    let cos = 1.0 / (1.0 + SLOPE * SLOPE).sqrt();
    let (slides, holds) = (MU * GRAVITY * cos, SLOPE * GRAVITY * cos);
    let (mut curves, mut said) = (Vec::new(), String::new());
    for (name, rule, rate) in LAWS {
        let r = run(rule, rate, fixtures)?;
        said += &format!(
            "{name}: {} m, {} m/s in the last half second, back and forth by {} N in all\n",
            short(r.way),
            short(r.creep),
            short(alternation(&r.force))
        );
        curves.push(Curve { name: name.into(), points: r.force });
    }
    let points = vec![(0.0, slides), (stop, slides), (stop, holds), (DURATION, holds)];
    curves.push(Curve { name: "Coulomb".into(), points });
    Ok(Figure {
        id: "seed-003-friction",
        title: "Seed 003: a box brakes on a slope, friction of the thesis against the default",
        paper: "Dynamic friction grows with the slip, ω(v) = 1 − exp(−k v), and the anchor jumps to the contact at every step that slides.",
        ours: format!(
            "Thrown down a slope of tan {SLOPE} at {THROWN} m/s, 1 kg, static and kinetic coefficients {MU_STATIC} and {MU}. Coulomb: {} N until it \
             stands at {} s after {} m, then {} N.\n{said}",
            short(slides),
            short(stop),
            short(way),
            short(holds)
        ),
        x: "t [s]",
        y: "friction [N]",
        log: false,
        room: Some(2.6),
        curves,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_stops_where_coulomb_does_and_the_thesis_slides_on() {
        let (way, stop) = closed_form();
        let [map, thesis, soft] = LAWS.map(|(_, rule, rate)| run(rule, rate, None).unwrap());
        assert!((map.way / way - 1.0).abs() < 5e-3 && map.creep.abs() < 1e-9, "{} {}", map.way, map.creep);
        let at = |force: &[(f64, f64)], t: f64| force[(t / 1e-3) as usize].1;
        let weight = GRAVITY / (1.0 + SLOPE * SLOPE).sqrt();
        // As it lands it hops by little, and friction goes with the force that presses.
        let slides: Vec<f64> =
            map.force.iter().filter(|(t, _)| (0.25..0.75).contains(&(t / stop))).map(|f| f.1).collect();
        let mean = slides.iter().sum::<f64>() / slides.len() as f64;
        assert!((mean / (MU * weight) - 1.0).abs() < 0.01, "{mean} N for {} N", MU * weight);
        assert!((at(&map.force, 0.95 * DURATION) / (SLOPE * weight) - 1.0).abs() < 1e-6);
        // ω is below 1, so it brakes less; the slower the rate, the less. What is nearly at rest sticks and slips.
        assert!(
            way < thesis.way && thesis.way < soft.way && thesis.creep > 1e-3 && soft.creep > thesis.creep
        );
        assert!(alternation(&thesis.force) > 2.0 * alternation(&map.force));
    }
}
