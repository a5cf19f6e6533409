//! Fig. 2 of "QP-Collide" (seed 001): a stiff cable falls off a pulley (a), and hangs over a cylinder between two fixed ends (b).
//!
//! The paper has two snapshots and words: collisions and fixed constraints are handled well, the stiffness is above 10⁵ N/m, and rows that
//! toggle are dropped for good (§7.2). It gives no sizes, no step, no numbers. Both pictures are computed from the scene `cable-qp`, which
//! says what was chosen, at the scene's step and at 33 ms. That nothing penetrates is measured apart from the response, by separating axes in
//! the plane in which all of it stays.

use super::figure::{Curve, Figure, short};
use super::seed_000::{Entry, Fixtures};
use super::series::{largest, mean, scene};
use impinge_scene::{Fabric, Motion, Response, SceneSpec, SoftMotion};
use impinge_world::{NodeState, QpReport, Shape, Shapes, Simulation, worst as larger};
use std::sync::OnceLock;

/// The figures of the paper.
pub const FIGURES: &[Entry] = &[
    ("qp-fig-2a", |f: Fixtures<'_>| picture(f, 0)),
    ("qp-fig-2b", |f: Fixtures<'_>| picture(f, 1)),
    ("qp-fig-2-strain", strains),
];

/// Steps (s): the scene's, and the longest that it is known to hold at.
const STEPS: [&str; 2] = ["0.01", "0.033"];

/// Keys of a scene and their values.
type Keys = &'static [(&'static str, &'static str)];

/// What makes (a) of the scene of (b): no end is held, and the cable starts to one side of a pulley without friction.
const PULLEY: Keys =
    &[("body.cable.attach", "[]"), ("body.cable.position", "[0.12, 0.0, 0.0]"), ("pair.0.mu_s", "0.0")];
/// How long (a) and (b) are watched (s).
const SECONDS: [f64; 2] = [6.0, 10.0];
/// Without contact for so long after it (s), the cable is off, and the run ends.
const OFF: f64 = 0.3;

/// One run.
#[derive(Clone, Debug, Default)]
struct Ran {
    /// Rows that act, linear systems, and largest |length / rest − 1| of a segment, over time (s).
    active: Vec<(f64, f64)>,
    systems: Vec<(f64, f64)>,
    strain: Vec<(f64, f64)>,
    /// Least gap between the cable and the drum's polygon (m); below zero where one is inside the other.
    gap: f64,
    /// Of the steps: rows at most, changes of a row from active to inactive or back, programs short of the tolerance.
    rows: u32,
    toggles: u32,
    unfinished: u32,
    /// Ways cut short and pairs left touching: constraints that were given up.
    given_up: u32,
    /// Largest residual of Karush, Kuhn and Tucker.
    residual: f64,
    /// Stiffness of the longest segment in the scene's terms: E A / length (N/m).
    stiffness: f64,
    /// At the end: lowest node (m), speed of the cable's centre (m/s), force on the drum (N).
    lowest: f64,
    speed: f64,
    carried: f64,
    /// The last time that a row acted (s).
    contact: f64,
    /// It has come off.
    off: bool,
    stopped: Option<String>,
}

/// Outline of a body in the plane y = 0 (m), a convex polygon in order.
fn outline(sim: &Simulation, slot: u32) -> Result<Vec<[f64; 2]>, String> {
    let shapes = sim.column::<Shapes>();
    let mesh = match &shapes.0[slot as usize] {
        Shape::Mesh(_) => shapes.0[slot as usize].triangles(),
        _ => None,
    };
    let pose = sim.pose(slot);
    let world: Vec<_> =
        mesh.ok_or("the drum has no mesh")?.positions().iter().map(|&p| pose.point_to_world(p)).collect();
    let end = world.iter().map(|p| p.y).fold(f64::NEG_INFINITY, f64::max);
    let rim = world.iter().filter(|p| p.y > end - 1e-9);
    let centre = [pose.position.x, pose.position.z];
    let mut rim: Vec<[f64; 2]> = rim.map(|p| [p.x - centre[0], p.z - centre[1]]).collect();
    // The middle of the end face is no corner.
    let radius = rim.iter().map(|p| p[0].hypot(p[1])).fold(0.0, f64::max);
    rim.retain(|p| p[0].hypot(p[1]) > 0.5 * radius);
    rim.sort_by(|a, b| a[1].atan2(a[0]).total_cmp(&b[1].atan2(b[0])));
    Ok(rim.into_iter().map(|p| [p[0] + centre[0], p[1] + centre[1]]).collect())
}

/// How far a segment is from a convex polygon (m), by separating axes: the distance where a corner of one faces a side of the other, no more
/// than it elsewhere, and minus the depth where they meet.
fn separation(polygon: &[[f64; 2]], [a, b]: [[f64; 2]; 2]) -> f64 {
    let dot = |n: [f64; 2], p: [f64; 2]| n[0] * p[0] + n[1] * p[1];
    let least = |n: [f64; 2], of: &[[f64; 2]]| of.iter().map(|&p| dot(n, p)).fold(f64::INFINITY, f64::min);
    let unit = |x: f64, y: f64| [x / x.hypot(y), y / x.hypot(y)];
    let sides = (0..polygon.len()).map(|i| {
        let (p, q) = (polygon[i], polygon[(i + 1) % polygon.len()]);
        // Corners go round against the clock: outwards is to the right.
        let n = unit(q[1] - p[1], p[0] - q[0]);
        least(n, &[a, b]) - dot(n, p)
    });
    let n = unit(b[1] - a[1], a[0] - b[0]);
    let across = [n, [-n[0], -n[1]]].map(|n| least(n, polygon) - dot(n, a));
    sides.chain(across).fold(f64::NEG_INFINITY, f64::max)
}

fn ran(fixtures: Fixtures<'_>, keys: &[(&str, &str)], seconds: f64) -> Result<Ran, String> {
    let spec = scene("cable-qp", fixtures, keys)?;
    let mut sim = spec.simulation_with(Response::QP).map_err(|e| e.to_string())?;
    let slot = |name: &str| sim.slot(name).ok_or(format!("no body '{name}'"));
    let (cable, drum) = (slot("cable")?, slot("drum")?);
    let polygon = outline(&sim, drum)?;
    let edges = sim.deformable(cable).ok_or("the cable is no deformable")?.edges();
    let first = sim.nodes_of(cable).start;
    let mut r = Ran { gap: f64::INFINITY, ..Ran::default() };
    r.stiffness = stiffness(&spec, &edges)?;
    while sim.time() < seconds * (1.0 - 1e-9) && !r.off {
        if let Err(e) = sim.step() {
            r.stopped = Some(e.to_string());
            break;
        }
        let (t, q) = (sim.time(), *sim.column::<QpReport>());
        r.active.push((t, f64::from(q.active)));
        r.systems.push((t, f64::from(q.iterations)));
        r.rows = r.rows.max(q.rows);
        r.toggles += q.toggles;
        r.unfinished += q.unfinished;
        r.given_up += q.cut + q.left;
        r.residual = larger(r.residual, q.residual);
        if q.active > 0 {
            r.contact = t;
        }
        r.off = r.contact > 0.0 && t - r.contact > OFF;
        let nodes = sim.column::<NodeState>();
        let mut most = 0.0;
        for ([i, j], rest) in &edges {
            let [a, b] = [i, j].map(|n| nodes.x[first + *n as usize]);
            most = larger(most, ((b - a).mag() / rest - 1.0).abs());
            r.gap = -larger(-r.gap, -separation(&polygon, [[a.x, a.z], [b.x, b.z]]));
        }
        r.strain.push((t, most));
    }
    let nodes = sim.column::<NodeState>();
    r.lowest = nodes.x[sim.nodes_of(cable)].iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    r.speed = sim.velocity(cable).map_or(0.0, |v| v.mag());
    r.carried = sim.contact_force(drum).mag();
    Ok(r)
}

/// E A over the longest segment's length (N/m): the least stiffness of the cable's springs.
fn stiffness(spec: &SceneSpec, edges: &[([u32; 2], f64)]) -> Result<f64, String> {
    let longest = edges.iter().map(|e| e.1).fold(0.0, f64::max);
    let cable = spec.bodies.iter().find_map(|b| match &b.motion {
        Motion::Deformable(SoftMotion { fabric: Fabric::Cable { young, radius, .. }, .. }) => {
            Some(young * std::f64::consts::PI * radius * radius)
        }
        _ => None,
    });
    Ok(cable.ok_or("the scene has no cable")? / longest)
}

/// All four runs: (a) and (b), each at both steps.
fn all(fixtures: Fixtures<'_>) -> Result<&'static [[Ran; 2]; 2], String> {
    static ALL: OnceLock<Result<[[Ran; 2]; 2], String>> = OnceLock::new();
    let both = |keys: Keys, seconds: f64| -> Result<[Ran; 2], String> {
        let [a, b] = STEPS.map(|dt| ran(fixtures, &[keys, &[("scene.dt", dt)]].concat(), seconds));
        Ok([a?, b?])
    };
    ALL.get_or_init(|| Ok([both(PULLEY, SECONDS[0])?, both(&[], SECONDS[1])?])).as_ref().map_err(Clone::clone)
}

/// What is said of a run.
fn said(r: &Ran, dt: &str) -> String {
    format!(
        "{dt} s: least gap {:.3} mm ({}); ways cut and pairs left {}; programs short of the tolerance {} (largest KKT residual \
         {:.1e}); rows {} at most, {} of them act at most; {} changes of rows, {} linear systems in the worst step, {} in the mean; largest \
         strain {:.1e}; \
         {} at {} s: {} m/s, {} N on the drum, lowest node at {} m{}\n",
        1e3 * r.gap,
        if r.gap > 0.0 { "nothing penetrates" } else { "it penetrates" },
        r.given_up,
        r.unfinished,
        r.residual,
        r.rows,
        short(largest(&r.active)),
        r.toggles,
        short(largest(&r.systems)),
        short(mean(&r.systems)),
        largest(&r.strain),
        if r.off { "off the drum, last contact" } else { "on the drum still" },
        short(r.contact),
        short(r.speed),
        short(r.carried),
        short(r.lowest),
        r.stopped.as_ref().map_or(String::new(), |s| format!("; stopped: {s}"))
    )
}

/// (a) or (b): rows that act and linear systems over time.
fn picture(fixtures: Fixtures<'_>, which: usize) -> Result<Figure, String> {
    let runs = &all(fixtures)?[which];
    Ok(shown(runs, which))
}

fn shown(runs: &[Ran; 2], which: usize) -> Figure {
    let mut curves = Vec::new();
    for (r, dt) in runs.iter().zip(STEPS) {
        curves.push(Curve { name: format!("rows that act, {dt} s"), points: r.active.clone() });
        curves.push(Curve { name: format!("linear systems, {dt} s"), points: r.systems.clone() });
    }
    let lines: String = runs.iter().zip(STEPS).map(|(r, dt)| said(r, dt)).collect();
    let [(id, title, how), b] = [
        (
            "qp-fig-2a",
            "Seed 001, Fig. 2a: a stiff cable falls off a pulley",
            "The scene `cable-qp` with its ends free, 12 cm to one side, without friction: the pulley does not turn.",
        ),
        (
            "qp-fig-2b",
            "Seed 001, Fig. 2b: a stiff cable hangs over a cylinder between two fixed ends",
            "The scene `cable-qp`.",
        ),
    ];
    let (id, title, how) = if which == 0 { (id, title, how) } else { b };
    Figure {
        id,
        title,
        paper: "A snapshot. Collisions and fixed constraints are handled well; stiffness above 1e5 N/m, at which rows that toggle are \
                dropped for good. No sizes, no step, no numbers.",
        ours: format!(
            "{how} Springs of {} N/m or more. \
             This active set drops no row; of a program that ends short of its tolerance the best iterate is taken. \
             The gap is measured apart from the \
             response.\n{lines}\
             That the picture looks the same cannot be checked: the paper says neither sizes nor times.",
            short(runs[0].stiffness)
        ),
        x: "t [s]",
        y: "rows, systems [1]",
        log: false,
        room: None,
        curves,
    }
}

/// Strain over time of all four runs.
fn strains(fixtures: Fixtures<'_>) -> Result<Figure, String> {
    let all = all(fixtures)?;
    let mut curves = Vec::new();
    for (runs, name) in all.iter().zip(["off the pulley", "over the cylinder"]) {
        for (r, dt) in runs.iter().zip(STEPS) {
            curves.push(Curve { name: format!("{name}, {dt} s"), points: r.strain.clone() });
        }
    }
    let at_end = |r: &Ran| r.strain.last().map_or(f64::NAN, |p| p.1);
    Ok(Figure {
        id: "qp-fig-2-strain",
        title: "Seed 001, Fig. 2: strain of the stiff cable",
        paper: "Not given; the cable is called stiff (above 1e5 N/m).",
        ours: format!(
            "Largest |length / rest − 1| of a segment. At the end, (a): {:.1e} and {:.1e}; (b): {:.1e} and {:.1e}; largest in a run, (a): \
             {:.1e} and {:.1e}; (b): \
             {:.1e} and {:.1e}, at {} and {} s each. The springs alone hold it: no strain rows (section 4.5) are used.",
            at_end(&all[0][0]),
            at_end(&all[0][1]),
            at_end(&all[1][0]),
            at_end(&all[1][1]),
            largest(&all[0][0].strain),
            largest(&all[0][1].strain),
            largest(&all[1][0].strain),
            largest(&all[1][1].strain),
            STEPS[0],
            STEPS[1]
        ),
        x: "t [s]",
        y: "strain [1]",
        log: true,
        room: None,
        curves,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separation_is_the_distance_to_a_side_and_minus_the_depth() {
        let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let of = |a, b| separation(&square, [a, b]);
        assert!((of([0.2, 1.3], [0.8, 1.5]) - 0.3).abs() < 1e-15, "an end over a side");
        assert!((of([0.5, 2.0], [2.0, 0.5]) - 0.125f64.sqrt()).abs() < 1e-15, "a corner under the segment");
        assert!((of([0.5, 0.9], [0.5, 3.0]) + 0.1).abs() < 1e-15, "an end inside");
        assert!(of([-1.0, 0.5], [2.0, 0.5]) < -0.4, "through it");
    }

    #[test]
    fn the_cable_meets_the_drum_and_stays_out_of_it() {
        let keys = [("scene.dt", STEPS[1])];
        let r = ran(None, &keys, 1.5).unwrap();
        println!("{r:?}");
        assert!(r.stopped.is_none() && r.given_up == 0 && r.strain.len() == 46);
        assert!(largest(&r.active) >= 4.0 && largest(&r.systems) > 1.0);
        // Thickness is 2 mm; where two corners face each other the axes say less.
        assert!(r.gap > 5e-4 && r.gap < 2.1e-3, "{} m", r.gap);
        assert!(r.stiffness > 1e5 && largest(&r.strain) < 0.1, "{} N/m, {}", r.stiffness, largest(&r.strain));
    }

    #[test]
    fn an_outline_is_the_drums_polygon() {
        let sim = scene("cable-qp", None, &[]).unwrap().simulation_with(Response::QP).unwrap();
        let outline = outline(&sim, sim.slot("drum").unwrap()).unwrap();
        assert_eq!(outline.len(), 48);
        for p in &outline {
            assert!(((p[0] - 0.013).hypot(p[1] - 0.1) - 0.12).abs() < 1e-12, "{p:?}");
        }
        let turns = (0..48).all(|i| {
            let [a, b, c] = [0, 1, 2].map(|k| outline[(i + k) % 48]);
            (b[0] - a[0]) * (c[1] - b[1]) > (b[1] - a[1]) * (c[0] - b[0])
        });
        assert!(turns, "against the clock");
    }
}
