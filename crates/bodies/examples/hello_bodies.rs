//! A shape and where it stands.
//!
//! `cargo run -p impinge-bodies --example hello_bodies`

use impinge_bodies::{ContactLimits, Laws, MeshShape, PairRule, Shape, Shapes};
use impinge_contact::{PairLaw, Sides};
use impinge_geometry::{DVec3, generators::cuboid};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let block = MeshShape::new(cuboid(DVec3::one(), [1, 1, 1])?)?;
    let floor = Shape::Plane { normal: DVec3::unit_z(), offset: 0.0 };
    let shapes = Shapes(vec![floor, Shape::Mesh(Arc::new(block))]);
    assert!(shapes.0[1].is_solid() && shapes.0[0].triangles().is_none());

    let law = PairLaw::elastic(1e4);
    let mut laws = Laws {
        laws: vec![law],
        material: vec![0, 0],
        of_materials: vec![0],
        materials: 1,
        ..Laws::default()
    };
    assert_eq!(laws.of(0, 1), Some((0, Sides::Both)));
    laws.exceptions.push(((0, 1), PairRule::Ignore)); // these two do not touch
    assert_eq!(laws.of(0, 1), None);
    assert_eq!(laws.limits, ContactLimits::default());
    println!("as expected");
    Ok(())
}
