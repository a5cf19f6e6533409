//! Newton's method on the implicit step: momentum of the trial against the impulses of its contacts.

use super::acting::{Gathered, Grips, Setting};
use super::inverse_blocks::{Blocks, sixfold};
use super::unknowns::{Reach, Turn};
use crate::components::{Elastic, Operator};
use crate::stage::StageError;
use impinge_contact::{Prediction, Surface};
use impinge_geometry::{DMat3, DVec3, add, inverse, scale};
use impinge_solvers::{GmresWorkspace, Settings, gmres};

/// When Newton's method stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonSettings {
    /// Residual over the momenta and impulses that enter the step. Where rounding stops the descent above it, up to 1e-9 are accepted, and
    /// reported.
    pub tolerance: f64,
    /// Iterations at the most.
    pub iterations: u32,
}

impl Default for NewtonSettings {
    fn default() -> Self {
        Self { tolerance: 1e-14, iterations: 60 }
    }
}

/// How the last step under the response `cpf-implicit` was solved; zeros before the first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NewtonReport {
    /// Newton iterations.
    pub iterations: u32,
    /// Iterations of the linear solver.
    pub linear: u32,
    /// Which contacts slide was settled before the end: the jump from μ_S to μ_K left no balance to be found.
    pub settled: bool,
    /// Residual over the momenta and impulses that enter the step.
    pub residual: f64,
}

/// Residual at which iterations that no longer gain end the solve.
const FLOOR: f64 = 1e-9;

/// A step that no halving made better goes no farther than so many times what moves fastest, with or without contact; the next such step
/// may go twice as far.
const CAP: f64 = 4.0;

/// Residual to which contacts that hold whatever it takes are solved.
const HELD: f64 = 1e-6;

/// Most iterations of each [`Friction`] but the last.
const PATIENCE: u32 = 12;

/// What is solved for of friction. (Ten boxes in a pyramid at k Δt²/m = 2222 stopped in their second step: all contacts slid in the first
/// trial, and from there 60 iterations went to and fro. Leaving out of the tangent that friction grows with pressure got there in 60.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Friction {
    /// Its law, from where the step starts.
    Law,
    /// Contacts hold, whatever it takes, again from the start: a symmetric and definite problem as far as friction goes.
    Held,
    /// Its law, from there: next to the solution where most contacts hold.
    LawFromHeld,
    /// Its law, with those that slide settled, and with contacts that stay once they are made.
    Settled,
}

impl Friction {
    /// What comes next after `since` iterations with this, `slow` of the last without much gain, at this residual.
    fn next(self, [since, slow]: [u32; 2], residual: f64, at: &Gathered) -> Self {
        let lost = slow >= 3 || since >= PATIENCE || (at.unexpected && since > 0);
        match self {
            Self::Law if lost && at.slides() => Self::Held,
            // What touches and what does not goes in circles.
            Self::Law if since >= PATIENCE => Self::Settled,
            Self::Held if residual <= HELD || since >= PATIENCE => Self::LawFromHeld,
            Self::LawFromHeld if since >= PATIENCE => Self::Settled,
            same => same,
        }
    }
}

/// Largest space of the linear solver.
const SPACE: usize = 150;

/// A trial: where the step would end, what acts on the way, and what is left over.
#[derive(Default)]
pub(super) struct Trial {
    pub w: Vec<DVec3>,
    pub end: Prediction,
    pub surface: Surface,
    pub turns: Vec<Turn>,
    pub found: Gathered,
    residual: Vec<DVec3>,
    slopes: Vec<DMat3>,
    elastic: Vec<DVec3>,
    /// Residual, and what it is read against (kg m/s).
    size: [f64; 2],
}

impl Trial {
    /// Places everything for `self.w`, finds the contacts and the residual.
    pub fn look(
        &mut self,
        s: &Setting<'_>,
        elastic: &Elastic,
        operator: &mut Operator,
        weights: &[f64],
    ) -> Result<(), StageError> {
        let (u, dt) = (s.unknowns, s.dt);
        u.place(s.dofs, s.prediction, dt, &self.w, &mut self.end, &mut self.turns);
        let (bodies, nodes) = (s.dofs.bodies.view(), s.dofs.nodes.view());
        s.matter.map.place_all(bodies, nodes, &self.end, &mut self.surface);
        self.found.find(s, &self.surface, &self.turns)?;
        let none = DVec3::zero();
        self.residual.clear();
        self.residual.resize(u.len(), none);
        self.slopes.clear();
        self.slopes.resize(u.len(), DMat3::new(none, none, none));
        let blocks = u.elastic();
        if blocks > 0 {
            operator.operator.momentum_left(&elastic.system, &self.w[..blocks], &mut self.elastic);
            self.residual[..blocks].copy_from_slice(&self.elastic);
        }
        u.momentum(s.dofs, s.prediction, dt, &self.w, &mut self.residual, &mut self.slopes);
        let mut given = 0.0;
        for a in &self.found.mesh {
            for i in 0..4 {
                a.reach[i].push(-a.impulse[i], &mut self.residual);
            }
            for at in a.spins().into_iter().flatten() {
                self.residual[at] -= a.couple;
            }
            given += a.force.mag() * dt;
        }
        for p in &self.found.planes {
            p.reach.push(-p.impulse, &mut self.residual);
            given += p.impulse.mag();
        }
        elastic.system.hold(&mut self.residual[..blocks]);
        let square: f64 = self.residual.iter().zip(weights).map(|(r, w)| (*r * *w).mag_sq()).sum();
        self.size = [square.sqrt(), u.scale(s.dofs, s.prediction, weights) + given];
        Ok(())
    }

    /// The residual over its scale.
    pub fn relative(&self) -> f64 {
        if self.size[1] > 0.0 { self.size[0] / self.size[1] } else { self.size[0] }
    }

    /// −∂(impulses)/∂w applied to `p`, added to `y`.
    fn stiffen(&self, p: &[DVec3], dt: f64, y: &mut [DVec3]) {
        for a in &self.found.mesh {
            let moved = [0, 1, 2, 3].map(|j: usize| a.reach[j].moved(p, dt));
            for i in 0..4 {
                let q = (0..4).fold(DVec3::zero(), |q, j| q + a.stiff[i][j] * moved[j]);
                a.reach[i].push(q, y);
                a.reach[i].turned(-a.impulse[i], p, dt, y);
            }
        }
        for c in &self.found.planes {
            c.reach.push(c.stiff * c.reach.moved(p, dt), y);
            c.reach.turned(-c.impulse, p, dt, y);
        }
    }

    /// Inverse diagonal blocks: of three rows for nodes, of six for rigid bodies.
    fn precondition(&self, s: &Setting<'_>, operator: &Operator, elastic: &Elastic) -> Blocks {
        let (u, dt) = (s.unknowns, s.dt);
        let mut diagonal = self.slopes.clone();
        let blocks = u.elastic();
        if blocks > 0 {
            for (d, b) in diagonal.iter_mut().zip(operator.operator.diagonal_left(&elastic.system)) {
                *d = DMat3::new(
                    DVec3::new(b[0], b[3], b[6]),
                    DVec3::new(b[1], b[4], b[7]),
                    DVec3::new(b[2], b[5], b[8]),
                );
            }
        }
        let none = DVec3::zero();
        let zero = DMat3::new(none, none, none);
        // Linear–angular and angular–linear blocks, by linear block.
        let mut mixed = vec![[zero; 2]; u.len()];
        let mut enter = |from: &Reach, to: &Reach, stiff: &DMat3| match (from, to) {
            (Reach::Nodes(i, wi), Reach::Nodes(j, wj)) => {
                for a in 0..4 {
                    for b in (0..4).filter(|&b| j[b] == i[a]) {
                        let d = &mut diagonal[i[a] as usize];
                        *d = add(d, &scale(stiff, wi[a] * wj[b] * dt));
                    }
                }
            }
            (Reach::Rigid(i, _, mean, _), Reach::Rigid(j, arm, _, tangent)) if i == j => {
                let at = *i as usize;
                let back = impinge_geometry::skew(*mean);
                let turn = scale(&(impinge_geometry::skew(*arm) * *tangent), -1.0);
                diagonal[at] = add(&diagonal[at], &scale(stiff, dt));
                mixed[at][0] = add(&mixed[at][0], &scale(&(*stiff * turn), dt));
                mixed[at][1] = add(&mixed[at][1], &scale(&(back * *stiff), dt));
                diagonal[at + 1] = add(&diagonal[at + 1], &scale(&(back * *stiff * turn), dt));
            }
            _ => {}
        };
        for a in &self.found.mesh {
            for i in 0..4 {
                for j in 0..4 {
                    enter(&a.reach[i], &a.reach[j], &a.stiff[i][j]);
                }
            }
        }
        for c in &self.found.planes {
            enter(&c.reach, &c.reach, &c.stiff);
        }
        let mut out = Blocks { three: Vec::new(), six: Vec::new() };
        let one = DMat3::identity();
        out.three.extend(diagonal.iter().map(|d| inverse(d).unwrap_or(one)));
        for (at, _) in u.rigid() {
            out.six.push((at, sixfold(&diagonal[at], &mixed[at], &diagonal[at + 1])));
        }
        out
    }
}

fn setting<'a>(s: &Setting<'a>, friction: Friction, grips: &'a Grips) -> Setting<'a> {
    let grips = (friction == Friction::Settled).then_some(grips);
    Setting { grips, held: friction == Friction::Held, ..*s }
}

/// The longest of some vectors.
fn longest(w: &[DVec3]) -> f64 {
    w.iter().map(|w| w.mag_sq()).fold(0.0, f64::max).sqrt()
}

/// Scratch of [`solve`].
#[derive(Default)]
pub(super) struct NewtonWorkspace {
    trial: Trial,
    weights: Vec<f64>,
    start: Vec<DVec3>,
    /// The longest of the motion without contact and the one that goes on as it is (m/s).
    pace: f64,
    right: Vec<DVec3>,
    step: Vec<DVec3>,
    gmres: GmresWorkspace,
    grips: Grips,
}

/// Solves from `at.w`, or from `other` where there are contacts and less is left over there; ends at once when bodies met that were not expected to.
pub(super) fn solve(
    s: &Setting<'_>,
    elastic: &Elastic,
    operator: &mut Operator,
    settings: &NewtonSettings,
    other: Option<&[DVec3]>,
    at: &mut Trial,
    ws: &mut NewtonWorkspace,
) -> Result<NewtonReport, StageError> {
    let mut report = NewtonReport::default();
    let blocks = s.unknowns.elastic();
    s.unknowns.weights(s.dofs, &mut ws.weights);
    s.matter.map.shape(&mut ws.trial.surface);
    for sticky in at.found.sticky.iter_mut().chain(&mut ws.trial.found.sticky) {
        sticky.clear();
    }
    at.look(s, elastic, operator, &ws.weights)?;
    if let Some(w) = other {
        ws.pace = longest(&at.w).max(longest(w));
    }
    if let Some(w) = other.filter(|_| at.found.acts()) {
        ws.trial.w.clear();
        ws.trial.w.extend_from_slice(w);
        ws.trial.look(s, elastic, operator, &ws.weights)?;
        if ws.trial.size[0] < at.size[0] && !ws.trial.found.unexpected {
            std::mem::swap(at, &mut ws.trial);
        }
    }
    let (mut best, mut slow) = (f64::INFINITY, 0);
    ws.start.clone_from(&at.w);
    let mut reach = CAP * ws.pace;
    let mut friction = Friction::Law;
    let mut since = 0;
    loop {
        report.residual = at.relative();
        slow = if report.residual > 0.5 * best { slow + 1 } else { 0 };
        // Stiff springs on large coordinates leave more rounding than the tolerance allows.
        let solved = report.residual <= settings.tolerance || (slow >= 2 && report.residual <= FLOOR);
        let next = friction.next([since, slow], report.residual, &at.found);
        let begun_again = next == Friction::Held && friction != next;
        let done = at.found.unexpected || (solved && friction != Friction::Held);
        if done && !begun_again {
            return Ok(report);
        }
        if !report.residual.is_finite() || report.iterations >= settings.iterations {
            return Err(StageError::NotSolved {
                iterations: report.iterations,
                residual: report.residual,
                tolerance: settings.tolerance,
            });
        }
        best = best.min(report.residual);
        report.iterations += 1;
        since += 1;
        if next != friction {
            (friction, since, best, slow) = (next, 0, f64::INFINITY, 0);
            reach = CAP * ws.pace;
            if begun_again {
                at.w.clone_from(&ws.start);
            }
            if friction == Friction::Settled {
                report.settled = true;
                at.found.grips(&mut ws.grips);
            }
            at.look(&setting(s, friction, &ws.grips), elastic, operator, &ws.weights)?;
        }
        if report.settled {
            // One that the next trial misses counts all the same.
            at.found.keep_made();
            ws.trial.found.sticky.clone_from(&at.found.sticky);
        }
        let s = &setting(s, friction, &ws.grips);
        if blocks > 0 {
            // Back from the trials of the line search.
            operator.operator.momentum_left(&elastic.system, &at.w[..blocks], &mut at.elastic);
            operator.operator.assemble_here(&elastic.system)?;
        }
        let inverse = at.precondition(s, operator, elastic);
        ws.right.clear();
        ws.right.extend(at.residual.iter().map(|r| -*r));
        ws.step.clear();
        ws.step.resize(ws.right.len(), DVec3::zero());
        let here = &*at;
        let mut apply = |p: &[DVec3], y: &mut [DVec3]| {
            for (y, (m, p)) in y.iter_mut().zip(here.slopes.iter().zip(p)) {
                *y = *m * *p;
            }
            if blocks > 0 {
                operator.operator.apply_left(&elastic.system, &p[..blocks], &mut y[..blocks]);
            }
            here.stiffen(p, s.dt, y);
            elastic.system.hold(&mut y[..blocks]);
        };
        let mut back = |r: &[DVec3], z: &mut [DVec3]| {
            inverse.apply(r, z);
            elastic.system.hold(&mut z[..blocks]);
        };
        let wanted = Settings { tolerance: 1e-8, max_iterations: 1200 };
        let space = SPACE.min(3 * ws.right.len());
        let (right, step) = (&ws.right, &mut ws.step);
        let out = gmres(&mut apply, &mut back, right, step, space, &wanted, &mut ws.gmres);
        report.linear += out.iterations;
        if !out.residual.is_finite() {
            return Err(StageError::NotSolved {
                iterations: report.iterations,
                residual: f64::NAN,
                tolerance: settings.tolerance,
            });
        }
        // A step far longer than the motion itself has left the pieces on which the equations are smooth: halve it until the residual
        // falls, eight times at most, else take it whole, but not farther than things go. Where rounding is all that is left it is taken.
        let mut length = 1.0;
        for tried in 0..10 {
            ws.trial.w.clear();
            let by = match tried {
                9 if reach > 0.0 => (reach / longest(&ws.step)).min(1.0),
                9 => 1.0,
                _ if at.relative() <= FLOOR => 1.0,
                _ => length,
            };
            ws.trial.w.extend(at.w.iter().zip(&ws.step).map(|(w, d)| *w + *d * by));
            ws.trial.look(s, elastic, operator, &ws.weights)?;
            let falls = ws.trial.size[0] < at.size[0] * (1.0 - 1e-4 * length);
            if falls || at.relative() <= FLOOR || ws.trial.found.unexpected {
                break;
            }
            length *= 0.5;
            if tried == 9 {
                reach *= 2.0;
            }
        }
        std::mem::swap(at, &mut ws.trial);
    }
}
