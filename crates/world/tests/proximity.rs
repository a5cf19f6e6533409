//! The discrete force by proximity in the step: where a box rests, what is kept, what it lets through, and what it refuses.

mod common;

use common::{G, collision, floor, gravity, law};
use impinge_contact::{Damping, FrictionLaw, PairLaw, SlipRule};
use impinge_geometry::{DVec3, Pose, cuboid, icosphere};
use impinge_penalty::{Evaluate, Release};
use impinge_world::{
    BodyDesc, ContactPoint, Detection, Family, Features, Mass, PairRule, Response, Simulation,
};

fn near(evaluate: Evaluate, reach: f64) -> Response {
    Response::Penalty { evaluate, release: Release::Force, detection: Detection::Proximity { reach } }
}

/// A box of 2 kg, 0.2 m wide, this high above a floor.
fn on_floor(response: Response, mesh: bool, law: PairLaw, height: f64, velocity: DVec3) -> Simulation {
    let cube = cuboid(DVec3::broadcast(0.2), [1, 1, 1]).unwrap();
    let place = Pose::from_position(DVec3::new(0.013, 0.027, 0.1 + height));
    let mut body = BodyDesc::rigid("box", &cube, Mass::Total(2.0), place).unwrap();
    body.velocity = velocity;
    Simulation::builder(1e-3)
        .gravity(gravity())
        .law(law)
        .response(response)
        .body(floor(mesh))
        .body(body)
        .build()
        .unwrap()
}

/// Four springs from the distance h on: the gap is h − m g/(4 k), of the predicted end where they are measured there, which is g Δt² lower and comes down at g Δt, against
/// the dampers. On a mesh as on a
/// plane: the floor's two triangles have an edge between them, which is no contact.
#[test]
fn a_box_rests_a_gap_above_the_floor_and_weighs_what_it_weighs() {
    let (k, d, h, m, dt) = (1e4, 40.0, 0.01, 2.0, 1e-3);
    for (evaluate, lower, damped) in
        [(Evaluate::Start, 0.0, 0.0), (Evaluate::End, G * dt * dt, d * G * dt / k)]
    {
        for mesh in [false, true] {
            let law = law(k, Damping::KelvinVoigt(d));
            let mut sim = on_floor(near(evaluate, h), mesh, law, h, DVec3::zero());
            (0..4000).for_each(|_| sim.step().unwrap());
            let gap = sim.position(1).z - 0.1;
            let depth = m * G / (4.0 * k) - damped;
            let expected = h - depth + lower;
            assert!((gap - expected).abs() < 1e-9, "{evaluate:?}, mesh {mesh}: {gap} for {expected} m");
            let force = sim.contact_force(1).z;
            assert!((force / (m * G) - 1.0).abs() < 1e-6, "{force} N");
            let mut points: Vec<ContactPoint> = Vec::new();
            sim.contact_points(&mut points);
            assert_eq!(points.iter().filter(|p| p.depth > 0.0).count(), 4, "{points:?}");
            assert!(points.iter().all(|p| p.depth == 0.0 || (p.depth - depth).abs() < 1e-9));
        }
    }
}

/// A block on a floor at 2 m/s stops after v²/(2 μ g): its anchors are found again by their names.
#[test]
fn it_slides_to_rest_and_stays() {
    let friction =
        FrictionLaw { mu_s: 0.5, mu_k: 0.5, k_fp: 1e4, k_fd: 0.0, k_omega: 1e3, rule: SlipRule::ReturnMap };
    for mesh in [false, true] {
        let law = PairLaw { friction: Some(friction), ..law(1e4, Damping::KelvinVoigt(40.0)) };
        let start = 0.01 - 2.0 * G / 4e4;
        let mut sim = on_floor(near(Evaluate::End, 0.01), mesh, law, start, DVec3::new(0.5, 0.0, 0.0));
        (0..1000).for_each(|_| sim.step().unwrap());
        let way = sim.position(1).x - 0.013;
        let expected = 0.25 / (2.0 * 0.5 * G);
        assert!((way / expected - 1.0).abs() < 0.02, "mesh {mesh}: {way} for {expected} m");
        let before = sim.position(1).x;
        (0..1000).for_each(|_| sim.step().unwrap());
        assert!((sim.position(1).x - before).abs() < 1e-9, "creeps");
    }
}

#[test]
fn two_bodies_keep_their_momentum_and_edges_meet_edges() {
    let mut sim = collision(near(Evaluate::Start, 1.5e-3), law(1e6, Damping::None), 1e-5).build().unwrap();
    let momentum = |sim: &Simulation| {
        let (a, b) = (sim.twist(0).velocity, sim.twist(1).velocity);
        a * 0.7 + b * 1.3
    };
    let (before, energy) = (momentum(&sim), sim.energy().kinetic());
    let (mut touched, mut edges, mut turned) = (0, 0, 0.0_f64);
    let mut points: Vec<ContactPoint> = Vec::new();
    for _ in 0..4000 {
        sim.step().unwrap();
        let m = sim.ledger().momentum;
        turned = turned.max(m.angular_residual.mag() / m.angular_scale);
        sim.contact_points(&mut points);
        touched += usize::from(!points.is_empty());
        edges += points.iter().filter(|p| matches!(p.features, Some(Features::EdgeEdge(..)))).count();
    }
    assert!(touched > 20 && edges > 0, "{touched} steps, {edges} pairs of edges");
    assert!((momentum(&sim) - before).mag() < 1e-12);
    // Taken at the start of the step, both momenta.
    assert!(turned < 1e-12, "{turned}");
    // The springs are no potential where a pair of features comes and goes, but nearly.
    let kept = sim.energy().kinetic() / energy;
    assert!((kept - 1.0).abs() < 0.05, "{kept}");
}

/// What the other forces are better than: a ball that moves further than the reach in a step is seen on the wrong side or not at all.
#[test]
fn what_is_fast_is_let_through_and_what_is_slow_is_not() {
    let falls = |response: Response, speed: f64| {
        let ball = icosphere(0.1, 2).unwrap();
        let place = Pose::from_position(DVec3::new(0.013, 0.027, 0.2));
        let mut body = BodyDesc::rigid("ball", &ball, Mass::Total(1.0), place).unwrap();
        body.velocity = DVec3::new(0.0, 0.0, -speed);
        let mut sim = Simulation::builder(2e-3)
            .law(law(1e5, Damping::None))
            .response(response)
            .body(floor(true))
            .body(body)
            .build()
            .unwrap();
        (0..500).for_each(|_| sim.step().unwrap());
        sim.position(1).z < -1.0
    };
    assert!(!falls(near(Evaluate::End, 5e-3), 0.5) && falls(near(Evaluate::End, 5e-3), 40.0));
    assert!(!falls(Response::cpf(), 0.5) && !falls(Response::cpf(), 40.0));
}

#[test]
fn a_reach_that_is_no_distance_and_loose_points_are_refused() {
    let build = |reach: f64, rule: bool| {
        let points = BodyDesc::particles("dust", vec![DVec3::unit_z()], 1.0);
        let cube = cuboid(DVec3::broadcast(0.2), [1, 1, 1]).unwrap();
        let builder = Simulation::builder(1e-3)
            .law(law(1e4, Damping::None))
            .response(near(Evaluate::End, reach))
            .body(floor(false))
            .body(points)
            .body(BodyDesc::rigid("box", &cube, Mass::Total(1.0), Pose::identity()).unwrap());
        let builder = if rule { builder.rule(1, 2, PairRule::Ignore) } else { builder };
        builder.build().map(|_| ()).map_err(|e| e.to_string())
    };
    for reach in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let e = build(reach, true).unwrap_err();
        assert!(e.contains("positive and finite"), "{e}");
    }
    let e = build(0.1, false).unwrap_err();
    assert!(e.contains("dust") && e.contains("box") && e.contains("by depth"), "{e}");
    // Against the plane they are fine.
    build(0.1, true).unwrap();
    let mut sim = on_floor(Response::cpf(), true, law(1e4, Damping::None), 0.0, DVec3::zero());
    let e = sim.swap_response(near(Evaluate::End, f64::NAN)).unwrap_err().to_string();
    assert!(e.contains("positive and finite"), "{e}");
    sim.swap_response(near(Evaluate::End, 0.01)).unwrap();
    assert_eq!(sim.response().family(), Family::Penalty);
    sim.step().unwrap();
}
