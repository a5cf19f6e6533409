//! Intersection volumes through the whole pipeline: weight, friction, momentum, rest.

use crate::common::{G, collision, floor, gravity, weighed};
use crate::volumes::{DEPTH, law, report, run, settings, stands};
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector, triangle_normal};
use impinge_volume::FrictionAt;
use impinge_world::{
    BodyDesc, Decisions, Mass, Measurement, Response, Simulation, VolumeFriction, VolumePenaltySettings,
    VolumeSettings,
};

#[test]
fn b22_a_body_weighs_m_g_on_a_plane_and_on_a_mesh() {
    // The tetrahedron of the others stands on an edge, and on areas that is no rest; here it lies on a face.
    let [cube, _] = weighed(3e-3);
    let mesh = generators::tetrahedron(0.2).unwrap();
    let t = mesh.triangles()[0].map(|v| mesh.positions()[v as usize]);
    let normal = triangle_normal(t).unwrap();
    let axis = normal.cross(-DVec3::unit_z());
    let turn = axis.normalized() * axis.mag().atan2(-normal.z);
    let at = DVec3::new(0.01, 0.02, 3e-3 + t[0].dot(normal));
    let pose = Pose::new(at, rotor_from_rotation_vector(turn));
    let lying = BodyDesc::rigid("tetrahedron", &mesh, Mass::Total(2.0), pose).unwrap();
    for body in [cube, lying] {
        for on_mesh in [false, true] {
            for cell in [None, Some(0.07)] {
                let name = format!("{} on mesh {on_mesh}, cell {cell:?}", body.name);
                let mut sim = Simulation::builder(1e-3)
                    .gravity(gravity())
                    .law(law(0.5))
                    .response(Response::from(settings(cell)))
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
                println!("{name}: {worst:.2e}, {:?}", report(&sim));
                assert!(worst < 1e-6, "{name}: {worst}");
                assert!(
                    (report(&sim).depth / DEPTH - 1.0).abs() < 2.1e-2,
                    "{name}: rests at the depth asked for"
                );
            }
        }
    }
}

/// A box of 1 kg with edges of 0.1 m on a slope of tan θ; the slope is the plane z = 0 and gravity leans. In cells: one pressure for the whole
/// base cannot hold it upright against the couple of weight and friction, and it rocks.
fn on_slope(mu: f64, tan: f64, g: f64, cell: Option<f64>) -> Simulation {
    on_slope_under(Response::from(settings(cell)), mu, tan, g)
}

fn on_slope_under(response: Response, mu: f64, tan: f64, g: f64) -> Simulation {
    let (sin, cos) = (tan / (1.0 + tan * tan).sqrt(), 1.0 / (1.0 + tan * tan).sqrt());
    let mesh = generators::cuboid(DVec3::broadcast(0.1), [1, 1, 1]).unwrap();
    let pose = Pose::from_position(DVec3::unit_z() * (0.05 - DEPTH));
    Simulation::builder(1e-3)
        .gravity(DVec3::new(g * sin, 0.0, -g * cos))
        .law(law(mu))
        .response(response)
        .body(BodyDesc::plane("slope", DVec3::unit_z(), 0.0))
        .body(BodyDesc::rigid("box", &mesh, Mass::Total(1.0), pose).unwrap())
        .build()
        .unwrap()
}

const CELL: Option<f64> = Some(0.06);

#[test]
fn b23_the_threshold_of_sticking_is_tan_theta() {
    let t = 0.5;
    for (mu, sticks) in [(0.501, true), (0.5001, true), (0.4999, false), (0.49, false)] {
        let mut sim = on_slope(mu, 0.5, 9.8, CELL);
        run(&mut sim, t);
        let (x, v) = (sim.pose(1).position.x, sim.twist(1).velocity.x);
        // g (sin θ − μ cos θ): 0.087654 m/s² at μ = 0.49.
        let a = 9.8 * (0.5 - mu) / 1.25f64.sqrt();
        println!("mu {mu}: x {x:.3e}, v {v:.3e}, a {:.6}", v / t);
        if sticks {
            assert!(x.abs() < 1e-10 && v.abs() < 1e-10, "mu {mu} creeps: {x} m, {v} m/s");
        } else {
            assert!((v / t / a - 1.0).abs() < 1e-4, "mu {mu}: {} m/s², not {a}", v / t);
        }
    }
}

#[test]
fn b24_what_sticks_does_not_creep() {
    for (cell, bound) in [(CELL, 1e-9), (None, 1e-2)] {
        let mut sim = on_slope(0.6, 0.5, G, cell);
        run(&mut sim, 1.0);
        let from = sim.pose(1).position;
        run(&mut sim, 1.0);
        let creep = (sim.pose(1).position - from).mag();
        println!("cell {cell:?}: creep {creep:.2e} m/s, {:?}", report(&sim));
        assert!(creep <= bound, "creeps by {creep} m/s");
        if cell.is_some() {
            let force = sim.contact_force(1);
            assert!((force.mag() / G - 1.0).abs() < 1e-6, "{force:?}");
        }
    }
}

/// The energy ½kV² in cells, stiff enough to sink less than a tenth of a millimetre and damped.
fn energy(friction: VolumeFriction) -> Response {
    let measure = Measurement { cell: CELL, ..Measurement::default() };
    Response::from(VolumePenaltySettings { measure, stiffness: 3e10, viscosity: 7e7, friction })
}

#[test]
fn bristles_of_the_volume_energy_hold_and_its_viscosity_creeps() {
    // Speed after two seconds and what the second of them added (m/s).
    let moves = |friction: VolumeFriction, mu: f64| {
        let mut sim = on_slope_under(energy(friction), mu, 0.5, 9.8);
        run(&mut sim, 1.0);
        let before = sim.twist(1).velocity.mag();
        run(&mut sim, 1.0);
        let v = sim.twist(1).velocity.mag();
        println!("{friction:?}, mu {mu}: {v:.3e} m/s, {:.6e} added, {:?}", v - before, report(&sim));
        (v, v - before)
    };
    let held = moves(VolumeFriction::BRISTLES, 0.6).0;
    assert!(held <= 1e-9, "it holds, and creeps at {held} m/s");
    let (added, expected) = (moves(VolumeFriction::BRISTLES, 0.4).1, 9.8 * 0.1 / 1.25f64.sqrt());
    assert!((added / expected - 1.0).abs() <= 1e-3, "it slides with {added} m/s², not {expected}");
    let creeps = moves(VolumeFriction::Viscous, 0.6).0;
    assert!((1e-3..0.1).contains(&creeps), "a viscous law gives way slowly, not at {creeps} m/s");
}

#[test]
fn b26_a_box_slides_with_the_acceleration_of_coulomb() {
    let mut sim = on_slope(0.4, 0.5, G, CELL);
    run(&mut sim, 2.0);
    let a = G * 0.1 / 1.25f64.sqrt();
    let (x, v) = (sim.pose(1).position.x, sim.twist(1).velocity.x);
    println!("a {:.6} ({a:.6}), x {x:.6} ({:.6}), {:?}", v / 2.0, 2.0 * a, report(&sim));
    assert!((v / 2.0 / a - 1.0).abs() < 1e-3, "{v}");
    // Symplectic Euler is half a step ahead.
    assert!((x / (2.0 * a) - 1.0).abs() < 1.5e-3, "{x}");
}

#[test]
fn b27_a_block_stops_where_its_energy_is_spent() {
    let mesh = generators::cuboid(DVec3::broadcast(0.1), [1, 1, 1]).unwrap();
    let pose = Pose::from_position(DVec3::unit_z() * (0.05 - DEPTH));
    let mut block = BodyDesc::rigid("block", &mesh, Mass::Total(1.0), pose).unwrap();
    block.velocity.x = 5.0;
    let mut sim = Simulation::builder(1e-3)
        .gravity(gravity())
        .law(law(0.5))
        .response(Response::from(settings(CELL)))
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(block)
        .build()
        .unwrap();
    run(&mut sim, 2.0);
    let (x, v) = (sim.pose(1).position.x, sim.twist(1).velocity);
    println!("stops at {x:.6} (2.548420), {:.1e} m/s", v.mag());
    assert!((x / 2.548420 - 1.0).abs() < 5e-3, "{x}");
    assert!(v.mag() < 1e-10, "{v:?}");
}

#[test]
fn momentum_is_kept_and_the_ghost_torque_is_the_leak() {
    for (mu, at) in [(0.0, FrictionAt::Center), (0.4, FrictionAt::Center), (0.4, FrictionAt::Surface)] {
        let s = VolumeSettings { friction_at: at, ..settings(None) };
        let mut sim = collision(Response::from(s), law(mu), 5e-4).build().unwrap();
        let (mut touching, mut linear, mut angular, mut ghost) = (0, 0.0f64, 0.0f64, 0.0f64);
        for _ in 0..800 {
            sim.step().unwrap();
            let m = sim.ledger().momentum;
            linear = linear.max(m.linear_residual.mag() / m.linear_scale);
            angular = angular.max((m.angular_residual - m.predicted_leak).mag() / m.angular_scale);
            if !sim.ledger().pairs.is_empty() {
                touching += 1;
                let decisions = sim.column::<Decisions>();
                let rows = decisions.patches.view().rows;
                for r in (0..rows.len()).map(|i| rows.row(i)) {
                    ghost = ghost.max((r.total(0).moment + r.total(1).moment).mag() / m.angular_scale);
                }
            }
        }
        println!(
            "mu {mu}, {at:?}: {touching} steps, linear {linear:.1e}, angular {angular:.1e}, ghost {ghost:.1e}"
        );
        assert!(touching > 0 && linear < 1e-12 && angular < 1e-12, "{touching}, {linear}, {angular}");
        if at == FrictionAt::Center {
            assert!(ghost == 0.0, "{ghost}");
        } else {
            assert!(ghost > 1e-7, "friction on two surfaces has a torque: {ghost}");
        }
    }
}

#[test]
fn an_impact_gives_nothing_back() {
    let mesh = generators::icosphere(0.1, 2).unwrap();
    let pose = Pose::from_position(DVec3::unit_z() * 0.6);
    let mut sim = Simulation::builder(1e-3)
        .gravity(gravity())
        .law(law(0.3))
        .response(Response::volume())
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(BodyDesc::rigid("ball", &mesh, Mass::Total(1.0), pose).unwrap())
        .build()
        .unwrap();
    let mut up = 0.0f64;
    let mut deepest = 0.0f64;
    for _ in 0..1000 {
        sim.step().unwrap();
        up = up.max(sim.twist(1).velocity.z);
        deepest = deepest.max(report(&sim).depth);
    }
    println!("upwards at most {up:.2e} m/s, mean depth at most {deepest:.3e} m, {:?}", report(&sim));
    assert!(up < 1e-6, "bounces with {up} m/s");
    assert!(deepest < 1.01e-4, "{deepest}");
}

#[test]
fn ten_boxes_stand() {
    let (drift, r) = stands(&settings(Some(0.06)), 5e-3, 1.0);
    println!("in cells: drift {drift:.2e} m, {r:?}");
    assert!(drift < 1e-3, "{drift}");
}

#[test]
fn depth_images_carry_the_weight_and_say_their_error() {
    let measure = Measurement { pixel: Some(2e-3), compare: Some(1), ..Measurement::default() };
    let s = VolumeSettings { measure, depth: 4e-3, ..VolumeSettings::default() };
    let mesh = generators::icosphere(0.1, 3).unwrap();
    let pose = Pose::from_position(DVec3::new(0.013, 0.007, 0.11));
    let mut sim = Simulation::builder(2e-3)
        .gravity(gravity())
        .law(law(0.3))
        .response(Response::from(s))
        .body(floor(true))
        .body(BodyDesc::rigid("ball", &mesh, Mass::Total(1.0), pose).unwrap())
        .build()
        .unwrap();
    run(&mut sim, 0.5);
    // Pixels come and go with the last bit of a depth, and the volume with them: the force is right in the mean.
    let (mut force, mut steps) = (DVec3::zero(), 0);
    while sim.time() < 1.5 {
        sim.step().unwrap();
        force += sim.contact_force(1);
        steps += 1;
    }
    let force = force / f64::from(steps);
    let r = report(&sim);
    println!("mean weight {:.2e}, {r:?}", (force.z / G - 1.0).abs());
    assert!((force.z / G - 1.0).abs() < 0.02, "{force:?}");
    assert!(r.image_error.is_some_and(|e| e < 0.1), "{r:?}");
}

/// Layers between flat boxes are thinner than a pixel: of the plain mean two directions see whole pixels or nothing.
/// In four cells a joint, as one pressure holds no tipping moment.
#[test]
fn boxes_stand_on_each_other_by_certified_images() {
    let cube = generators::cuboid(DVec3::broadcast(0.1), [1; 3]).unwrap();
    let measure = Measurement { pixel: Some(4e-3), cell: Some(0.1), ..Measurement::default() };
    let s = VolumeSettings { measure, depth: 2e-3, ..VolumeSettings::default() };
    let at = |i: i32| DVec3::new(0.051 + 0.001 * f64::from(i % 2), 0.05, 0.05 + 0.1 * f64::from(i));
    let mut world = Simulation::builder(5e-3).gravity(gravity()).law(law(0.5)).response(Response::from(s));
    world = world.body(floor(true));
    for i in 0..4 {
        let pose = Pose::from_position(at(i));
        world = world.body(BodyDesc::rigid(&format!("box-{i}"), &cube, Mass::Total(1.0), pose).unwrap());
    }
    let mut sim = world.build().unwrap();
    let (mut passes, mut most) = (0, 0);
    while sim.time() < 0.5 {
        sim.step().unwrap();
        passes += report(&sim).passes;
        most = most.max(report(&sim).passes);
    }
    let off = (sim.position(4) - at(3)).mag();
    println!("{passes} passes, {most} at most in a step, the top is off by {off:.2e} m");
    assert!(off < 4.5 * 2e-3 && most < s.passes, "{off} {most}");
}

#[test]
fn the_energy_of_volume_carries_a_body_and_is_kept() {
    let mesh = generators::icosphere(0.1, 2).unwrap();
    let pose = Pose::from_position(DVec3::unit_z() * 0.11);
    let sim = |viscosity: f64, dt: f64| {
        let s = VolumePenaltySettings { stiffness: 1e9, viscosity, ..VolumePenaltySettings::default() };
        Simulation::builder(dt)
            .gravity(gravity())
            .law(law(0.3))
            .response(Response::from(s))
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
            .body(BodyDesc::rigid("ball", &mesh, Mass::Total(1.0), pose).unwrap())
            .build()
            .unwrap()
    };
    let mut drifts = Vec::new();
    for dt in [4e-4, 2e-4, 1e-4] {
        let mut sim = sim(0.0, dt);
        let start = sim.energy().total();
        let mut worst = 0.0f64;
        for _ in 0..(0.5 / dt) as u32 {
            sim.step().unwrap();
            // The contact's energy is that of the start of the step, the rest that of its end.
            if sim.ledger().pairs.is_empty() {
                worst = worst.max((sim.ledger().energy.total() - start).abs());
            }
        }
        drifts.push(worst / start.abs());
    }
    println!("energy drift between bounces {drifts:?}");
    assert!(drifts[0] < 0.05 && drifts[2] < drifts[0], "{drifts:?}");
    let mut sim = sim(2e7, 2e-4);
    run(&mut sim, 3.0);
    let force = sim.contact_force(1).z;
    println!("weight {:.2e}", (force / G - 1.0).abs());
    assert!((force / G - 1.0).abs() < 1e-3, "{force}");
}
