//! A factor that serves although a few rows have changed: (M + Σ ±w g gᵀ)⁻¹ out of M⁻¹ (Woodbury).
//!
//! With G the gradients of the rows that differ and D their weights, negative where a row has left,
//! ```text
//! (M + G D Gᵀ)⁻¹ = M⁻¹ − M⁻¹G C⁻¹ GᵀM⁻¹,    C = D⁻¹ + GᵀM⁻¹G
//! ```
//! The columns M⁻¹g are kept while M is: from one iteration to the next only the rows that are new cost anything, eight of them about as
//! much as two solutions (cloth of 10 k vertices). A row that leaves takes five digits with it, and more in later rounds (its weight is 1e5
//! times what was there, and grows), so the map is used as the preconditioner of conjugate gradients, which one or two steps end; where six do
//! not, there is a new factor.

use crate::problem::Problem;
use crate::term::Term;
use impinge_geometry::DVec3;
use impinge_solvers::{DenseLu, Factor, Preconditioner};

/// Columns at most, each as long as Δv (together 23 MB for 10 k nodes); where more were needed in turn, those in use are found anew.
const COLUMNS: usize = 96;

/// Gradient and column of a row, or of two rows in one direction.
#[derive(Debug)]
struct Column {
    term: Term,
    gradient: Vec<(u32, DVec3)>,
    /// M⁻¹ times the gradient, by blocks.
    solved: Vec<f64>,
}

/// The columns of one factor, and which of them are in use.
#[derive(Debug, Default)]
pub(crate) struct Correction {
    columns: Vec<Column>,
    /// Column and √w of each row that differs, ascending by row.
    used: Vec<(usize, f64)>,
    capacity: DenseLu,
    q: Vec<f64>,
    y: Vec<f64>,
}

fn same_gradient(a: &Term, b: &Term) -> bool {
    a.row == b.row && a.other == b.other && a.ca == b.ca && a.cb == b.cb
}

fn along(gradient: &[(u32, DVec3)], solved: &[f64]) -> f64 {
    let at = |b: u32, k: usize| solved[3 * b as usize + k];
    gradient.iter().map(|(b, g)| g.x * at(*b, 0) + g.y * at(*b, 1) + g.z * at(*b, 2)).sum()
}

impl Correction {
    /// Forgets the columns: there is another factor.
    pub(crate) fn clear(&mut self) {
        self.columns.clear();
        self.used.clear();
    }

    /// Takes the rows that differ from those in the factor, `true` where the row has come. `false` when numbers do not allow it.
    pub(crate) fn set(&mut self, p: &Problem<'_>, factor: &mut Factor, changed: &[(Term, bool)]) -> bool {
        let n = 3 * p.b.len();
        if self.columns.len() + changed.len() > COLUMNS {
            self.columns.clear();
        }
        let first = self.columns.len();
        self.used.clear();
        for (t, _) in changed {
            let known = self.columns.iter().position(|c| same_gradient(&c.term, t));
            let place = known.unwrap_or_else(|| {
                let mut gradient = Vec::new();
                t.gradient(p, &mut gradient);
                self.columns.push(Column { term: *t, gradient, solved: Vec::new() });
                self.columns.len() - 1
            });
            self.used.push((place, t.weight.sqrt()));
        }
        let new = &mut self.columns[first..];
        let mut all = vec![0.0; n * new.len()];
        for (c, column) in new.iter().zip(all.chunks_exact_mut(n)) {
            for (b, g) in &c.gradient {
                let at = 3 * *b as usize;
                column[at] += g.x;
                column[at + 1] += g.y;
                column[at + 2] += g.z;
            }
        }
        factor.solve_columns(&mut all);
        for (c, column) in new.iter_mut().zip(all.chunks_exact(n)) {
            c.solved = column.to_vec();
        }
        // Scaled by the weights: ±1 on the diagonal.
        let m = self.used.len();
        let capacity = self.capacity.matrix_mut(m);
        for (i, (a, wa)) in self.used.iter().enumerate() {
            for (j, (b, wb)) in self.used.iter().enumerate() {
                capacity[i * m + j] = wa * wb * along(&self.columns[*a].gradient, &self.columns[*b].solved);
            }
            capacity[i * m + i] += if changed[i].1 { 1.0 } else { -1.0 };
        }
        self.capacity.factor().is_ok()
    }
}

/// The factor with its correction.
pub(crate) struct Corrected<'a> {
    pub(crate) factor: &'a mut Factor,
    pub(crate) by: &'a mut Correction,
}

impl Preconditioner for Corrected<'_> {
    fn apply(&mut self, r: &[DVec3], z: &mut [DVec3]) {
        self.factor.solve_once(r, z);
        let Correction { columns, used, capacity, q, y } = &mut *self.by;
        q.clear();
        q.extend(
            used.iter().map(|(c, w)| {
                w * columns[*c].gradient.iter().map(|(b, g)| g.dot(z[*b as usize])).sum::<f64>()
            }),
        );
        y.clear();
        y.resize(q.len(), 0.0);
        capacity.solve(q, y);
        for ((c, w), y) in used.iter().zip(y.iter()) {
            let f = w * y;
            for (z, s) in z.iter_mut().zip(columns[*c].solved.chunks_exact(3)) {
                *z -= DVec3::new(s[0], s[1], s[2]) * f;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{RowKind, Rows};
    use impinge_solvers::{BlockMatrix, BlockPattern, FactorKind, Filter, System};

    /// A chain of `n` nodes and the rows `terms` in its matrix.
    fn factor_of(pattern: &BlockPattern, values: &[[f64; 9]], p: &Problem<'_>, terms: &[Term]) -> Factor {
        let mut v = values.to_vec();
        let mut g = Vec::new();
        for t in terms {
            t.gradient(p, &mut g);
            for (a, ga) in &g {
                for (b, gb) in &g {
                    let slot = pattern.slot(*a, *b);
                    if slot != impinge_solvers::pattern::NONE {
                        let (ga, gb) = ([ga.x, ga.y, ga.z], [gb.x, gb.y, gb.z]);
                        (0..9).for_each(|k| v[slot as usize][k] += t.weight * ga[k / 3] * gb[k % 3]);
                    }
                }
            }
        }
        let mut f = Factor::new(pattern, FactorKind::Llt).unwrap();
        f.refactor(&BlockMatrix::new(pattern, &v).unwrap(), &Filter::none()).unwrap();
        f
    }

    #[test]
    fn a_corrected_factor_is_the_factor_of_the_rows_that_are_there() {
        let n = 100u32;
        let links: Vec<[u32; 2]> = (1..n).map(|i| [i - 1, i]).collect();
        let pattern = BlockPattern::new(n as usize, links.iter().map(|l| &l[..])).unwrap();
        let mut values = vec![[0.0; 9]; pattern.blocks()];
        values[..n as usize].iter_mut().for_each(|v| (0..3).for_each(|k| v[4 * k] = 2.1));
        values[n as usize..].iter_mut().for_each(|v| (0..3).for_each(|k| v[4 * k] = -1.0));
        let mut rows = Rows::new();
        for i in 1..n {
            // Every third between two nodes.
            let g = DVec3::new(0.6, 0.0, if i % 2 == 0 { 0.8 } else { -0.8 });
            let both = [(i, g), (i - 1, -g)];
            rows.push(RowKind::Contact, u64::from(i), 0.1, &both[..1 + usize::from(i % 3 == 0)]).unwrap();
        }
        let b = vec![DVec3::unit_z(); n as usize];
        let p = Problem::of_nodes(System::new(BlockMatrix::new(&pattern, &values).unwrap()), &b, &rows);
        let term = |i: usize| Term::of_row(i, 1e5);
        let base: Vec<Term> = (0..60).map(term).collect();
        let mut factor = factor_of(&pattern, &values, &p, &base);
        let mut correction = Correction::default();
        // Rows leave and come; then one of each goes back and others follow: columns that are kept, and new ones beside them.
        let sets: [(&[usize], &[usize]); 3] =
            [(&[3, 11, 20], &[65, 66]), (&[3, 20, 21], &[66, 80]), (&[], &[70])];
        for (gone, come) in sets {
            let mut changed: Vec<(Term, bool)> = gone.iter().map(|&i| (term(i), false)).collect();
            changed.extend(come.iter().map(|&i| (term(i), true)));
            assert!(correction.set(&p, &mut factor, &changed));
            let mut now: Vec<Term> =
                base.iter().copied().filter(|t| !gone.contains(&(t.row as usize))).collect();
            now.extend(come.iter().map(|&i| term(i)));
            let (mut got, mut want) = (vec![DVec3::zero(); b.len()], vec![DVec3::zero(); b.len()]);
            Corrected { factor: &mut factor, by: &mut correction }.apply(&b, &mut got);
            factor_of(&pattern, &values, &p, &now).solve_once(&b, &mut want);
            let far = got.iter().zip(&want).fold(0.0, |m: f64, (a, b)| m.max((*a - *b).mag()));
            let size = want.iter().fold(0.0, |m: f64, a| m.max(a.mag()));
            // The weight's five digits are lost where a row leaves.
            assert!(far < 1e-8 * size, "{far:.1e} of {size:.1e}");
            let mut without = vec![DVec3::zero(); b.len()];
            factor.solve_once(&b, &mut without);
            let apart = without.iter().zip(&want).fold(0.0, |m: f64, (a, b)| m.max((*a - *b).mag()));
            assert!(apart > 1e-3 * size, "the rows make no difference: {apart:.1e}");
        }
        assert_eq!(correction.columns.len(), 8, "columns that were there are not found anew");
    }
}
