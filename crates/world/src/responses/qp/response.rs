//! response: the quadratic program of the step, its multipliers applied through the ledger.

use super::settings::{Multipliers, MultipliersNext, PlaceShift, QpReport, QpSettings};
use crate::drawing::Drawing;
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_bodies::{Decisions, Dofs, Elastic, Laws, Names, Operator, Shapes, book};
use impinge_contact::{
    ApplyWorkspace, Contacts, Ledger, Loads, Pairs, PlaneContacts, Prediction, Surface, SurfaceMap,
};
use impinge_qp::{QpAnswer, QpOut};
use impinge_swept::{Faces, Followed, SweptCandidates, TrackedNext};

/// Calls [`QpAnswer::answer`], then [`impinge_contact::apply`].
pub struct QpResponse {
    names: Names,
    answer: QpAnswer,
    apply: ApplyWorkspace,
}

impl QpResponse {
    /// A response with these settings; names for errors.
    #[must_use]
    pub fn new(settings: QpSettings, names: Names) -> Self {
        Self { answer: QpAnswer::new(settings, names.clone()), names, apply: ApplyWorkspace::default() }
    }
}

type Detected =
    (&'static SweptCandidates, &'static Faces, &'static Surface, &'static SurfaceMap, &'static Followed);
type Motion = (
    &'static Shapes,
    &'static Dofs,
    &'static Prediction,
    &'static Laws,
    &'static Elastic,
    &'static Operator,
    &'static Multipliers,
);
type Out = (
    &'static mut Pairs,
    &'static mut Contacts,
    &'static mut PlaneContacts,
    &'static mut Decisions,
    &'static mut QpReport,
    &'static mut PlaceShift,
    &'static mut MultipliersNext,
    &'static mut TrackedNext,
    &'static mut Drawing,
    &'static mut Loads,
    &'static mut Ledger,
);

impl Stage for QpResponse {
    type Io = (Detected, Motion, Out);
    type Rows = ();

    fn name(&self) -> &'static str {
        "response: qp"
    }

    fn run(
        &mut self,
        (detected, motion, out): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        step: &Step,
    ) -> Result<Outcome, StageError> {
        let (_, _, surface, map, _) = detected;
        let (shapes, dofs, prediction, laws, elastic, operator, last) = motion;
        let (pairs, contacts, planes, decisions, report, shift, next, open, drawing, loads, ledger) = out;
        let idle = drawing.begin().then_some(&mut drawing.idle);
        let to = QpOut { pairs, contacts, planes, decisions, report, shift, next, open };
        let length = (step.dt, step.accept_unfinished);
        let (bodies, soft) = ((shapes, dofs, prediction, laws), (elastic, operator));
        let rows = self.answer.answer(detected, bodies, soft, last, length, idle, to)?;
        let (bodies, tables) = (dofs.bodies.view(), (contacts.view(), planes.view()));
        let (names, ws) = (&self.names, &mut self.apply);
        book(names, map, bodies, surface.view(), pairs.view(), tables, decisions, loads, ledger, ws)?;
        self.answer.finish(elastic, loads, next);
        Ok(Outcome::items(rows))
    }
}
