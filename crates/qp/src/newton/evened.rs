//! The answer of a solve with its loads split evenly (`share.rs`). Discs of friction follow the normal forces: where contacts slip another round is
//! solved about the new split, and the two take turns until neither changes the other.

use super::{EXTRA, Iterate, Newton, polishes};
use crate::problem::{Problem, QpError, Report, Settings};

/// Turns at most.
const TURNS: u32 = 30;

impl Newton {
    /// The answer with its even split, or as it is where there is none to be found. Centre, weights and discs are no more what they were.
    pub(super) fn evened(
        &mut self,
        p: &Problem<'_>,
        s: &Settings,
        scale: &[f64],
        mut best: Iterate,
        report: &mut Report,
        budget: u32,
    ) -> Result<Iterate, QpError> {
        let mut share = std::mem::take(&mut self.share);
        let (mut x, mut lambda) = (best.1.clone(), best.2.clone());
        let turns = if s.touch > 0.0 && share.find(p) { TURNS } else { 0 };
        let (mut even, mut accepted) = (Vec::new(), 0);
        for turn in 0..turns {
            even.clone_from(&lambda);
            let changed = share.split(p, &x, s.touch, &mut even);
            if changed == 0.0 && turn == 0 || report.iterations >= budget {
                break;
            }
            let kkt = self.measure.of(p, &x, &even, 0.0);
            let worst = self.measure.touching(p, &even, s.touch, kkt).worst_beyond(s.velocity_tolerance);
            if worst <= s.tolerance {
                let better = accepted == 0 || worst < best.0;
                if better {
                    best = (worst, x.clone(), even.clone(), kkt);
                }
                accepted += 1;
                // As everywhere: what is left of a row's violation would add up where bodies rest.
                if turn == 0 || !polishes(p) || worst <= 1e-14 || !better || accepted > EXTRA {
                    break;
                }
            } else if accepted > 0 {
                break;
            }
            // Normal forces begin where they were found: rows that touch but for rounding are not all to hold at once.
            if !self.prepared {
                self.backend.prepare(p)?;
                self.prepared = true;
            }
            self.soften(p, scale, self.backend.epsilon());
            self.x.copy_from_slice(&x);
            self.phi.centre.copy_from_slice(&lambda);
            for (f, radius) in p.rows.friction().iter().zip(&mut self.phi.radius) {
                f.tangent.iter().for_each(|&t| self.phi.centre[t as usize] = even[t as usize]);
                *radius = f.mu * even[f.normal as usize].max(0.0);
            }
            report.rounds += 1;
            self.minimise(p, s, report, budget)?;
            x.copy_from_slice(&self.x);
            lambda.copy_from_slice(&self.phi.lambda);
        }
        self.share = share;
        Ok(best)
    }
}
