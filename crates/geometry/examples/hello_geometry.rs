//! A mesh, its topology and mass, the nearest point of a triangle.
//!
//! `cargo run -p impinge-geometry --example hello_geometry`

use impinge_geometry::{DVec3, Topology, TriMesh, closest_on_triangle, generators, mass_properties};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ring = generators::torus(1.0, 0.25, 96, 48)?;
    let topology = Topology::new(&ring);
    assert!(topology.is_closed() && topology.euler_characteristic() == 0);

    let m = mass_properties(&ring)?; // exact for the polyhedron, per unit density
    let smooth = 2.0 * std::f64::consts::PI.powi(2) * 1.0 * 0.25 * 0.25;
    assert!((m.volume / smooth - 1.0).abs() < 5e-3 && m.center.mag() < 1e-15);

    let c = closest_on_triangle(DVec3::new(0.2, 0.1, 3.0), [DVec3::zero(), DVec3::unit_x(), DVec3::unit_y()]);
    assert_eq!((c.distance_squared, c.point), (9.0, DVec3::new(0.2, 0.1, 0.0)));

    // Plain arrays are welcome; an open surface says why it has no volume.
    let sheet = TriMesh::from_arrays(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    assert!(mass_properties(&sheet).unwrap_err().to_string().contains("3 boundary edges"));
    println!("as expected");
    Ok(())
}
