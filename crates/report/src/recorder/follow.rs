//! Follows how bodies move, from frame to frame.

use crate::motion::Motion;
use impinge_contact::BodyKind;
use impinge_geometry::DVec3;
use impinge_world::{Dofs, Simulation};
use serde::{Deserialize, Serialize};

/// No more bodies are followed: a row of one is 96 bytes, and a table of thousands is read by nobody.
pub(super) const MOST: usize = 200;

/// The bodies that are followed, the first [`MOST`] that can move.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Follow {
    slots: Vec<u32>,
    /// How many more can move.
    left_out: u32,
    /// Of contact since the last frame (N·s).
    impulse: Vec<DVec3>,
    time: Vec<f64>,
    rows: Vec<[f64; 12]>,
}

impl Follow {
    #[must_use]
    pub fn new(sim: &Simulation) -> Self {
        let dofs = sim.column::<Dofs>();
        let moving = |b: &u32| dofs.bodies.kind[*b as usize] != BodyKind::Fixed;
        let mut slots: Vec<u32> = (0..dofs.bodies.len() as u32).filter(moving).collect();
        let left_out = slots.len().saturating_sub(MOST) as u32;
        slots.truncate(MOST);
        Self { impulse: vec![DVec3::zero(); slots.len()], slots, left_out, ..Self::default() }
    }

    /// How many bodies are followed.
    #[must_use]
    pub fn bodies(&self) -> u64 {
        self.slots.len() as u64
    }

    /// Bytes of one frame.
    #[must_use]
    pub fn frame_bytes(&self) -> u64 {
        8 + self.slots.len() as u64 * 96
    }

    /// Adds what contact did in the step just made.
    pub fn step(&mut self, sim: &Simulation) {
        let ledger = sim.ledger();
        for (sum, &b) in self.impulse.iter_mut().zip(&self.slots) {
            if let Some(w) = ledger.contact.get(b as usize) {
                *sum += w.impulse;
            }
        }
    }

    /// A row for each body.
    pub fn frame(&mut self, sim: &Simulation) {
        let since = self.time.last().map_or(0.0, |t| sim.time() - t);
        self.time.push(sim.time());
        for (sum, &b) in self.impulse.iter_mut().zip(&self.slots) {
            let twist = sim.twist(b);
            let spin = |w: DVec3| [w.x, w.y, w.z];
            let (velocity, [p, q, r]) = match sim.velocity(b) {
                Some(v) => (v, [f64::NAN; 3]),
                None => (twist.velocity, spin(twist.angular_velocity)),
            };
            let impulse = std::mem::take(sum);
            let (x, v) = (sim.position(b), velocity);
            let force = if since > 0.0 { impulse / since } else { DVec3::zero() };
            self.rows.push([x.x, x.y, x.z, v.x, v.y, v.z, p, q, r, force.x, force.y, force.z]);
        }
    }

    /// What was followed, and a word on what was not.
    #[must_use]
    pub fn finish(self, names: &[String]) -> (Motion, Option<String>) {
        let note = (self.left_out > 0).then(|| {
            let left = self.left_out;
            format!(
                "csv/bodies.csv follows the first {MOST} bodies that can move; {left} more are not in it."
            )
        });
        let bodies = self.slots.iter().map(|&b| names[b as usize].clone()).collect();
        (Motion { bodies, time: self.time, rows: self.rows }, note)
    }
}
