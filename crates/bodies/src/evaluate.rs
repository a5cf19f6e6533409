//! Where bodies and nodes are when contact is evaluated: at the start of the step, or where it is predicted to end.

use crate::tables::Dofs;
use impinge_contact::{Evaluate, Prediction};
use impinge_geometry::{DVec3, Pose};

/// Poses at the time contact is evaluated.
#[must_use]
pub fn poses<'a>(at: Evaluate, dofs: &'a Dofs, prediction: &'a Prediction) -> &'a [Pose] {
    match at {
        Evaluate::Start => &dofs.bodies.pose,
        Evaluate::End => &prediction.pose,
    }
}

/// Node positions at the time contact is evaluated.
#[must_use]
pub fn node_positions<'a>(at: Evaluate, dofs: &'a Dofs, prediction: &'a Prediction) -> &'a [DVec3] {
    match at {
        Evaluate::Start => &dofs.nodes.x,
        Evaluate::End => &prediction.node_x,
    }
}
