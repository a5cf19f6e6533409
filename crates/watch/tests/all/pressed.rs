//! A rigid body that driven bodies press from both sides has no way to go: no impulses meet all constraints on volume, and the run says so with names.

use crate::told;
use impinge_contact::PairLaw;
use impinge_geometry::{DVec3, Pose, generators};
use impinge_integrators::{Driver, Keyframe};
use impinge_watch::{Kind, Watches};
use impinge_world::{BodyDesc, Builder, Mass, Motion, Response, Simulation, VolumeReport};

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
