//! The large reduction: `K + Σ w g gᵀ`, by conjugate gradients while rows change, then by a sparse factor.
//!
//! While rows still change sides, a direction need not be exact: the edge of a contact area moves by about one ring of
//! vertices in an iteration however exact it is. So a few conjugate gradient steps with block Jacobi, at a two-hundredth of
//! a factor each (SSOR takes fewer, but its values cost as much as 30 steps, every time). Once rows stand still the
//! factor, which then serves all rounds that follow, corrected while few rows change (`correction.rs`). (SSOR to the end
//! as well took 400 to 500 steps for cloth of 500 N/m: two factors.)

use crate::correction::{Corrected, Correction};
use crate::problem::{Problem, QpError};
use crate::term::{ROUGH, Term, indefinite, low_rank};
use impinge_geometry::DVec3;
use impinge_solvers::pattern::NONE;
use impinge_solvers::{
    BlockJacobi, BlockMatrix, BlockPattern, CgWorkspace, Factor, FactorKind, Filter, LowRank, MatrixError,
    Settings, System, pcg,
};

/// Rows that may differ from the factor's while it serves, corrected. A new factor of cloth of 10 k vertices costs what 35 columns of
/// the correction do, or 10 solutions; and of rows that came, some leave again.
const KEPT_CHANGES: usize = 48;

/// Steps of conjugate gradients with the corrected factor, which take one or two where numbers allow the correction.
const CORRECTED_STEPS: u32 = 6;

/// Conjugate gradient steps while rows change.
const ROUGH_STEPS: u32 = 25;

/// Pattern, factor, and what is in it.
#[derive(Debug, Default)]
pub(crate) struct Sparse {
    k_pattern: BlockPattern,
    merged: BlockPattern,
    /// Slot in `merged` of each slot of K.
    place: Vec<u32>,
    factor: Option<Factor>,
    values: Vec<[f64; 9]>,
    base: Vec<Term>,
    valid: bool,
    jacobi: BlockJacobi,
    low: LowRank,
    cg: CgWorkspace,
    /// Terms in which the present system differs from the factor's, `true` where they are new.
    changed: Vec<(Term, bool)>,
    correction: Correction,
}

impl Sparse {
    /// Finds the pattern of K joined by every row that may become active; the symbolic factor is kept while it fits.
    pub(crate) fn prepare(&mut self, p: &Problem<'_>) -> Result<(), QpError> {
        self.valid = false;
        let k = p.k.matrix();
        let mut stencils: Vec<&[u32]> = (0..p.rows.len()).map(|i| p.rows.row(i).blocks).collect();
        stencils.extend((0..p.k.contacts().len()).map(|i| p.k.contacts().row(i).1));
        stencils.retain(|s| s.len() > 1);
        let fits = |s: &&[u32]| {
            let pair =
                |(i, &a): (usize, &u32)| s[..i].iter().all(|&b| self.merged.slot(a.max(b), a.min(b)) != NONE);
            s.iter().enumerate().all(pair)
        };
        if self.factor.is_some() && self.k_pattern == *k.pattern() && stencils.iter().all(fits) {
            return Ok(());
        }
        let k = k.pattern();
        let pairs: Vec<[u32; 2]> =
            (0..k.nodes()).flat_map(|i| k.row(i).iter().map(move |&j| [i as u32, j])).collect();
        let all = pairs.iter().map(|s| &s[..]).chain(stencils.iter().copied());
        let too_large = |_| QpError::Matrix(MatrixError::TooLarge);
        self.merged = BlockPattern::new(k.nodes(), all).map_err(too_large)?;
        self.place = (0..k.nodes() as u32).collect();
        self.place.extend(pairs.iter().map(|s| self.merged.slot(s[0], s[1])));
        self.factor = Some(Factor::new(&self.merged, FactorKind::Llt).map_err(QpError::Matrix)?);
        self.k_pattern = k.clone();
        Ok(())
    }

    /// The values of `K + Σ terms` over the merged pattern.
    fn assemble(&mut self, p: &Problem<'_>, terms: &[Term]) -> Result<(), QpError> {
        self.values.clear();
        self.values.resize(self.merged.blocks(), [0.0; 9]);
        for (v, &slot) in p.k.matrix().blocks().zip(&self.place) {
            self.values[slot as usize] = *v;
        }
        low_rank(p, terms, &mut self.low)?;
        for i in 0..self.low.len() {
            let (k, nodes, g) = self.low.row(i);
            for (a, &na) in nodes.iter().enumerate() {
                for (b, &nb) in nodes.iter().enumerate() {
                    let slot = self.merged.slot(na, nb);
                    if slot == NONE {
                        continue;
                    }
                    let v = &mut self.values[slot as usize];
                    let (ga, gb) = ([g[a].x * k, g[a].y * k, g[a].z * k], [g[b].x, g[b].y, g[b].z]);
                    for r in 0..3 {
                        for c in 0..3 {
                            v[3 * r + c] += ga[r] * gb[c];
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn refactor(&mut self, p: &Problem<'_>, terms: &[Term]) -> Result<(), QpError> {
        self.assemble(p, terms)?;
        let matrix = BlockMatrix::new(&self.merged, &self.values).map_err(|e| QpError::Matrix(e.into()))?;
        let Some(factor) = &mut self.factor else {
            return Err(QpError::Setting("the solver was not prepared"));
        };
        self.valid = false;
        factor.refactor(&matrix, &Filter::none()).map_err(|e| match e {
            MatrixError::Breakdown { .. } => indefinite(p),
            other => QpError::Matrix(other),
        })?;
        self.correction.clear();
        self.base.clear();
        self.base.extend_from_slice(terms);
        self.valid = true;
        Ok(())
    }

    /// A few conjugate gradient steps; `None` when they lead nowhere.
    fn sweep(
        &mut self,
        p: &Problem<'_>,
        terms: &[Term],
        rhs: &[DVec3],
        d: &mut [DVec3],
        tolerance: f64,
    ) -> Result<Option<u32>, QpError> {
        low_rank(p, terms, &mut self.low)?;
        let system = System::with_contacts(p.k.matrix(), &self.low).map_err(|e| QpError::Matrix(e.into()))?;
        self.jacobi.update(&system, &Filter::none()).map_err(QpError::Matrix)?;
        d.fill(DVec3::zero());
        let settings = Settings { tolerance, max_iterations: ROUGH_STEPS };
        let outcome = pcg(&system, &mut self.jacobi, &Filter::none(), rhs, d, &settings, &mut self.cg);
        Ok((outcome.residual < 1.0).then_some(outcome.iterations))
    }

    pub(crate) fn solve(
        &mut self,
        p: &Problem<'_>,
        terms: &[Term],
        rhs: &[DVec3],
        d: &mut [DVec3],
        tolerance: f64,
    ) -> Result<(u32, u32), QpError> {
        let changes = if self.valid {
            differing(&self.base, terms, &mut self.changed);
            self.changed.len()
        } else {
            usize::MAX
        };
        if (1..=KEPT_CHANGES).contains(&changes) {
            low_rank(p, terms, &mut self.low)?;
            let system =
                System::with_contacts(p.k.matrix(), &self.low).map_err(|e| QpError::Matrix(e.into()))?;
            if let Some(factor) = &mut self.factor
                && self.correction.set(p, factor, &self.changed)
            {
                d.fill(DVec3::zero());
                let settings = Settings { tolerance, max_iterations: CORRECTED_STEPS };
                let mut corrected = Corrected { factor, by: &mut self.correction };
                let outcome = pcg(&system, &mut corrected, &Filter::none(), rhs, d, &settings, &mut self.cg);
                if outcome.converged {
                    return Ok((0, outcome.iterations));
                }
            }
        }
        if changes > 0
            && tolerance > ROUGH
            && let Some(inner) = self.sweep(p, terms, rhs, d, tolerance)?
        {
            return Ok((0, inner));
        }
        let mut made = 0;
        if changes > 0 {
            self.refactor(p, terms)?;
            made = 1;
        }
        let Some(factor) = &mut self.factor else {
            return Err(QpError::Setting("the solver was not prepared"));
        };
        factor.solve_once(rhs, d);
        Ok((made, 0))
    }
}

/// Terms that only one of two lists has, `true` those of the second; both in ascending order of rows.
fn differing(a: &[Term], b: &[Term], out: &mut Vec<(Term, bool)>) {
    let key = |t: &Term| (t.row, t.other);
    let (mut i, mut j) = (0, 0);
    out.clear();
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            i += 1;
            j += 1;
        } else if j == b.len() || i < a.len() && key(&a[i]) <= key(&b[j]) {
            out.push((a[i], false));
            i += 1;
        } else {
            out.push((b[j], true));
            j += 1;
        }
    }
}
