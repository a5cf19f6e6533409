//! Boxes and plates of one size stacked edge on edge, turned and offset: sides in one plane do not push sideways, corners count once.

use impinge_geometry::DVec3;
use impinge_scene::{Response, SceneSpec};
use std::path::Path;

/// What lies at rest, and the largest errors of it.
struct Rest {
    /// Way aside of the farthest body (m).
    aside: f64,
    /// Sine of the angle by which the worst body leans.
    lean: f64,
    /// Mean force on the lowest body over the last quarter (N).
    force: f64,
}

/// Runs `steps` of a scene whose first body is what the others stand on.
fn rest(spec: &SceneSpec, response: Response, steps: u32) -> Result<Rest, String> {
    let mut sim = spec.simulation_with(response).map_err(|e| e.to_string())?;
    let bodies = 1..sim.names().len() as u32;
    let start: Vec<_> = bodies.clone().map(|b| sim.pose(b)).collect();
    let mut out = Rest { aside: 0.0, lean: 0.0, force: 0.0 };
    let last = steps / 4;
    for step in 0..steps {
        sim.step().map_err(|e| format!("step {step}: {e}"))?;
        for (b, from) in bodies.clone().zip(&start) {
            let (now, up) = (sim.pose(b), DVec3::unit_z());
            let by = now.position - from.position;
            out.aside = out.aside.max(by.x.abs()).max(by.y.abs());
            out.lean = out.lean.max(now.vector_to_world(from.vector_to_body(up)).cross(up).mag());
        }
        if step >= steps - last {
            out.force -= sim.contact_force(0).z / f64::from(last);
        }
    }
    Ok(out)
}

const CARDS: &str = r#"
[scene]
title = "t"
description = "d"
dt = 0.001
duration = 1.0

[qp]
thickness = 1e-4

[[material]]
name = "any"

[[pair]]
materials = ["any", "any"]
stiffness = 200.0
damping = { kelvin_voigt = 0.1 }

[[body]]
name = "table"
kind = "fixed"
material = "any"
plane = {}

[[body]]
name = "card"
material = "any"
mass = 0.0018
mesh = { plate = { size = [0.063, 0.088], thickness = 0.0003, segments = 2 } }
pressure = { modulus = 1e4, dissipation = 10.0 }
position = [0.0, 0.0, 0.00015]
copies = { count = 3, offset = [0.0, 0.0, 0.0003] }
"#;

#[test]
fn cards_without_friction_lie_still() {
    for (response, dt, steps) in [
        (Response::CPF_IMPLICIT, "0.001", 300),
        (Response::QP, "0.001", 300),
        (Response::CPF, "0.0002", 1500),
        (Response::DPF_CCD, "0.0002", 1500),
        // What rounding adds up takes half a second to show.
        (Response::PRESSURE, "0.001", 1000),
    ] {
        let text = CARDS.replace("dt = 0.001", &format!("dt = {dt}"));
        let spec = SceneSpec::from_str(&text, Path::new("cards")).unwrap();
        let Rest { aside, force, .. } = rest(&spec, response, steps).unwrap();
        let weight = 3.0 * 0.0018 * 9.81;
        assert!(aside <= 1e-9, "{response:?}: {aside:e} m aside");
        assert!((force / weight - 1.0).abs() < 1e-3, "{response:?}: {force} of {weight} N");
    }
}

/// Numbers in [0, 1) without a library: xorshift.
struct Numbers(u64);

impl Numbers {
    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn one_of<T: Copy>(&mut self, of: &[T]) -> T {
        of[(self.unit() * of.len() as f64) as usize]
    }
}

/// Of 1 cm to 2 m, up to 13 m from the origin, turned, in cells of a third to two thirds of a side: a quarter of a second, in which sides a depth high
/// drove the upper ones off by 1e-5 to 1e-3 m.
#[test]
fn cards_in_cells_lie_still_wherever_the_grid_is() {
    let mut from = Numbers(0x5eed_0051_f1a5_4001);
    for draw in 0..10 {
        let a = 0.01 * 200f64.powf(from.unit());
        let (b, thick) = (a * (0.7 + 0.8 * from.unit()), a * (0.005 + 0.05 * from.unit()));
        let (deep, cell) = (thick * (0.005 + 0.06 * from.unit()), a.min(b) * (0.34 + 0.32 * from.unit()));
        let (n, dt) = (from.one_of(&[2u32, 3, 5]), from.one_of(&["0.001", "0.005"]));
        let (x, y) = (13.0 * from.unit(), 13.0 * from.unit());
        let degrees = from.one_of(&[0.0, 0.0, 30.0, 45.0]);
        let text = CARDS
            .replace("dt = 0.001", &format!("dt = {dt}"))
            .replace("[qp]\nthickness = 1e-4", &format!("[volume]\ncell = {cell:?}\ndepth = {deep:?}"))
            .replace("[0.063, 0.088], thickness = 0.0003", &format!("[{a:?}, {b:?}], thickness = {thick:?}"))
            .replace(
                "position = [0.0, 0.0, 0.00015]",
                &format!("position = [{x:?}, {y:?}, {:?}]", 0.5 * thick),
            )
            .replace(
                "count = 3, offset = [0.0, 0.0, 0.0003]",
                &format!("count = {n}, offset = [0.0, 0.0, {thick:?}]"),
            )
            + &format!("rotation = {{ axis = [0.0, 0.0, 1.0], degrees = {degrees:?} }}\n");
        let spec = SceneSpec::from_str(&text, Path::new("cards")).unwrap();
        let steps = if dt == "0.001" { 250 } else { 50 };
        let Rest { aside, lean, force } = rest(&spec, Response::VOLUME, steps).unwrap();
        let weight = f64::from(n) * 0.0018 * 9.81;
        // A card that leans by what stabilisation leaves of its depth slides as on any incline, under the load of those above.
        let slides = 0.5 * weight / 0.0018 * lean * 0.25 * 0.25;
        assert!(aside <= 1e-9 + slides, "draw {draw}: {aside:e} m aside\n{text}");
        assert!((force / weight - 1.0).abs() < 1e-3, "draw {draw}: {force} of {weight} N\n{text}");
    }
}

/// A fixed slab and boxes on it: their sizes (m), masses (kg), places on the slab (m) and turns about the vertical (degrees).
#[derive(Clone, Debug)]
struct Stack {
    slab: [f64; 2],
    boxes: Vec<([f64; 2], f64, [f64; 2], f64)>,
    segments: u32,
}

impl Stack {
    /// Boxes of 0.1 m and 0.2 kg in one place.
    fn flush(slab: [f64; 2], at: [f64; 2], turns: &[f64], segments: u32) -> Self {
        let boxes = turns.iter().map(|&t| ([0.1, 0.1], 0.2, at, t)).collect();
        Self { slab, boxes, segments }
    }

    fn weight(&self) -> f64 {
        9.81 * self.boxes.iter().map(|b| b.1).sum::<f64>()
    }

    fn spec(&self, dt: f64) -> SceneSpec {
        let ([w, d], segments) = (self.slab, self.segments);
        let mut text = format!(
            "[scene]\ntitle = \"t\"\ndescription = \"d\"\ndt = {dt:?}\nduration = 1.0\n\n[[material]]\nname = \"any\"\n\n[[pair]]\n\
             materials = [\"any\", \"any\"]\nstiffness = 1e4\ndamping = {{ kelvin_voigt = 10.0 }}\n\n[[body]]\nname = \"slab\"\n\
             kind = \"fixed\"\nmaterial = \"any\"\nmesh = {{ box = {{ size = [{w:?}, {d:?}, 0.1], segments = [{segments}, {segments}, 1] }} }}\n\
             position = [0.0, 0.0, -0.05]\n"
        );
        for (i, ([w, d], mass, [x, y], degrees)) in self.boxes.iter().enumerate() {
            let z = 0.025 + 0.05 * i as f64;
            text += &format!(
                "\n[[body]]\nname = \"box-{i}\"\nmaterial = \"any\"\nmass = {mass:?}\nmesh = {{ box = {{ size = [{w:?}, {d:?}, 0.05], \
                 segments = [{segments}, {segments}, 1] }} }}\nposition = [{x:?}, {y:?}, {z:?}]\n\
                 rotation = {{ axis = [0.0, 0.0, 1.0], degrees = {degrees:?} }}\n"
            );
        }
        SceneSpec::from_str(&text, Path::new("stack")).unwrap()
    }
}

/// In the middle of a slab of the same size, in line with one or two of its sides, and turned. (With two segments, boxes in line with a side lean by
/// 2e-4 where rounding takes the vertex amid the side of one box and not of the other.)
#[test]
fn flush_stacks_do_not_move_aside() {
    let (same, large) = ([0.1, 0.1], [0.2, 0.3]);
    let mut places = vec![(same, [0.0, 0.0], 1), (same, [0.0, 0.0], 2)];
    places.extend([[0.05, 0.0], [-0.05, 0.1], [0.0105, -0.1]].map(|at| (large, at, 1)));
    let mut wrong = Vec::new();
    for (slab, at, segments) in places {
        for turns in [&[0.0, 0.0][..], &[0.0, 90.0, 0.0], &[90.0, 0.0], &[0.0, 30.0], &[180.0, 0.0, 270.0]] {
            let stack = Stack::flush(slab, at, turns, segments);
            for (response, dt) in [(Response::CPF, 5e-4), (Response::CPF_IMPLICIT, 1e-3)] {
                let told = format!("{response:?} {stack:?}");
                match rest(&stack.spec(dt), response, 300) {
                    Ok(r) if r.aside <= 1e-9 && (r.force / stack.weight() - 1.0).abs() <= 1e-3 => {}
                    Ok(r) => wrong.push(format!("{told}: {:e} m {:e} {} N", r.aside, r.lean, r.force)),
                    Err(e) => wrong.push(format!("{told}: {e}")),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
