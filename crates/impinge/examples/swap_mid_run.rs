//! The response is exchanged while a box rests on the floor; the state goes on, and the weight stays.
//!
//! `cargo run -p impinge --example swap_mid_run`

use impinge::prelude::*;

/// What is printed, checked on the way.
///
/// # Errors
/// What the crate refuses.
pub fn answer() -> Result<String, Box<dyn std::error::Error>> {
    let mut sim = Simulation::builder(1e-3) // s
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .law(PairLaw { damping: Damping::KelvinVoigt(200.0), ..PairLaw::elastic(1e5) })
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(BodyDesc::cuboid("box", [0.2, 0.2, 0.2], Mass::Total(3.0), at(0.1))?)
        .build()?;
    let mut lines = Vec::new();
    for response in [Response::penalty(), Response::qp(), Response::volume()] {
        sim.swap_response(response.clone())?;
        for _ in 0..500 {
            sim.step()?;
        }
        let force = sim.contact_force(1).z;
        assert!((force - 3.0 * 9.81).abs() < 1e-2, "{force} N under {}", response.name());
        lines.push(format!("{:.2} N under `{}`", force, response.name()));
    }
    Ok(format!("{}; the weight is {:.2} N", lines.join(", "), 3.0 * 9.81))
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
