//! Figs. 6 and 9 of "Volume Contact Constraints at Arbitrary Resolution" (seed 002).
//!
//! The paper gives no shapes, sizes, moduli or coefficients; what can be held against it is what it says in words. Times of its Table 1 are those of
//! `cargo xtask bench volume`, which prints the columns. Fig. 7 is in `snake`.

use super::figure::{Curve, Figure, short};
use super::seed_000::{Entry, Fixtures};
use impinge_contact::PairLaw;
use impinge_geometry::{DVec3, MeshError, Pose, TriMesh, generators};
use impinge_scene::{Response, SceneSpec};
use impinge_world::{
    BodyDesc, Mass, Measurement, NodeState, Overlaps, Simulation, VolumeReport, VolumeSettings, Walls,
    worst as larger,
};
use std::path::Path;
use std::time::Instant;

/// The figures of the paper.
pub const FIGURES: &[Entry] = &[
    ("ldi-fig-6", |_: Fixtures<'_>| resolution()),
    ("ldi-fig-6-passes", |_: Fixtures<'_>| passes()),
    ("ldi-fig-9", |_: Fixtures<'_>| toys(&[])),
];

/// Two bodies that overlap at the start.
struct Pair {
    name: &'static str,
    meshes: fn() -> Result<[TriMesh; 2], MeshError>,
    /// From the first to the second (m). The grid has its cells about the middle between them.
    way: [f64; 3],
    /// Edges of the grid's cells (m), coarse to fine.
    cells: [f64; 5],
}

/// Mean depth that is left (m): little, so that nearly all of the volume has to go.
const DEPTH: f64 = 1e-6;
/// Solutions of the stabilisation, one after the other.
const PASSES: usize = 12;

const PAIRS: [Pair; 4] = [
    Pair {
        name: "balls (convex)",
        meshes: || twice(generators::icosphere(0.1, 4)),
        way: [0.0, 0.0, 0.18],
        cells: [0.06, 0.04, 0.02, 0.014, 0.01],
    },
    Pair {
        name: "box on a broader box (convex)",
        meshes: || {
            let of = |size| generators::cuboid(DVec3::broadcast(size), [2; 3]);
            Ok([of(0.2)?, of(0.1)?])
        },
        way: [0.013, 0.009, 0.14],
        cells: [0.2, 0.08, 0.05, 0.03, 0.02],
    },
    Pair {
        name: "rings (not convex)",
        meshes: || twice(generators::torus(0.1, 0.035, 48, 24)),
        way: [0.07, 0.0, 0.055],
        cells: [0.1, 0.06, 0.04, 0.025, 0.015],
    },
    Pair {
        name: "dragons (not convex)",
        meshes: || twice(generators::dragon(0.3, 16)),
        way: [0.02, 0.01, 0.1],
        cells: [0.15, 0.08, 0.06, 0.04, 0.03],
    },
];

fn twice(mesh: Result<TriMesh, MeshError>) -> Result<[TriMesh; 2], MeshError> {
    let mesh = mesh?;
    Ok([mesh.clone(), mesh])
}

/// The pair without weight and at rest; nothing moves it but the stabilisation.
fn overlapping(pair: &Pair, cell: Option<f64>, passes: u32) -> Result<Simulation, String> {
    let meshes = (pair.meshes)().map_err(|e| e.to_string())?;
    let half = DVec3::from(pair.way) * 0.5;
    let settings = VolumeSettings {
        // The paper's: a pair, or a cell, is one contact, and walls move with both bodies.
        measure: Measurement { cell, by_place: Some(false), walls: Walls::Shared, ..Measurement::default() },
        depth: DEPTH,
        passes,
        ..VolumeSettings::default()
    };
    // Stiffness is nothing to constraints.
    let law = PairLaw::elastic(1.0);
    let builder = Simulation::builder(0.01).gravity(DVec3::zero()).law(law);
    let mut builder = builder.response(settings);
    for ((name, at), mesh) in [("first", -half), ("second", half)].into_iter().zip(&meshes) {
        let pose = Pose::from_position(at);
        let body = BodyDesc::rigid(name, mesh, Mass::Density(1000.0), pose).map_err(|e| e.to_string())?;
        builder = builder.body(body);
    }
    builder.build().map_err(|e| e.to_string())
}

/// What solutions leave.
struct Solved {
    /// Contacts at the start and after one solution.
    contacts: [u32; 2],
    /// Volume over that at the start, from before the first solution on.
    left: Vec<f64>,
    /// Largest velocity that came of it (m/s).
    speed: f64,
}

/// Volume left after each of `count` linear solutions: Newton's method as the paper writes it, a step of one pass each.
fn solutions(pair: &Pair, cell: Option<f64>, count: usize) -> Result<Solved, String> {
    let mut sim = overlapping(pair, cell, 1)?;
    let (mut contacts, mut start, mut left, mut speed) = ([0; 2], 0.0, vec![1.0], 0.0);
    for i in 0..count.max(2) {
        sim.step().map_err(|e| format!("{}: {e}", pair.name))?;
        let report = *sim.column::<VolumeReport>();
        if i < 2 {
            contacts[i] = report.cells;
        }
        if i == 0 {
            start = sim.column::<Overlaps>().pairs.iter().map(|p| p.overlap.volume()).sum();
        }
        left.push(report.volume / start);
        speed = larger(speed, (0..2).map(|b| sim.twist(b).velocity.mag()).fold(0.0, larger));
    }
    Ok(Solved { contacts, left, speed })
}

/// Passes that the response's own stage takes in one step, and the volume that it leaves over that at the start.
fn stage(pair: &Pair, cell: Option<f64>) -> Result<(u32, f64), String> {
    let mut sim = overlapping(pair, cell, VolumeSettings::default().passes)?;
    sim.step().map_err(|e| format!("{}: {e}", pair.name))?;
    let start: f64 = sim.column::<Overlaps>().pairs.iter().map(|p| p.overlap.volume()).sum();
    let report = *sim.column::<VolumeReport>();
    Ok((report.passes, report.volume / start))
}

/// Fig. 6: volume left after one solution, by the number of contacts.
fn resolution() -> Result<Figure, String> {
    let (mut curves, mut said, mut rises) = (Vec::new(), String::new(), 0);
    for pair in &PAIRS {
        let mut points: Vec<(f64, f64)> = Vec::new();
        said += pair.name;
        said += ": ";
        for cell in std::iter::once(None).chain(pair.cells.map(Some)) {
            let s = solutions(pair, cell, 1)?;
            points.push((f64::from(s.contacts[0]), 100.0 * s.left[1]));
            let line = format!(
                "{} % with {} ({} still overlap)",
                short(100.0 * s.left[1]),
                s.contacts[0],
                s.contacts[1]
            );
            said += &format!("{}{line}", if points.len() > 1 { ", " } else { "" });
        }
        rises += points.windows(2).filter(|w| w[1].1 > 1.01 * w[0].1).count();
        said.push('\n');
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        curves.push(Curve { name: pair.name.into(), points });
    }
    Ok(Figure {
        id: "ldi-fig-6",
        title: "Seed 002, Fig. 6: intersection after one solution of the stabilisation, by the number of contacts",
        paper: "Some intersection remains between convex bodies, as their contact shrinks as they move apart; with more volumes the gradients \
                are linearised more \
                accurately, and outer contacts are discarded during the solution. Pictures; no numbers, no shapes.",
        ours: format!(
            "Volume left after one solution, in percent of that at the start, by the number of contacts:\n{said}A finer grid leaves more than \
             the next coarser one (by over 1 %) in {rises} of {} \
             cases. Rigid bodies without weight; shapes and sizes are ours.",
            PAIRS.iter().map(|p| p.cells.len()).sum::<usize>()
        ),
        x: "contacts [1]",
        y: "volume left after one solution [%]",
        log: false,
        room: None,
        curves,
    })
}

/// Fig. 6 and section 5: volume left after each solution.
fn passes() -> Result<Figure, String> {
    let (mut curves, mut said, mut speed) = (Vec::new(), String::new(), 0.0);
    for pair in &PAIRS {
        for cell in [None, Some(pair.cells[2])] {
            let s = solutions(pair, cell, PASSES)?;
            let (n, rest) = stage(pair, cell)?;
            speed = larger(speed, s.speed);
            let name = format!("{}, {}", pair.name, contacts(s.contacts[0]));
            let enough = s.left.iter().position(|v| *v < 1e-3);
            said += &format!(
                "{name}: {} % after one, {} % after two; below 0.1 % after {}; the response's own stage takes {n} passes to {rest:.1e}\n",
                short(100.0 * s.left[1]),
                short(100.0 * s.left[2]),
                enough.map_or(format!("more than {PASSES}"), |n| n.to_string())
            );
            let points = s.left.iter().enumerate().map(|(i, v)| (i as f64, *v)).collect();
            curves.push(Curve { name, points });
        }
    }
    Ok(Figure {
        id: "ldi-fig-6-passes",
        title: "Seed 002, section 5: volume left by repeated stabilisation",
        paper: "A complete correction with one volume takes several iterations to converge; no numbers.",
        ours: format!(
            "Newton's method as the paper writes it, one solution after the other. Largest velocity that came of it {speed:.1e} m/s: positions \
             only. The response's own \
             stage asks for more where the last pass fell short, and ends at no more than 2 % above the volume that it keeps ({DEPTH:e} m times \
             the contact's area).\n{said}"
        ),
        x: "solutions [1]",
        y: "volume / volume at the start [1]",
        log: true,
        room: None,
        curves,
    })
}

/// A number of contacts in words.
pub fn contacts(n: u32) -> String {
    format!("{n} contact{}", if n == 1 { "" } else { "s" })
}

/// A scene of this folder with keys set.
pub fn own(text: &str, keys: &[(&str, &str)]) -> Result<SceneSpec, String> {
    SceneSpec::from_str_with(text, Path::new("repro.toml"), keys).map_err(|e| e.to_string())
}

/// Fig. 9: soft toys.
fn toys(keys: &[(&str, &str)]) -> Result<Figure, String> {
    let spec = own(include_str!("toys.toml"), keys)?;
    let mut sim = spec.simulation_with(Response::VOLUME).map_err(|e| e.to_string())?;
    let soft = sim.deformables();
    let triangles: usize = sim
        .column::<impinge_world::Shapes>()
        .0
        .iter()
        .filter_map(|s| s.triangles())
        .map(|m| m.triangles().len())
        .sum();
    let (mut cells, mut depth, mut left) = (Vec::new(), 0.0, 0.0);
    let (mut passes, mut iterations, mut unfinished, mut residual) = (0u32, 0u64, 0u32, 0.0);
    let (mut momentum, mut times, mut stopped) = (0.0, Vec::new(), None);
    for _ in 0..spec.steps() {
        let start = Instant::now();
        if let Err(e) = sim.step() {
            stopped = Some(e.to_string());
            break;
        }
        times.push(start.elapsed().as_secs_f64());
        let r = *sim.column::<VolumeReport>();
        cells.push((sim.time(), f64::from(r.cells)));
        depth = larger(depth, r.depth);
        left = larger(left, r.left);
        passes = passes.max(r.passes);
        iterations += u64::from(r.iterations);
        unfinished += r.unfinished;
        residual = larger(residual, r.residual);
        momentum = larger(momentum, sim.ledger().momentum.linear_residual.mag());
    }
    times.sort_by(f64::total_cmp);
    let median = times.get(times.len() / 2).copied().unwrap_or(f64::NAN);
    let most = cells.iter().map(|c| c.1).fold(0.0, f64::max);
    let kinetic = sim.energy().kinetic();
    let nodes = sim.column::<NodeState>().x.len();
    Ok(Figure {
        id: "ldi-fig-9",
        title: "Seed 002, Fig. 9 and Table 1: soft toys fall on each other",
        paper: "40 soft toys in a pile, a picture. Table 1: with 10 toys 205k triangles, at most 99 contacts, 7.29 iterations per second (GTX \
                285); with 20, 379k, 242, 2.44; with 40, \
                725k, 544, 0.88.",
        ours: format!(
            "{soft} soft toys (octopuses, dragons, rings), {triangles} triangles, {nodes} nodes, {} s in steps of {} s: {} contacts at most; \
             mean depth of a contact {} m at most, \
             volume left above the aim {left:.1e} m³ at most, {passes} passes at most; {iterations} iterations in all, {unfinished} solves \
             short of the tolerance, largest residual \
             {residual:.1e}; linear momentum off by {momentum:.1e} N·s at most; kinetic energy at the end {} J; {} steps per second \
             (median){}.\nWhat differs: \
             ten toys and not forty, generated shapes in place of the paper's meshes, volumes measured exactly in place of images on a graphics \
             card, and a lattice of coarse cells \
             inside. The columns of Table 1 for stages are printed by `cargo xtask bench volume`.",
            short(sim.time()),
            short(sim.dt()),
            short(most),
            short(depth),
            short(kinetic),
            short(1.0 / median),
            stopped.map_or(String::new(), |s| format!("; stopped: {s}"))
        ),
        x: "t [s]",
        y: "contacts [1]",
        log: false,
        room: None,
        curves: vec![Curve { name: format!("{soft} toys"), points: cells }],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_solution_leaves_a_quarter_of_a_lens_and_less_with_more_contacts() {
        let one = solutions(&PAIRS[0], None, 3).unwrap();
        let many = solutions(&PAIRS[0], Some(PAIRS[0].cells[2]), 2).unwrap();
        println!("{:?} {:?}; {:?} {:?}", one.contacts, one.left, many.contacts, many.left);
        // V goes with the square of the depth, and the solution halves it: a quarter, a sixteenth.
        assert_eq!(one.contacts[0], 1);
        assert!((one.left[1] - 0.25).abs() < 0.02 && (one.left[2] - 0.0625).abs() < 0.01, "{:?}", one.left);
        assert!(many.contacts[0] > 4 && many.contacts[1] < many.contacts[0], "{:?}", many.contacts);
        assert!(many.left[1] < 0.5 * one.left[1], "{:?}", many.left);
        assert_eq!(one.speed, 0.0, "positions only");
    }

    #[test]
    fn toys_touch_and_are_solved() {
        let f = toys(&[("scene.duration", "0.2")]).unwrap();
        println!("{}", f.ours);
        assert!(f.ours.starts_with("10 soft toys") && f.ours.contains(" 0 solves short"), "{}", f.ours);
        let points = &f.curves[0].points;
        assert!(points.len() == 20 && points[0].1 == 0.0 && points[19].1 > 0.0, "{points:?}");
    }

    #[test]
    fn what_neither_shrinks_nor_turns_is_gone_at_once() {
        let centred = Pair { way: [0.0, 0.0, 0.14], ..PAIRS[1] };
        let [straight, aside] = [&centred, &PAIRS[1]].map(|p| solutions(p, None, 1).unwrap().left[1]);
        let (n, _) = stage(&centred, None).unwrap();
        println!("{straight} and {aside} left; {n} passes");
        // The stage adds a thousandth to each contact's compliance, and keeps a micrometre of the centimetre.
        assert!(straight < 2e-3 && n <= 2, "{straight} left, {n} passes");
        assert!(aside > straight, "off the centre they turn, and a wedge is left: {aside}");
    }
}
