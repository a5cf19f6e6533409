//! response: continuous penalty solved implicitly, applied through the ledger.

use super::settings::{NewtonReport, NewtonSettings};
use crate::drawing::Drawing;
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_bodies::{Decisions, Dofs, Elastic, Laws, Names, Operator, Shapes, State, StateNext, book};
use impinge_contact::{
    ApplyWorkspace, Contacts, Ledger, Loads, Pairs, PlaneContacts, Prediction, Surface, SurfaceMap,
};
use impinge_cpf::conserving::Scheme;
use impinge_cpf::{ConservingAnswer, CpfOut};
use impinge_swept::{Faces, Followed, SweptCandidates, Tracked, TrackedNext};

/// Calls [`ConservingAnswer::answer`], then [`impinge_contact::apply`].
pub struct ConservingResponse {
    names: Names,
    answer: ConservingAnswer,
    apply: ApplyWorkspace,
}

impl ConservingResponse {
    /// A response with these parameters; names for errors.
    #[must_use]
    pub fn new(scheme: Scheme, settings: NewtonSettings, names: Names) -> Self {
        let answer = ConservingAnswer::new(scheme, settings, names.clone());
        Self { names, answer, apply: ApplyWorkspace::default() }
    }
}

type Detected = (&'static mut Pairs, &'static mut SweptCandidates, &'static Faces, &'static SurfaceMap);
type Motion = (
    (
        &'static Shapes,
        &'static Dofs,
        &'static Prediction,
        &'static Laws,
        &'static State,
        &'static Followed,
        &'static Tracked,
    ),
    &'static Elastic,
    &'static mut Operator,
    &'static mut Surface,
);
type Out = (
    &'static mut Contacts,
    &'static mut PlaneContacts,
    &'static mut Decisions,
    &'static mut StateNext,
    &'static mut TrackedNext,
    &'static mut NewtonReport,
    &'static mut Drawing,
    &'static mut Loads,
    &'static mut Ledger,
);

impl Stage for ConservingResponse {
    type Io = (Detected, Motion, Out);
    type Rows = ();

    fn name(&self) -> &'static str {
        "response: cpf-implicit"
    }

    fn updates(&self) -> &'static [&'static str] {
        &["pairs", "swept candidates", "operator", "surface"]
    }

    fn run(
        &mut self,
        (detected, motion, out): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        step: &Step,
    ) -> Result<Outcome, StageError> {
        let (pairs, candidates, faces, map) = detected;
        let (bodies, elastic, operator, surface) = motion;
        let (contacts, planes, decisions, next, tracked_next, report, drawing, loads, ledger) = out;
        let spans = drawing.begin().then_some(&mut drawing.plane_spans);
        let to = CpfOut { contacts, planes, decisions, next, tracked_next };
        let (lists, soft) = ((&mut *pairs, candidates, faces, map), (elastic, operator, surface));
        let handed = self.answer.answer(lists, bodies, soft, step.dt, spans, (to, report))?;
        let (mean, surface) = self.answer.mean();
        let tables = (contacts.view(), planes.view());
        let (names, ws) = (&self.names, &mut self.apply);
        book(names, map, mean.view(), surface.view(), pairs.view(), tables, decisions, loads, ledger, ws)?;
        ledger.energy.handed = handed;
        Ok(Outcome::items(contacts.len() + planes.len()))
    }
}
