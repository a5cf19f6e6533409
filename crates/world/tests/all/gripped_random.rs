//! Bodies that hang between walls or lie on each other, drawn at random, under laws that follow from them: where friction must hold them, they stay.

use crate::gripped::{Held, held};
use impinge_geometry::{DVec3, Pose, generators};
use impinge_world::{BodyDesc, Mass, Response, Simulation};
use proptest::prelude::*;

const G: f64 = 9.81;
/// How far walls come in, times g Δt²: some ten times what bears the weight.
const PRESS: f64 = 500.0;

fn responses() -> [Response; 3] {
    [Response::penalty(), Response::cpf(), Response::dpf_ccd()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// A box of any shape, mesh and mass between two, four or six walls that press by a few hundredths of its width.
    #[test]
    fn what_walls_grip_stays(
        size in -2.0f64..1.0,
        shape in prop::array::uniform3(0.8f64..1.25),
        segments in prop::array::uniform3(1u32..3),
        mass in -3.0f64..3.0,
        mu in 0.4f64..1.0,
        pairs in 1usize..4,
        deep in 0.003f64..0.03,
    ) {
        let edges = DVec3::from(shape) * 10f64.powf(size);
        let least = edges.x.min(edges.y).min(edges.z);
        let dt = (deep * least / (PRESS * G)).sqrt();
        let mesh = generators::cuboid(edges, segments).unwrap();
        let how = Held { dt, press: PRESS, mu, mass: 10f64.powf(mass) };
        let (x, y, z) = (DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z());
        let sides = [x, -x, y, -y, z, -z];
        for response in responses() {
            let [fallen, speed] = held(&response, how, std::slice::from_ref(&mesh), &sides[..2 * pairs]);
            // Of what a step falls by, and its speed then.
            prop_assert!(
                fallen < 0.01 * G * dt * dt && speed < 1e-3 * G * dt,
                "{}: {} of a step's fall, {} of its speed", response.name(), fallen / (G * dt * dt), speed / (G * dt)
            );
        }
    }

    /// Boxes on a plate on a slope that friction holds, each as light or as heavy as it comes.
    #[test]
    fn a_plate_that_carries_boxes_stays_on_a_slope(
        masses in prop::collection::vec(-2.5f64..0.0, 1..9),
        mu in 0.4f64..1.0,
        slope in 0.1f64..0.6,
        dt in -3.5f64..-2.7,
    ) {
        let (dt, tilt) = (10f64.powf(dt), slope * mu);
        let down = DVec3::new(tilt, 0.0, -1.0).normalized() * G;
        let plate = generators::cuboid(DVec3::new(2.0, 2.0, 0.2), [1; 3]).unwrap();
        let cube = generators::cuboid(DVec3::broadcast(0.2), [1; 3]).unwrap();
        for response in responses() {
            let mut world = Simulation::builder(dt).response(response.clone()).friction(mu).gravity(down);
            world = world.body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0));
            let place = |x: f64, y: f64, z: f64| Pose::from_position(DVec3::new(x, y, z));
            world = world.body(BodyDesc::rigid("plate", &plate, Mass::Total(1.0), place(0.0, 0.0, 0.1)).unwrap());
            for (i, mass) in masses.iter().enumerate() {
                let pose = place(0.5 * (i % 3) as f64 - 0.5, 0.5 * (i / 3) as f64 - 0.5, 0.3);
                let mass = Mass::Total(10f64.powf(*mass));
                world = world.body(BodyDesc::rigid(&format!("box-{i}"), &cube, mass, pose).unwrap());
            }
            let mut sim = world.build().unwrap();
            (0..3000).for_each(|_| sim.step().unwrap());
            let at = |sim: &Simulation| (1..masses.len() as u32 + 2).map(|b| sim.position(b)).collect::<Vec<_>>();
            let before = at(&sim);
            (0..500).for_each(|_| sim.step().unwrap());
            for (b, (x, y)) in before.iter().zip(at(&sim)).enumerate() {
                let pace = (y - *x).mag() / (500.0 * dt);
                prop_assert!(pace < 1e-3 * G * dt, "{}: body {}: {} of a step's speed", response.name(), b + 1, pace / (G * dt));
            }
        }
    }
}
