//! Coulomb's law with the normal force of now, where discs of the round before go in circles.
//!
//! A disc is as large as the normal force of the round before. In a heap that force answers the friction of the next round, and the two chase
//! each other: nothing makes that map a contraction. Here the disc is that of the same Δv (Alart and Curnier 1991):
//!
//! ```text
//! F(x) = Kx − b + Jᵀλ(x) = 0,   λₙ = (μ̄ₙ + γₙ rₙ)₊,   λₜ = the projection of μ̄ₜ + γₜ rₜ onto |λₜ| ≤ μλₙ
//! ```
//! solved by Newton's method on its pieces; of a contact that slips the derivative has λₜ follow λₙ, and is not symmetric. A round is a step of
//! the proximal point method as everywhere: μ̄ ← λ, so that of forces that are not unique those near the last ones are found.
//!
//! **What makes it end.** F is no gradient, and a search may stop between pieces where |F| is not 0. Weights say how far apart the pieces are:
//! with all of them 0, F has one root. Bodies that rest are solved by one round with large weights. Where its search stops, rounds begin anew with small
//! ones, which grow by ten from round to round: the pieces of one are nearly those of the next. Where a search stops again they fall by ten; where rounds
//! gain little they grow on, until what is left over is the rounding of rows times their weights.
//!
//! **How hard rows may become.** Contacts of two faces have normals that differ by some 1e-5, and so do their tangents. No motion of bodies that
//! stick to several of them keeps all those rows. Each round leaves that slip over, and forces grow by weight times slip until one is at its cone.
//! So weights may grow as far as the factors bear.

use super::direct::{Direct, Slip};
use super::{EXTRA, Iterate, Newton, POLISHED, keep, polishes, size, spent};
use crate::kkt::Kkt;
use crate::problem::{Problem, QpError, Report, Settings, mul};
use crate::rows::Rows;
use crate::step::{Lagrangian, Side};
use impinge_geometry::DVec3;
use impinge_solvers::GmresWorkspace;
use impinge_solvers::Operator;

/// Regularisation of a row that rounds begin with, over its own compliance: about that of discs. That after the first search that stops, and the one
/// to which rounds harden rows as long as they end; the least and the most of it.
pub(super) const SOFTNESS: f64 = 1e-5;
pub(super) const SOFT: f64 = 1e-2;
const HARD: f64 = 1e-5;
const HARDEST: f64 = 1e-10;
pub(super) const SOFTEST: f64 = 1.0;
/// Rounds at most, and steps of one.
const ROUNDS: u32 = 80;
const STEPS: u32 = 40;
/// The least softness where systems are iterated on, and the rounds: steps are dear, and a preconditioner bears less than a refined factor.
const HARDEST_ITERATED: f64 = 1e-7;
const ROUNDS_ITERATED: u32 = 40;
/// Rounds that are not hardened for speed after one that did not end.
const WAIT: u32 = 2;
/// A round that leaves no more of what the one before left over is fast.
const FAST: f64 = 1e-2;
/// Part of what the round before left over that |F| may be where a round ends, and the most that it may be.
const ROUGH: f64 = 1e-2;
const ROUGHEST: f64 = 1e-3;
/// Part of what a round may leave over that a direction may.
const PART: f64 = 1e-2;
/// The shortest part of a step that is tried.
const SHORTEST: f64 = 1e-3;
/// How a search for a root of F ended.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    /// What is left is as little as was asked for.
    Enough,
    /// What is left is rounding.
    Rounding,
    /// Between pieces, or with the systems used up.
    Stopped,
}

/// Scratch.
#[derive(Debug, Default)]
pub(super) struct Coupled {
    pub(super) slips: Vec<Slip>,
    /// Rows' answer to a direction.
    pub(super) z: Vec<f64>,
    /// Residuals at a trial.
    r: Vec<f64>,
    pub(super) jm: Vec<DVec3>,
    pub(super) rest: Vec<DVec3>,
    /// x where the round began.
    begun: Vec<DVec3>,
    /// Friction of each normal.
    pub(super) of_normal: Vec<u32>,
    pub(super) ws: GmresWorkspace,
    pub(super) direct: Direct,
}

impl Lagrangian {
    /// λ and sides at residuals `r`, with the discs of the normal λ there.
    fn couple(&mut self, rows: &Rows, r: &[f64]) {
        for (radius, f) in self.radius.iter_mut().zip(rows.friction()) {
            let n = f.normal as usize;
            *radius = f.mu * (self.centre[n] + self.weight[n] * r[n]).max(0.0);
        }
        self.update(rows, r);
    }

    /// What slips at the state of the last [`Lagrangian::couple`].
    pub(super) fn slips(&self, rows: &Rows, r: &[f64], out: &mut Vec<Slip>) {
        out.clear();
        for (f, &radius) in rows.friction().iter().zip(&self.radius) {
            let tangents = f.tangent.map(|t| t as usize);
            let normal = f.normal as usize;
            if self.side[tangents[0]] == Side::Slip {
                let y = tangents.map(|t| self.centre[t] + self.weight[t] * r[t]);
                let size = (y[0] * y[0] + y[1] * y[1]).sqrt();
                out.push(Slip {
                    normal,
                    tangents,
                    along: y.map(|y| y / size),
                    across: self.weight[tangents[0]] * (radius / size),
                    follows: f.mu * self.weight[normal],
                });
            }
        }
    }

    /// The derivative of λ along a direction with `a = J d`, at that state.
    pub(super) fn answer(&self, slips: &[Slip], a: &[f64], z: &mut [f64]) {
        for (z, ((&side, &weight), &a)) in z.iter_mut().zip(self.side.iter().zip(&self.weight).zip(a)) {
            *z = if side == Side::Active { weight * a } else { 0.0 };
        }
        for s in slips {
            let [p, q] = s.tangents;
            let [x, y] = s.along;
            let beside = s.across * (a[q] * x - a[p] * y);
            let with = s.follows * a[s.normal];
            (z[p], z[q]) = (with * x - beside * y, with * y + beside * x);
        }
    }
}

impl Newton {
    /// Solves from x and λ at hand, with rows of this softness at first. `None` where this does not end either; centre, weights and discs are no
    /// more what they were.
    pub(super) fn coupled(
        &mut self,
        p: &Problem<'_>,
        s: &Settings,
        (inverse, scale): (&[[f64; 9]], &[f64]),
        mut softness: f64,
        report: &mut Report,
        budget: u32,
    ) -> Result<Option<Iterate>, QpError> {
        self.phi.centre.copy_from_slice(&self.phi.lambda);
        let mut last = f64::INFINITY;
        let mut best: Option<Iterate> = None;
        let mut extra = 0;
        // A round did not end, and the rounds to wait after it until rows are hardened for nothing but speed.
        let (mut stopped, mut wait) = (softness > SOFTNESS, 0);
        // What slides freely goes by each digit of a turn, and small systems cost little. (Cubes in line without friction were thrown by rough answers.)
        let may_be_rough = !p.rows.friction().is_empty() && !polishes(p);
        let (rounds, hardest) = match self.scratch.direct.suits() {
            true => (ROUNDS, HARDEST),
            false => (ROUNDS_ITERATED, HARDEST_ITERATED),
        };
        for _ in 0..rounds {
            report.rounds += 1;
            self.soften(p, scale, softness);
            self.scratch.begun.clone_from(&self.x);
            // What a round leaves over the next one takes along with the rows. What rests is solved by one.
            let rough = if stopped { (ROUGH * last).min(ROUGHEST) } else { 0.0 };
            let least = 0.05 * s.tolerance;
            let enough = rough.max(least);
            let end = self.root(p, enough, inverse, report, budget)?;
            if end != End::Stopped {
                let kkt = self.measure.of(p, &self.x, &self.phi.lambda, 0.0);
                let worst = kkt.worst_beyond(s.velocity_tolerance);
                let left = kkt.left_beyond(s.velocity_tolerance);
                let slow = stopped || worst > FAST * last;
                if left <= s.tolerance {
                    let better = best.as_ref().is_none_or(|b| worst < b.0);
                    if better {
                        keep(&mut best, worst, (&self.x, &self.phi.lambda), kkt);
                    }
                    // As in discs: what is left of a row's violation would add up where bodies rest.
                    let done = !(s.polish && polishes(p)) || worst <= POLISHED || !better || extra == EXTRA;
                    if done || self.is_worn_out(p, inverse, softness) {
                        return Ok(best);
                    }
                    extra += 1;
                } else if best.is_some() {
                    return Ok(best);
                } else if slow && may_be_rough && left <= s.enough {
                    report.rough = true;
                    keep(&mut best, worst, (&self.x, &self.phi.lambda), kkt);
                    return Ok(best);
                } else if self.certificate(p, inverse, scale, &mut Vec::new()) {
                    // Perhaps nothing satisfies the rows: rounds of discs find out.
                    return Ok(None);
                }
                self.phi.centre.copy_from_slice(&self.phi.lambda);
                let of_rows = Kkt { stationarity: 0.0, ..kkt }.worst_beyond(s.velocity_tolerance);
                let by_rounding = end == End::Rounding || enough == least;
                if by_rounding && kkt.stationarity > s.tolerance && kkt.stationarity >= of_rows {
                    // Of rows times their weights: of harder ones it is more.
                    softness = (10.0 * softness).min(SOFTEST);
                } else if worst > 0.2 * last || softness > HARD && wait == 0 {
                    softness = (0.1 * softness).max(hardest);
                }
                wait = u32::saturating_sub(wait, 1);
                last = worst;
            } else {
                if softness >= SOFTEST || spent(report, budget) || best.is_some() {
                    return Ok(best);
                }
                self.x.clone_from(&self.scratch.begun);
                softness = if stopped { 10.0 * softness } else { (10.0 * softness).max(SOFT) };
                (stopped, wait) = (true, WAIT);
                last = f64::INFINITY;
            }
        }
        Ok(best)
    }

    /// Weights of this softness.
    pub(super) fn soften(&mut self, p: &Problem<'_>, scale: &[f64], softness: f64) {
        let weight = &mut self.phi.weight;
        for (w, s) in weight.iter_mut().zip(scale) {
            *w = if *s > 0.0 { 1.0 / (softness * s) } else { 0.0 };
        }
        for f in p.rows.friction() {
            let [a, b] = f.tangent.map(|t| t as usize);
            let w = weight[a].min(weight[b]);
            (weight[a], weight[b]) = (w, w);
        }
    }

    /// F at residuals `r` and Kx − b of `t` more steps; its size and that of what is summed in it.
    fn at(&mut self, p: &Problem<'_>, inverse: &[[f64; 9]], t: f64) -> (f64, f64) {
        let Coupled { r, jm, .. } = &mut self.scratch;
        r.clear();
        r.extend(self.r.iter().zip(&self.a).map(|(r, a)| r + t * a));
        self.phi.couple(p.rows, r);
        jm.clear();
        jm.resize(p.b.len(), DVec3::zero());
        p.rows.apply_transposed(&self.phi.lambda, jm);
        let whole = size(jm, inverse);
        for (g, ((g0, kd), jm)) in self.g.iter_mut().zip(self.g0.iter().zip(&self.kd).zip(jm)) {
            *g = *g0 + *kd * t + *jm;
        }
        (size(&self.g, inverse), whole)
    }

    /// F at x; its size and that of what is summed in it.
    fn begin(&mut self, p: &Problem<'_>, inverse: &[[f64; 9]]) -> (f64, f64) {
        p.rows.apply(&self.x, &mut self.r);
        self.r.iter_mut().zip(p.rows.bounds()).for_each(|(r, c)| *r -= c);
        p.k.apply(&self.x, &mut self.g0, &mut self.ws);
        self.g0.iter_mut().zip(p.b).for_each(|(g, b)| *g -= *b);
        self.a.clear();
        self.a.resize(p.rows.len(), 0.0);
        self.kd.fill(DVec3::zero());
        self.at(p, inverse, 0.0)
    }

    /// Goes from x to a root of F, up to `enough` of what is summed in it or rounding.
    fn root(
        &mut self,
        p: &Problem<'_>,
        enough: f64,
        inverse: &[[f64; 9]],
        report: &mut Report,
        budget: u32,
    ) -> Result<End, QpError> {
        let loads = size(p.b, inverse);
        let (mut now, mut whole) = self.begin(p, inverse);
        let mut last = f64::INFINITY;
        for _ in 0..STEPS {
            if whole == 0.0 && now > 0.0 && self.scratch.direct.suits() {
                // Nothing pushes, so all goes where its load takes it. (Steps only halve the digits of what is left of a motion that ends at 0.)
                self.x.iter_mut().zip(inverse.iter().zip(p.b)).for_each(|(x, (d, b))| *x = mul(d, *b));
                (now, whole) = self.begin(p, inverse);
                if whole == 0.0 {
                    return Ok(End::Enough);
                }
            }
            let scale = whole.max(loads);
            if now <= enough * scale {
                return Ok(End::Enough);
            }
            if now <= 1e-8 * scale && now > 0.25 * last {
                return Ok(End::Rounding);
            }
            if spent(report, budget) || !now.is_finite() {
                return Ok(End::Stopped);
            }
            last = now;
            self.direction(p, PART * enough * scale / now, report)?;
            let mut t = 1.0;
            loop {
                let (then, sum) = self.at(p, inverse, t);
                if then <= (1.0 - 1e-4 * t) * now {
                    (now, whole) = (then, sum);
                    break;
                }
                t *= 0.5;
                if t < SHORTEST {
                    // Rounding is all that is left, or pieces are.
                    let end = if now <= 1e-8 * scale { End::Rounding } else { End::Stopped };
                    self.at(p, inverse, 0.0);
                    return Ok(end);
                }
            }
            for i in 0..self.x.len() {
                self.x[i] += self.d[i] * t;
                self.g0[i] += self.kd[i] * t;
            }
            self.r.copy_from_slice(&self.scratch.r);
        }
        Ok(End::Stopped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::RowKind;

    /// Three contacts of one block: one slips, one sticks, one is open.
    fn state() -> (Rows, Lagrangian, Vec<f64>) {
        let mut rows = Rows::new();
        let (x, y, z) = (DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z());
        for key in 0..3 {
            let normal = rows.push(RowKind::Contact, key, 0.0, &[(0, z)]).unwrap();
            rows.push_friction(normal, 0.7, [&[(0, x)], &[(0, y)]], [0.0; 2]).unwrap();
        }
        let phi = Lagrangian {
            centre: vec![2.0, 0.9, -1.2, 3.0, 0.4, 0.1, -1.0, 0.2, 0.0],
            weight: vec![30.0, 20.0, 20.0, 30.0, 20.0, 20.0, 30.0, 20.0, 20.0],
            radius: vec![0.0; 3],
            ..Lagrangian::default()
        };
        (rows, phi, vec![0.01, 0.08, -0.05, -0.02, 0.01, 0.02, -0.1, 0.1, 0.1])
    }

    #[test]
    fn the_answer_of_rows_is_the_derivative_of_their_forces() {
        let (rows, mut phi, r) = state();
        let mut slips = Vec::new();
        phi.couple(&rows, &r);
        phi.slips(&rows, &r, &mut slips);
        assert_eq!(slips.len(), 1);
        assert_eq!((phi.side[4], phi.side[7]), (Side::Active, Side::Inactive));
        for k in 0..r.len() {
            let mut a = vec![0.0; r.len()];
            a[k] = 1.0;
            phi.couple(&rows, &r);
            let mut z = vec![0.0; r.len()];
            phi.answer(&slips, &a, &mut z);
            let h = 1e-6;
            let mut at = |t: f64| {
                let moved: Vec<f64> = r.iter().zip(&a).map(|(r, a)| r + t * a).collect();
                phi.couple(&rows, &moved);
                phi.lambda.clone()
            };
            let (up, down) = (at(h), at(-h));
            for (i, z) in z.iter().enumerate() {
                let want = (up[i] - down[i]) / (2.0 * h);
                assert!((z - want).abs() < 1e-6 * (1.0 + want.abs()), "row {i} by {k}: {z}, {want}");
            }
        }
    }

    #[test]
    fn discs_are_those_of_the_normal_force_at_hand() {
        let (rows, mut phi, r) = state();
        phi.couple(&rows, &r);
        for f in rows.friction() {
            let [n, a, b] = [f.normal, f.tangent[0], f.tangent[1]].map(|i| phi.lambda[i as usize]);
            assert!(n >= 0.0 && (a * a + b * b).sqrt() <= 0.7 * n * (1.0 + 1e-15), "{n} {a} {b}");
        }
        let [n, a, b] = [0, 1, 2].map(|i| phi.lambda[i]);
        assert!(
            ((a * a + b * b).sqrt() - 0.7 * n).abs() < 1e-14 && n > 2.0,
            "what slips is on its cone: {n} {a} {b}"
        );
    }
}
