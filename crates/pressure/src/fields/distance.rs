//! The distance to the surface, over the largest one: Drake's field for any tet mesh.

use super::split::split_flat_tets;
use crate::body::CompliantBody;
use crate::error::BodyError;
use impinge_geometry::{DVec3, TetMesh, TetTopology};
use impinge_query::MeshIndex;

/// A field for any tets: ε = distance to the boundary over the largest distance of a vertex, exactly 0 on the boundary.
///
/// With `split`, tets that have all corners on the boundary are cut first (their middles count for the largest distance);
/// without, the mesh stays as given, which is what Drake does.
///
/// # Errors
/// [`BodyError`] for flat or inverted tets, a modulus that is not positive, and without `split` for a mesh without inner
/// vertices.
pub fn distance(mesh: TetMesh, modulus: f64, split: bool) -> Result<CompliantBody, BodyError> {
    mesh.require_positive()?;
    let surface = TetTopology::new(&mesh).surface(&mesh)?;
    let index = MeshIndex::new(&surface.mesh);
    let mut boundary = vec![false; mesh.positions().len()];
    surface.vertices.iter().for_each(|&v| boundary[v as usize] = true);
    let depth = |p: DVec3| index.nearest(p).distance;
    let mut extent: Vec<f64> =
        mesh.positions().iter().zip(&boundary).map(|(&p, &b)| if b { 0.0 } else { depth(p) }).collect();
    let (mut mesh, mut cut) = (mesh, 0);
    if split {
        (mesh, extent, cut) = split_flat_tets(&mesh, &extent, depth)?;
    }
    // A vertex of no tet says nothing.
    let deepest = mesh.tets().iter().flatten().fold(0.0f64, |m, &v| m.max(extent[v as usize]));
    if deepest > 0.0 {
        extent.iter_mut().for_each(|e| *e /= deepest);
    }
    Ok(CompliantBody::new(mesh, extent, modulus)?.with_split(cut))
}
