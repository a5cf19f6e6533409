//! Prescribed motion of kinematic bodies.

use crate::rotation::rotation_between;
use impinge_contact::StateHash;
use impinge_geometry::{DVec3, Pose, rotor_from_rotation_vector};
use std::f64::consts::PI;
use std::fmt;
use std::sync::Arc;

/// A pose at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Keyframe {
    /// Seconds.
    pub time: f64,
    /// Pose then.
    pub pose: Pose,
}

/// A function of time, shared between snapshots of a run.
pub type PoseFunction = Arc<dyn Fn(f64) -> Pose + Send + Sync>;

/// Where a kinematic body is at any time.
///
/// A step knows two poses of it, at its start and its end, and contact sweeps the surface from one to the other along the shortest
/// arc: a body that turns by half a turn or more a step would be seen to turn the other way, or slower. [`Driver::check_turn`] refuses
/// that where the rate is known, which is everywhere but in [`Driver::Function`].
#[derive(Clone)]
#[doc(alias("kinematic", "mocap"))]
pub enum Driver {
    /// `pose` moving with constant velocity and spin from time 0.
    Constant {
        /// Where it is at time 0.
        pose: Pose,
        /// m/s.
        velocity: DVec3,
        /// rad/s, world axes.
        spin: DVec3,
    },
    /// Linear in position, along the shortest arc in rotation; held before the first and after the last.
    Keyframes(Vec<Keyframe>),
    /// Any function of time. It must give the same pose for the same time, or a run cannot be repeated; and turn by less than π a
    /// step, which nothing can check.
    Function(PoseFunction),
}

impl fmt::Debug for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant { pose, velocity, spin } => {
                f.debug_tuple("Constant").field(pose).field(velocity).field(spin).finish()
            }
            Self::Keyframes(k) => f.debug_tuple("Keyframes").field(k).finish(),
            Self::Function(_) => f.write_str("Function"),
        }
    }
}

impl Driver {
    /// `pose` moving with constant velocity (m/s) and spin (rad/s, world axes) from time 0.
    #[must_use]
    pub fn constant(pose: Pose, velocity: DVec3, spin: DVec3) -> Self {
        Self::Constant { pose, velocity, spin }
    }

    /// The same from another time (s), at which it is at `pose`.
    #[must_use]
    pub fn constant_from(time: f64, pose: Pose, velocity: DVec3, spin: DVec3) -> Self {
        let rotation = rotor_from_rotation_vector(spin * -time) * pose.rotation;
        Self::constant(Pose { position: pose.position - velocity * time, rotation }, velocity, spin)
    }

    /// `pose` shaken along `amplitude` (m): `amplitude · sin(2π f t + phase)`.
    #[must_use]
    pub fn sine(pose: Pose, amplitude: DVec3, frequency: f64, phase: f64) -> Self {
        Self::Function(Arc::new(move |t| Pose {
            position: pose.position + amplitude * libm::sin(std::f64::consts::TAU * frequency * t + phase),
            rotation: pose.rotation,
        }))
    }

    /// The pose at `time` (s); `None` for an empty keyframe list.
    #[must_use]
    pub fn pose(&self, time: f64) -> Option<Pose> {
        match self {
            Self::Constant { pose, velocity, spin } => Some(Pose {
                position: pose.position + *velocity * time,
                rotation: rotor_from_rotation_vector(*spin * time) * pose.rotation,
            }),
            Self::Function(f) => Some(f(time)),
            Self::Keyframes(k) => {
                let next = k.partition_point(|f| f.time <= time);
                if next == 0 {
                    return k.first().map(|f| f.pose);
                }
                let a = k[next - 1];
                let Some(b) = k.get(next) else { return Some(a.pose) };
                let u = (time - a.time) / (b.time - a.time);
                let turn = rotation_between(a.pose.rotation, b.pose.rotation);
                Some(Pose {
                    position: a.pose.position + (b.pose.position - a.pose.position) * u,
                    rotation: (rotor_from_rotation_vector(turn * u) * a.pose.rotation).normalized(),
                })
            }
        }
    }

    /// Adds every bit of what it is; of a function nothing is known.
    pub fn hash_into(&self, h: &mut StateHash) {
        match self {
            Self::Constant { pose, velocity, spin } => {
                h.pose(pose);
                h.vector(*velocity);
                h.vector(*spin);
            }
            Self::Keyframes(k) => k.iter().for_each(|f| {
                h.number(f.time);
                h.pose(&f.pose);
            }),
            Self::Function(_) => {}
        }
    }

    /// The most it turns in any step of `dt` (s), in rad along its way; 0 for [`Driver::Function`], which does not say.
    #[must_use]
    pub fn largest_turn(&self, dt: f64) -> f64 {
        match self {
            Self::Constant { spin, .. } => spin.mag() * dt,
            Self::Function(_) => 0.0,
            Self::Keyframes(k) => Turns::new(k).largest(dt),
        }
    }

    /// Refuses steps of `dt` (s) in which it may turn by π or more: [`secant`] and everything that sweeps from pose to pose would take it to
    /// turn the short way round.
    ///
    /// # Errors
    /// [`TooMuchTurn`], with the step that would do.
    pub fn check_turn(&self, dt: f64) -> Result<(), TooMuchTurn> {
        let turn = self.largest_turn(dt);
        if turn < PI {
            return Ok(());
        }
        // What it turns by grows with the step, so halving finds where it passes π.
        let (mut fits, mut fails) = (0.0, dt);
        for _ in 0..60 {
            let middle = 0.5 * (fits + fails);
            if self.largest_turn(middle) < PI {
                fits = middle;
            } else {
                fails = middle;
            }
        }
        Err(TooMuchTurn { dt, turn, longest: fits })
    }
}

/// A driver turns by half a turn or more in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TooMuchTurn {
    /// The step (s).
    pub dt: f64,
    /// The most it turns in one (rad).
    pub turn: f64,
    /// Steps have to be shorter than this (s), which is right to rounding.
    pub longest: f64,
}

impl fmt::Display for TooMuchTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "its driver turns it by {:.4} rad in a step of {} s ({:.6} rad/s), and contact goes from pose to pose by the shortest arc, which is \
             less than half a turn; take steps below {:.4e} s, or turn it slower",
            self.turn,
            self.dt,
            self.turn / self.dt,
            self.longest
        )
    }
}

impl std::error::Error for TooMuchTurn {}

/// How far keyframes have turned by each of their times, along the way.
struct Turns<'a> {
    frames: &'a [Keyframe],
    turned: Vec<f64>,
}

impl<'a> Turns<'a> {
    fn new(frames: &'a [Keyframe]) -> Self {
        let mut turned = vec![0.0; frames.len().min(1)];
        let mut sum = 0.0;
        for w in frames.windows(2) {
            sum += rotation_between(w[0].pose.rotation, w[1].pose.rotation).mag();
            turned.push(sum);
        }
        Self { frames, turned }
    }

    fn at(&self, time: f64) -> f64 {
        let next = self.frames.partition_point(|f| f.time <= time);
        match (next.checked_sub(1), self.turned.get(next)) {
            (Some(a), Some(after)) => {
                let (from, to) = (self.frames[a].time, self.frames[next].time);
                self.turned[a] + (after - self.turned[a]) * ((time - from) / (to - from))
            }
            (Some(a), None) => self.turned[a],
            (None, _) => 0.0,
        }
    }

    /// The way is linear between keyframes, so a step that turns it most begins or ends at one.
    fn largest(&self, dt: f64) -> f64 {
        let around = |(f, turned): (&Keyframe, &f64)| {
            f64::max(self.at(f.time + dt) - turned, turned - self.at(f.time - dt))
        };
        self.frames.iter().zip(&self.turned).map(around).fold(0.0, f64::max)
    }
}

/// Velocity (m/s) and angular velocity (rad/s) that take one pose to another in `dt`, along the shortest arc: what a kinematic body's
/// surface moves with during the step. That is its spin as long as it turns by less than π; see [`Driver::check_turn`].
#[must_use]
pub fn secant(from: &Pose, to: &Pose, dt: f64) -> (DVec3, DVec3) {
    ((to.position - from.position) / dt, rotation_between(from.rotation, to.rotation) / dt)
}
