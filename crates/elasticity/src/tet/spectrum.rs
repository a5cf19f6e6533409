//! The second derivative of one tet in its principal frame, with its eigenvalues clamped: what a lane does.
//!
//! With the signed singular values F = U Σ Vᵀ (U, V rotations: S = RᵀF = V Σ Vᵀ, U = R V) every isotropic
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

use super::eigen::eigen;
use super::{Model, Tangent};
use crate::polar::{M3, dot9, times, times_transposed, transposed_times};

/// The least σa + σc that a twist is divided by.
const POLE: f64 = 1e-6;

/// The second derivative of one tet in its principal frame (Pa).
#[derive(Clone, Copy, Debug)]
pub(super) struct Spectrum {
    /// A₀₀ A₀₁ A₀₂ A₁₁ A₁₂ A₂₂.
    pub scaling: [f64; 6],
    /// Eigenvalues of the twists in the planes 12, 02, 01.
    pub twist: [f64; 3],
    /// Eigenvalues of the flips in the same planes.
    pub flip: [f64; 3],
}

#[inline(always)]
pub(super) fn corotational(sigma: [f64; 3], mu: f64, lambda: f64) -> Spectrum {
    let c = 2.0 * (lambda * (sigma[0] + sigma[1] + sigma[2] - 3.0) - 2.0 * mu);
    let twist = |a: usize, b: usize| {
        let sum = sigma[a] + sigma[b];
        2.0 * mu + c / if sum > POLE { sum } else { POLE }
    };
    let (d, o) = (2.0 * mu + lambda, lambda);
    let flip = 2.0 * mu;
    Spectrum { scaling: [d, o, o, d, o, d], twist: [twist(1, 2), twist(0, 2), twist(0, 1)], flip: [flip; 3] }
}

#[inline(always)]
pub(super) fn neo_hookean([x, y, z]: [f64; 3], size2: f64, mu: f64, lambda: f64) -> Spectrum {
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

/// Linear elasticity: twist 0, flip 2μ. With U = R and V = 1 it is R K Rᵀ.
#[inline(always)]
pub(super) fn linear(mu: f64, lambda: f64) -> Spectrum {
    let (d, o) = (2.0 * mu + lambda, lambda);
    Spectrum { scaling: [d, o, o, d, o, d], twist: [0.0; 3], flip: [2.0 * mu; 3] }
}

impl Spectrum {
    /// p and q of the three planes, eigenvalues below `floor` raised to it.
    #[inline(always)]
    #[must_use]
    pub fn planes(&self, floor: f64) -> ([f64; 3], [f64; 3]) {
        let raise = |x: f64| if x > floor { x } else { floor };
        let p = |k: usize| 0.5 * (raise(self.flip[k]) + raise(self.twist[k]));
        let q = |k: usize| 0.5 * (raise(self.flip[k]) - raise(self.twist[k]));
        ([p(0), p(1), p(2)], [q(0), q(1), q(2)])
    }
}

/// 1 where the leading minors of a symmetric matrix are positive, else 0.
#[inline(always)]
pub(super) fn is_definite(a: &[f64; 6]) -> f64 {
    let m2 = a[0] * a[3] - a[1] * a[1];
    let det = a[5] * m2 - a[4] * (a[0] * a[4] - a[1] * a[2]) + a[2] * (a[1] * a[4] - a[2] * a[3]);
    let least = if a[0] < m2 { a[0] } else { m2 };
    let least = if least < det { least } else { det };
    if least > 0.0 { 1.0 } else { 0.0 }
}

#[inline(always)]
fn clamp(x: f64) -> f64 {
    if x > 0.0 { x } else { 0.0 }
}

/// A with its negative eigenvalues set to zero.
#[inline(always)]
pub(super) fn projected(scaling: [f64; 6]) -> [f64; 6] {
    let (s, w) = eigen(scaling);
    let e = [clamp(s[0]), clamp(s[1]), clamp(s[2])];
    let a =
        |i: usize, j: usize| w[i][0] * e[0] * w[j][0] + w[i][1] * e[1] * w[j][1] + w[i][2] * e[2] * w[j][2];
    [a(0, 0), a(0, 1), a(0, 2), a(1, 1), a(1, 2), a(2, 2)]
}

/// The second derivative of one tet: frames F = U Σ Vᵀ and coefficients.
#[derive(Clone, Copy, Debug)]
pub(super) struct Principal {
    pub u: M3,
    pub v: M3,
    pub scaling: [f64; 6],
    pub p: [f64; 3],
    pub q: [f64; 3],
}

impl Principal {
    /// δP for δF (Pa).
    #[inline(always)]
    #[must_use]
    pub fn stress_rate(&self, df: &M3) -> M3 {
        let (u, v, a) = (&self.u, &self.v, &self.scaling);
        let e = times(&transposed_times(u, df), v);
        let off = |b: usize, i: usize, j: usize| self.p[b] * e[i][j] + self.q[b] * e[j][i];
        let d = [
            [a[0] * e[0][0] + a[1] * e[1][1] + a[2] * e[2][2], off(2, 0, 1), off(1, 0, 2)],
            [off(2, 1, 0), a[1] * e[0][0] + a[3] * e[1][1] + a[4] * e[2][2], off(0, 1, 2)],
            [off(1, 2, 0), off(0, 2, 1), a[2] * e[0][0] + a[4] * e[1][1] + a[5] * e[2][2]],
        ];
        times_transposed(&times(u, &d), v)
    }

    /// The block of two corners with gradients `x`, `y` in the principal frame, times `s`: U Ĥ Uᵀ,
    /// Ĥ_aa = A_aa xₐyₐ + Σ_b p x_b y_b, Ĥ_ac = A_ac xₐy_c + q x_c yₐ.
    #[inline(always)]
    #[must_use]
    pub fn block(&self, x: &[f64; 3], y: &[f64; 3], s: f64) -> M3 {
        let (u, a, p, q) = (&self.u, &self.scaling, &self.p, &self.q);
        let (xx, yy, zz) = (x[0] * y[0], x[1] * y[1], x[2] * y[2]);
        let off = |k: usize, b: usize, i: usize, j: usize| a[k] * x[i] * y[j] + q[b] * x[j] * y[i];
        let h = [
            [a[0] * xx + p[2] * yy + p[1] * zz, off(1, 2, 0, 1), off(2, 1, 0, 2)],
            [off(1, 2, 1, 0), a[3] * yy + p[2] * xx + p[0] * zz, off(4, 0, 1, 2)],
            [off(2, 1, 2, 0), off(4, 0, 2, 1), a[5] * zz + p[1] * xx + p[0] * yy],
        ];
        let t = times_transposed(&times(u, &h), u);
        let row = |i: usize| [s * t[i][0], s * t[i][1], s * t[i][2]];
        [row(0), row(1), row(2)]
    }
}

/// Σ of F and R of one tet, S = RᵀF made symmetric.
#[inline(always)]
pub(super) fn stretch(f: &M3, r: &M3) -> [f64; 6] {
    let s = transposed_times(r, f);
    [
        s[0][0],
        0.5 * (s[0][1] + s[1][0]),
        0.5 * (s[0][2] + s[2][0]),
        s[1][1],
        0.5 * (s[1][2] + s[2][1]),
        s[2][2],
    ]
}

/// The scalar twin: everything about one tet at once. The lane loops of [`super::modes`] do the same in stages.
pub(super) fn principal(model: Model, tangent: Tangent, f: &M3, r: &M3, mu: f64, lambda: f64) -> Principal {
    if model == Model::Corotational && tangent == Tangent::Warped {
        let s = linear(mu, lambda);
        let (p, q) = s.planes(0.0);
        return Principal {
            u: *r,
            v: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            scaling: s.scaling,
            p,
            q,
        };
    }
    let (sigma, v) = eigen(stretch(f, r));
    let s = match model {
        Model::Corotational => corotational(sigma, mu, lambda),
        Model::StableNeoHookean => neo_hookean(sigma, dot9(f, f), mu, lambda),
    };
    let project = tangent != Tangent::Exact;
    let (p, q) = s.planes(if project { 0.0 } else { f64::NEG_INFINITY });
    // The corotational A has the eigenvalues 2μ, 2μ, 2μ + 3λ: never negative.
    let clamp = project && model == Model::StableNeoHookean && is_definite(&s.scaling) == 0.0;
    let scaling = if clamp { projected(s.scaling) } else { s.scaling };
    Principal { u: times(r, &v), v, scaling, p, q }
}
