//! Which pairs of bodies began to touch in a step, and which ended: takes the ledger of a step and the pairs that touched before it.

use crate::PairLedgerView;
use impinge_geometry::DVec3;

/// A pair that pressed in the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Touching {
    /// Lower slot.
    pub a: u32,
    /// Higher slot.
    pub b: u32,
    /// What `a` got since they touch (N·s); `b` got the opposite.
    pub impulse: DVec3,
}

/// Whether a contact began or ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum EventKind {
    /// It presses, and did not in the step before.
    Began,
    /// It pressed in the step before, and does not.
    Ended,
}

/// What happened to a pair in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactEvent {
    /// What.
    pub kind: EventKind,
    /// Lower slot.
    pub a: u32,
    /// Higher slot.
    pub b: u32,
    /// What `a` got (N·s): in the step where it began, or in all steps from there until it ended; `b` got the opposite.
    pub impulse: DVec3,
}

/// Follows the pairs that touch from step to step.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactEvents {
    /// Pairs that pressed in the last step, in order.
    pub touching: Vec<Touching>,
    /// What happened in it, by pair.
    pub events: Vec<ContactEvent>,
    before: Vec<Touching>,
}

impl ContactEvents {
    /// Takes the ledger of the next step. A row without a pressing contact does not touch.
    pub fn follow(&mut self, pairs: PairLedgerView<'_>) {
        std::mem::swap(&mut self.touching, &mut self.before);
        self.touching.clear();
        self.events.clear();
        let mut old = self.before.iter().copied().peekable();
        let ended = |t: Touching| ContactEvent { kind: EventKind::Ended, a: t.a, b: t.b, impulse: t.impulse };
        for i in (0..pairs.len()).filter(|&i| pairs.pressed[i] > 0.0) {
            let (a, b, impulse) = (pairs.a[i], pairs.b[i], pairs.normal[i] + pairs.friction[i]);
            while let Some(t) = old.next_if(|t| (t.a, t.b) < (a, b)) {
                self.events.push(ended(t));
            }
            let before = old.next_if(|t| (t.a, t.b) == (a, b));
            if before.is_none() {
                self.events.push(ContactEvent { kind: EventKind::Began, a, b, impulse });
            }
            let sum = before.map_or(impulse, |t| t.impulse + impulse);
            self.touching.push(Touching { a, b, impulse: sum });
        }
        self.events.extend(old.map(ended));
    }

    /// A body is no longer there.
    pub fn forget(&mut self, body: u32) {
        self.touching.retain(|t| t.a != body && t.b != body);
    }
}

#[cfg(test)]
mod tests {
    use super::{ContactEvents, EventKind};
    use crate::{PairEntry, PairLedger};
    use impinge_geometry::DVec3;

    fn rows(pairs: &[(u32, u32, f64)]) -> PairLedger {
        let mut out = PairLedger::default();
        for &(a, b, pressed) in pairs {
            let normal = DVec3::unit_z() * pressed;
            out.push(PairEntry { a, b, normal, pressed, contacts: 1, ..PairEntry::default() });
        }
        out
    }

    #[test]
    fn pairs_begin_go_on_and_end_in_order() {
        let steps: [&[(u32, u32, f64)]; 4] = [
            &[(0, 1, 1.0), (0, 3, 2.0), (2, 3, 0.0)],
            &[(0, 1, 1.0), (0, 2, 4.0)],
            &[(0, 1, 1.0), (0, 2, 0.0), (1, 2, 8.0)],
            &[],
        ];
        let (mut follower, mut all) = (ContactEvents::default(), Vec::new());
        for step in steps {
            follower.follow(rows(step).view());
            all.push(follower.events.iter().map(|e| (e.kind, e.a, e.b, e.impulse.z)).collect::<Vec<_>>());
        }
        let (began, ended) = (EventKind::Began, EventKind::Ended);
        assert_eq!(all[0], [(began, 0, 1, 1.0), (began, 0, 3, 2.0)]);
        assert_eq!(all[1], [(began, 0, 2, 4.0), (ended, 0, 3, 2.0)]);
        assert_eq!(all[2], [(ended, 0, 2, 4.0), (began, 1, 2, 8.0)]);
        assert_eq!(all[3], [(ended, 0, 1, 3.0), (ended, 1, 2, 8.0)]);
        assert!(follower.touching.is_empty());
    }
}
