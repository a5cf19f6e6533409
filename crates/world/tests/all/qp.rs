//! Constraints through the whole pipeline: weight, friction, momentum, no tunnelling, same bits.

use crate::common::{G, collision, floor, gravity, weighed};
use impinge_contact::{FrictionLaw, PairLaw, SlipRule};
use impinge_geometry::{DVec3, Pose, generators};
use impinge_world::{BodyDesc, Builder, Mass, QpReport, Response, Simulation};

const R: f64 = 1e-3;

/// Stiffness is nothing to this response.
fn law(mu: f64) -> PairLaw {
    let friction =
        FrictionLaw { mu_s: mu, mu_k: mu, k_fp: 1.0, k_fd: 0.0, k_omega: 0.0, rule: SlipRule::ReturnMap };
    let friction = (mu > 0.0).then_some(friction);
    PairLaw { friction, ..PairLaw::elastic(1.0) }
}

fn report(sim: &Simulation) -> QpReport {
    *sim.column::<QpReport>()
}

fn on_plane(dt: f64, mu: f64) -> Builder {
    Simulation::builder(dt).gravity(gravity()).law(law(mu)).response(Response::qp()).body(BodyDesc::plane(
        "floor",
        DVec3::unit_z(),
        0.0,
    ))
}

/// rᵢ + rⱼ of seed 001 §4.2 by bodies, and by a pair that has its own; on a plane and on a mesh.
#[test]
fn bodies_rest_at_the_thickness_of_their_pair() {
    let [mut low, _] = weighed(3e-3);
    let mut high = low.clone();
    (high.name, high.thickness) = ("high".to_string(), Some(4e-3));
    high.pose.position.x += 0.5;
    (low.name, low.thickness) = ("low".to_string(), Some(2e-3));
    let (z, build) = (low.pose.position.z - 3e-3, |on_mesh: bool| {
        Simulation::builder(1e-3)
            .gravity(gravity())
            .law(law(0.5))
            .response(Response::qp())
            .body(floor(on_mesh))
    });
    for on_mesh in [false, true] {
        let bodies = |b: Builder| b.body(low.clone()).body(high.clone());
        for (pair, wanted) in [(None, 0.5 * R + 4e-3), (Some(7e-4), 7e-4)] {
            let builder = bodies(build(on_mesh));
            let builder = pair.into_iter().fold(builder, |b, d| b.thickness(2, 0, d));
            let mut sim = builder.build().unwrap();
            (0..600).for_each(|_| sim.step().unwrap());
            for (slot, wanted) in [(1, 0.5 * R + 2e-3), (2, wanted)] {
                let gap = sim.position(slot).z - z;
                assert!(
                    (gap - wanted).abs() < 1e-8,
                    "on mesh {on_mesh}, {slot}: {gap} m instead of {wanted}"
                );
            }
        }
        let refused = |b: Builder| b.build().err().map(|e| e.to_string()).unwrap_or_default();
        for bad in [0.0, -1e-3, f64::NAN, f64::INFINITY] {
            assert!(refused(bodies(build(on_mesh)).thickness(1, 2, bad)).contains("thickness of a pair"));
            let thin = low.clone().with_thickness(bad);
            assert!(refused(build(on_mesh).body(thin)).contains("'low'"));
        }
        assert!(refused(bodies(build(on_mesh)).thickness(1, 3, 1e-3)).contains("slots 1 and 3"));
    }
}

#[test]
fn b22_a_body_weighs_m_g_on_a_plane_and_on_a_mesh() {
    for body in weighed(3e-3) {
        for on_mesh in [false, true] {
            let name = body.name.clone();
            let mut sim = Simulation::builder(1e-3)
                .gravity(gravity())
                .law(law(0.5))
                .response(Response::qp())
                .body(floor(on_mesh))
                .body(body.clone())
                .build()
                .unwrap();
            let mut worst = 0.0f64;
            for step in 0..300 {
                sim.step().unwrap();
                if step >= 200 {
                    let (body, ground) = (sim.contact_force(1), sim.contact_force(0));
                    worst = worst.max((body - DVec3::unit_z() * (2.0 * G)).mag() / (2.0 * G));
                    assert!((body + ground).mag() < 1e-12 * G, "{name}: action and reaction");
                }
            }
            println!("{name} on mesh {on_mesh}: {worst:.2e}, {:?}", report(&sim));
            assert!(worst < 1e-6, "{name} on mesh {on_mesh}: {worst}");
            let gap = sim.position(1).z - (body.pose.position.z - 3e-3);
            assert!((gap - R).abs() < 1e-9, "{name}: rests at the thickness, {gap}");
        }
    }
}

/// A box of 1 kg with edges of 0.1 m on a slope of tan θ; the slope is the plane z = 0 and gravity leans.
fn on_slope(mu: f64, tan: f64, g: f64, dt: f64) -> Simulation {
    let (sin, cos) = (tan / (1.0 + tan * tan).sqrt(), 1.0 / (1.0 + tan * tan).sqrt());
    let mesh = generators::cuboid(DVec3::broadcast(0.1), [1, 1, 1]).unwrap();
    let pose = Pose::from_position(DVec3::unit_z() * (0.05 + R));
    Simulation::builder(dt)
        .gravity(DVec3::new(g * sin, 0.0, -g * cos))
        .law(law(mu))
        .response(Response::qp())
        .body(BodyDesc::plane("slope", DVec3::unit_z(), 0.0))
        .body(BodyDesc::rigid("box", &mesh, Mass::Total(1.0), pose).unwrap())
        .build()
        .unwrap()
}

fn run(sim: &mut Simulation, seconds: f64) {
    let steps = (seconds / sim.dt()).round() as u64;
    for _ in 0..steps {
        sim.step().unwrap();
    }
}

#[test]
fn b23_the_threshold_of_sticking_is_tan_theta() {
    let (dt, t) = (1e-3, 0.5);
    for (mu, sticks) in [(0.501, true), (0.5001, true), (0.4999, false), (0.49, false)] {
        let mut sim = on_slope(mu, 0.5, 9.8, dt);
        run(&mut sim, t);
        let (x, v) = (sim.pose(1).position.x, sim.twist(1).velocity.x);
        // g (sin θ − μ cos θ): 0.087654 m/s² at μ = 0.49.
        let a = 9.8 * (0.5 - mu) / 1.25f64.sqrt();
        println!("mu {mu}: x {x:.3e}, v {v:.3e}, a {:.6}", v / t);
        if sticks {
            assert!(x.abs() < 1e-10 && v.abs() < 1e-10, "mu {mu} creeps: {x} m, {v} m/s");
        } else {
            assert!((v / t / a - 1.0).abs() < 1e-6, "mu {mu}: {} m/s², not {a}", v / t);
        }
    }
}

#[test]
fn b24_what_sticks_does_not_creep() {
    let mut sim = on_slope(0.6, 0.5, G, 1e-3);
    run(&mut sim, 1.0);
    let from = sim.pose(1).position;
    run(&mut sim, 1.0);
    let creep = (sim.pose(1).position - from).mag();
    println!("creep {creep:.2e} m/s");
    assert!(creep <= 1e-9, "creeps by {creep} m/s");
    let force = sim.contact_force(1);
    assert!((force.mag() / G - 1.0).abs() < 1e-6, "{force:?}");
}

#[test]
fn b26_a_box_slides_with_the_acceleration_of_coulomb() {
    let mut sim = on_slope(0.4, 0.5, G, 1e-3);
    run(&mut sim, 2.0);
    let a = G * 0.1 / 1.25f64.sqrt();
    let (x, v) = (sim.pose(1).position.x, sim.twist(1).velocity.x);
    println!("a {:.6} ({a:.6}), x {x:.6} ({:.6})", v / 2.0, 2.0 * a);
    assert!((v / 2.0 / a - 1.0).abs() < 1e-6, "{v}");
    // Symplectic Euler is half a step ahead.
    assert!((x / (2.0 * a) - 1.0).abs() < 1e-3, "{x}");
}

#[test]
fn b27_a_block_stops_where_its_energy_is_spent() {
    let mesh = generators::cuboid(DVec3::broadcast(0.1), [1, 1, 1]).unwrap();
    let pose = Pose::from_position(DVec3::unit_z() * (0.05 + R));
    let mut block = BodyDesc::rigid("block", &mesh, Mass::Total(1.0), pose).unwrap();
    block.velocity.x = 5.0;
    let mut sim = on_plane(1e-3, 0.5).body(block).build().unwrap();
    run(&mut sim, 2.0);
    let (x, v) = (sim.pose(1).position.x, sim.twist(1).velocity);
    println!("stops at {x:.6} (2.548420), {:.1e} m/s", v.mag());
    assert!((x / 2.548420 - 1.0).abs() < 5e-3, "{x}");
    assert!(v.mag() < 1e-10, "{v:?}");
}

#[test]
fn linear_momentum_is_kept_and_the_angular_leak_is_the_one_predicted() {
    for mu in [0.0, 0.4] {
        let mut b = collision(Response::qp(), law(mu), 5e-4);
        b = b.response(Response::qp());
        let mut sim = b.build().unwrap();
        let (mut touching, mut worst) = (0, 0.0f64);
        for _ in 0..800 {
            sim.step().unwrap();
            let m = sim.ledger().momentum;
            touching += usize::from(!sim.ledger().pairs.is_empty());
            worst = worst.max(m.linear_residual.mag() / m.linear_scale);
            assert!((m.angular_residual - m.predicted_leak).mag() < 1e-12 * m.angular_scale);
            assert_eq!(report(&sim).left, 0);
        }
        println!("mu {mu}: {touching} steps in contact, linear residual {worst:.1e}");
        assert!(touching > 1 && worst < 1e-12, "{touching} steps in contact, {worst}");
    }
}

/// Between two steps a ball would pass right through the plate.
#[test]
fn a_fast_ball_stays_on_the_side_it_came_from() {
    let plate = generators::cuboid(DVec3::new(1.0, 1.0, 0.01), [2, 2, 1]).unwrap();
    let ball = generators::icosphere(0.02, 1).unwrap();
    for speed in [3.0, 30.0, 300.0] {
        let pose = Pose::from_position(DVec3::new(0.03, 0.01, 0.1));
        let mut body = BodyDesc::rigid("ball", &ball, Mass::Total(0.1), pose).unwrap();
        body.velocity = DVec3::new(0.03, 0.0, -1.0) * speed;
        let mut sim = Simulation::builder(2e-3)
            .law(law(0.3))
            .response(Response::qp())
            .body(BodyDesc::fixed("plate", plate.clone(), Pose::identity()).unwrap())
            .body(body)
            .build()
            .unwrap();
        for _ in 0..60 {
            sim.step().unwrap();
            let z = sim.pose(1).position.z;
            assert!(z > 0.005 + 0.018, "{speed} m/s: at {z} m, {:?}", report(&sim));
        }
        println!("{speed} m/s: ends at {:?}, {:?}", sim.pose(1).position, report(&sim));
        let left = sim.twist(1).velocity.z.abs();
        assert!(left < 1e-2 * speed, "rows give nothing back: {left} m/s");
    }
}

/// Corners and edges on a floor of triangles are more contacts than hold a box: their forces are not unique, and Coulomb's cone is to be met all the same.
#[test]
fn a_box_that_slides_and_turns_on_triangles_is_solved_in_every_step() {
    let mesh = generators::cuboid(DVec3::broadcast(0.1), [1, 1, 1]).unwrap();
    let mut unsolved = 0;
    let mut worst = 0.0f64;
    for turn in [0.0, 4.0, -9.0] {
        let pose = Pose::from_position(DVec3::new(0.013, 0.007, 0.05 + R));
        let mut body = BodyDesc::rigid("box", &mesh, Mass::Total(1.0), pose).unwrap();
        (body.velocity, body.angular_velocity) = (DVec3::new(0.6, 0.3, 0.0), DVec3::unit_z() * turn);
        let builder = Simulation::builder(1e-3).gravity(gravity()).law(law(0.3)).response(Response::qp());
        let mut sim = builder.body(floor(true)).body(body).build().unwrap();
        for _ in 0..150 {
            sim.step().unwrap();
            let r = report(&sim);
            unsolved += r.unfinished;
            worst = worst.max(r.residual);
        }
    }
    println!("{unsolved} unsolved, residual {worst:.2e}");
    assert!(unsolved == 0 && worst <= 1e-10, "{unsolved} unsolved, residual {worst:e}");
}
