//! A box on a floor.
//!
//! `cargo run -p impinge-world --example hello_world`

use impinge_contact::PairLaw;
use impinge_geometry::{DVec3, Pose, generators};
use impinge_world::{BodyDesc, Mass, Simulation};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cube = generators::cuboid(DVec3::broadcast(0.1), [1, 1, 1]).unwrap();
    let mut sim = Simulation::builder(1e-3)
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .law(PairLaw::elastic(1e4))
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(
            BodyDesc::rigid("cube", &cube, Mass::Total(1.0), Pose::from_position(DVec3::unit_z() * 0.06))
                .unwrap(),
        )
        .build()
        .unwrap();
    for _ in 0..50 {
        sim.step().unwrap();
    }
    let total = sim.ledger().momentum.linear_residual.mag();
    assert!(total < 1e-15); // what came out is what went in, to rounding
    println!("as expected");
    Ok(())
}
