//! Under constraints, boxes of one width that stand on each other, to a hair, and heavy on light, bear what they bear in every step.

use crate::common::{G, gravity};
use impinge_contact::{FrictionLaw, PairLaw};
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_world::{BodyDesc, Mass, QpReport, Response, Simulation};

/// Cubes of 1 m, 1 kg on the ground and `ratio` kg on it, so much wider one way and narrower the other (m), and each so high above what is below (m).
fn stacked(dt: f64, ratio: f64, wider: f64, above: f64) -> Simulation {
    let law = PairLaw { friction: Some(FrictionLaw::coulomb(0.5)), ..PairLaw::elastic(1.0) };
    let cube = |x, y| generators::cuboid(DVec3::new(x, y, 1.0), [1; 3]).unwrap();
    let body = |name, mesh, mass, z| {
        let pose = Pose::from_position(DVec3::new(0.0, 0.0, z));
        BodyDesc::rigid(name, mesh, Mass::Total(mass), pose).unwrap()
    };
    Simulation::builder(dt)
        .gravity(gravity())
        .law(law)
        .response(Response::qp())
        .body(BodyDesc::plane("ground", DVec3::unit_z(), 0.0))
        .body(body("light", &cube(1.0, 1.0), 1.0, 0.5 + above))
        .body(body("heavy", &cube(1.0 + wider, 1.0 - wider), ratio, 1.5 + 2.0 * above))
        .build()
        .unwrap()
}

/// Steps so often; linear systems of all steps, and how many programs were not solved.
fn bears(sim: &mut Simulation, ratio: f64, steps: u32) -> (u32, u32) {
    let weight = 9.81 * ratio;
    let (mut systems, mut unfinished) = (0, 0);
    for step in 0..steps {
        sim.step().unwrap();
        let report = *sim.column::<QpReport>();
        systems += report.iterations;
        unfinished += report.unfinished;
        let force = sim.contact_force(2);
        assert!((force.z / weight - 1.0).abs() < 1e-6, "step {step}: {force:?} of {weight}");
        assert!(force.x.abs().max(force.y.abs()) < 1e-6 * weight, "step {step}: {force:?}");
    }
    (systems, unfinished)
}

#[test]
fn a_box_that_is_a_hair_wider_than_the_one_below_it_is_borne() {
    // No corner is over a face: they hang beside by rounding, the steeper the nearer, and their edges cross at their very ends.
    for wider in [0.0, 3e-13, 1e-11, 3e-10, 1.5e-9, 2.5e-9, 1e-8, 1e-6] {
        for above in [1e-3, 1e-5, 1e-7] {
            let (systems, unfinished) = bears(&mut stacked(1e-4, 10.0, wider, above), 10.0, 40);
            assert!(
                systems < 40 * 20 && unfinished == 0,
                "{wider}, {above}: {systems} systems, {unfinished} not solved"
            );
        }
    }
}

#[test]
fn a_heavy_box_on_a_light_one_is_solved_whatever_the_step() {
    // Corners of one face that hang on each other ask for what differs by the rounding of their places, over the step.
    // They were chased for it through 240 systems a step.
    for dt in [1e-2, 1e-3, 1e-4, 1e-5] {
        let (systems, unfinished) = bears(&mut stacked(dt, 1000.0, 0.0, 1e-3), 1000.0, 60);
        assert!(systems < 60 * 20 && unfinished == 0, "dt {dt}: {systems} systems, {unfinished} not solved");
    }
}

/// Edges of the cubes of a tower (m), and a thousandth of the thickness over them: what counts as level.
const EDGE: f64 = 0.2;
const LEVEL: f64 = 1e-6 / EDGE;
const LONG: f64 = 0.02;

/// Cubes of one size on each other without a gap and without friction, each turned by `lean` (rad) about an axis of its own. Every other one has `ratio`
/// times the mass of the lowest.
fn leaning(cubes: u32, lean: f64, ratio: f64, seed: u64) -> Simulation {
    let mut state = seed;
    let mut number = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    let law = PairLaw::elastic(1.0);
    let mut builder = Simulation::builder(LONG)
        .gravity(gravity())
        .law(law)
        .response(Response::qp())
        .body(BodyDesc::plane("ground", DVec3::unit_z(), 0.0));
    let mesh = generators::cuboid(DVec3::broadcast(EDGE), [1; 3]).unwrap();
    for k in 0..cubes {
        let axis = DVec3::new(number(), number(), number()).normalized();
        let place = DVec3::new(0.0, 0.0, EDGE * (f64::from(k) + 0.5));
        let mass = Mass::Total(if k % 2 == 1 { ratio } else { 1.0 });
        let pose = Pose::new(place, rotor_from_rotation_vector(axis * lean));
        builder = builder.body(BodyDesc::rigid(&format!("cube-{k}"), &mesh, mass, pose).unwrap());
    }
    builder.build().unwrap()
}

/// What leans by so little slides by no more than that: g times the angles of all faces together, and what is level.
#[test]
fn cubes_in_line_that_lean_by_a_hair_are_not_thrown() {
    let (mut wrong, steps) = (Vec::new(), 20);
    for (cubes, seeds) in [(2, 6), (3, 6), (5, 6), (12, 3), (24, 2)] {
        for lean in [1e-9, 1e-7, 1e-6] {
            for seed in 0..seeds {
                let mut sim = leaning(cubes, lean, 1.0, seed);
                let mut fastest = 0.0f64;
                for _ in 0..steps {
                    sim.step().unwrap();
                    fastest = (1..=cubes).fold(fastest, |m, b| m.max(sim.twist(b).velocity.mag()));
                }
                let slides = G * f64::from(steps) * LONG * (f64::from(cubes) * lean + LEVEL);
                if fastest > slides {
                    wrong.push(format!("{cubes} cubes, {lean:e}, {seed}: {fastest:e} of {slides:e} m/s"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn heavy_cubes_on_light_ones_that_lean_by_a_hair_are_solved_in_few_systems() {
    for seed in 0..4 {
        let mut sim = leaning(8, 1e-7, 1000.0, seed);
        for step in 0..8 {
            sim.step().unwrap();
            let report = *sim.column::<QpReport>();
            assert!(report.iterations <= 200, "{seed}, step {step}: {report:?}");
        }
    }
}
