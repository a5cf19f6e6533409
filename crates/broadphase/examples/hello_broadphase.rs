//! Which bodies may touch, and which vertices.
//!
//! `cargo run -p impinge-broadphase --example hello_broadphase`

use impinge_broadphase::{Aabb, BodyPairs, VertexTree};
use impinge_geometry::{DVec3, Pose};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let corners = [DVec3::zero(), DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z()];
    let (a, b) = (Pose::identity(), Pose::from_position(DVec3::new(0.9, 0.0, 0.0)));
    let rest = Aabb::from_points(&corners);

    let mut pairs = Vec::new();
    BodyPairs::new().find(&[rest.transformed(&a), rest.transformed(&b)], |_, _| true, &mut pairs)?;
    assert_eq!(pairs, [(0, 1)]);

    // Vertices of body a inside the box of body b, asked in b's frame.
    let a_to_b = Pose::from_position(a.position - b.position);
    let mut vertices = Vec::new();
    VertexTree::new(&corners).candidates(&a_to_b, &rest, &mut vertices);
    assert_eq!(vertices, [1]);
    println!("as expected");
    Ok(())
}
