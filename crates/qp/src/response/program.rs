//! What the rows of a program ask for: the same contacts and limits, found in the same way, in two programs.
//!
//! The program of velocities lets nothing come nearer than it may: the thickness, or for what starts nearer (a scene may be made so,
//! a body may have been cut short) the distance it has. So standing still satisfies every row, rows can contradict each other only
//! where something moves on rails, and nothing that is too near is given a velocity to part with.
//!
//! The program of places begins where that of velocities ends, and moves apart what is too near, by a way and not by a velocity. What
//! is far enough may not come nearer than it may.

use super::row::Row;
use super::scene::distance_squared;
use impinge_bodies::{Dofs, Limited};
use impinge_contact::{Prediction, Surface};
use impinge_geometry::{DVec3, Pose};
use impinge_swept::List;

/// Part of a distance that it may lack and still count as kept.
const ROUNDING: f64 = 1e-9;
/// The same of places, before anything is moved: what is kept is kept by velocities solved to a tolerance, and a body that lies still is
/// not to be moved by what they leave.
const LACKS: f64 = 1e-6;
/// Part of the way asked for that may be left for the next step. A row is linear and a body turns, which is second order.
const SHORT: f64 = 1e-2;

/// The unknowns of a program, and what is asked of them.
#[derive(Clone, Copy)]
pub(crate) enum Program<'a> {
    /// Changes of the predicted velocities (m/s).
    Velocities,
    /// Ways from where the velocities lead, as velocities over the step (m/s).
    Places(Ends<'a>),
}

/// Where a step ends before places are moved.
#[derive(Clone, Copy)]
pub(crate) struct Ends<'a> {
    pub end: &'a Prediction,
    pub surface: &'a Surface,
    /// By how much what is too near may be moved apart (m).
    pub way: f64,
}

impl Program<'_> {
    /// Distance that a contact is to have (m) which is taken to `start` with this gap (m).
    #[must_use]
    pub fn goal(&self, r: &Row, start: f64) -> f64 {
        match self {
            Self::Velocities => r.keeps.min(start),
            Self::Places(from) => {
                let gap = r.gap(&from.surface.x1);
                if r.near { r.keeps.min(start.max(gap) + from.way) } else { r.keeps.min(start).min(gap) }
            }
        }
    }

    /// Longest and shortest length that a limited edge is to have (m), which starts with length `start`.
    #[must_use]
    pub fn limits(&self, edge: &Limited, start: f64) -> (f64, f64) {
        let kept = (edge.longest.max(start), edge.shortest.min(start));
        let Self::Places(from) = self else { return kept };
        let now = from.length(edge);
        let back = (start.min(now) - from.way, start.max(now) + from.way);
        let longest = if start > edge.longest { edge.longest.max(back.0) } else { kept.0.max(now) };
        let shortest = if start < edge.shortest { edge.shortest.min(back.1) } else { kept.1.min(now) };
        (longest, shortest)
    }

    /// Surfaces that keep `keeps` (m) and lack no more than this of their goal (m) have it.
    #[must_use]
    pub fn tolerance(&self, keeps: f64) -> f64 {
        match self {
            Self::Velocities => ROUNDING * keeps,
            Self::Places(from) => ROUNDING * keeps + SHORT * from.way,
        }
    }

    /// Places of surface vertices and of bodies (m) that turns are about; `surface` is that of the program.
    #[must_use]
    pub fn arms<'a>(&'a self, surface: &'a Surface, dofs: &'a Dofs) -> (&'a [DVec3], &'a [Pose]) {
        match self {
            Self::Velocities => (&surface.x0, &dofs.bodies.pose),
            Self::Places(from) => (&from.surface.x1, &from.end.pose),
        }
    }
}

impl Ends<'_> {
    fn length(&self, edge: &Limited) -> f64 {
        let [p, q] = edge.ends.map(|v| self.surface.x1[v as usize]);
        (p - q).mag()
    }

    /// Whether a contact is too near where the step ends, not only by a normal from elsewhere.
    #[must_use]
    pub fn is_near(&self, r: &Row) -> bool {
        let apart = || {
            let list = List::ALL[r.order as usize];
            distance_squared(list, r.stencil.map(|v| self.surface.x1[v as usize]))
        };
        r.near && (r.plane.is_some() || r.gap(&self.surface.x1) < 0.0 || apart() < r.keeps * r.keeps)
    }

    /// How many of these contacts and edges are to be moved.
    #[must_use]
    pub fn lacking(&self, rows: &[Row], limited: &[Limited]) -> usize {
        if self.way == 0.0 {
            return 0;
        }
        let near = |r: &&Row| r.near && r.gap(&self.surface.x1) < r.keeps * (1.0 - LACKS);
        let beyond = |edge: &&Limited| {
            let [p, q] = edge.ends.map(|v| self.surface.x0[v as usize]);
            let (start, now) = ((p - q).mag(), self.length(edge));
            start.min(now) > edge.longest * (1.0 + LACKS) || start.max(now) < edge.shortest * (1.0 - LACKS)
        };
        rows.iter().filter(near).count() + limited.iter().filter(beyond).count()
    }
}
