//! A box is pushed over a floor with Coulomb friction: v = (F/m − μ g) t.
//!
//! `cargo run -p impinge --example push_a_box`

use impinge::prelude::*;

/// What is printed, checked on the way.
///
/// # Errors
/// What the crate refuses.
pub fn answer() -> Result<String, Box<dyn std::error::Error>> {
    let (mass, mu, push, g) = (2.0, 0.3, 10.0, 9.81); // kg, –, N, m/s²
    let mut sim = Simulation::builder(1e-3) // s
        .gravity(DVec3::new(0.0, 0.0, -g))
        .response(Response::qp())
        .law(PairLaw { friction: Some(FrictionLaw::coulomb(mu)), ..PairLaw::elastic(1e5) })
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(BodyDesc::cuboid("box", [0.4, 0.4, 0.1], Mass::Total(mass), at(0.05))?)
        .build()?;
    for _ in 0..500 {
        sim.apply_force("box", [push, 0.0, 0.0])?;
        sim.step()?;
    }
    let (speed, expected) = (sim.twist(1).velocity.x, (push / mass - mu * g) * sim.time());
    assert!((speed - expected).abs() < 1e-3 * expected, "{speed} m/s, {expected} expected");
    Ok(format!("{speed:.3} m/s after {:.1} s; (F/m − μ g) t is {expected:.3} m/s", sim.time()))
}

/// Prints it.
///
/// # Errors
/// As [`answer`].
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{}", answer()?);
    Ok(())
}

fn at(z: f64) -> Pose {
    Pose::from_position(DVec3::new(0.0, 0.0, z))
}
