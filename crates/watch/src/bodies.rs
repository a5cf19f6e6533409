//! Who is meant by what was seen: a slot may hold one body after another.

use impinge_world::{BodyId, Shape, Simulation};

/// The bodies of a world, by numbers that nobody has twice.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Bodies {
    /// By slot, of who is there.
    numbers: Vec<u32>,
    /// By number: slot and name.
    all: Vec<(u32, String)>,
    /// By slot. What a file holds is of the bodies that are there when it is read.
    #[cfg_attr(feature = "serde", serde(skip))]
    ids: Vec<Option<BodyId>>,
    /// Slots with another body than a step ago.
    #[cfg_attr(feature = "serde", serde(skip))]
    changed: Vec<u32>,
}

impl Bodies {
    /// To be told of the start and of every step, before the others.
    pub fn see(&mut self, sim: &Simulation) {
        self.changed.clear();
        for (s, name) in sim.names().iter().enumerate() {
            let id = sim.id(s as u32);
            match self.ids.get_mut(s) {
                Some(known) if *known == id => continue,
                Some(known) => *known = id,
                None => {
                    self.ids.push(id);
                    if s < self.numbers.len() {
                        continue;
                    }
                    self.numbers.push(0);
                }
            }
            self.numbers[s] = self.all.len() as u32;
            self.all.push((s as u32, name.clone()));
            self.changed.push(s as u32);
        }
    }

    /// Slots with another body than a step ago.
    pub fn changed(&self) -> &[u32] {
        &self.changed
    }

    /// Whether who is in these slots now is who was told of last: between two steps bodies come and go.
    pub fn knows<const N: usize>(&self, sim: &Simulation, slots: [u32; N]) -> bool {
        let same = |slot: u32| self.ids.get(slot as usize).is_none_or(|id| *id == sim.id(slot));
        slots.iter().all(|&slot| (slot as usize) < self.numbers.len() && same(slot))
    }

    /// Numbers of who is in these slots, who are known.
    pub fn of<const N: usize>(&self, slots: [u32; N]) -> [u32; N] {
        slots.map(|slot| self.numbers[slot as usize])
    }

    /// Their slots, if all are still there.
    pub fn slots<const N: usize>(&self, numbers: [u32; N]) -> Option<[u32; N]> {
        let slots = numbers.map(|n| self.all[n as usize].0);
        (self.of(slots) == numbers).then_some(slots)
    }

    pub fn names<const N: usize>(&self, numbers: [u32; N]) -> [&str; N] {
        numbers.map(|n| self.all[n as usize].1.as_str())
    }
}

/// How far the farthest corner of a body is from its middle (m).
pub(crate) fn radius(shape: &Shape) -> f64 {
    let corners = shape.triangles().map_or(&[][..], |m| m.positions());
    corners.iter().fold(0.0, |r, p| p.mag().max(r))
}
