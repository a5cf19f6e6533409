//! Steps too coarse for friction that sticks and for impacts: the program says so before the first step, and only then does it happen.

use crate::common::gravity;
use impinge_contact::{Damping, FrictionLaw, PairLaw};
use impinge_geometry::{DVec3, Pose, TriMesh, generators};
use impinge_world::{
    BodyDesc, Builder, Mass, Measurement, Response, Simulation, VolumePenaltySettings, VolumeSettings,
};

fn on_floor(mesh: &TriMesh, mass: f64, height: f64, velocity: DVec3, dt: f64) -> Builder {
    let at = Pose::from_position(DVec3::unit_z() * height);
    let mut body = BodyDesc::rigid("body", mesh, Mass::Total(mass), at).unwrap();
    body.velocity = velocity;
    Simulation::builder(dt).gravity(gravity()).body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0)).body(body)
}

fn kelvin_voigt(k: f64, c: f64) -> PairLaw {
    PairLaw { damping: Damping::KelvinVoigt(c), ..PairLaw::elastic(k) }
}

#[test]
fn friction_too_stiff_for_the_step_trembles_and_is_warned_of() {
    let cube = generators::cuboid(DVec3::broadcast(0.1), [1; 3]).unwrap();
    let friction = FrictionLaw { k_fp: 1000.0, k_fd: 8.0, ..FrictionLaw::coulomb(0.5) };
    let law = PairLaw { friction: Some(friction), ..kelvin_voigt(1000.0, 2.0) };
    for response in [Response::penalty(), Response::cpf(), Response::dpf_ccd()] {
        for (dt, trembles) in [(5e-3, true), (2.5e-3, false)] {
            let thrown = on_floor(&cube, 0.2, 0.05, DVec3::unit_x(), dt);
            let mut sim = thrown.law(law).response(response.clone()).build().unwrap();
            let told = sim.coarse();
            assert_eq!(told.len(), usize::from(trembles), "{response:?} at {dt} s: {told:?}");
            assert!(sim.warnings().is_empty());
            assert!(
                told.iter().all(|t| t.contains("trembles") && t.contains("`friction_stiffness`")),
                "{told:?}"
            );
            let mut fastest = 0.0f64;
            while sim.time() < 1.0 {
                sim.step().unwrap();
                if sim.time() > 0.8 {
                    fastest = fastest.max(sim.twist(1).velocity.mag());
                }
            }
            assert_eq!(fastest > 1e-3, trembles, "{response:?} at {dt} s: {fastest} m/s");
        }
    }
}

#[test]
fn a_ball_that_one_step_throws_back_is_warned_of() {
    let ball = generators::icosphere(0.02, 3).unwrap();
    for response in [Response::penalty(), Response::dpf_ccd()] {
        let build = |dt: f64| {
            let falls = on_floor(&ball, 0.0335, 0.5, DVec3::zero(), dt);
            falls.law(kelvin_voigt(3000.0, 4.0)).response(response.clone()).build().unwrap()
        };
        for (dt, thrown) in [(1e-3, true), (2e-4, false)] {
            let mut sim = build(dt);
            let told = sim.coarse();
            assert_eq!(told.len(), usize::from(thrown), "{response:?} at {dt} s: {told:?}");
            assert!(told.iter().all(|t| t.contains("throw it back")), "{told:?}");
            let mut highest = 0.0f64;
            while sim.time() < 0.8 {
                sim.step().unwrap();
                if sim.time() > 0.35 {
                    highest = highest.max(sim.position(1).z);
                }
            }
            assert_eq!(highest > 0.5, thrown, "{response:?} at {dt} s: {highest} m");
        }
    }
}

#[test]
fn an_energy_of_volumes_says_what_it_cannot_do() {
    let cube = generators::cuboid(DVec3::broadcast(0.1), [1; 3]).unwrap();
    let told = |viscosity: f64, cell: f64, velocity: f64| {
        let measure = Measurement { cell: Some(cell), ..Measurement::default() };
        let settings =
            VolumePenaltySettings { measure, stiffness: 1e8, viscosity, ..VolumePenaltySettings::default() };
        let sim =
            on_floor(&cube, 0.2, 0.05, DVec3::unit_x() * velocity, 1e-3).response(settings).build().unwrap();
        let stiff = sim.warnings().into_iter().map(|w| w.to_string());
        sim.response_warnings().into_iter().chain(stiff).collect::<Vec<_>>()
    };
    assert_eq!(told(1e5, 0.03, 0.0), Vec::<String>::new());
    let belt = BodyDesc::plane("floor", DVec3::unit_z(), 0.0).with_surface_velocity([1.0, 0.0, 0.0]);
    let measure = Measurement { cell: Some(0.03), ..Measurement::default() };
    let settings =
        VolumePenaltySettings { measure, stiffness: 1e8, viscosity: 1e5, ..VolumePenaltySettings::default() };
    let on_belt = Simulation::builder(1e-3)
        .gravity(DVec3::unit_z() * -9.81)
        .law(PairLaw::elastic(1e4))
        .body(belt)
        .body(
            BodyDesc::rigid("body", &cube, Mass::Total(0.2), Pose::from_position(DVec3::unit_z() * 0.05))
                .unwrap(),
        )
        .response(settings)
        .build()
        .unwrap();
    assert!(on_belt.response_warnings().iter().any(|w| w.contains("slide along each other at 1.000 m/s")));
    for (said, word) in [
        (told(0.0, 0.03, 0.0), "nothing damps"),
        (told(1e5, 0.03, 1.0), "slide along each other"),
        (told(1e5, 0.12, 0.0), "rock from side to side"),
        // c Δt/m of 1e8 N/m³ · 0.01 m² · 9e-4 m² times 0.5 s, on 0.2 kg and 1 ms.
        (told(5e7, 0.03, 0.0), "times the damping"),
    ] {
        assert!(said.len() == 1 && said[0].contains(word), "{word}: {said:?}");
    }
}

#[test]
fn volumes_say_where_cells_are_wider_than_sides() {
    let rod = generators::cuboid(DVec3::new(0.5, 0.04, 0.04), [1; 3]).unwrap();
    let told = |cell: f64| {
        let measure = Measurement { cell: Some(cell), ..Measurement::default() };
        let settings = VolumeSettings { measure, ..VolumeSettings::default() };
        let sim = on_floor(&rod, 1.0, 0.02, DVec3::zero(), 1e-3).response(settings).build().unwrap();
        sim.response_warnings()
    };
    assert!(told(0.1).iter().any(|t| t.contains("rock from side to side")));
    assert_eq!(told(0.015), Vec::<String>::new());
}
