//! What friction holds under the response `pressure` falls when the coefficient is too low: the scenes of a grip with other coefficients.

use impinge_scene::SceneSpec;
use impinge_world::Simulation;
use std::path::Path;

/// A scene run to a time (s) with other values of its keys, and the slot of a body.
fn run_to(name: &str, body: &str, set: &[(&str, &str)], time: f64) -> (Simulation, u32) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/scenes").join(name);
    let spec = SceneSpec::load_with(&path, set).unwrap();
    let mut sim = spec.simulation().unwrap();
    for _ in 0..(time.min(spec.duration) / spec.dt).round() as usize {
        sim.step().unwrap_or_else(|e| panic!("{e}"));
    }
    let slot = sim.slot(body).unwrap();
    (sim, slot)
}

/// Height of the body's middle at the end of the scene (m).
fn end(name: &str, body: &str, mu: &str) -> f64 {
    let (sim, slot) = run_to(name, body, &[("pair.0.mu_s", mu)], f64::INFINITY);
    sim.position(slot).z
}

/// 2 μ N of two sticks that press with about 0.6 N each against 0.1962 N, and what the start of the lift takes.
#[test]
fn chopsticks_drop_what_is_too_smooth() {
    let name = "chopsticks-pressure.toml";
    let (low, high) = (end(name, "dumpling", "0.12"), end(name, "dumpling", "0.35"));
    assert!(low < 0.01, "{low} m: on the table it lies at 0.009 m");
    assert!((high - 0.059).abs() < 5e-4, "{high} m");
}

/// μ · 6 N of a thumb and two fingers against 1.962 N: 0.327 is needed.
#[test]
fn a_smooth_mug_stays_on_the_table() {
    let low = end("hand-mug-pressure.toml", "mug", "0.3");
    assert!(low < 0.0329, "{low} m: on the table its middle is at 0.03242 m");
}

const BOLT: &str = "bolt-pressure.toml";
/// Of its thread (m).
const PITCH: f64 = 6e-3;

/// Along the axis to either side (m): 0.2 mm between the radii on flanks of 1.26.
const PLAY: f64 = 0.16e-3;

/// From a pitch further in than the scene begins, turned the other way round, the bolt comes out by the pitch. The key stays where it is: its end is
/// 6 mm above the floor of the socket then.
#[test]
fn a_bolt_turned_back_comes_out() {
    let set = [
        ("body.bolt.position", "[0.0, 0.0, 0.006]"),
        ("body.key.driver.spin.angular_velocity", "[0.0, 0.0, 6.283185307179586]"),
    ];
    let at = |time: f64| {
        let (sim, bolt) = run_to(BOLT, "bolt", &set, time);
        sim.position(bolt).z
    };
    // From where the play is taken up, half a turn.
    let (from, to) = (at(0.2), at(0.7));
    println!("half a turn back raises it by {:.4} mm", 1e3 * (to - from));
    assert!((to - from - 0.5 * PITCH).abs() < PLAY, "{from} {to}");
}

/// Without its key the bolt goes down its thread by its own weight if nothing rubs, at p/2π for each radian; friction of 0.15 locks it.
#[test]
fn a_bolt_screws_itself_down_without_friction_and_locks_with_it() {
    let run = |mu: &str| {
        let set = [("body.key.position", "[1.0, 0.0, 0.0]"), ("pair.0.mu_s", mu)];
        let (mut sim, bolt) = run_to(BOLT, "bolt", &set, 0.1);
        let (mut turned, from) = (0.0, sim.position(bolt).z);
        for _ in 0..30 {
            sim.step().unwrap();
            turned += sim.twist(bolt).angular_velocity.z * 0.01;
        }
        (sim.position(bolt).z - from, turned, sim.twist(bolt).angular_velocity.z)
    };
    let (down, turned, _) = run("0.0");
    let lead = PITCH / std::f64::consts::TAU;
    println!("{:.3} mm over {turned:.3} rad: {:.4e} m/rad for {lead:.4e}", 1e3 * down, down / turned);
    assert!(turned < -5.0 && (down - turned * lead).abs() < PLAY, "{down} m, {turned} rad");
    let (down, turned, spin) = run("0.15");
    println!("with friction {down:.1e} m, {turned:.1e} rad, at last {spin:.1e} rad/s");
    assert!(down.abs() < 1e-5 && turned.abs() < 1e-3 && spin.abs() < 1e-5, "{down} {turned} {spin}");
}
