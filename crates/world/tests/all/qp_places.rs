//! What starts nearer than the thickness, or beyond a strain limit, is moved by places and not by velocities: no kick, no momentum, and the
//! energy it takes in the books.

use crate::common::{G, floor, gravity};
use impinge_contact::{FrictionLaw, PairLaw, SlipRule};
use impinge_elasticity::rod::Section;
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_integrators::Scheme;
use impinge_world::{
    BodyDesc, Builder, Deformable, Mass, NodeState, QpReport, QpSettings, Response, Simulation, StrainLimits,
};

const R: f64 = 1e-3;
const DT: f64 = 1e-3;
/// Half an edge of the boxes (m), and their mass (kg).
const HALF: f64 = 0.05;
const MASS: f64 = 1.5;

fn world(recovery: f64, mu: f64) -> Builder {
    let friction =
        FrictionLaw { mu_s: mu, mu_k: mu, k_fp: 1.0, k_fd: 0.0, k_omega: 0.0, rule: SlipRule::ReturnMap };
    let friction = (mu > 0.0).then_some(friction);
    Simulation::builder(DT)
        .gravity(gravity())
        .law(PairLaw { friction, ..PairLaw::elastic(1.0) })
        .response(Response::from(QpSettings { recovery, ..QpSettings::default() }))
}

fn cube(name: &str, at: DVec3, turn: DVec3) -> BodyDesc {
    let mesh = generators::cuboid(DVec3::broadcast(2.0 * HALF), [1, 1, 1]).unwrap();
    BodyDesc::rigid(name, &mesh, Mass::Total(MASS), Pose::new(at, rotor_from_rotation_vector(turn))).unwrap()
}

fn report(sim: &Simulation) -> QpReport {
    *sim.column::<QpReport>()
}

fn up(z: f64) -> DVec3 {
    DVec3::unit_z() * z
}

/// Largest speed of a corner of these boxes, or more (m/s).
fn fastest(sim: &Simulation, bodies: std::ops::Range<u32>) -> f64 {
    bodies.fold(0.0, |m: f64, b| {
        let t = sim.twist(b);
        m.max(t.velocity.mag() + t.angular_velocity.mag() * HALF * 3.0f64.sqrt())
    })
}

/// A box a tenth of the thickness above the floor is a whole one above it after 0.9 mm at 0.01 m/s, and never has a velocity: it stands as it
/// would without being moved.
#[test]
fn a_box_that_starts_too_near_is_moved_away_without_a_velocity() {
    for (on_mesh, mu) in [(false, 0.0), (true, 0.0), (false, 0.5), (true, 0.5)] {
        let start = 1e-4;
        let with = |recovery: f64| {
            let at = DVec3::new(0.013, 0.007, HALF + start);
            world(recovery, mu).body(floor(on_mesh)).body(cube("box", at, up(0.3))).build().unwrap()
        };
        let (mut moved, mut left) = (with(0.01), with(0.0));
        let steps = ((R - start) / (0.01 * DT)).round() as usize;
        for step in 1..=steps + 50 {
            moved.step().unwrap();
            left.step().unwrap();
            let gap = moved.position(1).z - HALF;
            let expected = (start + 0.01 * DT * step as f64).min(R);
            assert!((gap - expected).abs() < 1e-9, "mesh {on_mesh}, step {step}: {gap} for {expected}");
            assert!((left.position(1).z - HALF - start).abs() < 1e-9, "left where it is");
            let (resting, twist) = (left.twist(1), moved.twist(1));
            let speed = twist.velocity.mag();
            assert!(
                speed <= resting.velocity.mag() + 1e-12,
                "mesh {on_mesh}, mu {mu}, step {step}: {speed} m/s"
            );
            // A floor of triangles bears at a dozen points, to the tolerance of the program.
            let spin = twist.angular_velocity.mag();
            assert!(spin <= resting.angular_velocity.mag() + 1e-10, "step {step}: {spin} rad/s");
            let r = report(&moved);
            let moving = step <= steps;
            assert_eq!((r.moved, r.unplaced), (u32::from(moving), 0), "step {step}: {r:?}");
            assert_eq!(
                r.place_solves > 0,
                moving,
                "nothing is solved where nothing is too near, step {step}"
            );
            // m g times the way, and no other term; none without a correction.
            let e = moved.ledger().energy;
            let way = if moving { 0.01 * DT } else { 0.0 };
            assert!((e.work_corrections - MASS * G * way).abs() < 1e-12, "step {step}: {e:?}");
            assert!(moving || e.work_corrections == 0.0, "step {step}: {e:?}");
            assert_eq!(left.ledger().energy.work_corrections, 0.0);
            // The floor bears what it bears: nothing of the correction is an impulse.
            let weight = moved.contact_force(1).z;
            assert!((weight - MASS * G).abs() < 1e-9 * MASS * G, "step {step}: {weight} N");
        }
    }
}

/// Boxes on each other without a gap: each is moved by its own way and those below, none has a velocity, and the energy is that of all the
/// ways.
#[test]
fn a_stack_without_gaps_rises_to_its_thickness_at_rest() {
    for on_mesh in [false, true] {
        let mut builder = world(0.01, 0.5).body(floor(on_mesh));
        for i in 0..4 {
            // Askew, so that edges cross.
            let at = DVec3::new(0.004 * f64::from(i), 0.003 * f64::from(i), HALF * f64::from(2 * i + 1));
            builder = builder.body(cube(&format!("box-{i}"), at, up(0.2 * f64::from(i))));
        }
        let mut sim = builder.build().unwrap();
        let start = sim.energy().gravity;
        let (mut work, mut fast) = (0.0, 0.0f64);
        for step in 0..150 {
            sim.step().unwrap();
            let e = sim.ledger().energy;
            work += e.work_corrections;
            fast = if step < 130 { fast.max(fastest(&sim, 1..5)) } else { fast };
            assert!(step < 130 || fastest(&sim, 1..5) < 1e-10, "step {step}: {} m/s", fastest(&sim, 1..5));
            assert!(
                (e.gravity - start - work).abs() < 1e-11,
                "step {step}: {} J, {work} J",
                e.gravity - start
            );
            assert_eq!(report(&sim).unplaced, 0, "step {step}");
            let m = sim.ledger().momentum;
            assert!(m.linear_residual.mag() <= 1e-12 * m.linear_scale, "step {step}: {m:?}");
        }
        // Corners end 1e-11 to 1e-10 m beside each other, and what is not held by all of them sinks by that in a step. A kick would be 0.01 m/s.
        println!("mesh {on_mesh}: {fast:.1e} m/s");
        assert!(fast < 1e-6, "mesh {on_mesh}: {fast} m/s");
        for i in 0..4 {
            let z = sim.position(i + 1).z - HALF * f64::from(2 * i + 1);
            assert!((z - R * f64::from(i + 1)).abs() < 1e-8, "mesh {on_mesh}, box {i}: {z} m higher");
        }
        let rise = MASS * G * R * (1.0 + 2.0 + 3.0 + 4.0);
        assert!((work - rise).abs() < 1e-7, "{work} J for {rise}");
    }
}

/// Ten boxes askew that have risen to their thickness, or start there, lie still from then on: each step finds all of their contacts at once, in
/// one program. (They trembled, while contacts that keep the thickness to rounding were found one after the other.)
#[test]
fn a_stack_at_its_thickness_does_not_tremble() {
    for gap in [0.0, R] {
        let mut builder = world(0.1, 0.5).body(floor(false));
        for i in 0..10 {
            let side = if i % 2 == 0 { 0.0 } else { 1.0 };
            let at = DVec3::new(
                0.0018 * side,
                0.0007 * side,
                HALF * f64::from(2 * i + 1) + gap * f64::from(i + 1),
            );
            builder = builder.body(cube(&format!("box-{i}"), at, DVec3::zero()));
        }
        let mut sim = builder.build().unwrap();
        let mut contacts = 0;
        for step in 0..100 {
            sim.step().unwrap();
            let r = report(&sim);
            assert_eq!((r.unfinished, r.unplaced, r.cut), (0, 0, 0), "gap {gap}, step {step}: {r:?}");
            assert!(fastest(&sim, 1..11) < 1e-10, "gap {gap}, step {step}: {} m/s", fastest(&sim, 1..11));
            if step >= 20 {
                contacts = contacts.max(r.rows);
                assert_eq!((r.solves, r.moved, r.rows), (1, 0, contacts), "gap {gap}, step {step}: {r:?}");
            }
        }
        assert!((sim.position(10).z - (HALF * 19.0 + R * 10.0)).abs() < 1e-9, "gap {gap}");
    }
}

/// A box on a floor of triangles without a gap slides on without friction: pairs that touch from the start and slide in their plane have no
/// direction but against the motion, and are no contacts by that. (It lost 0.63 of its speed in the first step.)
#[test]
fn a_box_without_a_gap_slides_on() {
    let plate = generators::cuboid(DVec3::new(1.0, 0.6, 0.1), [32, 20, 1]).unwrap();
    for recovery in [0.0, 0.01] {
        let mut slider = cube("slider", DVec3::new(-0.2171, 0.0093, HALF), DVec3::zero());
        slider.velocity = DVec3::unit_x();
        let mut sim = world(recovery, 0.0)
            .body(BodyDesc::fixed("plate", plate.clone(), Pose::from_position(up(-0.05))).unwrap())
            .body(slider)
            .build()
            .unwrap();
        for step in 0..200 {
            sim.step().unwrap();
            let t = sim.twist(1);
            let off = (t.velocity - DVec3::unit_x()).mag() + t.angular_velocity.mag();
            assert!(off < 1e-9, "recovery {recovery}, step {step}: {t:?}");
        }
    }
}

/// What slides in one plane with another still meets its side: two boxes in line on a floor without a gap, all of their faces level.
#[test]
fn boxes_in_line_meet_side_to_side() {
    for on_mesh in [false, true] {
        let mut fast = cube("fast", DVec3::new(-0.15, 0.0, HALF), DVec3::zero());
        fast.velocity = DVec3::unit_x();
        let slow = cube("slow", DVec3::new(0.0, 0.0, HALF), DVec3::zero());
        let mut sim = world(0.0, 0.0).body(floor(on_mesh)).body(fast).body(slow).build().unwrap();
        for step in 0..120 {
            sim.step().unwrap();
            let apart = sim.position(2).x - sim.position(1).x - 2.0 * HALF;
            assert!(apart > R - 1e-9, "mesh {on_mesh}, step {step}: {apart} m");
            assert_eq!(report(&sim).cut, 0, "mesh {on_mesh}, step {step}");
        }
        // Inelastic, without friction.
        for b in [1, 2] {
            let t = sim.twist(b);
            assert!((t.velocity - DVec3::unit_x() * 0.5).mag() < 1e-8, "mesh {on_mesh}, {b}: {t:?}");
        }
    }
}

/// Two boxes of different mass too near each other in free space part about their common centre, which stays, and go nowhere after.
#[test]
fn free_boxes_part_about_their_common_centre() {
    let mut small = cube("small", DVec3::new(2.0 * HALF + 2e-4, 0.01, 0.013), DVec3::zero());
    let mesh = generators::cuboid(DVec3::broadcast(2.0 * HALF), [1, 1, 1]).unwrap();
    small = BodyDesc::rigid("small", &mesh, Mass::Total(0.5 * MASS), small.pose).unwrap();
    let mut sim = world(0.05, 0.3)
        .gravity(DVec3::zero())
        .body(cube("large", DVec3::zero(), DVec3::zero()))
        .body(small)
        .build()
        .unwrap();
    let centre = |sim: &Simulation| (sim.position(0) + sim.position(1) * 0.5) / 1.5;
    let (before, corners) = (centre(&sim), sim.position(1) - sim.position(0));
    for _ in 0..40 {
        sim.step().unwrap();
        assert!(fastest(&sim, 0..2) <= 1e-12, "{:?}", sim.twist(1));
        assert_eq!(sim.ledger().momentum.linear, DVec3::zero());
        assert_eq!(sim.ledger().energy.work_corrections, 0.0, "no potential is there");
    }
    assert!((centre(&sim) - before).mag() < 1e-15, "{:?}", centre(&sim) - before);
    let apart = sim.position(1) - sim.position(0);
    assert!(apart.x > corners.x + 7e-4, "{apart:?} from {corners:?}");
    assert!(report(&sim).place_solves == 0, "the thickness is reached: {:?}", report(&sim));
}

/// A box between two fixed walls with less room than two thicknesses: no place satisfies both. It stays, the step says how many contacts
/// stayed, and a box elsewhere is moved all the same.
#[test]
fn contacts_that_no_place_satisfies_stay_and_are_counted() {
    let wall = |name: &str, x: f64| {
        let mesh = generators::cuboid(DVec3::new(0.1, 0.4, 0.4), [1, 1, 1]).unwrap();
        BodyDesc::fixed(name, mesh, Pose::from_position(DVec3::new(x, 0.0, 0.0))).unwrap()
    };
    let room = 4e-4;
    let mut sim = world(0.01, 0.0)
        .gravity(DVec3::zero())
        .body(wall("left", -(0.05 + HALF + room)))
        .body(wall("right", 0.05 + HALF + room))
        .body(cube("jammed", DVec3::new(0.0, 0.01, 0.013), DVec3::zero()))
        .body(BodyDesc::plane("floor", DVec3::unit_z(), -1.0))
        .body(cube("elsewhere", DVec3::new(1.0, 0.0, -1.0 + HALF + 5e-4), DVec3::zero()))
        .build()
        .unwrap();
    for step in 1..=10 {
        sim.step().unwrap();
        let r = report(&sim);
        assert!(r.unplaced > 0 && r.moved == 1, "step {step}: {r:?}");
        assert!(sim.position(2).x.abs() < 1e-12 && fastest(&sim, 2..5) <= 1e-12, "step {step}");
        let gap = sim.position(4).z + 1.0 - HALF;
        assert!((gap - 5e-4 - 1e-5 * f64::from(step)).abs() < 1e-9, "step {step}: {gap}");
    }
}

fn rope(pulled: f64) -> Simulation {
    let section = Section { ea: 1e-3, ei: [0.0; 2], gj: 0.0, linear_density: 0.1 };
    let line: Vec<DVec3> = (0..=4).map(|i| DVec3::new(0.25 * f64::from(i), 0.0, 0.0)).collect();
    let limits = StrainLimits { upper: Some(0.02), lower: Some(0.02) };
    let body = Deformable::cable("rope", &line, &section, [0.0; 2])
        .unwrap()
        .with_strain_limits("rope", limits)
        .unwrap();
    let mut sim = world(0.1, 0.0)
        .gravity(DVec3::zero())
        .scheme(Scheme::ImplicitEuler)
        .body(BodyDesc::deformable("rope", body, Pose::identity()))
        .build()
        .unwrap();
    let mut start = sim.snapshot();
    start.nodes.x.iter_mut().for_each(|x| x.x *= 1.0 + pulled);
    sim.restore(&start).unwrap();
    sim
}

/// A rope that starts longer, or shorter, than its limits comes back to them at the recovery speed and stops there: its speeds are those that
/// its own stiffness, which is next to nothing, gives it.
#[test]
fn an_edge_that_starts_beyond_its_limit_comes_back_without_a_velocity() {
    for pulled in [0.04, -0.04] {
        let mut sim = rope(pulled);
        let longest = |sim: &Simulation| {
            let x = sim.column::<NodeState>().x.clone();
            x.windows(2).map(|w| (w[1] - w[0]).mag() / 0.25 - 1.0).fold(0.0, |m: f64, s| m.max(s.abs()))
        };
        let centre = |sim: &Simulation| {
            let n = sim.column::<NodeState>();
            let weight = |i: usize| if i == 0 || i == 4 { 0.5 } else { 1.0 };
            (0..5).fold(DVec3::zero(), |s, i| s + n.x[i] * weight(i)) / 4.0
        };
        let (before, mut work) = (centre(&sim), 0.0);
        let stored = sim.energy().elastic;
        // 0.02 of 0.25 m at 0.1 m/s are 50 steps.
        for step in 1..=80 {
            sim.step().unwrap();
            let r = report(&sim);
            assert_eq!(r.unplaced, 0, "{pulled}, step {step}: {r:?}");
            let expected = (0.04 - 0.1 * DT * f64::from(step) / 0.25).max(0.02);
            assert!(
                (longest(&sim) - expected).abs() < 2e-5,
                "{pulled}, step {step}: {} for {expected}",
                longest(&sim)
            );
            let fast = sim.column::<NodeState>().v.iter().fold(0.0, |m: f64, v| m.max(v.mag()));
            assert!(fast < 1e-3, "{pulled}, step {step}: {fast} m/s");
            let m = sim.ledger().momentum;
            assert!(
                m.linear_residual.mag() <= 1e-12 * m.linear_scale.max(1e-3),
                "{pulled}, step {step}: {m:?}"
            );
            work += sim.ledger().energy.work_corrections;
        }
        assert!(report(&sim).moved == 0, "{pulled}: {:?}", report(&sim));
        assert!((centre(&sim) - before).mag() < 1e-12, "{pulled}: the centre stays");
        // What it gave back of the energy stored: ½ EA ε² a metre, from 0.04 to 0.02.
        let given = 0.5 * 1e-3 * (0.02f64.powi(2) - 0.04f64.powi(2));
        assert!((work / given - 1.0).abs() < 0.05, "{pulled}: {work} J for {given}, {stored} J at the start");
    }
}

/// A pile of boxes too near each other in several ways, which lean.
fn pile() -> Simulation {
    let mut builder = world(0.05, 0.4).body(floor(true));
    for i in 0..5 {
        let i = f64::from(i);
        let at = DVec3::new(0.01 * i, -0.007 * i, HALF + 2e-4 + i * (2.0 * HALF + 3e-4));
        builder = builder.body(cube(&format!("box-{i}"), at, DVec3::new(0.0, 0.0, 0.3 * i)));
    }
    builder.build().unwrap()
}

#[test]
fn any_number_of_threads_and_a_restored_run_give_the_same_bits() {
    let hash = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut sim = pile();
            let mut moved = 0;
            (0..15).for_each(|_| {
                sim.step().unwrap();
                moved += report(&sim).moved;
            });
            assert!(moved > 10, "{moved}");
            sim.hash()
        })
    };
    let first = hash(1);
    assert_eq!([hash(2), hash(8)], [first; 2]);
    let mut sim = pile();
    (0..7).for_each(|_| sim.step().unwrap());
    let taken = sim.snapshot();
    for fresh in [false, true] {
        if fresh {
            sim = pile();
        }
        sim.restore(&taken).unwrap();
        (0..8).for_each(|_| sim.step().unwrap());
        assert_eq!(sim.hash(), first, "in a fresh world: {fresh}");
    }
}
