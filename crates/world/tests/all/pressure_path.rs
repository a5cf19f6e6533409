//! Pressure along the path, by Radau's method: energy, momentum and books, the limit that the implicit step goes to, what is refused.

use crate::pressing::{G, at, ball, collision, compliant, cube, floor, law, report, run, settings, world};
use impinge_contact::Damping;
use impinge_geometry::{DVec3, Pose, rotor_from_rotation_vector};
use impinge_integrators::{Driver, Keyframe};
use impinge_world::{BodyDesc, Motion, PressureFriction, PressureSettings};

fn radau(tolerance: f64) -> PressureSettings {
    PressureSettings { tolerance, ..PressureSettings::radau() }
}

#[test]
fn a_bouncing_ball_keeps_its_energy_to_tolerance_in_long_steps() {
    let mut drifts = Vec::new();
    for tolerance in [1e-5, 1e-7] {
        let body = compliant("ball", &ball(0.0125, 1e5), 0.5, at(0.0, 0.0, 0.1));
        // A bounce takes 2.804 d/v = 38 ms: not quite four steps.
        let mut sim = world(0.01, 0.0, radau(tolerance)).body(floor()).body(body).build().unwrap();
        let start = sim.energy().total();
        let (mut worst, mut stored, mut bounces, mut was, mut inner) = (0.0f64, 0.0f64, 0, false, 0);
        for _ in 0..100 {
            sim.step().unwrap();
            let r = report(&sim);
            stored = stored.max(r.energy);
            bounces += u32::from(was && r.patches == 0);
            was = r.patches > 0;
            worst = worst.max((sim.ledger().energy.total() / start - 1.0).abs());
            inner += r.linear;
        }
        println!("{tolerance:e}: energy {worst:.1e} over {bounces} bounces, {inner} inner steps in 100");
        assert!(bounces >= 3 && stored > 0.3 * start, "{bounces} bounces, {stored} J of {start}");
        assert!(worst < 10.0 * tolerance, "{worst}");
        drifts.push(worst);
    }
    assert!(drifts[1] < 0.1 * drifts[0], "{drifts:?}");
}

#[test]
fn momentum_is_kept_and_the_books_close() {
    let smooth = PressureFriction::Coulomb { regularisation: 1e-2, stribeck: 0.0 };
    let settings = PressureSettings { friction: smooth, energy: true, ..radau(1e-8) };
    let mut sim = collision(settings, 2e-3).build().unwrap();
    sim.step().unwrap();
    let first = sim.ledger().momentum;
    let start = sim.energy();
    let (mut linear, mut leak, mut books, mut touched) = (0.0f64, 0.0f64, 0.0f64, 0);
    let (mut pressed, mut rubbed) = (0.0, 0.0);
    for _ in 0..100 {
        let before = sim.energy().kinetic();
        sim.step().unwrap();
        let l = sim.ledger();
        linear = linear.max(l.momentum.linear_residual.mag() / l.momentum.linear_scale);
        // What the rows book about the centres at the start, and the way the bodies went meanwhile.
        let told = l.momentum.angular_residual - l.momentum.predicted_leak;
        leak = leak.max(told.mag() / l.momentum.angular_scale);
        let gained = l.energy.kinetic() - before;
        books = books.max((gained - l.energy.work_normal - l.energy.work_friction).abs());
        (pressed, rubbed) = (pressed + l.energy.work_normal, rubbed + l.energy.work_friction);
        touched += report(&sim).patches;
    }
    let last = sim.ledger().momentum;
    let spun = (last.angular - first.angular).mag() / first.angular.mag();
    println!(
        "{touched} patches; linear {linear:.1e}, told leak {leak:.1e}, angular momentum {spun:.1e}, books {books:.1e} J of {:.3}; \
         pressure {pressed:.3e} J, friction {rubbed:.3e} J",
        start.kinetic()
    );
    assert!(touched > 10 && linear < 1e-13 && leak < 1e-13, "{touched} {linear} {leak}");
    assert!(spun < 1e-10 && books < 1e-9 * start.kinetic(), "{spun} {books}");
    // Both take, and friction never gives.
    assert!(pressed < -1e-3 && rubbed < -1e-3, "{pressed} {rubbed}");
}

#[test]
fn the_implicit_step_goes_to_the_path_with_its_order() {
    let fly = |settings: PressureSettings, dt: f64| {
        let mut law = law(0.3);
        law.damping = Damping::HuntCrossley(0.5);
        let mut body = compliant("ball", &ball(0.025, 1e5), 0.5, at(0.0, 0.0, 0.055));
        body.velocity = DVec3::new(1.0, 0.2, -1.0);
        body.angular_velocity = DVec3::new(1.0, -2.0, 3.0);
        let mut sim = world(dt, 0.3, settings).law(law).body(floor()).body(body).build().unwrap();
        run(&mut sim, (0.06 / dt).round() as usize);
        let state = sim.twist(1);
        (sim.position(1), state.velocity, state.angular_velocity)
    };
    let friction = PressureFriction::Coulomb { regularisation: 1e-2, stribeck: 0.0 };
    let exact = fly(PressureSettings { friction, energy: false, ..radau(1e-9) }, 0.01);
    let off = |dt: f64| {
        let got = fly(PressureSettings { friction, ..settings() }, dt);
        [(got.0 - exact.0).mag() / 0.05, (got.1 - exact.1).mag(), (got.2 - exact.2).mag() * 0.05]
    };
    let (coarse, fine) = (off(1e-4), off(5e-5));
    println!("implicit against the path: {coarse:?}, {fine:?}");
    for (coarse, fine) in coarse.into_iter().zip(fine) {
        assert!((1.7..2.4).contains(&(coarse / fine)) && fine < 1e-2, "{coarse} {fine}");
    }
}

#[test]
fn a_body_on_a_driven_floor_weighs_m_g_and_more_while_it_is_lifted() {
    let mut law = law(0.3);
    law.damping = Damping::HuntCrossley(20.0);
    let deep = G * 0.05 / (1e5 * 0.01);
    let body = compliant("box", &cube(1e5), 1.0, at(0.0, 0.0, 0.05 - deep));
    let mesh = impinge_geometry::generators::cuboid(DVec3::new(0.4, 0.4, 0.1), [1, 1, 1]).unwrap();
    let frame = |time: f64| Keyframe { time, pose: at(0.0, 0.0, -0.05 + 0.2 * time) };
    let mut table = BodyDesc::fixed("table", mesh, frame(0.0).pose).unwrap();
    table.motion = Motion::Kinematic(Driver::Keyframes(vec![frame(0.0), frame(10.0)]));
    let mut sim = world(0.01, 0.3, radau(1e-7)).law(law).body(table).body(body).build().unwrap();
    run(&mut sim, 100);
    let (mut most, mut worst) = (0.0f64, 0.0f64);
    for _ in 0..50 {
        sim.step().unwrap();
        most = most.max((sim.contact_force(1).z / G - 1.0).abs());
        let l = sim.ledger();
        worst = worst.max((l.energy.work_driven - G * 0.2 * 0.01).abs());
    }
    println!("{most:.1e} off the weight, the driver's work of a step {worst:.1e} J off m g v dt");
    assert!(most < 1e-9 && worst < 1e-9, "{most} {worst}");
    assert!((sim.twist(1).velocity.z - 0.2).abs() < 1e-6);
}

#[test]
fn b26_a_sliding_box_goes_its_way() {
    let angle = libm::atan(0.5);
    let n = DVec3::new(-libm::sin(angle), 0.0, libm::cos(angle));
    let down = DVec3::new(-libm::cos(angle), 0.0, -libm::sin(angle));
    let rotation = rotor_from_rotation_vector(DVec3::new(0.0, -angle, 0.0));
    assert!((rotation * DVec3::unit_z() - n).mag() < 1e-14);
    let deep = G * libm::cos(angle) * 0.05 / (1e7 * 0.01);
    let body = compliant("box", &cube(1e7), 1.0, Pose::new(n * (0.05 - deep), rotation));
    let mut law = law(0.4);
    // It tilts onto its leading edge and would rock for ever.
    law.damping = Damping::HuntCrossley(50.0);
    let friction = PressureFriction::Coulomb { regularisation: 1e-4, stribeck: 0.0 };
    let set = PressureSettings { friction, energy: false, ..PressureSettings::radau() };
    let mut sim =
        world(0.01, 0.4, set).law(law).body(BodyDesc::plane("slope", n, 0.0)).body(body).build().unwrap();
    run(&mut sim, 30);
    let (x, v) = (sim.position(1), sim.twist(1).velocity);
    run(&mut sim, 100);
    let way = (sim.position(1) - x - v).dot(down);
    let expected = 0.5 * G * (0.5 - 0.4) / 1.25f64.sqrt();
    println!(
        "in a second {way:.6} m more than its speed, exact {expected:.6}, off {:.4} %",
        100.0 * (way / expected - 1.0)
    );
    assert!((way / expected - 1.0).abs() < 1e-3);
}

#[test]
fn friction_with_memory_and_without_regularisation_are_refused() {
    let refused = |friction: PressureFriction| {
        let set = PressureSettings { friction, ..PressureSettings::radau() };
        let body = compliant("b", &ball(0.025, 1e5), 1.0, at(0.0, 0.0, 0.1));
        world(0.01, 0.5, set).body(floor()).body(body).build().err().unwrap().to_string()
    };
    let e = refused(PressureFriction::default());
    assert!(e.contains("bristles remember") && e.contains("Coulomb"), "{e}");
    let e = refused(PressureFriction::Coulomb { regularisation: 0.0, stribeck: 0.0 });
    assert!(e.contains("regularisation"), "{e}");
}
