//! commit: the step is accepted; rows and state take the new values.

use crate::components::{Dofs, NodeState, Placement, Slot, State, StateNext, Twist};
use crate::responses::pressure::settings::{Bristles, BristlesNext};
use crate::responses::qp::settings::{Multipliers, MultipliersNext};
use crate::responses::swept::tables::{Tracked, TrackedNext};
use crate::responses::volume::settings::{CellImpulses, CellImpulsesNext};
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_contact::{Advanced, BodyKind, Prediction};

/// Writes body rows by slot, node state and friction state. Until here nothing of the old state is touched.
#[derive(Debug, Default)]
pub struct Commit;

type Ends = (&'static Dofs, &'static Advanced, &'static Prediction);
/// What is kept between steps, and its successor.
type Handed<Kept, Next> = (&'static mut Kept, &'static mut Next);

impl Stage for Commit {
    type Io = (
        Ends,
        &'static mut NodeState,
        Handed<State, StateNext>,
        Handed<Tracked, TrackedNext>,
        Handed<Multipliers, MultipliersNext>,
        Handed<CellImpulses, CellImpulsesNext>,
        Handed<Bristles, BristlesNext>,
    );
    type Rows = (&'static Slot, &'static mut Placement, &'static mut Twist);

    fn name(&self) -> &'static str {
        "commit"
    }

    fn updates(&self) -> &'static [&'static str] {
        &["state next", "tracked next", "multipliers next", "cell impulses next", "bristles next"]
    }

    fn run(
        &mut self,
        (
            (dofs, advanced, prediction),
            nodes,
            (state, next),
            (tracked, tracked_next),
            (multipliers, multipliers_next),
            (cells, cells_next),
            (bristles, bristles_next),
        ): <Self::Io as Query>::Item<'_>,
        rows: &mut QueryBorrow<'_, Self::Rows>,
        _step: &Step,
    ) -> Result<Outcome, StageError> {
        for (slot, placement, twist) in rows.iter() {
            let b = slot.0 as usize;
            if matches!(dofs.bodies.kind[b], BodyKind::Rigid | BodyKind::Kinematic) {
                placement.0 = advanced.pose[b];
                twist.velocity = advanced.velocity[b];
                twist.angular_velocity = advanced.angular_velocity[b];
            }
        }
        for (n, g) in nodes.guess.iter_mut().enumerate() {
            *g = prediction.node_v[n] - dofs.nodes.v[n];
        }
        nodes.x.copy_from_slice(&advanced.node_x);
        nodes.v.copy_from_slice(&advanced.node_v);
        std::mem::swap(&mut state.0, &mut next.0);
        std::mem::swap(&mut tracked.0, &mut tracked_next.0);
        std::mem::swap(&mut multipliers.0, &mut multipliers_next.0);
        std::mem::swap(&mut cells.0, &mut cells_next.0);
        std::mem::swap(&mut bristles.0, &mut bristles_next.0);
        std::mem::swap(&mut bristles.1, &mut bristles_next.1);
        Ok(Outcome::items(dofs.bodies.len() + nodes.x.len()))
    }
}
