//! Points against a mesh: who is pushed, and how.
//!
//! `cargo run -p impinge-penalty --example hello_penalty`

use impinge_geometry::{DVec3, Pose, TriMesh};
use impinge_penalty::point_mesh_impulses;
use impinge_query::MeshIndex;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let tetrahedron = TriMesh::from_arrays(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap();
    let index = MeshIndex::new(&tetrahedron);
    let mut impulses = Vec::new();
    let points = [DVec3::new(0.3, 0.3, 0.01), DVec3::new(2.0, 0.0, 0.0)]; // 1 cm inside, and free
    point_mesh_impulses(&points, &index, &Pose::identity(), 1e4, 1e-3, &mut impulses); // k = 10 kN/m, 1 ms
    assert!((impulses[0].unwrap().impulse.z + 1e4 * 1e-3 * 0.01).abs() < 1e-12); // out through the bottom
    assert!(impulses[1].is_none());
    println!("as expected");
    Ok(())
}
