//! advance: loads to new velocities and positions.

use crate::components::{Dofs, Elastic, Forces, Operator};
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_bodies::{Names, check};
use impinge_contact::{Advanced, External, Loads, Prediction, SurfaceMap};
use impinge_geometry::is_finite;
use impinge_integrators::{Scheme, advance};

/// Calls [`impinge_integrators::advance`]; deformables answer contact through their operator.
#[derive(Debug)]
pub struct Advance {
    /// Time integration scheme.
    pub scheme: Scheme,
    /// Names for errors.
    pub names: Names,
}

impl Stage for Advance {
    type Io = (
        &'static SurfaceMap,
        &'static mut Dofs,
        &'static Forces,
        &'static Prediction,
        &'static Loads,
        &'static Elastic,
        &'static mut Operator,
        &'static mut Advanced,
        &'static mut External,
    );
    type Rows = ();

    fn name(&self) -> &'static str {
        "advance"
    }

    fn updates(&self) -> &'static [&'static str] {
        &["operator", "dofs", "external"]
    }

    fn run(
        &mut self,
        (map, dofs, forces, prediction, loads, elastic, operator, advanced, external): <Self::Io as Query>::Item<
            '_,
        >,
        _rows: &mut QueryBorrow<'_, Self::Rows>,
        step: &Step,
    ) -> Result<Outcome, StageError> {
        let (bodies, nodes) = (dofs.bodies.view(), dofs.nodes.view());
        advance(self.scheme, step.dt, map, bodies, nodes, prediction, loads, advanced);
        super::elastic::advance(
            self.scheme,
            step.dt,
            map,
            elastic,
            dofs,
            prediction,
            loads,
            operator,
            advanced,
        )?;
        let Dofs { bodies, nodes, dragged, .. } = dofs;
        dragged.book(self.scheme, &forces.0, bodies, nodes, advanced, external);
        for b in 0..bodies.len() {
            let ok = advanced.pose[b].is_finite()
                && is_finite(advanced.velocity[b])
                && is_finite(advanced.angular_velocity[b])
                && is_finite(advanced.angular_momentum[b]);
            check(&self.names, b, ok, "the new state")?;
        }
        for n in 0..nodes.len() {
            let ok = is_finite(advanced.node_x[n]) && is_finite(advanced.node_v[n]);
            check(&self.names, nodes.body[n] as usize, ok, "the new state")?;
        }
        Ok(Outcome::items(bodies.len() + nodes.len()))
    }
}
