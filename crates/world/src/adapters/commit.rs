//! commit: the step is accepted; rows and state take the new values.

use crate::components::{Dofs, NodeState, Placement, Slot, Twist};
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_contact::{Advanced, BodyKind, Prediction};

/// Writes body rows by slot and node state. Until here nothing of the old state is touched; what responses keep follows when the step has ended.
#[derive(Debug, Default)]
pub struct Commit;

type Ends = (&'static Dofs, &'static Advanced, &'static Prediction);

impl Stage for Commit {
    type Io = (Ends, &'static mut NodeState);
    type Rows = (&'static Slot, &'static mut Placement, &'static mut Twist);

    fn name(&self) -> &'static str {
        "commit"
    }

    fn run(
        &mut self,
        ((dofs, advanced, prediction), nodes): <Self::Io as Query>::Item<'_>,
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
        Ok(Outcome::items(dofs.bodies.len() + nodes.x.len()))
    }
}
