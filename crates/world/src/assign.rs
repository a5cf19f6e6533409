//! Which pairs of bodies have which response, and where each response keeps its tables; changed between steps.

use crate::acting::Acting;
use crate::body_data::DataOfBodies;
use crate::build_error::BuildError;
use crate::check::{check_responses, number_of};
use crate::components::{Dofs, Elastic, Laws};
use crate::open::id::BodyKey;
use crate::pipeline::Pipeline;
use crate::response::Response;
use crate::seen::SeenBody;
use crate::simulation::Simulation;
use crate::tables::{self, TablesOf};
use hecs::Entity;
use impinge_bodies::{OpenError, Shapes};
use impinge_contact::{BodyKind, SurfaceMap};

impl Simulation {
    /// Gives each response its tables: the arena's where it is the only one. Responses keep their numbers, and what they keep.
    pub(crate) fn place_parts(&mut self, responses: &[Response]) {
        let alone = responses.len() == 1;
        let was_alone = self.acting.len() == 1;
        if alone != was_alone {
            let own = if alone { self.acting[0].tables } else { self.new_tables() };
            let first = &mut self.acting[0];
            first.tables = own;
            first.hold(&mut self.world, self.arena);
            first.held.iter().for_each(|t| t.exchange(&self.world, self.arena, own));
            if alone {
                first.tables = self.arena;
                // It was spawned with the second response.
                let _ = self.world.despawn(own);
            }
        }
        for gone in self.acting.drain(responses.len().min(self.acting.len())..) {
            let _ = self.world.despawn(gone.tables);
        }
        for (k, response) in responses.iter().enumerate() {
            if k == self.acting.len() {
                let tables = self.new_tables();
                self.acting.push(Acting::new(response.clone(), tables));
            }
            self.acting[k].response = response.clone();
            self.acting[k].hold(&mut self.world, self.arena);
        }
        for (k, part) in self.acting.iter().enumerate().filter(|_| !alone) {
            let _ = self.world.insert_one(part.tables, TablesOf(k as u8));
        }
    }

    fn new_tables(&mut self) -> Entity {
        let at = self.world.spawn(());
        let map = SurfaceMap::clone(&self.column::<SurfaceMap>());
        tables::add(&mut self.world, at, &map);
        at
    }

    /// Replaces the response of all pairs that have none of their own, and keeps the state. The energy that contacts store under the new one and not
    /// under the old is in the ledger of the next step ([`impinge_contact::Ledger::applied`], under the lower slot).
    ///
    /// ```
    /// use impinge_world::{BodyDesc, Mass, Response, Simulation};
    /// let mut sim = Simulation::new(1e-3)?;
    /// sim.insert(BodyDesc::plane("floor", [0.0, 0.0, 1.0].into(), 0.0))?;
    /// sim.insert(BodyDesc::cuboid("box", [0.2; 3], Mass::Total(2.0), [0.0, 0.0, 0.1])?)?;
    /// for response in [Response::penalty(), Response::qp()] {
    ///     sim.swap_response(response)?;
    ///     for _ in 0..500 {
    ///         sim.step()?;
    ///     }
    ///     assert!((sim.view("box")?.contact_force().z - 19.62).abs() < 1e-6);
    /// }
    /// assert_eq!(sim.response().name(), "qp");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`BuildError::Unsupported`] as when the world is built; the response in place then stays.
    pub fn swap_response(&mut self, response: impl Into<Response>) -> Result<(), BuildError> {
        let mut responses = self.responses();
        responses[0] = response.into();
        let of_pairs = self.column::<Laws>().responses.clone();
        self.set_responses(responses, of_pairs)
    }

    /// Gives a pair of bodies a response of its own from the next step on. What the pair had stored under the one before (contacts on the way,
    /// anchors, bristles) is let go of and booked as [`Self::swap_response`] does; positions and velocities stay.
    ///
    /// ```
    /// use impinge_world::{BodyDesc, Mass, Response, Simulation};
    /// let mut sim = Simulation::new(1e-3)?;
    /// sim.insert(BodyDesc::plane("floor", [0.0, 0.0, 1.0].into(), 0.0))?;
    /// sim.insert(BodyDesc::cuboid("box", [0.2; 3], Mass::Total(2.0), [0.0, 0.0, 0.1])?)?;
    /// sim.set_response("box", "floor", Response::qp())?;
    /// assert_eq!(sim.response_between("box", "floor")?.name(), "qp");
    /// for _ in 0..500 {
    ///     sim.step()?;
    /// }
    /// assert!((sim.view("box")?.contact_force().z - 19.62).abs() < 1e-6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`BuildError`] as when the world is built, and for a body that is not there; the responses in place then stay.
    pub fn set_response(
        &mut self,
        a: impl BodyKey,
        b: impl BodyKey,
        response: impl Into<Response>,
    ) -> Result<(), BuildError> {
        let bad = |e: OpenError| BuildError::BadSetting(format!("a response: {e}"));
        let (a, b) = (a.slot_in(self).map_err(bad)?, b.slot_in(self).map_err(bad)?);
        let pair = (a.min(b), a.max(b));
        let mut responses = self.responses();
        let number = number_of(&mut responses, response.into())?;
        let (before, mut of_pairs) = {
            let laws = self.column::<Laws>();
            (laws.response_of(pair.0, pair.1), laws.responses.clone())
        };
        of_pairs.retain(|r| r.0 != pair);
        if number != 0 {
            of_pairs.push((pair, number));
            of_pairs.sort_unstable_by_key(|r| r.0);
        }
        self.set_responses(responses, of_pairs)?;
        if before != number {
            self.part_with(before as usize, pair);
        }
        Ok(())
    }

    fn set_responses(
        &mut self,
        responses: Vec<Response>,
        of_pairs: Vec<((u32, u32), u8)>,
    ) -> Result<(), BuildError> {
        let laws = Laws { responses: of_pairs.clone(), ..Laws::clone(&self.column::<Laws>()) };
        self.check_laws(&responses, laws, None)?;
        let touching: Vec<(u32, u32)> = self.followed.touching.iter().map(|t| (t.a, t.b)).collect();
        let before: Vec<Response> = touching.iter().map(|p| self.response_of(p.0, p.1).clone()).collect();
        let new = responses.iter().filter(|r| self.acting.iter().all(|a| a.response != **r));
        for response in new {
            response.prepare(&mut self.world, self.arena, &self.names)?;
        }
        self.place_parts(&responses);
        if let Ok(laws) = self.world.query_one_mut::<&mut Laws>(self.arena) {
            laws.responses = of_pairs;
        }
        let parts = Pipeline::default().with_parts(&self.acting, self.recipe.scheme, &self.names);
        self.pipeline.swap_response(parts);
        self.books_anew();
        for (pair, before) in touching.into_iter().zip(before) {
            if *self.response_of(pair.0, pair.1) != before {
                self.relay(pair);
            }
        }
        Ok(())
    }

    /// Refuses laws under which a response would have a pair that it cannot handle, among those of the body in slot `only` or all.
    pub(crate) fn check_laws(
        &self,
        responses: &[Response],
        mut laws: Laws,
        only: Option<usize>,
    ) -> Result<(), BuildError> {
        let (shapes, dofs) = (self.column::<Shapes>(), self.column::<Dofs>());
        let data = self.column::<DataOfBodies>();
        let limited = &self.column::<Elastic>().limited;
        let seen: Vec<SeenBody<'_>> = (self.names.iter().zip(&shapes.0).zip(&dofs.bodies.kind).enumerate())
            .map(|(slot, ((name, shape), kind))| SeenBody {
                name,
                shape,
                moved: kind.is_dynamic(),
                fixed: *kind == BodyKind::Fixed,
                data: &data.0[slot],
                limited: limited.iter().any(|l| l.body as usize == slot),
            })
            .collect();
        check_responses(responses, self.recipe.scheme, &mut laws, &seen, only)
    }

    /// Ends what a response keeps of a pair of bodies.
    pub(crate) fn part_with(&mut self, number: usize, pair: (u32, u32)) {
        let map = self.column::<SurfaceMap>();
        let part = &self.acting[number];
        for kept in part.held.iter().filter_map(|t| t.kept.as_ref()) {
            (kept.forget_pair)(&self.world, part.tables, &map, pair);
        }
    }
}
