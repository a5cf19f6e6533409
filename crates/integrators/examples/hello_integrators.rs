//! A body turns freely and keeps its energy.
//!
//! `cargo run -p impinge-integrators --example hello_integrators`

use impinge_geometry::{DMat3, DRotor3, DVec3};
use impinge_integrators::free_rotation;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A body with moments 1, 2, 3 kg m² spinning near its unstable middle axis.
    let inverse = DMat3::new(DVec3::unit_x(), DVec3::unit_y() / 2.0, DVec3::unit_z() / 3.0);
    let momentum = DVec3::new(0.02, 6.0, 0.0);
    let energy = |r: DRotor3| {
        let p = r.reversed() * momentum;
        0.5 * p.dot(inverse * p)
    };
    let mut r = DRotor3::identity();
    let before = energy(r);
    for _ in 0..10_000 {
        r = free_rotation(r, momentum, &inverse, 1e-3);
    }
    assert!((energy(r) / before - 1.0).abs() < 1e-10);
    println!("as expected");
    Ok(())
}
