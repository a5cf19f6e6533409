//! One box on one floor under every response: each carries the weight.
//!
//! `cargo run -p impinge --example compare_responses`

use impinge::prelude::*;
use impinge::world::{Family, PressureField};

/// What is printed, checked on the way.
///
/// # Errors
/// What the crate refuses.
pub fn answer() -> Result<String, Box<dyn std::error::Error>> {
    let layer = PressureField::layer(1e6, 0.05).dissipation(5.0); // Pa, m, s/m: what `pressure` asks of one of two bodies
    let mut lines = Vec::new();
    for family in Family::ALL {
        let response = family.response();
        let mut sim = Simulation::builder(1e-3) // s
            .gravity(DVec3::new(0.0, 0.0, -9.81))
            .scheme(response.scheme().unwrap_or(Scheme::SymplecticEuler)) // the rule by which some of them move bodies
            .response(response)
            .law(PairLaw { damping: Damping::KelvinVoigt(100.0), ..PairLaw::elastic(2e4) })
            .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0).with_pressure(layer.clone()))
            .body(BodyDesc::cuboid("box", [0.2, 0.2, 0.2], Mass::Total(2.0), at(0.1))?)
            .build()?;
        let mut impulse = 0.0; // of the second half
        for step in 0..1000 {
            sim.step()?;
            impulse += if step < 500 { 0.0 } else { sim.contact_force(1).z * sim.dt() };
        }
        let force = impulse / 0.5;
        assert!((force - 2.0 * 9.81).abs() < 0.02 * 2.0 * 9.81, "{}: {force} N", family.name());
        lines.push(format!("{} {force:.1} N", family.name()));
    }
    Ok(format!("{}; the weight is {:.1} N", lines.join(", "), 2.0 * 9.81))
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
