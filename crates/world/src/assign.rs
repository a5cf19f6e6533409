//! Which pairs of bodies have which response, and where each response keeps its tables; changed between steps.

use crate::acting::Acting;
use crate::build_error::{BuildError, known_slots};
use crate::check::{check_responses, number_of};
use crate::components::{Dofs, Elastic, Laws};
use crate::pipeline::Pipeline;
use crate::response::Response;
use crate::responses::pressure::settings::PressureBodies;
use crate::responses::swept::tables::Tracked;
use crate::seen::Seen;
use crate::shapes::Shapes;
use crate::simulation::Simulation;
use crate::support::Family;
use crate::tables::{self, TABLES, TablesOf};
use hecs::Entity;
use impinge_contact::SurfaceMap;

impl Simulation {
    /// Gives each response its tables: the arena's where it is the only one. Responses keep their numbers, and what they keep.
    pub(crate) fn place_parts(&mut self, responses: &[Response]) {
        let alone = responses.len() == 1;
        let was_alone = self.acting.len() == 1;
        if alone != was_alone {
            let own = if alone { self.acting[0].tables } else { self.new_tables() };
            TABLES.iter().for_each(|t| t.exchange(&self.world, self.arena, own));
            self.acting[0].tables = if alone { self.arena } else { own };
            if alone {
                // It was spawned with the second response.
                let _ = self.world.despawn(own);
            }
        }
        for gone in self.acting.drain(responses.len().min(self.acting.len())..) {
            let _ = self.world.despawn(gone.tables);
        }
        for (k, &response) in responses.iter().enumerate() {
            if k == self.acting.len() {
                let tables = self.new_tables();
                self.acting.push(Acting { response, tables });
            }
            self.acting[k].response = response;
        }
        for (k, part) in self.acting.iter().enumerate().filter(|_| !alone) {
            let _ = self.world.insert_one(part.tables, TablesOf(k as u8));
        }
    }

    fn new_tables(&mut self) -> Entity {
        let mut builder = hecs::EntityBuilder::new();
        tables::add(&self.column::<SurfaceMap>(), &mut builder);
        self.world.spawn(builder.build())
    }

    /// Replaces the response of all pairs that have none of their own, and keeps the state.
    ///
    /// # Errors
    /// [`BuildError::Unsupported`] as when the world is built; the response in place then stays.
    pub fn swap_response(&mut self, response: Response) -> Result<(), BuildError> {
        let mut responses = self.responses();
        responses[0] = response;
        let of_pairs = self.column::<Laws>().responses.clone();
        self.set_responses(responses, of_pairs)
    }

    /// Gives a pair of bodies a response of its own from the next step on. What the pair had stored under the one before (contacts on the way,
    /// anchors, bristles) is let go of; positions and velocities stay.
    ///
    /// # Errors
    /// [`BuildError`] as when the world is built; the responses in place then stay.
    pub fn set_response(&mut self, a: u32, b: u32, response: Response) -> Result<(), BuildError> {
        known_slots("a response", [a, b], self.names.len())?;
        let pair = (a.min(b), a.max(b));
        let mut responses = self.responses();
        let number = number_of(&mut responses, response)?;
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
        {
            let (shapes, dofs) = (self.column::<Shapes>(), self.column::<Dofs>());
            let fields = self.column::<PressureBodies>();
            let limited = &self.column::<Elastic>().limited;
            let seen: Vec<Seen<'_>> = (self.names.iter().zip(&shapes.0).zip(&dofs.bodies.kind).enumerate())
                .map(|(slot, ((name, shape), kind))| Seen {
                    name,
                    shape,
                    moved: kind.is_dynamic(),
                    yields: fields.yields(slot),
                    dissipates: fields.dissipates(slot),
                    limited: limited.iter().any(|l| l.body as usize == slot),
                })
                .collect();
            let mut laws = Laws { responses: of_pairs.clone(), ..Laws::clone(&self.column::<Laws>()) };
            check_responses(&responses, self.recipe.scheme, &mut laws, &seen)?;
        }
        if responses.iter().any(|r| r.family() == Family::Pressure) {
            let names = self.names.clone();
            if let Ok((bodies, shapes)) =
                self.world.query_one_mut::<(&mut PressureBodies, &Shapes)>(self.arena)
            {
                bodies.make(&names, shapes)?;
            }
        }
        self.place_parts(&responses);
        if let Ok(laws) = self.world.query_one_mut::<&mut Laws>(self.arena) {
            laws.responses = of_pairs;
        }
        let parts = Pipeline::default().with_parts(&self.acting, self.recipe.scheme, &self.names);
        self.pipeline.swap_response(parts);
        Ok(())
    }

    /// Ends the open contacts of a pair of bodies under a response.
    fn part_with(&mut self, number: usize, pair: (u32, u32)) {
        let map = self.column::<SurfaceMap>();
        let Ok(mut tracked) = self.world.get::<&mut Tracked>(self.acting[number].tables) else { return };
        for open in &mut tracked.0 {
            let mut left = impinge_cpf::Tracked::default();
            for row in (0..open.len()).map(|i| open.row(i)) {
                let [a, b] = [row.stencil[0], row.stencil[3]].map(|v| map.body_of(v));
                if (a.min(b), a.max(b)) != pair {
                    left.push(row);
                }
            }
            *open = left;
        }
    }
}
