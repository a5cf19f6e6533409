//! Membrane laws: from in-plane Green strain to tension per length.
//!
//! `ε = (E_uu, E_vv, 2 E_uv)` of `E = ½ (FᵀF − I)` in the rest axes u (warp) and v (weft);
//! `S = ∂ψ/∂ε` is the second Piola–Kirchhoff stress times thickness (N/m), ψ the energy per rest area (J/m²).
//!
//! * Linear: `ψ = ½ εᵀ C ε` — St. Venant–Kirchhoff, isotropic or orthotropic. The usual cloth law; it softens
//!   under strong compression (below 1/√3 of the rest length), where cloth has wrinkled long before.
//! * Rubber: incompressible neo-Hookean sheet, whose thickness follows the area:
//!   `ψ = ½ μ h (tr C + 1/det C − 3)`, exact for balloons. Below a tenth of its rest area `1/det C` is continued
//!   by its parabola, so that a collapsed triangle has a finite energy and pushes back.

use crate::element::{BadElement, Projection, positive};
use impinge_geometry::{DMat3, DVec3, symmetric_eigen};

/// What a membrane is made of. One law for a batch; a cloth of two fabrics is two batches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MembraneLaw(pub(crate) Law);

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Law {
    Linear(Linear),
    Rubber(Rubber),
}

/// The orthotropic C: normal stiffnesses, their coupling and shear (N/m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Linear {
    pub uu: f64,
    pub vv: f64,
    pub uv: f64,
    pub shear: f64,
}

/// μ h (N/m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rubber {
    pub mu_h: f64,
}

impl MembraneLaw {
    /// Isotropic St. Venant–Kirchhoff in plane stress: Young's modulus `e` (Pa), Poisson's ratio `nu`,
    /// `thickness` (m).
    ///
    /// # Errors
    /// A modulus or thickness that is not positive, a ratio outside (−1, 1).
    pub fn isotropic(e: f64, nu: f64, thickness: f64) -> Result<Self, BadElement> {
        positive("Young's modulus", e, "Pa")?;
        positive("thickness", thickness, "m")?;
        if !(nu > -1.0 && nu < 1.0) {
            return Err(BadElement::batch(format!(
                "Poisson's ratio is {nu}; it must lie between −1 and 1 (in plane stress; fabrics: 0 to 0.5)"
            )));
        }
        let c = e * thickness / (1.0 - nu * nu);
        let shear = e * thickness / (2.0 * (1.0 + nu));
        Ok(Self(Law::Linear(Linear { uu: c, vv: c, uv: nu * c, shear })))
    }

    /// Woven fabric: moduli `e_warp`, `e_weft` along u and v and `shear` modulus G (Pa), `nu_warp` = contraction
    /// along v over extension along u, `thickness` (m). (The other ratio is `nu_warp · e_weft / e_warp`.)
    ///
    /// # Errors
    /// A modulus or thickness that is not positive; `nu_warp² ≥ e_warp / e_weft`, which would store negative
    /// energy.
    pub fn orthotropic(
        e_warp: f64,
        e_weft: f64,
        shear: f64,
        nu_warp: f64,
        thickness: f64,
    ) -> Result<Self, BadElement> {
        for (name, value, unit) in [
            ("warp modulus", e_warp, "Pa"),
            ("weft modulus", e_weft, "Pa"),
            ("shear modulus", shear, "Pa"),
            ("thickness", thickness, "m"),
        ] {
            positive(name, value, unit)?;
        }
        let nu_weft = nu_warp * e_weft / e_warp;
        let rest = 1.0 - nu_warp * nu_weft;
        if rest.is_nan() || rest <= 0.0 {
            return Err(BadElement::batch(format!(
                "Poisson's ratio {nu_warp} is too large for moduli {e_warp} and {e_weft} Pa; its square must stay below {}",
                e_warp / e_weft
            )));
        }
        Ok(Self(Law::Linear(Linear {
            uu: e_warp * thickness / rest,
            vv: e_weft * thickness / rest,
            uv: nu_weft * e_warp * thickness / rest,
            shear: shear * thickness,
        })))
    }

    /// Incompressible rubber sheet of shear modulus `mu` (Pa; a third of Young's modulus) and rest `thickness`
    /// (m).
    ///
    /// # Errors
    /// A number that is not positive.
    pub fn rubber(mu: f64, thickness: f64) -> Result<Self, BadElement> {
        positive("shear modulus", mu, "Pa")?;
        positive("thickness", thickness, "m")?;
        Ok(Self(Law::Rubber(Rubber { mu_h: mu * thickness })))
    }

    /// ψ (J/m²).
    #[must_use]
    pub fn energy_density(&self, strain: [f64; 3]) -> f64 {
        match self.0 {
            Law::Linear(l) => {
                let s = l.tension(strain);
                0.5 * (s[0] * strain[0] + s[1] * strain[1] + s[2] * strain[2])
            }
            Law::Rubber(r) => r.energy_density(strain),
        }
    }

    /// S = ∂ψ/∂ε (N/m): uu, vv, uv.
    #[must_use]
    pub fn tension(&self, strain: [f64; 3]) -> [f64; 3] {
        match self.0 {
            Law::Linear(l) => l.tension(strain),
            Law::Rubber(r) => r.tension(strain),
        }
    }

    /// ∂S/∂ε (N/m). Positive semidefinite for the linear laws always and for rubber above a tenth of its area; the
    /// projection clamps what is left.
    #[must_use]
    pub fn tangent(&self, strain: [f64; 3], projection: Projection) -> [[f64; 3]; 3] {
        match self.0 {
            Law::Linear(l) => [[l.uu, l.uv, 0.0], [l.uv, l.vv, 0.0], [0.0, 0.0, l.shear]],
            Law::Rubber(r) => r.tangent(strain, projection),
        }
    }
}

impl Linear {
    #[inline(always)]
    #[must_use]
    pub fn tension(&self, e: [f64; 3]) -> [f64; 3] {
        [self.uu * e[0] + self.uv * e[1], self.uv * e[0] + self.vv * e[1], self.shear * e[2]]
    }

    /// C b of a column b of three vectors.
    #[inline(always)]
    #[must_use]
    pub fn times(&self, b: [DVec3; 3]) -> [DVec3; 3] {
        [b[0] * self.uu + b[1] * self.uv, b[0] * self.uv + b[1] * self.vv, b[2] * self.shear]
    }
}

/// det C below which 1/det C is continued by its parabola: an area ratio of 0.1.
const LEAST: f64 = 0.01;

impl Rubber {
    /// `det C` and `w', w''` of `w(d) = 1/d`.
    #[inline(always)]
    fn volume(c: [f64; 3]) -> (f64, f64, f64) {
        let d = c[0] * c[1] - c[2] * c[2];
        let at = if d > LEAST { d } else { LEAST };
        let (w1, w2) = (-1.0 / (at * at), 2.0 / (at * at * at));
        (d, w1 + w2 * (d - at), w2)
    }

    /// C₁₁, C₂₂, C₁₂ from the strain.
    #[inline(always)]
    fn right_cauchy_green(e: [f64; 3]) -> [f64; 3] {
        [1.0 + 2.0 * e[0], 1.0 + 2.0 * e[1], e[2]]
    }

    fn energy_density(&self, e: [f64; 3]) -> f64 {
        // tr C − 2 and 1/det C − 1 from the strain itself: at small strain the ones cancel exactly.
        let d_minus_1 = 2.0 * (e[0] + e[1]) + 4.0 * e[0] * e[1] - e[2] * e[2];
        let d = 1.0 + d_minus_1;
        let w_minus_1 = if d > LEAST {
            -d_minus_1 / d
        } else {
            let t = d - LEAST;
            1.0 / LEAST - 1.0 - t / (LEAST * LEAST) + t * t / (LEAST * LEAST * LEAST)
        };
        0.5 * self.mu_h * (2.0 * (e[0] + e[1]) + w_minus_1)
    }

    #[inline(always)]
    #[must_use]
    pub fn tension(&self, e: [f64; 3]) -> [f64; 3] {
        let c = Self::right_cauchy_green(e);
        let (_, w1, _) = Self::volume(c);
        [self.mu_h * (1.0 + w1 * c[1]), self.mu_h * (1.0 + w1 * c[0]), -self.mu_h * w1 * c[2]]
    }

    #[inline(always)]
    #[must_use]
    pub fn tangent(&self, e: [f64; 3], projection: Projection) -> [[f64; 3]; 3] {
        let t = self.tangent_exact(e);
        match projection {
            Projection::Exact => t,
            Projection::Spd if clearly_positive(&t) => t,
            Projection::Spd => clamped(t),
        }
    }

    #[inline(always)]
    fn tangent_exact(&self, e: [f64; 3]) -> [[f64; 3]; 3] {
        let c = Self::right_cauchy_green(e);
        let (_, w1, w2) = Self::volume(c);
        let g = [2.0 * c[1], 2.0 * c[0], -2.0 * c[2]];
        let mut t = g.map(|a| g.map(|b| 0.5 * self.mu_h * w2 * a * b));
        t[0][1] += 2.0 * self.mu_h * w1;
        t[1][0] += 2.0 * self.mu_h * w1;
        t[2][2] -= self.mu_h * w1;
        t
    }
}

/// Whether the smallest eigenvalue is above 1e-10 of the trace, so that no rounding in [`symmetric_eigen`] finds it
/// negative: [`clamped`] would give `t` back, at many times the price.
#[inline(always)]
fn clearly_positive(t: &[[f64; 3]; 3]) -> bool {
    let minor = t[0][0] * t[1][1] - t[0][1] * t[1][0];
    let determinant = minor * t[2][2] - (t[0][0] * t[1][2] - t[0][2] * t[1][0]) * t[2][1]
        + (t[0][1] * t[1][2] - t[0][2] * t[1][1]) * t[2][0];
    let trace = t[0][0] + t[1][1] + t[2][2];
    // Leading minors above zero: all eigenvalues are; then the smallest is above determinant / trace².
    t[0][0] > 0.0 && minor > 1e-10 * trace * trace && determinant > 1e-10 * trace * trace * trace
}

/// The nearest positive semidefinite matrix.
fn clamped(t: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let (values, vectors) = symmetric_eigen(&DMat3::new(t[0].into(), t[1].into(), t[2].into()));
    if values[0] >= 0.0 {
        return t;
    }
    let mut out = [[0.0; 3]; 3];
    for (value, v) in values.into_iter().zip(vectors.cols).filter(|(value, _)| *value > 0.0) {
        let v: DVec3 = v;
        for i in 0..3 {
            for j in 0..3 {
                out[i][j] += value * v[i] * v[j];
            }
        }
    }
    out
}
