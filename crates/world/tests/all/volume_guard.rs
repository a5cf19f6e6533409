//! Small fast bodies under `volume`: what would pass between two steps is stopped where it meets the other.

use crate::volumes::{law, report, settings};
use impinge_elasticity::Material;
use impinge_elasticity::tet::Model;
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_integrators::Scheme;
use impinge_world::{BodyDesc, Deformable, Mass, Response, Simulation};

/// A ball of 1 cm radius at `speed` towards a plate 4 mm thick, 0.3 m away; how the plate is turned, and whether it is fixed.
fn shot(speed: f64, dt: f64, spin: DVec3, turn: DVec3, fixed: bool, offset: f64) -> Simulation {
    let ball = generators::icosphere(0.01, 2).unwrap();
    let plate = generators::cuboid(DVec3::new(0.004, 0.5, 0.4), [1, 2, 2]).unwrap();
    let at = Pose::new(DVec3::new(0.3, 0.0, 0.0), rotor_from_rotation_vector(turn));
    let mut b =
        BodyDesc::rigid("ball", &ball, Mass::Total(0.03), Pose::from_position(DVec3::new(0.0, offset, 0.02)))
            .unwrap();
    b.velocity = DVec3::unit_x() * speed;
    b.angular_velocity = spin;
    let wall = if fixed {
        BodyDesc::fixed("plate", plate, at).unwrap()
    } else {
        BodyDesc::rigid("plate", &plate, Mass::Total(0.5), at).unwrap()
    };
    Simulation::builder(dt)
        .law(law(0.3))
        .response(Response::from(settings(None)))
        .body(b)
        .body(wall)
        .build()
        .unwrap()
}

/// Where the ball is in the plate's frame, along its thickness (m); `None` once it has slid off the plate's edge.
fn in_front(sim: &Simulation) -> Option<f64> {
    let p = sim.pose(1).point_to_body(sim.position(0));
    (p.y.abs() < 0.25 && p.z.abs() < 0.2).then_some(p.x)
}

#[test]
fn a_ball_at_fifty_metres_a_second_does_not_pass_a_thin_plate() {
    for (speed, dt) in [(50.0, 5e-3), (50.0, 1e-3), (500.0, 1e-2), (7.0, 2e-3)] {
        for turn in [DVec3::zero(), DVec3::new(0.0, 0.2, 0.3)] {
            for fixed in [true, false] {
                let mut sim = shot(speed, dt, DVec3::new(10.0, 20.0, 5.0), turn, fixed, 0.03);
                let energy = |s: &Simulation| s.energy().total();
                let start = energy(&sim);
                let (mut stopped, mut most, mut linear, mut angular) = (0, f64::NEG_INFINITY, 0.0f64, 0.0f64);
                let mut front = f64::NEG_INFINITY;
                for _ in 0..(0.3 / speed / dt) as u32 + 40 {
                    sim.step().unwrap();
                    stopped += report(&sim).stopped;
                    most = most.max(energy(&sim));
                    let Some(x) = in_front(&sim) else { break };
                    front = front.max(x);
                    let m = sim.ledger().momentum;
                    linear = linear.max(m.linear_residual.mag() / m.linear_scale);
                    angular = angular.max((m.angular_residual - m.predicted_leak).mag() / m.angular_scale);
                }
                let name = format!("{speed} m/s, {dt} s, turn {turn:?}, fixed {fixed}");
                println!(
                    "{name}: {stopped} stopped, front {front:.4}, energy {:.3}, residuals {linear:.1e} {angular:.1e}",
                    most / start
                );
                // Way of a step above ball and plate together: between two steps it would have been past.
                assert!(stopped >= 1 || speed * dt < 0.024, "{name}");
                assert!(front < 0.0, "{name}: {front}");
                assert!(most <= start * (1.0 + 1e-12), "{name}: {most} {start}");
                assert!(linear < 1e-12 && angular < 1e-12, "{name}: {linear} {angular}");
            }
        }
    }
}

#[test]
fn slow_bodies_are_left_alone() {
    let mut sim = shot(1.0, 1e-3, DVec3::zero(), DVec3::zero(), true, 0.0);
    for _ in 0..400 {
        sim.step().unwrap();
        assert_eq!(report(&sim).stopped, 0);
    }
    assert!(in_front(&sim).unwrap() < 0.0);
}

#[test]
fn balls_that_cross_stop_together() {
    // Two balls head on and a third that follows: each would pass the next within one step.
    let ball = generators::icosphere(0.01, 2).unwrap();
    let mut builder = Simulation::builder(1e-2).law(law(0.0)).response(Response::from(settings(None)));
    for (i, (x, v)) in [(-1.0, 150.0), (0.0, -10.0), (0.05, -100.0)].into_iter().enumerate() {
        let pose = Pose::from_position(DVec3::new(x, 0.0, 0.0));
        let mut b = BodyDesc::rigid(&format!("ball-{i}"), &ball, Mass::Total(0.1), pose).unwrap();
        b.velocity = DVec3::unit_x() * v;
        builder = builder.body(b);
    }
    let mut sim = builder.build().unwrap();
    let start = sim.energy().total();
    let momentum = |s: &Simulation| (0..3).map(|b| s.twist(b).velocity.x * 0.1).sum::<f64>();
    let p = momentum(&sim);
    let mut stopped = 0;
    for _ in 0..30 {
        sim.step().unwrap();
        stopped += report(&sim).stopped;
        let x: Vec<f64> = (0..3).map(|b| sim.position(b).x).collect();
        assert!(x[0] < x[1] && x[1] < x[2], "{x:?}");
        assert!(sim.energy().total() <= start * (1.0 + 1e-12));
    }
    println!("{stopped} stopped");
    assert!(stopped >= 2 && (momentum(&sim) - p).abs() < 1e-12 * 26.0, "{stopped}");
}

#[test]
fn a_soft_block_does_not_pass_a_thin_plate() {
    let block = generators::tet_box(DVec3::broadcast(0.02), [2, 2, 2]).unwrap();
    let rubber = Material::new(1e6, 0.3, 1000.0).with_rayleigh(0.0, 1e-3);
    let body = Deformable::solid("block", &block, Model::StableNeoHookean, &rubber).unwrap();
    let mut b = BodyDesc::deformable("block", body, Pose::from_position(DVec3::new(0.0, 0.013, 0.007)));
    b.velocity = DVec3::unit_x() * 50.0;
    let plate = generators::cuboid(DVec3::new(0.004, 0.5, 0.4), [1, 2, 2]).unwrap();
    let at = Pose::from_position(DVec3::unit_x() * 0.3);
    let mut sim = Simulation::builder(2e-3)
        .scheme(Scheme::ImplicitEuler)
        .law(law(0.0))
        .response(Response::from(settings(None)))
        .body(b)
        .body(BodyDesc::rigid("plate", &plate, Mass::Total(0.5), at).unwrap())
        .build()
        .unwrap();
    let (mut stopped, mut front, mut linear) = (0, f64::NEG_INFINITY, 0.0f64);
    let start = sim.energy().total();
    for _ in 0..40 {
        sim.step().unwrap();
        stopped += report(&sim).stopped;
        front = front.max(sim.position(0).x - sim.position(1).x);
        let m = sim.ledger().momentum;
        linear = linear.max(m.linear_residual.mag() / m.linear_scale);
        assert!(sim.energy().total() <= start * (1.0 + 1e-9), "{} {start}", sim.energy().total());
    }
    println!("{stopped} stopped, front {front:.4}, linear {linear:.1e}");
    assert!(stopped >= 1 && front < 0.0 && linear < 1e-10, "{stopped}, {front}, {linear}");
}

/// Two cubes one above the other, apart, that fall for one step of `dt` (s).
fn fall(dt: f64) -> Simulation {
    let cube = generators::cuboid(DVec3::broadcast(0.2), [1; 3]).unwrap();
    let mut builder = Simulation::builder(dt)
        .gravity(DVec3::unit_z() * -10.0)
        .law(law(0.3))
        .response(Response::from(settings(None)));
    for (name, z) in [("low", 0.0), ("high", 0.21)] {
        let pose = Pose::from_position(DVec3::unit_z() * z);
        builder = builder.body(BodyDesc::rigid(name, &cube, Mass::Total(1.0), pose).unwrap());
    }
    builder.build().unwrap()
}

/// Two that fall by 10 m and come nearer by 2 cm do not pass each other; by their own ways they were stopped where they met, far above.
#[test]
fn bodies_that_fall_side_by_side_are_not_stopped() {
    let mut sim = fall(1.0);
    sim.set_velocity("high", [0.0, 0.0, -0.02]).unwrap();
    sim.step().unwrap();
    assert_eq!(report(&sim).stopped, 0);
    for (b, z) in [(0, -10.0), (1, -9.81)] {
        assert!((sim.position(b).z - z).abs() < 0.02, "{b}: {}", sim.position(b).z);
    }
}

#[test]
fn a_step_to_where_numbers_are_farther_apart_than_a_body_is_thick_is_refused() {
    let mut sim = fall(9e15);
    sim.set_velocity("high", [0.0, 0.0, 1e3]).unwrap();
    let before = sim.hash();
    let said = sim.step().unwrap_err().to_string();
    assert!(said.contains("'low' and 'high' are 8.1e32 m from the origin, where numbers are"), "{said}");
    assert_eq!(sim.hash(), before);
}
