//! response: pressure and friction on the contact surfaces, applied through the ledger.

use super::settings::{
    Bristles, BristlesNext, PathEnds, PressureBodies, PressurePatches, PressureReport, PressureSettings,
};
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_bodies::{Bounds, Decisions, Dofs, Laws, Names, Shapes, book};
use impinge_contact::{
    ApplyWorkspace, Contacts, Ledger, Loads, Pairs, PlaneContacts, Prediction, Surface, SurfaceMap,
};
use impinge_pressure::{PressureAnswer, PressureOut, Span};

/// Calls [`PressureAnswer::answer`], then [`impinge_contact::apply`].
pub struct PressureResponse {
    /// Settings.
    pub settings: PressureSettings,
    names: Names,
    answer: PressureAnswer,
    apply: ApplyWorkspace,
}

impl PressureResponse {
    /// A response with these settings; names for errors.
    #[must_use]
    pub fn new(settings: PressureSettings, names: Names) -> Self {
        Self { settings, answer: PressureAnswer::new(names.clone()), names, apply: ApplyWorkspace::default() }
    }
}

type Detected = (
    &'static mut Pairs,
    &'static Contacts,
    &'static PlaneContacts,
    &'static Surface,
    &'static SurfaceMap,
    &'static PressureBodies,
);
type Motion = (&'static Dofs, &'static Prediction, &'static Bristles);
type Around = (&'static Shapes, &'static Laws, &'static Bounds);
type Out = (
    &'static mut PressurePatches,
    &'static mut Decisions,
    &'static mut BristlesNext,
    &'static mut PathEnds,
    &'static mut PressureReport,
    &'static mut Loads,
    &'static mut Ledger,
);

impl Stage for PressureResponse {
    type Io = (Detected, Motion, Around, Out);
    type Rows = ();

    fn name(&self) -> &'static str {
        "response: pressure"
    }

    fn updates(&self) -> &'static [&'static str] {
        &["pairs", "pressure patches"]
    }

    fn run(
        &mut self,
        (detected, motion, around, out): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        step: &Step,
    ) -> Result<Outcome, StageError> {
        let (pairs, contacts, planes, surface, map, bodies) = detected;
        let (dofs, prediction, before) = motion;
        let (patches, decisions, next, path_ends, report, loads, ledger) = out;
        let span = Span {
            time: step.time,
            dt: step.dt,
            mean_over: step.scheme.mean_over(step.dt),
            accept_unfinished: step.accept_unfinished,
        };
        let to = PressureOut { pairs, patches: &mut patches.0, decisions, next, path_ends, report };
        self.answer.answer(&self.settings, (bodies, dofs, prediction, before), around, span, to)?;
        let (frames, tables) = (dofs.bodies.view(), (contacts.view(), planes.view()));
        let (names, ws) = (&self.names, &mut self.apply);
        book(names, map, frames, surface.view(), pairs.view(), tables, decisions, loads, ledger, ws)?;
        Ok(Outcome::items(report.polygons as usize))
    }
}
