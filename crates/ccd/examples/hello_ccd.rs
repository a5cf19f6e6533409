//! A point falls through a triangle: when.
//!
//! `cargo run -p impinge-ccd --example hello_ccd`

use impinge_ccd::{Candidates, ContactWorkspace, FirstContacts, first_contacts, vertex_face};
use impinge_geometry::DVec3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A point falls through the triangle at half the step: [p, a, b, c] at the start and at the end.
    let [a, b, c] = [DVec3::zero(), DVec3::unit_x(), DVec3::unit_y()];
    let hit = vertex_face(&[DVec3::new(0.25, 0.25, 0.5), a, b, c], &[DVec3::new(0.25, 0.25, -0.5), a, b, c])?;
    let hit = hit.expect("it goes through");
    assert!(hit.t <= 0.5 && hit.t_hi >= 0.5 && hit.t_hi - hit.t < 1e-12); // certified, never late
    assert_eq!(hit.normal, DVec3::unit_z());
    assert_eq!(hit.weight, [1.0, -0.5, -0.25, -0.25]); // p − q = Σ wᵢ xᵢ

    // A list of candidates over the vertices of a mesh, in parallel, without allocation once the tables have grown.
    let (x0, mut x1) = (vec![DVec3::new(0.25, 0.25, 0.5), a, b, c], vec![DVec3::new(2.0, 2.0, 0.5), a, b, c]);
    let (mut workspace, mut contacts) = (ContactWorkspace::new(), FirstContacts::default());
    first_contacts(&x0, &x1, Candidates::VertexFace(&[[0, 1, 2, 3]]), &mut workspace, &mut contacts)?;
    assert!(contacts.is_empty()); // it flies past
    x1[0] = DVec3::new(0.25, 0.25, 0.5 - 1.0);
    let tiers =
        first_contacts(&x0, &x1, Candidates::VertexFace(&[[0, 1, 2, 3]]), &mut workspace, &mut contacts)?;
    assert_eq!((contacts.len(), tiers.certified), (1, 1));
    println!("as expected");
    Ok(())
}
