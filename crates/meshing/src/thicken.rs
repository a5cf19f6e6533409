//! An open surface made solid: ground with a bottom and walls.

use impinge_geometry::{DVec3, MeshError, Topology, TriMesh, triangle_area_vector};

/// The closed surface between an open one and its copy moved by `by` (m): the surface as it is, the copy as the bottom, and a wall of two
/// triangles under each border edge. Vertices keep their numbers; vertex `v` of the bottom is `v` plus the number of vertices.
///
/// Along one direction nothing crosses that does not cross seen along it: no height field does.
///
/// # Errors
/// [`MeshError::BadParameter`] for a mesh without a border, and for a triangle that does not face against `by`, by its number: the walls
/// would pass through the surface. [`MeshError::NotClosed`] for a mesh with edges of more than two triangles, or two that do not face one way,
/// and for one that meets itself in a vertex of its border.
pub fn thicken(mesh: &TriMesh, by: DVec3) -> Result<TriMesh, MeshError> {
    let refused = |reason: String| Err(MeshError::BadParameter { reason });
    let topology = Topology::new(mesh);
    topology.require_front()?;
    if topology.boundary_edges() == 0 {
        return refused(
            "thicken: the mesh has no border, so it has an inside already; take `thicken` out".into(),
        );
    }
    for t in 0..mesh.triangles().len() {
        if triangle_area_vector(mesh.corners(t)).dot(by) >= 0.0 {
            return refused(format!(
                "thicken: triangle {t} does not face against the way the bottom lies, so walls would pass through the surface; turn the \
                 mesh so that every triangle is seen from in front"
            ));
        }
    }
    let count = mesh.positions().len() as u32;
    let mut positions = mesh.positions().to_vec();
    positions.extend(mesh.positions().iter().map(|p| *p + by));
    let mut triangles = mesh.triangles().to_vec();
    triangles.extend(mesh.triangles().iter().map(|t| [t[0] + count, t[2] + count, t[1] + count]));
    for (corners, edges) in mesh.triangles().iter().zip(topology.face_edges()) {
        for side in 0..3 {
            let e = edges[side];
            if e != Topology::NONE && topology.edge_faces()[e as usize][1] == Topology::NONE {
                let (a, b) = (corners[side], corners[(side + 1) % 3]);
                triangles.extend([[b, a, a + count], [b, a + count, b + count]]);
            }
        }
    }
    let solid = TriMesh::new(positions, triangles)?;
    Topology::new(&solid).require_closed()?;
    Ok(solid)
}
