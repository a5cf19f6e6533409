//! A ring of tets is closed.

use impinge_geometry::{TetTopology, Topology, mass_properties, tet_torus};

#[test]
fn a_ring_of_tets_is_closed_and_has_its_volume() {
    let mesh = tet_torus(0.3, 0.1, 24, 8).unwrap();
    let surface = TetTopology::new(&mesh).surface(&mesh).unwrap().mesh;
    Topology::new(&surface).require_closed().unwrap();
    let volume: f64 = mesh.volumes().iter().sum();
    assert!((mass_properties(&surface).unwrap().volume - volume).abs() < 1e-12);
    let smooth = 2.0 * std::f64::consts::PI.powi(2) * 0.3 * 0.01;
    assert!(volume < smooth && volume > 0.85 * smooth);
}
