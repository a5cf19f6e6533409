//! The volume in which two closed meshes overlap, and how it changes with every vertex.
//!
//! `cargo run -p impinge --example overlap_and_gradient`

use impinge::geometry::{DVec3, cuboid};
use impinge::volume::{Body, ClosedSurface, Evaluate, Exact, Overlap};

/// What is printed, checked on the way.
///
/// # Errors
/// What the crate refuses.
pub fn answer() -> Result<String, Box<dyn std::error::Error>> {
    let small = cuboid(DVec3::broadcast(0.5), [2; 3])?.mapped(|p| p + DVec3::new(0.1, 0.0, 0.7))?;
    let large = cuboid(DVec3::broadcast(1.0), [1; 3])?;
    let (sa, sb) = (ClosedSurface::new(&small)?, ClosedSurface::new(&large)?);
    let mut overlap = Overlap::new();
    let (a, b) = (Body::new(&sa, small.positions())?, Body::new(&sb, large.positions())?);
    Exact::new().evaluate(a, b, None, &mut overlap)?;
    // Sunk 5 cm with a face of a quarter of a square metre: V = A d, and moving the small cube down makes it grow by A.
    let (_, gradient) = overlap.gradient(0, 0);
    let along: f64 = gradient.iter().map(|g| g.z).sum();
    assert!((overlap.volume() - 0.0125).abs() < 1e-15 && (along + 0.25).abs() < 1e-12, "{along}");
    Ok(format!("V = {:.4} m³, dV/dz of the upper cube {along:.2} m²", overlap.volume()))
}

/// Prints it.
///
/// # Errors
/// As [`answer`].
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{}", answer()?);
    Ok(())
}
