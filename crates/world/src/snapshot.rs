//! The state of a run as a value: to go back to, to compare, to hash.

use crate::acting::Acting;
use crate::components::{Decisions, Forces, Laws, NodeState, Placement, Slot, Twist};
use crate::energy_books::EnergyBooks;
use crate::kept::{KeptTables, Within};
use crate::open::roster::{Members, Roster};
use crate::open::surfaces::put_in;
use crate::simulation::Simulation;
use impinge_bodies::{Edit, Shapes};
use impinge_contact::{Given, Ledger, StateHash, SurfaceMap, Touching};
use impinge_geometry::{DVec3, Pose, is_finite};
use std::sync::Arc;

/// Steps that a double counts one by one; the time of a step is their product with `dt`.
const MOST_STEPS: u64 = 1 << 53;

/// The state of a run between two steps: all of it, and nothing that can be computed from it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Snapshot {
    /// Steps committed.
    pub step: u64,
    /// Pose and velocities by slot.
    pub bodies: Vec<(Pose, Twist)>,
    /// Free vertices.
    pub nodes: NodeState,
    /// What each response keeps, by its number.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "read_kept"))]
    pub kept: Vec<KeptTables>,
    /// Which pairs of bodies, lower slot first, have which response, by its number; the others have the first. What settings a response has is no
    /// part of a snapshot, so this is not in the hash either.
    pub of_pairs: Vec<((u32, u32), u8)>,
    /// Changes of topology since the world was built.
    pub edits: Vec<Arc<Edit>>,
    /// What the program gave: pushes that wait for the next step, gravity and the length of a step where they were changed, locked axes,
    /// actuators, next poses.
    pub given: Given,
    /// Pairs that touched in the last step, for [`Simulation::events`]. Nothing of the run follows from it, so it is not in the hash.
    pub touching: Vec<Touching>,
    /// Energy that the contacts of pairs of bodies stored in the last step (J), but for what is booked since: what the books have of a change
    /// that ends them. It follows from the run, so it is not in the hash.
    #[cfg_attr(feature = "serde", serde(default))]
    pub stored: Vec<((u32, u32), f64)>,
    /// What the run has of energy, was given and gained: what [`Simulation::step`] judges the next step by. It follows from the run.
    #[cfg_attr(feature = "serde", serde(default))]
    pub energy_books: Option<EnergyBooks>,
    /// Slots of the bodies in each sensor after the last step, for [`Simulation::sensor_events`]. Not in the hash either.
    pub sensed: Vec<Vec<u32>>,
    /// The bodies, where some came or went, or drivers, rules or laws were changed, since the world was built. A file holds them but for what it
    /// cannot: functions as drivers, and data of responses, that came later; writing then says of which body.
    pub members: Option<Roster>,
}

#[cfg(feature = "serde")]
fn read_kept<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<KeptTables>, D::Error> {
    use serde::Deserialize;
    let of_responses = Vec::<Vec<(String, Vec<u8>)>>::deserialize(from)?;
    let read = |(name, bytes): (String, Vec<u8>)| {
        let Some(kept) = crate::registry::table(&name).and_then(|t| t.kept) else {
            return Err(format!("the snapshot has a table '{name}', which no response known here keeps"));
        };
        (kept.read)(&bytes)
    };
    let all = |tables: Vec<(String, Vec<u8>)>| tables.into_iter().map(read).collect::<Result<_, _>>();
    let kept = of_responses.into_iter().map(|t| all(t).map(KeptTables)).collect::<Result<_, _>>();
    kept.map_err(serde::de::Error::custom)
}

impl Snapshot {
    /// A snapshot taken by this crate passes; one read from elsewhere may not.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.step > MOST_STEPS {
            return Err(format!(
                "the snapshot counts {} steps; no run has more than {MOST_STEPS}",
                self.step
            ));
        }
        let finite = |v: &DVec3| is_finite(*v);
        let body =
            |(p, t): &(Pose, Twist)| p.is_finite() && finite(&t.velocity) && finite(&t.angular_velocity);
        if let Some(i) = self.bodies.iter().position(|b| !body(b)) {
            return Err(format!("the snapshot's body {i} is not finite"));
        }
        if !self.nodes.guess.iter().all(finite) {
            return Err("the snapshot's guess for the next solve is not finite".to_string());
        }
        if let Some(i) = self.nodes.x.iter().zip(&self.nodes.v).position(|(x, v)| !(finite(x) && finite(v))) {
            return Err(format!("the snapshot's vertex {i} is not finite"));
        }
        Ok(())
    }

    /// Hash over every bit.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let mut h = StateHash::default();
        h.word(self.step);
        for (pose, twist) in &self.bodies {
            h.pose(pose);
            h.vector(twist.velocity);
            h.vector(twist.angular_velocity);
        }
        self.nodes.x.iter().chain(&self.nodes.v).chain(&self.nodes.guess).for_each(|&v| h.vector(v));
        self.kept.iter().for_each(|k| k.hash(&mut h));
        self.given.hash_into(&mut h);
        if let Some(members) = &self.members {
            h.word(members.digest());
        }
        h.finish()
    }
}

impl Simulation {
    /// The state between two steps.
    ///
    /// ```
    /// # use impinge_world::{BodyDesc, Mass, Simulation};
    /// let mut sim = Simulation::new(1e-3)?;
    /// sim.insert(BodyDesc::ball("ball", 0.1, Mass::Total(1.0), [0.0, 0.0, 3.0])?)?;
    /// let start = sim.snapshot();
    /// (0..10).try_for_each(|_| sim.step())?;
    /// let end = sim.hash();
    /// sim.restore(&start)?;
    /// assert_eq!(sim.view("ball")?.position().z, 3.0);
    /// (0..10).try_for_each(|_| sim.step())?;
    /// assert_eq!(sim.hash(), end);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let bodies = (0..self.entities.len() as u32).map(|s| (self.pose(s), self.twist(s))).collect();
        Snapshot {
            step: self.step,
            bodies,
            nodes: NodeState::clone(&self.column::<NodeState>()),
            kept: self.acting.iter().map(|part| self.kept_of(part)).collect(),
            of_pairs: self.column::<Laws>().responses.clone(),
            edits: self.edits().to_vec(),
            given: self.given_now(),
            touching: self.followed.touching.clone(),
            stored: self.stored.clone(),
            energy_books: self.energy_books,
            sensed: self.sensing.inside.clone(),
            members: (!Arc::ptr_eq(&self.members, &self.origin))
                .then(|| Roster::new(&self.members, &self.origin, crate::registry::data_kinds)),
        }
    }

    /// What the program gave, with what of that is kept elsewhere while the world runs.
    fn given_now(&self) -> Given {
        let actuators = self.column::<Forces>().0.actuators.clone();
        Given { locked: self.locks(), actuators, ..self.given.clone() }
    }

    fn kept_of(&self, part: &Acting) -> KeptTables {
        let kept = part.held.iter().filter_map(|t| t.kept);
        KeptTables(kept.filter_map(|k| (k.take)(&self.world, part.tables)).collect())
    }

    /// Goes back to a state of this scene: the run continues with the same bits.
    ///
    /// # Errors
    /// When the snapshot has other bodies or vertices than this world, contacts that this world does not have, or a cut that its bodies
    /// do not take.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), String> {
        snapshot.check()?;
        self.has_responses_of(snapshot)?;
        let members = match &snapshot.members {
            Some(roster) => roster.members(&self.origin, crate::registry::data_kinds)?,
            None => self.origin.clone(),
        };
        // What is laid out was stable in steps of its own length, and need not be in those of now.
        let before = self.dt;
        self.dt = self.dt_of(snapshot);
        let done = match Arc::ptr_eq(&members, &self.members) {
            true => self.restore_state(snapshot),
            false => self.restore_members(members, snapshot),
        };
        if done.is_err() {
            self.dt = before;
        }
        done
    }

    /// The length of a step (s) of a state.
    fn dt_of(&self, snapshot: &Snapshot) -> f64 {
        snapshot.given.clock.map_or(self.origin.from.dt, |c| c.dt)
    }

    /// Refuses a snapshot of a world with other responses.
    fn has_responses_of(&self, snapshot: &Snapshot) -> Result<(), String> {
        let (theirs, own) = (snapshot.kept.len(), self.acting.len());
        if theirs != own {
            return Err(format!(
                "the snapshot is of a world with {theirs} responses, this one has {own}; give its pairs the responses they had"
            ));
        }
        let bodies = snapshot.bodies.len();
        let known = |((a, b), n): &((u32, u32), u8)| {
            a <= b && (*b as usize) < bodies && (1..own).contains(&(*n as usize))
        };
        if snapshot.of_pairs.iter().all(known) && snapshot.of_pairs.windows(2).all(|w| w[0].0 < w[1].0) {
            return Ok(());
        }
        Err(format!(
            "the snapshot gives pairs responses that are none of its {own}, or names pairs twice or out of order"
        ))
    }

    /// Goes back to a state of the bodies that are there.
    fn restore_state(&mut self, snapshot: &Snapshot) -> Result<(), String> {
        snapshot.given.check(self.entities.len(), snapshot.step)?;
        let there = |b: u32| (b as usize) < self.entities.len();
        if !snapshot.stored.iter().all(|((a, b), energy)| there(*a) && there(*b) && energy.is_finite()) {
            return Err(
                "the snapshot's energies of contacts are not finite, or of bodies that are not there"
                    .to_string(),
            );
        }
        let plan = self.plan(&snapshot.edits)?;
        let (nodes, guesses) = {
            let own = self.column::<NodeState>();
            let n = plan.as_ref().map_or(&*own, |p| &p.layout.nodes);
            (n.x.len(), n.guess.len())
        };
        let found = (snapshot.bodies.len(), snapshot.nodes.x.len(), snapshot.nodes.v.len());
        if found != (self.entities.len(), nodes, nodes) || snapshot.nodes.guess.len() != guesses {
            return Err(format!(
                "the snapshot has {} bodies, {} vertices and {} vertex velocities, this world {} bodies and {nodes} \
                 vertices; restore it into the scene it was taken from",
                found.0,
                found.1,
                found.2,
                self.entities.len()
            ));
        }
        {
            let (map, shapes) = (self.column::<SurfaceMap>(), self.column::<Shapes>());
            let (map, shapes) =
                plan.as_ref().map_or((&*map, &*shapes), |p| (&p.layout.map, &p.layout.shapes));
            let mut laws = Laws::clone(&self.column::<Laws>());
            put_in(&mut laws, &self.members.from.bodies, &snapshot.given.bodies);
            if laws.responses != snapshot.of_pairs {
                laws.responses.clone_from(&snapshot.of_pairs);
                self.check_laws(&self.responses(), laws.clone(), None).map_err(|e| e.to_string())?;
            }
            let within = Within { bodies: self.entities.len(), map, shapes, laws: &laws };
            snapshot.kept.iter().try_for_each(|k| k.check(&within))?;
            let foreign = |s: &u32| *s as usize >= self.entities.len();
            if snapshot.sensed.len() > self.sensors().len() || snapshot.sensed.iter().flatten().any(foreign) {
                return Err("the snapshot's sensors are not those of this world".to_string());
            }
        }
        if let Some(plan) = plan {
            self.prepare_for(&plan.layout.shapes)?;
            self.follow(plan);
        }
        for (slot, placement, twist) in self.world.query_mut::<(&Slot, &mut Placement, &mut Twist)>() {
            let (pose, t) = snapshot.bodies[slot.0 as usize];
            placement.0 = pose;
            *twist = t;
        }
        self.see_rows();
        if let Ok(n) = self.world.query_one_mut::<&mut NodeState>(self.arena) {
            n.clone_from(&snapshot.nodes);
        }
        if let Ok(laws) = self.world.query_one_mut::<&mut Laws>(self.arena) {
            laws.responses.clone_from(&snapshot.of_pairs);
        }
        let bodies = self.entities.len();
        for (part, kept) in self.acting.iter_mut().zip(&snapshot.kept) {
            // Of a response that this one took the place of.
            part.hold_also(kept.tables(), &mut self.world, self.arena);
            for table in &part.held {
                if let Some(k) = table.kept {
                    (k.put)(&self.world, part.tables, kept.named(table.name));
                }
            }
        }
        // The books of the step before belong to another state, the arena's too where it only lends itself to responses.
        for at in [self.arena].into_iter().chain(self.acting.iter().map(|a| a.tables)) {
            if let Ok((ledger, decisions)) = self.world.query_one_mut::<(&mut Ledger, &mut Decisions)>(at) {
                ledger.reset(bodies);
                decisions.clear();
            }
        }
        self.step = snapshot.step;
        self.given = snapshot.given.clone();
        self.followed.touching.clone_from(&snapshot.touching);
        self.followed.events.clear();
        self.stored.clone_from(&snapshot.stored);
        self.energy_books = snapshot.energy_books;
        self.put_sensed(&snapshot.sensed);
        self.dt = self.dt_of(snapshot);
        self.put_gravity();
        self.put_body_changes();
        self.put_locks(&snapshot.given.locked);
        self.put_actuators(snapshot.given.actuators.clone());
        self.put_drivers();
        Ok(())
    }

    /// Goes back to other bodies, and to a state of them.
    fn restore_members(&mut self, members: Arc<Members>, snapshot: &Snapshot) -> Result<(), String> {
        snapshot.given.check(members.from.bodies.len(), snapshot.step)?;
        let (undo, before) = (self.snapshot(), self.members.clone());
        let put = |members: &Arc<Members>, of: &Snapshot, sim: &mut Self| -> Result<(), String> {
            // Pairs may have been given other responses since the bodies last changed.
            let mut from = members.from.clone();
            from.responses = sim.responses();
            let of_pairs = of.of_pairs.iter().map(|(pair, n)| (*pair, from.responses[*n as usize].clone()));
            from.of_pairs = of_pairs.collect();
            let laid = sim.laid_out(from, None).map_err(|e| e.to_string())?;
            let state = laid.1.nodes.clone();
            // What was changed of bodies is by slot.
            sim.given.bodies.clone_from(&of.given.bodies);
            sim.put_members(members.clone(), laid, state, None).map_err(|e| e.to_string())
        };
        let done = put(&members, snapshot, self).and_then(|()| self.restore_state(snapshot));
        if done.is_err() {
            // They were there, and their snapshot fits them.
            self.dt = self.dt_of(&undo);
            let _ = put(&before, &undo, self).and_then(|()| self.restore_state(&undo));
        }
        done
    }

    /// Hash over all state: equal for equal runs on any number of threads.
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.snapshot().hash()
    }
}
