//! A spring too soft for its load is told from one that carries it.
//!
//! `cargo run -p impinge-watch --example hello_watch`

use impinge_contact::{Damping, PairLaw};
use impinge_geometry::DVec3;
use impinge_watch::{Kind, Watches};
use impinge_world::{BodyDesc, Mass, Simulation};

/// What is said of a crate of 80 kg on springs of this stiffness (N/m).
fn said(stiffness: f64) -> Result<Vec<impinge_watch::Warning>, Box<dyn std::error::Error>> {
    let mut sim = Simulation::builder(1e-3)
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .law(PairLaw { damping: Damping::KelvinVoigt(0.1 * stiffness), ..PairLaw::elastic(stiffness) })
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(BodyDesc::cuboid("crate", [0.2; 3], Mass::Total(80.0), [0.0, 0.0, 0.1])?)
        .build()?;
    let mut watches = Watches::new(&sim);
    for _ in 0..1000 {
        sim.step()?;
        watches.see(&sim);
    }
    Ok(watches.warnings(&sim))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    assert_eq!(said(1e5)?, []);
    let said = said(100.0)?;
    assert!(said.iter().any(|w| w.kind == Kind::Sunk && w.lost));
    said.iter().for_each(|w| println!("{w}"));
    Ok(())
}
