//! The books of a step that was made in parts: impulses and works add up, energies and momenta are those of its end.

use crate::components::{Decisions, Dofs};
use hecs::{Entity, World};
use impinge_contact::{
    Advanced, EnergyTerms, Evaluated, Ledger, MomentumBalance, PairEntry, Wrench, add_actuator, add_applied,
};
use impinge_geometry::DVec3;

/// Ledgers of the parts so far, by the entity that holds them.
pub(crate) struct Sums(Vec<Sum>);

struct Sum {
    at: Entity,
    /// Energies and momenta of the last part, works and residuals of all.
    total: Ledger,
    pairs: Vec<PairEntry>,
    /// Wrenches about the origin of the world.
    contact: Vec<Wrench>,
    /// Where the bodies were when the first part began.
    start: Vec<DVec3>,
}

impl Sums {
    #[must_use]
    pub fn new(places: Vec<Entity>) -> Self {
        let sum = |at| Sum {
            at,
            total: Ledger::default(),
            pairs: Vec::new(),
            contact: Vec::new(),
            start: Vec::new(),
        };
        Self(places.into_iter().map(sum).collect())
    }

    pub fn places(&self) -> impl Iterator<Item = Entity> + '_ {
        self.0.iter().map(|s| s.at)
    }

    /// Adds the part just made.
    pub fn add(&mut self, world: &World, arena: Entity) {
        for sum in &mut self.0 {
            sum.add(world, arena);
        }
    }

    /// Writes the sums into the ledgers.
    pub fn close(self, world: &World, arena: Entity) {
        for sum in self.0 {
            sum.close(world, arena);
        }
    }
}

/// What moments of a ledger are about, by slot, when bodies went from `from` to where they are in `to`.
fn centres(dofs: &Dofs, halfway: bool, from: impl Fn(usize) -> DVec3, to: &Advanced) -> Vec<DVec3> {
    (0..dofs.bodies.len())
        .map(|b| match dofs.bodies.kind[b] {
            kind if kind.has_nodes() => DVec3::zero(),
            _ if halfway => (from(b) + to.pose[b].position) * 0.5,
            _ => from(b),
        })
        .collect()
}

impl Sum {
    fn halfway(&self, world: &World) -> bool {
        world.get::<&Decisions>(self.at).is_ok_and(|d| d.evaluated == Evaluated::Mean)
    }

    fn add(&mut self, world: &World, arena: Entity) {
        let (Ok(dofs), Ok(advanced), Ok(now)) =
            (world.get::<&Dofs>(arena), world.get::<&Advanced>(arena), world.get::<&Ledger>(self.at))
        else {
            return;
        };
        let here = |b: usize| dofs.bodies.pose[b].position;
        if self.start.is_empty() {
            self.start = (0..dofs.bodies.len()).map(here).collect();
            self.contact.resize(now.contact.len(), Wrench::default());
        }
        let about = centres(&dofs, self.halfway(world), here, &advanced);
        for ((sum, w), x) in self.contact.iter_mut().zip(&now.contact).zip(&about) {
            sum.impulse += w.impulse;
            sum.moment += w.moment + x.cross(w.impulse);
        }
        self.total.energy = energies(&self.total.energy, &now.energy);
        self.total.momentum = momenta(&self.total.momentum, &now.momentum);
        now.applied.iter().for_each(|row| add_applied(&mut self.total.applied, *row));
        now.locks.iter().for_each(|row| add_applied(&mut self.total.locks, *row));
        now.actuators.iter().for_each(|row| add_actuator(&mut self.total.actuators, *row));
        // What no longer touches stores nothing.
        self.pairs.iter_mut().for_each(|p| (p.energy, p.contacts) = (0.0, 0));
        for row in (0..now.pairs.len()).map(|i| now.pairs.view().row(i)) {
            match self.pairs.binary_search_by_key(&(row.a, row.b), |p| (p.a, p.b)) {
                Ok(i) => self.pairs[i] = joined(&self.pairs[i], &row),
                Err(i) => self.pairs.insert(i, row),
            }
        }
    }

    fn close(mut self, world: &World, arena: Entity) {
        {
            let (Ok(dofs), Ok(advanced)) = (world.get::<&Dofs>(arena), world.get::<&Advanced>(arena)) else {
                return;
            };
            let about = centres(&dofs, self.halfway(world), |b| self.start[b], &advanced);
            for (w, x) in self.contact.iter_mut().zip(&about) {
                w.moment -= x.cross(w.impulse);
            }
        }
        self.total.contact = self.contact;
        self.pairs.into_iter().for_each(|p| self.total.pairs.push(p));
        if let Ok(mut ledger) = world.get::<&mut Ledger>(self.at) {
            *ledger = self.total;
        }
    }
}

fn energies(sum: &EnergyTerms, now: &EnergyTerms) -> EnergyTerms {
    EnergyTerms {
        work_normal: sum.work_normal + now.work_normal,
        work_friction: sum.work_friction + now.work_friction,
        work_drag: sum.work_drag + now.work_drag,
        work_anchor_damping: sum.work_anchor_damping + now.work_anchor_damping,
        work_driven: sum.work_driven + now.work_driven,
        work_elastic: sum.work_elastic + now.work_elastic,
        work_corrections: sum.work_corrections + now.work_corrections,
        work_applied: sum.work_applied + now.work_applied,
        handed: sum.handed + now.handed,
        ..*now
    }
}

fn momenta(sum: &MomentumBalance, now: &MomentumBalance) -> MomentumBalance {
    MomentumBalance {
        linear_residual: sum.linear_residual + now.linear_residual,
        angular_residual: sum.angular_residual + now.angular_residual,
        predicted_leak: sum.predicted_leak + now.predicted_leak,
        linear_scale: sum.linear_scale + now.linear_scale,
        angular_scale: sum.angular_scale + now.angular_scale,
        ..*now
    }
}

/// Two rows of a pair, the later one second: impulses and works of both, at one point with what moment that takes.
fn joined(sum: &PairEntry, now: &PairEntry) -> PairEntry {
    let weights = [sum.pressed, now.pressed];
    let all = weights[0] + weights[1];
    let share = if all > 0.0 { weights[1] / all } else { 0.5 };
    let point = sum.point + (now.point - sum.point) * share;
    let about = |p: &PairEntry| p.moment + (p.point - point).cross(p.normal + p.friction);
    PairEntry {
        normal: sum.normal + now.normal,
        friction: sum.friction + now.friction,
        pressed: all,
        point,
        moment: about(sum) + about(now),
        depth_max: sum.depth_max.max(now.depth_max),
        work_normal: sum.work_normal + now.work_normal,
        work_friction: sum.work_friction + now.work_friction,
        ..*now
    }
}
