//! A block between two fingers that press with a force: it hangs where 2 μ F is above its weight, and falls where it is below.

use impinge_contact::{Actuator, Axes, Axis, Damping, FrictionLaw, PairLaw, SlipRule};
use impinge_geometry::{DVec3, Pose, generators};
use impinge_pressure::fields;
use impinge_world::{BodyDesc, Mass, PressureField, Response, Simulation};

const G: f64 = 9.81;
const MU: f64 = 0.5;
const MASS: f64 = 0.4;

fn block(name: &str, size: DVec3, mass: f64, y: f64) -> BodyDesc {
    let mesh = generators::cuboid(size, [1; 3]).unwrap();
    let at = Pose::from_position(DVec3::unit_y() * y);
    BodyDesc::rigid(name, &mesh, Mass::Total(mass), at)
        .unwrap()
        .with_pressure(PressureField::tets(fields::cuboid(size, 1e6).unwrap()))
}

/// Of a finger (kg).
const FINGER: f64 = 0.1;

/// The block between fingers that press with `force` (N) each and go nowhere else, after gravity has come.
fn gripped(response: Response, force: f64) -> Simulation {
    let friction =
        FrictionLaw { mu_s: MU, mu_k: MU, k_fp: 4e3, k_fd: 8.0, k_omega: 1e3, rule: SlipRule::ReturnMap };
    let law =
        PairLaw { damping: Damping::HuntCrossley(5.0), friction: Some(friction), ..PairLaw::elastic(2e3) };
    let finger = |name: &str, side: f64| {
        block(name, DVec3::new(0.06, 0.02, 0.06), FINGER, side * 0.0602)
            .locked(Axes::all_but(Axis::Y))
            .actuator(Actuator::force(Axis::Y, -side * force).damping(20.0))
    };
    let mut sim = Simulation::builder(1.0 / 1024.0)
        .response(response)
        .law(law)
        .body(finger("left", -1.0))
        .body(finger("right", 1.0))
        .body(block("block", DVec3::broadcast(0.1), MASS, 0.0))
        .build()
        .unwrap();
    (0..200).for_each(|_| step(&mut sim));
    // Weight comes slowly: at once it would pull with twice of it.
    for k in 1..=256 {
        sim.set_gravity([0.0, 0.0, -G * f64::from(k) / 256.0]).unwrap();
        step(&mut sim);
    }
    sim
}

fn step(sim: &mut Simulation) {
    sim.step().unwrap();
    let ledger = sim.ledger();
    assert!(ledger.residual() <= 1e-12, "{:e}", ledger.residual());
}

/// Fall (m) and speed (m/s) of the block, half a second after all of its weight hangs on fingers that press with this part of m g / 2 μ.
fn fall(response: Response, part: f64) -> [f64; 2] {
    let force = part * MASS * G / (2.0 * MU);
    let mut sim = gripped(response, force);
    let start = sim.position(2).z;
    (0..512).for_each(|_| step(&mut sim));
    // It is held by what the fingers press it with.
    let pressed = sim.ledger().pairs.normal[0].y.abs() / sim.dt();
    assert!((pressed / force - 1.0).abs() < 1e-2, "{pressed} N, not {force} N");
    [start - sim.position(2).z, -sim.twist(2).velocity.z]
}

#[test]
fn a_grip_holds_above_two_mu_f_and_slips_below() {
    for response in [Response::pressure(), Response::volume(), Response::qp(), Response::cpf()] {
        let name = response.name();
        let [held, crept] = fall(response.clone(), 1.01);
        let [slipped, speed] = fall(response, 0.99);
        println!("{name}: held {held:.1e} m, {crept:.1e} m/s; slipped {slipped:.1e} m, {speed:.1e} m/s");
        assert!(held.abs() < 2e-4 && crept.abs() < 5e-4, "{name}: {held} m, {crept} m/s");
        // A hundredth of g for half a second.
        assert!((speed / (0.01 * G * 0.5) - 1.0).abs() < 0.3, "{name}: {speed} m/s");
        assert!(slipped > 5e-3, "{name}: {slipped} m");
    }
}

/// Upward (m/s²).
const LIFT: f64 = 1.0;

/// What the block lags behind the fingers (m, m/s), and its speed over that of a block that is taken along, after fingers that press with this part of
/// m (g + a)/2 μ have gone up with a for a quarter of a second. They are lifted by what takes all three up with a, so that nothing but friction decides.
fn lag(response: Response, part: f64) -> [f64; 3] {
    let mut sim = gripped(response, part * MASS * (G + LIFT) / (2.0 * MU));
    let (rise, last) = (128, 256);
    let lift = |sim: &mut Simulation, a: f64| {
        let force = (FINGER + 0.5 * MASS) * (G + a);
        ["left", "right"].into_iter().for_each(|finger| {
            sim.set_actuator(finger, Actuator::force(Axis::Z, force)).unwrap();
        });
        step(sim);
    };
    for finger in ["left", "right"] {
        sim.set_locked(finger, Axes::all_but(Axes::Y | Axes::Z)).unwrap();
    }
    (1..=rise).for_each(|k| lift(&mut sim, LIFT * f64::from(k) / f64::from(rise)));
    let behind = |sim: &Simulation| {
        let [finger, block] = ["left", "block"].map(|name| sim.view(name).unwrap());
        [finger.position().z - block.position().z, finger.velocity().z - block.velocity().z]
    };
    let start = behind(&sim);
    (0..last).for_each(|_| lift(&mut sim, LIFT));
    let end = behind(&sim);
    let taken = LIFT * (0.5 * f64::from(rise + 1) + f64::from(last)) * sim.dt();
    [end[0] - start[0], end[1], sim.view("block").unwrap().velocity().z / taken]
}

#[test]
fn a_grip_lifts_above_what_friction_needs_and_slips_below() {
    for response in [Response::pressure(), Response::volume(), Response::qp(), Response::cpf()] {
        let name = response.name();
        let [held, crept, taken] = lag(response.clone(), 1.01);
        let [slipped, speed, _] = lag(response, 0.99);
        println!(
            "{name}: held {held:.1e} m, {crept:.1e} m/s, {taken:.6}; slipped {slipped:.1e} m, {speed:.1e} m/s"
        );
        assert!(
            held.abs() < 2e-4 && crept.abs() < 1e-3 && (taken - 1.0).abs() < 5e-3,
            "{name}: {held} {crept} {taken}"
        );
        // What friction lacks slows the block and speeds the fingers up.
        let lack = 0.01 * MASS * (G + LIFT) * (1.0 / MASS + 0.5 / FINGER);
        assert!((speed / (0.25 * lack) - 1.0).abs() < 0.3, "{name}: {speed} m/s");
        assert!(slipped > 5e-3, "{name}: {slipped} m");
    }
}
