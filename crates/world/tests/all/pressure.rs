//! Pressure fields through the whole pipeline: weight, friction, stability, and what is refused.

use crate::pressing::{G, at, ball, compliant, cube, explicit, floor, law, report, run, settings, world};
use impinge_contact::{Damping, PairLaw};
use impinge_geometry::{DRotor3, DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_pressure::{CompliantBody, fields};
use impinge_world::{
    BodyDesc, Builder, Mass, PressureField, PressureFriction, PressureSettings, Response, Simulation,
};

#[test]
fn b22_a_body_at_rest_weighs_m_g_on_all_grounds() {
    let slab = fields::cuboid(DVec3::new(0.4, 0.4, 0.1), 1e6).unwrap();
    let rigid_slab = generators::cuboid(DVec3::new(0.4, 0.4, 0.1), [1, 1, 1]).unwrap();
    let grounds: Vec<(&str, BodyDesc)> = vec![
        ("rigid plane", floor()),
        ("compliant plane", floor().with_pressure(PressureField::layer(1e6, 0.05))),
        ("rigid mesh", BodyDesc::fixed("floor", rigid_slab.clone(), at(0.0, 0.0, -0.05)).unwrap()),
        (
            "compliant mesh",
            BodyDesc::fixed("floor", rigid_slab, at(0.0, 0.0, -0.05))
                .unwrap()
                .with_pressure(PressureField::tets(slab)),
        ),
    ];
    for (on, ground) in grounds {
        for (name, field, turn) in
            [("box", cube(1e7), 0.0), ("ball", ball(0.025, 1e6), 0.3), ("ball", ball(0.0125, 1e7), 0.3)]
        {
            let rotation = rotor_from_rotation_vector(DVec3::new(0.3, 1.0, 0.2) * turn);
            let pose = Pose::new(DVec3::new(0.01, 0.02, 0.0499), rotation);
            let mut body = compliant("b", &field, 2.0, pose);
            // A faceted ball rocks for long.
            body.angular_drag = 0.02;
            let mut sim = world(1.0 / 60.0, 0.5, settings()).body(ground.clone()).body(body).build().unwrap();
            let (mut worst, mut iterations) = (0.0f64, 0);
            for step in 0..600 {
                sim.step().unwrap();
                assert!(!report(&sim).unfinished, "{on} {name} step {step}: {:?}", report(&sim));
                iterations += report(&sim).iterations;
                if step >= 560 {
                    let (body, ground) = (sim.contact_force(1), sim.contact_force(0));
                    worst = worst.max((body - DVec3::unit_z() * (2.0 * G)).mag() / (2.0 * G));
                    assert!((body + ground).mag() <= 1e-12 * G, "{name}: action and reaction");
                }
            }
            println!(
                "{name} E={:.0e} on {on}: {worst:.2e}, {:.2} Newton iterations a step, {:?}",
                field.modulus(),
                f64::from(iterations) / 600.0,
                report(&sim)
            );
            assert!(worst < 1e-6, "{name} on {on}: {worst}");
        }
    }
    // A rigid body on a compliant plane.
    let mesh = generators::cuboid(DVec3::broadcast(0.1), [1, 1, 1]).unwrap();
    let body = BodyDesc::rigid("b", &mesh, Mass::Total(2.0), at(0.0, 0.0, 0.0499)).unwrap();
    let ground = floor().with_pressure(PressureField::layer(1e6, 0.05));
    let mut sim = world(1.0 / 60.0, 0.5, settings()).body(ground).body(body).build().unwrap();
    run(&mut sim, 200);
    let off = (sim.contact_force(1) - DVec3::unit_z() * (2.0 * G)).mag() / (2.0 * G);
    let deep = 0.05 - sim.position(1).z;
    println!("rigid box on a compliant plane: {off:.2e}, depth {deep:.9e}");
    // F = E d A/H (B15).
    assert!(off < 1e-9 && (deep - 2.0 * G * 0.05 / (1e6 * 0.01)).abs() < 1e-10);
}

/// A 1 kg box of 0.1 m on a plane of slope `tan`, pressed in as deep as it will rest.
fn on_incline(dt: f64, mu: f64, tan: f64, modulus: f64, settings: PressureSettings) -> (Simulation, DVec3) {
    on_incline_with(law(mu), dt, tan, modulus, settings)
}

fn on_incline_with(
    law: PairLaw,
    dt: f64,
    tan: f64,
    modulus: f64,
    settings: PressureSettings,
) -> (Simulation, DVec3) {
    let angle = libm::atan(tan);
    let (s, c) = (libm::sin(angle), libm::cos(angle));
    let (n, down) = (DVec3::new(-s, 0.0, c), DVec3::new(-c, 0.0, -s));
    // F = (E/h)(L² d − …) with h = L/2: the depth that carries the load, to first order in d/L.
    let deep = G * c * 0.05 / (modulus * 0.01);
    let rotation = DRotor3::from_rotation_xz(-angle);
    let turned = Pose::new(DVec3::zero(), rotation).vector_to_world(DVec3::unit_z());
    let rotation = if (turned - n).mag() < 1e-12 { rotation } else { rotation.reversed() };
    let pose = Pose::new(n * (0.05 - deep), rotation);
    let plane = BodyDesc::plane("slope", n, 0.0);
    let sim = world(dt, 0.0, settings)
        .law(law)
        .body(plane)
        .body(compliant("box", &cube(modulus), 1.0, pose))
        .build()
        .unwrap();
    (sim, down)
}

#[test]
fn b23_the_threshold_of_sliding_is_the_friction_angle() {
    for (mu, slides) in [(0.4995, true), (0.5005, false)] {
        let (mut sim, down) = on_incline(1e-3, mu, 0.5, 1e7, settings());
        run(&mut sim, 1500);
        let v = sim.twist(1).velocity.dot(down);
        let expected = G * (1.0 - 2.0 * mu) / 5.0f64.sqrt() * 1.5;
        println!("mu = {mu}: {v:.3e} m/s after 1.5 s, free sliding {expected:.3e}");
        if slides {
            assert!(v > 0.9 * expected, "mu = {mu}: {v}");
        } else {
            assert!(v.abs() < 1e-9, "mu = {mu}: {v}");
        }
    }
}

#[test]
fn b24_a_body_that_holds_does_not_creep() {
    for (dt, label) in [(1e-3, "1 ms"), (1.0 / 60.0, "1/60 s")] {
        let (mut sim, down) = on_incline(dt, 0.6, 0.5, 1e7, settings());
        run(&mut sim, (1.0 / dt) as usize);
        let middle = sim.position(1);
        run(&mut sim, (1.0 / dt) as usize);
        let creep = (sim.position(1) - middle).dot(down) / sim.time() * 2.0;
        println!("creep at dt = {label}: {creep:.3e} m/s (aim 1e-9)");
        assert!(creep.abs() <= 1e-9, "{creep}");
    }
    // Damped: nothing else would end the rocking with which it starts.
    let damped = PairLaw { damping: Damping::HuntCrossley(5.0), ..law(0.6) };
    let (mut sim, down) = on_incline_with(damped, 2e-4, 0.5, 1e6, explicit());
    run(&mut sim, 25_000);
    let middle = sim.position(1);
    run(&mut sim, 5000);
    let creep = (sim.position(1) - middle).dot(down);
    println!("creep of the explicit step: {creep:.3e} m/s");
    assert!(creep.abs() <= 1e-9, "{creep}");
    // The law without memory creeps, at the speed where μ v/√(v² + v_r²) = tan: v = v_r t/√(μ² − t²).
    let coulomb = PressureFriction::Coulomb { regularisation: 1e-4, stribeck: 0.0 };
    let (mut sim, down) =
        on_incline(1e-3, 0.6, 0.5, 1e7, PressureSettings { friction: coulomb, ..settings() });
    run(&mut sim, 1500);
    let (v, expected) = (sim.twist(1).velocity.dot(down), 1e-4 * 0.5 / (0.36f64 - 0.25).sqrt());
    println!("creep of the regularised law: {v:.6e}, predicted {expected:.6e}");
    assert!((v / expected - 1.0).abs() < 1e-3);
}

#[test]
fn b26_b27_sliding_and_stopping_distances() {
    for friction in
        [PressureFriction::default(), PressureFriction::Coulomb { regularisation: 1e-5, stribeck: 0.0 }]
    {
        // Until the box has tilted on its compliance it is not held yet: a stiff one, and short steps.
        let dt = 1e-4;
        let (mut sim, down) = on_incline(dt, 0.4, 0.5, 1e8, PressureSettings { friction, ..settings() });
        let start = sim.position(1);
        run(&mut sim, 20_000);
        let way = (sim.position(1) - start).dot(down);
        let expected = 0.5 * (G * (0.5 - 0.4) / 1.25f64.sqrt()) * 4.0;
        println!(
            "B26 {friction:?}: {way:.6} m, exact {expected:.6}, off {:.4} %",
            100.0 * (way / expected - 1.0)
        );
        assert!((way / expected - 1.0).abs() < 1e-3);

        // At 1e7 Pa and a millisecond the tilt takes longer: the way after it. Symplectic Euler goes a T(T + Δt)/2.
        let (dt, time) = (1e-3, 1.5);
        let (mut sim, down) = on_incline(dt, 0.4, 0.5, 1e7, PressureSettings { friction, ..settings() });
        run(&mut sim, 500);
        let (start, speed) = (sim.position(1), sim.twist(1).velocity);
        run(&mut sim, 1500);
        let way = (sim.position(1) - start - speed * time).dot(down);
        let expected = 0.5 * (G * (0.5 - 0.4) / 1.25f64.sqrt()) * time * (time + dt);
        println!(
            "B26 at 1e7 Pa: {way:.6} m, exact {expected:.6}, off {:.4} %",
            100.0 * (way / expected - 1.0)
        );
        assert!((way / expected - 1.0).abs() < 1e-3);

        let deep = G * 0.05 / (1e7 * 0.01);
        let mut body = compliant("box", &cube(1e7), 1.0, at(0.0, 0.0, 0.05 - deep));
        body.velocity = DVec3::new(5.0, 0.0, 0.0);
        let set = PressureSettings { friction, ..settings() };
        let mut sim = world(2.5e-4, 0.5, set).body(floor()).body(body).build().unwrap();
        run(&mut sim, 5200);
        let (way, expected) = (sim.position(1).x, 25.0 / (2.0 * 0.5 * G));
        println!("B27: {way:.6} m, exact {expected:.6}, off {:.4} %", 100.0 * (way / expected - 1.0));
        assert!((way / expected - 1.0).abs() < 5e-4);
    }
}

/// A cube whose field goes on for 5 mm around it, from 2 mm above the floor: it falls as freely as any, and then weighs what it weighs.
#[test]
fn a_margin_does_not_pull() {
    let outer = fields::cuboid(DVec3::broadcast(0.11), 1e6).unwrap();
    let extent = outer.extent().iter().map(|e| (e * 0.055 - 0.005) / 0.05).collect();
    let field = CompliantBody::new(outer.mesh().clone(), extent, 1e6).unwrap();
    for settings in [settings(), explicit()] {
        let body = compliant("b", &field, 1.0, at(0.0, 0.0, 0.052));
        let mut sim = world(1e-3, 0.5, settings).body(floor()).body(body).build().unwrap();
        run(&mut sim, 10);
        let speed = sim.twist(1).velocity.z;
        assert!((speed + 0.01 * G).abs() < 1e-12 && sim.contact_force(1) == DVec3::zero(), "{speed} m/s");
        run(&mut sim, 600);
        let (height, load) = (sim.position(1).z, sim.contact_force(1).z);
        // Without damping it bounces, down to where its way of 2.495 mm has pressed in 0.495 mm.
        assert!((0.0495..0.0521).contains(&height), "{height} m");
        if settings.step == PressureSettings::default().step {
            assert!((load / G - 1.0).abs() < 1e-6, "{load} N");
        }
    }
}

#[test]
fn a_stiff_stack_stands_at_a_sixtieth_of_a_second() {
    let mut builder = world(1.0 / 60.0, 0.5, settings()).body(floor());
    for i in 0..5 {
        let pose = at(0.0, 0.0, 0.05 + 0.1 * f64::from(i));
        builder = builder.body(compliant(
            &format!("b{i}"),
            &fields::cuboid(DVec3::broadcast(0.1), 1e7 * (1.0 + 0.1 * f64::from(i))).unwrap(),
            1.0,
            pose,
        ));
    }
    let mut sim = builder.build().unwrap();
    let (mut iterations, mut most) = (0, 0);
    for _ in 0..300 {
        sim.step().unwrap();
        assert!(!report(&sim).unfinished, "{:?}", report(&sim));
        iterations += report(&sim).iterations;
        most = most.max(report(&sim).iterations);
    }
    let load = sim.contact_force(0).z / (-5.0 * G) - 1.0;
    let fastest = (1..6).map(|s| sim.twist(s).velocity.mag()).fold(0.0, f64::max);
    println!(
        "5 boxes: load {load:.2e}, fastest {fastest:.2e} m/s, Newton {iterations} in 300 steps, most {most}"
    );
    assert!(load.abs() < 1e-6 && fastest < 1e-6);
}

#[test]
fn what_has_no_pressure_is_refused_with_the_reason() {
    let mesh = generators::cuboid(DVec3::broadcast(0.1), [1, 1, 1]).unwrap();
    let rigid = |name| BodyDesc::rigid(name, &mesh, Mass::Total(1.0), at(0.0, 0.0, 1.0)).unwrap();
    let why = |b: Builder| b.build().err().map(|e| e.to_string()).unwrap_or_default();
    let e = why(world(1e-3, 0.5, settings()).body(floor()).body(rigid("r")));
    assert!(e.contains("both are rigid") && e.contains("'floor'"), "{e}");
    let points = BodyDesc::particles("dust", vec![DVec3::unit_z()], 0.1);
    let soft = floor().with_pressure(PressureField::layer(1e6, 0.1));
    let e = why(world(1e-3, 0.5, settings()).body(soft.clone()).body(points));
    assert!(e.contains("made of nodes"), "{e}");
    let e = why(world(1e-3, 0.5, settings())
        .body(floor())
        .body(rigid("r").with_pressure(PressureField::layer(1e6, 0.1))));
    assert!(e.contains("a layer is for planes"), "{e}");
    let e = why(world(1e-3, 0.5, settings())
        .body(soft.clone().with_pressure(PressureField::layer(-1.0, 0.1)))
        .body(rigid("r")));
    assert!(e.contains("modulus"), "{e}");
    let e = why(world(1e-3, 0.5, PressureSettings { tolerance: 0.0, ..settings() })
        .body(soft.clone())
        .body(rigid("r")));
    assert!(e.contains("tolerance"), "{e}");
    let still = PressureFriction::Coulomb { regularisation: 0.0, stribeck: 0.0 };
    let e = why(world(1e-3, 0.5, PressureSettings { friction: still, ..settings() })
        .body(soft.clone())
        .body(rigid("r")));
    assert!(e.contains("jumps at rest"), "{e}");
    let midpoint = impinge_integrators::Scheme::ImplicitMidpoint;
    let e = why(world(1e-3, 0.5, settings()).scheme(midpoint).body(soft.clone()).body(rigid("r")));
    assert!(e.contains("symplectic-euler"), "{e}");
    // A response that was not asked for at the start is made ready when it is swapped in; a refusal leaves the old one.
    let mut sim = Simulation::builder(1e-3).law(law(0.5)).body(soft).body(rigid("r")).build().unwrap();
    sim.swap_response(Response::pressure()).unwrap();
    run(&mut sim, 3);
    let mut sim = Simulation::builder(1e-3).law(law(0.5)).body(floor()).body(rigid("r")).build().unwrap();
    assert!(sim.swap_response(Response::pressure()).is_err());
    assert_eq!(*sim.response(), Response::penalty());
}

#[test]
fn the_explicit_step_warns_where_it_blows_up_and_not_where_it_holds() {
    // k = E A/h = 2e5 N/m on 1 kg: s = k Δt² must stay below 4.
    let build = |dt: f64| {
        // A hundredth off the depth that carries it.
        let body = compliant("box", &cube(1e6), 1.0, at(0.0, 0.0, 0.05 - 1.01 * G / 2e5));
        world(dt, 0.0, explicit()).body(floor()).body(body).build().unwrap()
    };
    let w = build(1e-2).warnings();
    assert_eq!(w.len(), 1);
    println!("{}", w[0]);
    assert!((w[0].stiffness / 2e5 - 1.0).abs() < 1e-2 && w[0].body == "box", "{:?}", w[0]);
    let limit = w[0].dt_limit();
    for (factor, holds) in [(0.9, true), (1.1, false)] {
        let mut sim = build(factor * limit);
        assert_eq!(sim.warnings().is_empty(), holds);
        let highest = (0..400).map(|_| sim.step().map(|()| sim.position(1).z).unwrap_or(f64::INFINITY));
        let highest = highest.fold(0.0f64, f64::max);
        println!("dt = {factor} of the limit: highest {highest:.6} m, floor at 0.05");
        assert_eq!(highest < 0.05 - 0.9 * G / 2e5, holds, "{highest}");
    }
}

#[test]
fn a_modulus_in_the_wrong_unit_is_told() {
    // 1 kg of 0.1 m at 10 Pa: someone wrote MPa.
    let build = |modulus: f64| {
        let body = compliant("box", &cube(modulus), 1.0, at(0.0, 0.0, 0.2));
        world(1e-3, 0.0, settings()).body(floor()).body(body).build().unwrap().response_warnings()
    };
    let w = build(10.0);
    assert!(w.len() == 1 && w[0].contains("'box'") && w[0].contains("modulus"), "{w:?}");
    assert!(build(1e6).is_empty());
}

/// Up to twenty bodies are solved by a dense factor and more by GMRES: towers apart from each other stand the same. The residual of a step is that
/// of all bodies, so it is asked for more digits than usual.
#[test]
fn many_bodies_are_solved_as_few() {
    let towers = |count: u32| {
        let exact = PressureSettings { tolerance: 1e-11, ..settings() };
        let mut world = world(1.0 / 60.0, 0.5, exact).body(floor());
        for i in 0..count {
            for level in 0..2u32 {
                // Askew: of faces and tets on one line rounding would decide which polygons there are.
                let up = f64::from(level);
                let x = DVec3::new(0.5 * f64::from(i) + 0.004 * up, 0.007 * up, 0.0498 + 0.0998 * up);
                let place = Pose::new(x, rotor_from_rotation_vector(DVec3::unit_z() * (0.1 + 0.4 * up)));
                world = world.body(compliant(&format!("b{i}-{level}"), &cube(1e6), 1.0, place));
            }
        }
        world.build().unwrap()
    };
    let (mut one, mut many) = (towers(1), towers(11));
    for step in 0..60 {
        one.step().unwrap();
        many.step().unwrap();
        assert!(!report(&one).unfinished && !report(&many).unfinished, "step {step}");
    }
    // GMRES takes an iteration for each direction, a factor one solve and at most its corrections.
    assert!(report(&many).linear > report(&one).linear, "{:?}", report(&many));
    for i in 0..11u32 {
        for level in 0..2 {
            let (here, there) = (many.position(1 + 2 * i + level), one.position(1 + level));
            let off = here - DVec3::unit_x() * (0.5 * f64::from(i)) - there;
            assert!(off.mag() < 1e-9, "tower {i}, level {level}: {off:?}");
        }
    }
    let weight = (many.contact_force(0) + DVec3::unit_z() * (22.0 * G)).mag() / (22.0 * G);
    assert!(weight < 1e-6, "{weight}");
}

/// Contacts so stiff that a change in the last digit of a place is a part of their load: no step can be solved to 1e-9, and it need not fail for that.
/// What it is solved to is said, and the weight is within it.
#[test]
fn contacts_so_stiff_that_places_are_too_coarse_end_at_their_rounding() {
    let mut sim = world(1e-3, 0.5, settings());
    for (name, y) in [("floor", 0.0), ("low", 0.05), ("high", 0.15)] {
        sim = sim.body(if name == "floor" {
            floor().with_pressure(PressureField::layer(1e12, 0.05))
        } else {
            compliant(name, &cube(1e12), 1.0, at(1.0, 0.3, y))
        });
    }
    let mut sim = sim.build().unwrap();
    let (mut coarse, mut worst) = (0, 0.0f64);
    for step in 0..300 {
        sim.step().unwrap();
        let r = report(&sim);
        assert!(!r.unfinished && r.residual < 1e-6, "{step}: {r:?}");
        coarse += u32::from(r.residual > settings().tolerance);
        if step >= 250 {
            worst = worst.max((sim.contact_force(0).z / (-2.0 * G) - 1.0).abs());
        }
    }
    assert!(coarse > 0, "it is no such contact");
    assert!(worst < 1e-6, "{worst:e}");
}

/// A direction may be shorter than places are rounded where a contact is soft and the step short: then it still helps.
#[test]
fn soft_contacts_are_solved_to_the_tolerance_at_short_steps() {
    let mut sim = world(1e-6, 0.5, settings())
        .body(floor().with_pressure(PressureField::layer(1e5, 0.05)))
        .body(compliant("b", &cube(1e5), 1.0, at(1.0, 0.3, 0.0495)))
        .build()
        .unwrap();
    for step in 0..200 {
        sim.step().unwrap();
        let r = report(&sim);
        assert!(!r.unfinished && r.residual <= settings().tolerance, "{step}: {r:?}");
    }
}
