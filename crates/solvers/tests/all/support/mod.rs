//! Small systems and a dense oracle.
#![allow(dead_code)]

pub mod elastic;

use elastic::Lcg;
use impinge_geometry::DVec3;
use impinge_solvers::{Block, BlockMatrix, BlockPattern, Filter, LowRank};

pub fn distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (*a - *b).mag_sq()).sum::<f64>().sqrt()
}

pub fn size(a: &[DVec3]) -> f64 {
    a.iter().map(|a| a.mag_sq()).sum::<f64>().sqrt()
}

pub fn vector(n: usize, seed: u64) -> Vec<DVec3> {
    let mut rng = Lcg(seed);
    (0..n).map(|_| rng.vec()).collect()
}

/// A chain with a few random links, blocks random and diagonally dominant: symmetric positive definite.
pub fn random_spd(n: usize, seed: u64) -> (BlockPattern, Vec<Block>) {
    let mut rng = Lcg(seed ^ 0x9E37_79B9);
    let mut links: Vec<[u32; 2]> = (1..n as u32).map(|i| [i, i - 1]).collect();
    for _ in 0..n {
        let mut pick = || ((rng.next() + 0.5) * n as f64) as u32 % n.max(1) as u32;
        links.push([pick(), pick()]);
    }
    let pattern = BlockPattern::new(n, links.iter().map(|l| &l[..])).unwrap();
    let mut values = vec![[0.0; 9]; pattern.blocks()];
    for i in 0..n {
        for k in pattern.row_slots(i) {
            values[k] = std::array::from_fn(|_| rng.next());
        }
        for (k, &j) in pattern.row_slots(i).zip(pattern.row(i)) {
            let sum: f64 = values[k].iter().map(|v| v.abs()).sum();
            for q in 0..3 {
                values[i][4 * q] += sum;
                values[j as usize][4 * q] += sum;
            }
        }
        for q in 0..3 {
            values[i][4 * q] += 0.1;
        }
    }
    (pattern, values)
}

/// The matrix in full, rows of 3n.
pub fn full(matrix: &BlockMatrix<'_>, contacts: &LowRank) -> Vec<Vec<f64>> {
    let p = matrix.pattern();
    let n = p.nodes();
    let mut a = vec![vec![0.0; 3 * n]; 3 * n];
    for i in 0..n {
        for q in 0..9 {
            a[3 * i + q / 3][3 * i + q % 3] += matrix.diagonal()[i][q];
        }
        for (block, &j) in matrix.lower_row(i).iter().zip(p.row(i)) {
            for q in 0..9 {
                let v = block[q];
                a[3 * i + q / 3][3 * j as usize + q % 3] += v;
                a[3 * j as usize + q % 3][3 * i + q / 3] += v;
            }
        }
    }
    for row in 0..contacts.len() {
        let (k, nodes, g) = contacts.row(row);
        let mut dense = vec![0.0; 3 * n];
        for (&i, g) in nodes.iter().zip(g) {
            for (q, v) in [g.x, g.y, g.z].into_iter().enumerate() {
                dense[3 * i as usize + q] += v;
            }
        }
        for r in 0..3 * n {
            for c in 0..3 * n {
                a[r][c] += k * dense[r] * dense[c];
            }
        }
    }
    a
}

/// Gaussian elimination with row pivots on the free components; held ones keep `x`.
pub fn eliminate(a: &[Vec<f64>], b: &[DVec3], x: &[DVec3], held: &[bool]) -> Vec<DVec3> {
    let flat = |v: &[DVec3]| v.iter().flat_map(|v| [v.x, v.y, v.z]).collect::<Vec<f64>>();
    let (b, x) = (flat(b), flat(x));
    let free: Vec<usize> = (0..b.len()).filter(|&i| !held[i]).collect();
    let mut m: Vec<Vec<f64>> = free
        .iter()
        .map(|&i| {
            let fixed: f64 = (0..b.len()).filter(|&j| held[j]).map(|j| a[i][j] * x[j]).sum();
            free.iter().map(|&j| a[i][j]).chain([b[i] - fixed]).collect()
        })
        .collect();
    let n = free.len();
    for c in 0..n {
        let pivot = (c..n).max_by(|&i, &j| m[i][c].abs().total_cmp(&m[j][c].abs())).unwrap();
        m.swap(c, pivot);
        for r in c + 1..n {
            let f = m[r][c] / m[c][c];
            for k in c..=n {
                m[r][k] -= f * m[c][k];
            }
        }
    }
    let mut out = x.clone();
    for r in (0..n).rev() {
        let mut s = m[r][n];
        for c in r + 1..n {
            s -= m[r][c] * out[free[c]];
        }
        out[free[r]] = s / m[r][r];
    }
    out.chunks_exact(3).map(|c| DVec3::new(c[0], c[1], c[2])).collect()
}

/// Which scalar components a filter of whole nodes and axes holds.
pub fn held(n: usize, filter: &Filter) -> Vec<bool> {
    let mut out = vec![false; 3 * n];
    for (i, p) in filter.iter() {
        for k in 0..3 {
            out[3 * i + k] = p[4 * k] == 0.0;
        }
    }
    out
}
