//! Corrections of places beside springs: what they press together stores energy, which is work of theirs.
//!
//! A correction moves bodies without a velocity. Contacts of constraints store nothing, but a spring of another response that is on such a
//! body is longer or shorter after it, and gives back later what it took up here. The work is the force of this step times the way: a spring
//! that follows within the step holds that force again at its end.

use crate::scoped::missing;
use crate::stage::StageError;
use hecs::{Entity, World};
use impinge_contact::{Advanced, Ledger, Loads, SurfaceMap, chord_spin};
use impinge_geometry::{DVec3, Pose};

/// What a stage moves where other responses are springs.
pub(crate) struct AgainstSprings {
    /// Tables of the responses that store energy.
    springs: Vec<Entity>,
    pose: Vec<Pose>,
    node_x: Vec<DVec3>,
}

impl AgainstSprings {
    /// Of the responses with these tables.
    #[must_use]
    pub fn new(springs: Vec<Entity>) -> Self {
        Self { springs, pose: Vec::new(), node_x: Vec::new() }
    }

    /// The places before the stage.
    pub fn remember(&mut self, world: &World, arena: Entity) -> Result<(), StageError> {
        let advanced = world.get::<&Advanced>(arena).map_err(|_| missing("advanced"))?;
        self.pose.clone_from(&advanced.pose);
        self.node_x.clone_from(&advanced.node_x);
        Ok(())
    }

    /// Books the work of what moved since in a step of `dt` (s), in the tables of the stage's own response.
    pub fn book(&self, world: &World, (arena, own): (Entity, Entity), dt: f64) -> Result<(), StageError> {
        let advanced = world.get::<&Advanced>(arena).map_err(|_| missing("advanced"))?;
        if self.pose == advanced.pose && self.node_x == advanced.node_x {
            return Ok(());
        }
        let map = world.get::<&SurfaceMap>(arena).map_err(|_| missing("surface map"))?;
        let loads = self.springs.iter().filter_map(|s| world.get::<&Loads>(*s).ok());
        let work: f64 = loads.map(|l| self.against(&map, &l, &advanced)).sum();
        let mut ledger = world.get::<&mut Ledger>(own).map_err(|_| missing("ledger"))?;
        ledger.energy.work_corrections += work / dt;
        Ok(())
    }

    /// Work against one response's loads (N·s) in a step (J·s).
    fn against(&self, map: &SurfaceMap, loads: &Loads, advanced: &Advanced) -> f64 {
        let mut work = 0.0;
        for (b, (was, is)) in
            self.pose.iter().zip(&advanced.pose).enumerate().filter(|(_, (was, is))| was != is)
        {
            let w = &loads.wrench[b];
            work -= w.impulse.dot(is.position - was.position) + w.moment.dot(chord_spin(was, is));
        }
        for &v in loads.touched() {
            let way = map.at_nodes(v, &advanced.node_x).zip(map.at_nodes(v, &self.node_x));
            work -= way.map_or(0.0, |(is, was)| loads.impulse[v as usize].dot(is - was));
        }
        work
    }
}
