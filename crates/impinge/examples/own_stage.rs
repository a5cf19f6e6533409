//! A stage of one's own in the pipeline: a narrow phase that finds nothing, and the box falls through the floor.
//!
//! `cargo run -p impinge --example own_stage`

use impinge::contact::{Contacts, PlaneContacts};
use impinge::prelude::*;
use impinge::world::hecs::{Query, QueryBorrow};

struct Blind;

impl Stage for Blind {
    type Io = (&'static mut Contacts, &'static mut PlaneContacts); // what it writes
    type Rows = ();
    fn name(&self) -> &'static str {
        "narrow: blind"
    }
    fn run(
        &mut self,
        (contacts, planes): <Self::Io as Query>::Item<'_>,
        _: &mut QueryBorrow<'_, Self::Rows>,
        _: &Step,
    ) -> Result<Outcome, StageError> {
        contacts.clear();
        planes.clear();
        Ok(Outcome::items(0))
    }
}

/// What is printed, checked on the way; the error is what the world refuses.
pub fn answer() -> Result<String, Box<dyn std::error::Error>> {
    let (dt, g) = (1e-3, 9.81);
    let mut sim = Simulation::builder(dt)
        .gravity(DVec3::new(0.0, 0.0, -g))
        .law(PairLaw::elastic(1e5))
        .body(BodyDesc::plane("floor", DVec3::unit_z(), 0.0))
        .body(BodyDesc::cuboid("box", [0.2, 0.2, 0.2], Mass::Total(1.0), at(0.1))?)
        .build()?;
    sim.pipeline.swap(Place::Narrow, Blind);
    for _ in 0..500 {
        sim.step()?;
    }
    // Of symplectic Euler.
    let (fallen, expected) = (0.1 - sim.position(1).z, 0.5 * g * sim.time() * (sim.time() + dt));
    assert!((fallen - expected).abs() < 1e-9 && sim.pipeline.dangling().is_empty(), "{fallen} {expected}");
    Ok(format!("{fallen:.3} m through the floor in {:.1} s, g t (t + Δt)/2 is {expected:.3} m", sim.time()))
}

/// Prints it.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{}", answer()?);
    Ok(())
}

fn at(z: f64) -> Pose {
    Pose::from_position(DVec3::new(0.0, 0.0, z))
}
