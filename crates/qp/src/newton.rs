//! The default method: primal–dual active set on the augmented Lagrangian.
//!
//! A round takes a centre μ̄ and minimises φ of `step.rs`; then μ̄ ← λ. One iteration inside a round is one of the primal–dual
//! active set (Hintermüller, Ito, Kunisch 2002): rows with `μ̄ᵢ + γᵢ(JΔv − c)ᵢ > 0` are active, their equalities solved at once,
//! so many rows change sides in an iteration and a handful is enough.
//!
//! **Why it ends.** φ is strictly convex and piecewise quadratic. A step goes downhill, and is cut where it no longer does, so
//! the iterates converge to the only minimum whatever rows toggle on the way; and near the minimum, whose pieces all
//! contain it, an uncut step lands on it (Sun 1992: Newton's method with line search on convex piecewise quadratics is
//! finite). Rounds are the proximal point method on the dual, a concave quadratic over a polyhedron: finite as well
//! (Ferris 1991), or, when no Δv satisfies the rows, μ̄ runs off along y ≥ 0 with Jᵀy = 0, cᵀy < 0, which proves that there is
//! none (Farkas), and y names the rows. So no row is ever thrown away. In floating point the numbers of iterations are bounded
//! besides.
//!
//! **Dependent rows** (§7.1) need no care: every system is that of (24) with the right sign, −L (erratum Q5), quasi-definite
//! whatever the rows. L is scaled to each row, and the rounds take its effect out again.
//!
//! **Friction** of bodies that no element joins is solved with the normal force of the same Δv, by Newton's method from the multipliers at hand
//! (`newton/coupled.rs`). Elsewhere, and where that does not end, it is a disc around zero for the tangential λ, of radius μλ_n from the round
//! before; when rounds stand still the radius is that of the present λ_n: Coulomb's cone, with sticking an equality that holds to rounding. Rounds begin soft, and
//! Newton's method on Δv and λ at once follows (`newton/natural.rs`). Where that does not end and rounds take more than a few
//! rounds, radii are those of the same Δv, and Newton's method has them in its system (`newton/coupled.rs`). Where that does not end, radii
//! follow more slowly; then few contacts are solved head on (`coulomb.rs`), and of many the discs are those of the best round, and the
//! answer is reported as unfinished.

mod coupled;
mod direct;
mod direction;
mod ending;
mod natural;
mod projection;
mod round;
mod start;
mod sweeps;

use crate::backend::{Backend, DENSE_UNKNOWNS};
use crate::coulomb;
use crate::kkt::{Kkt, Measure, row_scales};
use crate::problem::{Problem, QpError, Regularisation, Report, Settings, Status, mul};
use crate::rows::RowKind;
use crate::step::Lagrangian;
use crate::term::Term;
use coupled::{Coupled, SOFTEST, SOFTNESS};
pub(crate) use ending::empty_conflict;
use ending::{Ruling, into_cones};
use impinge_geometry::{DVec3, halt};
use impinge_solvers::ApplyWorkspace;
use projection::Projection;

/// Rounds at most.
const ROUNDS: u32 = 400;
/// Rounds past the tolerance, the residual that they go on to, and the part of it that the next one is to change velocities by at least.
const EXTRA: u32 = 2;
const POLISHED: f64 = 1e-14;
const WORTH: f64 = 0.1;
/// Part of the tolerance at which a round ends that is to be polished, and of another.
const PART_POLISHED: f64 = 0.05;
const PART: f64 = 0.5;
/// Part of what rows give way by to which the first round is solved where nothing is polished.
const ROUGH: f64 = 1e-2;
/// Rounds whose discs are those of the round before: with a start that knows them two are enough, and where friction slips each gains a digit at
/// best.
const DISCS: u32 = 3;
/// Rounds without progress after which the discs of friction follow only half as far as before.
const PATIENCE: u32 = 20;
/// When they would follow less far than this they stay as they are: with them the program is convex and ends, and only Coulomb's law is
/// left as far off as it is ([`Kkt::friction`]).
const LEAST_PART: f64 = 0.3;
/// Largest factor by which γ grows where rounds are slow.
const GROWTH: f64 = 1e5;
/// The state of a solve.
#[derive(Debug, Default)]
pub(crate) struct Newton {
    pub(crate) backend: Backend,
    phi: Lagrangian,
    x: Vec<DVec3>,
    /// Kx − b.
    g0: Vec<DVec3>,
    g: Vec<DVec3>,
    d: Vec<DVec3>,
    kd: Vec<DVec3>,
    r: Vec<f64>,
    a: Vec<f64>,
    terms: Vec<Term>,
    ws: ApplyWorkspace,
    measure: Measure,
    scratch: Coupled,
    projection: Projection,
    /// The backend has the problem.
    prepared: bool,
}

/// The systems allowed are made, or what is solved is to be given up.
fn spent(report: &Report, budget: u32) -> bool {
    report.iterations >= budget || halt::asked()
}

/// What is left of a row's violation is taken out to rounding in systems as small as this.
fn polishes(p: &Problem<'_>) -> bool {
    3 * p.b.len() <= DENSE_UNKNOWNS
}

/// Size of a load in the metric of the inverse diagonal blocks of K.
fn size(v: &[DVec3], inverse: &[[f64; 9]]) -> f64 {
    impinge_contact::sums::ordered_sum(v.len(), |i| mul(&inverse[i], v[i]).dot(v[i])).max(0.0).sqrt()
}

/// Worst residual, Δv, μ, all residuals.
type Iterate = (f64, Vec<DVec3>, Vec<f64>, Kkt);

/// Takes an iterate down where the last one was.
fn keep(slot: &mut Option<Iterate>, worst: f64, (x, lambda): (&Vec<DVec3>, &Vec<f64>), kkt: Kkt) {
    match slot {
        Some(kept) => {
            kept.1.clone_from(x);
            kept.2.clone_from(lambda);
            (kept.0, kept.3) = (worst, kkt);
        }
        None => *slot = Some((worst, x.clone(), lambda.clone(), kkt)),
    }
}

impl Newton {
    /// Keeps nothing but memory.
    pub(crate) fn forget(&mut self) {
        self.backend.forget();
    }

    pub(crate) fn solve(
        &mut self,
        p: &Problem<'_>,
        s: &Settings,
        dv: &mut [DVec3],
        mu: &mut Vec<f64>,
    ) -> Result<Report, QpError> {
        let inverse = p.check()?;
        let (n, m) = (p.b.len(), p.rows.len());
        let mut report = Report::default();
        let scale = row_scales(p, &inverse);
        if s.regularisation == Regularisation::Removed
            && let Some(i) = empty_conflict(p, &scale, s)
        {
            report.status = Some(Status::Infeasible);
            report.conflict.push(i);
            return Ok(report);
        }
        self.measure.begin(p, &scale);
        for v in [&mut self.x, &mut self.g0, &mut self.g, &mut self.d, &mut self.kd] {
            v.clear();
            v.resize(n, DVec3::zero());
        }
        let mut budget = if s.max_iterations == 0 { (3 * n + m) as u32 + 200 } else { s.max_iterations };
        let removed = s.regularisation == Regularisation::Removed;
        let (rubs, apart) = (removed && !p.rows.friction().is_empty(), self.scratch.direct.prepare(p));
        let with = (&inverse[..], &scale[..]);
        self.prepared = false;
        // Without friction rounds of discs end as well, and small systems are solved by them to the last digit.
        if removed && apart && (rubs || !polishes(p)) {
            self.start(p, s, &scale, mu)?;
            let mut cold = self.phi.centre.iter().all(|c| *c == 0.0);
            loop {
                if let Some(found) = self.solve_warm(p, s, with, &mut report, &mut budget)? {
                    report.status = Some(Status::Solved);
                    self.conclude(p, (s, 0.0), Some(found), &mut report, (dv, mu));
                    return Ok(report);
                }
                if cold || !rubs {
                    break;
                }
                // Of forces that are not unique those at hand may be far from any that hold: without them others are found.
                self.start(p, s, &scale, &[])?;
                cold = true;
            }
            self.x.fill(DVec3::zero());
        }
        if !self.prepared {
            self.backend.prepare(p)?;
            self.prepared = true;
        }
        self.start(p, s, &scale, mu)?;
        if rubs && !p.is_apart() && self.backend.bears_hard_rows() {
            let before = report.iterations;
            let found = self.joined(p, s, &scale, &mut report, budget)?;
            // What that took is not taken from the rounds.
            budget += report.iterations - before;
            // Small systems are polished by rounds from there.
            if let Some(found) = found.filter(|_| !(s.polish && polishes(p))) {
                report.status = Some(Status::Solved);
                self.conclude(p, (s, 0.0), Some(found), &mut report, (dv, mu));
                return Ok(report);
            }
            report.rough = false;
        } else {
            self.first_guess(p, &mut report)?;
        }
        let mut growth = 1.0;
        let mut best: Option<Iterate> = None;
        // Of all rounds, friction counted: `best` begins anew with other discs.
        let mut overall: Option<Iterate> = None;
        let (mut stale, mut extra, mut last_violation) = (0, 0, f64::INFINITY);
        let (mut frozen, mut part, mut mark) = (false, 1.0, f64::INFINITY);
        let mut chases = rubs;
        // Certificates that nothing satisfies the rows: the rows of one, the first one if not decided yet, and whether one was wrong.
        let (mut conflict, mut first, mut fallen) = (Vec::new(), None, false);
        let head_on = rubs && coulomb::suits(p);
        let kept = match s.regularisation {
            Regularisation::Kept(l) => l,
            Regularisation::Removed => 0.0,
        };
        // Those of an attempt that did not end are none of these.
        let begun = report.rounds;
        loop {
            report.rounds += 1;
            // The first leaves over what rows give way by, whatever it is solved to.
            let may_be_rough = report.rounds == begun + 1 && !s.polish;
            let rough = if may_be_rough { ROUGH * self.backend.epsilon() } else { 0.0 };
            let of_tolerance = if s.polish { PART_POLISHED } else { PART };
            self.minimise(p, rough.max(of_tolerance * s.tolerance), &mut report, budget)?;
            let kkt = self.measure.of(p, &self.x, &self.phi.lambda, kept);
            let counted = if frozen { Kkt { friction: 0.0, ..kkt } } else { kkt };
            let worst = counted.worst_beyond(s.velocity_tolerance);
            // Against the last real step forward: rounds that gain 5 % each do not stand still.
            let improved = worst < 0.9 * mark;
            if improved {
                mark = worst;
            }
            let honest = kkt.worst_beyond(s.velocity_tolerance);
            if overall.as_ref().is_none_or(|b| honest < b.0) {
                keep(&mut overall, honest, (&self.x, &self.phi.lambda), kkt);
            }
            if best.as_ref().is_none_or(|b| worst < b.0) {
                keep(&mut best, worst, (&self.x, &self.phi.lambda), kkt);
            }
            stale = if improved { 0 } else { stale + 1 };
            let left = counted.left_beyond(s.velocity_tolerance);
            if left <= s.tolerance {
                let all = !frozen || kkt.left_beyond(s.velocity_tolerance) <= s.tolerance;
                report.status = Some(if all { Status::Solved } else { Status::Unfinished });
                // Small systems go on while it helps: what is left of a row's violation times a large multiplier is
                // still seen in the objective.
                let done = !s.polish || worst <= POLISHED || !improved || extra == EXTRA || kept > 0.0;
                if done
                    || !self.backend.is_dense()
                    || !rubs && self.is_worn_out(p, &inverse, self.backend.epsilon() / growth)
                {
                    break;
                }
                extra += 1;
            } else if report.status.is_some() {
                break;
            } else if rubs && !polishes(p) && left <= s.enough && !frozen {
                (report.status, report.rough) = (Some(Status::Solved), true);
                keep(&mut best, worst, (&self.x, &self.phi.lambda), kkt);
                break;
            }
            if kept == 0.0
                && report.status.is_none()
                && !fallen
                && self.certificate(p, &inverse, &scale, &mut conflict)
            {
                // Of the first one: later multipliers are longer and their rounding is.
                let (mut rows, then) = first.take().unwrap_or((conflict.clone(), kkt));
                match ending::settle(p, s, growth, &mut rows, (&mut *dv, &mut *mu)) {
                    Ruling::Stands => {
                        report.status = Some(Status::Infeasible);
                        (report.conflict, report.kkt) = (rows, then);
                        return Ok(report);
                    }
                    Ruling::Solved(exact) => {
                        report.iterations += exact.iterations;
                        report.factorisations += exact.factorisations;
                        report.toggles += exact.toggles;
                        (report.status, report.active, report.kkt) = (exact.status, exact.active, exact.kkt);
                        return Ok(report);
                    }
                    Ruling::Falls(other) => {
                        fallen = true;
                        if let Some(o) = other
                            && overall.as_ref().is_none_or(|b| o.0 < b.0)
                        {
                            overall = Some(o);
                        }
                    }
                    Ruling::Adjourned => first = Some((rows, then)),
                }
            }
            if report.rounds - begun >= DISCS && chases && report.status.is_none() {
                chases = false;
                let start = (self.x.clone(), self.phi.lambda.clone());
                let before = (self.phi.centre.clone(), self.phi.weight.clone(), self.phi.radius.clone());
                let spent = report.iterations;
                if let Some(found) = self.coupled(p, s, with, SOFTNESS, &mut report, budget)? {
                    report.status = Some(Status::Solved);
                    best = Some(found);
                    break;
                }
                // What that took is not taken from the rounds.
                budget += report.iterations - spent;
                (self.x, self.phi.lambda) = start;
                (self.phi.centre, self.phi.weight, self.phi.radius) = before;
            }
            let cycles = stale > PATIENCE && !frozen && kept == 0.0 && !p.rows.friction().is_empty();
            if cycles && report.status.is_none() {
                if let Some((_, x, lambda, _)) = best.take() {
                    self.phi.centre.copy_from_slice(&lambda);
                    self.x.copy_from_slice(&x);
                    self.radii(p, 1.0);
                }
                part *= 0.5;
                (frozen, stale, mark) = (part < LEAST_PART, 0, f64::INFINITY);
                continue;
            }
            if report.status.is_none() && stale > PATIENCE
                || report.rounds - begun >= ROUNDS
                || spent(&report, budget)
            {
                report.status.get_or_insert(Status::Unfinished);
                break;
            }
            if kept > 0.0 {
                // Nothing to remove: another pass only takes out the rounding of the last.
                if report.rounds >= 4 {
                    report.status = Some(Status::Unfinished);
                    break;
                }
                continue;
            }
            self.phi.centre.copy_from_slice(&self.phi.lambda);
            if !frozen {
                self.radii(p, part);
            }
            if kkt.violation > 0.2 * last_violation && growth < GROWTH {
                growth *= 10.0;
                self.phi.weight.iter_mut().for_each(|w| *w *= 10.0);
            }
            last_violation = kkt.violation;
        }
        if report.status == Some(Status::Unfinished) {
            // Not before: of forces that are not unique rounds stay near those of the step before, and what stands stands. (Tried after a few
            // rounds without progress it is twice as fast for a box that slides, and a house of cards creeps.)
            let starts = [best.take(), overall];
            let mut solved = None;
            if rubs {
                // From soft rows, whose pieces lie close together.
                for start in starts.iter().flatten() {
                    if solved.is_none() {
                        self.x.copy_from_slice(&start.1);
                        self.phi.lambda.copy_from_slice(&start.2);
                        let more = report.iterations + budget;
                        solved = self.coupled(p, s, with, SOFTEST, &mut report, more)?;
                    }
                }
            }
            for start in starts.iter().flatten().filter(|_| head_on) {
                if solved.is_none() {
                    solved = self.head_on(p, s, &start.2, &mut report)?;
                }
            }
            if solved.is_some() {
                report.status = Some(Status::Solved);
            }
            let [_, overall] = starts;
            best = solved.or(overall);
        }
        self.conclude(p, (s, kept), best, &mut report, (dv, mu));
        Ok(report)
    }

    /// Another round changes nothing. It begins with the forces by which this one went on, and rows of this softness over their own compliance give
    /// way by as small a part of what those forces alone would move. (Rows that contradict each other by rounding stay violated by as much however
    /// often they are solved, so the residual does not tell.)
    fn is_worn_out(&mut self, p: &Problem<'_>, inverse: &[[f64; 9]], softness: f64) -> bool {
        let Coupled { rest, z, .. } = &mut self.scratch;
        z.clear();
        z.extend(self.phi.lambda.iter().zip(&self.phi.centre).map(|(l, c)| l - c));
        rest.clear();
        rest.resize(p.b.len(), DVec3::zero());
        p.rows.apply_transposed(z, rest);
        softness * size(rest, inverse) <= WORTH * POLISHED * size(self.measure.forces(), inverse)
    }

    /// Friction within its cones, and the answer out.
    fn conclude(
        &mut self,
        p: &Problem<'_>,
        (s, kept): (&Settings, f64),
        best: Option<Iterate>,
        report: &mut Report,
        (dv, mu): (&mut [DVec3], &mut Vec<f64>),
    ) {
        if let Some((_, x, mut lambda, mut kkt)) = best {
            if report.status == Some(Status::Solved) {
                // Discs are behind by as much as the tolerance lets them be: a row that does not push must not rub. What is cut off is missing in
                // the balance of momentum, though; where that comes to more than the tolerance, λ stays as it was accepted.
                let mut cut = if p.rows.friction().is_empty() { Vec::new() } else { lambda.clone() };
                if into_cones(p, &mut cut) {
                    let after = self.measure.of(p, &x, &cut, kept);
                    if after.left_beyond(s.velocity_tolerance) <= s.tolerance {
                        (lambda, kkt) = (cut, after);
                    }
                }
            }
            dv.copy_from_slice(&x);
            *mu = lambda;
            report.kkt = kkt;
        }
        report.active =
            mu.iter().zip(p.rows.kinds()).filter(|(m, k)| **m != 0.0 && **k != RowKind::Tangent).count()
                as u32;
    }

    /// Coulomb's law as one set of equations, from multipliers of a round. `None` where that is not solved either: what comes
    /// near is no better an answer.
    fn head_on(
        &mut self,
        p: &Problem<'_>,
        s: &Settings,
        warm: &[f64],
        report: &mut Report,
    ) -> Result<Option<Iterate>, QpError> {
        let Backend::Dense(dense) = &mut self.backend else { return Ok(None) };
        let mut from = warm.to_vec();
        // That solver measures against the free velocities, which may be more than what is left of them here.
        for part in [0.1, 1e-3, 1e-5] {
            let Some(found) = coulomb::solve(dense, p, &from, part * s.tolerance)? else { break };
            report.iterations += found.systems;
            let kkt = Kkt::measure(p, &found.dv, &found.mu, 0.0);
            let worst = kkt.worst_beyond(s.velocity_tolerance);
            if kkt.left_beyond(s.velocity_tolerance) <= s.tolerance {
                return Ok(Some((worst, found.dv, found.mu, kkt)));
            }
            if !found.converged {
                break;
            }
            from = found.mu;
        }
        Ok(None)
    }
}
