//! A quadratic program from dense numbers, as the blocks of three that the solvers take.

use impinge_geometry::DVec3;
use impinge_qp::{Problem, RowKind, Rows};
use impinge_solvers::{BlockMatrix, BlockPattern, System};
use serde::Deserialize;

/// min ½ΔvᵀKΔv − bᵀΔv subject to JΔv ≤ c, with equality in some rows.
#[derive(Deserialize)]
pub struct Dense {
    /// K, by rows.
    #[serde(rename = "K")]
    pub k: Vec<Vec<f64>>,
    /// b.
    pub b: Vec<f64>,
    /// J, by rows.
    #[serde(rename = "J")]
    pub j: Vec<Vec<f64>>,
    /// c.
    pub c: Vec<f64>,
    /// Rows that hold with equality.
    #[serde(rename = "eq")]
    pub equalities: Vec<usize>,
}

/// The program in blocks, filled up with unknowns of unit mass that nothing touches.
pub struct Program {
    pattern: BlockPattern,
    values: Vec<[f64; 9]>,
    b: Vec<DVec3>,
    rows: Rows,
}

impl Program {
    /// From dense numbers.
    ///
    /// # Errors
    /// Sizes that do not fit each other.
    pub fn new(dense: &Dense) -> Result<Self, String> {
        let (n, m) = (dense.b.len(), dense.c.len());
        let square = dense.k.len() == n && dense.k.iter().all(|r| r.len() == n);
        let fits = dense.j.len() == m && dense.j.iter().all(|r| r.len() == n);
        if !square || !fits || dense.equalities.iter().any(|&i| i >= m) {
            return Err(format!("K, J, eq do not fit the {n} entries of b and the {m} of c"));
        }
        let blocks = n.div_ceil(3);
        let all: Vec<u32> = (0..blocks as u32).collect();
        let pattern = BlockPattern::new(blocks, [&all[..]]).map_err(|e| e.to_string())?;
        let mut values = vec![[0.0; 9]; pattern.blocks()];
        for i in 0..3 * blocks {
            for j in 0..3 * blocks {
                let slot = pattern.slot((i / 3) as u32, (j / 3) as u32);
                if slot != u32::MAX {
                    let v = if i < n && j < n { dense.k[i][j] } else { f64::from(u8::from(i == j)) };
                    values[slot as usize][3 * (i % 3) + j % 3] = v;
                }
            }
        }
        let vector = |v: &[f64]| -> Vec<DVec3> {
            let at = |i: usize| v.get(i).copied().unwrap_or(0.0);
            (0..blocks).map(|k| DVec3::new(at(3 * k), at(3 * k + 1), at(3 * k + 2))).collect()
        };
        let mut rows = Rows::new();
        for i in 0..m {
            let kind = if dense.equalities.contains(&i) { RowKind::Fixed } else { RowKind::Other };
            let gradient: Vec<(u32, DVec3)> = (0..).zip(vector(&dense.j[i])).collect();
            rows.push(kind, i as u64, dense.c[i], &gradient).map_err(|e| e.to_string())?;
        }
        // What the problem borrows must be a matrix: said here, not when it is asked for.
        BlockMatrix::new(&pattern, &values).map_err(|e| e.to_string())?;
        Ok(Self { pattern, values, b: vector(&dense.b), rows })
    }

    /// What the solvers take.
    pub fn problem(&self) -> Problem<'_> {
        let matrix = BlockMatrix::new(&self.pattern, &self.values).expect("checked when it was made");
        Problem::of_nodes(System::new(matrix), &self.b, &self.rows)
    }

    /// Zeros of the size of Δv.
    pub fn start(&self) -> Vec<DVec3> {
        vec![DVec3::zero(); self.b.len()]
    }
}
