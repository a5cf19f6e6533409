//! Bodies that still swing or bounce on what they lie on when a number is asked of them: a contact law with little damping brings them to rest later than an
//! expectation wants. That is no fault of the run, and the reason why the number is missed.

use crate::bodies::{Bodies, radius};
use crate::carried::held;
use impinge_contact::BodyKind;
use impinge_geometry::DVec3;
use impinge_world::{Dofs, Shapes, Simulation};
use std::f64::consts::{LN_2, PI};

/// Part of a peak that the speed falls below before the next: a steady motion has no peaks.
const DIP: f64 = 0.5;
/// Peaks that are kept of a body.
const KEPT: usize = 256;
/// Peaks by which a swing is known, and how fast it falls.
const KNOWN: usize = 3;
/// Part of what a speed or a force is off by that the swing must have: less is another reason.
const MATTERS: f64 = 0.5;

/// The speed of a body since it first touched: of its middle and of its corners as it turns, together (m/s).
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Swing {
    /// It falls from its last peak, or rises to the next.
    falls: bool,
    /// The least since that peak, or the most since the last dip, and when.
    extreme: f64,
    when: f64,
    /// Time (s) and speed (m/s).
    peaks: Vec<[f64; 2]>,
    /// When it last touched something (s); in between it may fly.
    touched: Option<f64>,
}

impl Swing {
    fn see(&mut self, time: f64, speed: f64) {
        let least = self.extreme;
        if self.falls {
            self.extreme = least.min(speed);
            if speed > least / DIP {
                *self = Self { falls: false, extreme: speed, when: time, ..std::mem::take(self) };
            }
        } else if speed > self.extreme {
            (self.extreme, self.when) = (speed, time);
        } else if speed < DIP * self.extreme {
            if self.peaks.len() == KEPT {
                self.peaks.remove(0);
            }
            self.peaks.push([self.when, self.extreme]);
            (self.falls, self.extreme) = (true, speed);
        }
    }

    /// Its highest peak from one time to another, or the last before them (s, m/s); the time it takes to be half as much, if it becomes less; and the
    /// time from peak to peak (s). `None` where it does not swing then.
    fn at(&self, [from, to]: [f64; 2]) -> Option<([f64; 2], Option<f64>, f64)> {
        let end = self.peaks.partition_point(|p| p[0] <= to);
        let last = &self.peaks[end.checked_sub(KNOWN)?..end];
        let [[t0, s0], .., [t1, s1]] = last else { return None };
        // What flies on has left what it lay on.
        self.touched.filter(|touched| touched >= t0)?;
        let apart = (t1 - t0) / (KNOWN - 1) as f64;
        let halves = (t1 - t0) * LN_2 / libm::log(s0 / s1);
        let begin = self.peaks.partition_point(|p| p[0] < from).min(end - 1);
        let higher = |m: [f64; 2], p: &[f64; 2]| if p[1] > m[1] { *p } else { m };
        let most = self.peaks[begin..end].iter().fold([0.0; 2], higher);
        Some((most, (halves > 0.0 && halves.is_finite()).then_some(halves), apart))
    }
}

/// A number that a program asked of bodies, and missed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Missed<'a> {
    /// What it is called.
    pub name: &'a str,
    /// Slots of the bodies that it was asked of.
    pub bodies: Vec<u32>,
    /// When: from and to (s).
    pub window: [f64; 2],
    /// By how much.
    pub off: Off,
}

impl<'a> Missed<'a> {
    /// A number of this name, of the bodies in these slots, from one time to another (s), and how far it is off.
    #[must_use]
    pub fn new(name: &'a str, bodies: Vec<u32>, window: [f64; 2], off: Off) -> Self {
        Self { name, bodies, window, off }
    }
}

/// How far a number is above what was asked (positive) or below it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Off {
    /// m/s.
    Speed(f64),
    /// N.
    Force(f64),
}

/// Follows rigid bodies and solids that deform.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Swings {
    /// Of each body its farthest corner from its middle (m).
    radii: Vec<f64>,
    bodies: Vec<Swing>,
}

impl Swings {
    /// From before the first step.
    pub fn new(sim: &Simulation, who: &Bodies) -> Self {
        let mut swings = Self::default();
        swings.know(sim, who);
        swings
    }

    /// Bodies that are there for the first time.
    fn know(&mut self, sim: &Simulation, who: &Bodies) {
        let (count, shapes) = (sim.names().len(), sim.column::<Shapes>());
        self.radii.resize(count, 0.0);
        self.bodies.resize_with(count, Swing::default);
        for slot in who.changed().iter().map(|&s| s as usize) {
            self.radii[slot] = radius(&shapes.0[slot]);
            self.bodies[slot] = Swing::default();
        }
    }

    /// To be told of every step.
    pub fn see(&mut self, sim: &Simulation, who: &Bodies) {
        self.know(sim, who);
        let (count, time) = (sim.names().len(), sim.time());
        let (dofs, shapes) = (sim.column::<Dofs>(), sim.column::<Shapes>());
        let follows = |b: &usize| match dofs.bodies.kind[*b] {
            BodyKind::Rigid => true,
            BodyKind::Deformable => shapes.0[*b].is_solid(),
            BodyKind::Fixed | BodyKind::Kinematic | BodyKind::Particles => false,
        };
        for b in (0..count).filter(follows) {
            let swing = &mut self.bodies[b];
            if sim.contact_force(b as u32) != DVec3::zero() {
                swing.touched = Some(time);
            }
            if swing.touched.is_none() {
                continue;
            }
            let w = sim.twist(b as u32).angular_velocity.mag();
            let corners = self.radii[b] * w;
            let velocity = who.middle(b as u32).map_or(dofs.bodies.velocity[b], |m| m.velocity);
            swing.see(time, (velocity.mag_sq() + corners * corners).sqrt());
        }
        // What is driven, or carried by what is, has its motion from there.
        let (ledger, kind) = (sim.ledger(), &dofs.bodies.kind);
        let driven = |b: u32| kind[b as usize] == BodyKind::Kinematic;
        let carried = ledger.pairs.a.iter().zip(&ledger.pairs.b).flat_map(|(&a, &b)| [(a, b), (b, a)]);
        let carried = carried.filter(|(_, by)| driven(*by)).map(|(b, _)| b);
        let pushed = ledger.applied.iter().filter(|row| row.is_some()).map(|row| row.body);
        carried.chain(pushed).for_each(|b| self.bodies[b as usize] = Swing::default());
    }

    /// What there is to say of missed numbers, once for each body.
    pub fn warnings(&self, sim: &Simulation, who: &Bodies, missed: &[Missed<'_>]) -> Vec<String> {
        let mut said: Vec<(u32, String)> = Vec::new();
        for missed in missed {
            for &body in &missed.bodies {
                if who.knows(sim, [body]) && said.iter().all(|s| s.0 != body) {
                    said.extend(self.why(sim, who, missed, body).map(|why| (body, why)));
                }
            }
        }
        said.into_iter().map(|s| s.1).collect()
    }

    /// How a body swings as a number of it is missed, if that is why.
    fn why(&self, sim: &Simulation, who: &Bodies, missed: &Missed<'_>, body: u32) -> Option<String> {
        let b = body as usize;
        // A spring to a place or to another body swings it.
        if held(sim).contains(&body) {
            return None;
        }
        let ([when, speed], halves, apart) = self.bodies.get(b)?.at(missed.window)?;
        let mass = who.middle(body).map_or_else(|| sim.column::<Dofs>().bodies.mass[b], |m| m.mass);
        let force = mass * speed * PI / apart;
        let matters = match missed.off {
            Off::Speed(off) => off > 0.0 && speed > MATTERS * off,
            Off::Force(off) => off != 0.0 && force > MATTERS * off.abs(),
        };
        let (falls, later) = match halves {
            Some(halves) => (format!("half as much every {halves:.2e} s"), "Ask later, or use"),
            None => ("not less from swing to swing".to_string(), "Use"),
        };
        matters.then(|| {
            // What bounces is not on it.
            let lies = sim.contact_force(body) != DVec3::zero();
            let why = lies.then(|| sim.rocks(body)).flatten().unwrap_or_else(|| {
                format!("{later} more damping (of friction, too), a smaller dt, or a response of constraints")
            });
            format!(
                "body '{}' still swings or bounces on what it lies on, {speed:.2e} m/s at t = {when:.3} s and {falls}: that is why '{}' is missed. {why}",
                sim.names()[b],
                missed.name
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// |v| of a swing of angular frequency 50 rad/s that loses this much per second, a body that goes on with `drift` (m/s).
    fn swing(loses: f64, drift: f64) -> Swing {
        let mut swing = Swing { touched: Some(1.0), ..Swing::default() };
        for n in 1..=1000 {
            let t = n as f64 * 1e-3;
            swing.see(t, (drift + 0.1 * (-loses * t).exp() * (50.0 * t).cos()).abs());
        }
        swing
    }

    #[test]
    fn the_peaks_of_a_damped_swing_tell_how_it_falls() {
        let ([when, speed], halves, apart) = swing(3.0, 0.0).at([0.5, 0.6]).unwrap();
        let halves = halves.unwrap();
        assert!((halves / (2f64.ln() / 3.0) - 1.0).abs() < 0.05, "{halves}");
        assert!((apart / (PI / 50.0) - 1.0).abs() < 0.05, "{apart}");
        assert!((speed / (0.1 * (-3.0 * when).exp()) - 1.0).abs() < 0.02 && when > 0.43, "{speed} at {when}");
    }

    #[test]
    fn a_bounce_is_told_and_what_flies_on_is_not() {
        let (mut ball, mut height, mut speed) = (Swing::default(), 0.5, 0.0f64);
        for n in 1..=2000 {
            let t = f64::from(n) * 1e-3;
            speed -= 9.81e-3;
            height += speed * 1e-3;
            if height < 0.0 {
                (height, speed) = (0.0, -0.8 * speed);
                ball.touched = Some(t);
            }
            ball.see(t, speed.abs());
        }
        let ([_, most], halves, _) = ball.at([1.5, 2.0]).unwrap();
        let halves = halves.unwrap();
        assert!((0.8..2.5).contains(&most) && (0.3..2.0).contains(&halves), "{most} {halves}");
        ball.touched = Some(0.4);
        assert_eq!(ball.at([1.5, 2.0]), None);
    }

    /// Whatever window is looked at: of what loses nothing the peaks are alike, and rounding says which is higher.
    #[test]
    fn what_does_not_become_less_swings_all_the_same() {
        for loses in [0.0, -1.0] {
            for from in [0.2, 0.35, 0.5, 0.7, 0.9] {
                let ([when, speed], halves, _) = swing(loses, 0.0).at([from, from + 0.1]).unwrap();
                assert!((speed / (0.1 * (-loses * when).exp()) - 1.0).abs() < 0.02, "{speed} at {when}");
                assert!(halves.is_none_or(|h| h > 10.0), "{halves:?}");
            }
        }
    }

    #[test]
    fn what_goes_on_or_rests_is_no_swing() {
        assert_eq!(swing(3.0, 1.0).at([0.5, 0.6]), None, "a steady motion");
        assert_eq!(swing(3.0, 0.0).at([0.0, 0.1]), None, "too early to tell");
        let mut rests = Swing::default();
        (0..1000).for_each(|n| rests.see(n as f64 * 1e-3, 1e-4));
        assert_eq!(rests.at([0.5, 0.6]), None);
    }
}
