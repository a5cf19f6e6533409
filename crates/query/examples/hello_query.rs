//! Distance, depth and a ray: questions about one mesh.
//!
//! `cargo run -p impinge-query --example hello_query`

use impinge_geometry::{DVec3, cuboid};
use impinge_query::MeshIndex;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mesh = cuboid(DVec3::new(2.0, 2.0, 2.0), [1; 3])?;
    let index = MeshIndex::new(&mesh);
    let p = [0.75, 0.25, 0.0]; // an array or a vector
    assert_eq!(index.nearest(p).distance, 0.25);
    assert_eq!(index.winding(p), 1);
    let out = index.penetration(p).expect("p is inside");
    assert_eq!((out.depth, out.normal, out.unique), (0.25, DVec3::unit_x(), true));
    assert_eq!(index.ray(p, [1.0, 0.0, 0.0], 9.0).expect("the box is closed").t, 0.25);
    println!("as expected");
    Ok(())
}
