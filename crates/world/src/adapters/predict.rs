//! predict: external and inner forces, and where the step ends if nothing touches.

use crate::components::{Dofs, Drivers, Elastic, Forces, NodeState, Operator};
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_bodies::{Names, check};
use impinge_contact::{BodyKind, External, Prediction};
use impinge_geometry::is_finite;
use impinge_integrators::{Scheme, predict};

/// Calls [`impinge_integrators::predict`], then solves the deformables.
#[derive(Debug)]
pub struct Predict {
    /// Time integration scheme.
    pub scheme: Scheme,
    /// Names for errors.
    pub names: Names,
}

impl Stage for Predict {
    type Io = (
        &'static Dofs,
        &'static Forces,
        &'static Drivers,
        &'static Elastic,
        &'static NodeState,
        &'static mut Operator,
        &'static mut Prediction,
        &'static mut External,
    );
    type Rows = ();

    fn name(&self) -> &'static str {
        "predict"
    }

    fn run(
        &mut self,
        (dofs, forces, drivers, elastic, state, operator, prediction, external): <Self::Io as Query>::Item<
            '_,
        >,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        step: &Step,
    ) -> Result<Outcome, StageError> {
        let (bodies, nodes) = (dofs.bodies.view(), dofs.nodes.view());
        let end = step.time + step.dt;
        let target =
            |b: usize| drivers.0[b].as_ref().and_then(|d| d.pose(end)).unwrap_or_else(|| dofs.bodies.pose[b]);
        predict(self.scheme, step.dt, bodies, nodes, &forces.0, target, prediction, external);
        super::elastic::predict(self.scheme, step.dt, elastic, dofs, &state.guess, operator, prediction)?;
        for b in 0..bodies.len() {
            if bodies.kind[b] == BodyKind::Kinematic && !prediction.pose[b].is_bounded() {
                let body = self.names.get(b).cloned().unwrap_or_default();
                return Err(StageError::BadDriver { body, time: end });
            }
            let ok = prediction.pose[b].is_finite() && is_finite(prediction.velocity[b]);
            check(&self.names, b, ok, "the predicted state")?;
        }
        for n in 0..nodes.len() {
            check(
                &self.names,
                nodes.body[n] as usize,
                is_finite(prediction.node_x[n]),
                "the predicted state",
            )?;
        }
        Ok(Outcome::items(bodies.len() + nodes.len()))
    }
}
