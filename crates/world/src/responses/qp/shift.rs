//! stabilise: what is too near is moved apart by the shift that the response found.
//!
//! Places only: no velocity and no momentum changes, and nothing of it is among the impulses. The energy that it puts in is in the
//! books as work of corrections.

use super::settings::{PlaceShift, QpReport};
use crate::adapters::correct::{Before, displace};
use crate::components::{Dofs, Elastic, Forces};
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_contact::{Advanced, Ledger};
use impinge_geometry::DVec3;

/// Moves what [`PlaceShift`] says.
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
        if shift.is_empty() {
            return Ok(Outcome::items(0));
        }
        self.before.remember(advanced);
        let mut moved = shift.bodies.len();
        for &(b, by, turn) in &shift.bodies {
            displace(world.1, b as usize, by, turn, advanced);
        }
        for (x, by) in advanced.node_x.iter_mut().zip(&shift.nodes).filter(|(_, by)| **by != DVec3::zero()) {
            *x += *by;
            moved += 1;
        }
        report.moved = moved as u32;
        self.before.book(world, advanced, ledger);
        Ok(Outcome::items(moved))
    }
}
