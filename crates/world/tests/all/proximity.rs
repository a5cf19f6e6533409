//! The discrete force by proximity in the step: where a box rests, what is kept, what it lets through, and what it refuses.

use crate::common::{G, collision, floor, gravity, law};
use impinge_contact::{Damping, FrictionLaw, PairLaw, Sides, SlipRule, Stiffness};
use impinge_elasticity::{Material, tet::Model};
use impinge_geometry::{DVec3, Pose, cuboid, generators, icosphere, rotor_from_rotation_vector};
use impinge_integrators::Scheme;
use impinge_penalty::{Evaluate, Release};
use impinge_world::{
    BodyDesc, Builder, ContactPoint, Cut, Deformable, Detection, Family, Features, Mass, PairRule, Penalty,
    Response, Simulation,
};

fn near(evaluate: Evaluate, reach: f64) -> Response {
    Response::from(Penalty { evaluate, release: Release::Force, detection: Detection::Proximity { reach } })
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

/// Per area a plane's contacts have the whole of it: a plane has no vertices.
#[test]
fn per_area_it_rests_as_deep_on_a_plane_as_by_depth() {
    let law = PairLaw { stiffness: Stiffness::PerArea(1e6), ..law(0.0, Damping::KelvinVoigt(1e4)) };
    let sunk = |response: Response, rest: f64| {
        let mut sim = on_floor(response, false, law, rest, DVec3::zero());
        (0..4000).for_each(|_| sim.step().unwrap());
        rest - (sim.position(1).z - 0.1)
    };
    let (near, deep) = (sunk(near(Evaluate::End, 0.01), 0.01), sunk(Response::penalty(), 0.0));
    assert!((near / deep - 1.0).abs() < 1e-6 && near > 1e-5, "{near} for {deep} m");
}

fn slippery(k: f64, mu: f64) -> PairLaw {
    let friction =
        FrictionLaw { mu_s: mu, mu_k: mu, k_fp: k, k_fd: 0.0, k_omega: 1e3, rule: SlipRule::ReturnMap };
    PairLaw { friction: Some(friction), ..law(k, Damping::KelvinVoigt(40.0)) }
}

/// A box at 0.5 m/s stops after v²/(2 μ g) and stays, on a plane, two triangles and 3200: the place that a corner sticks to is the corner's,
/// whichever face it is over.
#[test]
fn it_slides_to_rest_and_stays() {
    let fine = cuboid(DVec3::new(2.0, 2.0, 0.2), [40, 40, 1]).unwrap();
    let fine = BodyDesc::fixed("floor", fine, Pose::from_position(DVec3::unit_z() * -0.1)).unwrap();
    for (name, ground) in [("plane", floor(false)), ("mesh", floor(true)), ("fine mesh", fine)] {
        let cube = cuboid(DVec3::broadcast(0.2), [1, 1, 1]).unwrap();
        let place = Pose::from_position(DVec3::new(0.013, 0.027, 0.1 + 0.01 - 2.0 * G / 4e4));
        let mut body = BodyDesc::rigid("box", &cube, Mass::Total(2.0), place).unwrap();
        body.velocity = DVec3::new(0.5, 0.0, 0.0);
        let one_sided = PairRule::Contact(Sides::Second);
        let mut sim = Simulation::builder(1e-3)
            .gravity(gravity())
            .law(slippery(1e4, 0.5))
            .response(near(Evaluate::End, 0.01))
            .body(ground)
            .body(body)
            .rule(0, 1, one_sided)
            .build()
            .unwrap();
        (0..1000).for_each(|_| sim.step().unwrap());
        let way = sim.position(1).x - 0.013;
        let expected = 0.25 / (2.0 * 0.5 * G);
        assert!((way / expected - 1.0).abs() < 0.02, "{name}: {way} for {expected} m");
        let before = sim.position(1).x;
        (0..1000).for_each(|_| sim.step().unwrap());
        assert!((sim.position(1).x - before).abs() < 1e-9, "{name} creeps");
    }
}

/// A bar on edge across two rails, all contacts are of edges: it is braked by μ m g along itself and across, whichever was built first.
#[test]
fn edges_rub_in_every_direction_and_order() {
    let on_edge = |axis: DVec3| rotor_from_rotation_vector(axis * std::f64::consts::FRAC_PI_4);
    let (x, y) = (DVec3::unit_x(), DVec3::unit_y());
    let half = 0.1 * 2f64.sqrt();
    for direction in [x, y, DVec3::new(0.6, 0.8, 0.0)] {
        for first in [true, false] {
            let place = Pose::new(DVec3::new(0.01, 0.02, 2.0 * half + 0.01 - 2.0 * G / 2e4), on_edge(x));
            let cube = cuboid(DVec3::new(4.0, 0.2, 0.2), [1, 1, 1]).unwrap();
            let mut bar = BodyDesc::rigid("bar", &cube, Mass::Total(2.0), place).unwrap();
            bar.velocity = direction;
            let rail = |name: &str, at: f64| {
                let mesh = cuboid(DVec3::new(0.2, 4.0, 0.2), [1, 1, 1]).unwrap();
                BodyDesc::fixed(name, mesh, Pose::new(x * at, on_edge(y))).unwrap()
            };
            let mut bodies = vec![rail("left", -1.0137), rail("right", 1.0121)];
            bodies.insert(if first { 0 } else { 2 }, bar);
            let builder = Simulation::builder(1e-3)
                .gravity(gravity())
                .law(slippery(1e4, 0.3))
                .response(near(Evaluate::End, 0.01));
            let mut sim = bodies.into_iter().fold(builder, Builder::body).build().unwrap();
            let slot = if first { 0 } else { 2 };
            let mut points: Vec<ContactPoint> = Vec::new();
            // Sideways it begins to roll.
            for _ in 0..20 {
                sim.step().unwrap();
                sim.contact_points(&mut points);
                assert!(points.iter().all(|p| matches!(p.features, Some(Features::EdgeEdge(..)))));
            }
            let lost = (direction - sim.twist(slot).velocity).dot(direction);
            let expected = 0.3 * G * 0.02;
            assert!(
                (lost / expected - 1.0).abs() < 0.05,
                "{direction:?}, {first}: {lost} for {expected} m/s"
            );
        }
    }
}

/// Neither does it matter for a tip over a fine floor, whose vertices are near the tip where the tip is nearest to a face.
#[test]
fn contacts_do_not_depend_on_which_body_comes_first() {
    let met = |first: bool| {
        let tip = generators::tetrahedron(0.3).unwrap();
        let turn = rotor_from_rotation_vector(DVec3::new(2.1, 0.3, 0.2));
        let low = tip.positions().iter().map(|p| (turn * *p).z).fold(f64::INFINITY, f64::min);
        let place = Pose::new(DVec3::new(0.02, 0.01, 0.05 - low), turn);
        let tip = BodyDesc::rigid("tip", &tip, Mass::Total(1.0), place).unwrap();
        let mesh = cuboid(DVec3::new(1.0, 1.0, 0.2), [40, 40, 1]).unwrap();
        let floor = BodyDesc::fixed("floor", mesh, Pose::from_position(DVec3::unit_z() * -0.1)).unwrap();
        let bodies = if first { [tip, floor] } else { [floor, tip] };
        let builder = Simulation::builder(1e-3).law(slippery(1e3, 0.3)).response(near(Evaluate::Start, 0.1));
        let mut sim = bodies.into_iter().fold(builder, Builder::body).build().unwrap();
        sim.step().unwrap();
        let slot = u32::from(!first);
        let mut points: Vec<ContactPoint> = Vec::new();
        sim.contact_points(&mut points);
        // No two contacts have one name: what they stick to is their own.
        let state = sim.column::<impinge_world::State>();
        assert!(state.0.rows().windows(2).all(|r| r[0].0 < r[1].0));
        (points.len(), sim.contact_force(slot))
    };
    let ((n, f), (m, g)) = (met(true), met(false));
    assert!(n == m && n > 3 && (f - g).mag() < 1e-9 * f.mag(), "{n} and {m} contacts, {f:?} and {g:?}");
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
    assert_eq!(sim.response().family(), Some(Family::PENALTY));
    sim.step().unwrap();
}

/// Jelly on a slab of many triangles, cut through its underside while friction holds it: places to stick to go to the new vertices, and its weight stays.
#[test]
fn a_cut_keeps_its_hold() {
    let tets = generators::tet_box(DVec3::new(0.2, 0.16, 0.1), [4, 3, 2]).unwrap();
    let soft = Material::new(3e4, 0.3, 1000.0).with_rayleigh(0.0, 0.01);
    let block = Deformable::solid("block", &tets, Model::Corotational, &soft).unwrap();
    let slab = cuboid(DVec3::new(1.0, 1.0, 0.1), [30, 30, 1]).unwrap();
    // The slab lies on a slope of 10 degrees.
    let down = (gravity() + DVec3::unit_x() * (G * 0.176)).normalized() * G;
    let mut sim = Simulation::builder(1e-3)
        .gravity(down)
        .scheme(Scheme::ImplicitEuler)
        .law(slippery(2e3, 0.6))
        .response(near(Evaluate::End, 0.01))
        .body(BodyDesc::fixed("slab", slab, Pose::from_position(DVec3::unit_z() * -0.05)).unwrap())
        .body(BodyDesc::deformable("block", block, Pose::from_position(DVec3::new(0.013, 0.007, 0.0595))))
        .cut(Cut {
            time: 0.3,
            slot: 1,
            point: DVec3::new(0.013, 0.007, 0.0),
            normal: DVec3::new(1.0, 0.21, 0.0),
            within: None,
            snap: 0.05,
        })
        .build()
        .unwrap();
    let mass = 0.2 * 0.16 * 0.1 * 1000.0;
    let (mut held, mut mean) = (None, DVec3::zero());
    while sim.steps() < 1300 {
        sim.step().unwrap();
        let (force, cut) = (sim.contact_force(1), !sim.edits().is_empty());
        if cut && held.is_none() {
            held = Some(force);
            // In the step of the cut friction has not let go: it carries the slope.
            assert!(force.x < -0.8 * mass * down.x, "{force:?}");
        }
        // The halves swing for a while: they stand on twice as many springs along the cut.
        mean += if sim.steps() > 300 { force * 1e-3 } else { DVec3::zero() };
    }
    assert!(held.is_some() && (mean + down * mass).mag() < 0.02 * mass * G, "{mean:?}");
}
