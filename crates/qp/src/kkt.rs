//! How far a pair (Δv, μ) is from the optimum: the residuals of Karush, Kuhn and Tucker, measured afresh.
//!
//! ```text
//! stationarity   ‖KΔv − b + Jᵀμ‖∞    over max(‖b‖∞, ‖KΔv‖∞, ‖Jᵀμ‖∞)
//! primal         max (JΔv − c)₊, |JΔv − c| of equalities    over max(|cᵢ|, Σ|g||Δv|, Σ|g||D⁻¹b|) of the rows
//! dual           max (−μ)₊    over max |μ|
//! complementarity max |μᵢ (JΔv − c)ᵢ|    over (max |μ|)·(the primal scale)
//! friction       |λ_t| beyond μλ_n, over max |λ|; and |μλ_n u − |u|λ_t| of a slip u, over (max |λ|)·(the primal scale)
//! ```
//! Where contacts let go all forces are rounding, and rounding is no scale: those of stationarity and of μ count as at least 10⁻⁶ of what would move the
//! most mobile row at the primal scale.
//!
//! D⁻¹b, with the diagonal blocks of K, is about what b alone would do: a box that rests moves by nothing but rounding, and
//! rounding is no scale.

use crate::problem::{Problem, inverse_of_definite, mul};
use impinge_geometry::DVec3;
use impinge_solvers::{ApplyWorkspace, Operator};
use std::fmt;

/// Residuals. Relative ones are dimensionless; `violation` is in m/s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Kkt {
    /// ‖KΔv − b + Jᵀμ‖, relative.
    pub stationarity: f64,
    /// Largest violation of a row, relative.
    pub primal: f64,
    /// Largest multiplier of the wrong sign, relative.
    pub dual: f64,
    /// Largest |μᵢ (JΔv − c)ᵢ|, relative.
    pub complementarity: f64,
    /// Coulomb's law, relative.
    pub friction: f64,
    /// Largest violation of a row (m/s).
    pub violation: f64,
    /// Largest |μᵢ (JΔv − c)ᵢ| (J).
    pub gap: f64,
    /// `violation` and `complementarity` beyond the rounding that bounds are stated to have ([`crate::Rows::set_rounding`]).
    pub excess: [f64; 2],
}

impl Kkt {
    /// The largest relative residual; NaN counts as infinite.
    pub fn worst(&self) -> f64 {
        let all = [self.stationarity, self.primal, self.dual, self.complementarity, self.friction];
        all.iter().fold(0.0, |m, &v| if v.is_nan() { f64::INFINITY } else { m.max(v) })
    }

    /// The largest relative residual, where rows that are violated by no more than `velocity` (m/s) count as kept, whatever that is of their
    /// own size, beyond the rounding that they are stated to have: what small systems are refined by.
    pub fn worst_beyond(&self, velocity: f64) -> f64 {
        let primal = if self.excess[0] <= velocity { 0.0 } else { self.primal };
        Self { primal, ..*self }.worst()
    }

    /// The same with complementarity beyond that rounding as well: what a solution is accepted by.
    pub fn left_beyond(&self, velocity: f64) -> f64 {
        Self { complementarity: self.excess[1], ..*self }.worst_beyond(velocity)
    }

    /// The larger of each residual; NaN stays.
    pub(crate) fn larger(&self, o: &Self) -> Self {
        Self {
            stationarity: larger(self.stationarity, o.stationarity),
            primal: larger(self.primal, o.primal),
            dual: larger(self.dual, o.dual),
            complementarity: larger(self.complementarity, o.complementarity),
            friction: larger(self.friction, o.friction),
            violation: larger(self.violation, o.violation),
            gap: larger(self.gap, o.gap),
            excess: [0, 1].map(|i| larger(self.excess[i], o.excess[i])),
        }
    }

    /// Measures Δv, μ against the problem; `l` is the regularisation that is kept (0: none). One entry of μ per row, signed
    /// for equalities and tangents.
    pub fn measure(p: &Problem<'_>, dv: &[DVec3], mu: &[f64], l: f64) -> Self {
        let mut measure = Measure::default();
        let scale = p.check().map_or_else(|_| Vec::new(), |inverse| row_scales(p, &inverse));
        measure.begin(p, &scale);
        measure.of(p, dv, mu, l)
    }
}

/// Scratch of [`Kkt::measure`].
#[derive(Debug, Default)]
pub(crate) struct Measure {
    kx: Vec<DVec3>,
    jm: Vec<DVec3>,
    /// What b alone would make the speed of each block, and that or more.
    free: Vec<f64>,
    speed: Vec<f64>,
    /// Size of each gradient, row by row.
    size: Vec<f64>,
    r: Vec<f64>,
    ws: ApplyWorkspace,
    /// The most velocity that a unit of multiplier gives a row (`Jᵢ D⁻¹ Jᵢᵀ`).
    most: f64,
}

/// Multipliers and loads that change no row by more than this of the largest speed are no scale: where contacts let go, all of them are what rounding leaves.
const NOTHING: f64 = 1e-6;

impl Measure {
    /// For a problem.
    pub(crate) fn begin(&mut self, p: &Problem<'_>, scale: &[f64]) {
        let n = p.b.len();
        self.most = scale.iter().fold(0.0, |m, s| f64::max(m, *s));
        // Without a load nothing moves by itself.
        self.free.clear();
        self.free.resize(n, 0.0);
        if p.b.iter().any(|b| *b != DVec3::zero()) {
            let mut diagonal = vec![[0.0; 9]; n];
            p.k.add_diagonal(&mut diagonal);
            for (b, f) in self.free.iter_mut().enumerate() {
                *f = inverse_of_definite(&diagonal[b]).map_or(0.0, |d| mul(&d, p.b[b]).mag());
            }
        }
        self.size.clear();
        self.size.extend(p.rows.entries().flat_map(|e| e.1).map(|g| g.mag()));
    }

    /// The largest speed (m/s) that loads and bounds of the problem ask for.
    pub(crate) fn asked(&self, p: &Problem<'_>) -> f64 {
        let bounds = p.rows.bounds().iter().fold(0.0, |m: f64, c| m.max(c.abs()));
        self.free.iter().fold(bounds, |m, f| m.max(*f))
    }

    /// Jᵀμ of what was measured last.
    pub(crate) fn forces(&self) -> &[DVec3] {
        &self.jm
    }

    /// As [`Kkt::measure`], of the problem it began with.
    pub(crate) fn of(&mut self, p: &Problem<'_>, dv: &[DVec3], mu: &[f64], l: f64) -> Kkt {
        let n = dv.len();
        let Self { kx, jm, free, speed, size, r, ws, most } = self;
        for v in [&mut *kx, &mut *jm] {
            v.clear();
            v.resize(n, DVec3::zero());
        }
        p.k.apply(dv, kx, ws);
        p.rows.apply_transposed(mu, jm);
        let (mut residual, mut scale) = (0.0f64, 0.0f64);
        for i in 0..n {
            residual = larger(residual, (kx[i] - p.b[i] + jm[i]).component_max_abs());
            scale = scale.max(kx[i].component_max_abs());
            scale = scale.max(p.b[i].component_max_abs()).max(jm[i].component_max_abs());
        }
        speed.clear();
        speed.extend(dv.iter().zip(&*free).map(|(v, free)| v.mag().max(*free)));
        let mut sizes = size.iter();
        r.clear();
        let (mut v_scale, mut m_scale) = (0.0f64, 0.0f64);
        for ((blocks, gradients), (&bound, &mu)) in p.rows.entries().zip(p.rows.bounds().iter().zip(mu)) {
            let (mut sum, mut along) = (0.0, 0.0);
            for ((&b, g), size) in blocks.iter().zip(gradients).zip(sizes.by_ref()) {
                sum += size * speed[b as usize];
                along += g.dot(dv[b as usize]);
            }
            v_scale = v_scale.max(sum).max(bound.abs());
            m_scale = m_scale.max(mu.abs());
            r.push(along - bound - l * mu);
        }
        if *most > 0.0 {
            let nothing = NOTHING * v_scale / *most;
            (scale, m_scale) = (scale.max(nothing), m_scale.max(nothing));
        }
        let mut kkt = Kkt { stationarity: over(residual, scale), ..Kkt::default() };
        let (mut dual, mut gap, mut excess) = (0.0f64, 0.0f64, [0.0f64; 2]);
        for (i, (kind, (&r, &mu))) in p.rows.kinds().iter().zip(r.iter().zip(mu)).enumerate() {
            let violation = match kind {
                crate::RowKind::Tangent => continue,
                crate::RowKind::Fixed => r.abs(),
                _ => {
                    dual = larger(dual, -mu);
                    gap = larger(gap, (mu * r).abs());
                    excess[1] = larger(excess[1], mu.abs() * beyond(r.abs(), p.rows.rounding()[i]));
                    r.max(0.0)
                }
            };
            kkt.violation = larger(kkt.violation, violation);
            excess[0] = larger(excess[0], beyond(violation, p.rows.rounding()[i]));
        }
        let mut friction = 0.0f64;
        for f in p.rows.friction() {
            let [a, b] = f.tangent.map(|t| t as usize);
            let force = (mu[a] * mu[a] + mu[b] * mu[b]).sqrt();
            let limit = f.mu * mu[f.normal as usize].max(0.0);
            friction = larger(friction, over(force - limit, m_scale));
            // μ here is minus the force: it points along the slip it resists, or there is no slip.
            let slip = (r[a] * r[a] + r[b] * r[b]).sqrt();
            let (x, y) = (limit * r[a] - slip * mu[a], limit * r[b] - slip * mu[b]);
            let opposed = (x * x + y * y).sqrt();
            friction = larger(friction, over(opposed, m_scale * v_scale));
        }
        kkt.gap = gap;
        kkt.friction = friction;
        kkt.primal = over(kkt.violation, v_scale);
        kkt.dual = over(dual, m_scale);
        kkt.complementarity = over(gap, m_scale * v_scale);
        kkt.excess = [excess[0], over(excess[1], m_scale * v_scale)];
        kkt
    }
}

/// `Jᵢ D⁻¹ Jᵢᵀ` with D the diagonal blocks of K.
pub(crate) fn row_scales(p: &Problem<'_>, inverse: &[[f64; 9]]) -> Vec<f64> {
    let scale = |(blocks, gradients): (&[u32], &[DVec3])| {
        blocks.iter().zip(gradients).map(|(&b, g)| mul(&inverse[b as usize], *g).dot(*g)).sum()
    };
    p.rows.entries().map(scale).collect()
}

/// What is more than `rounding`; a NaN stays one.
fn beyond(r: f64, rounding: f64) -> f64 {
    if r <= rounding { 0.0 } else { r - rounding }
}

/// The larger, and a NaN stays one.
fn larger(a: f64, b: f64) -> f64 {
    if a >= b {
        a
    } else if b > a {
        b
    } else {
        f64::NAN
    }
}

fn over(a: f64, scale: f64) -> f64 {
    if a <= 0.0 {
        0.0
    } else if scale > 0.0 {
        a / scale
    } else {
        f64::INFINITY
    }
}

/// The largest component by size.
pub(crate) trait MaxAbs {
    fn component_max_abs(&self) -> f64;
}

impl MaxAbs for DVec3 {
    fn component_max_abs(&self) -> f64 {
        larger(larger(self.x.abs(), self.y.abs()), self.z.abs())
    }
}

impl fmt::Display for Kkt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:.1e} stationarity, {:.1e} primal, {:.1e} dual, {:.1e} complementarity",
            self.stationarity, self.primal, self.dual, self.complementarity
        )?;
        if self.friction > 0.0 {
            write!(f, ", {:.1e} friction", self.friction)?;
        }
        Ok(())
    }
}
