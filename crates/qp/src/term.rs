//! What a row of the active set adds to a Newton system, and what is said of a system without an answer.

use crate::problem::{Dof, Problem, QpError, inverse_of_definite, mul};
use impinge_geometry::DVec3;
use impinge_solvers::LowRank;
use impinge_solvers::Operator;
use impinge_solvers::pattern::NONE;

/// Accuracy above which a direction may be a few conjugate gradient steps. Asked for as much or less, a large system with feature
/// `factor` is solved by its factor; the others are solved as well in any case.
pub(crate) const ROUGH: f64 = 1e-6;

/// `weight · g gᵀ` with `g = ca·J_row + cb·J_other`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Term {
    pub row: u32,
    pub other: u32,
    pub ca: f64,
    pub cb: f64,
    pub weight: f64,
}

impl Term {
    pub(crate) fn of_row(row: usize, weight: f64) -> Self {
        Self { row: row as u32, other: NONE, ca: 1.0, cb: 0.0, weight }
    }

    /// It is of one row as that is.
    pub(crate) fn is_row(&self) -> bool {
        self.other == NONE && self.ca == 1.0
    }

    pub(crate) fn gradient(&self, p: &Problem<'_>, out: &mut Vec<(u32, DVec3)>) {
        out.clear();
        for (row, c) in [(self.row, self.ca), (self.other, self.cb)] {
            if row != NONE {
                let r = p.rows.row(row as usize);
                out.extend(r.blocks.iter().zip(r.gradients).map(|(&b, g)| (b, *g * c)));
            }
        }
    }
}

/// `K + Σ terms` as contacts of low rank beside the matrix.
pub(crate) fn low_rank(p: &Problem<'_>, terms: &[Term], low: &mut LowRank) -> Result<(), QpError> {
    low.clear();
    let mut g = Vec::new();
    let refused = |_| QpError::Setting("a row is not finite");
    for i in 0..p.k.contacts().len() {
        let (k, nodes, gradients) = p.k.contacts().row(i);
        g.clear();
        g.extend(nodes.iter().copied().zip(gradients.iter().copied()));
        low.push(k, &g).map_err(refused)?;
    }
    for t in terms {
        t.gradient(p, &mut g);
        low.push(t.weight, &g).map_err(refused)?;
    }
    Ok(())
}

/// The error for a K that turned out not to be positive definite: conjugate gradients on K until a direction without
/// positive energy shows, and the block that moves most in it.
pub(crate) fn indefinite(p: &Problem<'_>) -> QpError {
    let n = p.b.len();
    let mut inverse = vec![[0.0; 9]; n];
    p.k.add_diagonal(&mut inverse);
    for (i, d) in inverse.iter_mut().enumerate() {
        match inverse_of_definite(d) {
            Some(v) => *d = v,
            None => return QpError::NotDefinite { at: Dof::of(&p.layout, i) },
        }
    }
    // A start with a part of every mode, the same every time.
    let mut r: Vec<DVec3> = (0..n as u32)
        .map(|i| {
            let h = |k: u32| f64::from((i * 3 + k + 1).wrapping_mul(2_654_435_761) >> 8) / 16_777_216.0 - 0.5;
            DVec3::new(h(0), h(1), h(2))
        })
        .collect();
    let (mut q, mut ws) = (vec![DVec3::zero(); n], Default::default());
    let product = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum::<f64>();
    let mut z: Vec<DVec3> = r.iter().zip(&inverse).map(|(r, d)| mul(d, *r)).collect();
    let mut dir = z.clone();
    let mut rz = product(&r, &z);
    for _ in 0..(3 * n).min(2000) {
        p.k.apply(&dir, &mut q, &mut ws);
        let curvature = product(&dir, &q);
        if curvature <= 0.0 {
            return QpError::NotDefinite { at: Dof::of(&p.layout, largest(&dir)) };
        }
        let alpha = rz / curvature;
        for i in 0..n {
            r[i] -= q[i] * alpha;
            z[i] = mul(&inverse[i], r[i]);
        }
        let next = product(&r, &z);
        if next <= 1e-28 * rz.abs() || !next.is_finite() {
            break;
        }
        for i in 0..n {
            dir[i] = z[i] + dir[i] * (next / rz);
        }
        rz = next;
    }
    QpError::NotDefinite { at: Dof::of(&p.layout, largest(&dir)) }
}

/// The block of largest size.
pub(crate) fn largest(v: &[DVec3]) -> usize {
    let mut best = (0, -1.0);
    for (i, v) in v.iter().enumerate() {
        if v.mag_sq() > best.1 {
            best = (i, v.mag_sq());
        }
    }
    best.0
}
