//! response: the discrete penalty force, applied through the ledger.

use super::{Names, check, poses};
use crate::components::{Decisions, Dofs, Laws, State, StateNext};
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_contact::{
    ApplyWorkspace, Contacts, Decided, Evaluated, Ledger, Loads, Pairs, PlaneContacts, Prediction, Surface,
    SurfaceMap, apply,
};
use impinge_geometry::is_finite;
use impinge_penalty::{Evaluate, Inputs, Params, Release, accumulate_mesh, accumulate_plane};

/// Calls the penalty kernels on the contact tables, then [`apply`].
#[derive(Debug)]
pub struct PenaltyResponse {
    /// When penetration is measured.
    pub evaluate: Evaluate,
    /// What ends a damped contact.
    pub release: Release,
    /// Names for errors.
    pub names: Names,
    workspace: ApplyWorkspace,
}

impl PenaltyResponse {
    /// A response with these parameters.
    pub fn new(evaluate: Evaluate, release: Release, names: Names) -> Self {
        Self { evaluate, release, names, workspace: ApplyWorkspace::default() }
    }
}

/// Columns in two groups: hecs queries nest, and a flat tuple of this many is hard to read.
type Detected =
    (&'static Pairs, &'static Contacts, &'static PlaneContacts, &'static Surface, &'static SurfaceMap);
type Motion = (&'static Dofs, &'static Prediction, &'static Laws, &'static State);
type Out = (&'static mut Decisions, &'static mut StateNext, &'static mut Loads, &'static mut Ledger);

impl Stage for PenaltyResponse {
    type Io = (Detected, Motion, Out);
    type Rows = ();

    fn name(&self) -> &'static str {
        "response: penalty"
    }

    fn run(
        &mut self,
        (detected, motion, out): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        step: &Step,
    ) -> Result<Outcome, StageError> {
        let (pairs, contacts, planes, surface, map) = detected;
        let (dofs, prediction, laws, state) = motion;
        let (decisions, next, loads, ledger) = out;
        decisions.mesh.clear();
        decisions.plane.clear();
        decisions.bend.clear();
        decisions.evaluated = match self.evaluate {
            Evaluate::Start => Evaluated::Start,
            Evaluate::End => Evaluated::End,
        };
        loads.clear();
        ledger.reset(map.bodies());

        let params = Params { dt: step.dt, evaluate: self.evaluate, release: self.release };
        let inputs = Inputs {
            surface: surface.view(),
            pairs: pairs.view(),
            laws: &laws.laws,
            frames: poses(self.evaluate, dofs, prediction),
            anchors: &state.0,
        };
        accumulate_mesh(&params, &inputs, contacts.view(), &mut decisions.mesh, &mut next.0);
        accumulate_plane(&params, &inputs, planes.view(), &mut decisions.plane, &mut next.0);
        next.0.sort();

        let decided = Decided {
            mesh: (contacts.view(), decisions.mesh.view()),
            plane: (planes.view(), decisions.plane.view()),
            bend: &[],
        };
        let bodies = dofs.bodies.view();
        apply(map, bodies, surface.view(), pairs.view(), decided, loads, ledger, &mut self.workspace);
        for b in 0..map.bodies() {
            check(
                &self.names,
                b,
                is_finite(loads.wrench[b].impulse) && is_finite(loads.wrench[b].moment),
                "the contact force",
            )?;
        }
        Ok(Outcome::items(contacts.len() + planes.len()))
    }
}
