//! Stress and tangent of plane strain. Matrices are row-major [11, 12, 21, 22]; the third stretch is one.

/// How stress follows from the deformation gradient F; J = det F, V = (F Fᵀ)^½.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaneLaw {
    /// Cauchy stress σ = 2μ ln V + λ tr(ln V) I: linear in true strain, as ANSYS has it and as seed 004 says of its Fig. 5. A
    /// confined column gives −M ln(1 − d).
    Logarithmic,
    /// Ψ = μ/2 (tr FᵀF − 2) − μ ln J + λ/2 (J − 1)².
    NeoHookean,
}

/// A law with its Lamé constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneMaterial {
    /// The law.
    pub law: PlaneLaw,
    /// Shear modulus μ (Pa).
    pub mu: f64,
    /// Lamé's λ (Pa).
    pub lambda: f64,
}

type M = [f64; 4];

fn mul(a: &M, b: &M) -> M {
    [
        a[0] * b[0] + a[1] * b[2],
        a[0] * b[1] + a[1] * b[3],
        a[2] * b[0] + a[3] * b[2],
        a[2] * b[1] + a[3] * b[3],
    ]
}

fn transposed(a: &M) -> M {
    [a[0], a[2], a[1], a[3]]
}

fn combine(s: f64, a: &M, t: f64, b: &M) -> M {
    std::array::from_fn(|i| s * a[i] + t * b[i])
}

impl PlaneMaterial {
    /// The material with confined modulus M = λ + 2μ and Poisson's ratio; `None` unless M > 0 and −1 < ν < ½.
    #[must_use]
    pub fn confined(law: PlaneLaw, modulus: f64, poisson: f64) -> Option<Self> {
        let fits = modulus > 0.0 && modulus.is_finite() && poisson > -1.0 && poisson < 0.5;
        fits.then(|| Self {
            law,
            mu: modulus * (1.0 - 2.0 * poisson) / (2.0 * (1.0 - poisson)),
            lambda: modulus * poisson / (1.0 - poisson),
        })
    }

    /// First Piola–Kirchhoff stress P(F) (Pa); `None` where J is not positive.
    #[must_use]
    pub fn stress(&self, f: &[f64; 4]) -> Option<[f64; 4]> {
        self.evaluate(f, None)
    }

    /// P(F), and ∂P/∂F (Pa) into `tangent`: row k is the change of P with the k-th number of F.
    pub fn stress_and_tangent(&self, f: &[f64; 4], tangent: &mut [[f64; 4]; 4]) -> Option<[f64; 4]> {
        self.evaluate(f, Some(tangent))
    }

    fn evaluate(&self, f: &M, tangent: Option<&mut [M; 4]>) -> Option<M> {
        let j = f[0] * f[3] - f[1] * f[2];
        if !(j > 0.0 && j.is_finite()) {
            return None;
        }
        // F⁻ᵀ; dF⁻ᵀ = −F⁻ᵀ dFᵀ F⁻ᵀ and dJ = J F⁻ᵀ : dF.
        let inv_t = [f[3] / j, -f[2] / j, -f[1] / j, f[0] / j];
        let unit = |k: usize| -> M { std::array::from_fn(|i| f64::from(u8::from(i == k))) };
        let d_inv_t = |df: &M| mul(&mul(&inv_t, &transposed(df)), &inv_t).map(|v| -v);
        let Self { mu, lambda, .. } = *self;
        match self.law {
            PlaneLaw::NeoHookean => {
                let q = lambda * (j - 1.0) * j - mu;
                if let Some(out) = tangent {
                    for (k, row) in out.iter_mut().enumerate() {
                        let df = unit(k);
                        let dq = lambda * (2.0 * j - 1.0) * j * inv_t[k];
                        let a = combine(mu, &df, dq, &inv_t);
                        *row = combine(1.0, &a, q, &d_inv_t(&df));
                    }
                }
                Some(combine(mu, f, q, &inv_t))
            }
            PlaneLaw::Logarithmic => {
                let log = LogB::new(f, j);
                let [p, q] = log.deviator();
                let volume = log.half_ln_det;
                // ½ ln b = volume/2 I + (p, q) deviator, and ln b has twice that.
                let sigma = |v: f64, p: f64, q: f64| -> M {
                    let mean = (mu + lambda) * v;
                    [mean + mu * p, mu * q, mu * q, mean - mu * p]
                };
                let s = sigma(volume, p, q);
                let stress = mul(&s, &inv_t).map(|v| j * v);
                if let Some(out) = tangent {
                    for (k, row) in out.iter_mut().enumerate() {
                        let df = unit(k);
                        let [dp, dq] = log.slope(f, &df);
                        let ds = sigma(inv_t[k], dp, dq);
                        let a = combine(inv_t[k], &stress, j, &mul(&ds, &inv_t));
                        *row = combine(1.0, &a, j, &mul(&s, &d_inv_t(&df)));
                    }
                }
                Some(stress)
            }
        }
    }
}

/// ln b of b = F Fᵀ = m I + r E, E = [c, s; s, −c]: ln b = ln J I + atanh(r/m) E. No eigenvectors are needed and equal
/// stretches are no special case.
struct LogB {
    m: f64,
    r: f64,
    /// Cosine and sine of twice the angle of the larger stretch.
    turn: [f64; 2],
    /// ½ ln det b = ln J = tr ln V.
    half_ln_det: f64,
    /// b's determinant m² − r² = J².
    det: f64,
}

impl LogB {
    fn new(f: &M, j: f64) -> Self {
        let b = mul(f, &transposed(f));
        let (m, p, q) = (0.5 * (b[0] + b[3]), 0.5 * (b[0] - b[3]), b[1]);
        let r = libm::hypot(p, q);
        let turn = if r > 0.0 { [p / r, q / r] } else { [1.0, 0.0] };
        Self { m, r, turn, half_ln_det: libm::log(j), det: j * j }
    }

    /// atanh(r/m) and that over r; the larger stretch is m + r and the smaller det/(m + r), so nothing cancels.
    fn spread(&self) -> (f64, f64) {
        let u = self.r / self.m;
        if u < 1e-4 {
            let over = (1.0 + u * u / 3.0) / self.m;
            (self.r * over, over)
        } else {
            let big = self.m + self.r;
            let a = 0.5 * libm::log(big * (big / self.det));
            (a, a / self.r)
        }
    }

    /// The deviator of ln b as the numbers (p, q) of [p, q; q, −p].
    fn deviator(&self) -> [f64; 2] {
        self.turn.map(|t| t * self.spread().0)
    }

    /// Change of [`LogB::deviator`] with F.
    fn slope(&self, f: &M, df: &M) -> [f64; 2] {
        let h = mul(df, &transposed(f));
        let (dm, dp, dq) = (h[0] + h[3], h[0] - h[3], h[1] + h[2]);
        let [c, s] = self.turn;
        // Along E the eigenvalues m ± r change by dm ± da, across it the frame turns.
        let (da, db) = (c * dp + s * dq, c * dq - s * dp);
        let along = (self.m * da - self.r * dm) / self.det;
        let across = self.spread().1 * db;
        [c * along - s * across, s * along + c * across]
    }
}
