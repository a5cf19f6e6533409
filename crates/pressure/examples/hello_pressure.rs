//! Two bodies with pressure fields: the wrench.
//!
//! `cargo run -p impinge-pressure --example hello_pressure`

use impinge_geometry::{DVec3, Pose};
use impinge_pressure::{ContactSurface, Rule, Shape, Workspace, contact, energy, fields, stiffness};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ball: Shape = fields::sphere(0.05, 0.0125, 1e6)?.into(); // m, m, Pa
    let block: Shape = fields::cuboid(DVec3::new(0.2, 0.2, 0.1), 1e7)?.into();
    let (above, here) = (Pose::from_position(DVec3::new(0.0, 0.0, 0.096)), Pose::identity());
    let (mut workspace, mut surface) = (Workspace::new(), ContactSurface::new());
    contact(&ball, &above, &block, &here, Rule::Paper, &mut workspace, &mut surface)?;
    let k = stiffness(&surface, above.position, here.position); // ∂(wrench on the ball)/∂(pose of the block)
    assert!(surface.wrench.force.z > 0.0 && k[2][2] > 0.0 && energy(&ball, &above, &block, &here)? > 0.0);
    println!("as expected");
    Ok(())
}
