//! Forces and stiffness of a block turned inside out.
//!
//! `cargo run -p impinge-elasticity --example hello_elasticity`

use impinge_elasticity::{Material, tet::*};
use impinge_geometry::{DVec3, tet_box};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mesh = tet_box(DVec3::new(1.0, 1.0, 1.0), [4, 4, 4])?;
    let jelly = Material::new(2e4, 0.45, 1000.0).with_rayleigh(0.0, 1e-3); // Pa, –, kg/m³; 1/s, s
    let body = TetElements::new(&mesh, Model::Corotational, &jelly)?;

    // Inside out: every tet has a negative volume.
    let x: Vec<DVec3> = mesh.positions().iter().map(|p| DVec3::new(p.x, p.y, -p.z)).collect();
    let mut ws = Workspace::default();
    assert!(energy(&body, &x, &mut ws) > 0.0);

    // Forces and stiffness of an implicit Euler step of 10 ms, into a block-sparse matrix that keeps its lower triangle.
    let pattern = TetPattern::new(body.nodes(), body.tets(), Triangle::Lower);
    let mut blocks = vec![[0.0; 9]; pattern.column.len()];
    let mut force = vec![DVec3::zero(); body.nodes()];
    let step = Weights { stiffness: 1e-4, damping: 1e-2 };
    add_forces_and_hessian(&body, &x, Tangent::Spd, step, &pattern.slots, &mut force, &mut blocks, &mut ws);
    let sum = force.iter().fold(DVec3::zero(), |s, f| s + *f);
    assert!(sum.mag() < 1e-9); // N
    println!("as expected");
    Ok(())
}
