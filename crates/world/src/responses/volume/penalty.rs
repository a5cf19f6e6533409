//! response: the energy ½kV² of each cell, applied through the ledger.

use super::settings::{CellImpulses, CellImpulsesNext, Overlaps, VolumePenaltySettings, VolumeReport};
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_bodies::{Decisions, Dofs, Elastic, Laws, Names, book};
use impinge_contact::{ApplyWorkspace, Contacts, Ledger, Loads, Pairs, PlaneContacts, Surface, SurfaceMap};
use impinge_volume::{Answered, VolumeEnergy};

/// Calls [`VolumeEnergy::push`], then [`impinge_contact::apply`].
pub struct VolumePenaltyResponse {
    /// Stiffness, viscosity, friction.
    pub settings: VolumePenaltySettings,
    names: Names,
    energy: VolumeEnergy,
    apply: ApplyWorkspace,
}

impl VolumePenaltyResponse {
    /// A response with these settings; names for errors.
    #[must_use]
    pub fn new(settings: VolumePenaltySettings, names: Names) -> Self {
        Self { settings, names, energy: VolumeEnergy::default(), apply: ApplyWorkspace::default() }
    }
}

type Found = (&'static Overlaps, &'static Surface, &'static SurfaceMap);
type World = (&'static Dofs, &'static Laws, &'static Elastic, &'static CellImpulses);
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

impl Stage for VolumePenaltyResponse {
    type Io = (Found, World, Out);
    type Rows = ();

    fn name(&self) -> &'static str {
        "response: volume-penalty"
    }

    fn run(
        &mut self,
        ((overlaps, surface, map), (dofs, laws, elastic, last), out): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        step: &Step,
    ) -> Result<Outcome, StageError> {
        let (pairs, mesh, planes, decisions, report, next, loads, ledger) = out;
        let answered = Answered { pairs, decisions, report, next: &mut next.0 };
        self.energy.push(
            &self.settings,
            overlaps,
            (map, dofs, laws, elastic),
            last,
            (step.dt, step.scheme.mean_over(step.dt)),
            answered,
        );
        let (names, ws) = (&self.names, &mut self.apply);
        let tables = (mesh.view(), planes.view());
        let bodies = dofs.bodies.view();
        book(names, map, bodies, surface.view(), pairs.view(), tables, decisions, loads, ledger, ws)?;
        Ok(Outcome::items(report.cells as usize))
    }
}
