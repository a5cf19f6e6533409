//! Actuators that a body cannot have: numbers, locked axes, gains beyond what a step takes.

use crate::body::{BodyDesc, Motion};
use impinge_contact::{Actuator, Axis, Mobility};
use impinge_geometry::{Pose, symmetric_eigen};

/// Refuses an actuator that a rigid body of this mobility cannot have in steps of `dt` (s).
pub(crate) fn check_actuator(
    actuator: &Actuator,
    mass: f64,
    mobility: &Mobility,
    pose: &Pose,
    dt: f64,
) -> Result<(), String> {
    let axis = actuator.axis;
    let named = |reason: String| format!("its actuator on the {axis}: {reason}");
    actuator.check().map_err(named)?;
    if mobility.locked().contains(axis) {
        return Err(named("that axis is locked; free it, or take the actuator out".to_string()));
    }
    let longest = actuator.longest_step(inertia(axis, mass, mobility, pose));
    if dt < longest {
        return Ok(());
    }
    Err(named(format!(
        "its gains (stiffness {}, damping {}) shake it to pieces in steps of {dt} s; take steps below {longest:.4e} s, or lower gains \
         (stiffness·dt² + 2·damping·dt must stay below 4 masses, or inertias, of what it moves)",
        actuator.stiffness, actuator.damping
    )))
}

/// What an axis moves, at least: the mass, or the inertia about it wherever the body turns.
fn inertia(axis: Axis, mass: f64, mobility: &Mobility, pose: &Pose) -> f64 {
    if !axis.turns() {
        return mass;
    }
    let only = Axis::ALL.into_iter().all(|a| !a.turns() || a == axis || mobility.locked().contains(a));
    if only {
        // It turns about this axis alone, and then its inertia about it stays.
        let j = pose.matrix() * *mobility.inertia() * pose.matrix().transposed();
        return axis.direction().dot(j * axis.direction());
    }
    symmetric_eigen(mobility.inertia()).0[0]
}

/// Refuses actuators of a body to build.
pub(crate) fn check_actuators(body: &BodyDesc, dt: f64) -> Result<(), String> {
    let refuse = |reason: String| format!("body '{}': {reason}", body.name);
    let (Motion::Rigid { mass, inertia }, moves) = (&body.motion, body.actuators.len()) else {
        let any = body.actuators.first().map(|a| {
            refuse(format!(
                "it has an actuator on the {}, and only rigid bodies take any; give it a mass, or leave it out",
                a.axis
            ))
        });
        return any.map_or(Ok(()), Err);
    };
    let mobility = Mobility::new(*inertia).unwrap_or_default().locked_on(body.locked);
    for (i, a) in body.actuators.iter().enumerate() {
        if body.actuators[i + 1..moves].iter().any(|b| b.axis == a.axis) {
            return Err(refuse(format!("it has two actuators on the {}; give it one", a.axis)));
        }
        check_actuator(a, *mass, &mobility, &body.pose, dt).map_err(refuse)?;
    }
    Ok(())
}
