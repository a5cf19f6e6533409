//! Two fingers close on a block by force and lift it by gains: how hard must they press?
//!
//! `cargo run -p impinge --example gripper`

use impinge::prelude::*;

const MU: f64 = 0.5;
const WEIGHT: f64 = 0.4 * 9.81; // N

/// How far the block is lifted (m) when each finger presses with `force` (N) and goes up by 30 mm.
fn lifted(force: f64) -> Result<f64, Box<dyn std::error::Error>> {
    // A finger slides along y, where a force pushes it, and along z, where gains hold it.
    let finger = |name: &str, side: f64| {
        let at = Pose::from_position(DVec3::new(0.0, side * 0.0605, 0.05));
        let carries = 0.5 * 9.81 + 0.5 * WEIGHT;
        let body = BodyDesc::cuboid(name, [0.06, 0.02, 0.06], Mass::Total(0.5), at)?;
        Ok::<_, BuildError>(
            body.locked(Axes::all_but(Axes::Y | Axes::Z))
                .actuator(Actuator::force(Axis::Y, -side * force).damping(40.0))
                .actuator(Actuator { force: carries, ..Actuator::servo(Axis::Z, 800.0, 100.0) }),
        )
    };
    let at = Pose::from_position(DVec3::new(0.0, 0.0, 0.05));
    let friction =
        FrictionLaw { mu_s: MU, mu_k: MU, k_fp: 2e3, k_fd: 3.0, k_omega: 1e3, rule: SlipRule::ReturnMap };
    let mut sim = Simulation::builder(1e-3)
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .law(PairLaw { friction: Some(friction), ..PairLaw::elastic(1e4) })
        .response(Response::qp())
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(finger("left", -1.0)?)
        .body(finger("right", 1.0)?)
        .body(BodyDesc::cuboid("block", [0.1; 3], Mass::Total(0.4), at)?)
        .build()?;
    for step in 0..1500 {
        // After a fifth of a second the fingers go up, slowly.
        let z = 0.03 * (f64::from(step - 200) / 1000.0).clamp(0.0, 1.0);
        sim.set_actuator_target("left", Axis::Z, z, 0.0)?;
        sim.set_actuator_target("right", Axis::Z, z, 0.0)?;
        sim.step()?;
        assert!(sim.ledger().residual() < 1e-12); // actuators and locks are in the books
    }
    Ok(sim.position(3).z - at.position.z)
}

/// What is printed, checked on the way.
///
/// # Errors
/// What the world refuses.
pub fn answer() -> Result<String, Box<dyn std::error::Error>> {
    let mut said = Vec::new();
    let needed = WEIGHT / (2.0 * MU);
    for (force, expected) in [(1.05 * needed, 30.0), (0.95 * needed, 0.0)] {
        let mm = 1e3 * lifted(force)?;
        said.push(format!("{force:.2} N in each finger lift the block by {mm:.1} mm"));
        assert!((mm - expected).abs() < 3.0, "{mm} mm");
    }
    Ok(said.join("\n"))
}

/// Prints it.
///
/// # Errors
/// As [`answer`].
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{}", answer()?);
    Ok(())
}
