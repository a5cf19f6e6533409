//! Gradients of a contact between two rigid bodies: its points summed by body.
//!
//! Four points of two bodies are two arms and one direction, so the row has two blocks for each body from the start. What comes out is what the
//! points one by one give once blocks named twice are merged, to the bit: each sum is taken in the order of the points.

use super::dynamics::Dynamics;
use super::row::Row;
use impinge_bodies::Dofs;
use impinge_contact::{NONE, Prediction, Surface, SurfaceMap};
use impinge_geometry::{DVec3, Pose, bent};
use std::ops::Range;

/// The bodies of a contact, none of which has nodes or locks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RigidPair {
    first: Side,
    second: Side,
    /// Points before this one are of the first.
    split: usize,
    points: usize,
}

/// One of them.
#[derive(Clone, Copy, Debug)]
struct Side {
    slot: usize,
    /// Number among the rigid bodies; [`NONE`] of what moves by a rule or not at all.
    row: u32,
}

impl RigidPair {
    /// The bodies of these points; `None` where they are others.
    #[inline]
    pub fn of(r: &Row, map: &SurfaceMap, dynamics: &Dynamics) -> Option<Self> {
        let (points, [a, _, _, d]) = (r.points(), r.stencil);
        let side = |v: u32| {
            let slot = map.body_of(v) as usize;
            let row = dynamics.row_of(slot);
            (!map.attachment(slot).has_nodes() && dynamics.is_free(row)).then_some(Side { slot, row })
        };
        let first = side(a)?;
        if points == 1 {
            return Some(Self { first, second: first, split: 1, points });
        }
        let second = side(d)?;
        let split = r.stencil.iter().take_while(|v| map.body_of(**v) as usize == first.slot).count();
        (first.slot != second.slot).then_some(Self { first, second, split, points })
    }

    #[inline]
    fn sides(&self) -> [(Side, Range<usize>); 2] {
        [(self.first, 0..self.split), (self.second, self.split..self.points)]
    }

    /// The gradient of `Σ g(k) · velocity` of points `at(k)` (m) of bodies at `poses`, as [`Dynamics::gradient`] of one after the other; returns its
    /// product with `unknown`.
    #[inline]
    pub fn gradient(
        &self,
        (dynamics, poses): (&Dynamics, &[Pose]),
        at: impl Fn(usize) -> DVec3,
        g: impl Fn(usize) -> DVec3,
        unknown: &[DVec3],
        out: &mut Vec<(u32, DVec3)>,
    ) -> f64 {
        let mut moved = -0.0;
        for (side, points) in self.sides() {
            if side.row == NONE {
                continue;
            }
            let (centre, row) = (poses[side.slot].position, side.row as usize);
            let (linear, angular) = (dynamics.layout.linear(row), dynamics.layout.angular(row));
            let [way, turn] = dynamics.motion(row, unknown);
            let mut sum: Option<[DVec3; 2]> = None;
            for k in points {
                let along = g(k);
                let about = (at(k) - centre).cross(along);
                moved += along.dot(way);
                moved += about.dot(turn);
                sum = Some(sum.map_or([along, about], |[a, b]| [a + along, b + about]));
            }
            if let Some([along, about]) = sum {
                out.extend([(linear, along), (angular, dynamics.by_turn(row, about))]);
            }
        }
        moved
    }

    /// Predicted mean velocity (m/s) over the step of `dt` of the points `at(k)` weighted and summed, where the bodies have `shared` of their spins.
    /// What is on rails goes as far as they lead.
    #[inline]
    pub fn slip(
        &self,
        r: &Row,
        (dynamics, dofs, prediction): (&Dynamics, &Dofs, &Prediction),
        at: impl Fn(usize) -> DVec3,
        surface: &Surface,
        (shared, dt): (DVec3, f64),
    ) -> DVec3 {
        // As bodies turn when the step begins: what forces alone would make of it contact takes back.
        let bodies = &dofs.bodies;
        let turning =
            |slot: usize, at: DVec3| bodies.angular_velocity[slot].cross(at - bodies.pose[slot].position);
        let mut slip = DVec3::zero();
        for (side, points) in self.sides() {
            let spin = (side.row != NONE).then(|| dynamics.spin(side.row as usize, side.slot, prediction));
            for k in points {
                let v = r.stencil[k] as usize;
                let velocity = match spin {
                    Some(spin) => {
                        let arm = at(k) - bodies.pose[side.slot].position;
                        let off = bent(shared, turning(side.slot, at(k)), dt);
                        prediction.velocity[side.slot] + spin.cross(arm) + off
                    }
                    // The way is an arc of all of its spin, and of a vertex where a place beside it is asked for.
                    None => {
                        let spin = bodies.angular_velocity[side.slot];
                        let off = bent(shared - spin, turning(side.slot, at(k)), dt);
                        let beside = spin.cross(at(k) - surface.x0[v]);
                        (surface.x1[v] - surface.x0[v]) / dt + beside + off
                    }
                };
                slip += velocity * r.weight[k];
            }
        }
        slip
    }
}
