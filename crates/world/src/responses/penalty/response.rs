//! response: the discrete penalty force, applied through the ledger.

use crate::adapters::evaluate::poses;
use crate::components::{Decisions, Dofs, Laws, State, StateNext};
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_bodies::{Names, book};
use impinge_contact::{
    ApplyWorkspace, Contacts, Evaluated, Ledger, Loads, Pairs, PlaneContacts, Prediction, Pulls, Surface,
    SurfaceMap,
};
use impinge_penalty::{Evaluate, Inputs, Params, Release, accumulate_near, accumulate_near_plane, add_pulls};

/// Calls the penalty kernels on the contact tables, then [`impinge_contact::apply`].
#[derive(Debug)]
pub struct PenaltyResponse {
    /// When penetration is measured.
    pub evaluate: Evaluate,
    /// What ends a damped contact.
    pub release: Release,
    /// Distance from which features push each other (m); 0: vertices that are inside.
    pub reach: f64,
    /// Names for errors.
    pub names: Names,
    workspace: ApplyWorkspace,
    pulls: Pulls,
    parts: Vec<f64>,
}

impl PenaltyResponse {
    /// A response with these parameters.
    #[must_use]
    pub fn new(evaluate: Evaluate, release: Release, reach: f64, names: Names) -> Self {
        let (workspace, pulls) = (ApplyWorkspace::default(), Pulls::default());
        Self { evaluate, release, reach, names, workspace, pulls, parts: Vec::new() }
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
        decisions.clear();
        let evaluate = laws.evaluated(self.evaluate);
        decisions.evaluated = match evaluate {
            Evaluate::Start => Evaluated::Start,
            Evaluate::End => Evaluated::End,
        };
        let params = Params { dt: step.dt, evaluate, release: self.release };
        let mut inputs = Inputs {
            surface: surface.view(),
            pairs: pairs.view(),
            laws: &laws.laws,
            frames: poses(evaluate, dofs, prediction),
            anchors: &state.0,
            surface_velocities: &laws.surface_velocities,
            parts: &[],
        };
        if laws.yields.contains(&true) {
            let bodies = &dofs.bodies;
            self.pulls.begin(bodies);
            let all = (contacts.view(), planes.view());
            add_pulls(&params, self.reach, &inputs, &laws.yields, all, (map, bodies), &mut self.pulls);
            self.pulls.parts(bodies, pairs, &laws.yields, &mut self.parts);
            inputs.parts = &self.parts;
        }
        accumulate_near(
            &params,
            (self.reach, &dofs.bodies.angular_velocity),
            &inputs,
            contacts.view(),
            &mut decisions.mesh,
            &mut next.0,
        );
        accumulate_near_plane(&params, self.reach, &inputs, planes.view(), &mut decisions.plane, &mut next.0);
        next.0.sort();

        let (bodies, tables) = (dofs.bodies.view(), (contacts.view(), planes.view()));
        let (names, ws) = (&self.names, &mut self.workspace);
        book(names, map, bodies, surface.view(), pairs.view(), tables, decisions, loads, ledger, ws)?;
        Ok(Outcome::items(contacts.len() + planes.len()))
    }
}
