//! What only a picture needs and no table of the step holds: filled by the response when it is asked for, read between steps. The
//! step never reads it.

use crate::column::columns;
use crate::contact_points::ContactPoint;
use crate::grip::Grip;
use crate::simulation::Simulation;
use crate::support::Family;
use impinge_geometry::DVec3;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// Pieces for a picture of the step.
#[derive(Default)]
pub struct Drawing {
    asked: AtomicBool,
    /// Penetration interval of each row of the plane contacts, as fractions of the step. Those of meshes have theirs in the table.
    pub plane_spans: Vec<[f64; 2]>,
    /// Constraints of the last program that no impulse acts through.
    pub idle: Vec<IdleRow>,
}

/// A constraint that holds without an impulse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IdleRow {
    /// Lower slot, higher slot.
    pub bodies: [u32; 2],
    /// Its first material point at the end of the step (m, world).
    pub point: DVec3,
    /// Distance of the two surfaces there along its normal (m).
    pub gap: f64,
}

impl Drawing {
    /// Empties it, and tells whether this step is to be drawn.
    pub(crate) fn begin(&mut self) -> bool {
        self.plane_spans.clear();
        self.idle.clear();
        *self.asked.get_mut()
    }
}

/// Says nothing of what is in it: digests of stages are made of this text, and pictures are no part of a run.
impl fmt::Debug for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Drawing")
    }
}

impl Simulation {
    /// Asks that the coming steps, until told otherwise, leave what a picture of them needs: [`ContactPoint::span`] at planes, and
    /// [`Simulation::idle_rows`]. No bit of the run depends on it.
    pub fn ask_drawing(&self, on: bool) {
        self.column::<Drawing>().asked.store(on, Ordering::Relaxed);
    }

    /// Constraints of the response `qp` that the last step had and needed no impulse for; with their gap as a depth below 0. Empty unless
    /// [`Simulation::ask_drawing`] was called before the step.
    pub fn idle_rows(&self, out: &mut Vec<ContactPoint>) {
        out.clear();
        if self.response().family() == Family::Qp {
            out.extend(self.column::<Drawing>().idle.iter().map(|r| ContactPoint {
                a: r.bodies[0],
                b: r.bodies[1],
                point: r.point,
                force: DVec3::zero(),
                on: r.bodies[0],
                depth: -r.gap,
                multiplier: 0.0,
                span: None,
                features: None,
                friction: 0.0,
                grip: Grip::Open,
                mu: [0.0; 2],
            }));
        }
    }
}

columns! {
    Drawing => "drawing", Step;
}
