//! A hanging cloth is cut in two while it moves: nothing of mass and momentum is lost, and the lower half falls.
//!
//! `cargo run -p impinge --example cut_a_cloth`

use impinge::prelude::*;
use impinge::world::{AttachTo, ClothSpec, Cut, Deformable, NodeState};

/// What is printed, checked on the way; the error is what the world refuses.
pub fn answer() -> Result<String, Box<dyn std::error::Error>> {
    let spec = ClothSpec {
        young: 1e5,
        poisson: 0.3,
        thickness: 1e-3,
        density: 500.0,
        bending: 0.1,
        rayleigh: [0.0, 1e-3],
    };
    let flat = generators::grid([0.4, 0.4], [8, 8])?;
    let hanging = flat.mapped(|p| DVec3::new(p.x, 0.0, p.y))?; // z up
    let cloth = Deformable::cloth("cloth", &hanging, &spec)?.pinned(AttachTo::World, |p| p.z > 0.199);
    let (dt, g, start) = (5e-3, 9.81, 0.1);
    let mut sim = Simulation::builder(dt)
        .gravity(DVec3::new(0.0, 0.0, -g))
        .scheme(Scheme::ImplicitEuler)
        .law(PairLaw::elastic(1.0))
        .body(BodyDesc::deformable("cloth", cloth, Pose::identity()))
        .cut(Cut {
            time: start,
            slot: 0,
            point: DVec3::new(0.0, 0.0, 0.01),
            normal: DVec3::unit_z(),
            within: None,
            snap: 0.1,
        })
        .build()?;
    let mean = |sim: &Simulation| sim.column::<NodeState>().x[..9].iter().map(|x| x.z / 9.0).sum::<f64>(); // of the hem
    while sim.time() < start - 0.5 * dt {
        sim.step()?;
    }
    let (nodes, before) = (sim.nodes_of(0).len(), mean(&sim));
    let time = 0.2;
    while sim.time() < start + time - 0.5 * dt {
        sim.step()?;
    }
    let (fallen, expected) = (before - mean(&sim), 0.5 * g * time * time);
    assert!(sim.edits().len() == 1 && sim.nodes_of(0).len() > nodes, "not cut");
    assert!((fallen - expected).abs() < 0.1 * expected, "{fallen} m, {expected} m expected");
    Ok(format!(
        "{nodes} nodes become {}; in {time} s the lower hem falls {fallen:.2} m, g t²/2 is {expected:.2} m",
        sim.nodes_of(0).len()
    ))
}

/// Prints it.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{}", answer()?);
    Ok(())
}
