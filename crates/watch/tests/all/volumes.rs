//! What volumes cannot hold is told: bodies inside others, images less sure than asked.

use crate::told;
use impinge_contact::{FrictionLaw, PairLaw, SlipRule};
use impinge_geometry::{DVec3, Pose, TriMesh, generators};
use impinge_watch::Watches;
use impinge_world::{
    BodyDesc, Mass, Measurement, Response, Simulation, VolumePenaltySettings, VolumeReport, VolumeSettings,
};

/// Stiffness is nothing to constraints.
fn law(mu: f64) -> PairLaw {
    let friction =
        FrictionLaw { mu_s: mu, mu_k: mu, k_fp: 1.0, k_fd: 0.0, k_omega: 0.0, rule: SlipRule::ReturnMap };
    PairLaw { friction: Some(friction), ..PairLaw::elastic(1.0) }
}

fn settings(cell: Option<f64>) -> VolumeSettings {
    VolumeSettings {
        depth: 1e-5,
        measure: Measurement { cell, ..Measurement::default() },
        ..VolumeSettings::default()
    }
}

fn report(sim: &Simulation) -> VolumeReport {
    *sim.column::<VolumeReport>()
}

fn floor() -> BodyDesc {
    BodyDesc::plane("floor", DVec3::unit_z(), 0.0)
}

fn pair(first: BodyDesc, second: BodyDesc, s: VolumeSettings, dt: f64) -> Result<Simulation, String> {
    Simulation::builder(dt)
        .law(law(0.3))
        .response(Response::from(s))
        .body(first)
        .body(second)
        .build()
        .map_err(|e| e.to_string())
}

fn body(name: &str, mesh: &TriMesh, at: DVec3) -> BodyDesc {
    BodyDesc::rigid(name, mesh, Mass::Total(1.0), Pose::from_position(at)).unwrap()
}

#[test]
fn a_body_inside_another_is_told_with_a_way_out() {
    let rock = generators::cuboid(DVec3::new(1.0, 1.2, 1.4), [2; 3]).unwrap();
    let pebble = generators::icosphere(0.1, 2).unwrap();
    for inside in [true, false] {
        let at = DVec3::new(0.3, 0.1, if inside { 0.0 } else { 2.0 });
        let first = BodyDesc::fixed("rock", rock.clone(), Pose::default()).unwrap();
        let mut sim = pair(first, body("pebble", &pebble, at), settings(None), 1e-3).unwrap();
        let mut watch = Watches::new(&sim);
        for _ in 0..5 {
            sim.step().unwrap();
            watch.see(&sim);
        }
        assert_eq!(report(&sim).contained, u32::from(inside));
        let told = told(&watch, &sim);
        if inside {
            // Right: from 0.2 (its left side) to the rock's 0.5.
            assert!(told.len() == 1 && told[0].contains("(3.000e-1, 0.000e0, 0.000e0)"), "{told:?}");
            assert!(
                told[0].contains("'rock' and 'pebble'")
                    && told[0].contains("first seen at 0.001 s and last at 0.005 s"),
                "{told:?}"
            );
            // What it says takes them apart.
            let first = BodyDesc::fixed("rock", rock.clone(), Pose::default()).unwrap();
            let mut out =
                pair(first, body("pebble", &pebble, at + DVec3::unit_x() * 0.3), settings(None), 1e-3)
                    .unwrap();
            out.step().unwrap();
            assert_eq!(report(&out).cells, 0);
        } else {
            assert!(told.is_empty(), "{told:?}");
        }
    }
    // Sunk below a plane with all of it: up.
    let mut sim =
        pair(floor(), body("pebble", &pebble, DVec3::new(0.0, 0.0, -0.25)), settings(None), 1e-3).unwrap();
    let mut watch = Watches::new(&sim);
    sim.step().unwrap();
    watch.see(&sim);
    let told = told(&watch, &sim);
    assert!(told.len() == 1 && told[0].contains("(0.000e0, 0.000e0, 3.5"), "{told:?}");
}

#[test]
fn a_rod_through_a_plate_is_told() {
    let plate = generators::cuboid(DVec3::new(1.0, 1.0, 0.1), [2, 2, 1]).unwrap();
    let rod = generators::cuboid(DVec3::new(0.1, 0.1, 1.0), [1, 1, 2]).unwrap();
    let first = BodyDesc::fixed("plate", plate, Pose::default()).unwrap();
    let mut sim =
        pair(first, body("rod", &rod, DVec3::new(0.03, 0.02, 0.01)), settings(Some(0.06)), 1e-3).unwrap();
    let mut watch = Watches::new(&sim);
    sim.step().unwrap();
    watch.see(&sim);
    assert!(told(&watch, &sim).iter().any(|w| w.contains("'plate' and 'rod'")), "{:?}", told(&watch, &sim));
}

#[test]
fn a_certified_run_says_how_sure_its_volumes_are() {
    let ball = generators::icosphere(0.1, 3).unwrap();
    let run = |pixel: f64, error: f64| {
        let (pixel, error, compare) = (Some(pixel), Some(error), Some(1));
        let measure = Measurement { pixel, error, compare, ..Measurement::default() };
        let s = VolumeSettings { measure, depth: 4e-3, ..VolumeSettings::default() };
        let mut sim = Simulation::builder(2e-3)
            .gravity(DVec3::new(0.0, 0.0, -9.81))
            .law(law(0.3))
            .response(Response::from(s))
            .body(floor())
            .body(body("ball", &ball, DVec3::new(0.013, 0.007, 0.097)))
            .build()
            .unwrap();
        let mut watch = Watches::new(&sim);
        for _ in 0..20 {
            sim.step().unwrap();
            watch.see(&sim);
            let r = report(&sim);
            assert!(
                r.image_error.unwrap() <= r.image_bound.unwrap() * (1.0 + 1e-9) / (1.0 - error.unwrap()),
                "{r:?}"
            );
        }
        (watch.images().unwrap(), told(&watch, &sim), report(&sim))
    };
    let (note, told, r) = run(1e-4, 0.05);
    println!("{note}");
    assert!(told.is_empty() && r.uncertified == 0 && r.image_bound.unwrap() <= 0.05, "{told:?} {r:?}");
    assert!(note.contains("of themselves at worst, but for"), "{note}");
    let (note, told, r) = run(6e-3, 1e-4);
    println!("{note}");
    assert!(r.uncertified == 1 && told.len() == 1 && told[0].contains("0.006 m"), "{told:?} {r:?}");
    let without = Measurement { error: Some(0.1), ..Measurement::default() };
    let e = pair(
        floor(),
        body("ball", &ball, DVec3::unit_z()),
        VolumeSettings { measure: without, ..settings(None) },
        1e-3,
    );
    assert!(e.is_err_and(|e| e.contains("give a pixel")));
}

#[test]
fn each_response_is_told_with_its_own_settings() {
    let ball = generators::icosphere(0.1, 3).unwrap();
    let sure = |pixel: f64, error: f64| {
        let (pixel, error) = (Some(pixel), Some(error));
        let measure = Measurement { pixel, error, ..Measurement::default() };
        Response::from(VolumeSettings { measure, depth: 4e-3, ..VolumeSettings::default() })
    };
    let mut sim = Simulation::builder(2e-3)
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .law(law(0.3))
        .response(sure(1e-4, 0.05))
        .body(floor())
        .body(body("fine", &ball, DVec3::new(0.013, 0.007, 0.097)))
        .body(body("coarse", &ball, DVec3::new(1.013, 0.007, 0.097)))
        .pair_response(0, 2, sure(6e-3, 1e-4))
        .build()
        .unwrap();
    let mut watch = Watches::new(&sim);
    sim.step().unwrap();
    watch.see(&sim);
    let told = told(&watch, &sim);
    assert!(told.len() == 1 && told[0].contains("0.0001 asked") && told[0].contains("0.006 m"), "{told:?}");
}

#[test]
fn images_measure_alone_unless_a_comparison_is_asked_for() {
    // A plate of 2 mm under a box, in images of 8 mm: rays along it miss it.
    let plate = generators::cuboid(DVec3::new(0.3, 0.3, 0.002), [1; 3]).unwrap();
    let block = generators::cuboid(DVec3::broadcast(0.2), [1; 3]).unwrap();
    let run = |compare: Option<u32>, certified: bool| {
        let measure =
            Measurement { pixel: Some(8e-3), plain_mean: !certified, compare, ..Measurement::default() };
        let s = VolumePenaltySettings { measure, stiffness: 1e6, ..VolumePenaltySettings::default() };
        let mut sim = Simulation::builder(1e-4)
            .law(law(0.3))
            .response(Response::from(s))
            .body(BodyDesc::fixed("plate", plate.clone(), Pose::default()).unwrap())
            .body(body("block", &block, DVec3::new(0.013, 0.007, 0.05)))
            .build()
            .unwrap();
        let mut watch = Watches::new(&sim);
        let found: Vec<_> = (0..7)
            .map(|_| {
                sim.step().unwrap();
                watch.see(&sim);
                (report(&sim).image_error, report(&sim).image_bound)
            })
            .collect();
        (found, watch.images(), sim.hash())
    };
    let (alone, note, hash) = run(None, false);
    assert!(alone.iter().all(|f| *f == (None, None)) && note.is_none(), "{alone:?} {note:?}");
    let (third, note, same) = run(Some(3), false);
    let compared: Vec<bool> = third.iter().map(|f| f.0.is_some()).collect();
    assert_eq!(compared, [true, false, false, true, false, false, true]);
    assert!(hash == same && note.is_some_and(|n| n.contains("compared")), "{third:?}");
    let (sure, note, _) = run(Some(1), true);
    println!("{:?} {:?}\n{note:?}", third[0], sure[0]);
    assert!(third[0].0.unwrap() > 0.6 && sure[0].0.unwrap() < 0.1);
    assert!(sure.iter().all(|f| f.0.unwrap() <= f.1.unwrap() / (1.0 - f.1.unwrap())), "{sure:?}");
    assert!(note.is_some_and(|n| n.contains("certified")));
    for bad in [
        Measurement { compare: Some(1), ..Measurement::default() },
        Measurement { plain_mean: true, ..Measurement::default() },
        Measurement { pixel: Some(1e-3), error: Some(0.1), plain_mean: true, ..Measurement::default() },
        Measurement { pixel: Some(1e-3), compare: Some(0), ..Measurement::default() },
    ] {
        let s = VolumePenaltySettings { measure: bad, ..VolumePenaltySettings::default() };
        assert!(s.check().is_err(), "{bad:?}");
    }
}

/// A ring that spins on a floor is braked by all of its width; one force brakes nothing. A ball that spins touches at a point.
#[test]
fn a_spin_that_one_force_does_not_brake_is_told() {
    let ring = generators::torus(0.15, 0.03, 32, 16).unwrap();
    let ball = generators::icosphere(0.1, 3).unwrap();
    for (mesh, height, cell, is_told) in
        [(&ring, 0.03, None, true), (&ring, 0.03, Some(0.02), false), (&ball, 0.1, None, false)]
    {
        let mut spinner = body("spinner", mesh, DVec3::unit_z() * height);
        spinner.angular_velocity = DVec3::unit_z() * 6.0;
        let mut sim = Simulation::builder(1e-3)
            .gravity(DVec3::unit_z() * -9.81)
            .law(law(0.3))
            .response(Response::from(settings(cell)))
            .body(floor())
            .body(spinner)
            .build()
            .unwrap();
        let mut watch = Watches::new(&sim);
        for _ in 0..150 {
            sim.step().unwrap();
            watch.see(&sim);
        }
        let told = told(&watch, &sim);
        assert_eq!(told.len(), usize::from(is_told), "{cell:?}: {told:?}");
        assert!(told.iter().all(|t| t.starts_with("'floor' and 'spinner' turned by 0.")), "{told:?}");
    }
}

/// A ball starts 5 mm deep in the floor, and the volume of a cap is no linear function of its depth: one pass a step takes it out by and by.
#[test]
fn places_that_are_not_corrected_are_told_with_the_pair() {
    let ball = generators::icosphere(0.1, 3).unwrap();
    let run = |passes: u32| {
        let s = VolumeSettings { passes, depth: 1e-4, ..VolumeSettings::default() };
        let mut sim = Simulation::builder(2e-3)
            .gravity(DVec3::new(0.0, 0.0, -9.81))
            .law(law(0.3))
            .response(Response::from(s))
            .body(floor())
            .body(body("ball", &ball, DVec3::new(0.013, 0.007, 0.095)))
            .build()
            .unwrap();
        let mut watch = Watches::new(&sim);
        for _ in 0..10 {
            sim.step().unwrap();
            watch.see(&sim);
        }
        told(&watch, &sim).into_iter().filter(|t| t.contains("not corrected")).collect::<Vec<_>>()
    };
    let said = run(1);
    assert!(said.len() == 1 && said[0].contains("of 10 steps") && said[0].contains("'ball'"), "{said:?}");
    assert_eq!(run(40), [""; 0]);
}
