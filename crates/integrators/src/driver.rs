//! Prescribed motion of kinematic bodies.

use crate::rotation::rotation_between;
use impinge_geometry::{DVec3, Pose, rotor_from_rotation_vector};
use std::fmt;
use std::sync::Arc;

/// A pose at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keyframe {
    /// Seconds.
    pub time: f64,
    /// Pose then.
    pub pose: Pose,
}

/// A function of time, shared between snapshots of a run.
pub type PoseFunction = Arc<dyn Fn(f64) -> Pose + Send + Sync>;

/// Where a kinematic body is at any time.
#[derive(Clone)]
pub enum Driver {
    /// Linear in position, along the shortest arc in rotation; held before the first and after the last.
    Keyframes(Vec<Keyframe>),
    /// Any function of time. It must give the same pose for the same time, or a run cannot be repeated.
    Function(PoseFunction),
}

impl fmt::Debug for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Keyframes(k) => f.debug_tuple("Keyframes").field(k).finish(),
            Self::Function(_) => f.write_str("Function"),
        }
    }
}

impl Driver {
    /// `pose` moving with constant velocity (m/s) and spin (rad/s, world axes) from time 0.
    pub fn constant(pose: Pose, velocity: DVec3, spin: DVec3) -> Self {
        Self::Function(Arc::new(move |t| Pose {
            position: pose.position + velocity * t,
            rotation: rotor_from_rotation_vector(spin * t) * pose.rotation,
        }))
    }

    /// `pose` shaken along `amplitude` (m): `amplitude · sin(2π f t + phase)`.
    pub fn sine(pose: Pose, amplitude: DVec3, frequency: f64, phase: f64) -> Self {
        Self::Function(Arc::new(move |t| Pose {
            position: pose.position + amplitude * libm::sin(std::f64::consts::TAU * frequency * t + phase),
            rotation: pose.rotation,
        }))
    }

    /// The pose at `time` (s); `None` for an empty keyframe list.
    pub fn pose(&self, time: f64) -> Option<Pose> {
        match self {
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
}

/// Velocity (m/s) and angular velocity (rad/s) that take one pose to another in `dt`: what a kinematic body's
/// surface moves with during the step.
pub fn secant(from: &Pose, to: &Pose, dt: f64) -> (DVec3, DVec3) {
    ((to.position - from.position) / dt, rotation_between(from.rotation, to.rotation) / dt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keyframes_interpolate_and_hold() {
        let turned = rotor_from_rotation_vector(DVec3::new(0.0, 0.0, 1.0));
        let d = Driver::Keyframes(vec![
            Keyframe { time: 1.0, pose: Pose::identity() },
            Keyframe { time: 3.0, pose: Pose::new(DVec3::new(4.0, 0.0, 0.0), turned) },
        ]);
        assert_eq!(d.pose(0.0), Some(Pose::identity()));
        let mid = d.pose(2.0).unwrap();
        assert!((mid.position.x - 2.0).abs() < 1e-15);
        assert!((mid.rotation * DVec3::unit_x() - DVec3::new(0.5f64.cos(), 0.5f64.sin(), 0.0)).mag() < 1e-15);
        assert!((d.pose(9.0).unwrap().position.x - 4.0).abs() < 1e-15);
        let (v, w) = secant(&d.pose(1.5).unwrap(), &d.pose(2.5).unwrap(), 1.0);
        assert!((v.x - 2.0).abs() < 1e-14 && (w.z - 0.5).abs() < 1e-14);
    }
}
