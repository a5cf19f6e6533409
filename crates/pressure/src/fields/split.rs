//! Tets on which the field is constant, found and cut.
//!
//! A tet with all four corners on the surface has no gradient: it pushes nobody, and a body made of such tets alone is
//! empty to its neighbours. Cut at its middle into four, with the field's own value there, it pushes; its faces stay, so
//! the neighbours need not know.

use impinge_geometry::{DVec3, MeshError, TetMesh};

/// Cuts every tet whose four corners have the same value at its centroid; `value` gives the field there. Returns the
/// mesh, the values, and how many were cut.
///
/// # Errors
/// [`MeshError`] when the mesh would be too large to number.
pub fn split_flat_tets(
    mesh: &TetMesh,
    values: &[f64],
    mut value: impl FnMut(DVec3) -> f64,
) -> Result<(TetMesh, Vec<f64>, usize), MeshError> {
    let mut positions = mesh.positions().to_vec();
    let mut out = values.to_vec();
    let mut tets = Vec::with_capacity(mesh.tets().len());
    let mut cut = 0;
    for (i, &t) in mesh.tets().iter().enumerate() {
        let v = t.map(|c| values[c as usize]);
        if v.iter().any(|&x| x != v[0]) {
            tets.push(t);
            continue;
        }
        let middle = mesh.corners(i).iter().fold(DVec3::zero(), |s, &p| s + p) * 0.25;
        let m = positions.len() as u32;
        positions.push(middle);
        out.push(value(middle));
        cut += 1;
        tets.extend([
            [m, t[1], t[2], t[3]],
            [t[0], m, t[2], t[3]],
            [t[0], t[1], m, t[3]],
            [t[0], t[1], t[2], m],
        ]);
    }
    Ok((TetMesh::new(positions, tets)?, out, cut))
}
