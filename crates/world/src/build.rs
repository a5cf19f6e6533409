//! From a builder to a world that can run.

use crate::alike::share_meshes;
use crate::body_data::DataOfBodies;
use crate::build_error::BuildError;
use crate::builder::Builder;
use crate::components::{Drivers, Forces, Name, Placement, Slot, Twist};
use crate::layout::{Layout, lay_out};
use crate::open::roster::Members;
use crate::planned::check_planned;
use crate::recipe::Recipe;
use crate::simulation::Simulation;
use impinge_contact::Actuated;
use impinge_geometry::DVec3;
use std::sync::Arc;

impl Builder {
    /// Checks everything and builds the world.
    ///
    /// # Errors
    /// [`BuildError`], with the body and the fix.
    pub fn build(mut self) -> Result<Simulation, BuildError> {
        share_meshes(&mut self.bodies);
        let members = Members::new(self.clone());
        self.check(None)?;
        let layout = lay_out(&self.bodies, self.scheme, self.elastic, self.dt)?;
        let mut drivers = Drivers::default();
        let mut world = hecs::World::new();
        let mut entities = Vec::new();
        for (slot, body) in self.bodies.iter().enumerate() {
            drivers.0.push(body.driver());
            self.forces.actuators.extend(Simulation::actuators_of(slot as u32, body));
            self.forces.linear_drag.push(body.linear_drag);
            self.forces.angular_drag.push(body.angular_drag);
            // Free vertices have their own velocities; the row of their body has none.
            let twist = if layout.dofs.bodies.kind[slot].has_nodes() {
                Twist { velocity: DVec3::zero(), angular_velocity: DVec3::zero() }
            } else {
                Twist { velocity: body.velocity, angular_velocity: body.angular_velocity }
            };
            let placement = Placement(layout.dofs.bodies.pose[slot]);
            entities.push(world.spawn((Slot(slot as u32), Name(body.name.clone()), placement, twist)));
        }
        check_planned(&self.planned, &self.bodies)?;
        let names: Arc<[String]> = self.bodies.iter().map(|b| b.name.clone()).collect();
        let data = DataOfBodies(self.bodies.iter().map(|b| b.data.clone()).collect());
        let recipe = Recipe::new(self.bodies, self.scheme, self.elastic, self.planned);
        self.forces.actuators.sort_by_key(Actuated::key);
        let Layout { dofs, map, shapes, elastic, nodes } = layout;
        let responses = self.responses;
        let constant = (map, drivers, shapes, Forces(self.forces), self.laws, elastic, data);
        let state = (dofs, nodes);
        let mut sim =
            Simulation::assemble(world, entities, names, self.dt, &responses, constant, state, recipe);
        sim.halving = self.halving;
        (sim.origin, sim.members) = (members.clone(), members);
        for response in &responses {
            response.prepare(&mut sim.world, sim.arena, &sim.names)?;
        }
        Ok(sim)
    }
}

impl Simulation {
    /// An empty world with steps of `dt` seconds, gravity of 9.81 m/s² along −z, the response `penalty` and laws that follow from the bodies
    /// ([`Builder::friction`]). [`Simulation::insert`] bodies into it.
    ///
    /// ```
    /// use impinge_world::{BodyDesc, Mass, Simulation};
    /// let mut sim = Simulation::new(1e-3)?;
    /// sim.insert(BodyDesc::plane("floor", [0.0, 0.0, 1.0].into(), 0.0))?;
    /// let ball = sim.insert(BodyDesc::ball("ball", 0.1, Mass::Total(1.0), [0.0, 0.0, 0.5])?)?;
    /// for _ in 0..1000 {
    ///     sim.step()?;
    /// }
    /// assert!((sim.contact_force(ball.slot()).z - 9.81).abs() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`BuildError`] for a step that is not positive and finite.
    pub fn new(dt: f64) -> Result<Self, BuildError> {
        Builder::new(dt).gravity(DVec3::new(0.0, 0.0, -9.81)).build()
    }

    /// Starts a world with steps of `dt` seconds.
    #[must_use]
    pub fn builder(dt: f64) -> Builder {
        Builder::new(dt)
    }
}
