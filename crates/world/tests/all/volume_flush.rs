//! Bodies of one size meet flush: their sides are in one plane, where the volume has a kink, and nothing pushes sideways or turns them.

use crate::volumes::{law, run, settings};
use impinge_geometry::{DRotor3, DVec3, Pose, TriMesh, generators, rotor_from_rotation_vector};
use impinge_world::{
    BodyDesc, Mass, Measurement, Response, Simulation, Twist, VolumeFriction, VolumePenaltySettings,
    VolumeSettings,
};

const SIZE: f64 = 0.2;

fn turns() -> [DRotor3; 3] {
    let turn = |x, y, z| rotor_from_rotation_vector(DVec3::new(x, y, z));
    [DRotor3::identity(), turn(0.0, 0.0, 0.4), turn(0.3, -0.5, 0.2)]
}

fn cube() -> TriMesh {
    generators::cuboid(DVec3::broadcast(SIZE), [1; 3]).unwrap()
}

fn energy(cell: Option<f64>, viscosity: f64) -> VolumePenaltySettings {
    let measure = Measurement { cell, ..Measurement::default() };
    VolumePenaltySettings { measure, stiffness: 2e8, viscosity, friction: VolumeFriction::BRISTLES }
}

/// A cube that falls onto one of its size, the whole scene turned: where it is and how it turns after it, in the scene's own axes.
fn dropped(response: Response, turn: DRotor3, from: f64, seconds: f64) -> (DVec3, Twist) {
    let mesh = cube();
    let at = |z: f64| Pose::new(turn * DVec3::new(0.0, 0.0, z), turn);
    let fixed = BodyDesc::fixed("low", mesh.clone(), at(0.0)).unwrap();
    let mut sim = Simulation::builder(5e-4)
        .gravity(turn * DVec3::new(0.0, 0.0, -9.81))
        .law(law(0.0))
        .response(response)
        .body(fixed)
        .body(BodyDesc::rigid("high", &mesh, Mass::Total(2.0), at(SIZE + from)).unwrap())
        .build()
        .unwrap();
    run(&mut sim, seconds);
    let back = turn.reversed();
    let Twist { velocity, angular_velocity } = sim.twist(1);
    (back * sim.position(1), Twist { velocity: back * velocity, angular_velocity: back * angular_velocity })
}

#[test]
fn a_cube_on_its_twin_is_not_driven_aside() {
    for (i, turn) in turns().into_iter().enumerate() {
        for (response, in_cells) in [
            (Response::from(VolumeSettings { depth: 1e-4, ..settings(None) }), false),
            (Response::from(VolumeSettings { depth: 1e-4, ..settings(Some(0.1)) }), true),
            (Response::from(energy(None, 2e6)), false),
            (Response::from(energy(Some(0.1), 2e6)), true),
        ] {
            // The grid is the world's: of a turned pair its cells are no mirror images.
            if in_cells && i > 0 {
                continue;
            }
            for from in [0.0, 0.02] {
                let told = format!("{response:?} by {from} m, turned {turn:?}");
                let (at, Twist { velocity, angular_velocity }) = dropped(response.clone(), turn, from, 0.4);
                let aside = |v: DVec3| v.x.abs().max(v.y.abs());
                assert!((at.z - SIZE).abs() < 4e-3, "{told}: {at:?}");
                assert!(aside(at) < 1e-12, "{told}: {at:?}");
                assert!(aside(velocity) < 1e-11, "{told}: {velocity:?}");
                assert!(angular_velocity.mag() < 1e-9, "{told}: {angular_velocity:?}");
            }
        }
    }
}

/// Cubes head on in free space: they bounce straight back, or go on together, without a spin. Momentum stays, and the energy of one volume, which nothing
/// damps, comes back.
#[test]
fn cubes_that_meet_head_on_do_not_turn() {
    let mesh = cube();
    for (i, turn) in turns().into_iter().enumerate() {
        for (response, gives_back, turned) in [
            // Nothing levels what one pressure holds together: a lean of rounding grows from step to step.
            (Response::from(settings(None)), false, false),
            (Response::from(settings(Some(0.1))), false, false),
            (Response::from(energy(None, 0.0)), true, true),
            (Response::from(energy(Some(0.1), 0.0)), true, false),
        ] {
            if i > 0 && !turned {
                continue;
            }
            let told = format!("{response:?} turned {turn:?}");
            let body = |name, x: f64| {
                let pose = Pose::new(turn * DVec3::new(x, 0.0, 0.0), turn);
                BodyDesc::rigid(name, &mesh, Mass::Total(3.0), pose).unwrap()
            };
            let mut sim = Simulation::builder(1e-4)
                .gravity(DVec3::zero())
                .law(law(0.0))
                .response(response)
                .body(body("a", -0.11))
                .body(body("b", 0.11))
                .build()
                .unwrap();
            sim.set_velocity("a", turn * DVec3::new(4.0, 0.0, 0.0)).unwrap();
            run(&mut sim, 0.05);
            let speed = |b: u32| turn.reversed() * sim.twist(b).velocity;
            for b in 0..2 {
                let (v, w) = (speed(b), sim.twist(b).angular_velocity);
                assert!(v.y.abs().max(v.z.abs()) < 1e-12 && w.mag() < 1e-10, "{told}: {v:?} {w:?}");
            }
            assert!((speed(0) + speed(1) - DVec3::new(4.0, 0.0, 0.0)).mag() < 1e-12, "{told}");
            let want = if gives_back { 4.0 } else { 2.0 };
            assert!((speed(1).x / want - 1.0).abs() < 1e-4, "{told}: {:?}", speed(1));
        }
    }
}
