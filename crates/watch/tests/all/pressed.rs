//! A rigid body that driven bodies press from both sides has no way to go: no impulses meet all constraints on volume, and the run says so with names.

use crate::told;
use impinge_contact::{Damping, PairLaw};
use impinge_geometry::{DVec3, Pose, generators};
use impinge_integrators::{Driver, Keyframe};
use impinge_watch::{Kind, Watches};
use impinge_world::{BodyDesc, Builder, Mass, Motion, Response, Simulation, TimedForce, VolumeReport};

const DT: f64 = 1e-3;

/// A box of 0.1 m on a plane, and a plate over it that comes down by `down` (m) in 0.1 s, from 2 mm above.
fn press(down: f64) -> Simulation {
    let body = generators::cuboid(DVec3::broadcast(0.1), [1, 1, 1]).unwrap();
    let plate = generators::cuboid(DVec3::new(0.2, 0.2, 0.02), [1, 1, 1]).unwrap();
    let at = |z: f64| Pose::from_position(DVec3::unit_z() * z);
    let mut driven = BodyDesc::fixed("plate", plate, at(0.112)).unwrap();
    driven.motion = Motion::Kinematic(Driver::Keyframes(vec![
        Keyframe { time: 0.0, pose: at(0.112) },
        Keyframe { time: 0.1, pose: at(0.112 - down) },
    ]));
    let world: Builder = Simulation::builder(DT)
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .law(PairLaw::elastic(1e4))
        .response(Response::volume())
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(BodyDesc::rigid("box", &body, Mass::Total(1.0), at(0.05)).unwrap())
        .body(driven);
    world.build().unwrap()
}

#[test]
fn a_press_that_leaves_no_room_is_named() {
    let mut sim = press(4e-3);
    let mut watch = Watches::new(&sim);
    let mut first = None;
    for _ in 0..150 {
        sim.step().unwrap();
        watch.see(&sim);
        let pressed = sim.column::<VolumeReport>().pressed;
        first = first.or(pressed.map(|_| sim.time()));
    }
    // When they meet, and the depth that volumes keep is used up on both sides.
    let first = first.expect("2 mm too far");
    assert!(first > 0.05 && first < 0.057, "{first} s");
    let said = told(&watch, &sim).join("; ");
    assert!(said.contains("'box' against 'plate'") || said.contains("'floor' against 'box'"), "{said}");
    assert!(said.contains("no way to go"), "{said}");
}

#[test]
fn a_press_that_leaves_room_is_none() {
    let mut sim = press(1.9e-3);
    for _ in 0..150 {
        sim.step().unwrap();
        assert_eq!(sim.column::<VolumeReport>().pressed, None);
    }
    assert!((sim.contact_force(1).z - 9.81).abs() < 1e-3, "{:?}", sim.contact_force(1));
}

/// Two boxes of one size, the upper one offset, so that one corner of it is over the lower one and one of the lower one under it; a force presses, and
/// there is no gravity. Soft springs at single corners let the boxes into each other, where the pushes of both cancel.
#[test]
fn boxes_that_a_force_presses_through_each_other_are_told() {
    let body = generators::cuboid(DVec3::broadcast(0.2), [1, 1, 1]).unwrap();
    let at = |name: &str, mass: f64, at: DVec3| {
        BodyDesc::rigid(name, &body, Mass::Total(mass), Pose::from_position(at)).unwrap()
    };
    let run = |force: f64| {
        // Springs that follow from masses and step alone.
        let mut sim = Simulation::builder(1e-3)
            .friction(0.4)
            .response(Response::penalty())
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
            .body(at("low", 50.0, DVec3::unit_z() * 0.1))
            .body(at("high", 1.0, DVec3::new(0.02, 0.01, 0.3)))
            .build()
            .unwrap();
        let mut watch = Watches::new(&sim);
        for _ in 0..1500 {
            sim.apply_force("high", [0.0, 0.0, -force]).unwrap();
            sim.step().unwrap();
            watch.see(&sim);
        }
        let told =
            watch.warnings(&sim).into_iter().any(|w| matches!(w.kind, Kind::LetGo | Kind::Sunk) && w.lost);
        (sim.position(2).z < 0.2, told)
    };
    assert_eq!(run(500.0), (true, true));
}

/// A force presses as weight does: what would tip under a weight is told of before the run.
#[test]
fn what_a_force_may_tip_is_told_before_the_run() {
    let body = generators::cuboid(DVec3::broadcast(0.2), [1, 1, 1]).unwrap();
    let at = |name: &str, mass: f64, at: DVec3| {
        BodyDesc::rigid(name, &body, Mass::Total(mass), Pose::from_position(at)).unwrap()
    };
    let before = |response: Response, aside: DVec3, force: f64| {
        let push = TimedForce {
            body: 3,
            force: DVec3::unit_z() * -force,
            torque: DVec3::zero(),
            from: 0.1,
            until: f64::INFINITY,
        };
        let scheme = response.scheme().unwrap_or_default();
        let sim = Simulation::builder(1e-3)
            .friction(0.4)
            .response(response)
            .scheme(scheme)
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
            .body(at("low", 1.0, DVec3::unit_z() * 0.1))
            .body(at("middle", 50.0, DVec3::unit_z() * 0.3))
            .body(at("high", 1.0, aside + DVec3::unit_z() * 0.5))
            .force(push)
            .build()
            .unwrap();
        Watches::before(&sim).into_iter().map(|w| w.text).collect::<Vec<_>>().join("\n")
    };
    for response in [Response::cpf(), Response::dpf_ccd(), Response::cpf_implicit()] {
        let (strong, weak) =
            (before(response.clone(), DVec3::zero(), 500.0), before(response, DVec3::zero(), 1.0));
        assert!(strong.contains("tipping number") && strong.contains("the force on it"), "{strong}");
        assert!(!weak.contains("tipping number"), "{weak}");
    }
    let corners = before(Response::penalty(), DVec3::new(0.02, 0.01, 0.0), 5.0);
    assert!(corners.contains("'high' stands on vertices"), "{corners}");
    assert!(!before(Response::qp(), DVec3::zero(), 500.0).contains("tipping"));
}

/// Springs let a box rest in the floor by more or less than a twentieth of it; or it bounces on stiffer ones and goes as deep for a moment.
#[test]
fn springs_that_let_a_body_rest_a_twentieth_deep_are_told() {
    let run = |rests: f64, height: f64, damping: f64| {
        let stiffness = 9.81 / (4.0 * rests * 0.2);
        let law = PairLaw { damping: Damping::KelvinVoigt(damping), ..PairLaw::elastic(stiffness) };
        let mut sim = Simulation::builder(1e-3)
            .gravity(DVec3::new(0.0, 0.0, -9.81))
            .law(law)
            .response(Response::cpf())
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
            .body(
                BodyDesc::cuboid("box", [0.2; 3], Mass::Total(1.0), DVec3::unit_z() * (0.1 + height))
                    .unwrap(),
            )
            .build()
            .unwrap();
        let mut watch = Watches::new(&sim);
        for _ in 0..2000 {
            sim.step().unwrap();
            watch.see(&sim);
        }
        let said = watch.warnings(&sim).into_iter().map(|w| w.text);
        said.filter(|t| t.contains("deep in each other")).collect::<Vec<_>>()
    };
    let said = run(0.06, 0.0, 5.0);
    // Of the mean force along the way: 2 % less than m g/k.
    assert!(
        said.len() == 1 && said[0].contains("'floor' and 'box'") && said[0].contains("1.18e-2 m"),
        "{said:?}"
    );
    assert_eq!(run(0.04, 0.0, 5.0), [""; 0]);
    assert_eq!(run(0.02, 0.05, 0.0), [""; 0], "bounces, 0.12 of its size deep");
}

/// A plate presses a box onto the floor, both 0.1 m thick, by 8 mm into each: that is for the driver to say, and for no stiffness. Without a driver its
/// weight does the same.
#[test]
fn what_a_driver_presses_in_is_no_matter_of_stiffness() {
    let body = generators::cuboid(DVec3::broadcast(0.1), [1, 1, 1]).unwrap();
    let at = |z: f64| Pose::from_position(DVec3::unit_z() * z);
    let run = |driven: bool| {
        let mut plate = BodyDesc::rigid("plate", &body, Mass::Total(1.0), at(0.15)).unwrap();
        if driven {
            plate = BodyDesc::fixed("plate", body.clone(), at(0.15)).unwrap();
            plate.motion = Motion::Kinematic(Driver::Keyframes(vec![
                Keyframe { time: 0.0, pose: at(0.15) },
                Keyframe { time: 0.1, pose: at(0.134) },
            ]));
        }
        let law = PairLaw { damping: Damping::KelvinVoigt(5.0), ..PairLaw::elastic(9.81 / (4.0 * 8e-3)) };
        let mut sim = Simulation::builder(1e-3)
            .gravity(DVec3::new(0.0, 0.0, -9.81))
            .law(law)
            .response(Response::cpf())
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
            .body(BodyDesc::rigid("box", &body, Mass::Total(0.1), at(0.05)).unwrap())
            .body(plate)
            .build()
            .unwrap();
        let mut watch = Watches::new(&sim);
        for _ in 0..1000 {
            sim.step().unwrap();
            watch.see(&sim);
        }
        let deep = sim.ledger().pairs.depth_max.iter().filter(|d| **d > 6e-3).count();
        let said = watch.warnings(&sim).into_iter().map(|w| w.text);
        (deep, said.filter(|t| t.contains("deep in each other")).count())
    };
    assert_eq!(run(true), (2, 0));
    assert_eq!(run(false), (2, 1));
}
