//! The largest s = 1/h at which `4 s² M − 2 s D − K` is singular: up to h the step is stable.
//!
//! With q = s u it is the largest eigenvalue of `B (u, q) = (q, M⁻¹ (2 D q + K u)/4)`, which is symmetric in the inner product
//! `u·K u' + 4 q·M q'`: Lanczos' method finds it to many digits in a few dozen products with K and D, from below.

use super::super::operator::{ElasticOperator, matrix};
use super::super::system::ElasticSystem;
use impinge_contact::sums::ordered_sum;
use impinge_geometry::{DMat3, DVec3, inverse};
use impinge_solvers::ApplyWorkspace;

/// Fewest and most iterations.
const ROUNDS: [usize; 2] = [48, 400];
/// Iterations between two looks at the estimate; growth (relative) between them that ends the search.
const LOOK: usize = 12;
const GROWTH: f64 = 1e-6;

/// K and D of an operator that is placed and assembled.
pub(super) struct Pencil<'a> {
    system: &'a ElasticSystem,
    op: &'a mut ElasticOperator,
}

/// (u, q).
struct Pair {
    u: Vec<DVec3>,
    q: Vec<DVec3>,
}

impl Pair {
    fn zero(n: usize) -> Self {
        Self { u: vec![DVec3::zero(); n], q: vec![DVec3::zero(); n] }
    }

    fn add(&mut self, s: f64, other: &Self) {
        self.u.iter_mut().zip(&other.u).for_each(|(a, b)| *a += *b * s);
        self.q.iter_mut().zip(&other.q).for_each(|(a, b)| *a += *b * s);
    }

    fn divide(&mut self, s: f64) {
        self.u.iter_mut().chain(&mut self.q).for_each(|a| *a /= s);
    }
}

fn inner(a: &[DVec3], b: &[DVec3]) -> f64 {
    ordered_sum(a.len(), |i| a[i].dot(b[i]))
}

impl<'a> Pencil<'a> {
    pub(super) fn new(system: &'a ElasticSystem, op: &'a mut ElasticOperator) -> Self {
        Self { system, op }
    }

    pub(super) fn op(&self) -> &ElasticOperator {
        self.op
    }

    /// The largest s (1/s) with these masses of the blocks; 0 without stiffness and damping. A block whose mass has no inverse stands still.
    pub(super) fn fastest(&mut self, mass: &[DMat3]) -> f64 {
        let (system, n) = (self.system, mass.len());
        let light: Vec<DMat3> = mass.iter().map(|m| inverse(m).unwrap_or(ZERO)).collect();
        let mut workspace = std::mem::take(&mut self.op.apply);
        let mut x = Pair { u: vec![DVec3::zero(); n], q: start(n) };
        system.filter.project(&mut x.q);
        x.q.iter_mut().zip(&light).filter(|(_, l)| **l == ZERO).for_each(|(q, _)| *q = DVec3::zero());
        let weight = |q: &[DVec3]| 4.0 * ordered_sum(n, |i| q[i].dot(mass[i] * q[i]));
        let first = weight(&x.q).sqrt();
        let (mut diagonal, mut beside): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        let (mut before, mut next) = (Pair::zero(n), Pair::zero(n));
        let (mut ku, mut dq) = (vec![DVec3::zero(); n], vec![DVec3::zero(); n]);
        let (mut size, mut found) = (0.0, 0.0);
        if first > 0.0 {
            x.divide(first);
        }
        for round in 1..=ROUNDS[1] {
            self.damping(&x.q, &mut dq, &mut workspace);
            for i in 0..n {
                next.u[i] = x.q[i];
                next.q[i] = light[i] * (dq[i] * 2.0 + ku[i]) * 0.25;
            }
            system.filter.project(&mut next.q);
            let along = 2.0 * (inner(&x.q, &ku) + inner(&x.q, &dq));
            next.add(-along, &x);
            next.add(-size, &before);
            matrix(system, &self.op.stiffness).apply(&next.u, &mut ku, &mut workspace);
            size = (inner(&next.u, &ku) + weight(&next.q)).max(0.0).sqrt();
            diagonal.push(along);
            let before_it = beside.last().copied().unwrap_or(0.0);
            // Nothing is left that the vectors so far do not span.
            let done = size <= 1e-14 * (along.abs() + before_it);
            if round.is_multiple_of(LOOK) || done || round == ROUNDS[1] {
                let now = largest(&diagonal, &beside);
                let settled = now - found <= GROWTH * now && round >= ROUNDS[0];
                found = now;
                if done || settled {
                    break;
                }
            }
            beside.push(size);
            next.divide(size);
            ku.iter_mut().for_each(|k| *k /= size);
            std::mem::swap(&mut before, &mut x);
            std::mem::swap(&mut x, &mut next);
        }
        self.op.apply = workspace;
        if found > 0.0 { found } else { 0.0 }
    }

    /// D q.
    fn damping(&self, q: &[DVec3], out: &mut [DVec3], workspace: &mut ApplyWorkspace) {
        if self.op.damping.is_empty() {
            out.fill(DVec3::zero());
        } else {
            matrix(self.system, &self.op.damping).apply(q, out, workspace);
        }
        for ((out, q), c) in out.iter_mut().zip(q).zip(&self.system.mass_damping) {
            *out += *q * *c;
        }
    }
}

const ZERO: DMat3 = DMat3 { cols: [ZERO_COLUMN; 3] };
const ZERO_COLUMN: DVec3 = DVec3 { x: 0.0, y: 0.0, z: 0.0 };

/// A start with a bit of every mode: no pattern that a regular mesh could be blind to.
fn start(n: usize) -> Vec<DVec3> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    };
    (0..n).map(|_| DVec3::new(next(), next(), next())).collect()
}

/// The largest eigenvalue of a symmetric tridiagonal matrix, by bisection: above it all pivots of `T − s` are negative.
fn largest(diagonal: &[f64], beside: &[f64]) -> f64 {
    let n = diagonal.len();
    let next_to = |i: usize| {
        let left = if i > 0 { beside[i - 1] } else { 0.0 };
        left + if i + 1 < n { beside[i] } else { 0.0 }
    };
    let mut low = diagonal.iter().fold(f64::NEG_INFINITY, |m, d| m.max(*d));
    let mut high = (0..n).fold(low, |m, i| m.max(diagonal[i] + next_to(i)));
    let above = |s: f64| {
        let mut pivot = diagonal[0] - s;
        for i in 1..n {
            if pivot >= 0.0 {
                return false;
            }
            pivot = diagonal[i] - s - beside[i - 1] * beside[i - 1] / pivot;
        }
        pivot < 0.0
    };
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if above(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_eigenvalue_of_a_chain() {
        // 2 − 2 cos(kπ/(n + 1)), k = n.
        let (n, want) = (9, 2.0 - 2.0 * libm::cos(std::f64::consts::PI * 0.9));
        assert!((largest(&vec![2.0; n], &vec![1.0; n - 1]) - want).abs() < 1e-14);
        assert_eq!(largest(&[-3.0], &[]), -3.0);
    }
}
