//! What happens in one lane: deformation gradient, energy and stress of one tet; and the arrays of lanes it reads.
//!
//! Functions here are plain scalar maths without branches that matter, so that a loop over lanes becomes vectors.

use super::Model;
use super::elements::{LANES, TetBlock};
use crate::polar::{M3, cofactor, dot9, rotation_fast, rotation_robust};
use impinge_geometry::DVec3;

/// One number of every lane.
pub(super) type Lanes = [f64; LANES];
/// A 3×3 matrix of every lane, by rows.
pub(super) type Lanes9 = [Lanes; 9];
/// The forces on the four corners, x y z each.
pub(super) type CornerForces = [Lanes; 12];

pub(super) const ZERO: Lanes = [0.0; LANES];

#[inline(always)]
pub(super) fn get(a: &Lanes9, l: usize) -> M3 {
    [[a[0][l], a[1][l], a[2][l]], [a[3][l], a[4][l], a[5][l]], [a[6][l], a[7][l], a[8][l]]]
}

#[inline(always)]
pub(super) fn put(a: &mut Lanes9, l: usize, m: &M3) {
    for i in 0..3 {
        for j in 0..3 {
            a[3 * i + j][l] = m[i][j];
        }
    }
}

/// F and R of a block.
#[derive(Clone, Debug)]
pub(super) struct Motion {
    pub f: Lanes9,
    pub r: Lanes9,
    trusted: Lanes,
}

impl Motion {
    #[must_use]
    pub fn new() -> Self {
        Self { f: [ZERO; 9], r: [ZERO; 9], trusted: ZERO }
    }

    /// Σ uᵢ gᵢᵀ of every lane: F when `u` is the positions, Ḟ when it is the velocities.
    #[inline(always)]
    pub fn gradient(&mut self, b: &TetBlock, u: &[DVec3]) {
        let mut corner = [ZERO; 12];
        for c in 0..4 {
            for l in 0..LANES {
                let p = u[b.node[c][l] as usize];
                corner[3 * c][l] = p.x;
                corner[3 * c + 1][l] = p.y;
                corner[3 * c + 2][l] = p.z;
            }
        }
        for l in 0..LANES {
            let f = gradient(&corner, &b.gradient, l);
            put(&mut self.f, l, &f);
        }
    }

    /// The rotation closest to F of every lane.
    #[inline(always)]
    pub fn rotate(&mut self) {
        for l in 0..LANES {
            let (r, trusted) = rotation_fast(&get(&self.f, l));
            put(&mut self.r, l, &r);
            self.trusted[l] = if trusted { 1.0 } else { 0.0 };
        }
        for l in 0..LANES {
            if self.trusted[l] == 0.0 {
                let r = rotation_robust(&get(&self.f, l));
                put(&mut self.r, l, &r);
            }
        }
    }
}

impl Motion {
    /// Corner forces of every lane; the corotational ones want [`Motion::rotate`] before.
    #[inline(always)]
    pub fn forces(&self, model: Model, b: &TetBlock, out: &mut CornerForces) {
        match model {
            Model::Corotational => {
                for l in 0..LANES {
                    let p = corotational_stress(&get(&self.f, l), &get(&self.r, l), b.mu[l], b.lambda[l]);
                    put_forces(&p, b, 1.0, l, out);
                }
            }
            Model::StableNeoHookean => {
                for l in 0..LANES {
                    let p = neo_hookean_stress(&get(&self.f, l), b.mu[l], b.lambda[l]);
                    put_forces(&p, b, 1.0, l, out);
                }
            }
        }
    }
}

/// The gradient of one lane, corners in `u` by x y z.
#[inline(always)]
fn gradient(u: &[Lanes; 12], g: &Lanes9, l: usize) -> M3 {
    let row = |k: usize| {
        let d = [u[3 + k][l] - u[k][l], u[6 + k][l] - u[k][l], u[9 + k][l] - u[k][l]];
        let e = |j: usize| d[0] * g[j][l] + d[1] * g[3 + j][l] + d[2] * g[6 + j][l];
        [e(0), e(1), e(2)]
    };
    [row(0), row(1), row(2)]
}

/// F of one tet, for the scalar twin: the same additions as [`Motion::gradient`].
#[inline(always)]
pub(super) fn gradient_of(b: &TetBlock, l: usize, u: &[DVec3]) -> M3 {
    let p = [0, 1, 2, 3].map(|c| u[b.node[c][l] as usize]);
    let row = |k: usize| {
        let d = [p[1][k] - p[0][k], p[2][k] - p[0][k], p[3][k] - p[0][k]];
        let e =
            |j: usize| d[0] * b.gradient[j][l] + d[1] * b.gradient[3 + j][l] + d[2] * b.gradient[6 + j][l];
        [e(0), e(1), e(2)]
    };
    [row(0), row(1), row(2)]
}

/// Ψ of the corotational energy (J/m³).
#[inline(always)]
pub(super) fn corotational_energy(f: &M3, r: &M3, mu: f64, lambda: f64) -> f64 {
    let mut stretch = 0.0;
    for i in 0..3 {
        for j in 0..3 {
            let d = f[i][j] - r[i][j];
            stretch += d * d;
        }
    }
    let trace = dot9(f, r) - 3.0;
    mu * stretch + 0.5 * lambda * trace * trace
}

/// P = 2μ (F − R) + λ (tr(RᵀF) − 3) R (Pa). Exact: R varies orthogonally to F and to itself, so ∂R drops out.
#[inline(always)]
pub(super) fn corotational_stress(f: &M3, r: &M3, mu: f64, lambda: f64) -> M3 {
    let (a, b) = (2.0 * mu, lambda * (dot9(f, r) - 3.0));
    let e = |i: usize, j: usize| a * (f[i][j] - r[i][j]) + b * r[i][j];
    [[e(0, 0), e(0, 1), e(0, 2)], [e(1, 0), e(1, 1), e(1, 2)], [e(2, 0), e(2, 1), e(2, 2)]]
}

/// Ψ of the stable neo-Hookean energy without its logarithm (J/m³), and the argument of the logarithm: Ψ is the first
/// less μ/2 times the natural logarithm of the second.
#[inline(always)]
pub(super) fn neo_hookean_energy(f: &M3, mu: f64, lambda: f64) -> (f64, f64) {
    let c = cofactor(f);
    let j = f[0][0] * c[0][0] + f[0][1] * c[0][1] + f[0][2] * c[0][2] - 1.0;
    let size = dot9(f, f);
    (0.5 * mu * (size - 3.0) + 0.5 * lambda * j * j - 0.75 * mu * j, 0.25 * (size + 1.0))
}

/// P = μ (1 − 1/(|F|² + 1)) F + (λ (J − 1) − ¾μ) cof F (Pa).
#[inline(always)]
pub(super) fn neo_hookean_stress(f: &M3, mu: f64, lambda: f64) -> M3 {
    let c = cofactor(f);
    let j = f[0][0] * c[0][0] + f[0][1] * c[0][1] + f[0][2] * c[0][2] - 1.0;
    let a = mu * (1.0 - 1.0 / (dot9(f, f) + 1.0));
    let b = lambda * j - 0.75 * mu;
    let e = |i: usize, k: usize| a * f[i][k] + b * c[i][k];
    [[e(0, 0), e(0, 1), e(0, 2)], [e(1, 0), e(1, 1), e(1, 2)], [e(2, 0), e(2, 1), e(2, 2)]]
}

/// P of one tet, for the scalar twin and for reports.
pub(super) fn stress_of(model: Model, f: &M3, mu: f64, lambda: f64) -> M3 {
    match model {
        Model::Corotational => corotational_stress(f, &crate::polar::rotation(f), mu, lambda),
        Model::StableNeoHookean => neo_hookean_stress(f, mu, lambda),
    }
}

/// Corner forces −V P gᵢ of one lane; the first corner takes the negative sum, so that they cancel to rounding.
#[inline(always)]
pub(super) fn put_forces(p: &M3, b: &TetBlock, scale: f64, l: usize, out: &mut CornerForces) {
    let s = -scale * b.volume[l];
    for k in 0..3 {
        let e = |i: usize| {
            let g = [b.gradient[3 * i][l], b.gradient[3 * i + 1][l], b.gradient[3 * i + 2][l]];
            s * (p[k][0] * g[0] + p[k][1] * g[1] + p[k][2] * g[2])
        };
        let (f1, f2, f3) = (e(0), e(1), e(2));
        out[k][l] = -(f1 + f2 + f3);
        out[3 + k][l] = f1;
        out[6 + k][l] = f2;
        out[9 + k][l] = f3;
    }
}
