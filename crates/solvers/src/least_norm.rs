//! The least-norm split of forces that rigid bodies leave undetermined.
//!
//! Contacts of one pair of rigid bodies have a resultant of at most six numbers. Where there are more contacts, equilibrium bears any λ ≥ 0 with
//! that resultant. The split here is the one with the least Σ λᵢ²/wᵢ: that of equal springs (of stiffness wᵢ) as they grow stiff. Under a flat base
//! it is the uniform pressure, or the linear one; where the resultant leaves the kern, contacts that would pull let go.
//!
//! With sᵢ = λᵢ/√wᵢ and an orthonormal basis Q of the weighted gradients' columns the problem is min ½|s|² over s ≥ 0, Qᵀs = c. Its dual has as many
//! unknowns as the resultant: s = (Qy)₊, Qᵀ(Qy)₊ = c, a concave piecewise quadratic. Newton's method with a search along each direction ends after
//! finitely many steps; where nothing lets go the first one, y = c, is the answer.

use crate::DenseCholesky;

/// Part of a block of gradients below which a direction of it is rounding: nothing is asked of it.
const ROUNDING: f64 = 1e-11;
/// Part of the resultant that a split may miss.
const KEPT: f64 = 1e-13;
/// Newton steps at most.
const STEPS: u32 = 60;
/// Halvings of one at most.
const HALVINGS: u32 = 30;
/// Part of the trace that is added to a system, and taken out again by later steps: what lets go may leave it singular.
const RIDGE: f64 = 1e-12;

/// Splits forces; kept for its memory alone.
#[derive(Debug, Default)]
pub struct LeastNorm {
    /// Columns of the basis, one after the other.
    basis: Vec<f64>,
    /// s, and what is looked for.
    given: Vec<f64>,
    split: Vec<f64>,
    trial: Vec<f64>,
    factor: DenseCholesky<8>,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn size(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

impl LeastNorm {
    /// The split of `forces` ≥ 0 with the least Σ λ²/w and the same Σ λ g, in place of them; the largest change of a force over the largest of
    /// them. `gradients` has one entry for each force and block of what it moves, force by force: linear or angular parts, each block of one unit.
    /// A force of weight 0 has to be 0. Where nothing is undetermined, or the resultant cannot be kept to rounding, forces stay and the answer is 0.
    ///
    /// # Panics
    /// When lengths differ.
    pub fn split(&mut self, gradients: &[[f64; 3]], weights: &[f64], forces: &mut [f64]) -> f64 {
        let n = forces.len();
        assert!(weights.len() == n && (n == 0 || gradients.len().is_multiple_of(n)));
        let largest = forces.iter().fold(0.0, |m: f64, f| m.max(*f));
        let usable = weights.iter().zip(&*forces).all(|(w, f)| *f >= 0.0 && (*w > 0.0 || *f == 0.0));
        if !(usable && n > 1 && largest > 0.0 && largest.is_finite()) {
            return 0.0;
        }
        let rank = self.span(gradients, weights, n);
        let free = weights.iter().filter(|w| **w > 0.0).count();
        if rank == 0 || rank >= free {
            return 0.0;
        }
        self.given.clear();
        self.given.extend(forces.iter().zip(weights).map(|(f, w)| if *w > 0.0 { f / w.sqrt() } else { 0.0 }));
        if !self.least(n, rank) {
            return 0.0;
        }
        let mut changed = 0.0f64;
        for ((f, s), w) in forces.iter_mut().zip(&self.split).zip(weights) {
            let next = s * w.sqrt();
            changed = changed.max((next - *f).abs());
            *f = next;
        }
        changed / largest
    }

    /// An orthonormal basis of the columns √w g; how many there are.
    fn span(&mut self, gradients: &[[f64; 3]], weights: &[f64], n: usize) -> usize {
        let blocks = gradients.len() / n;
        let mut columns: Vec<Vec<f64>> = Vec::with_capacity(3 * blocks);
        for b in 0..blocks {
            let of = |axis: usize| {
                let weighted = |(i, w): (usize, &f64)| w.sqrt() * gradients[i * blocks + b][axis];
                weights.iter().enumerate().map(weighted).collect::<Vec<f64>>()
            };
            let own: [Vec<f64>; 3] = std::array::from_fn(of);
            let scale = own.iter().map(|c| dot(c, c)).sum::<f64>().sqrt();
            if scale > 0.0 && scale.is_finite() {
                columns.extend(own.map(|c| c.iter().map(|x| x / scale).collect()));
            }
        }
        self.basis.clear();
        let mut rank = 0;
        // The longest that is left next; twice, as once leaves rounding over what was taken away.
        while rank < n {
            let longest = (0..columns.len()).max_by(|&i, &j| size(&columns[i]).total_cmp(&size(&columns[j])));
            let Some(mut column) = longest.map(|i| columns.swap_remove(i)) else { break };
            for k in 0..rank {
                let q = &self.basis[k * n..(k + 1) * n];
                let along = dot(q, &column);
                column.iter_mut().zip(q).for_each(|(c, q)| *c -= along * q);
            }
            let length = size(&column);
            if !(length > ROUNDING) {
                break;
            }
            column.iter_mut().for_each(|c| *c /= length);
            for other in &mut columns {
                let along = dot(&column, other);
                other.iter_mut().zip(&column).for_each(|(o, c)| *o -= along * c);
            }
            self.basis.extend(column);
            rank += 1;
        }
        rank
    }

    /// s = (Qy)₊ with Qᵀs that of what is given; whether it was found.
    fn least(&mut self, n: usize, rank: usize) -> bool {
        let Self { basis, given, split, trial, factor } = self;
        let column = |k: usize| &basis[k * n..(k + 1) * n];
        let resultant = |s: &[f64]| (0..rank).map(|k| dot(column(k), s)).collect::<Vec<f64>>();
        let at = |y: &[f64], out: &mut Vec<f64>| {
            out.clear();
            out.resize(n, 0.0);
            for (k, y) in y.iter().enumerate() {
                out.iter_mut().zip(column(k)).for_each(|(o, q)| *o += y * q);
            }
            out.iter_mut().for_each(|o| *o = o.max(0.0));
        };
        let c = resultant(given);
        let aim = size(&c);
        let mut y = c.clone();
        at(&y, split);
        let lacks = |s: &[f64]| c.iter().zip(resultant(s)).map(|(c, s)| c - s).collect::<Vec<f64>>();
        let value = |y: &[f64], s: &[f64]| dot(&c, y) - 0.5 * dot(s, s);
        let mut left = lacks(split);
        let mut best = (size(&left), split.clone());
        for _ in 0..STEPS {
            if best.0 <= 1e-3 * KEPT * aim {
                break;
            }
            let matrix = factor.matrix_mut(rank);
            for i in 0..rank {
                for j in 0..=i {
                    let pushing = (0..n).filter(|&e| split[e] > 0.0);
                    matrix[i * rank + j] = pushing.map(|e| basis[i * n + e] * basis[j * n + e]).sum();
                }
            }
            let trace: f64 = (0..rank).map(|i| matrix[i * rank + i]).sum();
            (0..rank).for_each(|i| matrix[i * rank + i] += RIDGE * trace.max(RIDGE));
            if factor.factor().is_err() {
                break;
            }
            let mut d = left.clone();
            factor.solve(&mut d);
            let slope = dot(&d, &left);
            let now = value(&y, split);
            let mut t = 1.0;
            let mut moved = false;
            for _ in 0..HALVINGS {
                let next: Vec<f64> = y.iter().zip(&d).map(|(y, d)| y + t * d).collect();
                at(&next, trial);
                let then = lacks(trial);
                // Near the end values are rounding, and what is left says more.
                if value(&next, trial) > now + 1e-4 * t * slope || size(&then) < 0.5 * size(&left) {
                    y = next;
                    std::mem::swap(split, trial);
                    left = then;
                    moved = true;
                    break;
                }
                t *= 0.5;
            }
            if !moved {
                break;
            }
            if size(&left) < best.0 {
                best.0 = size(&left);
                best.1.clone_from(split);
            }
        }
        split.clone_from(&best.1);
        best.0 <= KEPT * aim
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contacts at these places that push a body along z: linear and angular gradients about the origin.
    fn flat(places: &[[f64; 2]]) -> Vec<[f64; 3]> {
        places.iter().flat_map(|[x, y]| [[0.0, 0.0, 1.0], [*y, -*x, 0.0]]).collect()
    }

    fn resultant(gradients: &[[f64; 3]], forces: &[f64]) -> [f64; 6] {
        std::array::from_fn(|k| {
            forces.iter().enumerate().map(|(i, f)| f * gradients[2 * i + k / 3][k % 3]).sum()
        })
    }

    fn grid(n: usize) -> Vec<[f64; 2]> {
        let at = |i: usize| (i as f64 / (n - 1) as f64) - 0.5;
        (0..n * n).map(|i| [at(i % n), at(i / n)]).collect()
    }

    /// Three contacts with this centre: a split that equilibrium bears.
    fn on_three(places: &[[f64; 2]], [i, j, k]: [usize; 3], [x, y]: [f64; 2]) -> Vec<f64> {
        let cross = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| {
            (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        };
        let [a, b, c] = [i, j, k].map(|i| places[i]);
        let all = cross(a, b, c);
        let mut out = vec![0.0; places.len()];
        (out[i], out[j], out[k]) =
            (cross([x, y], b, c) / all, cross(a, [x, y], c) / all, cross(a, b, [x, y]) / all);
        out
    }

    #[test]
    fn a_centred_weight_is_uniform_and_one_off_the_middle_linear() {
        let places = grid(5);
        let (g, w) = (flat(&places), vec![1.0; 25]);
        let spread: f64 = places.iter().map(|p| p[0] * p[0]).sum();
        for centre in [[0.0, 0.0], [0.03, 0.0], [-0.04, 0.06]] {
            let mut f = on_three(&places, [0, 4, 22], centre);
            let before = resultant(&g, &f);
            assert!(LeastNorm::default().split(&g, &w, &mut f) > 0.1);
            for (p, f) in places.iter().zip(&f) {
                let want = 1.0 / 25.0 + (centre[0] * p[0] + centre[1] * p[1]) / spread;
                assert!((f - want).abs() < 1e-15, "{centre:?}: {f}, {want}");
            }
            let after = resultant(&g, &f);
            assert!(before.iter().zip(after).all(|(b, a)| (b - a).abs() < 1e-15));
        }
    }

    #[test]
    fn weights_share_in_their_proportion() {
        let places = grid(3);
        let w: Vec<f64> = (0..9).map(|i| [0.25, 0.5, 0.25, 0.5, 1.0, 0.5, 0.25, 0.5, 0.25][i]).collect();
        let mut f = on_three(&places, [0, 2, 7], [0.0, 0.0]);
        LeastNorm::default().split(&flat(&places), &w, &mut f);
        assert!(f.iter().zip(&w).all(|(f, w)| (f - w / 4.0).abs() < 1e-15), "{f:?}");
    }

    #[test]
    fn beyond_the_kern_contacts_let_go() {
        // Of springs in a row at 0, 1, … the first k bear, with a linear pressure that ends between k − 1 and k.
        let places: Vec<[f64; 2]> =
            (0..20).flat_map(|i| [[f64::from(i), 0.0], [f64::from(i), 1.0]]).collect();
        let centre = 2.1;
        let mut f = vec![0.0; 40];
        (f[0], f[1]) = (0.5 * (1.0 - centre / 19.0), 0.5 * (1.0 - centre / 19.0));
        (f[38], f[39]) = (0.5 * centre / 19.0, 0.5 * centre / 19.0);
        let g = flat(&places);
        let before = resultant(&g, &f);
        assert!(LeastNorm::default().split(&g, &[1.0; 40], &mut f) > 0.1);
        let end = (1..20).find_map(|k| {
            // a (1 − x/e) on x = 0 … k − 1: Σ = ½, Σ x = centre/2.
            let (s0, s1, s2) =
                (0..k).map(f64::from).fold((0.0, 0.0, 0.0), |s, x| (s.0 + 1.0, s.1 + x, s.2 + x * x));
            let e = (s2 - centre * s1) / (s1 - centre * s0);
            (e > f64::from(k) - 1.0 && e <= f64::from(k)).then(|| (e, 0.5 / (s0 - s1 / e)))
        });
        let (e, a) = end.unwrap();
        for (p, f) in places.iter().zip(&f) {
            let want = (a * (1.0 - p[0] / e)).max(0.0);
            assert!((f - want).abs() < 1e-14, "{p:?}: {f}, {want}");
        }
        assert!(before.iter().zip(resultant(&g, &f)).all(|(b, a)| (b - a).abs() < 1e-13));
    }

    #[test]
    fn on_the_rim_two_contacts_bear_all() {
        let places = grid(4);
        let mut f = on_three(&places, [0, 3, 12], [0.1, -0.5]);
        f[12] = 0.0;
        let before = f.clone();
        let changed = LeastNorm::default().split(&flat(&places), &[1.0; 16], &mut f);
        // Four on the rim: uniform and linear along it.
        let want: Vec<f64> = (0..16)
            .map(|i| if i < 4 { 0.25 + 0.1 * places[i][0] / (2.0 * (0.25 + 1.0 / 36.0)) } else { 0.0 })
            .collect();
        assert!(f.iter().zip(&want).all(|(f, w)| (f - w).abs() < 1e-12), "{changed} {before:?} {f:?}");
    }

    #[test]
    fn what_is_determined_stays_to_the_bit() {
        let places = [[0.0, 0.0], [1.0, 0.0], [0.3, 1.0]];
        let mut f = on_three(&places, [0, 1, 2], [0.4, 0.3]);
        let before = f.clone();
        assert_eq!(LeastNorm::default().split(&flat(&places), &[1.0; 3], &mut f), 0.0);
        assert_eq!(f, before);
    }

    #[test]
    fn any_split_ends_at_the_same() {
        // Places and forces from a fixed sequence; of two bodies, with walls that face each other.
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        for _ in 0..200 {
            let n = 4 + (20.0 * next()) as usize;
            let mut g = Vec::new();
            for i in 0..n {
                let (x, y) = (next() - 0.5, next() - 0.5);
                let normal = if i % 5 == 0 { [0.0, 0.6, 0.8] } else { [0.0, 0.0, 1.0] };
                let turn = [y * normal[2] - 0.1 * normal[1], -x * normal[2], x * normal[1]];
                g.extend([normal, turn, normal.map(|x| -x), turn.map(|x| -x)]);
            }
            let w: Vec<f64> = (0..n).map(|_| 0.1 + next()).collect();
            let mut f: Vec<f64> = (0..n).map(|_| (next() - 0.4).max(0.0)).collect();
            f[0] += 0.1;
            let of = |f: &[f64]| -> Vec<f64> {
                (0..12)
                    .map(|k| f.iter().enumerate().map(|(i, f)| f * g[4 * i + k / 3][k % 3]).sum())
                    .collect()
            };
            let norm = |f: &[f64]| -> f64 { f.iter().zip(&w).map(|(f, w)| f * f / w).sum() };
            let (before, was) = (of(&f), norm(&f));
            let mut kernel = LeastNorm::default();
            kernel.split(&g, &w, &mut f);
            assert!(f.iter().all(|f| *f >= 0.0) && norm(&f) <= was * (1.0 + 1e-14));
            assert!(before.iter().zip(of(&f)).all(|(b, a)| (b - a).abs() < 1e-12), "{before:?} {:?}", of(&f));
            // Optimal: λ/w is linear in the gradients where it pushes, so a second split finds nothing.
            let once = f.clone();
            kernel.split(&g, &w, &mut f);
            assert!(once.iter().zip(&f).all(|(a, b)| (a - b).abs() < 1e-12), "{once:?} {f:?}");
        }
    }
}
