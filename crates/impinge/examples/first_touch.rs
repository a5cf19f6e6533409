//! When two moving meshes first touch, where, and with which features.
//!
//! `cargo run -p impinge --example first_touch`

use impinge::ccd::touch::first_touch;
use impinge::geometry::{DVec3, Pose, cuboid};
use impinge::query::MeshIndex;

/// What is printed, checked on the way.
///
/// # Errors
/// What the crate refuses.
pub fn answer() -> Result<String, Box<dyn std::error::Error>> {
    let cube = MeshIndex::new(&cuboid(DVec3::broadcast(1.0), [1; 3])?);
    let (from, to) =
        (Pose::from_position(DVec3::new(3.0, 0.2, 0.1)), Pose::from_position(DVec3::new(0.0, 0.2, 0.1)));
    let hit = first_touch(&cube, (&from, &to), &cube, &Pose::identity())?.ok_or("they miss")?;
    // A gap of 2 m, closed at 3 m a step.
    assert!(hit.t <= 2.0 / 3.0 && 2.0 / 3.0 <= hit.t_hi && hit.t_hi - hit.t < 1e-12);
    assert!((hit.normal.x.abs() - 1.0).abs() < 1e-12);
    Ok(format!("at {:.6} of the way, at x = {:.2} m; by hand 2/3", hit.t, hit.points[0].x))
}

/// Prints it.
///
/// # Errors
/// As [`answer`].
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{}", answer()?);
    Ok(())
}
