//! narrow: the contact surface of every pair.

use super::settings::{Bristles, PressureBodies, PressurePatches, PressureSettings};
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_bodies::{Dofs, Laws, Names};
use impinge_contact::{Contacts, Pairs, PlaneContacts, Prediction};
use impinge_pressure::SurfaceSearch;

/// Calls [`SurfaceSearch::find`].
#[derive(Debug)]
pub struct ContactSurfaces {
    search: SurfaceSearch,
}

impl ContactSurfaces {
    /// For a response with these settings; names for errors.
    #[must_use]
    pub fn new(settings: PressureSettings, names: Names) -> Self {
        Self { search: SurfaceSearch::new(settings, names) }
    }
}

type Found = (&'static mut PressurePatches, &'static mut Contacts, &'static mut PlaneContacts);

impl Stage for ContactSurfaces {
    type Io = (
        &'static Pairs,
        &'static PressureBodies,
        &'static Laws,
        &'static Dofs,
        &'static Prediction,
        &'static Bristles,
        Found,
    );
    type Rows = ();

    fn name(&self) -> &'static str {
        "narrow: contact surfaces"
    }

    fn run(
        &mut self,
        (pairs, bodies, laws, dofs, prediction, bristles, found): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        step: &Step,
    ) -> Result<Outcome, StageError> {
        let (patches, contacts, planes) = found;
        contacts.clear();
        planes.clear();
        let motion = (laws, dofs, prediction);
        let faces = self.search.find(pairs, bodies, motion, bristles, step.dt, &mut patches.0)?;
        Ok(Outcome::items(faces))
    }
}
