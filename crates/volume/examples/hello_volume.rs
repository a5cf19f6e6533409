//! The volume in which two cubes overlap.
//!
//! `cargo run -p impinge-volume --example hello_volume`

use impinge_geometry::{DVec3, cuboid};
use impinge_volume::{Body, ClosedSurface, ContactFrame, Evaluate, Exact, LayeredDepth, Overlap};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A cube of ½ m sunk 5 cm into a larger one: V = 0.0125 m³, and the area of the contact is ¼ m².
    let small = cuboid(DVec3::new(0.5, 0.5, 0.5), [2; 3])?.mapped(|p| p + DVec3::new(0.1, 0.0, 0.7))?;
    let large = cuboid(DVec3::new(1.0, 1.0, 1.0), [1; 3])?;
    let (sa, sb) = (ClosedSurface::new(&small)?, ClosedSurface::new(&large)?); // refuse open and inside-out meshes
    let (a, b) = (Body::new(&sa, small.positions())?, Body::new(&sb, large.positions())?);
    let (mut exact, mut image) = (Overlap::new(), Overlap::new());
    Exact::new().evaluate(a, b, None, &mut exact)?;
    LayeredDepth::new(0.01)?.evaluate(a, b, None, &mut image)?; // rays 1 cm apart
    assert!((exact.volume() - 0.0125).abs() < 1e-15 && (image.volume() - 0.0125).abs() < 1e-3);
    let frame = ContactFrame::new(&exact, 0, [a.x, b.x]).ok_or("contained")?;
    assert!((frame.normal.z - 1.0).abs() < 1e-12 && (frame.area - 0.25).abs() < 1e-12);
    println!("as expected");
    Ok(())
}
