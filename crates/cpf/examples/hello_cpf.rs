//! A penalty force integrated over the time of penetration.
//!
//! `cargo run -p impinge-cpf --example hello_cpf`

use impinge_ccd::{Kind, Opens};
use impinge_cpf::{Normalisation, Params, pair_impulses};
use impinge_geometry::DVec3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A vertex falls through a triangle at half the step: [p, a, b, c] at the start and at the end.
    let [a, b, c] = [DVec3::zero(), DVec3::unit_x(), DVec3::unit_y()];
    let (x0, x1) = ([DVec3::new(0.25, 0.25, 0.5), a, b, c], [DVec3::new(0.25, 0.25, -0.5), a, b, c]);
    let params = Params::new(0.01, Normalisation::default())?; // 10 ms
    let hits = pair_impulses(Kind::VertexFace, &x0, &x1, None, Opens::FromBothSides, 800.0, &params)?; // 800 N/m
    assert!((hits[0].impulse - DVec3::new(0.0, 0.0, 1.0)).mag() < 1e-12); // k Δt ∫ depth dt = 800 · 0.01 · 1/8 N·s, up
    assert_eq!(hits[0].on_points()[1], hits[0].impulse * -0.5); // shared by the weights of the contact
    println!("as expected");
    Ok(())
}
