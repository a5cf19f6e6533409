//! Under constraints, what tumbles comes through nothing: a corner that the step turns down looked up when it began.

use crate::common::gravity;
use impinge_contact::{FrictionLaw, PairLaw, SlipRule};
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_world::{BodyDesc, Builder, Mass, Response, Simulation};

/// Numbers from −1 to 1, the same wherever the test runs.
struct Draws(u64);

impl Draws {
    fn one(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::new(self.one(), self.one(), self.one()) * size
    }
}

fn world(dt: f64) -> Builder {
    let friction =
        FrictionLaw { mu_s: 0.5, mu_k: 0.5, k_fp: 1.0, k_fd: 0.0, k_omega: 0.0, rule: SlipRule::ReturnMap };
    Simulation::builder(dt)
        .law(PairLaw { friction: Some(friction), ..PairLaw::elastic(1.0) })
        .response(Response::qp())
}

fn lowest(sim: &Simulation, slot: u32, corners: &[DVec3], along: DVec3) -> f64 {
    let pose = sim.pose(slot);
    corners.iter().fold(f64::INFINITY, |m, c| m.min((pose.position + pose.rotation * *c).dot(along)))
}

/// Dice of 2 cm that fall from a metre, turning: at these steps a corner comes down by more than a die in one.
#[test]
fn dice_stay_on_a_table() {
    let mut draws = Draws(1);
    let die = generators::cuboid(DVec3::broadcast(0.02), [1, 1, 1]).unwrap();
    let table = generators::cuboid(DVec3::new(4.0, 4.0, 0.2), [1, 1, 1]).unwrap();
    let at = Pose::from_position(DVec3::new(0.03, 0.02, -0.1));
    for (dt, height) in [(0.01, 1.0), (0.02, 0.5)] {
        let mut world =
            world(dt).gravity(gravity()).body(BodyDesc::fixed("table", table.clone(), at).unwrap());
        for i in 0..36 {
            let place = DVec3::new(f64::from(i % 6) - 2.5, f64::from(i / 6) - 2.5, 0.0) * 0.5;
            let turn = rotor_from_rotation_vector(draws.vector(2.0));
            let pose = Pose::new(place + DVec3::unit_z() * height, turn);
            let mut body = BodyDesc::rigid(&format!("die {i}"), &die, Mass::Total(0.01), pose).unwrap();
            body.angular_velocity = draws.vector(2.0);
            world = world.body(body);
        }
        let mut sim = world.build().unwrap();
        for _ in 0..(1.0 / dt) as u32 {
            sim.step().unwrap();
            for slot in 1..=36 {
                let z = lowest(&sim, slot, die.positions(), DVec3::unit_z());
                assert!(z > 0.0, "die {slot} at {z} m at {} s, steps of {dt}", sim.time());
            }
        }
    }
}

/// Boxes thrown at a wall of 5 mm: each goes through it in a tenth of a step or two.
#[test]
fn boxes_thrown_at_a_thin_wall_stay_before_it() {
    let mut draws = Draws(2);
    let body = generators::cuboid(DVec3::new(0.06, 0.04, 0.04), [1, 1, 1]).unwrap();
    let wall = generators::cuboid(DVec3::new(0.005, 8.0, 8.0), [1, 1, 1]).unwrap();
    let at = Pose::from_position(DVec3::new(0.0025, 0.02, -0.013));
    let mut world = world(5e-3).body(BodyDesc::fixed("wall", wall, at).unwrap());
    for i in 0..36 {
        let place = DVec3::new(-0.3, f64::from(i % 6) - 2.5, f64::from(i / 6) - 2.5);
        let pose = Pose::new(place, rotor_from_rotation_vector(draws.vector(2.0)));
        let mut thrown = BodyDesc::rigid(&format!("box {i}"), &body, Mass::Total(0.05), pose).unwrap();
        thrown.velocity = DVec3::new(20.0 + 10.0 * draws.one(), 2.0 * draws.one(), 2.0 * draws.one());
        thrown.angular_velocity = draws.vector(20.0);
        world = world.body(thrown);
    }
    let mut sim = world.build().unwrap();
    for _ in 0..40 {
        sim.step().unwrap();
    }
    for slot in 1..=36 {
        let x = lowest(&sim, slot, body.positions(), -DVec3::unit_x());
        assert!(x > 0.0, "box {slot} is {x} m before the wall");
    }
}
