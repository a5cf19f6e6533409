//! response: velocities that satisfy the contact law of volumes, applied through the ledger.

use super::settings::{CellImpulses, CellImpulsesNext, Overlaps, VolumeReport, VolumeSettings};
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_bodies::{Decisions, Dofs, Elastic, Laws, Names, Operator, book};
use impinge_contact::{
    ApplyWorkspace, Contacts, Ledger, Loads, Pairs, PlaneContacts, Prediction, Surface, SurfaceMap,
};
use impinge_volume::{Answered, VolumeConstraints};

/// Calls [`VolumeConstraints::solve`], then [`impinge_contact::apply`].
pub struct VolumeResponse {
    /// Depth, friction, tolerances.
    pub settings: VolumeSettings,
    names: Names,
    constraints: VolumeConstraints,
    apply: ApplyWorkspace,
}

impl VolumeResponse {
    /// A response with these settings; names for errors.
    #[must_use]
    pub fn new(settings: VolumeSettings, names: Names) -> Self {
        Self { settings, names, constraints: VolumeConstraints::default(), apply: ApplyWorkspace::default() }
    }
}

type Found = (&'static Overlaps, &'static Surface, &'static SurfaceMap);
type World = (
    &'static Dofs,
    &'static Prediction,
    &'static Laws,
    &'static Elastic,
    &'static CellImpulses,
    &'static mut Operator,
);
type Out = (
    &'static mut Pairs,
    &'static Contacts,
    &'static PlaneContacts,
    &'static mut Decisions,
    &'static mut VolumeReport,
    &'static mut CellImpulsesNext,
    &'static mut Loads,
    &'static mut Ledger,
);

impl Stage for VolumeResponse {
    type Io = (Found, World, Out);
    type Rows = ();

    fn name(&self) -> &'static str {
        "response: volume"
    }

    fn updates(&self) -> &'static [&'static str] {
        &["operator"]
    }

    fn run(
        &mut self,
        ((overlaps, surface, map), world, out): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        step: &Step,
    ) -> Result<Outcome, StageError> {
        let (dofs, prediction, laws, elastic, last, operator) = world;
        let (pairs, mesh, planes, decisions, report, next, loads, ledger) = out;
        let answered = Answered { pairs, decisions, report, next: &mut next.0 };
        let bodies = (map, dofs, prediction, laws);
        let length = (step.dt, step.accept_unfinished);
        let name = |b: u32| self.names.get(b as usize).cloned().unwrap_or_default();
        let (constraints, settings) = (&mut self.constraints, &self.settings);
        let contacts = constraints.solve(
            settings,
            overlaps,
            bodies,
            (elastic, operator),
            last,
            length,
            name,
            answered,
        )?;
        let (names, ws) = (&self.names, &mut self.apply);
        let tables = (mesh.view(), planes.view());
        let bodies = dofs.bodies.view();
        book(names, map, bodies, surface.view(), pairs.view(), tables, decisions, loads, ledger, ws)?;
        Ok(Outcome::items(contacts))
    }
}
