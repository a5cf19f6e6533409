//! Laplace's equation for the extent (paper §VI-A.2): 0 on the boundary, 1 on a core, ∇²ε = 0 between; linear elements.
//!
//! The matrix ∑ V ∇λᵢ·∇λⱼ is symmetric and positive definite on the free vertices. With the feature `factor` a sparse factorisation
//! solves it (of the faer crate, a heavy dependency, whose bits depend on the processor); without, and where that breaks down, conjugate gradients with its diagonal do, to
//! rounding.

use super::split::split_flat_tets;
use crate::blocks::TetPlanes;
use crate::body::CompliantBody;
use crate::error::BodyError;
use impinge_geometry::{DVec3, TetMesh, TetTopology};
use impinge_query::MeshIndex;
use std::collections::BTreeMap;

/// How the solve went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaplaceReport {
    /// Iterations of conjugate gradients, or solves with the factor.
    pub iterations: usize,
    /// A sparse factorisation solved it.
    pub factored: bool,
    /// |b − A x|/|b| at the end.
    pub residual: f64,
    /// Vertices on the core.
    pub core: usize,
}

/// The field with ε = 1 at the vertices of `core` (a rigid core, or vertices of the medial axis), 0 on the boundary and
/// harmonic between. Without a core, the vertices deeper than `0.999` of the deepest are one. Tets without a gradient are
/// cut first.
///
/// # Errors
/// [`BodyError`] for a core that names boundary vertices or none, and as [`CompliantBody::new`].
pub fn laplace(
    mesh: TetMesh,
    core: Option<&[u32]>,
    modulus: f64,
) -> Result<(CompliantBody, LaplaceReport), BodyError> {
    mesh.require_positive()?;
    let surface = TetTopology::new(&mesh).surface(&mesh)?;
    let mut boundary = vec![false; mesh.positions().len()];
    surface.vertices.iter().for_each(|&v| boundary[v as usize] = true);
    let index = MeshIndex::new(&surface.mesh);
    let depth = |p: DVec3| index.nearest(p).distance;
    let depths: Vec<f64> =
        mesh.positions().iter().zip(&boundary).map(|(&p, &b)| if b { 0.0 } else { depth(p) }).collect();
    let (mesh, depths, cut) = split_flat_tets(&mesh, &depths, depth)?;
    boundary.resize(depths.len(), false);
    let n = depths.len();
    let mut fixed: Vec<Option<f64>> = boundary.iter().map(|&b| b.then_some(0.0)).collect();
    let bad = |reason: String| BodyError::Parameter { reason };
    match core {
        Some(core) => {
            for &v in core {
                if v as usize >= n || boundary[v as usize] {
                    let what = if v as usize >= n { "does not exist" } else { "lies on the boundary" };
                    return Err(bad(format!("Laplace: core vertex {v} {what}; name inner vertices")));
                }
                fixed[v as usize] = Some(1.0);
            }
        }
        None => {
            let mut used = vec![false; n];
            mesh.tets().iter().flatten().for_each(|&v| used[v as usize] = true);
            let deepest = (0..n).filter(|&v| used[v]).fold(0.0f64, |m, v| m.max(depths[v]));
            (0..n)
                .filter(|&v| used[v])
                .filter(|&v| !boundary[v] && depths[v] >= 0.999 * deepest)
                .for_each(|v| fixed[v] = Some(1.0));
        }
    }
    let count = fixed.iter().filter(|f| **f == Some(1.0)).count();
    if count == 0 {
        return Err(bad("Laplace: no vertex is on the core; the field would be zero everywhere".into()));
    }
    let (extent, report) = solve(&mesh, &fixed);
    let body = CompliantBody::new(mesh, extent, modulus)?.with_split(cut);
    Ok((body, LaplaceReport { core: count, ..report }))
}

/// Rows of the matrix, lower and upper, sorted by column: sums in a fixed order.
type Rows = Vec<BTreeMap<u32, f64>>;

fn assemble(mesh: &TetMesh, n: usize) -> Rows {
    let mut rows: Rows = vec![BTreeMap::new(); n];
    for (i, t) in mesh.tets().iter().enumerate() {
        let planes = TetPlanes::new(mesh.corners(i), [0.0; 4]);
        let v = mesh.volume(i);
        for a in 0..4 {
            for b in 0..4 {
                *rows[t[a] as usize].entry(t[b]).or_insert(0.0) += v * planes.n[a].dot(planes.n[b]);
            }
        }
    }
    rows
}

fn solve(mesh: &TetMesh, fixed: &[Option<f64>]) -> (Vec<f64>, LaplaceReport) {
    let rows = assemble(mesh, fixed.len());
    #[cfg(feature = "factor")]
    if let Some(solved) = super::laplace_factor::solve(&rows, fixed) {
        return solved;
    }
    by_conjugate_gradients(&rows, fixed)
}

/// −A x on the free vertices: the residual.
pub(super) fn residual(rows: &[BTreeMap<u32, f64>], fixed: &[Option<f64>], x: &[f64], r: &mut [f64]) {
    for (i, r) in r.iter_mut().enumerate() {
        let sum = || rows[i].iter().map(|(&j, k)| k * x[j as usize]).sum::<f64>();
        *r = if fixed[i].is_some() { 0.0 } else { -sum() };
    }
}

pub(super) fn norm(r: &[f64]) -> f64 {
    r.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn by_conjugate_gradients(rows: &Rows, fixed: &[Option<f64>]) -> (Vec<f64>, LaplaceReport) {
    let n = fixed.len();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let mut x: Vec<f64> = fixed.iter().map(|f| f.unwrap_or(0.0)).collect();
    let mut r = vec![0.0; n];
    residual(rows, fixed, &x, &mut r);
    let diagonal: Vec<f64> = (0..n).map(|i| rows[i].get(&(i as u32)).copied().unwrap_or(1.0)).collect();
    let start = norm(&r);
    let precondition = |r: &[f64]| -> Vec<f64> { r.iter().zip(&diagonal).map(|(a, d)| a / d).collect() };
    let mut z = precondition(&r);
    let mut p = z.clone();
    let (mut q, mut rz) = (vec![0.0; n], dot(&r, &z));
    let mut iterations = 0;
    while iterations < 10 * n + 100 && rz > 0.0 && norm(&r) > 1e-14 * start {
        residual(rows, fixed, &p, &mut q);
        let a = -rz / dot(&p, &q);
        for i in 0..n {
            x[i] += a * p[i];
            r[i] += a * q[i];
        }
        z = precondition(&r);
        let next = dot(&r, &z);
        let b = next / rz;
        rz = next;
        for i in 0..n {
            p[i] = z[i] + b * p[i];
        }
        iterations += 1;
    }
    let residual = if start > 0.0 { norm(&r) / start } else { 0.0 };
    (x, LaplaceReport { iterations, factored: false, residual, core: 0 })
}

#[cfg(all(test, feature = "factor"))]
mod tests {
    use super::*;

    #[test]
    fn the_factor_and_conjugate_gradients_agree() {
        for rings in [2, 5, 9] {
            let mesh = impinge_geometry::tet_sphere(0.1, rings).unwrap();
            // Held at 1 near the middle and at 0 on the outermost ring; every seventh vertex is held too.
            let held = |(i, p): (usize, &DVec3)| match p.mag() {
                m if m > 0.0999 => Some(0.0),
                m if m < 0.01 => Some(1.0),
                _ => (i % 7 == 3).then_some(0.5),
            };
            let fixed: Vec<Option<f64>> = mesh.positions().iter().enumerate().map(held).collect();
            let rows = assemble(&mesh, fixed.len());
            let (x, by_cg) = by_conjugate_gradients(&rows, &fixed);
            let (y, by_factor) = solve(&mesh, &fixed);
            assert!(by_factor.factored && !by_cg.factored && by_factor.residual < 1e-13, "{by_factor:?}");
            let worst = x.iter().zip(&y).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(worst < 1e-12, "{rings} rings: {worst}");
        }
    }
}
