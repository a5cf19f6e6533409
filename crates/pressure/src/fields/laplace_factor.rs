//! Laplace's matrix by the sparse Cholesky of `impinge-solvers`, which works on 3×3 blocks: free vertices go into them by three.

use super::laplace::{LaplaceReport, norm, residual};
use impinge_geometry::DVec3;
use impinge_solvers::{Block, BlockMatrix, BlockPattern, Factor, FactorKind, Filter};
use std::collections::BTreeMap;

/// Solves with the factor until the residual stops falling.
const SOLVES: usize = 5;

/// The extents and how it went; `None` where the matrix has no factor.
pub(super) fn solve(rows: &[BTreeMap<u32, f64>], fixed: &[Option<f64>]) -> Option<(Vec<f64>, LaplaceReport)> {
    let free: Vec<u32> = (0..fixed.len() as u32).filter(|&v| fixed[v as usize].is_none()).collect();
    // Vertices that no tet names have no row; a factor needs none.
    let free: Vec<u32> = free.into_iter().filter(|&v| !rows[v as usize].is_empty()).collect();
    let mut place = vec![u32::MAX; fixed.len()];
    free.iter().enumerate().for_each(|(k, &v)| place[v as usize] = k as u32);
    let nodes = free.len().div_ceil(3);
    let joined = |&v: &u32| {
        let k = place[v as usize];
        let lower = rows[v as usize].iter().map(|(&u, &a)| (place[u as usize], a));
        lower.filter(move |&(l, _)| l <= k).map(move |(l, a)| (k, l, a))
    };
    let stencils: Vec<[u32; 2]> = free.iter().flat_map(joined).map(|(k, l, _)| [k / 3, l / 3]).collect();
    let pattern = BlockPattern::new(nodes, stencils.iter().map(|s| &s[..])).ok()?;
    let mut values: Vec<Block> = vec![[0.0; 9]; pattern.blocks()];
    for (k, l, a) in free.iter().flat_map(joined) {
        let block = &mut values[pattern.slot(k / 3, l / 3) as usize];
        block[(3 * (k % 3) + l % 3) as usize] = a;
        if k / 3 == l / 3 {
            block[(3 * (l % 3) + k % 3) as usize] = a;
        }
    }
    // The last block may have room left.
    for k in free.len()..3 * nodes {
        values[k / 3][4 * (k % 3)] = 1.0;
    }
    let mut factor = Factor::new(&pattern, FactorKind::Llt).ok()?;
    factor.refactor(&BlockMatrix::new(&pattern, &values).ok()?, &Filter::none()).ok()?;

    let mut x: Vec<f64> = fixed.iter().map(|f| f.unwrap_or(0.0)).collect();
    let mut r = vec![0.0; x.len()];
    residual(rows, fixed, &x, &mut r);
    let start = norm(&r);
    let (mut b, mut step) = (vec![DVec3::zero(); nodes], vec![DVec3::zero(); nodes]);
    let (mut left, mut iterations) = (start, 0);
    while iterations < SOLVES && left > 1e-15 * start {
        free.iter().enumerate().for_each(|(k, &v)| b[k / 3][k % 3] = r[v as usize]);
        factor.solve_once(&b, &mut step);
        let mut better = x.clone();
        free.iter().enumerate().for_each(|(k, &v)| better[v as usize] += step[k / 3][k % 3]);
        residual(rows, fixed, &better, &mut r);
        let now = norm(&r);
        iterations += 1;
        // Also for NaN.
        if !(now < left) {
            break;
        }
        (x, left) = (better, now);
    }
    let residual = if start > 0.0 { left / start } else { 0.0 };
    (residual < 1e-12).then_some((x, LaplaceReport { iterations, factored: true, residual, core: 0 }))
}
