//! Two shapes at two poses to force and moment, without a simulation: a soft block under a rigid lid.
//!
//! `cargo run -p impinge --example hydroelastic_wrench`

use impinge::geometry::{DVec3, Pose, generators};
use impinge::pressure::{ContactSurface, RigidSurface, Rule, Shape, Workspace, contact, fields};

/// What is printed, checked on the way.
///
/// # Errors
/// What the crate refuses.
pub fn answer() -> Result<String, Box<dyn std::error::Error>> {
    let (side, height, modulus, depth) = (0.2, 0.1, 1e7, 1e-3); // m, m, Pa, m
    let block: Shape = fields::cuboid(DVec3::new(side, side, height), modulus)?.into();
    let lid: Shape = RigidSurface::new(generators::cuboid(DVec3::broadcast(0.5), [1; 3])?)?.into();
    let here = Pose::identity();
    let above = Pose::from_position(DVec3::new(0.0, 0.0, 0.5 * height - depth + 0.25));
    let (mut workspace, mut surface) = (Workspace::new(), ContactSurface::new());
    contact(&lid, &above, &block, &here, Rule::Paper, &mut workspace, &mut surface)?;
    // The field is E over half the height times the distance to the nearest side: full depth but for a frame as wide as it is deep.
    let inner = side - 2.0 * depth;
    let frame = 4.0 * (0.5 * side * depth * depth - 2.0 / 3.0 * depth.powi(3));
    let expected = modulus / (0.5 * height) * (depth * inner * inner + frame);
    let (force, moment) = (surface.wrench.force, surface.wrench.torque);
    assert!(
        (force.z - expected).abs() < 1e-9 * expected && moment.mag() < 1e-9 * expected,
        "{force:?} {moment:?}"
    );
    Ok(format!(
        "{:.2} N on the lid, {expected:.2} N by hand; moment {:.0e} N·m or less",
        force.z,
        1e-9 * expected
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
