//! record: energy by term and the momentum balance, from what was applied.

use super::names::{Names, check};
use crate::components::{Decisions, Dofs, Forces};
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_contact::{
    Advanced, BalanceWorkspace, Contacts, Decided, External, FinishedStep, Ledger, Pairs, PlaneContacts,
    Surface, SurfaceMap, balance,
};
use impinge_geometry::DVec3;

/// Closes the books of the step.
#[derive(Debug)]
pub struct Record {
    names: Names,
    workspace: BalanceWorkspace,
}

impl Record {
    /// Names for errors.
    pub fn new(names: Names) -> Self {
        Self { names, workspace: BalanceWorkspace::default() }
    }
}

type Detected =
    (&'static Pairs, &'static Contacts, &'static PlaneContacts, &'static Surface, &'static SurfaceMap);
type Motion = (&'static Dofs, &'static Advanced, &'static External, &'static Forces);

impl Stage for Record {
    type Io = (Detected, Motion, &'static Decisions, &'static mut Ledger);
    type Rows = ();

    fn name(&self) -> &'static str {
        "record"
    }

    fn updates(&self) -> &'static [&'static str] {
        &["ledger"]
    }

    fn run(
        &mut self,
        (detected, motion, decisions, ledger): <Self::Io as Query>::Item<'_>,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        step: &Step,
    ) -> Result<Outcome, StageError> {
        let (pairs, contacts, planes, surface, map) = detected;
        let (dofs, advanced, external, forces) = motion;
        let contacts_found = (contacts.len(), planes.len());
        let decided = (decisions.mesh.len(), decisions.plane.len());
        if contacts_found != decided {
            let (contacts, decided) = (contacts_found.0 + contacts_found.1, decided.0 + decided.1);
            return Err(StageError::Undecided { contacts, decided });
        }
        let finished = FinishedStep {
            dt: step.dt,
            bodies: dofs.bodies.view(),
            nodes: dofs.nodes.view(),
            advanced,
            external,
            map,
            surface: surface.view(),
            pairs: pairs.view(),
            decided: Decided {
                mesh: (contacts.view(), decisions.mesh.view()),
                plane: (planes.view(), decisions.plane.view()),
                bend: &decisions.bend,
                patches: decisions.patches.view(),
            },
            evaluated: decisions.evaluated,
        };
        balance(&finished, ledger, &mut self.workspace);
        for i in &decisions.inner {
            let [p, q] = i.ends.map(|v| v as usize);
            let of = |v: &[DVec3]| {
                let [a, b] = i.ends.map(|e| map.at_nodes(e, v).unwrap_or(DVec3::zero()));
                a - b
            };
            let mean = (of(&dofs.nodes.v) + of(&advanced.node_v)) * 0.5;
            ledger.energy.work_elastic += i.impulse.dot(mean);
            // Along the edge at the end, applied at the start.
            ledger.momentum.predicted_leak += (surface.x0[p] - surface.x0[q]).cross(i.impulse);
        }
        let (bodies, nodes) = (dofs.bodies.view(), dofs.nodes.view());
        (ledger.energy.gravity, ledger.energy.anchors) =
            forces.0.potential(bodies, nodes, &advanced.pose, &advanced.node_x);
        if !ledger.energy.total().is_finite() {
            // Squares overflow before the state itself does: the run is lost all the same.
            let fast = |b: usize| {
                !advanced.velocity[b].mag_sq().is_finite()
                    || !advanced.angular_velocity[b].mag_sq().is_finite()
            };
            let body = (0..bodies.len()).find(|&b| fast(b)).unwrap_or(0);
            return check(&self.names, body, false, "the energy").map(|()| Outcome::default());
        }
        Ok(Outcome::items(ledger.pairs.len()))
    }
}
