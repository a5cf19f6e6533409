//! Restitution by Newton's law, as a term of a contact's free velocity.
//!
//! A contact of volumes that approached faster than a body at rest leaves with at least e times that speed: its complementarity is
//! u − e v ≥ 0 ⊥ r ≥ 0, u the velocity of its row after the step. Where that gives the bodies energy, as Newton's law may with friction or where
//! contacts of several speeds act together, the rebound of that island is halved until it does not.

use super::rows::Contact;
use impinge_contact::{PairLaw, RowWork, STILL, smaller_share};
use impinge_geometry::DVec3;

/// Contacts that rebound, and how all of them would move without impulses.
#[derive(Debug, Default)]
pub(crate) struct Rebound {
    /// Contact, the speed to leave with (m/s), and the part of it that is asked for.
    rows: Vec<(usize, f64, f64)>,
    /// Velocities of the rows before impulses (m/s).
    before: Vec<[f64; 3]>,
}

impl Rebound {
    /// Nothing rebounds.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Takes the velocities of the next contact without impulses (m/s).
    pub fn before(&mut self, free: [f64; 3]) {
        self.before.push(free);
    }

    /// Looks at a contact: its normal velocity when the step begins, what forces alone give its sides in the step, and the depth kept over the step
    /// (m/s). Two bodies that fall together do not approach, and rest on each other all the same.
    pub fn look(&mut self, law: &PairLaw, contact: usize, (start, given): (f64, f64), kept: f64) {
        if let Some(speed) = law.damping.rebound(-start, given + STILL * kept) {
            self.rows.push((contact, speed, 1.0));
        }
    }

    /// Free velocities with the shares of the rebound asked for; such a contact does not sink to the depth that resting ones keep.
    pub fn asked(&self, free: &[[f64; 3]]) -> Vec<[f64; 3]> {
        let mut out = free.to_vec();
        for &(i, speed, share) in self.rows.iter().filter(|r| r.2 > 0.0) {
            out[i][0] = self.before[i][0] - share * speed;
        }
        out
    }

    /// Asks for less at these contacts; `None` where nothing was asked for at them, else whether anything still is at any.
    pub fn lessen(&mut self, at: impl Fn(usize) -> bool) -> Option<bool> {
        let mut less = false;
        for (_, _, share) in self.rows.iter_mut().filter(|r| r.2 > 0.0 && at(r.0)) {
            *share = smaller_share(*share);
            less = true;
        }
        less.then(|| self.rows.iter().any(|r| r.2 > 0.0))
    }

    /// Whether impulses (N·s) give the bodies of an island energy, seen from what moves by a rule: Σ r (u before + u after)/2 over its contacts, by
    /// island. `motion` is what they make of the unknowns.
    pub fn gains(
        &self,
        (contacts, forces, motion): (&[Contact], &[[f64; 3]], &[DVec3]),
        (island, islands): (&[u32], usize),
    ) -> Vec<bool> {
        let mut work = vec![RowWork::default(); islands];
        for (((c, r), u), &island) in contacts.iter().zip(forces).zip(&self.before).zip(island) {
            let Some(work) = work.get_mut(island as usize) else { continue };
            for k in 0..3 {
                let changed: f64 = c.rows[k].iter().map(|&(b, g)| motion[b as usize].dot(g)).sum();
                work.add(r[k], u[k], changed);
            }
        }
        work.iter().map(RowWork::gains).collect()
    }
}
