//! The dense backend: systems of a few hundred unknowns, reduced to whichever is fewer, rows or velocities.

use crate::problem::{Dof, Problem, QpError};
use crate::term::Term;
use impinge_geometry::DVec3;
use impinge_solvers::dense::{DenseCholesky, dot, start_of};
use impinge_solvers::pattern::NONE;
use impinge_solvers::{Operator, System};

/// Lanes of the inner products.
pub(crate) const LANES: usize = 4;

/// K factored; `L⁻¹ Jᵢᵀ` and `Jᵢ K⁻¹ Jⱼᵀ` of the rows asked for so far: rows come and go from iteration to iteration, and stay what they are.
#[derive(Debug, Default)]
pub(crate) struct Dense {
    pub(crate) k: DenseCholesky<LANES>,
    /// Number of each row among those asked for; [`NONE`] before.
    slot: Vec<u32>,
    /// Unknowns, and so many numbers for each.
    n: usize,
    white: Vec<f64>,
    /// Where each of them is not zero.
    extent: Vec<Extent>,
    /// Those by those, lower half row by row; NaN where nobody asked yet.
    gram: Vec<f64>,
    schur: DenseCholesky<LANES>,
    /// Terms that `schur` is of, and what scales them: where no row changes sides, and mostly none does, they are those of the solve before.
    factored: Vec<Term>,
    scale: Vec<f64>,
    /// Lower half of a sum over velocities, block row by block row.
    blocks: Vec<[[f64; 3]; 3]>,
    s: Vec<f64>,
    y: Vec<f64>,
    g: Vec<f64>,
}

/// What stands before and from these places on is zero; both by whole lanes, so that sums over the rest are those over everything.
#[derive(Clone, Copy, Debug)]
struct Extent {
    from: usize,
    to: usize,
}

fn extent(v: &[f64]) -> Extent {
    let last = v.iter().rposition(|v| *v != 0.0).map_or(0, |i| i + 1);
    let from = start_of::<LANES>(v).min(last);
    // What is left of a lane would be summed apart.
    let to = last.next_multiple_of(LANES);
    Extent { from, to: if to < v.len() { to } else { v.len() } }
}

/// Adds `weight · g gᵀ` to a lower half in blocks; above its diagonal what is in a block has no meaning.
fn add_square(g: &[[f64; 3]], weight: f64, blocks: &mut [[[f64; 3]; 3]]) {
    let mut first = 0;
    for (i, gi) in g.iter().enumerate() {
        let row = &mut blocks[first..][..i + 1];
        first += i + 1;
        if *gi == [0.0; 3] {
            continue;
        }
        let f = gi.map(|g| g * weight);
        for (block, gj) in row.iter_mut().zip(g).filter(|(_, g)| **g != [0.0; 3]) {
            for (row, f) in block.iter_mut().zip(f) {
                row.iter_mut().zip(gj).for_each(|(a, g)| *a += f * g);
            }
        }
    }
}

/// The rows of a term and their factors.
fn parts(t: &Term) -> impl Iterator<Item = (usize, f64)> + use<> {
    [(t.row, t.ca), (t.other, t.cb)].into_iter().filter(|p| p.0 != NONE).map(|(row, c)| (row as usize, c))
}

impl Dense {
    pub(crate) fn prepare(&mut self, p: &Problem<'_>) -> Result<(), QpError> {
        self.slot.clear();
        self.slot.resize(p.rows.len(), NONE);
        self.white.clear();
        self.extent.clear();
        self.gram.clear();
        self.factored.clear();
        let n = 3 * p.b.len();
        self.n = n;
        let k = p.k.matrix();
        let factored = match p.is_apart() {
            true => self.k.factor_blocks(k.diagonal()),
            false => self.k.factor_band(n, &dense_matrix(&p.k)),
        };
        factored.map_err(|column| QpError::NotDefinite { at: Dof::of(&p.layout, column / 3) })
    }

    /// `L⁻¹ J_rowᵀ`.
    pub(crate) fn whitened(&mut self, p: &Problem<'_>, row: usize) -> &[f64] {
        if self.slot[row] == NONE {
            self.slot[row] = self.extent.len() as u32;
            let from = self.white.len();
            self.white.resize(from + self.n, 0.0);
            let g = &mut self.white[from..];
            let of = p.rows.row(row);
            let (blocks, _) = g.as_chunks_mut::<3>();
            for (&b, v) in of.blocks.iter().zip(of.gradients) {
                let g = &mut blocks[b as usize];
                *g = [g[0] + v.x, g[1] + v.y, g[2] + v.z];
            }
            self.k.forward(g);
            self.extent.push(extent(g));
        }
        self.white(row).0
    }

    /// The same of a row that was asked for before, and where it is not zero.
    #[inline]
    fn white(&self, row: usize) -> (&[f64], Extent) {
        self.by_slot(self.slot[row] as usize)
    }

    #[inline]
    fn by_slot(&self, slot: usize) -> (&[f64], Extent) {
        (&self.white[slot * self.n..][..self.n], self.extent[slot])
    }

    /// `J_i K⁻¹ J_jᵀ` of two such rows.
    pub(crate) fn gram(&mut self, i: usize, j: usize) -> f64 {
        let [i, j] = [i, j].map(|row| self.slot[row] as usize);
        let (i, j) = (i.max(j), i.min(j));
        let at = i * (i + 1) / 2 + j;
        if at >= self.gram.len() {
            let slots = self.extent.len();
            self.gram.resize(slots * (slots + 1) / 2, f64::NAN);
        }
        if self.gram[at].is_nan() {
            let ((a, at_a), (b, at_b)) = (self.by_slot(i), self.by_slot(j));
            let from = at_a.from.max(at_b.from);
            self.gram[at] = dot::<LANES>(&a[from..], &b[from..]);
        }
        self.gram[at]
    }

    /// K⁻¹ times a vector.
    pub(crate) fn motion(&self, b: &[DVec3]) -> Vec<DVec3> {
        let mut y = flat(b);
        self.k.forward(&mut y);
        self.k.backward(&mut y);
        let mut x = vec![DVec3::zero(); b.len()];
        unflat(&y, &mut x);
        x
    }

    /// Product of two terms' gradients.
    fn product(&mut self, a: &Term, b: &Term) -> f64 {
        if a.is_row() && b.is_row() {
            return self.gram(a.row as usize, b.row as usize);
        }
        let mut sum = 0.0;
        for (i, ci) in parts(a) {
            for (j, cj) in parts(b) {
                sum += ci * cj * self.gram(i, j);
            }
        }
        sum
    }

    /// Product of a term's gradient with a vector.
    #[inline]
    fn along(&self, t: &Term, y: &[f64]) -> f64 {
        let of = |row: u32| {
            let (w, Extent { from, to }) = self.white(row as usize);
            dot::<LANES>(&w[from..to], &y[from..to])
        };
        match t.is_row() {
            true => of(t.row),
            false => parts(t).map(|(row, c)| c * of(row as u32)).sum(),
        }
    }

    /// `y ← y + f g` with the term's gradient.
    #[inline]
    fn add(&self, t: &Term, f: f64, y: &mut [f64]) {
        for (row, c) in parts(t) {
            let (w, Extent { from, to }) = self.white(row);
            let f = f * c;
            y[from..to].iter_mut().zip(&w[from..to]).for_each(|(y, w)| *y += f * w);
        }
    }

    /// `d` of `(K + Σ terms) d = rhs`.
    pub(crate) fn solve(
        &mut self,
        p: &Problem<'_>,
        terms: &[Term],
        rhs: &[DVec3],
        d: &mut [DVec3],
    ) -> Result<(), QpError> {
        for (row, _) in terms.iter().flat_map(parts) {
            self.whitened(p, row);
        }
        let mut y = std::mem::take(&mut self.y);
        y.clear();
        y.extend(rhs.iter().flat_map(|v| [v.x, v.y, v.z]));
        self.k.forward(&mut y);
        let same = !terms.is_empty() && self.factored == terms;
        if !same {
            self.factored.clear();
        }
        if terms.len() > y.len() {
            if !same {
                self.factor_velocities(p, terms)?;
            }
            self.solve_velocities(terms, &mut y);
        } else {
            if !same {
                self.factor_rows(p, terms)?;
            }
            self.solve_rows(terms, &mut y);
        }
        if !same {
            self.factored.extend_from_slice(terms);
        }
        self.k.backward(&mut y);
        unflat(&y, d);
        self.y = y;
        Ok(())
    }

    /// Factors I + Σ w g gᵀ for whitened g, reduced to the terms.
    fn factor_rows(&mut self, p: &Problem<'_>, terms: &[Term]) -> Result<(), QpError> {
        let m = terms.len();
        // Scaled to a unit diagonal: rows may be in any units.
        let mut scale = std::mem::take(&mut self.scale);
        scale.clear();
        scale.extend(terms.iter().map(|t| 1.0 / (self.product(t, t) + 1.0 / t.weight).sqrt()));
        let mut s = std::mem::take(&mut self.s);
        s.clear();
        s.resize(m * m, 0.0);
        for i in 0..m {
            for j in 0..i {
                s[i * m + j] = self.product(&terms[i], &terms[j]) * scale[i] * scale[j];
            }
            s[i * m + i] = 1.0;
        }
        let factored = self.schur.factor_band(m, &s);
        (self.s, self.scale) = (s, scale);
        factored.map_err(|column| {
            let block = p.rows.row(terms[column].row as usize).blocks.first().copied().unwrap_or(0);
            QpError::NotDefinite { at: Dof::of(&p.layout, block as usize) }
        })
    }

    /// `y ← (I + Σ w g gᵀ)⁻¹ y`.
    fn solve_rows(&mut self, terms: &[Term], y: &mut [f64]) {
        let mut q = std::mem::take(&mut self.g);
        q.clear();
        q.extend(terms.iter().zip(&self.scale).map(|(t, s)| self.along(t, y) * s));
        self.schur.solve(&mut q);
        for ((t, q), s) in terms.iter().zip(&q).zip(&self.scale) {
            self.add(t, -q * s, y);
        }
        self.g = q;
    }

    /// As [`Dense::factor_rows`], reduced to the velocities: cheaper where more rows are active than there are unknowns. Summed in blocks of three,
    /// and of a row only those that it has: a contact knows two bodies of a heap.
    fn factor_velocities(&mut self, p: &Problem<'_>, terms: &[Term]) -> Result<(), QpError> {
        let n = self.n;
        let mut blocks = std::mem::take(&mut self.blocks);
        blocks.clear();
        blocks.resize((n / 3) * (n / 3 + 1) / 2, [[0.0; 3]; 3]);
        let mut sum = std::mem::take(&mut self.g);
        sum.resize(n, 0.0);
        for t in terms {
            let g = match t.is_row() {
                true => self.white(t.row as usize).0,
                false => {
                    sum.fill(0.0);
                    self.add(t, 1.0, &mut sum);
                    &sum[..n]
                }
            };
            add_square(g.as_chunks().0, t.weight, &mut blocks);
        }
        self.g = sum;
        let mut a = std::mem::take(&mut self.s);
        a.clear();
        a.resize(n * n, 0.0);
        let mut of = blocks.iter();
        for i in 0..n / 3 {
            for (j, block) in of.by_ref().take(i + 1).enumerate() {
                for (r, row) in block.iter().enumerate() {
                    a[(3 * i + r) * n + 3 * j..][..3].copy_from_slice(row);
                }
            }
        }
        self.blocks = blocks;
        (0..n).for_each(|i| a[i * n + i] += 1.0);
        let factored = self.schur.factor_band(n, &a);
        self.s = a;
        factored.map_err(|column| QpError::NotDefinite { at: Dof::of(&p.layout, column / 3) })
    }

    /// `y ← (I + Σ w g gᵀ)⁻¹ y`.
    fn solve_velocities(&mut self, terms: &[Term], y: &mut [f64]) {
        let mut left = std::mem::take(&mut self.g);
        left.clear();
        left.extend_from_slice(y);
        self.schur.solve(y);
        // Weights may be 10¹⁰ of K: one step of refinement gives back the digits of what no row holds.
        left.iter_mut().zip(&*y).for_each(|(l, y)| *l -= y);
        for t in terms {
            if t.is_row() {
                let (w, Extent { from, to }) = self.white(t.row as usize);
                let w = &w[from..to];
                let f = t.weight * dot::<LANES>(w, &y[from..to]);
                left[from..to].iter_mut().zip(w).for_each(|(l, w)| *l -= f * w);
            } else {
                let f = t.weight * self.along(t, y);
                self.add(t, -f, &mut left);
            }
        }
        self.schur.solve(&mut left);
        y.iter_mut().zip(&left).for_each(|(y, l)| *y += l);
        self.g = left;
    }
}

/// K as a dense lower triangle (rows of n, symmetric up to rounding).
pub(crate) fn dense_matrix(k: &System<'_>) -> Vec<f64> {
    let blocks = k.nodes();
    let n = 3 * blocks;
    let mut a = vec![0.0; n * n];
    if k.contacts().is_empty() {
        let matrix = k.matrix();
        let mut put = |i: usize, j: usize, block: &[f64; 9]| {
            for (e, v) in block.iter().enumerate() {
                a[(3 * i + e / 3) * n + 3 * j + e % 3] = *v;
            }
        };
        for i in 0..blocks {
            put(i, i, &matrix.diagonal()[i]);
            for (v, &j) in matrix.lower_row(i).iter().zip(matrix.pattern().row(i)) {
                put(i, j as usize, v);
            }
        }
        return a;
    }
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
