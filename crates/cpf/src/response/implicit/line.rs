//! How far to go along a step of Newton's method.

use super::acting::Setting;
use super::trial::Trial;
use impinge_bodies::{ContactError, Elastic, Operator};
use impinge_geometry::DVec3;

/// A part of a step that gains too little where there may be more.
const SHORT: f64 = 0.1;

/// Most trials of a search for the balance: 2⁻²⁴ of the step.
const BALANCE: u32 = 24;

/// How the steps of a solve have gone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    /// A step of which little or nothing made the residual fall goes no farther than this (m/s).
    pub reach: f64,
    /// There was such a step: steps are balanced first from then on.
    pub down: bool,
    /// A step could not be balanced: what is in contact jumps, and looking for it again is in vain.
    pub jumps: bool,
}

impl Way {
    /// At the start of a solve.
    #[must_use]
    pub fn new(reach: f64) -> Self {
        Self { reach, down: false, jumps: false }
    }
}

/// Trials along a step.
pub(crate) struct Line<'a> {
    pub s: &'a Setting<'a>,
    pub elastic: &'a Elastic,
    pub weights: &'a [f64],
    pub at: &'a Trial,
    pub step: &'a [DVec3],
    pub trial: &'a mut Trial,
}

impl Line<'_> {
    /// Looks at so much of the step.
    pub fn look(&mut self, by: f64, operator: &mut Operator) -> Result<(), ContactError> {
        self.trial.w.clear();
        self.trial.w.extend(self.at.w.iter().zip(self.step).map(|(w, d)| *w + *d * by));
        self.trial.look(self.s, self.elastic, operator, self.weights)
    }

    /// Goes along the step: until the residual falls; where that takes all but little of it, to where it is balanced; else to the end, but not
    /// farther than `way` allows, and the next of these may go twice as far. Balance comes first from the second time on. A step far longer
    /// than the motion itself has left the pieces on which the equations are smooth.
    pub fn go(&mut self, way: &mut Way, operator: &mut Operator) -> Result<(), ContactError> {
        let length = longest(self.step, self.weights);
        let whole = if way.reach > 0.0 { (way.reach / length).min(1.0) } else { 1.0 };
        if way.down && self.balances(whole, way, operator)? {
            return Ok(());
        }
        let part = self.falls(operator)?;
        if self.trial.found.unexpected || part.is_some_and(|p| p > SHORT) {
            return Ok(());
        }
        let first = !way.down;
        way.down = true;
        if first && self.balances(whole, way, operator)? {
            return Ok(());
        }
        match part {
            // Where the trial stands.
            Some(_) if !first => Ok(()),
            Some(part) => self.look(part, operator),
            None => {
                way.reach *= 2.0;
                self.look(whole, operator)
            }
        }
    }

    /// Halves the step until the residual falls, or something is met that was not expected, eight times at most; gives the part of it.
    fn falls(&mut self, operator: &mut Operator) -> Result<Option<f64>, ContactError> {
        let mut by = 1.0;
        for _ in 0..9 {
            self.look(by, operator)?;
            if self.trial.found.unexpected || self.trial.size[0] < self.at.size[0] * (1.0 - 1e-4 * by) {
                return Ok(Some(by));
            }
            by *= 0.5;
        }
        Ok(None)
    }

    /// Goes to where what is left over does little work along the step, or to the end of `most` of it where that is on the way down; `false`
    /// where there is no such place. Without friction, without elastic energies and as long as nothing turns far, the residual is the
    /// gradient of a convex function, of which every Newton step is a way down. Its size has valleys that are no solution, where
    /// something stiff is just not touched. (A box that rocks on its corners at k Δt²/m = 4e4 stopped in one.)
    fn balances(&mut self, most: f64, way: &mut Way, operator: &mut Operator) -> Result<bool, ContactError> {
        let step = self.step;
        // Work of what is left over (J).
        let work = |t: &Trial| t.residual.iter().zip(step).map(|(r, d)| r.dot(*d)).sum::<f64>();
        let start = work(self.at);
        if way.jumps || start.is_nan() || start >= 0.0 {
            return Ok(false);
        }
        self.look(most, operator)?;
        // Its end is on the way down, or as good as balanced.
        if self.trial.found.unexpected || work(self.trial) <= -0.5 * start {
            return Ok(true);
        }
        let (mut low, mut high) = (0.0, most);
        for _ in 0..BALANCE {
            let by = 0.5 * (low + high);
            self.look(by, operator)?;
            let ahead = work(self.trial);
            if self.trial.found.unexpected || ahead.abs() <= -0.5 * start {
                return Ok(true);
            }
            *(if ahead < 0.0 { &mut low } else { &mut high }) = by;
        }
        way.jumps = true;
        Ok(false)
    }
}

/// The fastest of some motions (m/s), spins by the way they make at the radius of gyration.
pub(crate) fn longest(w: &[DVec3], weights: &[f64]) -> f64 {
    w.iter().zip(weights).map(|(w, by)| (*w / *by).mag_sq()).fold(0.0, f64::max).sqrt()
}
