//! What a program changed of single bodies, apart from where they are.

use crate::{Groups, StateHash, SurfaceVelocity};

/// What a program changed of bodies, by slot and ascending; the rest is as they are described.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyChanges {
    /// How surfaces move against their bodies.
    pub surface_velocities: Vec<(u32, SurfaceVelocity)>,
    /// Which bodies may meet.
    pub groups: Vec<(u32, Groups)>,
}

/// Puts a row in the place of that of its slot.
fn put<T>(rows: &mut Vec<(u32, T)>, slot: u32, value: T) {
    match rows.binary_search_by_key(&slot, |r| r.0) {
        Ok(i) => rows[i].1 = value,
        Err(i) => rows.insert(i, (slot, value)),
    }
}

impl BodyChanges {
    /// Changes how the surface of a body moves.
    pub fn set_surface_velocity(&mut self, slot: u32, velocity: SurfaceVelocity) {
        put(&mut self.surface_velocities, slot, velocity);
    }

    /// Changes the groups of a body.
    pub fn set_groups(&mut self, slot: u32, groups: Groups) {
        put(&mut self.groups, slot, groups);
    }

    /// Forgets a body.
    pub fn forget(&mut self, slot: u32) {
        self.surface_velocities.retain(|r| r.0 != slot);
        self.groups.retain(|r| r.0 != slot);
    }

    /// In order, of bodies that are there, and finite.
    pub(crate) fn is_sound(&self, bodies: usize) -> bool {
        let surfaces = &self.surface_velocities;
        let there = |slot: u32| (slot as usize) < bodies;
        surfaces.iter().all(|r| there(r.0) && r.1.is_bounded())
            && self.groups.iter().all(|r| there(r.0))
            && surfaces.windows(2).all(|w| w[0].0 < w[1].0)
            && self.groups.windows(2).all(|w| w[0].0 < w[1].0)
    }

    /// Adds every bit, and nothing where nothing was changed.
    pub(crate) fn hash_into(&self, h: &mut StateHash) {
        if !self.groups.is_empty() {
            h.word(self.groups.len() as u64);
        }
        for (slot, velocity) in &self.surface_velocities {
            h.word(u64::from(*slot));
            velocity.hash_into(h);
        }
        for (slot, groups) in &self.groups {
            h.word(u64::from(*slot));
            groups.hash_into(h);
        }
    }
}
