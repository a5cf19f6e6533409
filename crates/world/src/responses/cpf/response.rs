//! response: continuous penalty forces, applied through the ledger.

use crate::drawing::Drawing;
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_bodies::{Decisions, Dofs, Laws, Names, Shapes, State, StateNext, book};
use impinge_contact::{
    ApplyWorkspace, Contacts, Ledger, Loads, Pairs, PlaneContacts, Prediction, Surface, SurfaceMap,
};
use impinge_cpf::{CpfAnswer, CpfOut, Force, Normalisation};
use impinge_swept::{Faces, Followed, SweptCandidates, TrackedNext};

/// Calls [`CpfAnswer::answer`], then [`impinge_contact::apply`].
pub struct CpfResponse {
    names: Names,
    answer: CpfAnswer,
    apply: ApplyWorkspace,
}

impl CpfResponse {
    /// A response with these parameters; names for errors.
    #[must_use]
    pub fn new(force: Force, normalisation: Normalisation, names: Names) -> Self {
        let answer = CpfAnswer::new(force, normalisation, names.clone());
        Self { names, answer, apply: ApplyWorkspace::default() }
    }

    /// Takes friction along the way, or at its end.
    #[must_use]
    pub fn with_friction_along(self, friction_along: bool) -> Self {
        Self { answer: self.answer.with_friction_along(friction_along), ..self }
    }
}

type Detected =
    (&'static Pairs, &'static SweptCandidates, &'static Faces, &'static Surface, &'static SurfaceMap);
type Motion =
    (&'static Shapes, &'static Dofs, &'static Prediction, &'static Laws, &'static State, &'static Followed);
type Out = (
    &'static mut Contacts,
    &'static mut PlaneContacts,
    &'static mut Decisions,
    &'static mut StateNext,
    &'static mut TrackedNext,
    &'static mut Drawing,
    &'static mut Loads,
    &'static mut Ledger,
);

impl Stage for CpfResponse {
    type Io = (Detected, Motion, Out);
    type Rows = ();

    fn name(&self) -> &'static str {
        "response: cpf"
    }

    fn run(
        &mut self,
        (detected, motion, out): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        step: &Step,
    ) -> Result<Outcome, StageError> {
        let (pairs, _, _, surface, map) = detected;
        let dofs = motion.1;
        let (contacts, planes, decisions, next, tracked_next, drawing, loads, ledger) = out;
        let spans = drawing.begin().then_some(&mut drawing.plane_spans);
        let to = CpfOut { contacts, planes, decisions, next, tracked_next };
        self.answer.answer(detected, motion, step.dt, spans, to)?;
        let (bodies, tables) = (dofs.bodies.view(), (contacts.view(), planes.view()));
        let (names, ws) = (&self.names, &mut self.apply);
        book(names, map, bodies, surface.view(), pairs.view(), tables, decisions, loads, ledger, ws)?;
        Ok(Outcome::items(contacts.len() + planes.len()))
    }
}
