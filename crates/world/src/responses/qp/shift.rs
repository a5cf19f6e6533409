//! stabilise: what is too near is moved apart by the shift that the response found.
//!
//! Places only: no velocity and no momentum changes, and nothing of it is among the impulses. The energy that it puts in is in the
//! books as work of corrections.

use super::settings::{PlaceShift, QpReport};
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_bodies::{Before, Dofs, Elastic, Forces};
use impinge_contact::{Advanced, Ledger};
use impinge_qp::move_places;

/// Calls [`move_places`].
#[derive(Default)]
pub struct MovePlaces {
    before: Before,
}

type World = (&'static Forces, &'static Dofs, &'static Elastic);

impl Stage for MovePlaces {
    type Io = (World, &'static PlaceShift, &'static mut Advanced, &'static mut QpReport, &'static mut Ledger);
    type Rows = ();

    fn name(&self) -> &'static str {
        "stabilise: places"
    }

    fn updates(&self) -> &'static [&'static str] {
        &["advanced", "qp report", "ledger"]
    }

    fn run(
        &mut self,
        (world, shift, advanced, report, ledger): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        _step: &Step,
    ) -> Result<Outcome, StageError> {
        let books = (report, ledger);
        Ok(Outcome::items(move_places(world, shift, advanced, books, &mut self.before)))
    }
}
