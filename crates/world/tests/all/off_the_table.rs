//! A box that slides off a table, and one that slides onto it, is held all the way: by its vertices on the table, by its edges across the table's.

use crate::common::law;
use impinge_contact::{Damping, FrictionLaw, PairLaw, SlipRule};
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_integrators::Scheme;
use impinge_world::{BodyDesc, Family, Mass, Response, Simulation};

const STIFFNESS: f64 = 1e4;
const MU: f64 = 0.3;
/// How fast it starts along and goes down (m/s), what slows it and turns it back (m/s²), and where its middle starts beside the edge (m).
const SPEED: f64 = 0.6;
const DOWN: f64 = 1e-3;
const BACK: f64 = 1.4;
const START: f64 = -0.15;
const DT: f64 = 1e-3;
/// There and back.
const STEPS: u32 = 850;
const RESPONSES: [fn() -> Response; 3] = [Response::cpf, Response::dpf_ccd, Response::cpf_implicit];

/// A box of 0.2 m, too heavy for contact to stop, goes 78 mm over the edge of the table at y = 0 and comes back, while it sinks in.
fn sliding(response: Response, box_first: bool, yaw: f64, mu: f64) -> Simulation {
    let table = generators::cuboid(DVec3::new(1.0, 1.0, 0.1), [1, 1, 1]).unwrap();
    let block = generators::cuboid(DVec3::new(0.2, 0.2, 0.2), [1, 1, 1]).unwrap();
    let table = BodyDesc::fixed("table", table, Pose::from_position(DVec3::new(0.0, -0.5, -0.05))).unwrap();
    let turn = rotor_from_rotation_vector(DVec3::unit_z() * yaw);
    let pose = Pose::new(DVec3::new(0.013, START, 0.1), turn);
    let mut moving = BodyDesc::rigid("box", &block, Mass::Total(1e9), pose).unwrap();
    moving.velocity = DVec3::new(0.0, SPEED, -DOWN);
    let friction = (mu > 0.0).then_some(FrictionLaw {
        mu_s: mu,
        mu_k: mu,
        k_fp: STIFFNESS,
        k_fd: 0.0,
        k_omega: 1e3,
        rule: SlipRule::ReturnMap,
    });
    let implicit = response.family() == Some(Family::CPF_IMPLICIT);
    let mut builder = Simulation::builder(DT)
        .gravity(DVec3::new(0.0, -BACK, 0.0))
        .scheme(if implicit { Scheme::ImplicitMidpoint } else { Scheme::SymplecticEuler })
        .law(PairLaw { friction, ..law(STIFFNESS, Damping::None) })
        .response(response);
    let mut bodies = vec![table, moving];
    if box_first {
        bodies.rotate_right(1);
    }
    for body in bodies {
        builder = builder.body(body);
    }
    builder.build().unwrap()
}

/// Corners of what the box's bottom and the table have in common: vertices on it, and edges that go across its edge at more than 1.8 degrees.
/// `None` where a vertex is just passing.
fn corners(pose: &Pose) -> Option<u32> {
    let ring = [(-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1)];
    let at = ring.map(|(x, y)| pose.point_to_world(DVec3::new(x, y, -0.1)));
    let mut count = 0;
    for (i, p) in at.into_iter().enumerate() {
        let q = at[(i + 1) % 4];
        if p.y.abs() < 5e-3 {
            return None;
        }
        count += u32::from(p.y < 0.0);
        count += u32::from(p.y * q.y < 0.0 && ((q - p).y / 0.2).powi(2) > 1e-3);
    }
    Some(count)
}

/// Off the table with edges of its own across the table's, then back with its vertices on it: a contact at each corner of what they have in common, all of
/// the same depth, four or five of them.
#[test]
fn a_box_is_held_past_the_edge_as_on_the_table() {
    for response in RESPONSES.map(|r| r()) {
        for (box_first, yaw) in [(false, 0.0), (true, 0.0), (false, 0.03), (true, 0.3), (false, -0.7)] {
            let mut sim = sliding(response.clone(), box_first, yaw, 0.0);
            let slot = u32::from(!box_first);
            let (mut farthest, mut seen) = (START, [0; 6]);
            for step in 1..=STEPS {
                let known = corners(&sim.pose(slot));
                sim.step().unwrap();
                farthest = sim.pose(slot).position.y.max(farthest);
                let depth = DOWN * DT * (f64::from(step) - 0.5);
                let force = sim.contact_force(slot);
                let said = format!(
                    "{response:?}, box first {box_first}, turned by {yaw}, step {step}: {force:?} N for {known:?} contacts of {} N",
                    STIFFNESS * depth
                );
                let count = force.z / (STIFFNESS * depth);
                // Half a step of the way down: the force at the end of a step is not that of its middle.
                let slack = 2.5 / (f64::from(step) - 0.5) + 1e-5;
                let (low, high) = known.map_or((4.0, 5.0), |n| (f64::from(n), f64::from(n)));
                assert!(low - slack < count && count < high + slack, "{said}");
                // A vertex that comes back over the edge comes in through the table's side, which has it for the way of one step.
                let side = if known.is_some() { 1e-6 * force.z } else { STIFFNESS * SPEED * DT };
                assert!(force.x.abs() + force.y.abs() < side, "{said}");
                seen[known.unwrap_or(0) as usize] += 1;
            }
            let ends = sim.pose(slot).position.y;
            assert!(farthest > -0.03 && ends < -0.14, "it turned at {farthest} m and ended at {ends} m");
            assert!(seen[4] + seen[5] > 700 && (seen[5] > 100) == (yaw.abs() > 0.1), "{seen:?} at {yaw}");
        }
    }
}

/// The springs of friction go over with the contacts: they pull with μ times the load all the time it slides.
#[test]
fn friction_goes_on_past_the_edge_and_back() {
    for response in RESPONSES.map(|r| r()) {
        let mut sim = sliding(response.clone(), false, 0.0, MU);
        for step in 1..=STEPS {
            sim.step().unwrap();
            let (force, way) = (sim.contact_force(1), sim.twist(1).velocity.y);
            // At the start and where it turns the springs are stretched first.
            if step < 5 || way.abs() < 0.05 {
                continue;
            }
            let share = -force.y * way.signum() / (MU * force.z);
            assert!((share - 1.0).abs() < 1e-6, "{response:?}, step {step}: {share} of μN, {force:?} N");
        }
    }
}

/// Corners that lie on each other are held by a vertex of one, of the other, or by edges of both, and creep from one to another.
#[test]
fn boxes_in_line_and_what_stands_on_them_go_on_standing() {
    // Mass, width, height, offset (kg, m).
    let heavy = [
        (0.02, 0.088, 0.08, [0.0; 2]),
        (0.028, 0.088, 0.08, [0.0; 2]),
        (0.2, 0.088, 0.056, [0.008, -0.002]),
        (3.8, 0.062, 0.022, [0.008, -0.002]),
    ];
    let coarse = [
        (1.6, 0.08, 0.07, [0.0; 2]),
        (0.8, 0.08, 0.042, [0.0; 2]),
        (0.8, 0.08, 0.034, [0.0; 2]),
        (1.4, 0.046, 0.018, [0.017, 0.003]),
    ];
    for (boxes, k, c, dt) in [(heavy, 1.4e6, 1.2e3, 1e-4), (coarse, 2.6e4, 175.0, 2e-3)] {
        let friction = Some(FrictionLaw { k_fd: c, ..FrictionLaw::coulomb(0.5) });
        let mut builder = Simulation::builder(dt)
            .gravity(DVec3::unit_z() * -9.81)
            .law(PairLaw { friction, ..law(k, Damping::KelvinVoigt(c)) })
            .response(Response::cpf_implicit())
            .scheme(Scheme::ImplicitMidpoint)
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0));
        let mut height = 0.0;
        for (i, (mass, width, tall, [x, y])) in boxes.into_iter().enumerate() {
            let at = [x, y, height + 0.5 * tall];
            let size = [width, width, tall];
            builder =
                builder.body(BodyDesc::cuboid(&format!("box-{i}"), size, Mass::Total(mass), at).unwrap());
            height += tall;
        }
        let mut sim = builder.build().unwrap();
        let start = sim.position(4);
        while sim.time() < 0.6 {
            sim.step().unwrap();
        }
        // It has sunk in, and sways.
        let moved = sim.position(4) - start;
        assert!(moved.mag() < 5e-3, "{moved:?} at {dt} s");
    }
}

/// Two boxes of one size, the upper one too heavy for contact to stop, that slide across each other until corner has passed corner, on both sides at
/// once or one after the other: each corner of what they have in common is held by a whole spring all the time, also where sides are of two edges.
#[test]
fn corners_that_change_places_are_held_whatever_sides_are_divided_into() {
    let (size, dt) = (0.16, 1e-3);
    let bottom = |middle: DVec3| {
        [middle.x - 0.5 * size, middle.x + 0.5 * size, middle.y - 0.5 * size, middle.y + 0.5 * size]
    };
    for (response, segments) in
        RESPONSES.map(|r| r()).into_iter().flat_map(|r| [[1, 2], [2, 1], [2, 2]].map(|s| (r.clone(), s)))
    {
        for (x, y) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, 0.6), (-0.6, 1.0)] {
            let meshes = segments.map(|n| generators::cuboid(DVec3::broadcast(size), [n; 3]).unwrap());
            let [under, over] = meshes;
            let under = BodyDesc::fixed("under", under, Pose::identity()).unwrap();
            let start = DVec3::new(-0.004 * x, -0.004 * y, size);
            let mut over =
                BodyDesc::rigid("over", &over, Mass::Total(1e9), Pose::from_position(start)).unwrap();
            let way = |start: f64| 0.1 * start.signum();
            over.velocity = DVec3::new(way(x), way(y), -DOWN);
            let implicit = response.family() == Some(Family::CPF_IMPLICIT);
            let mut sim = Simulation::builder(dt)
                .scheme(if implicit { Scheme::ImplicitMidpoint } else { Scheme::SymplecticEuler })
                .law(law(STIFFNESS, Damping::None))
                .response(response.clone())
                .body(under)
                .body(over)
                .build()
                .unwrap();
            let mut points = Vec::new();
            for step in 1..=80u32 {
                sim.step().unwrap();
                let (at, depth) = (sim.pose(1).position, DOWN * dt * (f64::from(step) - 0.5));
                sim.contact_points(&mut points);
                let [l, r, d, u] = bottom(at);
                let [left, right, down, up] = bottom(DVec3::zero());
                let (xs, ys) = ([l.max(left), r.min(right)], [d.max(down), u.min(up)]);
                for (cx, cy) in xs.into_iter().flat_map(|cx| ys.map(|cy| (cx, cy))) {
                    let near =
                        points.iter().filter(|p| (p.point.x - cx).abs().max((p.point.y - cy).abs()) < 2e-3);
                    let springs = near.map(|p| p.force.z.abs()).sum::<f64>() / (STIFFNESS * depth);
                    let slack = 2.5 / (f64::from(step) - 0.5) + 1e-3;
                    assert!(
                        springs > 1.0 - slack,
                        "{response:?}, segments {segments:?}, way {x}, {y}, step {step}: {springs} springs at {cx}, {cy}"
                    );
                }
            }
        }
    }
}
