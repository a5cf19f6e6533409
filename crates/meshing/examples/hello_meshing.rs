//! A box without its last triangle is found open, mended, and filled with tets.
//!
//! `cargo run -p impinge-meshing --example hello_meshing`

use impinge_geometry::{DVec3, TriMesh, cuboid};
use impinge_meshing::{FillOptions, Repair, fill, health, suggest};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (positions, mut triangles) = cuboid(DVec3::new(2.0, 3.0, 4.0), [1; 3])?.into_parts();
    triangles.pop();
    let open = TriMesh::new(positions, triangles)?;
    let report = health(&open);
    assert_eq!((report.closed(), report.holes), (false, 1));
    assert_eq!(suggest(&report), [Repair::FillHoles]);

    let closed = Repair::FillHoles.apply(&open)?.mesh;
    let volume = health(&closed).volume()?;
    assert!((volume - 24.0).abs() < 1e-12);

    let tets = fill(&closed, FillOptions::cell(0.5))?.quality;
    assert!(tets.volume_error.abs() < 0.1 && tets.min_dihedral > 0.0);
    println!("{volume:.1} m³ after {}, {} tets in it", Repair::FillHoles.name(), tets.tets);
    Ok(())
}
