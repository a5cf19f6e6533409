//! Bodies that tremble where they should rest: the force of contact is on in one step and off in the next, and the speed does not fall.

use impinge_contact::BodyKind;
use impinge_world::{Dofs, Simulation};
use serde::{Deserialize, Serialize};

/// Steps looked at together.
const WINDOW: u32 = 200;
/// Windows in a row with as much motion as the one before.
const PERSISTS: u32 = 2;
/// Part of the force that changes from step to step, at least: 2 is on and off in turn, a slow swing has far less.
const ALTERNATES: f64 = 0.5;
/// Part of its way that a body that stays where it is gets on by, at most.
const STAYS: f64 = 0.1;
/// Speed of the window before that is not kept.
const FALLS: f64 = 0.9;
/// Free falls of one step: slower is rounding, and contacts that open and close with the step.
const FALL: f64 = 1.0;

/// What a body did in a window.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Shaken {
    from: [f64; 3],
    way: f64,
    squares: f64,
    force: f64,
    changes: f64,
    last: f64,
    /// Root of the mean square speed of the window before (m/s), and how many were alike.
    speed: f64,
    alike: u32,
}

/// Follows the rigid bodies of a run.
#[derive(Serialize, Deserialize)]
pub(crate) struct Trembling {
    gravity: f64,
    steps: u32,
    bodies: Vec<Shaken>,
    /// Slot and speed (m/s) of the worst.
    worst: Option<(u32, f64)>,
    told: Vec<u32>,
}

impl Trembling {
    /// From before the first step, under this gravity (m/s²).
    pub fn new(gravity: f64) -> Self {
        Self { gravity, steps: 0, bodies: Vec::new(), worst: None, told: Vec::new() }
    }

    /// To be told of every step.
    pub fn see(&mut self, sim: &Simulation) {
        let count = sim.names().len();
        self.bodies.resize_with(count, Shaken::default);
        self.steps += 1;
        let (end, begins, dt) = (self.steps.is_multiple_of(WINDOW), self.steps % WINDOW == 1, sim.dt());
        let dofs = sim.column::<Dofs>();
        for b in (0..count).filter(|&b| dofs.bodies.kind[b] == BodyKind::Rigid) {
            let shaken = &mut self.bodies[b];
            let (x, v) = (dofs.bodies.pose[b].position, dofs.bodies.velocity[b]);
            if begins {
                let Shaken { speed, alike, last, .. } = *shaken;
                *shaken = Shaken { from: [x.x, x.y, x.z], speed, alike, last, ..Shaken::default() };
            }
            let force = sim.contact_force(b as u32).mag();
            shaken.way += v.mag() * dt;
            shaken.squares += v.mag_sq();
            shaken.force += force;
            shaken.changes += (force - shaken.last).abs();
            shaken.last = force;
            if !end {
                continue;
            }
            let speed = (shaken.squares / f64::from(WINDOW)).sqrt();
            let [p, q, r] = shaken.from;
            let moved = ((x.x - p).powi(2) + (x.y - q).powi(2) + (x.z - r).powi(2)).sqrt();
            let shakes = speed > FALL * self.gravity * dt
                && moved < STAYS * shaken.way
                && shaken.changes > ALTERNATES * shaken.force
                && shaken.force > 0.0;
            let kept = shakes && speed > FALLS * shaken.speed;
            shaken.alike = if kept { shaken.alike + 1 } else { 0 };
            shaken.speed = speed;
            if shaken.alike > PERSISTS {
                if !self.told.contains(&(b as u32)) {
                    self.told.push(b as u32);
                }
                if self.worst.is_none_or(|w| w.1 < speed) {
                    self.worst = Some((b as u32, speed));
                }
            }
        }
    }

    /// What there is to say of the worst.
    pub fn warning(&self, sim: &Simulation) -> Option<String> {
        let (slot, speed) = self.worst?;
        let name = sim.names().get(slot as usize)?;
        let more = match self.told.len() - 1 {
            0 => String::new(),
            n => format!(" (and {n} more)"),
        };
        Some(format!(
            "body '{name}'{more} trembles where it lies: {speed:.2e} m/s on average for {} steps, with a contact force that comes and goes from step to step \
             and a speed that does not fall; use a smaller dt, less stiffness or more damping, or a response of constraints",
            WINDOW * (PERSISTS + 1)
        ))
    }
}
