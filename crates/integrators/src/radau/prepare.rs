//! What a step needs before its stages are solved: a length, tolerances, a Jacobian, a guess.

use super::settings::{RadauError, RadauSettings};
use super::stages::{Goal, norm};
use super::stepper::{Radau, RadauProblem};

impl Radau {
    /// A step that changes y by a hundredth, or, when f vanishes, a thousandth of the way.
    pub(super) fn first_step(&self, f0: &[f64], end: f64) -> f64 {
        if let Some(h) = self.settings.fixed_step {
            return h;
        }
        let (scale, _) = self.scale();
        let (size, speed) = (norm(&self.y, &scale), norm(f0, &scale));
        let rest = end - self.t;
        let chosen = match self.settings.first_step {
            h if h > 0.0 => h,
            _ if size > 1e-5 && speed > 1e-5 => (0.01 * size / speed).min(rest),
            _ => 1e-3 * rest,
        };
        chosen.min(self.settings.largest_step)
    }

    /// Tolerance of each unknown; goals of Newton's method.
    pub(super) fn scale(&self) -> (Vec<f64>, Goal) {
        let s = self.order.stages() as f64;
        let RadauSettings { relative, absolute, smooth, .. } = self.settings;
        let given = relative.max(f64::EPSILON);
        // Errors of many steps add up, so the estimate is held to a tenth.
        let adapted = match self.settings.fixed_step {
            Some(_) => given,
            None if smooth => 0.1 * libm::pow(given, 0.5 * (s + 1.0) / s),
            None => 0.1 * given,
        };
        let (relative, absolute) = (adapted, absolute * adapted / given);
        // The stages' equations cancel about two digits.
        let rounding = 100.0 * f64::EPSILON / relative;
        let goal = Goal {
            distance: relative.sqrt().min(0.03).max(rounding),
            rounding,
            patient: self.settings.fixed_step.is_some(),
        };
        (self.y.iter().map(|y| absolute + relative * y.abs()).collect(), goal)
    }

    pub(super) fn find_jacobian(
        &mut self,
        problem: &mut RadauProblem<'_>,
        f0: &[f64],
    ) -> Result<(), RadauError> {
        let n = self.y.len();
        let mut out = vec![0.0; n * n];
        if let Some(jacobian) = &mut problem.jacobian {
            jacobian(self.t, &self.y, &mut out);
        } else {
            let (mut y, mut f) = (self.y.clone(), vec![0.0; n]);
            for j in 0..n {
                let way = (f64::EPSILON * y[j].abs().max(1e-5)).sqrt();
                let old = y[j];
                y[j] = old + way;
                let way = y[j] - old;
                (problem.rate)(self.t, &y, &mut f);
                y[j] = old;
                (0..n).for_each(|i| out[i * n + j] = (f[i] - f0[i]) / way);
            }
            self.report.rates += n;
        }
        self.report.jacobians += 1;
        if out.iter().any(|v| !v.is_finite()) {
            return Err(RadauError::NotFinite { time: self.t });
        }
        self.jacobian = Some(out);
        self.factors = None;
        Ok(())
    }

    /// Ways of the stages if the last step's polynomial went on; zeros without one.
    pub(super) fn guess(&self, h: f64) -> Vec<f64> {
        let n = self.y.len();
        let tableau = &self.tableaus[self.order as usize];
        let mut ways = vec![0.0; tableau.s * n];
        if let Some(last) = &self.last {
            let before = &self.tableaus[last.order as usize];
            for (c, way) in tableau.c.iter().zip(ways.chunks_exact_mut(n)) {
                before.add_polynomial(&last.ways, (self.t + c * h - last.from) / last.h, way);
                way.iter_mut().zip(last.y.iter().zip(&self.y)).for_each(|(w, (a, b))| *w += a - b);
            }
            if ways.iter().any(|v| !v.is_finite()) {
                ways.fill(0.0);
            }
        }
        ways
    }
}
