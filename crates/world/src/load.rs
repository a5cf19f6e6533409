//! What presses bodies onto each other before the first step: their weight, and the forces that the scene has on them.

use crate::components::{Dofs, Forces};
use crate::part::Part;
use crate::timed_force::TimedForce;
use impinge_contact::BodyKind;
use impinge_geometry::DVec3;

/// Part of the forces without gravity that points one way, at least: of others nothing lies on anything.
const ONE_WAY: f64 = 1.0 - 1e-6;

/// The loads of all bodies along one direction.
pub(crate) struct Load {
    /// Against it, unit.
    pub up: DVec3,
    /// Of each rigid body, at its centre (N); those that lift count as none.
    pub own: Vec<f64>,
}

/// What a sum of forces must exceed another by, as a part of it, to be more: forces that end leave rounding.
const MORE: f64 = 1e-12;

/// When most of the forces act, first.
fn most(timed: &[TimedForce]) -> f64 {
    let ends = timed.iter().filter(|f| f.until.is_finite()).map(|f| (f.until, -f.force.mag()));
    let mut changes: Vec<(f64, f64)> = timed.iter().map(|f| (f.from, f.force.mag())).chain(ends).collect();
    changes.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let (mut now, mut most) = (0.0, (0.0, 0.0));
    for (i, &(time, change)) in changes.iter().enumerate() {
        now += change;
        let last = changes.get(i + 1).is_none_or(|next| next.0 > time);
        if last && now > most.1 * (1.0 + MORE) {
            most = (time, now);
        }
    }
    most.0
}

fn acting(timed: &[TimedForce], time: f64) -> impl Iterator<Item = &TimedForce> {
    timed.iter().filter(move |f| f.from <= time && time < f.until)
}

impl Load {
    /// Along gravity, or along the forces on bodies where there is none and all of them point one way; `None` without either.
    pub fn of(part: Part<'_>) -> Option<Self> {
        let gravity = part.shared::<Forces>().0.gravity;
        let bodies = &part.shared::<Dofs>().bodies;
        let mut pulls = vec![DVec3::zero(); bodies.len()];
        for f in acting(part.timed, most(part.timed)) {
            pulls[f.body as usize] += f.force;
        }
        let down =
            if gravity.mag() > 0.0 { gravity } else { pulls.iter().fold(DVec3::zero(), |s, f| s + *f) };
        let sizes: f64 = pulls.iter().map(|f| f.mag()).sum();
        if down.mag() == 0.0 || gravity.mag() == 0.0 && down.mag() < ONE_WAY * sizes {
            return None;
        }
        let down = down.normalized();
        let load = |(b, pull): (usize, DVec3)| match bodies.kind[b] {
            BodyKind::Rigid => (gravity * bodies.mass[b] + pull).dot(down).max(0.0),
            _ => 0.0,
        };
        Some(Self { up: -down, own: pulls.into_iter().enumerate().map(load).collect() })
    }
}
