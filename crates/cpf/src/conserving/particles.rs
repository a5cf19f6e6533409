//! One energy-conserving step of a handful of free particles with contact pairs, by Newton with a dense matrix.
//!
//! The scheme on its own, to be read and tested: M(2(x₁ − x₀)/Δt² − 2v₀/Δt − g) + G(x₀, x₁) = 0 for x₁, then
//! v₁ = 2(x₁ − x₀)/Δt − v₀. Worlds solve the same equations with their own operators and [`super::pair_gradient`].

use super::{PairGradient, Scheme, gradient_over, tangent_over};
use impinge_ccd::{Carried, Kind, NotFinite, Opens};
use impinge_geometry::DVec3;
use std::fmt;

/// A contact pair between particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPair {
    /// What it consists of.
    pub kind: Kind,
    /// The four particles.
    pub stencil: [u32; 4],
    /// What the last step carried on.
    pub carried: Option<Carried>,
    /// Which contacts may open.
    pub opens: Opens,
    /// Stiffness (N/m).
    pub stiffness: f64,
    /// Damping (N·s/m).
    pub damping: f64,
}

/// Options of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConservingOptions {
    /// Step (s).
    pub dt: f64,
    /// Gravity (m/s²).
    pub gravity: DVec3,
    /// Which discrete gradient.
    pub scheme: Scheme,
    /// Newton iterations at the most.
    pub iterations: usize,
    /// Residual, relative to the forces that enter it, at which Newton stops.
    pub tolerance: f64,
}

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ConservingStep {
    /// Newton iterations.
    pub iterations: usize,
    /// Energy in the contacts at the end (J).
    pub contact_energy: f64,
    /// Angular momentum the contacts added to the system (N·m·s): zero but for rounding where every pair was equivariant.
    pub leak: DVec3,
    /// Energy the dampers took (J).
    pub dissipated: f64,
}

/// Newton did not converge.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum NotConverged {
    /// The residual relative to its scale after the last iteration.
    Residual(f64),
    /// The matrix is singular.
    Singular,
    /// A particle's position is not finite.
    NotFinite(NotFinite),
}

impl fmt::Display for NotConverged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Residual(r) => {
                write!(f, "Newton stopped at a relative residual of {r:.1e}; take a shorter step")
            }
            Self::Singular => write!(f, "the step's matrix is singular; take a shorter step"),
            Self::NotFinite(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for NotConverged {}

impl From<NotFinite> for NotConverged {
    fn from(e: NotFinite) -> Self {
        Self::NotFinite(e)
    }
}

/// Moves particles of `mass` (kg) at `x` (m) with `v` (m/s) by one step and updates what the pairs carry.
///
/// # Errors
/// [`NotConverged`]; nothing is changed then.
pub fn conserving_step(
    mass: &[f64],
    x: &mut [DVec3],
    v: &mut [DVec3],
    pairs: &mut [ContactPair],
    options: &ConservingOptions,
) -> Result<ConservingStep, NotConverged> {
    let n = mass.len().min(x.len()).min(v.len());
    let dt = options.dt;
    let mut x1: Vec<DVec3> = (0..n).map(|i| x[i] + v[i] * dt + options.gravity * (0.5 * dt * dt)).collect();
    let mut best = f64::INFINITY;
    for iteration in 0..options.iterations.max(1) {
        let (residual, scale, matrix, found) = assemble(mass, x, v, &x1, pairs, options)?;
        let size = residual.iter().map(|r| r * r).sum::<f64>().sqrt() / scale;
        // Stop when rounding stops the descent.
        if size <= options.tolerance || (size <= 1e3 * options.tolerance && size >= best) {
            return Ok(accept(x, v, &x1, pairs, &found, dt, iteration));
        }
        best = best.min(size);
        let step = solve(matrix, residual).ok_or(NotConverged::Singular)?;
        // A step far longer than the motion itself has left the pieces on which the equations are smooth: halve it until the
        // residual falls, six times at most.
        let mut length = 1.0;
        for _ in 0..6 {
            let trial = moved(&x1, &step, length);
            let (r, s, _, _) = assemble(mass, x, v, &trial, pairs, options)?;
            if r.iter().map(|r| r * r).sum::<f64>().sqrt() / s < size * (1.0 - 1e-4 * length) {
                break;
            }
            length *= 0.5;
        }
        x1 = moved(&x1, &step, if length < 0.02 { 1.0 } else { length });
    }
    Err(NotConverged::Residual(best))
}

fn moved(x: &[DVec3], step: &[f64], by: f64) -> Vec<DVec3> {
    x.iter()
        .enumerate()
        .map(|(i, x)| *x - DVec3::new(step[3 * i], step[3 * i + 1], step[3 * i + 2]) * by)
        .collect()
}

type Assembled = (Vec<f64>, f64, Vec<Vec<f64>>, Vec<Option<PairGradient>>);

/// Residual, its scale, its derivative by x₁, and the pairs.
fn assemble(
    mass: &[f64],
    x: &[DVec3],
    v: &[DVec3],
    x1: &[DVec3],
    pairs: &[ContactPair],
    options: &ConservingOptions,
) -> Result<Assembled, NotConverged> {
    let (n, dt) = (x1.len(), options.dt);
    let mut residual = vec![0.0; 3 * n];
    let mut matrix = vec![vec![0.0; 3 * n]; 3 * n];
    let mut scale: f64 = 0.0;
    for i in 0..n {
        let inertia = 2.0 * mass[i] / (dt * dt);
        let r = ((x1[i] - x[i]) - v[i] * dt) * inertia - options.gravity * mass[i];
        scale += inertia * ((x1[i] - x[i]).mag() + v[i].mag() * dt) + mass[i] * options.gravity.mag();
        for c in 0..3 {
            residual[3 * i + c] = r[c];
            matrix[3 * i + c][3 * i + c] = inertia;
        }
    }
    let mut found = Vec::with_capacity(pairs.len());
    for p in pairs {
        let s = p.stencil.map(|v| v as usize);
        let (a, b) = (s.map(|i| x[i]), s.map(|i| x1[i]));
        let law = (p.stiffness, p.damping);
        let intervals = impinge_ccd::intervals(p.kind, &a, &b, p.carried.as_ref(), p.opens)?;
        let g = gradient_over(options.scheme, p.kind, &a, &b, &intervals, law, dt);
        let tangent = tangent_over(options.scheme, p.kind, &a, &b, &intervals, law, dt);
        if let Some((g, tangent)) = g.as_ref().zip(tangent) {
            for (i, &at) in s.iter().enumerate() {
                scale += g.gradient[i].mag();
                for c in 0..3 {
                    residual[3 * at + c] += g.gradient[i][c];
                    for (j, &to) in s.iter().enumerate() {
                        for d in 0..3 {
                            matrix[3 * at + c][3 * to + d] += tangent[i][j].cols[d][c];
                        }
                    }
                }
            }
        }
        found.push(g);
    }
    Ok((residual, scale.max(f64::MIN_POSITIVE), matrix, found))
}

fn accept(
    x: &mut [DVec3],
    v: &mut [DVec3],
    x1: &[DVec3],
    pairs: &mut [ContactPair],
    found: &[Option<PairGradient>],
    dt: f64,
    iterations: usize,
) -> ConservingStep {
    let mut out = ConservingStep { iterations, ..ConservingStep::default() };
    for (p, g) in pairs.iter_mut().zip(found) {
        p.carried = g.as_ref().and_then(|g| g.carried);
        if let Some(g) = g {
            out.contact_energy += g.energy[1];
            out.leak -= g.couple * dt;
            out.dissipated += g.dissipated;
        }
    }
    for i in 0..x1.len() {
        v[i] = (x1[i] - x[i]) * (2.0 / dt) - v[i];
        x[i] = x1[i];
    }
    out
}

/// Gaussian elimination with row pivots.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    for c in 0..n {
        let pivot = (c..n).max_by(|&i, &j| a[i][c].abs().total_cmp(&a[j][c].abs()))?;
        if a[pivot][c] == 0.0 || !a[pivot][c].is_finite() {
            return None;
        }
        a.swap(c, pivot);
        b.swap(c, pivot);
        let (top, rest) = a.split_at_mut(c + 1);
        let lead = &top[c];
        for (i, row) in rest.iter_mut().enumerate() {
            let f = row[c] / lead[c];
            if f != 0.0 {
                for k in c..n {
                    row[k] -= f * lead[k];
                }
                b[c + 1 + i] -= f * b[c];
            }
        }
    }
    for c in (0..n).rev() {
        let sum: f64 = (c + 1..n).map(|k| a[c][k] * b[k]).sum();
        b[c] = (b[c] - sum) / a[c][c];
    }
    Some(b)
}
