//! Two boxes on top of each other, each pair of bodies under a response of its own; the floor carries both.
//!
//! `cargo run -p impinge --example mixed_pairs`

use impinge::prelude::*;

/// What is printed, checked on the way.
///
/// # Errors
/// What the crate refuses.
pub fn answer() -> Result<String, Box<dyn std::error::Error>> {
    let mut sim = Simulation::builder(1e-3) // s
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .law(PairLaw { damping: Damping::KelvinVoigt(50.0), ..PairLaw::elastic(2e4) })
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(BodyDesc::cuboid("lower", [0.3, 0.3, 0.2], Mass::Total(2.0), at(0.1))?)
        .body(BodyDesc::cuboid("upper", [0.2, 0.2, 0.2], Mass::Total(1.0), at(0.3))?)
        .response(Response::penalty())
        .pair_response(0, 1, Response::qp())
        .build()?;
    let of = |sim: &Simulation, name: &str| -> f64 {
        sim.contacts()
            .filter(|c| c.response == name)
            .map(|c| if c.on == c.b { c.force.z } else { -c.force.z })
            .sum()
    };
    let (mut floor, mut between, steps) = (0.0, 0.0, 1000.0);
    for step in 0..2000 {
        sim.step()?;
        if step >= 1000 {
            floor += of(&sim, "qp") / steps; // mean of the second half
            between += of(&sim, "penalty") / steps;
        }
    }
    assert!((floor - 3.0 * 9.81).abs() < 1e-2 && (between - 9.81).abs() < 1e-2, "{floor} N, {between} N");
    Ok(format!("the floor carries {floor:.2} N by `qp`, the lower box {between:.2} N by `penalty`"))
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
