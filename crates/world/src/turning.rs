//! What rolling and spinning friction keeps from step to step: a spring for each pair of bodies that touches.

use crate::column::columns;
use crate::kept::{Kept, Within};
use crate::tables::TablesOf;
use hecs::{Entity, World};
use impinge_bodies::{Renaming, Renumber};
use impinge_contact::{StateHash, TurningSpring};
use impinge_geometry::is_finite;
use std::mem::swap;

/// The springs of rolling and spinning friction, by pair of bodies. The first response of a world keeps those of all pairs, so that a pair that gets
/// another response keeps its own.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Turning(pub Vec<TurningSpring>);

/// Those of the step in progress.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurningNext(pub Vec<TurningSpring>);

columns! {
    Turning => "turning", State;
    TurningNext => "turning next", Step;
}

impl Kept for Turning {
    type Next = TurningNext;

    fn accept(&mut self, next: &mut TurningNext) {
        swap(&mut self.0, &mut next.0);
    }

    fn begin(next: &mut TurningNext) {
        next.0.clear();
    }

    fn hash(&self, h: &mut StateHash) {
        for s in &self.0 {
            h.word(u64::from(s.a) << 32 | u64::from(s.b));
            h.vector(s.moment);
            h.vector(s.normal);
            h.number(s.force);
        }
    }

    fn check(&self, within: &Within<'_>) -> Result<(), String> {
        let known = |s: &TurningSpring| {
            let numbers = is_finite(s.moment) && is_finite(s.normal) && s.force.is_finite();
            numbers && s.force >= 0.0 && s.a < s.b && (s.b as usize) < within.bodies
        };
        let ascend = self.0.windows(2).all(|w| (w[0].a, w[0].b) < (w[1].a, w[1].b));
        if ascend && self.0.iter().all(known) {
            return Ok(());
        }
        Err("the snapshot's springs of rolling friction are not finite, not in order, or of bodies that are not there".to_string())
    }

    fn rename(&mut self, to: &Renaming) {
        self.0.retain(|s| !to.ends(s.a) && !to.ends(s.b));
    }

    /// Their names are pairs of bodies.
    fn after_cut(&self, _cut: &Renumber<'_>) -> Self {
        self.clone()
    }
}

/// Where the springs are: with the tables of the first response.
pub(crate) fn kept_at(world: &World, arena: Entity) -> Entity {
    let mut several = world.query::<(Entity, &TablesOf)>();
    several.iter().find(|(_, of)| of.0 == 0).map_or(arena, |(at, _)| at)
}

/// Ends the spring of a pair that does not meet any more.
pub(crate) fn end_pair(world: &World, arena: Entity, pair: (u32, u32)) {
    if let Ok(mut turning) = world.get::<&mut Turning>(kept_at(world, arena)) {
        turning.0.retain(|s| (s.a, s.b) != pair);
    }
}
