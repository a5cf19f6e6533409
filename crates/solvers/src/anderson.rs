//! Anderson acceleration of a fixed-point iteration x ← g(x).
//!
//! The residuals f = g(x) − x of the last rounds are combined, with coefficients that sum to one, to the smallest one (least squares); the next
//! x is the same combination of the values of g. Where g is affine this is GMRES: it ends after as many rounds as g contracts in directions. A
//! step that made the residual larger is taken back, and a shorter one or half the way to g(x) is made in its place.
//! (D. G. Anderson, Iterative procedures for nonlinear integral equations, 1965; H. Walker, P. Ni, 2011.)

/// A column whose part beside the others is below this part of its size says nothing new.
const DEPENDENT: f64 = 1e-10;
/// Of an extrapolated step that made the residual larger this part is tried next.
const SHORTER: f64 = 0.3;
/// Half the way to g(x): where extrapolation made the residual larger, for it left the piece of g that the history is of. Where g brings no two
/// points farther apart, such steps lead to a fixed point by themselves.
const DAMPED: f64 = 0.5;

/// The history of an iteration.
#[derive(Clone, Debug)]
pub struct Anderson {
    depth: usize,
    /// x and f of the last round that was not taken back.
    last: Option<(Vec<f64>, Vec<f64>)>,
    /// Tries that are left to the last extrapolated step, and its end.
    far: (u32, Vec<f64>),
    /// Differences of g and of f from round to round, the oldest first.
    steps: Vec<(Vec<f64>, Vec<f64>)>,
}

impl Anderson {
    /// Remembers `depth` rounds.
    #[must_use]
    pub fn new(depth: usize) -> Self {
        Self { depth, last: None, far: (0, Vec::new()), steps: Vec::new() }
    }

    /// Forgets everything: the next iteration is another one.
    pub fn clear(&mut self) {
        self.last = None;
        self.far.0 = 0;
        self.steps.clear();
    }

    /// Takes `x` and `g` = g(x), any unit so long as all numbers of a vector may be compared; puts the next x in its place.
    ///
    /// # Panics
    /// When the two differ in length.
    pub fn next(&mut self, x: &mut [f64], g: &[f64]) {
        assert_eq!(x.len(), g.len(), "x and g(x) differ in length");
        let f: Vec<f64> = g.iter().zip(x.iter()).map(|(g, x)| g - x).collect();
        if let Some((x0, f0)) = &self.last
            && x0.len() == x.len()
        {
            if self.far.0 > 0 && norm(&f) > norm(f0) {
                self.take_back(x);
                return;
            }
            let minus = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
            let df = minus(&f, f0);
            let dg = minus(x, x0).iter().zip(&df).map(|(dx, df)| dx + df).collect();
            self.steps.push((dg, df));
            if self.steps.len() > self.depth {
                self.steps.remove(0);
            }
        } else {
            self.steps.clear();
        }
        self.last = Some((x.to_vec(), f.clone()));
        x.copy_from_slice(g);
        for (gamma, (dg, _)) in self.coefficients(&f).iter().zip(&self.steps) {
            x.iter_mut().zip(dg).for_each(|(x, d)| *x -= gamma * d);
        }
        self.far = (if self.steps.is_empty() { 0 } else { 2 }, x.to_vec());
    }

    /// Puts less of the last extrapolated step in the place of `x`, and where that was tried, another way from where it was; whether there was
    /// such a step. For an `x` that g has no value of.
    pub fn take_back(&mut self, x: &mut [f64]) -> bool {
        let Some((x0, f0)) = &self.last else { return false };
        if self.far.0 == 0 || x0.len() != x.len() {
            return false;
        }
        self.far.0 -= 1;
        if self.far.0 > 0 {
            x.iter_mut().zip(x0).zip(&self.far.1).for_each(|((x, x0), e)| *x = x0 + SHORTER * (e - x0));
        } else {
            x.iter_mut().zip(x0).zip(f0).for_each(|((x, x0), f0)| *x = x0 + DAMPED * f0);
            self.steps.clear();
        }
        true
    }

    /// γ that makes f − Σ γ Δf smallest, by Gram–Schmidt from the newest difference to the oldest.
    fn coefficients(&self, f: &[f64]) -> Vec<f64> {
        let n = self.steps.len();
        // Orthonormal columns, and each difference in terms of them.
        let mut basis: Vec<(usize, Vec<f64>, Vec<f64>)> = Vec::new();
        for k in (0..n).rev() {
            let df = &self.steps[k].1;
            let mut q = df.clone();
            let mut r = Vec::with_capacity(basis.len() + 1);
            for (_, b, _) in &basis {
                let along = dot(b, &q);
                q.iter_mut().zip(b).for_each(|(q, b)| *q -= along * b);
                r.push(along);
            }
            let left = norm(&q);
            if left > DEPENDENT * norm(df) {
                q.iter_mut().for_each(|q| *q /= left);
                r.push(left);
                basis.push((k, q, r));
            }
        }
        let mut gamma = vec![0.0; n];
        let mut of_basis: Vec<f64> = basis.iter().map(|(_, q, _)| dot(q, f)).collect();
        for i in (0..basis.len()).rev() {
            let (k, _, r) = &basis[i];
            gamma[*k] = of_basis[i] / r[i];
            (0..i).for_each(|j| of_basis[j] -= gamma[*k] * r[j]);
        }
        gamma
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
