//! Problems from dense numbers, and the optimum by trying every active set.
#![allow(dead_code)]

use impinge_geometry::DVec3;
use impinge_qp::{Problem, Report, RowKind, Rows, Settings, Solver};
use impinge_solvers::{BlockMatrix, BlockPattern, Layout, System};

/// Owns what a [`Problem`] borrows.
#[derive(Clone)]
pub struct Case {
    pub pattern: BlockPattern,
    pub values: Vec<[f64; 9]>,
    pub b: Vec<DVec3>,
    pub rows: Rows,
    pub layout: Layout,
}

pub type Dense = Vec<Vec<f64>>;

pub fn blocks(v: &[f64]) -> Vec<DVec3> {
    v.chunks_exact(3).map(|c| DVec3::new(c[0], c[1], c[2])).collect()
}

impl Case {
    /// K and b; the length must be a multiple of three.
    pub fn new(k: &Dense, b: &[f64]) -> Self {
        let n = b.len() / 3;
        let all: Vec<u32> = (0..n as u32).collect();
        let pattern = BlockPattern::new(n, [&all[..]]).unwrap();
        let mut values = vec![[0.0; 9]; pattern.blocks()];
        for i in 0..3 * n {
            for j in 0..3 * n {
                let slot = pattern.slot((i / 3) as u32, (j / 3) as u32);
                if slot != u32::MAX {
                    values[slot as usize][3 * (i % 3) + j % 3] = k[i][j];
                }
            }
        }
        let layout = Layout { nodes: n, bodies: 0 };
        Self { pattern, values, b: blocks(b), rows: Rows::new(), layout }
    }

    pub fn row(mut self, kind: RowKind, j: &[f64], c: f64) -> Self {
        let g: Vec<(u32, DVec3)> = (0..).zip(blocks(j)).filter(|g| g.1 != DVec3::zero()).collect();
        self.rows.push(kind, self.rows.len() as u64, c, &g).unwrap();
        self
    }

    pub fn problem(&self) -> Problem<'_> {
        let matrix = BlockMatrix::new(&self.pattern, &self.values).unwrap();
        Problem { k: System::new(matrix), b: &self.b, rows: &self.rows, layout: self.layout }
    }

    pub fn solve(&self, settings: &Settings) -> (Report, Vec<f64>, Vec<f64>) {
        let (mut dv, mut mu) = (vec![DVec3::zero(); self.b.len()], Vec::new());
        let report = Solver::new().solve(&self.problem(), settings, &mut dv, &mut mu).unwrap();
        (report, dv.iter().flat_map(|v| [v.x, v.y, v.z]).collect(), mu)
    }
}

/// A x = b by elimination with full pivoting; `None` when singular.
pub fn gauss(mut a: Dense, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    for k in 0..n {
        let p = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()))?;
        if a[p][k].abs() < 1e-11 {
            return None;
        }
        a.swap(k, p);
        b.swap(k, p);
        for i in k + 1..n {
            let f = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= f * a[k][j];
            }
            b[i] -= f * b[k];
        }
    }
    for k in (0..n).rev() {
        let s: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - s) / a[k][k];
    }
    Some(b)
}

/// The optimum by trying every set of active rows: (Δv, objective); `None` when nothing is feasible. Sets with dependent
/// rows are skipped: an optimal one without them exists (Carathéodory).
pub fn enumerate(k: &Dense, b: &[f64], j: &Dense, c: &[f64], equality: &[bool]) -> Option<(Vec<f64>, f64)> {
    let (n, m) = (b.len(), c.len());
    let mut best: Option<(Vec<f64>, f64)> = None;
    for set in 0u32..1 << m {
        let rows: Vec<usize> = (0..m).filter(|i| set >> i & 1 == 1).collect();
        let size = n + rows.len();
        let mut a = vec![vec![0.0; size]; size];
        let mut r = vec![0.0; size];
        for i in 0..n {
            a[i][..n].copy_from_slice(&k[i]);
            r[i] = b[i];
        }
        for (q, &row) in rows.iter().enumerate() {
            for i in 0..n {
                a[i][n + q] = j[row][i];
                a[n + q][i] = j[row][i];
            }
            r[n + q] = c[row];
        }
        let Some(x) = gauss(a, r) else { continue };
        let dot = |row: usize| (0..n).map(|i| j[row][i] * x[i]).sum::<f64>();
        let feasible = (0..m).all(|i| {
            let v = dot(i) - c[i];
            if equality[i] { v.abs() < 1e-7 } else { v < 1e-7 }
        });
        let dual = rows.iter().enumerate().all(|(q, &row)| equality[row] || x[n + q] > -1e-7);
        if feasible && dual {
            let kx: Vec<f64> = k.iter().map(|r| (0..n).map(|i| r[i] * x[i]).sum()).collect();
            let f: f64 = (0..n).map(|i| x[i] * (0.5 * kx[i] - b[i])).sum();
            if best.as_ref().is_none_or(|b| f < b.1) {
                best = Some((x[..n].to_vec(), f));
            }
        }
    }
    best
}

/// Numbers in (−1, 1), the same every time.
pub struct Lcg(pub u64);

impl Lcg {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }

    /// GᵀG + shift.
    pub fn spd(&mut self, n: usize, shift: f64) -> Dense {
        let g: Dense = (0..n).map(|_| self.vector(n)).collect();
        let entry = |i: usize, j: usize| -> f64 { (0..n).map(|k| g[k][i] * g[k][j]).sum() };
        (0..n).map(|i| (0..n).map(|j| entry(i, j) + if i == j { shift } else { 0.0 }).collect()).collect()
    }
}
