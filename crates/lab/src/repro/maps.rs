//! Where the order that "Continuous penalty forces" claims holds, over the dimensionless stiffness k Δt²/m that it leaves open: jitter of a
//! chain against a box (Fig. 8), and a box that should come to rest (section 5.1).
//!
//! The paper states k and Δt and no mass. One run says what one number gives; a map says where the order holds and where it does not. Each
//! is taken twice: by stiffness at the paper's step, and by step at one stiffness, which changes nothing else.

use super::figure::{Curve, Figure, short};
use super::methods::METHODS;
use super::seed_000::{Entry, Fixtures};
use super::seed_002::own;
use super::series::{JITTER, Run, largest, run};
use impinge_scene::{Response, SceneSpec};
use impinge_world::{Dofs, Simulation};
use std::sync::OnceLock;

/// The maps.
pub const FIGURES: &[Entry] = &[
    ("jitter-map", |_| {
        let title =
            "Fig. 8 over the dimensionless stiffness: variation of the force of a short chain against a box";
        jitter("jitter-map", title, "variation over that of the continuous force", 0)
    }),
    ("alternation-map", |_| {
        let title = "Fig. 8 over the dimensionless stiffness: alternation of the force of a short chain against a box";
        jitter("alternation-map", title, "alternation over that of the continuous force", 2)
    }),
    ("box-rest-map", resting),
];

/// The paper's step (s).
const STEP: f64 = 0.02;

/// How a map is walked along: its name, and stiffness (N/m) and step (s) of each point.
type Walk = (&'static str, Vec<[f64; 2]>);

/// Middle of a list, and its ends.
pub fn spread(mut v: Vec<f64>) -> Option<[f64; 3]> {
    v.sort_by(f64::total_cmp);
    Some([*v.first()?, v[v.len() / 2], *v.last()?])
}

/// Runs a scene under a response; `None` for what stops or does not hold.
pub fn held(
    spec: &SceneSpec,
    response: Response,
    groups: [&[&str]; 2],
    mut holds: impl FnMut(&Simulation) -> bool,
) -> Result<Option<Run>, String> {
    let mut all = true;
    let r = run(spec, response, groups[0], groups[1], |sim| {
        all &= holds(sim);
        Ok(())
    })?;
    let finite = r.force.iter().chain(&r.kinetic).all(|p| p.1.is_finite());
    Ok((all && finite && r.stopped.is_none()).then_some(r))
}

/// Initial poses: how far apart the box's places are (m), along the swing and across it, and how many. Where the links strike it decides more
/// about one run than the force does; medians of seven were others than those of these.
const APART: f64 = 0.04;
const POSES: usize = 21;

/// Poses that must hold under all methods for a point of the map.
const ENOUGH: usize = 11;

/// The methods that are compared with the continuous one, which is the last.
const OTHERS: usize = METHODS.len() - 1;

/// A point of a map: the short chain at one stiffness (N/m) and step (s).
struct Point {
    walk: &'static str,
    k: f64,
    dt: f64,
    /// Of a link (kg); 0 when no run got through its first step.
    mass: f64,
    /// By pose that all methods hold from, by method, the measures of [`JITTER`].
    jitter: Vec<[[f64; JITTER.len()]; METHODS.len()]>,
}

/// All points, computed once: the maps differ in the measure only.
fn points() -> Result<&'static [Point], String> {
    static POINTS: OnceLock<Result<Vec<Point>, String>> = OnceLock::new();
    let found = POINTS.get_or_init(|| {
        let stiff = [10.0, 14.0, 20.0, 28.0, 40.0, 57.0, 80.0, 113.0, 160.0, 226.0, 320.0];
        let by_stiffness = stiff.map(|k| point("by stiffness at 0.02 s", k, STEP));
        let by_step = [1.0, 2.0, 4.0, 8.0, 16.0].map(|n| point("by step at 30 N/m", 30.0, STEP / n));
        by_stiffness.into_iter().chain(by_step).collect()
    });
    found.as_deref().map_err(Clone::clone)
}

fn point(walk: &'static str, k: f64, dt: f64) -> Result<Point, String> {
    let mut out = Point { walk, k, dt, mass: 0.0, jitter: Vec::new() };
    for shift in (0..POSES).map(|i| i as f64 * APART) {
        let (k, dt) = (format!("{k:?}"), format!("{dt:?}"));
        let at = format!("[{:?}, {shift:?}, -30.0]", -9.0 + shift);
        let keys = [
            ("penalty.way_out", "closest"),
            ("pair.0.stiffness", k.as_str()),
            ("scene.dt", dt.as_str()),
            ("body.box.position", at.as_str()),
        ];
        let mut of = [[f64::NAN; JITTER.len()]; METHODS.len()];
        for (of, method) in of.iter_mut().zip(METHODS) {
            let spec = own(include_str!("short_chain.toml"), &[&keys, method.keys()].concat())?;
            let r = held(&spec, method.response, [&["link"], &["box"]], |sim| {
                let last = sim.slot("link-1").unwrap_or_default();
                if sim.time() > 0.0 {
                    out.mass = sim.column::<Dofs>().bodies.mass[last as usize];
                }
                // Two links of 12 m reach down to 36 m, half a link less to the middle of the last.
                sim.position(last).z > -33.0
            })?;
            if let Some(r) = r {
                *of = JITTER.map(|(_, measure)| measure(&r.force));
            }
        }
        if of.iter().flatten().all(|v| v.is_finite() && *v > 0.0) {
            out.jitter.push(of);
        }
    }
    Ok(out)
}

/// The map of a measure of [`JITTER`].
fn jitter(id: &'static str, title: &'static str, of: &'static str, measure: usize) -> Result<Figure, String> {
    let mut said = format!(
        "A link weighs 1.3 kg, and k is that of a pair of features. Median (lowest to highest) over the initial poses \
         of the {of}, for {}:\n",
        METHODS[..OTHERS].iter().map(|m| m.name).collect::<Vec<_>>().join("; ")
    );
    let mut curves = Vec::<Curve>::new();
    let (mut n, mut in_order, mut line) = (0, [Vec::new(), Vec::new()], Vec::new());
    for p in points()? {
        let (walk, k, dt) = (p.walk, p.k, p.dt);
        if p.mass == 0.0 {
            said += &format!("{walk}, k = {k:?} N/m, Δt = {dt:?} s: no run got through its first step\n");
            continue;
        }
        let kappa = k * dt * dt / p.mass;
        let poses = p.jitter.len();
        said += &format!("{walk}, k Δt²/m = {}: ", short(kappa));
        let over =
            |i: usize| spread(p.jitter.iter().map(|of| of[i][measure] / of[OTHERS][measure]).collect());
        let [Some(start), Some(end), Some(tracked)] = [0, 1, 2].map(over) else {
            said += "no point: no pose holds under all\n";
            continue;
        };
        if poses < ENOUGH {
            said += &format!("no point: {poses} of {POSES} poses hold under all\n");
            continue;
        }
        let text = [start, end, tracked]
            .map(|[lo, mid, hi]| format!("{} ({} to {})", short(mid), short(lo), short(hi)));
        said += &format!("{}; {poses} of {POSES} poses\n", text.join(", "));
        n += 1;
        for (in_order, discrete) in in_order.iter_mut().zip([start, end]) {
            if discrete[1] > tracked[1] && tracked[1] > 1.0 {
                in_order.push(format!("{} {walk}", short(kappa)));
            }
        }
        line.push(kappa.log10());
        for (method, v) in METHODS.iter().zip([start, end, tracked]) {
            let name = format!("{}, {walk}", method.name);
            let at = (kappa.log10(), v[1]);
            match curves.iter_mut().find(|c| c.name == name) {
                Some(c) => c.points.push(at),
                None => curves.push(Curve { name, points: vec![at] }),
            }
        }
    }
    let ends = line.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[lo, hi], x| [lo.min(*x), hi.max(*x)]);
    curves.push(Curve { name: "continuous".into(), points: ends.map(|x| (x, 1.0)).to_vec() });
    for (method, in_order) in METHODS.iter().zip(&in_order) {
        said += &format!(
            "The paper's order, of the medians, with \"{}\" holds in {} of {n} points{}{}.\n",
            method.name,
            in_order.len(),
            if in_order.is_empty() { "" } else { ": " },
            in_order.join(", ")
        );
    }
    Ok(Figure {
        id,
        title,
        paper: "Jitter of the force: continuous below discrete with features from CCD below discrete. One chain, no mass stated.",
        ours: said,
        x: "log₁₀(k Δt²/m)",
        y: of,
        log: true,
        room: Some(ends[1] + 1.5),
        curves,
    })
}

/// Kinetic energy (J) below which the box counts as at rest, in all of the last second: it falls by a joule.
const REST: f64 = 1e-6;

/// Initial tilts of the box (degrees).
const TILTS: [f64; 5] = [3.0, 5.0, 7.0, 9.0, 11.0];

fn resting(fixtures: Fixtures<'_>) -> Result<Figure, String> {
    let dimensionless: Vec<f64> = [1e-4, 3e-4, 1e-3, 2e-3, 4e-3, 8e-3, 1.6e-2, 2.8e-2, 4e-2, 4.6e-2]
        .into_iter()
        .chain((50..=66).step_by(2).map(|n| f64::from(n) * 1e-3))
        .chain([7e-2, 8e-2, 0.11, 0.16])
        .collect();
    // On nine vertices the box sinks in by m g / 9 k: at half of 10 N/m by more than its height.
    let stiff = dimensionless.iter().map(|x| x / (STEP * STEP)).filter(|k| *k > 9.9);
    let walks: [Walk; 2] = [
        ("by stiffness at 0.02 s", stiff.map(|k| [k, STEP]).collect()),
        ("by step at 1 kN/m", dimensionless.iter().map(|x| [1000.0, (x / 1000.0).sqrt()]).collect()),
    ];
    let mut said = format!(
        "One kilogram, no damper. Initial tilts of {} at rest at the end (kinetic energy below {REST:e} J in the last second), of {}:\n",
        TILTS.len(),
        METHODS.map(|m| m.name).join("; ")
    );
    let mut curves = Vec::new();
    let mut points = 0;
    let mut beside = [const { [Vec::new(), Vec::new()] }; 2];
    for (walk, values) in walks {
        let mut late = [const { Vec::new() }; METHODS.len()];
        for [k, dt] in values {
            let kappa = k * dt * dt;
            let mut at_rest = [0; METHODS.len()];
            let mut energies = [const { Vec::new() }; METHODS.len()];
            for tilt in TILTS {
                let (k, dt) = (format!("{k:?}"), format!("{dt:?}"));
                let turned = format!("{{ axis = [1.0, 0.4, 0.0], degrees = {tilt:?} }}");
                let keys = [
                    ("pair.0.stiffness", k.as_str()),
                    ("scene.dt", dt.as_str()),
                    ("body.box.rotation", turned.as_str()),
                ];
                for (i, method) in METHODS.into_iter().enumerate() {
                    let spec = method.scene("box-rest", fixtures, &keys, "")?;
                    let r = held(&spec, method.response, [&["box"], &["floor"]], |_| true)?;
                    let energy = r.map_or(f64::INFINITY, |r| {
                        let end = r.kinetic.last().map_or(0.0, |p| p.0);
                        let last: Vec<_> = r.kinetic.into_iter().filter(|p| p.0 > end - 1.0).collect();
                        largest(&last)
                    });
                    at_rest[i] += usize::from(energy < REST);
                    energies[i].push(energy);
                }
            }
            let of = at_rest.map(|n| n.to_string()).join(", ");
            said += &format!("{walk}, k Δt²/m = {}: {of} of {}\n", short(kappa), TILTS.len());
            points += 1;
            let continuous = at_rest[OTHERS];
            for ([more, fewer], n) in beside.iter_mut().zip(at_rest) {
                if continuous != n {
                    let list = if continuous > n { more } else { fewer };
                    list.push(format!("{} {walk}", short(kappa)));
                }
            }
            for (out, e) in late.iter_mut().zip(energies) {
                // What is far below rest is no energy worth a decade of the axis.
                out.extend(spread(e).map(|e| (kappa.log10(), e[1].max(1e-16))));
            }
        }
        for (method, points) in METHODS.iter().zip(late) {
            curves.push(Curve { name: format!("{}, {walk}", method.name), points });
        }
    }
    let list = |points: &[String]| if points.is_empty() { "none".into() } else { points.join(", ") };
    for (method, [more, fewer]) in METHODS.iter().zip(&beside) {
        said += &format!(
            "Of {points} points more tilts come to rest under the continuous force than under \"{}\" in {}: {}; fewer in {}: {}.\n",
            method.name,
            more.len(),
            list(more),
            fewer.len(),
            list(fewer)
        );
    }
    said += "The curves are medians over the tilts, not below 1e-16 J.";
    Ok(Figure {
        id: "box-rest-map",
        title: "Section 5.1 over the dimensionless stiffness: a box on a plane",
        paper: "It comes to rest with continuous forces; with discrete ones jitter keeps it from stopping. No number stated.",
        ours: said,
        x: "log₁₀(k Δt²/m)",
        y: "largest kinetic energy in the last second [J]",
        log: true,
        room: Some(1.5),
        curves,
    })
}
