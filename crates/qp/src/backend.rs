//! Newton systems of the active set: `(K + Σ w g gᵀ) d = rhs`, with g rows of J (or sums of two) and w > 0.
//!
//! The same d as from the quasi-definite system `[K Jᵀ; J −1/w]` of (24), reduced two ways:
//!
//! * small systems to the rows (20), (21): K = L Lᵀ once, then `(1/w + S) q = J K⁻¹ rhs` with S = J K⁻¹ Jᵀ of the active rows; where
//!   more rows are active than there are unknowns (a heap of rigid bodies), to the velocities, `I + L⁻¹ Jᵀ w J L⁻ᵀ`;
//! * large ones to the velocities: `K + Σ w g gᵀ`, which a contact fills in only among the blocks it names, by a
//!   sparse factor (feature `factor`, `sparse.rs`). While few rows differ from those in the factor it serves on, corrected by the
//!   columns of those rows (`correction.rs`), as the preconditioner of conjugate gradients, which then take one or two
//!   iterations. Without the feature: conjugate gradients with SSOR and smaller weights.

use crate::problem::{Dof, Problem, QpError, inverse_of_definite, mul};
use crate::reduced::Dense;
use impinge_geometry::DVec3;
use impinge_solvers::pattern::NONE;
use impinge_solvers::{LowRank, Operator, System};

/// Unknowns up to which everything is dense.
pub(crate) const DENSE_UNKNOWNS: usize = 240;

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

/// What solves Newton systems.
#[derive(Debug, Default)]
pub(crate) enum Backend {
    #[default]
    None,
    Dense(Box<Dense>),
    #[cfg(feature = "factor")]
    Sparse(Box<crate::sparse::Sparse>),
    #[cfg(not(feature = "factor"))]
    Iterative(Box<Iterative>),
}

impl Backend {
    /// Takes the problem of a step; keeps what it can of the last one.
    pub(crate) fn prepare(&mut self, p: &Problem<'_>) -> Result<(), QpError> {
        if 3 * p.b.len() <= DENSE_UNKNOWNS {
            if !matches!(self, Self::Dense(_)) {
                *self = Self::Dense(Box::default());
            }
        } else {
            #[cfg(feature = "factor")]
            if !matches!(self, Self::Sparse(_)) {
                *self = Self::Sparse(Box::default());
            }
            #[cfg(not(feature = "factor"))]
            if !matches!(self, Self::Iterative(_)) {
                *self = Self::Iterative(Box::default());
            }
        }
        match self {
            Self::None => Ok(()),
            Self::Dense(d) => d.prepare(p),
            #[cfg(feature = "factor")]
            Self::Sparse(s) => s.prepare(p),
            #[cfg(not(feature = "factor"))]
            Self::Iterative(_) => Ok(()),
        }
    }

    /// l over Jᵢ D⁻¹ Jᵢᵀ: what the reduction bears.
    pub(crate) fn epsilon(&self) -> f64 {
        match self {
            Self::None | Self::Dense(_) => 1e-5,
            #[cfg(feature = "factor")]
            Self::Sparse(_) => 1e-5,
            #[cfg(not(feature = "factor"))]
            Self::Iterative(_) => 1e-3,
        }
    }

    /// Another round costs next to nothing.
    pub(crate) fn is_dense(&self) -> bool {
        matches!(self, Self::Dense(_))
    }

    /// A solution for the rows of the last one, or nearly, costs far less than the last one did.
    pub(crate) fn keeps_columns(&self) -> bool {
        #[cfg(feature = "factor")]
        return matches!(self, Self::Sparse(_));
        #[cfg(not(feature = "factor"))]
        false
    }

    /// `d` of `(K + Σ terms) d = rhs`, to about `tolerance` where it is iterated. (factorisations, inner iterations).
    pub(crate) fn solve(
        &mut self,
        p: &Problem<'_>,
        terms: &[Term],
        rhs: &[DVec3],
        d: &mut [DVec3],
        tolerance: f64,
    ) -> Result<(u32, u32), QpError> {
        match self {
            Self::None => Err(QpError::Setting("the solver was not prepared")),
            Self::Dense(x) => {
                x.solve(p, terms, rhs, d)?;
                Ok((0, 0))
            }
            #[cfg(feature = "factor")]
            Self::Sparse(s) => s.solve(p, terms, rhs, d, tolerance),
            #[cfg(not(feature = "factor"))]
            Self::Iterative(s) => s.solve(p, terms, rhs, d, tolerance),
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

/// K as a dense lower triangle (rows of n, symmetric up to rounding).
pub(crate) fn dense_matrix(k: &System<'_>) -> Vec<f64> {
    let blocks = k.nodes();
    let n = 3 * blocks;
    let mut a = vec![0.0; n * n];
    let (mut e, mut y) = (vec![DVec3::zero(); blocks], vec![DVec3::zero(); blocks]);
    let mut ws = Default::default();
    for j in 0..n {
        e[j / 3] = [DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z()][j % 3];
        k.apply(&e, &mut y, &mut ws);
        e[j / 3] = DVec3::zero();
        for (i, v) in y.iter().enumerate() {
            a[(3 * i) * n + j] = v.x;
            a[(3 * i + 1) * n + j] = v.y;
            a[(3 * i + 2) * n + j] = v.z;
        }
    }
    a
}

/// Blocks as scalars.
pub(crate) fn flat(v: &[DVec3]) -> Vec<f64> {
    v.iter().flat_map(|v| [v.x, v.y, v.z]).collect()
}

/// Scalars as blocks.
pub(crate) fn unflat(v: &[f64], out: &mut [DVec3]) {
    for (o, s) in out.iter_mut().zip(v.chunks_exact(3)) {
        *o = DVec3::new(s[0], s[1], s[2]);
    }
}

/// Conjugate gradients with SSOR.
#[cfg(not(feature = "factor"))]
#[derive(Debug, Default)]
pub(crate) struct Iterative {
    solver: Option<(impinge_solvers::BlockPattern, impinge_solvers::Solver)>,
    low: LowRank,
}

#[cfg(not(feature = "factor"))]
impl Iterative {
    fn solve(
        &mut self,
        p: &Problem<'_>,
        terms: &[Term],
        rhs: &[DVec3],
        d: &mut [DVec3],
        tolerance: f64,
    ) -> Result<(u32, u32), QpError> {
        use impinge_solvers::{Choice, Filter, Method, Settings, Solver};
        low_rank(p, terms, &mut self.low)?;
        let system = System::with_contacts(p.k.matrix(), &self.low).map_err(|e| QpError::Matrix(e.into()))?;
        let pattern = p.k.matrix().pattern();
        if self.solver.as_ref().is_none_or(|s| s.0 != *pattern) {
            let solver = Solver::new(pattern, &[], Choice::forced(Method::Ssor)).map_err(QpError::Matrix)?;
            self.solver = Some((pattern.clone(), solver));
        }
        let Some((_, solver)) = &mut self.solver else { return Err(QpError::Setting("no solver")) };
        solver.update(&system, &Filter::none()).map_err(QpError::Matrix)?;
        d.fill(DVec3::zero());
        let settings = Settings { tolerance: tolerance.min(1e-6), max_iterations: 20_000 };
        let outcome = solver.solve(&system, &Filter::none(), rhs, d, &settings);
        if outcome.reason == impinge_solvers::Reason::Indefinite {
            return Err(indefinite(p));
        }
        Ok((0, outcome.iterations))
    }
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
