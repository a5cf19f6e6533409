//! What is said of bodies that one pressure for each contact lets rock or tip, or that rest too deep for their size; and that it is true.

use crate::common::gravity;
use crate::volumes::{law, run};
use impinge_geometry::{DVec3, Pose, generators};
use impinge_world::{
    BodyDesc, Mass, Measurement, Response, Simulation, TimedForce, VolumePenaltySettings, VolumeSettings,
};

fn in_cells(cell: Option<f64>) -> Response {
    Response::from(VolumeSettings {
        measure: Measurement { cell, ..Measurement::default() },
        ..VolumeSettings::default()
    })
}

/// A column of 0.1 m by 0.1 m by 0.2 m and 1 kg, so high above a floor (m), that is pushed at its middle by a part of its weight: it tips at 0.5.
fn column(response: Response, above: f64, part: f64) -> Simulation {
    let push = DVec3::unit_x() * (9.81 * part);
    Simulation::builder(1e-3)
        .gravity(gravity())
        .law(law(0.9))
        .response(response)
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(BodyDesc::cuboid("column", [0.1, 0.1, 0.2], Mass::Total(1.0), [0.0, 0.0, 0.1 + above]).unwrap())
        .force(TimedForce { body: 1, force: push, torque: DVec3::zero(), from: 0.05, until: f64::INFINITY })
        .build()
        .unwrap()
}

#[test]
fn one_pressure_on_a_plane_is_said_to_tip_whether_it_lies_or_falls() {
    let energy = VolumePenaltySettings { viscosity: 1e6, ..VolumePenaltySettings::default() };
    for response in [in_cells(None), Response::from(energy)] {
        for above in [0.0, 0.2] {
            let told = column(response.clone(), above, 0.0).response_warnings();
            let said = "body 'column' lies or falls on a flat side, and without cells";
            assert!(told.len() == 1 && told[0].starts_with(said), "{above}: {told:?}");
        }
    }
    // What is round has no base to lose.
    let ball = generators::icosphere(0.1, 3).unwrap();
    let at = Pose::from_position(DVec3::new(0.0, 0.0, 0.3));
    let builder = Simulation::builder(1e-3).gravity(gravity()).response(in_cells(None));
    let builder = builder.body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0));
    let sim = builder.body(BodyDesc::rigid("ball", &ball, Mass::Total(1.0), at).unwrap()).build().unwrap();
    assert_eq!(sim.response_warnings(), Vec::<String>::new());
}

/// Pushed by 0.42 of its weight, 0.1 m up: it presses 0.042 m off the middle, 8 mm within the rim. Cells of half the width end at 25 mm.
#[test]
fn cells_too_wide_for_a_push_are_said_to_let_it_tip() {
    let told = column(in_cells(Some(0.05)), 0.0, 0.42).response_warnings();
    let said = "body 'column' is pressed on 8.00e-3 m within the rim";
    assert!(told.len() == 1 && told[0].starts_with(said) && told[0].contains("to 1.3e-2 m"), "{told:?}");
    let leans = |cell: f64, part: f64| {
        let mut sim = column(in_cells(Some(cell)), 0.0, part);
        let told = sim.response_warnings().len();
        run(&mut sim, 0.8);
        let up = sim.pose(1).vector_to_world(DVec3::unit_z());
        (told, up.cross(DVec3::unit_z()).mag())
    };
    let (told, lean) = leans(0.05, 0.42);
    assert!(told == 1 && lean > 0.1, "{lean}");
    let (told, lean) = leans(0.013, 0.42);
    assert!(told == 0 && lean < 3e-3, "{lean}");
    let (told, lean) = leans(0.05, 0.2);
    assert!(told == 0 && lean < 3e-3, "{lean}");
}

/// A ball that rests at a mean depth d is 2 d in: of 4 mm across, 5 % of its height.
#[test]
fn a_depth_that_shows_is_said() {
    let told = |radius: f64, depth: f64| {
        let ball = generators::icosphere(radius, 3).unwrap();
        let at = Pose::from_position(DVec3::new(0.0, 0.0, 2.0 * radius));
        let settings = VolumeSettings { depth, ..VolumeSettings::default() };
        let builder = Simulation::builder(1e-3).gravity(gravity()).response(settings);
        let builder = builder.body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0));
        builder
            .body(BodyDesc::rigid("ball", &ball, Mass::Total(1.0), at).unwrap())
            .build()
            .unwrap()
            .response_warnings()
    };
    let default = VolumeSettings::default().depth;
    let small = told(2e-3, default);
    assert!(
        small.len() == 1 && small[0].contains("e-6 m") && small[0].contains("set `depth` to "),
        "{small:?}"
    );
    assert_eq!(told(1e-2, default), Vec::<String>::new());
    // Who chose it knows.
    assert_eq!(told(2e-3, 2e-4), Vec::<String>::new());
}
