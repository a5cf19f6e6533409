//! gather: body rows to degrees of freedom, by slot.

use crate::components::{Dofs, Drivers, Elastic, Forces, NodeState, Placement, Slot, Twist};
use crate::stage::{Outcome, Stage, StageError, Step};
use hecs::{Query, QueryBorrow};
use impinge_contact::BodyKind;
use impinge_geometry::DVec3;
use impinge_integrators::{secant, world_inertia};

/// Reads the rows of body entities; writes by slot, never by row order.
#[derive(Debug, Default)]
pub struct Gather;

impl Stage for Gather {
    type Io = (&'static Drivers, &'static NodeState, &'static Elastic, &'static Forces, &'static mut Dofs);
    type Rows = (&'static Slot, &'static Placement, &'static Twist);

    fn name(&self) -> &'static str {
        "gather"
    }

    fn run(
        &mut self,
        (drivers, nodes, elastic, forces, dofs): <Self::Io as Query>::Item<'_>,
        rows: &mut QueryBorrow<'_, Self::Rows>,
        step: &Step,
    ) -> Result<Outcome, StageError> {
        // Of a step that was not made.
        dofs.dragged.lighten(&mut dofs.bodies, &mut dofs.nodes);
        let b = &mut dofs.bodies;
        dofs.came.clear();
        dofs.came.resize(b.len(), [DVec3::zero(); 2]);
        for (slot, placement, twist) in rows.iter() {
            let i = slot.0 as usize;
            b.pose[i] = placement.0;
            b.velocity[i] = twist.velocity;
            b.angular_velocity[i] = twist.angular_velocity;
            dofs.came[i] = [twist.velocity, twist.angular_velocity];
            match b.kind[i] {
                BodyKind::Rigid => {
                    b.angular_momentum[i] =
                        world_inertia(&placement.0, &b.inertia[i]) * twist.angular_velocity;
                }
                // A prescribed surface moves with the secant of the step, so that contact sees its motion. Whether it slipped before is a matter of `came`.
                BodyKind::Kinematic => {
                    if let Some(end) = drivers.0[i].as_ref().and_then(|d| d.pose(step.time + step.dt)) {
                        (b.velocity[i], b.angular_velocity[i]) = secant(&placement.0, &end, step.dt);
                    }
                }
                BodyKind::Fixed | BodyKind::Particles | BodyKind::Deformable => {}
            }
        }
        dofs.nodes.x.copy_from_slice(&nodes.x);
        dofs.nodes.v.copy_from_slice(&nodes.v);
        super::elastic::frames(elastic, &dofs.nodes.x, &dofs.nodes.mass, &mut dofs.bodies.pose);
        dofs.dragged.weigh_down(step.dt, &forces.0, &mut dofs.bodies, &mut dofs.nodes);
        Ok(Outcome::items(dofs.bodies.len() + nodes.x.len()))
    }
}
