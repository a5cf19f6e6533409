//! Numbers of one body: pose, velocity, inertia, positions, keyframes.

use crate::body::{BodyDesc, Motion};
use impinge_bodies::Shape;
use impinge_contact::Mobility;
use impinge_geometry::{DMat3, DVec3, LARGEST, is_bounded, symmetric_eigen};
use impinge_integrators::Driver;

/// Numbers of a body that would only fail in the first step, with a message that blames the step.
pub(crate) fn check_numbers(b: &BodyDesc) -> Result<(), String> {
    let refuse = |what: &str| Err(format!("body '{}': {what}", b.name));
    if !b.pose.is_bounded() {
        return refuse("its pose is not finite, or more than 1e60 m away");
    }
    let rotor = b.pose.rotation.mag_sq();
    if (rotor - 1.0).abs() > 1e-9 {
        return refuse("its rotation is not a unit rotor; build it with Pose::new, which normalises");
    }
    if !(is_bounded(b.velocity) && is_bounded(b.angular_velocity)) {
        return refuse("its velocity or angular velocity is not finite, or more than 1e60");
    }
    let moving = b.velocity != DVec3::zero() || b.angular_velocity != DVec3::zero();
    if moving && matches!(b.motion, Motion::Fixed | Motion::Kinematic(_)) {
        return refuse(
            "it has a velocity but no motion of its own; move it with Motion::Kinematic and a driver",
        );
    }
    if let Motion::Rigid { inertia, .. } = &b.motion {
        check_inertia(inertia).or_else(refuse)?;
    }
    match &b.motion {
        Motion::Particles { positions, velocities, .. }
            if !positions.iter().chain(velocities).all(|&v| is_bounded(v)) =>
        {
            return refuse("a position or velocity of its vertices is not finite, or more than 1e60");
        }
        Motion::Deformable(d) if !d.positions.iter().all(|&v| is_bounded(v)) => {
            return refuse("a position of its nodes is not finite, or more than 1e60 m away");
        }
        Motion::Kinematic(Driver::Constant { pose, velocity, spin })
            if !(pose.is_bounded() && is_bounded(*velocity) && is_bounded(*spin)) =>
        {
            return refuse("a pose or velocity of its driver is not finite, or more than 1e60");
        }
        Motion::Kinematic(Driver::Keyframes(k)) => {
            if k.is_empty() {
                return refuse("its driver has no keyframe; give at least one");
            }
            if !k.windows(2).all(|w| w[0].time < w[1].time)
                || !k.iter().all(|f| f.pose.is_bounded() && f.time.abs() <= LARGEST)
            {
                return refuse("its keyframes must be finite, at most 1e60 m away, and their times increase");
            }
        }
        _ => {}
    }
    match b.shape {
        Shape::Plane { normal, offset }
            if !((normal.mag() - 1.0).abs() < 1e-9 && offset.abs() <= LARGEST) =>
        {
            refuse("its plane needs a normal of length 1 and a finite offset of at most 1e60 m")
        }
        _ => Ok(()),
    }
}

/// Locks of a body that has no such axes, and a start along them.
pub(crate) fn check_locked(b: &BodyDesc) -> Result<(), String> {
    if b.locked.is_empty() {
        return Ok(());
    }
    let refuse = |what: String| Err(format!("body '{}': {what}", b.name));
    if !matches!(b.motion, Motion::Rigid { .. }) {
        return refuse(
            "it has locked axes, and only rigid bodies have any to lock; take them out, or give it a mass"
                .to_string(),
        );
    }
    let mobility = Mobility::default().locked_on(b.locked);
    if mobility.linear(b.velocity) != b.velocity || mobility.angular(b.angular_velocity) != b.angular_velocity
    {
        return refuse(format!(
            "it is locked on {} and starts with a velocity there; leave that component out, or free the axis",
            b.locked
        ));
    }
    Ok(())
}

/// A solid's moments are positive and no one exceeds the sum of the others.
fn check_inertia(inertia: &DMat3) -> Result<(), &'static str> {
    let c = &inertia.cols;
    let size = c[0].mag() + c[1].mag() + c[2].mag();
    let skew = (c[0].y - c[1].x).abs() + (c[0].z - c[2].x).abs() + (c[1].z - c[2].y).abs();
    if !(size.is_finite() && skew <= 1e-9 * size) {
        return Err("its inertia is not symmetric and finite");
    }
    let (moments, _) = symmetric_eigen(inertia);
    if !(moments[0] > 0.0 && moments[2] <= (moments[0] + moments[1]) * (1.0 + 1e-9)) {
        return Err(
            "its inertia is no solid's: every principal moment must be positive and at most the sum of the others",
        );
    }
    Ok(())
}
