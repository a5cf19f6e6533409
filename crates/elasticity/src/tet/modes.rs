//! The second derivative of a tet in its principal frame, its eigenvalues clamped, and its 3×3 blocks.
//!
//! With the signed singular values F = U Σ Vᵀ (U, V rotations: S = RᵀF = V Σ Vᵀ by Jacobi, U = R V) every isotropic
//! energy has the same skeleton (Smith, de Goes and Kim 2019, "Analytic eigensystems for isotropic distortion
//! energies"). Written for δF̂ = Uᵀ δF V:
//!
//! ```text
//! δP̂_aa = Σ_c A_ac δF̂_cc               scaling, a symmetric 3×3 matrix A
//! δP̂_ac = p_b δF̂_ac + q_b δF̂_ca        b the third index; eigenvalues: twist p − q (δF̂_ca = −δF̂_ac), flip p + q
//! ```
//!
//! | | A_aa | A_ac | twist, plane (a, c) | flip |
//! |---|---|---|---|---|
//! | corotational | 2μ + λ | λ | 2μ + 2(λ(tr S − 3) − 2μ)/(σa + σc) | 2μ |
//! | stable neo-Hookean | m + kσa² + λ(σbσc)² | kσaσc + λσb²σaσc + hσb | m + hσb | m − hσb |
//!
//! m = μ(1 − 1/(|F|² + 1)), k = 2μ/(|F|² + 1)², h = λ(J − 1) − ¾μ. Projected: each eigenvalue that is negative becomes 0.
//!
//! The corotational twist has a pole where σa + σc = 0, where the closest rotation jumps. The sum is kept above
//! [`POLE`], so the exact Hessian is bounded there.

use super::elements::{LANES, TetBlock};
use super::lane::{Lanes, Lanes9, Motion, ZERO, get, put};
use super::{Model, Tangent};
use crate::polar::{M3, dot9, times, transposed_times};

/// The ten blocks (i, j), i ≤ j, of a tet: 00 01 02 03 11 12 13 22 23 33, by rows.
pub(super) type BlockHessian = [Lanes; 90];

/// The least σa + σc that a twist is divided by.
const POLE: f64 = 1e-6;

/// Principal frame and derivatives of a block of tets.
#[derive(Clone, Debug)]
pub(super) struct Modes {
    symmetric: [Lanes; 6],
    pub u: Lanes9,
    pub v: Lanes9,
    /// A00 A01 A02 A11 A12 A22 (Pa).
    scaling: [Lanes; 6],
    /// p of the planes 12, 02, 01 (Pa).
    p: [Lanes; 3],
    /// q of the same.
    q: [Lanes; 3],
    frame: Lanes9,
    definite: Lanes,
}

const IDENTITY: Lanes9 = {
    let one = [1.0; LANES];
    [one, ZERO, ZERO, ZERO, one, ZERO, ZERO, ZERO, one]
};

/// Zeroes the entry (p, q) of a symmetric matrix. Gives t, c, s of the rotation.
#[inline(always)]
fn jacobi_angle(app: f64, aqq: f64, apq: f64) -> (f64, f64, f64) {
    let d = aqq - app;
    let two = 2.0 * apq;
    let size = d.abs() + (d * d + two * two).sqrt() + f64::MIN_POSITIVE;
    let t = (if d < 0.0 { -two } else { two }) / size;
    let c = 1.0 / (1.0 + t * t).sqrt();
    (t, c, t * c)
}

/// One sweep of Jacobi rotations over the rows `a` (00 01 02 11 12 22) and eigenvectors `v`.
#[inline(always)]
fn jacobi_sweep(mut a: [f64; 6], mut v: M3) -> ([f64; 6], M3) {
    let (t, c, s) = jacobi_angle(a[0], a[3], a[1]);
    (a[0], a[3], a[1]) = (a[0] - t * a[1], a[3] + t * a[1], 0.0);
    (a[2], a[4]) = (c * a[2] - s * a[4], s * a[2] + c * a[4]);
    turn(&mut v, 0, 1, c, s);
    let (t, c, s) = jacobi_angle(a[0], a[5], a[2]);
    (a[0], a[5], a[2]) = (a[0] - t * a[2], a[5] + t * a[2], 0.0);
    (a[1], a[4]) = (c * a[1] - s * a[4], s * a[1] + c * a[4]);
    turn(&mut v, 0, 2, c, s);
    let (t, c, s) = jacobi_angle(a[3], a[5], a[4]);
    (a[3], a[5], a[4]) = (a[3] - t * a[4], a[5] + t * a[4], 0.0);
    (a[1], a[2]) = (c * a[1] - s * a[2], s * a[1] + c * a[2]);
    turn(&mut v, 1, 2, c, s);
    (a, v)
}

#[inline(always)]
fn turn(v: &mut M3, p: usize, q: usize, c: f64, s: f64) {
    for row in v {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
}

/// Sweeps after which a 3×3 matrix is diagonal to rounding, from any start.
const SWEEPS: usize = 5;

/// Diagonalises the matrices `a` of every lane; eigenvalues in a[0], a[3], a[5], eigenvectors in the columns of `v`.
#[inline(always)]
fn diagonalise(a: &mut [Lanes; 6], v: &mut Lanes9) {
    *v = IDENTITY;
    for _ in 0..SWEEPS {
        for l in 0..LANES {
            let (s, w) = jacobi_sweep([a[0][l], a[1][l], a[2][l], a[3][l], a[4][l], a[5][l]], get(v, l));
            for k in 0..6 {
                a[k][l] = s[k];
            }
            put(v, l, &w);
        }
    }
}

/// The derivatives of one lane in its principal frame.
struct Spectrum {
    scaling: [f64; 6],
    twist: [f64; 3],
    flip: [f64; 3],
}

#[inline(always)]
fn corotational(sigma: [f64; 3], mu: f64, lambda: f64) -> Spectrum {
    let c = 2.0 * (lambda * (sigma[0] + sigma[1] + sigma[2] - 3.0) - 2.0 * mu);
    let twist = |a: usize, b: usize| {
        let sum = sigma[a] + sigma[b];
        2.0 * mu + c / if sum > POLE { sum } else { POLE }
    };
    let (d, o) = (2.0 * mu + lambda, lambda);
    let flip = 2.0 * mu;
    Spectrum {
        scaling: [d, o, o, d, o, d],
        twist: [twist(1, 2), twist(0, 2), twist(0, 1)],
        flip: [flip; 3],
    }
}

#[inline(always)]
fn neo_hookean([x, y, z]: [f64; 3], size2: f64, mu: f64, lambda: f64) -> Spectrum {
    let inv = 1.0 / (size2 + 1.0);
    let m = mu * (1.0 - inv);
    let k = 2.0 * mu * inv * inv;
    let h = lambda * (x * y * z - 1.0) - 0.75 * mu;
    let (cx, cy, cz) = (y * z, x * z, x * y);
    Spectrum {
        scaling: [
            m + k * x * x + lambda * cx * cx,
            k * x * y + lambda * cx * cy + h * z,
            k * x * z + lambda * cx * cz + h * y,
            m + k * y * y + lambda * cy * cy,
            k * y * z + lambda * cy * cz + h * x,
            m + k * z * z + lambda * cz * cz,
        ],
        twist: [m + h * x, m + h * y, m + h * z],
        flip: [m - h * x, m - h * y, m - h * z],
    }
}

/// Whether the leading minors of a symmetric matrix are positive.
#[inline(always)]
fn is_definite(a: &[f64; 6]) -> bool {
    let m2 = a[0] * a[3] - a[1] * a[1];
    let det =
        a[5] * m2 - a[4] * (a[0] * a[4] - a[1] * a[2]) + a[2] * (a[1] * a[4] - a[2] * a[3]);
    a[0] > 0.0 && m2 > 0.0 && det > 0.0
}

#[inline(always)]
fn clamp(x: f64) -> f64 {
    if x > 0.0 { x } else { 0.0 }
}

impl Modes {
    pub fn new() -> Self {
        Self {
            symmetric: [ZERO; 6],
            u: [ZERO; 9],
            v: [ZERO; 9],
            scaling: [ZERO; 6],
            p: [ZERO; 3],
            q: [ZERO; 3],
            frame: [ZERO; 9],
            definite: ZERO,
        }
    }

    /// Frames and derivatives of a block whose F and R are known.
    #[inline(always)]
    pub fn update(&mut self, model: Model, tangent: Tangent, b: &TetBlock, m: &Motion) {
        if model == Model::Corotational && tangent == Tangent::Warped {
            self.warped(b, m);
            return;
        }
        for l in 0..LANES {
            let s = transposed_times(&get(&m.r, l), &get(&m.f, l));
            self.symmetric[0][l] = s[0][0];
            self.symmetric[1][l] = 0.5 * (s[0][1] + s[1][0]);
            self.symmetric[2][l] = 0.5 * (s[0][2] + s[2][0]);
            self.symmetric[3][l] = s[1][1];
            self.symmetric[4][l] = 0.5 * (s[1][2] + s[2][1]);
            self.symmetric[5][l] = s[2][2];
        }
        diagonalise(&mut self.symmetric, &mut self.v);
        let project = tangent != Tangent::Exact;
        for l in 0..LANES {
            let u = times(&get(&m.r, l), &get(&self.v, l));
            put(&mut self.u, l, &u);
        }
        for l in 0..LANES {
            let sigma = [self.symmetric[0][l], self.symmetric[3][l], self.symmetric[5][l]];
            let s = match model {
                Model::Corotational => corotational(sigma, b.mu[l], b.lambda[l]),
                Model::StableNeoHookean => {
                    let f = get(&m.f, l);
                    neo_hookean(sigma, dot9(&f, &f), b.mu[l], b.lambda[l])
                }
            };
            for k in 0..6 {
                self.scaling[k][l] = s.scaling[k];
            }
            self.definite[l] = if is_definite(&s.scaling) { 1.0 } else { 0.0 };
            for k in 0..3 {
                let twist = if project { clamp(s.twist[k]) } else { s.twist[k] };
                let flip = if project { clamp(s.flip[k]) } else { s.flip[k] };
                self.p[k][l] = 0.5 * (flip + twist);
                self.q[k][l] = 0.5 * (flip - twist);
            }
        }
        // The corotational A has eigenvalues 2μ, 2μ and 3K: never negative.
        if project && model == Model::StableNeoHookean && self.definite.contains(&0.0) {
            self.project_scaling();
        }
    }

    /// Clamps the eigenvalues of A in the lanes where one is not positive.
    #[inline(always)]
    fn project_scaling(&mut self) {
        self.symmetric = self.scaling;
        diagonalise(&mut self.symmetric, &mut self.frame);
        for l in 0..LANES {
            let w = get(&self.frame, l);
            let e = [clamp(self.symmetric[0][l]), clamp(self.symmetric[3][l]), clamp(self.symmetric[5][l])];
            let entry = |i: usize, j: usize| {
                w[i][0] * e[0] * w[j][0] + w[i][1] * e[1] * w[j][1] + w[i][2] * e[2] * w[j][2]
            };
            let a = [entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)];
            for k in 0..6 {
                let old = self.scaling[k][l];
                self.scaling[k][l] = if self.definite[l] == 1.0 { old } else { a[k] };
            }
        }
    }

    /// R K Rᵀ with the stiffness of linear elasticity: U = R, V = 1, twist 0, flip 2μ.
    #[inline(always)]
    fn warped(&mut self, b: &TetBlock, m: &Motion) {
        self.u = m.r;
        self.v = IDENTITY;
        for l in 0..LANES {
            let (d, o) = (2.0 * b.mu[l] + b.lambda[l], b.lambda[l]);
            for (k, a) in [d, o, o, d, o, d].into_iter().enumerate() {
                self.scaling[k][l] = a;
            }
            for k in 0..3 {
                self.p[k][l] = b.mu[l];
                self.q[k][l] = b.mu[l];
            }
        }
    }

    /// δP of one lane for δF (Pa).
    #[inline(always)]
    pub fn stress_rate(&self, df: &M3, l: usize) -> M3 {
        let (u, v) = (get(&self.u, l), get(&self.v, l));
        let e = times(&transposed_times(&u, df), &v);
        let a = |k: usize| self.scaling[k][l];
        let off = |b: usize, i: usize, j: usize| self.p[b][l] * e[i][j] + self.q[b][l] * e[j][i];
        let d = [
            [a(0) * e[0][0] + a(1) * e[1][1] + a(2) * e[2][2], off(2, 0, 1), off(1, 0, 2)],
            [off(2, 1, 0), a(1) * e[0][0] + a(3) * e[1][1] + a(4) * e[2][2], off(0, 1, 2)],
            [off(1, 2, 0), off(0, 2, 1), a(2) * e[0][0] + a(4) * e[1][1] + a(5) * e[2][2]],
        ];
        let ud = times(&u, &d);
        let t = |i: usize, j: usize| ud[i][0] * v[j][0] + ud[i][1] * v[j][1] + ud[i][2] * v[j][2];
        [[t(0, 0), t(0, 1), t(0, 2)], [t(1, 0), t(1, 1), t(1, 2)], [t(2, 0), t(2, 1), t(2, 2)]]
    }

    /// The ten blocks of every lane, times `scale`.
    #[inline(always)]
    pub fn blocks(&mut self, b: &TetBlock, scale: &Lanes, out: &mut BlockHessian) {
        // Gradients in the principal frame.
        for l in 0..LANES {
            let g = times(&get(&b.gradient, l), &get(&self.v, l));
            put(&mut self.frame, l, &g);
        }
        // Corners 1, 2, 3 with each other; places in the list of ten.
        self.block::<0, 0, 4>(b, scale, out);
        self.block::<0, 1, 5>(b, scale, out);
        self.block::<0, 2, 6>(b, scale, out);
        self.block::<1, 1, 7>(b, scale, out);
        self.block::<1, 2, 8>(b, scale, out);
        self.block::<2, 2, 9>(b, scale, out);
        // Corner 0 moves F the opposite way of the three others together.
        for l in 0..LANES {
            for r in 0..3 {
                for c in 0..3 {
                    let at = |k: usize| out[9 * k + 3 * r + c][l];
                    let transposed = |k: usize| out[9 * k + 3 * c + r][l];
                    let s1 = at(4) + transposed(5) + transposed(6);
                    let s2 = at(5) + at(7) + transposed(8);
                    let s3 = at(6) + at(8) + at(9);
                    // Summed so that the block is symmetric to the bit.
                    let s0 = (at(4) + at(7) + at(9))
                        + ((at(5) + transposed(5)) + (at(6) + transposed(6)) + (at(8) + transposed(8)));
                    // (0, j) = −Σ (i, j).
                    out[3 * r + c][l] = s0;
                    out[9 + 3 * r + c][l] = -s1;
                    out[18 + 3 * r + c][l] = -s2;
                    out[27 + 3 * r + c][l] = -s3;
                }
            }
        }
    }

    /// One block: U Ĥ Uᵀ V, Ĥ_aa = A_aa gᵢₐ gⱼₐ + Σ_b p gᵢ_b gⱼ_b, Ĥ_ac = A_ac gᵢₐ gⱼ_c + q gᵢ_c gⱼₐ.
    #[inline(always)]
    fn block<const I: usize, const J: usize, const AT: usize>(
        &self,
        b: &TetBlock,
        scale: &Lanes,
        out: &mut BlockHessian,
    ) {
        for l in 0..LANES {
            let s = scale[l] * b.volume[l];
            let g = |i: usize| [self.frame[3 * i][l], self.frame[3 * i + 1][l], self.frame[3 * i + 2][l]];
            let (x, y) = (g(I), g(J));
            let a = |k: usize| self.scaling[k][l];
            let (p, q) = ([self.p[0][l], self.p[1][l], self.p[2][l]], [self.q[0][l], self.q[1][l], self.q[2][l]]);
            let (xx, yy, zz) = (x[0] * y[0], x[1] * y[1], x[2] * y[2]);
            let off = |k: usize, third: usize, i: usize, j: usize| a(k) * x[i] * y[j] + q[third] * x[j] * y[i];
            let h = [
                [a(0) * xx + p[2] * yy + p[1] * zz, off(1, 2, 0, 1), off(2, 1, 0, 2)],
                [off(1, 2, 1, 0), a(3) * yy + p[2] * xx + p[0] * zz, off(4, 0, 1, 2)],
                [off(2, 1, 2, 0), off(4, 0, 2, 1), a(5) * zz + p[1] * xx + p[0] * yy],
            ];
            let u = get(&self.u, l);
            let uh = times(&u, &h);
            let e = |i: usize, j: usize| s * (uh[i][0] * u[j][0] + uh[i][1] * u[j][1] + uh[i][2] * u[j][2]);
            for i in 0..3 {
                for j in 0..3 {
                    // A diagonal block is symmetric: its lower half is the upper one, to the bit.
                    let mirrored = I == J && i > j;
                    out[9 * AT + 3 * i + j][l] = if mirrored { e(j, i) } else { e(i, j) };
                }
            }
        }
    }
}
