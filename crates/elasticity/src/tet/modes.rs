//! The second derivative of a tet in its principal frame, its eigenvalues clamped, and its 3×3 blocks.
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
    sigma: [Lanes; 3],
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

/// The identity in every lane.
const IDENTITY: Lanes9 = {
    let one = [1.0; LANES];
    [one, ZERO, ZERO, ZERO, one, ZERO, ZERO, ZERO, one]
};

/// Eigenvalues and right-handed orthonormal eigenvectors (columns) of the symmetric matrix with the rows
/// a₀₀ a₀₁ a₀₂ a₁₁ a₁₂ a₂₂, without a loop and with one branch per select.
///
/// As in Eberly's "A robust eigensolver for 3×3 symmetric matrices" (2014): of three real roots at least one lies apart
/// from the two others; its eigenvector is a cross product that cannot vanish, and what is left is a 2×2 problem in the plane
/// across it, solved by one Jacobi rotation. The root comes from Halley's method instead of a cosine. Residuals are of
/// the order ε|a|, equal eigenvalues included. (Tried before it: four sweeps of Jacobi, as exact and four times the work.)
#[inline(always)]
fn eigen(a: [f64; 6]) -> ([f64; 3], M3) {
    // B = (a − q)/p, |B|² = 6, so that its eigenvalues are 2 cos of something: roots of y³ − 3y − 2h.
    let q = (a[0] + a[3] + a[5]) / 3.0;
    let (d0, d1, d2) = (a[0] - q, a[3] - q, a[5] - q);
    let p2 = (d0 * d0 + d1 * d1 + d2 * d2 + 2.0 * (a[1] * a[1] + a[2] * a[2] + a[4] * a[4])) / 6.0;
    let ip = reciprocal_sqrt(p2 + 1e-290);
    let (b00, b11, b22) = (d0 * ip, d1 * ip, d2 * ip);
    let (b01, b02, b12) = (a[1] * ip, a[2] * ip, a[4] * ip);
    let h = 0.5 * (b00 * (b11 * b22 - b12 * b12) - b01 * (b01 * b22 - b12 * b02) + b02 * (b01 * b12 - b11 * b02));
    // The root of larger size, apart from the others by √3 at least: positive for h ≥ 0, mirrored for h < 0.
    let size = h.abs();
    let mut y = 1.732_050_807_568_877_2 + 0.267_949_192_431_122_7 * size;
    for _ in 0..2 {
        let y2 = y * y;
        let (g, slope) = ((y2 - 3.0) * y - 2.0 * size, 3.0 * y2 - 3.0);
        y -= g * slope / (slope * slope - g * (3.0 * y));
    }
    let y = if h < 0.0 { -y } else { y };

    // Its eigenvector: the longest cross product of two rows of B − y.
    let (r0, r1, r2) = ([b00 - y, b01, b02], [b01, b11 - y, b12], [b02, b12, b22 - y]);
    let (c0, c1, c2) = (cross(&r0, &r1), cross(&r0, &r2), cross(&r1, &r2));
    let (n0, n1, n2) = (dot(&c0, &c0), dot(&c1, &c1), dot(&c2, &c2));
    let first = n0 > n1;
    let (c, n) = (select(first, &c0, &c1), if first { n0 } else { n1 });
    let second = n > n2;
    let (c, n) = (select(second, &c, &c2), if second { n } else { n2 });
    let s = reciprocal_sqrt(n);
    let w = [c[0] * s, c[1] * s, c[2] * s];

    // Two axes across it (Duff et al. 2017), and the matrix in their plane.
    let sign = if w[2] < 0.0 { -1.0 } else { 1.0 };
    let m = -1.0 / (sign + w[2]);
    let k = w[0] * w[1] * m;
    let u = [1.0 + sign * w[0] * w[0] * m, sign * k, -sign * w[0]];
    let v = [k, sign + w[1] * w[1] * m, -w[1]];
    let apply = |x: &[f64; 3]| {
        [
            a[0] * x[0] + a[1] * x[1] + a[2] * x[2],
            a[1] * x[0] + a[3] * x[1] + a[4] * x[2],
            a[2] * x[0] + a[4] * x[1] + a[5] * x[2],
        ]
    };
    let (au, av) = (apply(&u), apply(&v));
    let (uu, uv, vv) = (dot(&u, &au), dot(&u, &av), dot(&v, &av));

    // Jacobi's rotation by the smaller angle: with d = vv − uu and r = √(d² + 4 uv²), c² = (1 + |d|/r)/2, s c = ± uv/r.
    let (d, two) = (vv - uu, 2.0 * uv);
    let r2 = d * d + two * two;
    let none = r2 < 1e-280;
    let (d, two, r2) = (if none { 1.0 } else { d }, if none { 0.0 } else { two }, if none { 1.0 } else { r2 });
    let ir = reciprocal_sqrt(r2);
    let c2 = 0.5 + 0.5 * d.abs() * ir;
    let ic = reciprocal_sqrt(c2);
    let s = 0.5 * (if d < 0.0 { -two } else { two }) * ir * ic;
    let (c, t) = (c2 * ic, s * ic);
    let e = |i: usize| [c * u[i] - s * v[i], s * u[i] + c * v[i], w[i]];
    ([uu - t * uv, vv + t * uv, q + y / ip], [e(0), e(1), e(2)])
}

/// 1/√x for positive normal x, to 2 ulp: the bit trick and four Newton steps, in vectors quicker than √ and ÷.
#[inline(always)]
fn reciprocal_sqrt(x: f64) -> f64 {
    let half = 0.5 * x;
    let mut y = f64::from_bits(0x5fe6_eb50_c7b5_37a9 - (x.to_bits() >> 1));
    y *= 1.5 - half * y * y;
    y *= 1.5 - half * y * y;
    y *= 1.5 - half * y * y;
    y * (1.5 - half * y * y)
}

#[inline(always)]
fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn select(first: bool, a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    let e = |k: usize| if first { a[k] } else { b[k] };
    [e(0), e(1), e(2)]
}

/// Diagonalises the matrices `a` (rows 00 01 02 11 12 22) of every lane.
#[inline(always)]
fn diagonalise(a: &[Lanes; 6], sigma: &mut [Lanes; 3], v: &mut Lanes9) {
    for l in 0..LANES {
        let (s, w) = eigen([a[0][l], a[1][l], a[2][l], a[3][l], a[4][l], a[5][l]]);
        for k in 0..3 {
            sigma[k][l] = s[k];
        }
        put(v, l, &w);
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

/// 1 where the leading minors of a symmetric matrix are positive, else 0.
#[inline(always)]
fn is_definite(a: &[f64; 6]) -> f64 {
    let m2 = a[0] * a[3] - a[1] * a[1];
    let det =
        a[5] * m2 - a[4] * (a[0] * a[4] - a[1] * a[2]) + a[2] * (a[1] * a[4] - a[2] * a[3]);
    let least = if a[0] < m2 { a[0] } else { m2 };
    let least = if least < det { least } else { det };
    if least > 0.0 { 1.0 } else { 0.0 }
}

#[inline(always)]
fn clamp(x: f64) -> f64 {
    if x > 0.0 { x } else { 0.0 }
}

#[inline(always)]
fn turn_block<const AT: usize>(turn: &Lanes, out: &mut BlockHessian) {
    for l in 0..LANES {
        let e = |k: usize| out[9 * AT + k][l];
        let (b, c, d, f, g, h) = (e(1), e(2), e(3), e(5), e(6), e(7));
        let same = turn[l] == 0.0;
        out[9 * AT + 1][l] = if same { b } else { d };
        out[9 * AT + 2][l] = if same { c } else { g };
        out[9 * AT + 3][l] = if same { d } else { b };
        out[9 * AT + 5][l] = if same { f } else { h };
        out[9 * AT + 6][l] = if same { g } else { c };
        out[9 * AT + 7][l] = if same { h } else { f };
    }
}

impl Modes {
    pub fn new() -> Self {
        Self {
            symmetric: [ZERO; 6],
            sigma: [ZERO; 3],
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
        diagonalise(&self.symmetric, &mut self.sigma, &mut self.v);
        let project = tangent != Tangent::Exact;
        let floor = if project { 0.0 } else { f64::NEG_INFINITY };
        for l in 0..LANES {
            let u = times(&get(&m.r, l), &get(&self.v, l));
            put(&mut self.u, l, &u);
        }
        match model {
            Model::Corotational => {
                for l in 0..LANES {
                    let s = corotational(self.principal(l), b.mu[l], b.lambda[l]);
                    self.take(l, &s, floor);
                }
            }
            Model::StableNeoHookean => {
                for l in 0..LANES {
                    let f = get(&m.f, l);
                    let s = neo_hookean(self.principal(l), dot9(&f, &f), b.mu[l], b.lambda[l]);
                    self.take(l, &s, floor);
                }
            }
        }
        // The corotational A has eigenvalues 2μ, 2μ and 3K: never negative.
        if project && model == Model::StableNeoHookean && self.definite.contains(&0.0) {
            self.project_scaling();
        }
    }

    #[inline(always)]
    fn principal(&self, l: usize) -> [f64; 3] {
        [self.sigma[0][l], self.sigma[1][l], self.sigma[2][l]]
    }

    #[inline(always)]
    fn take(&mut self, l: usize, s: &Spectrum, floor: f64) {
        for k in 0..6 {
            self.scaling[k][l] = s.scaling[k];
        }
        self.definite[l] = is_definite(&s.scaling);
        for k in 0..3 {
            let twist = if s.twist[k] > floor { s.twist[k] } else { floor };
            let flip = if s.flip[k] > floor { s.flip[k] } else { floor };
            self.p[k][l] = 0.5 * (flip + twist);
            self.q[k][l] = 0.5 * (flip - twist);
        }
    }

    /// Clamps the eigenvalues of A in the lanes where one is not positive.
    #[inline(always)]
    fn project_scaling(&mut self) {
        diagonalise(&self.scaling, &mut self.sigma, &mut self.frame);
        for l in 0..LANES {
            let w = get(&self.frame, l);
            let e = [clamp(self.sigma[0][l]), clamp(self.sigma[1][l]), clamp(self.sigma[2][l])];
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

    /// Transposes the blocks (i, j), i < j, of the lanes whose `turn` is not zero: 01 02 03 12 13 23.
    #[inline(always)]
    pub fn turn(turn: &[Lanes; 6], out: &mut BlockHessian) {
        turn_block::<1>(&turn[0], out);
        turn_block::<2>(&turn[1], out);
        turn_block::<3>(&turn[2], out);
        turn_block::<5>(&turn[3], out);
        turn_block::<6>(&turn[4], out);
        turn_block::<8>(&turn[5], out);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// |a − w diag(s) wᵀ| + |wᵀw − 1| for rows of the symmetric matrix.
    fn residual(a: &[f64; 6]) -> f64 {
        let (s, w) = eigen(*a);
        let full = [[a[0], a[1], a[2]], [a[1], a[3], a[4]], [a[2], a[4], a[5]]];
        let mut worst: f64 = 0.0;
        for i in 0..3 {
            for j in 0..3 {
                let back: f64 = (0..3).map(|k| w[i][k] * s[k] * w[j][k]).sum();
                let unit: f64 = (0..3).map(|k| w[k][i] * w[k][j]).sum();
                worst = worst.max((back - full[i][j]).abs());
                worst = worst.max((unit - f64::from(u8::from(i == j))).abs());
            }
        }
        // NaN would pass a maximum.
        assert!(s.iter().all(|x| x.is_finite()), "{a:?} gives {s:?}");
        worst
    }

    #[test]
    fn eigenvalues_of_any_symmetric_matrix() {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        // Noise of every size around the zero matrix, the identity, and matrices with two equal eigenvalues.
        let centres = [[0.0; 6], [1.0, 0.0, 0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0, 0.0, -1.0], [
            0.0, 1.0, 1.0, 0.0, 1.0, 0.0,
        ]];
        let mut worst: f64 = 0.0;
        for k in 0..40_000 {
            let noise = [1.0, 1e-3, 1e-7, 1e-12, 1e-15, 1e-17, 0.0][k % 7];
            let mut a = centres[k % 4];
            a.iter_mut().for_each(|x| *x += noise * next());
            worst = worst.max(residual(&a));
        }
        assert!(worst < 4e-15, "{worst}");
    }
}
