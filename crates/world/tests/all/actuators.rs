//! Actuators and timed forces: closed forms, limits, books, state.

use crate::halved::NoLonger;
use crate::pushed::{cube, responses, under};
use impinge_contact::{Actuator, Axes, Axis, PairLaw};
use impinge_geometry::{DVec3, Pose, generators, rotor_from_rotation_vector};
use impinge_integrators::Scheme;
use impinge_world::{BodyDesc, Builder, Mass, Place, Simulation, TimedForce};

fn world(dt: f64) -> Builder {
    Simulation::builder(dt).law(PairLaw::elastic(1e4))
}

fn floor() -> BodyDesc {
    BodyDesc::plane("floor", DVec3::unit_z(), 0.0)
}

/// x* + (a cos ωt + b sin ωt) e^(−ζt) of a mass that starts at rest at 0.
fn oscillator(m: f64, k: f64, c: f64, target: f64, t: f64) -> f64 {
    let zeta = c / (2.0 * m);
    let omega = (k / m - zeta * zeta).sqrt();
    target - target * (-zeta * t).exp() * ((omega * t).cos() + zeta / omega * (omega * t).sin())
}

#[test]
fn gains_make_the_damped_oscillator_and_it_converges() {
    let (m, k, c, target) = (2.0, 180.0, 6.0, 0.05);
    for scheme in [Scheme::SymplecticEuler, Scheme::ImplicitMidpoint] {
        for axis in [Axis::Y, Axis::Rz] {
            let worst = |dt: f64| {
                let body = cube("box", DVec3::zero());
                // m a²/6 about its axes: gains of the same ratio swing the same way.
                let scale = if axis.turns() { 0.04 / 6.0 } else { 1.0 };
                let servo = Actuator::servo(axis, k * scale, c * scale).target(target);
                let mut sim = world(dt).scheme(scheme).body(body.actuator(servo)).build().unwrap();
                let (mut worst, mut work, mut steps) = (0.0f64, 0.0, 0);
                while sim.time() < 1.0 - 0.5 * dt {
                    sim.step().unwrap();
                    steps += 1;
                    let x = sim.actuator_position("box", axis).unwrap();
                    worst = worst.max((x - oscillator(m, k, c, target, f64::from(steps) * dt)).abs());
                    let ledger = sim.ledger();
                    assert!(ledger.residual() <= 1e-12, "{:e}", ledger.residual());
                    assert_eq!(ledger.actuators.len(), 1);
                    work += ledger.actuators[0].work;
                    assert!((ledger.energy.kinetic() - work).abs() <= 1e-13, "{scheme:?} {axis}");
                }
                worst
            };
            let [coarse, fine] = [1e-3, 5e-4].map(worst);
            assert!(coarse < 1e-2 * target, "{scheme:?} {axis}: {coarse}");
            assert!(fine < 0.6 * coarse, "{scheme:?} {axis}: {coarse} {fine}");
        }
    }
}

/// Without damping the swing stays for ever, under the midpoint rule too: no scheme pumps it.
#[test]
fn an_undamped_servo_keeps_its_swing() {
    for scheme in [Scheme::SymplecticEuler, Scheme::ImplicitMidpoint, Scheme::ImplicitEuler] {
        // ω Δt = 0.5.
        let servo = Actuator::servo(Axis::X, 2.0 * 2.5e5, 0.0).target(0.01);
        let mut sim =
            world(1e-3).scheme(scheme).body(cube("box", DVec3::zero()).actuator(servo)).build().unwrap();
        let mut reach = [0.0f64; 2];
        for step in 0..20_000 {
            sim.step().unwrap();
            let at = (sim.position(0).x - 0.01).abs();
            reach[usize::from(step >= 10_000)] = reach[usize::from(step >= 10_000)].max(at);
        }
        assert!((reach[1] / reach[0] - 1.0).abs() < 1e-3, "{scheme:?}: {reach:?}");
        assert!((0.009..0.0115).contains(&reach[1]), "{scheme:?}: {reach:?}");
    }
}

#[test]
fn the_limit_is_never_passed_and_is_what_acts() {
    for r in responses() {
        let servo = Actuator::servo(Axis::X, 1e4, 100.0).target(1.0).limit(3.0);
        let mut sim = under(&r).body(cube("box", DVec3::zero()).actuator(servo)).build().unwrap();
        for step in 1..=100 {
            sim.step().unwrap();
            let ledger = sim.ledger();
            assert!((ledger.actuators[0].impulse - 3.0 * sim.dt()).abs() < 1e-17);
            // Uniformly accelerated.
            let v = 3.0 / 2.0 * sim.dt() * f64::from(step);
            assert!((sim.twist(0).velocity.x - v).abs() < 1e-13, "{}", r.0.name());
        }
        for _ in 0..3000 {
            sim.step().unwrap();
            assert!(sim.ledger().actuators[0].impulse.abs() <= 3.0 * sim.dt() * (1.0 + 1e-15));
        }
    }
}

/// Against a wall the actuator presses with its force, whatever the gains and the step.
#[test]
fn a_blocked_servo_presses_with_its_gain_times_the_way_left() {
    for r in responses() {
        let servo = Actuator::servo(Axis::Z, 400.0, 60.0).target(-0.05);
        let body = cube("box", DVec3::new(0.0, 0.0, 0.1001)).locked(Axes::all_but(Axis::Z)).actuator(servo);
        let mut sim = under(&r).body(floor()).body(body).build().unwrap();
        let mut pressed = 0.0;
        for step in 0..1500 {
            sim.step().unwrap();
            let ledger = sim.ledger();
            assert!(ledger.residual() <= 1e-12, "{}: {:e}", r.0.name(), ledger.residual());
            if step >= 1000 {
                pressed += sim.contact_force(1).z / 500.0;
            }
        }
        let left = sim.actuator_position(1, Axis::Z).unwrap() + 0.05;
        assert!((pressed / (400.0 * left) - 1.0).abs() < 0.01, "{}: {pressed} N over {left} m", r.0.name());
        assert!(left > 0.04, "{}", r.0.name());
    }
}

/// Everything at once: servos on a tumbling body that falls on a floor, beside a locked one. Books, bits, state.
#[test]
fn books_bits_and_state_hold_under_all_responses() {
    for r in responses() {
        let name = r.0.name();
        let build = |halved: bool| {
            let turned =
                Pose::new(DVec3::new(0.3, 0.0, 0.14), rotor_from_rotation_vector(DVec3::unit_x() * 0.3));
            let mut tumbling = cube("tumbling", DVec3::zero())
                .actuator(Actuator::servo(Axis::X, 50.0, 5.0).target(0.02).limit(4.0))
                .actuator(Actuator::servo(Axis::Rz, 0.5, 0.02).target(1.0));
            tumbling.pose = turned;
            let slider = cube("slider", DVec3::new(-0.3, 0.0, 0.1001))
                .locked(Axes::ROTATIONS | Axes::Y)
                .actuator(Actuator::force(Axis::X, 7.0).damping(3.0));
            let push = TimedForce {
                body: 2,
                force: DVec3::new(0.0, 0.0, 1.0),
                torque: DVec3::zero(),
                from: 0.0101,
                until: 0.05,
            };
            let mut sim = under(&r)
                .gravity(DVec3::unit_z() * -9.81)
                .body(floor())
                .body(tumbling)
                .body(slider)
                .force(push)
                .build()
                .unwrap();
            if halved {
                let parts = NoLonger(sim.dt() / 4.0, 0.02..0.04);
                sim.pipeline = std::mem::take(&mut sim.pipeline).with(Place::Solve, parts);
            }
            sim
        };
        for halved in [false, true] {
            let go = |sim: &mut Simulation, steps: usize| {
                for _ in 0..steps {
                    let before = sim.twist(2).velocity.z.abs();
                    sim.step().unwrap_or_else(|e| panic!("{name}: {e}"));
                    let speed = sim.twist(2).velocity.z.abs().max(before);
                    let ledger = sim.ledger();
                    assert!(ledger.residual() <= 1e-12, "{name}: {:e}", ledger.residual());
                    let all: f64 = ledger.actuators.iter().map(|a| a.work).sum();
                    let timed = ledger.energy.work_applied - all;
                    let pushed = ledger.applied.iter().find(|a| a.body == 2).unwrap().impulse.z;
                    // The impulse times the mean speed, which parts of a halved step may pass.
                    let most = if halved { 2.0 } else { 1.0 } * speed * pushed.abs();
                    assert!(timed.abs() <= most + 1e-12, "{name}: {timed} of {most}");
                    assert_eq!(ledger.actuators.len(), 3);
                }
            };
            let ends = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    let mut sim = build(halved);
                    go(&mut sim, 30);
                    sim.set_actuator_target("tumbling", Axis::Rz, -1.0, 0.1).unwrap();
                    let mid = sim.snapshot();
                    go(&mut sim, 50);
                    let end = sim.hash();
                    sim.restore(&mid).unwrap();
                    assert_eq!(sim.actuator("tumbling", Axis::Rz).unwrap().position, -1.0);
                    go(&mut sim, 50);
                    assert_eq!(sim.hash(), end, "{name}: restored");
                    let mut other = build(halved);
                    other.restore(&mid).unwrap();
                    go(&mut other, 50);
                    assert_eq!(other.hash(), end, "{name}: in another world");
                    end
                })
            };
            assert_eq!(ends(1), ends(4), "{name}");
        }
    }
}

/// A torque about a hinge turns it through whole turns, and its position counts them.
#[test]
fn a_rotation_counts_whole_turns() {
    let door = cube("wheel", DVec3::zero())
        .locked(Axes::all_but(Axis::Ry))
        .actuator(Actuator::servo(Axis::Ry, 0.0, 0.1).speed(20.0));
    let mut sim = world(1e-3).body(door).build().unwrap();
    for _ in 0..2000 {
        sim.step().unwrap();
    }
    let tau: f64 = 2.0 * 0.04 / 6.0 / 0.1;
    let expected = 20.0 * (2.0 - tau * (1.0 - (-2.0 / tau).exp()));
    let turned = sim.actuator_position("wheel", Axis::Ry).unwrap();
    assert!((turned / expected - 1.0).abs() < 2e-3, "{turned} {expected}");
    assert!(turned > 5.0 * std::f64::consts::TAU);
}

#[test]
fn the_limit_of_stability_is_where_the_message_says() {
    let body = cube("box", DVec3::zero());
    for (axis, inertia) in [(Axis::X, 2.0), (Axis::Rz, 2.0 * 0.04 / 6.0)] {
        for (k, c) in [(3e5, 0.0), (0.0, 200.0), (1e5, 150.0)] {
            let servo = Actuator::servo(axis, k * inertia, c * inertia).target(1e-3);
            let longest = servo.longest_step(inertia);
            assert!((k * longest * longest + 2.0 * c * longest - 4.0).abs() < 1e-9);
            let run = |dt: f64| {
                let built = world(dt).body(body.clone().actuator(servo)).build();
                built.map(|mut sim| {
                    (0..400).for_each(|_| sim.step().unwrap());
                    sim.actuator_position(0, axis).unwrap().abs()
                })
            };
            assert!(run(0.97 * longest).unwrap() < 0.1, "{axis} {k} {c}");
            let e = run(1.001 * longest).err().unwrap().to_string();
            assert!(e.contains("'box'") && e.contains(&format!("{longest:.4e}")), "{e}");
        }
    }
}

#[test]
fn what_no_actuator_can_be_is_refused() {
    let refused = |body: BodyDesc, words: &str| {
        let e = world(1e-3).body(body).build().err().unwrap().to_string();
        assert!(e.contains(words), "{e}");
    };
    let body = || cube("box", DVec3::zero());
    let pull = Actuator::force(Axis::X, 1.0);
    refused(BodyDesc { actuators: vec![pull], ..floor() }, "only rigid bodies");
    refused(body().locked(Axes::X).actuator(pull), "locked");
    refused(body().actuator(pull).actuator(pull), "two actuators");
    refused(body().actuator(Actuator { force: f64::NAN, ..pull }), "finite");
    refused(body().actuator(Actuator { damping: -1.0, ..pull }), "damping");
    refused(body().actuator(pull.limit(0.0)), "limit");
    let force = |f: TimedForce, words: &str| {
        let e = world(1e-3).body(floor()).body(body()).force(f).build().err().unwrap().to_string();
        assert!(e.contains(words), "{e}");
    };
    let up = TimedForce { body: 1, force: DVec3::unit_z(), torque: DVec3::zero(), from: 0.0, until: 1.0 };
    force(TimedForce { body: 0, ..up }, "fixed");
    force(TimedForce { body: 2, ..up }, "2 bodies");
    force(TimedForce { until: 0.0, ..up }, "end after");
    let mut sim = world(1e-3).body(floor()).body(body().actuator(pull)).build().unwrap();
    let said = |e: impinge_world::OpenError| e.to_string();
    assert!(said(sim.set_actuator("floor", pull).unwrap_err()).contains("fixed"));
    assert!(said(sim.set_actuator_force("box", Axis::Y, 1.0).unwrap_err()).contains("`set_actuator`"));
    assert!(said(sim.set_locked("box", Axes::X).unwrap_err()).contains("`remove_actuator`"));
    sim.remove_actuator("box", Axis::X).unwrap();
    sim.set_locked("box", Axes::X).unwrap();
    assert!(said(sim.set_actuator("box", pull).unwrap_err()).contains("locked"));
    sim.set_actuator("box", Actuator::servo(Axis::Y, 1e6, 0.0)).unwrap();
    assert!(said(sim.set_dt(1e-2).unwrap_err()).contains("'box'"));
}

#[test]
fn bodies_that_come_and_go_bring_and_take_their_actuators() {
    let body = |name: &str, x: f64| cube(name, DVec3::unit_x() * x);
    let mut sim = world(1e-3)
        .body(body("a", 0.0).actuator(Actuator::force(Axis::X, 2.0)))
        .body(body("b", 1.0))
        .build()
        .unwrap();
    let c = sim.insert(body("c", 2.0).locked(Axes::Z).actuator(Actuator::force(Axis::Y, 4.0))).unwrap();
    sim.step().unwrap();
    assert_eq!(sim.twist(c.slot()).velocity.y, 2e-3);
    assert_eq!(sim.twist(0).velocity.x, 1e-3);
    sim.remove("a").unwrap();
    sim.step().unwrap();
    assert_eq!(sim.ledger().actuators.len(), 1);
    assert_eq!(sim.locked(c).unwrap(), Axes::Z);
    let mid = sim.snapshot();
    sim.remove(c).unwrap();
    sim.step().unwrap();
    assert!(sim.ledger().actuators.is_empty() && sim.ledger().locks.is_empty());
    sim.restore(&mid).unwrap();
    sim.step().unwrap();
    assert_eq!(sim.ledger().actuators[0].axis, Axis::Y);
}

/// Without a shape that touches anything a timed force is exact, whatever the step.
#[test]
fn a_timed_force_gives_force_times_time() {
    let mesh = generators::cuboid(DVec3::broadcast(0.2), [1; 3]).unwrap();
    for dt in [0.01, 0.0037, 0.25] {
        let body = BodyDesc::rigid("box", &mesh, Mass::Total(2.0), Pose::identity()).unwrap();
        let push = TimedForce {
            body: 0,
            force: DVec3::new(3.0, 0.0, 1.0),
            torque: DVec3::unit_y() * 0.01,
            from: 0.1,
            until: 0.6,
        };
        let mut sim = world(dt).body(body).force(push).build().unwrap();
        while sim.time() < 1.0 {
            sim.step().unwrap();
            assert!(sim.ledger().residual() <= 1e-12);
        }
        let twist = sim.twist(0);
        assert!((twist.velocity - DVec3::new(0.75, 0.0, 0.25)).mag() < 1e-12, "{dt}: {twist:?}");
        let spin = 0.01 * 0.5 / (2.0 * 0.04 / 6.0);
        assert!((twist.angular_velocity.y - spin).abs() < 1e-12 * spin, "{dt}: {twist:?}");
    }
}
