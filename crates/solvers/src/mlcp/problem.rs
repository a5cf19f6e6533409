//! The problem all solvers take: compliance blocks between contacts, free velocities, cones.

use super::law::Cone;
use std::fmt;

/// The largest coefficient of friction: beyond it a cone is a half space to rounding, and its square eats the forces' digits.
pub const MOST_FRICTION: f64 = 1e6;

/// Why a problem was refused.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ProblemError {
    /// Lengths that do not fit together.
    Length {
        /// What was counted.
        what: &'static str,
        /// How many were given.
        given: usize,
        /// How many are needed.
        needed: usize,
    },
    /// A number is NaN or infinite, or a coefficient of friction is negative or above [`MOST_FRICTION`].
    Value {
        /// What it is.
        what: &'static str,
        /// Of which contact.
        contact: usize,
    },
}

impl fmt::Display for ProblemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { what, given, needed } => write!(f, "{given} {what}; {needed} are needed"),
            Self::Value { what, contact } => write!(
                f,
                "{what} of contact {contact} is not a finite number in its range; stop at the state that made it"
            ),
        }
    }
}

impl std::error::Error for ProblemError {}

/// Sparse rows over the degrees of freedom, three for each contact: normal, t₁, t₂ (empty ones for a frictionless contact).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactRows {
    start: Vec<usize>,
    target: Vec<u32>,
    value: Vec<f64>,
}

impl ContactRows {
    /// No rows.
    #[must_use]
    pub fn new() -> Self {
        Self { start: vec![0], target: Vec::new(), value: Vec::new() }
    }

    /// Adds the next row: pairs of degree of freedom and factor.
    pub fn push(&mut self, entries: impl IntoIterator<Item = (u32, f64)>) {
        if self.start.is_empty() {
            self.start.push(0);
        }
        for (t, v) in entries.into_iter().filter(|e| e.1 != 0.0) {
            self.target.push(t);
            self.value.push(v);
        }
        self.start.push(self.target.len());
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// No row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> {
        let r = self.start[i]..self.start[i + 1];
        self.target[r.clone()].iter().map(|&t| t as usize).zip(self.value[r].iter().copied())
    }

    /// The row times a motion.
    #[must_use]
    pub fn dot(&self, row: usize, motion: &[f64]) -> f64 {
        self.row(row).map(|(t, v)| v * motion[t]).sum()
    }

    /// Adds Gᵀ r to the degrees of freedom.
    ///
    /// # Panics
    /// When there are not three rows for each force, or `out` is too short.
    pub fn add_transposed(&self, r: &[[f64; 3]], out: &mut [f64]) {
        assert_eq!(self.len(), 3 * r.len());
        for (i, &f) in r.iter().flatten().enumerate() {
            self.row(i).for_each(|(t, v)| out[t] += v * f);
        }
    }
}

/// The contacts whose rows name a degree of freedom: of the blocks between all contacts, those that can be other than zero.
struct Reached {
    start: Vec<usize>,
    contact: Vec<u32>,
}

impl Reached {
    fn new(rows: &ContactRows, freedoms: usize) -> Self {
        let mut start = vec![0usize; freedoms + 1];
        rows.target.iter().for_each(|&t| start[t as usize + 1] += 1);
        for t in 0..freedoms {
            start[t + 1] += start[t];
        }
        let (mut next, mut contact) = (start.clone(), vec![0; rows.target.len()]);
        for row in 0..rows.len() {
            for (t, _) in rows.row(row) {
                contact[next[t]] = (row / 3) as u32;
                next[t] += 1;
            }
        }
        Self { start, contact }
    }

    /// Contact `i` and those that have a row where one of the columns moves something, ascending.
    fn contacts(&self, i: usize, columns: &[Vec<f64>; 3], out: &mut Vec<u32>) {
        out.clear();
        out.push(i as u32);
        for t in 0..columns[0].len() {
            // A NaN moves something, too.
            if columns.iter().any(|c| c[t] != 0.0) {
                out.extend_from_slice(&self.contact[self.start[t]..self.start[t + 1]]);
            }
        }
        out.sort_unstable();
        out.dedup();
    }
}

/// u = W r + u_free with a cone for each contact. Three numbers each: normal, t₁, t₂.
#[derive(Clone, Debug, Default, PartialEq)]
#[doc(alias("complementarity", "LCP", "MLCP", "NCP"))]
pub struct ContactProblem {
    /// Blocks of contact i: `start[i]..start[i + 1]`, sorted by column; the diagonal block is always there.
    start: Vec<usize>,
    column: Vec<u32>,
    block: Vec<[f64; 9]>,
    diagonal: Vec<usize>,
    free: Vec<[f64; 3]>,
    cone: Vec<Cone>,
}

impl ContactProblem {
    /// From blocks: `row(i)` gives the columns and 3×3 blocks (row-major) of contact i. W must be symmetric and positive
    /// semidefinite.
    ///
    /// # Errors
    /// [`ProblemError`] for lengths that differ, a column out of range, a number that is not finite, a μ that is negative or above [`MOST_FRICTION`].
    pub fn new(
        free: Vec<[f64; 3]>,
        cone: Vec<Cone>,
        mut row: impl FnMut(usize) -> Vec<(u32, [f64; 9])>,
    ) -> Result<Self, ProblemError> {
        let n = free.len();
        if cone.len() != n {
            return Err(ProblemError::Length { what: "cones", given: cone.len(), needed: n });
        }
        let mut p = Self { start: vec![0], free, cone, ..Self::default() };
        for i in 0..n {
            if !p.free[i].iter().all(|x| x.is_finite()) {
                return Err(ProblemError::Value { what: "the free velocity", contact: i });
            }
            if !(p.cone[i].mu() >= 0.0 && p.cone[i].mu() <= MOST_FRICTION) {
                return Err(ProblemError::Value { what: "the coefficient of friction", contact: i });
            }
            let mut blocks = row(i);
            blocks.sort_by_key(|b| b.0);
            if blocks.iter().all(|b| b.0 as usize != i) {
                let at = blocks.partition_point(|b| (b.0 as usize) < i);
                blocks.insert(at, (i as u32, [0.0; 9]));
            }
            for (column, block) in blocks {
                if column as usize >= n || !block.iter().all(|x| x.is_finite()) {
                    return Err(ProblemError::Value { what: "a block of the compliance", contact: i });
                }
                if column as usize == i {
                    p.diagonal.push(p.block.len());
                }
                p.column.push(column);
                p.block.push(block);
            }
            if p.diagonal.len() != i + 1 {
                return Err(ProblemError::Value {
                    what: "a block of the compliance (named twice)",
                    contact: i,
                });
            }
            p.start.push(p.block.len());
        }
        Ok(p)
    }

    /// W = G A⁻¹ Gᵀ by one solve for each row: `solve` replaces a vector of `n` degrees of freedom by A⁻¹ times it.
    /// `motion` is the free motion q̇₀ + A⁻¹b, or the state that rows are taken at; `bias` is added to the free velocities (V̄ − V
    /// in (19)).
    ///
    /// # Errors
    /// As [`ContactProblem::new`]; also when there are not three rows for each cone.
    pub fn assemble(
        rows: &ContactRows,
        motion: &[f64],
        bias: Option<&[f64]>,
        cone: Vec<Cone>,
        mut solve: impl FnMut(&mut [f64]),
    ) -> Result<Self, ProblemError> {
        let n = cone.len();
        if rows.len() != 3 * n {
            return Err(ProblemError::Length { what: "rows", given: rows.len(), needed: 3 * n });
        }
        if let Some(b) = bias.filter(|b| b.len() != n) {
            return Err(ProblemError::Length { what: "bounds", given: b.len(), needed: n });
        }
        if let Some(&t) = rows.target.iter().find(|&&t| t as usize >= motion.len()) {
            return Err(ProblemError::Length {
                what: "degrees of freedom",
                given: motion.len(),
                needed: t as usize + 1,
            });
        }
        let free = (0..n)
            .map(|i| {
                let mut u = [0, 1, 2].map(|k| rows.dot(3 * i + k, motion));
                u[0] += bias.map_or(0.0, |b| b[i]);
                u
            })
            .collect();
        let mut columns = [vec![0.0; motion.len()], vec![0.0; motion.len()], vec![0.0; motion.len()]];
        let reached = Reached::new(rows, motion.len());
        let mut near = Vec::new();
        Self::new(free, cone, |i| {
            for (k, c) in columns.iter_mut().enumerate() {
                c.fill(0.0);
                rows.row(3 * i + k).for_each(|(t, v)| c[t] += v);
                if rows.start[3 * i + k] < rows.start[3 * i + k + 1] {
                    solve(c);
                }
            }
            let block = |j: usize| std::array::from_fn(|e| rows.dot(3 * j + e % 3, &columns[e / 3]));
            reached.contacts(i, &columns, &mut near);
            let all = near.iter().map(|&j| (j, block(j as usize)));
            all.filter(|(j, b)| *j as usize == i || b.iter().any(|&x| x != 0.0)).collect()
        })
    }

    /// How many contacts there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.free.len()
    }

    /// No contact.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.free.is_empty()
    }

    /// The cone of a contact.
    #[must_use]
    pub fn cone(&self, contact: usize) -> Cone {
        self.cone[contact]
    }

    /// The velocity of a contact without forces.
    #[must_use]
    pub fn free(&self, contact: usize) -> [f64; 3] {
        self.free[contact]
    }

    /// Columns and blocks of a contact.
    #[inline]
    pub fn blocks(&self, contact: usize) -> impl Iterator<Item = (usize, &[f64; 9])> {
        let r = self.start[contact]..self.start[contact + 1];
        self.column[r.clone()].iter().map(|&c| c as usize).zip(&self.block[r])
    }

    /// A contact's own block.
    #[must_use]
    pub fn own(&self, contact: usize) -> &[f64; 9] {
        &self.block[self.diagonal[contact]]
    }

    /// The largest own compliance of a contact: the scale of its natural map.
    pub(super) fn scale(&self, contact: usize) -> f64 {
        let b = self.own(contact);
        match self.cone[contact] {
            Cone::Frictionless => b[0],
            _ => b[0].max(b[4]).max(b[8]),
        }
    }

    /// W r of one contact: its velocity without the free one.
    #[inline]
    pub(super) fn product(&self, contact: usize, r: &[[f64; 3]]) -> [f64; 3] {
        self.added([0.0; 3], contact, r)
    }

    /// u of one contact for the forces of all.
    #[inline]
    #[must_use]
    pub fn velocity(&self, contact: usize, r: &[[f64; 3]]) -> [f64; 3] {
        self.added(self.free[contact], contact, r)
    }

    #[inline(always)]
    fn added(&self, mut u: [f64; 3], contact: usize, r: &[[f64; 3]]) -> [f64; 3] {
        for (j, b) in self.blocks(contact) {
            let f = &r[j];
            u[0] += b[0] * f[0] + b[1] * f[1] + b[2] * f[2];
            u[1] += b[3] * f[0] + b[4] * f[1] + b[5] * f[2];
            u[2] += b[6] * f[0] + b[7] * f[1] + b[8] * f[2];
        }
        u
    }

    /// The largest violation of the law over the contacts, relative to the largest free velocity (absolute where that is
    /// zero). Every solver is judged by it.
    ///
    /// # Panics
    /// When `r` has not one entry for each contact.
    #[must_use]
    pub fn residual(&self, r: &[[f64; 3]]) -> f64 {
        self.residual_at(r, |i| self.velocity(i, r))
    }

    /// The same with the velocities that belong to `r`.
    pub(super) fn residual_at(&self, r: &[[f64; 3]], velocity: impl Fn(usize) -> [f64; 3]) -> f64 {
        let worst = (0..self.len())
            .map(|i| self.cone[i].violation(r[i], velocity(i), self.scale(i)))
            .fold(0.0, |a: f64, b| if b <= a || a.is_nan() { a } else { b });
        worst / self.reference()
    }

    /// The largest free velocity, or 1.
    pub(super) fn reference(&self) -> f64 {
        let free = self.free.iter().zip(&self.cone).flat_map(|(u, c)| {
            let counted = if matches!(c, Cone::Frictionless) { 1 } else { 3 };
            u[..counted].iter()
        });
        let most = free.fold(0.0, |a: f64, b| a.max(b.abs()));
        if most > 0.0 { most } else { 1.0 }
    }
}
