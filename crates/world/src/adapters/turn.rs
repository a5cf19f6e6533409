//! turn: rolling and spinning friction, before the step is predicted and after it is booked.

use crate::column::{Access, Column};
use crate::components::{Dofs, Forces, Laws};
use crate::stage::{AnyStage, Outcome, StageError, Step};
use crate::turning::{Turning, TurningNext, kept_at};
use hecs::{Component, Entity, Ref, World};
use impinge_contact::{Advanced, BodyKind, Ledger, TurningFriction, TurningSpring, couples};
use impinge_geometry::{DVec3, try_normalized};

/// Part of what presses that pushes one way, at least: below it the mean normal is what is left of pushes that cancel.
const CANCELS: f64 = 0.1;

/// Calls [`impinge_contact::couples`]: the couples of the step act with the external forces, whatever response solves contact. The normal force is
/// that of the step before.
#[derive(Debug, Default)]
pub struct Turn {
    springs: Vec<(TurningSpring, TurningFriction)>,
}

/// Winds the springs of the pairs that pressed in the step; those of the others end.
#[derive(Debug, Default)]
pub struct Turned;

fn column<T: Column + Component>(world: &World, at: Entity) -> Result<Ref<'_, T>, StageError> {
    world.get::<&T>(at).map_err(|_| StageError::Missing(T::NAME.to_string()))
}

impl AnyStage for Turn {
    fn name(&self) -> String {
        "turn".to_string()
    }

    fn access(&self, out: &mut Vec<Access>) {
        out.extend([Access::of::<Dofs>(false), Access::of::<Laws>(false), Access::of::<Turning>(false)]);
        out.push(Access::of::<Forces>(true));
    }

    fn rows(&self, _out: &mut Vec<Access>) {}

    fn updates(&self, _out: &mut Vec<&'static str>) {}

    fn run(&mut self, world: &World, arena: Entity, step: &Step) -> Result<Outcome, StageError> {
        let laws = column::<Laws>(world, arena)?;
        let forces = world.get::<&mut Forces>(arena);
        let mut forces = forces.map_err(|_| StageError::Missing(Forces::NAME.to_string()))?;
        forces.0.couples.clear();
        if !laws.resist_turning() {
            return Ok(Outcome::default());
        }
        let dofs = column::<Dofs>(world, arena)?;
        let kept = column::<Turning>(world, kept_at(world, arena))?;
        self.springs.clear();
        self.springs.extend(kept.0.iter().filter_map(|s| Some((*s, laws.turning_of(s.a, s.b)?))));
        couples(&self.springs, dofs.bodies.view(), &laws.surface_velocities, step.dt, &mut forces.0.couples);
        Ok(Outcome::items(self.springs.len()))
    }
}

impl AnyStage for Turned {
    fn name(&self) -> String {
        "turned".to_string()
    }

    fn access(&self, out: &mut Vec<Access>) {
        out.extend([Access::of::<Dofs>(false), Access::of::<Laws>(false), Access::of::<Forces>(false)]);
        out.extend([Access::of::<Advanced>(false), Access::of::<Ledger>(false)]);
        out.push(Access::of::<TurningNext>(true));
    }

    fn rows(&self, _out: &mut Vec<Access>) {}

    fn updates(&self, _out: &mut Vec<&'static str>) {}

    fn run(&mut self, world: &World, arena: Entity, step: &Step) -> Result<Outcome, StageError> {
        let laws = column::<Laws>(world, arena)?;
        if !laws.resist_turning() {
            return Ok(Outcome::default());
        }
        let (dofs, forces) = (column::<Dofs>(world, arena)?, column::<Forces>(world, arena)?);
        let (advanced, ledger) = (column::<Advanced>(world, arena)?, column::<Ledger>(world, arena)?);
        let next = world.get::<&mut TurningNext>(kept_at(world, arena));
        let mut next = next.map_err(|_| StageError::Missing(TurningNext::NAME.to_string()))?;
        next.0.clear();
        let (pairs, kind) = (&ledger.pairs, &dofs.bodies.kind);
        for row in (0..pairs.len()).filter(|&row| pairs.pressed[row] > 0.0) {
            let slots = [pairs.a[row], pairs.b[row]];
            let kinds = slots.map(|b| kind[b as usize]);
            let turn = kinds.contains(&BodyKind::Rigid) && !kinds.iter().any(|k| k.has_nodes());
            if !turn || laws.turning_of(slots[0], slots[1]).is_none() {
                continue;
            }
            let acted = &forces.0.couples;
            let before = acted.binary_search_by_key(&slots, |c| [c.a, c.b]).ok().map(|i| &acted[i]);
            // Where pushes cancel they tell no axis: the pair keeps the one it had. Which way along it is the pair's own matter.
            let sum = pairs.normal[row];
            let mean =
                try_normalized(sum).filter(|_| before.is_none() || sum.mag() > CANCELS * pairs.pressed[row]);
            let normal = match (mean, before) {
                (Some(n), Some(c)) if n.dot(c.normal) < 0.0 => -n,
                (Some(n), _) => n,
                (None, Some(c)) => c.normal,
                (None, None) => continue,
            };
            let spins = slots.map(|slot| {
                let b = slot as usize;
                advanced.angular_velocity[b] + laws.surface_velocities.spin(slot, &advanced.pose[b])
            });
            let moment = before.map_or(DVec3::zero(), |c| c.wound(normal, spins, step.dt));
            let [a, b] = slots;
            next.0.push(TurningSpring { a, b, moment, normal, force: pairs.pressed[row] / step.dt });
        }
        Ok(Outcome::items(next.0.len()))
    }
}
