//! Newton's method on the implicit step: momentum of the trial against the impulses of its contacts.

use super::acting::{Grips, Setting};
use super::continuation::Problem;
use super::inverse_blocks::Blocks;
use super::line::{Line, Way, longest};
use super::settings::{NewtonReport, NewtonSettings};
use super::stiffness::Stiffness;
use super::trial::{FLOOR, Trial};
use impinge_bodies::{ContactError, Elastic, Operator};
use impinge_geometry::{DMat3, DVec3, power_of_two};
use impinge_solvers::{GmresWorkspace, Settings, gmres};

/// [`Way::reach`] over what moves fastest, with or without contact.
const CAP: f64 = 4.0;

/// Residual of the motion that goes on as it is, from which nobody looks at the motion without contact: that leaves out all of the impulses.
const CARRIED: f64 = 0.1;

/// How far the linear solver goes where there are deformables, over the residual: the method stays quadratic.
const DIGITS: f64 = 1e-2;

/// Largest space of the linear solver.
const SPACE: usize = 150;

fn setting<'a>(s: &Setting<'a>, problem: Problem, grips: &'a Grips) -> Setting<'a> {
    let grips = (problem == Problem::Settled).then_some(grips);
    Setting { grips, held: problem == Problem::Held, strength: problem.strength(), ..*s }
}

/// Scratch of [`solve`].
#[derive(Default)]
pub(crate) struct NewtonWorkspace {
    trial: Trial,
    weights: Vec<f64>,
    /// Powers of two near them: what the linear solver counts rows and unknowns by, so that it does not depend on how long a metre is.
    powers: Vec<f64>,
    /// What the linear solver asks with, in the unknowns' own units.
    real: Vec<DVec3>,
    left: Vec<DVec3>,
    start: Vec<DVec3>,
    /// The longest of the motion without contact and the one that goes on as it is (m/s).
    pace: f64,
    right: Vec<DVec3>,
    step: Vec<DVec3>,
    gmres: GmresWorkspace,
    grips: Grips,
    stiffness: Stiffness,
    inverse: Blocks,
}

/// Solves from `at.w`, or from `other` where there are contacts and less is left over there; ends at once when bodies met that were not expected to.
pub(crate) fn solve(
    s: &Setting<'_>,
    elastic: &Elastic,
    operator: &mut Operator,
    settings: &NewtonSettings,
    other: Option<&[DVec3]>,
    at: &mut Trial,
    ws: &mut NewtonWorkspace,
) -> Result<NewtonReport, ContactError> {
    let mut report = NewtonReport::default();
    let blocks = s.unknowns.elastic();
    s.unknowns.weights(s.dofs, &mut ws.weights);
    ws.powers.clear();
    ws.powers.extend(ws.weights.iter().map(|w| power_of_two(*w)));
    s.matter.map.shape(&mut ws.trial.surface);
    for sticky in at.found.sticky.iter_mut().chain(&mut ws.trial.found.sticky) {
        sticky.clear();
    }
    let mut near = false;
    if let Some(w) = other {
        ws.pace = longest(&at.w, &ws.weights).max(longest(w, &ws.weights));
        ws.trial.w.clear();
        ws.trial.w.extend_from_slice(w);
        if s.is_in_contact() {
            ws.trial.look(s, elastic, operator, &ws.weights)?;
            let found = &ws.trial.found;
            near = found.acts() && !found.unexpected && ws.trial.relative(0.0) <= CARRIED;
        }
    }
    if near {
        std::mem::swap(at, &mut ws.trial);
    } else {
        at.look(s, elastic, operator, &ws.weights)?;
        if other.is_some() && at.found.acts() {
            if !s.is_in_contact() {
                ws.trial.look(s, elastic, operator, &ws.weights)?;
            }
            if ws.trial.size[0] < at.size[0] && !ws.trial.found.unexpected {
                std::mem::swap(at, &mut ws.trial);
            }
            if blocks > 0 {
                // The operator may have looked at the other.
                operator.operator.momentum_left(&elastic.system, &at.w[..blocks], &mut at.elastic);
            }
        }
    }
    let (mut best, mut slow) = (f64::INFINITY, 0);
    ws.start.clone_from(&at.w);
    let mut way = Way::new(CAP * ws.pace);
    let mut problem = Problem::Law;
    let mut since = 0;
    let mut least = 0.0;
    loop {
        report.residual = at.relative(least);
        slow = if report.residual > 0.5 * best { slow + 1 } else { 0 };
        if slow >= 2 && report.residual > FLOOR && least == 0.0 {
            least = at.least_scale(s, operator, elastic, &ws.weights);
            report.residual = at.relative(least);
        }
        // Stiff springs on large coordinates leave more rounding than the tolerance allows.
        let rounded = slow >= 2 || at.is_rounding();
        let solved = report.residual <= settings.tolerance || (rounded && report.residual <= FLOOR);
        if solved && !problem.easier() {
            return Ok(report);
        }
        let next = problem.next([since, slow], report.residual, &at.found);
        let begun_again = next.easier() && !problem.easier();
        // Who calls lists anew what may meet, and solves on.
        if at.found.unexpected && !(begun_again && next == Problem::Held) {
            return Ok(report);
        }
        if !report.residual.is_finite() || report.iterations >= settings.iterations {
            return Err(ContactError::NotSolved {
                iterations: report.iterations,
                residual: report.residual,
                tolerance: settings.tolerance,
            });
        }
        best = best.min(report.residual);
        report.iterations += 1;
        since += 1;
        if next != problem {
            (problem, since, best, slow, least) = (next, 1, f64::INFINITY, 0, 0.0);
            // What was hard with one strength is with the next: steps are balanced as before.
            (way.reach, way.jumps) = (CAP * ws.pace, false);
            if begun_again {
                at.w.clone_from(&ws.start);
            }
            report.weakened |= matches!(problem, Problem::Weakened(_));
            if problem == Problem::Settled {
                report.settled = true;
                at.found.grips(&mut ws.grips);
            }
            at.look(&setting(s, problem, &ws.grips), elastic, operator, &ws.weights)?;
        }
        if report.settled {
            // One that the next trial misses counts all the same.
            at.found.keep_made();
            ws.trial.found.sticky.clone_from(&at.found.sticky);
        }
        let s = &setting(s, problem, &ws.grips);
        if blocks > 0 {
            // Back from the trials of the line search.
            operator.operator.momentum_left(&elastic.system, &at.w[..blocks], &mut at.elastic);
            operator.operator.assemble_here(&elastic.system);
        }
        at.stiffen(s, &mut ws.stiffness);
        let (stiffness, inverse) = (&ws.stiffness, &mut ws.inverse);
        at.precondition(s, stiffness, (&*operator, elastic), inverse);
        if blocks > 0 {
            // A pinned node has nothing to say in the sweeps.
            for pin in elastic.system.pins() {
                inverse.three[pin.node as usize] = DMat3::new(DVec3::zero(), DVec3::zero(), DVec3::zero());
            }
        }
        ws.right.clear();
        ws.right.extend(at.residual.iter().zip(&ws.powers).map(|(r, by)| *r * -by));
        ws.step.clear();
        ws.step.resize(ws.right.len(), DVec3::zero());
        let here = &*at;
        let operator_here = std::cell::RefCell::new(&mut operator.operator);
        let powers = &ws.powers;
        let (real, left) = (&mut ws.real, &mut ws.left);
        let mut apply = |p: &[DVec3], y: &mut [DVec3]| {
            real.clear();
            real.extend(p.iter().zip(powers).map(|(p, by)| *p * *by));
            let p = &real[..];
            for (y, (m, p)) in y.iter_mut().zip(here.slopes.iter().zip(p)) {
                *y = *m * *p;
            }
            if blocks > 0 {
                operator_here.borrow_mut().apply_left(&elastic.system, &p[..blocks], &mut y[..blocks]);
            }
            stiffness.apply(p, &here.turns, s.dt, y);
            elastic.system.hold(&mut y[..blocks]);
            y.iter_mut().zip(powers).for_each(|(y, by)| *y *= *by);
        };
        let mut back = |r: &[DVec3], z: &mut [DVec3]| {
            left.clear();
            left.extend(r.iter().zip(powers).map(|(r, by)| *r / *by));
            let r = &left[..];
            inverse.apply(r, z);
            if blocks > 0 {
                let (inverse, r, z) = (&inverse.three[..blocks], &r[..blocks], &mut z[..blocks]);
                operator_here.borrow_mut().sweep_left(&elastic.system, inverse, r, z);
            }
            z.iter_mut().zip(powers).for_each(|(z, by)| *z /= *by);
        };
        // Far from the solution the tangent is not worth more digits; systems of rigid bodies cost nothing beside the search for contacts.
        let tolerance = if blocks > 0 { (DIGITS * report.residual).clamp(1e-8, 1e-3) } else { 1e-8 };
        let wanted = Settings { tolerance, max_iterations: 1200 };
        let space = SPACE.min(3 * ws.right.len());
        let (right, step) = (&ws.right, &mut ws.step);
        let out = gmres(&mut apply, &mut back, right, step, space, &wanted, &mut ws.gmres);
        step.iter_mut().zip(powers).for_each(|(p, by)| *p *= *by);
        report.linear += out.iterations;
        if !out.residual.is_finite() {
            return Err(ContactError::NotSolved {
                iterations: report.iterations,
                residual: f64::NAN,
                tolerance: settings.tolerance,
            });
        }
        let rounding = at.relative(least) <= FLOOR;
        let trial = &mut ws.trial;
        let mut line = Line { s, elastic, weights: &ws.weights, at, step: &ws.step, trial };
        if rounding {
            line.look(1.0, operator)?;
        } else {
            line.go(&mut way, operator)?;
        }
        std::mem::swap(at, &mut ws.trial);
    }
}
