//! Columns on soft contacts: they fall over where the program says so, and stand where it says nothing.

use crate::common::gravity;
use impinge_contact::{Damping, FrictionLaw, PairLaw};
use impinge_geometry::{DVec3, Pose, generators};
use impinge_world::{BodyDesc, Builder, Mass, Measurement, Response, Simulation, VolumePenaltySettings};

/// Cubes of half a metre and 20 kg, one above the other.
fn cubes(dt: f64, heights: &[f64], velocity: DVec3) -> Builder {
    let cube = generators::cuboid(DVec3::broadcast(0.5), [1; 3]).unwrap();
    let floor =
        Simulation::builder(dt).gravity(gravity()).body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0));
    heights.iter().enumerate().fold(floor, |world, (i, z)| {
        let at = Pose::from_position(DVec3::unit_z() * *z);
        let mut body = BodyDesc::rigid(&format!("cube-{i}"), &cube, Mass::Total(20.0), at).unwrap();
        body.velocity = velocity;
        world.body(body)
    })
}

fn law(k: f64, c: f64, friction: f64) -> PairLaw {
    let friction = Some(FrictionLaw { k_fd: c, ..FrictionLaw::coulomb(friction) });
    PairLaw { damping: Damping::KelvinVoigt(c), friction, ..PairLaw::elastic(k) }
}

#[test]
fn a_stack_on_soft_volumes_falls_over_and_is_warned_of() {
    // Four cells a side at 1e6 Pa/m³: K = 1e6 · 0.25 · 0.0625 · 0.125² N·m/rad, W h = 49.05 N·m, λ = W h/K · 6/(5 − √13) = 0.865, over 27/64.
    for (stiffness, falls) in [(1e6, true), (4e6, false)] {
        let measure = Measurement { cell: Some(0.25), ..Measurement::default() };
        let viscosity = 0.05 * stiffness;
        let settings =
            VolumePenaltySettings { measure, stiffness, viscosity, ..VolumePenaltySettings::default() };
        let world = cubes(5e-3, &[0.4, 1.3], DVec3::zero()).law(law(3e3, 60.0, 0.5));
        let mut sim = world.response(settings).build().unwrap();
        let told = sim.leans();
        assert_eq!(told.len(), usize::from(falls), "{stiffness}: {told:?}");
        assert!(told.iter().all(|t| t.contains("tipping number 2.05") && t.contains("'cube-0'")), "{told:?}");
        while sim.time() < 4.0 {
            sim.step().unwrap();
        }
        assert_eq!(sim.position(2).z < 0.7, falls, "{stiffness}: {}", sim.position(2).z);
    }
}

#[test]
fn a_soft_box_that_friction_brakes_rolls_and_is_warned_of() {
    // It sinks by 15 % of its size, or by 2 %.
    for response in [Response::penalty(), Response::cpf(), Response::dpf_ccd()] {
        for (deep, rolls) in [(0.075, true), (0.01, false)] {
            let k = 20.0 * 9.81 / (4.0 * deep);
            let world =
                cubes(1e-3, &[0.25], DVec3::unit_x() * 6.0).law(law(k, 0.3 * (k * 5.0f64).sqrt(), 0.6));
            let world = world.response(response.clone());
            let beside = world.clone();
            let mut sim = world.build().unwrap();
            let told = sim.leans();
            assert_eq!(told.len(), usize::from(rolls), "{response:?} {deep}: {told:?}");
            // What something else weighs is no matter of it.
            let anvil = BodyDesc::cuboid("anvil", [1.0; 3], Mass::Total(1e5), [100.0, 0.0, 0.5]).unwrap();
            let beside = beside.body(anvil).build().unwrap().leans();
            assert!(!rolls || beside.iter().any(|t| t.contains("'cube-0'")), "{response:?}: {beside:?}");
            let mut most = 0.0f64;
            while sim.time() < 1.5 {
                sim.step().unwrap();
                most = most.max(sim.twist(1).angular_velocity.mag());
            }
            let up = sim.pose(1).vector_to_world(DVec3::unit_z()).z;
            assert_eq!(up < 0.9, rolls, "{response:?} {deep}: {up}, {most} rad/s");
        }
    }
}

#[test]
fn what_stands_on_stiff_contacts_or_would_fall_on_them_is_not_warned_of() {
    let world = cubes(1e-3, &[0.25, 0.75, 1.25], DVec3::zero()).law(law(1e5, 100.0, 0.5));
    for response in [Response::penalty(), Response::cpf(), Response::qp()] {
        let sim = world.clone().response(response).build().unwrap();
        assert_eq!(sim.leans(), Vec::<String>::new());
    }
    // μ h/b above 1: it rolls, however stiff.
    let thrown = cubes(1e-3, &[0.25], DVec3::unit_x() * 6.0).law(law(1e5, 100.0, 1.2));
    assert_eq!(thrown.response(Response::penalty()).build().unwrap().leans(), Vec::<String>::new());
}

#[test]
fn what_sinks_through_a_shelf_is_warned_of() {
    // Four corners carry it k N/m each: it rests m g / 4k deep, in 20 mm. What stays above that is not told, though it may be deep.
    let shelf = generators::cuboid(DVec3::new(1.0, 1.0, 0.02), [1; 3]).unwrap();
    let cube = generators::cuboid(DVec3::broadcast(0.1), [1; 3]).unwrap();
    for response in [Response::penalty(), Response::cpf(), Response::dpf_ccd()] {
        for (deep, sinks) in [(0.05, true), (0.005, false)] {
            let k = 9.81 / (4.0 * deep);
            let body = BodyDesc::rigid(
                "cube",
                &cube,
                Mass::Total(1.0),
                Pose::from_position(DVec3::unit_z() * 0.0601),
            );
            let world = Simulation::builder(1e-3).gravity(gravity()).law(law(k, k.sqrt(), 0.5));
            let fixed = BodyDesc::fixed("shelf", shelf.clone(), Pose::identity()).unwrap();
            let mut sim = world.body(fixed).body(body.unwrap()).response(response.clone()).build().unwrap();
            let told = sim.leans();
            let says = |t: &String| {
                t.contains("'cube'") && t.contains("5.00e-2 m deep") && t.contains("2.00e-2 m across")
            };
            assert_eq!(
                told.iter().filter(|t| says(t)).count(),
                usize::from(sinks),
                "{response:?} {deep}: {told:?}"
            );
            while sim.time() < 1.0 {
                sim.step().unwrap();
            }
            assert_eq!(sim.position(1).z < 0.03, sinks, "{response:?} {deep}: {}", sim.position(1).z);
        }
    }
}

#[test]
fn what_something_else_carries_or_open_ground_holds_is_not_said_to_sink() {
    let cube = BodyDesc::cuboid("cube", [0.1; 3], Mass::Total(1.0), [0.0, 0.0, 0.0601]).unwrap();
    let shelf = || {
        let mesh = generators::cuboid(DVec3::new(1.0, 1.0, 0.02), [1; 3]).unwrap();
        BodyDesc::fixed("shelf", mesh, Pose::identity()).unwrap()
    };
    let soft = || {
        Simulation::builder(1e-3).gravity(gravity()).law(law(49.05, 7.0, 0.5)).response(Response::penalty())
    };
    let told =
        |world: Builder| world.build().unwrap().leans().iter().filter(|t| t.contains("deep at rest")).count();
    assert_eq!(told(soft().body(shelf()).body(cube.clone())), 1);
    // An actuator may carry it; fine ground has a vertex at every place of it; open ground has no thickness.
    let held = cube.clone().actuator(impinge_contact::Actuator::force(impinge_contact::Axis::Z, 9.0));
    assert_eq!(told(soft().body(shelf()).body(held)), 0);
    let fine = generators::cuboid(DVec3::new(1.0, 1.0, 0.02), [50, 50, 1]).unwrap();
    let fine = BodyDesc::fixed("fine", fine, Pose::identity()).unwrap();
    assert_eq!(told(soft().body(fine).body(cube.clone())), 0);
    let ground = generators::grid([1.0, 1.0], [1, 1]).unwrap();
    let ground = BodyDesc::fixed("ground", ground, Pose::from_position(DVec3::unit_z() * 0.01)).unwrap();
    assert_eq!(told(soft().body(ground).body(cube)), 0);
}
