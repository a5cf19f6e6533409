//! Rays and closest points in a world: a box under a plank, seen from the side and from above.
//!
//! `cargo run -p impinge --example raycast`

use impinge::prelude::*;

/// What is printed, checked on the way.
///
/// # Errors
/// What the crate refuses.
pub fn answer() -> Result<String, Box<dyn std::error::Error>> {
    let sim = Simulation::builder(1e-3)
        .law(PairLaw::elastic(1e5))
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(BodyDesc::cuboid("box", [0.4, 0.4, 0.4], Mass::Total(1.0), at(0.2))?)
        .body(BodyDesc::cuboid("plank", [2.0, 0.4, 0.1], Mass::Total(1.0), at(0.6))?)
        .build()?;
    let name = |id: BodyId| sim.names()[id.slot() as usize].clone();
    let (met, hit) = sim.cast_ray([3.0, 0.0, 0.2], [-1.0, 0.0, 0.0], 10.0).ok_or("nothing there")?;
    let (above, down) = sim.cast_ray([0.9, 0.0, 3.0], [0.0, 0.0, -1.0], 10.0).ok_or("nothing there")?;
    let (near, closest) = sim.closest_point([0.5, 0.0, 0.35]).ok_or("nothing there")?;
    assert!((hit.distance - 2.8).abs() < 1e-12 && (down.distance - 2.35).abs() < 1e-12);
    assert!((closest.distance - 0.2).abs() < 1e-12);
    Ok(format!(
        "from the side `{}` at {:.2} m, from above `{}` at {:.2} m; `{}` is nearest, {:.2} m away",
        name(met),
        hit.distance,
        name(above),
        down.distance,
        name(near),
        closest.distance
    ))
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
