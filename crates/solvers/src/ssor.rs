//! Symmetric over-relaxation, as a preconditioner for any operator and as a solver of its own.
//!
//! The solver is Eisenstat's (Efficient implementation of a class of preconditioned conjugate gradient methods, SIAM J.
//! Sci. Stat. Comput. 2, 1981): with the splitting of `split.rs`, conjugate gradients on
//! `Ŝ = (I+L)⁻¹ S (I+Lᵀ)⁻¹` need for one product only the two sweeps of the preconditioner,
//!
//! ```text
//! t = (I+Lᵀ)⁻¹ p,     Ŝ p = t + (I+L)⁻¹ (p + (ω−2) t + X t + E t)
//! ```
//! (E: contacts of low rank without their diagonal blocks, which are in D). So an iteration costs what block-Jacobi's
//! costs, and there are a third to a quarter as many. The sweeps run in f32. The residual that decides is f64: each time
//! the recursive one has fallen far enough, x is brought up to date and `b − A x` measured with the operator itself, while
//! the search direction is kept ("reliable updates", Sleijpen and van der Vorst 1996).

use crate::filter::Filter;
use crate::lanes::{add_and_dot, dot, follow, lane, step, vec};
use crate::matrix::{Block, mul, mul_transposed, product};
use crate::operator::{LowRank, System};
use crate::outcome::{MatrixError, Outcome, Reason, Settings};
use crate::pattern::BlockPattern;
use crate::pcg::{CgWorkspace, first_residual};
use crate::precondition::Preconditioner;
use crate::split::{Lane, Split};
use crate::vector::reset;
use impinge_geometry::{DVec3, halt};

/// Over-relaxation that was within 5 % of the best iteration count for stiffness over five decades, 42 iterations at the
/// reference problem against 56 with ω = 1 and 40 at best. Sheets differ among themselves: 1.7 in place of 1.4 takes 49 iterations
/// a step for 58 on `large/cloth-cpf` (as it was, with tori of 31.6 kg), but 28 for 20 on `cloth-limited` and 134 for 103 on `cloth-on-itself`.
pub const OMEGA: f64 = 1.4;
/// The recursive residual may fall this far before it is measured anew, and
const FALL: f64 = 1e-4;
/// only this far once this many iterations have gone by (a measurement costs two). Rounding in f32 spoils conjugacy over
/// long stretches: the reference mesh with E = 1.1·10⁵, 10⁶, 10⁷, 10⁸ Pa took 38, 112, 337, 483 iterations by the first
/// rule alone, 38, 95, 194, 332 by both; conjugate gradients in f64 with the same sweeps 37, 94, 192, 255.
const LONG: (usize, f64) = (16, 0.1);

/// The splitting of one matrix. Symbolic part once, values as often as they change.
#[derive(Clone, Debug, Default)]
pub struct Ssor {
    split: Split,
    contacts: ScaledRows,
    scratch: Vec<Lane>,
    p: Vec<Lane>,
    q: Vec<Lane>,
    t: Vec<Lane>,
    r: Vec<Lane>,
    x: Vec<Lane>,
}

/// C⁻¹ g √k of each contact row.
#[derive(Clone, Debug, Default)]
struct ScaledRows {
    start: Vec<u32>,
    node: Vec<u32>,
    gradient: Vec<Lane>,
}

impl Ssor {
    /// The sweeps run over `parts` equal ranges of rows that do not see each other, so that as many threads can work.
    /// Their number is part of the problem: other parts, other bits. One part converges best (56 iterations; 2: 72, 4: 76,
    /// 8: 86, all at ω = 1).
    #[must_use]
    pub fn new(pattern: &BlockPattern, parts: usize) -> Self {
        Self { split: Split::new(pattern, parts), ..Self::default() }
    }

    /// Takes the values of a system of the same pattern.
    ///
    /// # Errors
    /// [`MatrixError`] with the node when a diagonal block is not positive definite or a value not finite.
    pub fn update(&mut self, system: &System<'_>, filter: &Filter) -> Result<(), MatrixError> {
        self.split.update(&system.matrix(), system.contacts(), filter, OMEGA)?;
        self.contacts.update(system.contacts(), filter, self.split.scale());
        for v in [&mut self.scratch, &mut self.p, &mut self.q, &mut self.t, &mut self.r, &mut self.x] {
            v.clear();
            v.resize(self.split.nodes(), [0.0; 4]);
        }
        Ok(())
    }

    /// Bytes the two sweeps of an iteration read.
    #[must_use]
    pub fn sweep_bytes(&self) -> usize {
        self.split.sweep_bytes()
    }

    /// Flops of the two sweeps of an iteration.
    #[must_use]
    pub fn sweep_flops(&self) -> usize {
        self.split.sweep_flops()
    }

    /// Solves the system last given to [`Ssor::update`] by Eisenstat's conjugate gradients; otherwise as [`crate::pcg`].
    ///
    /// # Panics
    /// When `b` or `x` has another length than the system, or [`Ssor::update`] has not succeeded.
    pub fn solve(
        &mut self,
        system: &System<'_>,
        filter: &Filter,
        b: &[DVec3],
        x: &mut [DVec3],
        settings: &Settings,
        ws: &mut CgWorkspace,
    ) -> Outcome {
        assert!(self.split.is_ready(), "update the splitting first");
        let CgWorkspace { r, z, apply, .. } = ws;
        let Some((mut nr, reference)) = first_residual(system, filter, b, x, r, apply) else {
            return Outcome::new(0, f64::NAN, Reason::NonFinite);
        };
        let target = settings.tolerance * reference;
        if nr <= target {
            return Outcome::new(0, if reference > 0.0 { nr / reference } else { 0.0 }, Reason::Converged);
        }
        reset(z, x.len());
        // One scale for the whole solve keeps f32 in range whatever the units.
        let size: f64 = (0..r.len()).map(|i| mul(&self.split.scale()[i], r[i]).mag_sq()).sum::<f64>().sqrt();
        if !(size.is_finite() && 1.0 / size < f64::MAX) {
            return Outcome::new(0, nr / reference, Reason::NonFinite);
        }
        let unit = 1.0 / size;
        self.take_residual(r, unit);
        self.p.copy_from_slice(&self.r);
        self.x.fill([0.0; 4]);
        let mut rr = dot(&self.r, &self.r);
        let mut rp = rr;
        let (mut stalled, mut since) = (0, 0);
        // In exact arithmetic a small system is done after as many iterations as it has unknowns, and where f32 stalls
        // no further ones help: look at the true residual at least this often.
        let patience = (3 * x.len() + 10).min(300);
        // How far the recursive residual is to fall before the next measurement, in its own norm.
        let mut from = rr.sqrt();
        let mut goal = from * (0.7 * target / nr).max(FALL);
        let mut iterations = 0;
        let reason = loop {
            let pq = self.product();
            iterations += 1;
            if !pq.is_finite() {
                break Reason::NonFinite;
            }
            if pq <= 0.0 {
                break Reason::Indefinite;
            }
            let alpha = rp / pq;
            let next = step(alpha as f32, &self.p, &self.q, &mut self.x, &mut self.r);
            if !next.is_finite() {
                break Reason::NonFinite;
            }
            let last = iterations >= settings.max_iterations || halt::asked();
            since += 1;
            let now_at = next.sqrt();
            let due = now_at <= goal || since >= patience || (since >= LONG.0 && now_at <= LONG.1 * from);
            if !due && !last {
                follow((next / rr) as f32, &self.r, &mut self.p);
                rr = next;
                rp = next;
                continue;
            }
            let Some(now) = self.measure(system, filter, b, x, (z, r), unit, apply) else {
                break Reason::NonFinite;
            };
            if now > nr {
                break Reason::Stagnated;
            }
            since = 0;
            stalled = if now > 0.5 * nr { stalled + 1 } else { 0 };
            nr = now;
            x.copy_from_slice(z);
            if nr <= target {
                break Reason::Converged;
            }
            if last {
                break Reason::MaxIterations;
            }
            if stalled == 3 {
                break Reason::Stagnated;
            }
            self.take_residual(r, unit);
            self.x.fill([0.0; 4]);
            // The residual has jumped by rounding: conjugate against Ŝ p itself rather than by the usual quotient.
            let beta = -dot(&self.r, &self.q) / pq;
            follow(beta as f32, &self.r, &mut self.p);
            rr = dot(&self.r, &self.r);
            rp = dot(&self.r, &self.p);
            from = rr.sqrt();
            goal = from * (0.7 * target / nr).clamp(FALL, 0.5);
            if !(rp > 0.0 && rp.is_finite()) {
                // The old direction is of no use; begin anew from here.
                self.p.copy_from_slice(&self.r);
                rp = rr;
            }
        };
        // Breaking off loses what was gained since the last measurement unless it is an improvement.
        if matches!(reason, Reason::Indefinite | Reason::NonFinite)
            && let Some(now) = self.measure(system, filter, b, x, (z, r), unit, apply)
            && now < nr
        {
            nr = now;
            x.copy_from_slice(z);
        }
        Outcome::new(iterations, nr / reference, reason)
    }

    /// `r̂ = (I+L)⁻¹ C⁻¹ r · unit`.
    fn take_residual(&mut self, r: &[DVec3], unit: f64) {
        for ((o, r), c) in self.r.iter_mut().zip(r).zip(self.split.scale()) {
            *o = lane(mul(c, *r * unit));
        }
        self.split.forward(&mut self.r);
    }

    /// `q = Ŝ p`, and `p · q`.
    fn product(&mut self) -> f64 {
        self.split.backward(&self.p, &mut self.t);
        if self.contacts.node.is_empty() && self.split.parts() < 2 {
            return self.split.forward_fused(&self.p, &self.t, &mut self.scratch, &mut self.q);
        }
        self.scratch.fill([0.0; 4]);
        self.contacts.apply_add(&self.t, &mut self.scratch);
        self.split.middle(&self.p, &self.t, &mut self.scratch);
        self.split.forward(&mut self.scratch);
        add_and_dot(&self.scratch, &self.t, &self.p, &mut self.q)
    }

    /// `z = x + P C⁻ᵀ (I+Lᵀ)⁻¹ x̂ / unit` and the residual of `z` in `r`; its norm, `None` when not finite.
    fn measure(
        &mut self,
        system: &System<'_>,
        filter: &Filter,
        b: &[DVec3],
        x: &[DVec3],
        (z, r): (&mut Vec<DVec3>, &mut Vec<DVec3>),
        unit: f64,
        apply: &mut crate::ApplyWorkspace,
    ) -> Option<f64> {
        self.split.backward(&self.x, &mut self.t);
        for ((z, t), c) in z.iter_mut().zip(&self.t).zip(self.split.scale()) {
            *z = mul_transposed(c, vec(t)) / unit;
        }
        filter.project(z);
        for (z, x) in z.iter_mut().zip(x) {
            *z += *x;
        }
        // A node that is held keeps its bits: x + 0 is x, but for a negative zero.
        for (i, _) in filter.iter().filter(|(_, p)| p.iter().all(|v| *v == 0.0)) {
            if i < x.len() {
                z[i] = x[i];
            }
        }
        first_residual(system, filter, b, z, r, apply).map(|m| m.0)
    }
}

impl Preconditioner for Ssor {
    fn apply(&mut self, r: &[DVec3], z: &mut [DVec3]) {
        assert!(self.split.is_ready() && r.len() == self.split.nodes(), "update the splitting first");
        let scale = self.split.scale();
        let size = r.iter().zip(scale).map(|(r, c)| mul(c, *r).component_max_abs()).fold(0.0, f64::max);
        if size == 0.0 || !size.is_finite() {
            z.fill(if size == 0.0 { DVec3::zero() } else { DVec3::broadcast(f64::NAN) });
            return;
        }
        for ((f, r), c) in self.scratch.iter_mut().zip(r).zip(scale) {
            *f = lane(mul(c, *r) / size);
        }
        self.split.forward(&mut self.scratch);
        self.split.backward(&self.scratch, &mut self.t);
        for ((z, t), c) in z.iter_mut().zip(&self.t).zip(scale) {
            *z = mul_transposed(c, vec(t)) * size;
        }
    }

    fn varies(&self) -> bool {
        true
    }
}

trait MaxAbs {
    fn component_max_abs(self) -> f64;
}

impl MaxAbs for DVec3 {
    /// NaN if a component is.
    fn component_max_abs(self) -> f64 {
        let m = self.x.abs().max(self.y.abs()).max(self.z.abs());
        m + 0.0 * (self.x + self.y + self.z)
    }
}

impl ScaledRows {
    fn update(&mut self, rows: &LowRank, filter: &Filter, scale: &[Block]) {
        self.start.clear();
        self.node.clear();
        self.gradient.clear();
        self.start.push(0);
        for row in 0..rows.len() {
            let (k, nodes, g) = rows.row(row);
            for (&i, g) in nodes.iter().zip(g) {
                let c = &scale[i as usize];
                let c = filter.projector(i as usize).map_or(*c, |p| product(c, p));
                self.node.push(i);
                self.gradient.push(lane(mul(&c, *g * k.sqrt())));
            }
            self.start.push(self.node.len() as u32);
        }
    }

    /// `f += E t`, without the diagonal blocks.
    fn apply_add(&self, t: &[Lane], f: &mut [Lane]) {
        for w in self.start.windows(2) {
            let range = w[0] as usize..w[1] as usize;
            let part = |k: usize| {
                let (g, t) = (self.gradient[k], t[self.node[k] as usize]);
                (g[0] * t[0] + g[1] * t[1]) + g[2] * t[2]
            };
            let sum: f32 = range.clone().map(part).sum();
            for k in range {
                let s = sum - part(k);
                let f = &mut f[self.node[k] as usize];
                for l in 0..3 {
                    f[l] += self.gradient[k][l] * s;
                }
            }
        }
    }
}
