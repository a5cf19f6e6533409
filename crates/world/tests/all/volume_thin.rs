//! What volumes cannot hold is refused or told: bodies thinner than the depth, bodies inside others, walls thinner than a step's way,
//! images less sure than asked.

use crate::volumes::{DEPTH, law, report, settings};
use impinge_geometry::{DVec3, Pose, TriMesh, generators};
use impinge_world::{
    BodyDesc, Mass, Measurement, Response, Simulation, VolumePenaltySettings, VolumeSettings, VolumeWatch,
};

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
fn a_plate_thinner_than_the_depth_is_refused_with_its_thickness() {
    let plate = |t: f64| generators::cuboid(DVec3::new(0.3, 0.3, t), [2, 2, 1]).unwrap();
    let at = DVec3::unit_z() * 0.1;
    let e = pair(floor(), body("foil", &plate(0.9 * DEPTH), at), settings(None), 1e-3).err().unwrap();
    assert!(e.contains("'foil'") && e.contains("m thick") && e.contains("give a depth"), "{e}");
    assert!(pair(floor(), body("plate", &plate(2.0 * DEPTH), at), settings(None), 1e-3).is_ok());
    // What the message asks for is enough.
    let s = VolumeSettings { depth: 0.2 * DEPTH, ..settings(None) };
    assert!(pair(floor(), body("foil", &plate(0.9 * DEPTH), at), s, 1e-3).is_ok());
    // No thickness at all has no inside.
    let mut flat = generators::cuboid(DVec3::new(0.3, 0.3, 0.1), [1; 3]).unwrap();
    flat = flat.mapped(|p| DVec3::new(p.x, p.y, 0.0)).unwrap();
    assert!(BodyDesc::rigid("flat", &flat, Mass::Total(1.0), Pose::from_position(at)).is_err());
    let fixed = BodyDesc::fixed("flat", flat, Pose::from_position(at)).unwrap();
    let ball = generators::icosphere(0.1, 2).unwrap();
    let e = pair(fixed, body("ball", &ball, DVec3::unit_z()), settings(None), 1e-3).err().unwrap();
    assert!(e.contains("flat"), "{e}");
}

#[test]
fn a_body_inside_another_is_told_with_a_way_out() {
    let rock = generators::cuboid(DVec3::new(1.0, 1.2, 1.4), [2; 3]).unwrap();
    let pebble = generators::icosphere(0.1, 2).unwrap();
    for inside in [true, false] {
        let at = DVec3::new(0.3, 0.1, if inside { 0.0 } else { 2.0 });
        let first = BodyDesc::fixed("rock", rock.clone(), Pose::default()).unwrap();
        let mut sim = pair(first, body("pebble", &pebble, at), settings(None), 1e-3).unwrap();
        let mut watch = VolumeWatch::default();
        for _ in 0..5 {
            sim.step().unwrap();
            watch.see(&sim);
        }
        assert_eq!(report(&sim).contained, u32::from(inside));
        let told = watch.warnings(&sim);
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
    let mut watch = VolumeWatch::default();
    sim.step().unwrap();
    watch.see(&sim);
    let told = watch.warnings(&sim);
    assert!(told.len() == 1 && told[0].contains("(0.000e0, 0.000e0, 3.5"), "{told:?}");
}

#[test]
fn a_rod_through_a_plate_is_told() {
    let plate = generators::cuboid(DVec3::new(1.0, 1.0, 0.1), [2, 2, 1]).unwrap();
    let rod = generators::cuboid(DVec3::new(0.1, 0.1, 1.0), [1, 1, 2]).unwrap();
    let first = BodyDesc::fixed("plate", plate, Pose::default()).unwrap();
    let mut sim =
        pair(first, body("rod", &rod, DVec3::new(0.03, 0.02, 0.01)), settings(Some(0.06)), 1e-3).unwrap();
    let mut watch = VolumeWatch::default();
    sim.step().unwrap();
    watch.see(&sim);
    assert!(
        watch.warnings(&sim).iter().any(|w| w.contains("'plate' and 'rod'")),
        "{:?}",
        watch.warnings(&sim)
    );
}

/// A bowl: a hollow box without its lid, walls 3 mm thick, in a box of 0.2 m.
fn bowl() -> TriMesh {
    let (out, wall) = (0.1, 0.003);
    let inner = out - wall;
    let ring = |h: f64, z: f64| [(-h, -h), (h, -h), (h, h), (-h, h)].map(|(x, y)| DVec3::new(x, y, z));
    let x = [ring(out, -out), ring(out, out), ring(inner, out), ring(inner, wall - out)].concat();
    let mut t: Vec<[u32; 3]> = vec![[0, 2, 1], [0, 3, 2], [12, 13, 14], [12, 14, 15]];
    for level in 0..3u32 {
        for k in 0..4 {
            let (a, b) = (4 * level + k, 4 * level + (k + 1) % 4);
            t.extend([[a, b, b + 4], [a, b + 4, a + 4]]);
        }
    }
    TriMesh::new(x, t).unwrap()
}

#[test]
fn the_wall_of_a_bowl_is_not_crossed_by_that_of_a_cup() {
    let thickness = impinge_volume::ClosedSurface::new(&bowl()).unwrap().thickness();
    assert!((thickness / 0.003 - 1.0).abs() < 0.05, "{thickness}");
    // 0.06 m wide and less than half of that a step: by their boxes neither could pass. Its wall has 0.9 mm.
    let cup = bowl().mapped(|p| p * 0.3).unwrap();
    for (speed, start) in [(4.0, 0.0), (5.0, 0.003), (7.0, 0.01)] {
        let first = BodyDesc::fixed("bowl", bowl(), Pose::default()).unwrap();
        let mut shot = body("cup", &cup, DVec3::new(0.003, 0.005, start));
        shot.velocity = DVec3::new(0.0, 0.0, -speed);
        let mut sim = pair(first, shot, settings(None), 4e-3).unwrap();
        let from = sim.position(1).z;
        for _ in 0..60 {
            sim.step().unwrap();
        }
        let bottom = start - 0.03 + sim.position(1).z - from;
        println!("{speed} m/s: its bottom at {bottom}");
        assert!(bottom > 0.003 - 0.1 - 5.0 * DEPTH, "{speed} m/s: {bottom}");
    }
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
        let mut watch = VolumeWatch::default();
        for _ in 0..20 {
            sim.step().unwrap();
            watch.see(&sim);
            let r = report(&sim);
            assert!(
                r.image_error.unwrap() <= r.image_bound.unwrap() * (1.0 + 1e-9) / (1.0 - error.unwrap()),
                "{r:?}"
            );
        }
        (watch.note().unwrap(), watch.warnings(&sim), report(&sim))
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
        let mut watch = VolumeWatch::default();
        let found: Vec<_> = (0..7)
            .map(|_| {
                sim.step().unwrap();
                watch.see(&sim);
                (report(&sim).image_error, report(&sim).image_bound)
            })
            .collect();
        (found, watch.note(), sim.hash())
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
