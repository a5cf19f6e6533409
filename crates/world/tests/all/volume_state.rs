//! Intersection volumes: deep starts, deformables, what is refused, same bits.

use crate::volumes::{law, report, run, settings};
use impinge_elasticity::Material;
use impinge_elasticity::tet::Model;
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_integrators::{Driver, Keyframe, Scheme};
use impinge_world::{
    BodyDesc, Builder, CellImpulses, Change, ClothSpec, Deformable, Mass, Measurement, Motion, NodeState,
    Response, Simulation, VolumePenaltySettings, VolumeSettings,
};

const G: DVec3 = DVec3 { x: 0.0, y: 0.0, z: -9.81 };

fn world(dt: f64, mu: f64, s: VolumeSettings) -> Builder {
    Simulation::builder(dt).scheme(Scheme::ImplicitEuler).law(law(mu)).response(Response::from(s))
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_position(DVec3::new(x, y, z))
}

/// Three bodies, each overlapping the next by more than half its width.
fn overlapping(recovery: Option<f64>) -> Simulation {
    let s = VolumeSettings { recovery, ..VolumeSettings::default() };
    let ball = generators::icosphere(0.1, 2).unwrap();
    let ring = generators::torus(0.1, 0.05, 24, 12).unwrap();
    let block = generators::cuboid(DVec3::new(0.2, 0.15, 0.1), [2, 2, 2]).unwrap();
    world(5e-3, 0.4, s)
        .body(BodyDesc::rigid("ball", &ball, Mass::Total(1.0), at(0.0, 0.01, 0.0)).unwrap())
        .body(BodyDesc::rigid("ring", &ring, Mass::Total(2.0), at(0.11, 0.0, 0.02)).unwrap())
        .body(BodyDesc::rigid("block", &block, Mass::Total(1.5), at(0.02, 0.03, 0.09)).unwrap())
        .build()
        .unwrap()
}

/// A box deep in a plane is moved out with its weight: m g times the way beyond that of its velocity is the work of corrections, and there is
/// none once it stands.
#[test]
fn the_work_of_moving_out_is_in_the_books() {
    let (dt, mass) = (2e-3, 1.5);
    let cube = generators::cuboid(DVec3::broadcast(0.1), [1, 1, 1]).unwrap();
    let mut sim = world(dt, 0.0, VolumeSettings { recovery: Some(0.5), ..VolumeSettings::default() })
        .gravity(G)
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(BodyDesc::rigid("box", &cube, Mass::Total(mass), at(0.0, 0.0, 0.03)).unwrap())
        .build()
        .unwrap();
    let (mut up, mut last) = (0.0, f64::NAN);
    for step in 0..60 {
        let before = sim.position(1).z;
        sim.step().unwrap();
        let way = sim.position(1).z - before - sim.twist(1).velocity.z * dt;
        last = sim.ledger().energy.work_corrections;
        let expected = -mass * G.z * way;
        assert!((last - expected).abs() < 1e-12, "step {step}: {last} J for {expected}");
        up += last;
    }
    assert!(up > 0.9 * -mass * G.z * 0.02 && last.abs() < 1e-12, "{up} J, {last} J in the last step");
}

#[test]
fn a_deep_start_comes_apart_without_a_kick() {
    for recovery in [None, Some(0.3)] {
        let mut sim = overlapping(recovery);
        let places = |sim: &Simulation| (0..3).map(|s| sim.position(s)).collect::<Vec<_>>();
        let (mut fastest, mut kinetic, mut out) = (0.0f64, 0.0f64, f64::INFINITY);
        let mut first = None;
        while sim.time() < 1.0 {
            let before = places(&sim);
            sim.step().unwrap();
            let r = report(&sim);
            first.get_or_insert(r);
            for (x, y) in before.iter().zip(places(&sim)) {
                fastest = fastest.max((*x - y).mag() / sim.dt());
            }
            kinetic = kinetic.max(sim.energy().kinetic());
            if r.left == 0.0 {
                out = out.min(sim.time());
            }
        }
        println!(
            "recovery {recovery:?}: out after {out:.3} s, {fastest:.2} m/s, kinetic {kinetic:.1e} J, {first:?}"
        );
        assert!(out < 1.0, "still overlapping: {:?}", report(&sim));
        assert!(kinetic == 0.0, "kicked: {kinetic} J");
        if let Some(v) = recovery {
            assert!(fastest < 3.0 * v, "{fastest} m/s");
        }
    }
}

fn jelly(name: &str, pose: Pose) -> BodyDesc {
    let block = generators::tet_box(DVec3::new(0.2, 0.2, 0.2), [2, 2, 2]).unwrap();
    let rubber = Material::new(1e5, 0.3, 1000.0).with_rayleigh(2.0, 0.002);
    BodyDesc::deformable(name, Deformable::solid(name, &block, Model::Corotational, &rubber).unwrap(), pose)
}

#[test]
fn a_jelly_rests_on_a_box_and_on_a_jelly() {
    // One pressure for a whole face lets a stack of two rock; one jelly it carries.
    for (cell, bodies) in [(None, 1), (Some(0.15), 1), (Some(0.15), 2)] {
        let slab = generators::cuboid(DVec3::new(1.0, 1.0, 0.2), [1, 1, 1]).unwrap();
        let s = VolumeSettings { depth: 1e-4, ..settings(cell) };
        let mut b = world(5e-3, 0.5, s)
            .gravity(G)
            .body(BodyDesc::fixed("slab", slab, at(0.01, 0.02, -0.1)).unwrap())
            .body(jelly("lower", at(0.0, 0.0, 0.1005)));
        if bodies == 2 {
            b = b.body(jelly("upper", at(0.013, -0.009, 0.301)));
        }
        let mut sim = b.build().unwrap();
        run(&mut sim, 4.0);
        let weight = 8.0 * 9.81 * f64::from(bodies);
        let (mut worst, mut linear) = (0.0f64, 0.0f64);
        let from = sim.position(bodies);
        for _ in 0..40 {
            sim.step().unwrap();
            let m = sim.ledger().momentum;
            linear = linear.max(m.linear_residual.mag() / m.linear_scale);
            worst = worst.max((-sim.contact_force(0).z / weight - 1.0).abs());
        }
        let drift = (sim.position(bodies) - from).mag() / 0.2;
        let name = format!("{bodies} bodies, cell {cell:?}");
        println!(
            "{name}: weight {worst:.1e}, linear {linear:.1e}, drift {drift:.1e} m/s, {:?}",
            report(&sim)
        );
        assert!(worst < 2e-3, "{name}: {worst}");
        assert!(linear < 1e-12, "{linear}");
        assert!(drift < 1e-3, "{name}: {drift}");
    }
}

#[test]
fn a_jelly_that_loses_a_corner_in_contact_goes_on() {
    let slab = generators::cuboid(DVec3::new(1.0, 1.0, 0.2), [1, 1, 1]).unwrap();
    let mut sim = world(5e-3, 0.5, settings(Some(0.15)))
        .gravity(G)
        .body(BodyDesc::fixed("slab", slab, at(0.01, 0.02, -0.1)).unwrap())
        .body(jelly("jelly", at(0.0, 0.0, 0.1005)))
        .build()
        .unwrap();
    run(&mut sim, 0.5);
    let mut points = Vec::new();
    sim.contact_points(&mut points);
    assert!(!points.is_empty());
    let tets = generators::tet_box(DVec3::new(0.2, 0.2, 0.2), [2, 2, 2]).unwrap().tets().len();
    let report = sim.edit(1, Change::Remove((0..tets).map(|t| t == tets - 1).collect())).unwrap();
    assert!(report.removed_mass > 0.0);
    // What the last step decided was about surfaces that are no more.
    sim.contact_points(&mut points);
    assert!(points.is_empty());
    run(&mut sim, 2.0);
    let weight = (8.0 - report.removed_mass) * 9.81;
    let mean = (0..200)
        .map(|_| {
            sim.step().unwrap();
            -sim.contact_force(0).z
        })
        .sum::<f64>()
        / 200.0;
    println!("weight after the cut: {mean:.6} N for {weight:.6} N");
    assert!((mean / weight - 1.0).abs() < 2e-2);
}

/// Bodies of all kinds under the response, in cells.
fn pile() -> Simulation {
    let ring = generators::torus(0.1, 0.04, 24, 12).unwrap();
    let ball = generators::icosphere(0.08, 2).unwrap();
    let press = generators::cuboid(DVec3::new(0.3, 0.3, 0.1), [1, 1, 1]).unwrap();
    let frames = vec![
        Keyframe { time: 0.0, pose: at(0.0, 0.0, 1.0) },
        Keyframe { time: 2.0, pose: at(0.05, 0.0, 0.8) },
    ];
    let mut driven = BodyDesc::fixed("press", press, frames[0].pose).unwrap();
    driven.motion = Motion::Kinematic(Driver::Keyframes(frames));
    let mut b = world(5e-3, 0.4, VolumeSettings { depth: 1e-4, ..settings(Some(0.07)) })
        .gravity(G)
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(driven)
        .body(jelly("jelly", at(0.0, 0.0, 0.1)));
    for i in 0..4 {
        let (mesh, turn) = if i % 2 == 0 { (&ring, 0.4) } else { (&ball, 1.1) };
        let rotation = rotor_from_rotation_vector(DVec3::new(turn, 0.3 * f64::from(i), 0.1));
        let pose = Pose::new(DVec3::new(0.02 * f64::from(i), 0.01, 0.3 + 0.13 * f64::from(i)), rotation);
        b = b.body(BodyDesc::rigid(&format!("body-{i}"), mesh, Mass::Density(500.0), pose).unwrap());
    }
    b.build().unwrap()
}

fn hash_with(threads: usize, steps: usize) -> (u64, u32) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut sim = pile();
        let mut cells = 0;
        for _ in 0..steps {
            sim.step().unwrap();
            cells = cells.max(report(&sim).active);
        }
        (sim.hash(), cells)
    })
}

#[test]
fn one_two_and_eight_threads_give_the_same_bits() {
    let one = hash_with(1, 80);
    println!("{one:?}");
    assert!(one.1 > 8, "the pile must be in contact: {}", one.1);
    assert_eq!(hash_with(2, 80), one);
    assert_eq!(hash_with(8, 80), one);
}

#[test]
fn a_snapshot_at_mid_run_continues_with_the_same_bits() {
    let mut sim = pile();
    for _ in 0..60 {
        sim.step().unwrap();
    }
    let middle = sim.snapshot();
    assert!(
        !middle.kept[0].get::<CellImpulses>().unwrap().0.is_empty(),
        "impulses of the last step are part of the state"
    );
    for _ in 0..30 {
        sim.step().unwrap();
    }
    let end = sim.hash();
    let mut fresh = pile();
    for world in [&mut sim, &mut fresh] {
        world.restore(&middle).unwrap();
        assert_eq!(world.hash(), middle.hash());
        for _ in 0..30 {
            world.step().unwrap();
        }
        assert_eq!(world.hash(), end);
    }
    let mut other = middle.clone();
    other.kept[0].get_mut::<CellImpulses>().unwrap().0[0].normal = f64::NAN;
    assert!(sim.restore(&other).is_err(), "not finite");
    other.kept[0].get_mut::<CellImpulses>().unwrap().0[0].normal = 1.0;
    assert_ne!(other.hash(), middle.hash(), "the hash sees them");
}

#[test]
fn a_driven_body_presses_with_its_weight_on_nothing() {
    // A press that comes down on a ball: the ball cannot give way, the press does not stop, and nothing blows up.
    let mut sim = pile();
    let mut kinetic = 0.0f64;
    for _ in 0..200 {
        sim.step().unwrap();
        kinetic = kinetic.max(sim.energy().kinetic());
        assert!(sim.column::<NodeState>().x.iter().all(|x| x.mag() < 10.0));
    }
    println!("kinetic at most {kinetic:.2} J, {:?}", report(&sim));
    assert!(kinetic < 20.0, "{kinetic}");
}

#[test]
fn what_has_no_inside_and_what_makes_no_sense_is_refused() {
    let ball = || {
        BodyDesc::rigid("ball", &generators::icosphere(0.1, 1).unwrap(), Mass::Total(1.0), at(0.0, 0.0, 0.5))
    };
    let plane = || BodyDesc::plane("floor", DVec3::unit_z(), 0.0);
    let of = |s: VolumeSettings| world(1e-3, 0.3, s).body(plane()).body(ball().unwrap()).build().err();
    let d = VolumeSettings::default();
    assert!(of(d).is_none());
    for (bad, says) in [
        (VolumeSettings { depth: 0.0, ..d }, "depth"),
        (VolumeSettings { depth: f64::NAN, ..d }, "depth"),
        (VolumeSettings { measure: Measurement { cell: Some(-1.0), ..Measurement::default() }, ..d }, "cell"),
        (
            VolumeSettings { measure: Measurement { pixel: Some(0.01), ..Measurement::default() }, ..d },
            "half a pixel",
        ),
        (VolumeSettings { recovery: Some(0.0), ..d }, "recovery"),
        (VolumeSettings { tolerance: 0.0, ..d }, "tolerance"),
        (VolumeSettings { passes: 0, ..d }, "pass"),
    ] {
        let e = of(bad).map(|e| e.to_string()).unwrap_or_default();
        assert!(e.contains(says), "{says}: {e}");
    }
    let penalty = |s: VolumePenaltySettings| {
        world(1e-3, 0.3, d).response(Response::from(s)).body(plane()).body(ball().unwrap()).build().err()
    };
    let p = VolumePenaltySettings::default();
    assert!(penalty(p).is_none());
    let e = penalty(VolumePenaltySettings { stiffness: -1.0, ..p }).map(|e| e.to_string());
    assert!(e.is_some_and(|e| e.contains("stiffness")));
    // A sheet has no inside.
    let sheet = generators::grid([0.3, 0.3], [2, 2]).unwrap();
    let weave = ClothSpec {
        young: 1e5,
        poisson: 0.3,
        thickness: 1e-3,
        density: 300.0,
        bending: 0.01,
        rayleigh: [0.0, 0.0],
    };
    let cloth = Deformable::cloth("cloth", &sheet, &weave).unwrap();
    let e = world(1e-3, 0.3, d)
        .body(plane())
        .body(BodyDesc::deformable("cloth", cloth, at(0.0, 0.0, 0.3)))
        .build();
    let e = e.err().map(|e| e.to_string()).unwrap_or_default();
    assert!(e.contains("cloth") && e.contains("inside"), "{e}");
    // Velocities of an explicit step do not go through the operator.
    let e = world(1e-3, 0.3, d)
        .scheme(Scheme::SymplecticEuler)
        .body(plane())
        .body(jelly("jelly", at(0.0, 0.0, 0.2)));
    let e = e.build().err().map(|e| e.to_string()).unwrap_or_default();
    assert!(e.contains("jelly") && e.contains("implicit-euler"), "{e}");
}

/// Boxes that have come to rest on a plane and on each other stay where they are to rounding, with all of their weight below them; by the tolerance of their
/// solves they would creep by 10⁻¹² m/s.
#[test]
fn boxes_at_rest_stay_where_they_are_to_rounding() {
    let mut builder = world(1e-3, 0.5, settings(Some(0.05))).gravity(G).body(BodyDesc::plane(
        "floor",
        DVec3::unit_z(),
        0.0,
    ));
    for (i, edge) in [0.1, 0.09].into_iter().enumerate() {
        let cube = generators::cuboid(DVec3::new(edge, edge, 0.1), [1; 3]).unwrap();
        let pose = at(0.003, -0.002, 0.05 + 0.1 * i as f64);
        builder = builder.body(BodyDesc::rigid(&format!("box-{i}"), &cube, Mass::Total(1.0), pose).unwrap());
    }
    let mut sim = builder.build().unwrap();
    run(&mut sim, 0.1);
    let start = [1, 2].map(|s| sim.pose(s).position);
    let mut fastest = 0.0f64;
    for _ in 0..300 {
        sim.step().unwrap();
        fastest = [1, 2].into_iter().fold(fastest, |m, s| m.max(sim.twist(s).velocity.mag()));
        let weight = sim.contact_force(0).z / (2.0 * G.z);
        assert!((weight - 1.0).abs() < 1e-12, "{weight}");
    }
    assert!(fastest < 1e-16, "{fastest} m/s");
    for (s, start) in (1..).zip(start) {
        let off = sim.pose(s).position - start;
        assert!(off.z == 0.0 && off.mag() < 1e-17, "box-{s}: {off:?}");
    }
}
