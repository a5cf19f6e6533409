//! Restitution by Newton's law, as a second program of the velocities.
//!
//! The first program says which contacts close. Where one does whose law asks for a restitution, and that approached faster than a body at rest, the
//! goal of its row becomes that it leaves with e times the speed it came with: g(1) − g(0) ≥ e v Δt. The second program has these rows beside all
//! others and begins where the first ended. What it adds never does work: Newton's law may gain energy with friction or where contacts with several
//! speeds act together, and then the rebound of that island is halved until it does not. Rows that leave no answer are taken back, and the first
//! program stands.

use super::rows::Contacts;
use crate::Rows;
use impinge_contact::{NONE, RowWork, STILL, smaller_share};
use impinge_geometry::DVec3;

/// Part of the distance kept that a closed contact may have beyond it.
const CLOSED: f64 = 1e-6;

/// Rows that are to rebound, with the goals they had before.
#[derive(Debug, Default)]
pub(crate) struct Rebound {
    rows: Vec<Asked>,
}

/// One of them.
#[derive(Debug)]
struct Asked {
    /// Index among the rows of contacts.
    row: usize,
    /// Of the first program (m).
    goal: f64,
    /// To rebound (m).
    way: f64,
    /// Part of the way that is asked for.
    share: f64,
}

impl Rebound {
    /// Nothing rebounds.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Asks for less of what stands in these rows; `None` where nothing was asked for in them, else whether anything still is in any.
    pub fn lessen(&mut self, in_row: impl Fn(usize) -> bool) -> Option<bool> {
        let mut less = false;
        for asked in self.rows.iter_mut().filter(|a| a.share > 0.0 && in_row(a.row)) {
            asked.share = smaller_share(asked.share);
            less = true;
        }
        less.then(|| self.rows.iter().any(|a| a.share > 0.0))
    }
}

impl Contacts<'_> {
    /// Which rows rebound after an answer: places stand where it leads.
    pub fn rebounds(&self, mu: &[f64]) -> Rebound {
        let laws = self.scene.laws;
        let mut out = Rebound::default();
        if !laws.ask_restitution() {
            return out;
        }
        let surface = &self.store.surface;
        for (i, r) in self.store.rows.iter().enumerate() {
            let damping = laws.laws[r.law as usize].damping;
            let pressed = mu.get(r.row as usize).is_some_and(|m| *m > 0.0);
            let closed = pressed || r.gap(&surface.x1) - r.goal <= CLOSED * r.keeps;
            if damping.restitution().is_none() || !closed || r.next != NONE {
                continue;
            }
            let mut apart = (0..r.points())
                .fold(DVec3::zero(), |u, k| u + surface.v0[r.stencil[k] as usize] * r.weight[k]);
            if let Some(p) = r.plane {
                apart -= self.plane_velocity(p, surface.x0[r.stencil[0] as usize]);
            }
            let approach = -apart.dot(r.normal);
            // Two that fall together do not approach, and rest on each other all the same.
            let [first, second] = self.given(r).map(|v| v.dot(r.normal).abs());
            let rest = first + second + STILL * r.keeps / self.dt;
            if let Some(speed) = damping.rebound(approach, rest) {
                out.rows.push(Asked { row: i, goal: r.goal, way: speed * self.dt, share: 1.0 });
            }
        }
        out
    }

    /// Asks for the shares of the rebound; 0 takes it back. Places stand where `dv` leads.
    pub fn ask(&mut self, rebound: &Rebound, dv: &[DVec3], rows: &mut Rows) {
        for &Asked { row, goal, way, share } in &rebound.rows {
            let r = &mut self.store.rows[row];
            r.goal = if share > 0.0 { goal.max(r.start + share * way) } else { goal };
            let bound = (r.gap(&self.store.surface.x1) - r.goal) / self.dt + rows.dot(r.row as usize, dv);
            rows.set_bound(r.row as usize, bound);
        }
    }

    /// Whether the impulses give the bodies of an island energy, seen from what moves by a rule: Σ μ (u before + u after)/2 over its rows, by island.
    pub fn gains(
        &self,
        (dv, mu, rows): (&[DVec3], &[f64], &Rows),
        (island, islands): (&[u32], usize),
    ) -> Vec<bool> {
        let mut work = vec![RowWork::default(); islands];
        for r in &self.store.rows {
            let row = r.row as usize;
            let work = &mut work[island[row] as usize];
            let after = (r.gap(&self.store.surface.x1) - r.start) / self.dt;
            work.add(mu[row], after, rows.dot(row, dv));
            for t in r.friction.iter().flat_map(|f| f.tangent) {
                let before = -rows.bounds()[t as usize];
                work.add(-mu[t as usize], before, rows.dot(t as usize, dv));
            }
        }
        work.iter().map(RowWork::gains).collect()
    }
}
