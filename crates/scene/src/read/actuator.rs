//! Locked axes, actuators and forces.

use crate::reader::Reader;
use crate::spec::{ActuatorSpec, BodySpec, ForceSpec, Motion};
use crate::suggest;
use impinge_contact::{Actuator, Axes, Axis};
use impinge_geometry::DVec3;

/// `locked` of a body, and that it does not start along what it says.
pub(super) fn locked(table: &Reader<'_>) -> Axes {
    let axes: Axes = table.meanings("locked", &Axis::ALL.map(|a| (a.name(), a))).into_iter().collect();
    for (key, mask) in [("velocity", Axes::TRANSLATIONS), ("angular_velocity", Axes::ROTATIONS)] {
        let v = table.vector(key);
        let on = |a: &Axis| mask.contains(*a) && v.dot(a.direction()) != 0.0;
        if let Some(axis) = axes.iter().find(on) {
            let what = format!("`{key}` has a component on the {axis}, which is locked");
            let fix = format!("leave that component out, or take \"{}\" out of `locked`", axis.name());
            table.issues().push(table.place(key), what, fix);
        }
    }
    axes
}

/// Index of the body that a table names.
fn body(table: &Reader<'_>, bodies: &[BodySpec]) -> Option<usize> {
    let name = table.opt_text("body")?;
    let found = bodies.iter().position(|b| b.name == name);
    if found.is_none() {
        let known: Vec<&str> = bodies.iter().map(|b| b.name.as_str()).collect();
        let fix = suggest::did_you_mean(&name, &known, "the bodies are");
        table.issues().push(table.place("body"), format!("no body is called `{name}`"), fix);
    }
    found
}

pub(super) fn actuators(tables: &[Reader<'_>], bodies: &[BodySpec]) -> Vec<ActuatorSpec> {
    let mut out: Vec<ActuatorSpec> = Vec::new();
    for t in tables {
        let meanings = Axis::ALL.map(|a| (a.name(), a));
        let axis = t.opt_word("axis", &meanings);
        let actuator = Actuator {
            axis: axis.unwrap_or(Axis::X),
            force: t.number("force"),
            stiffness: t.number("stiffness"),
            damping: t.number("damping"),
            position: t.number("position"),
            velocity: t.number("velocity"),
            limit: t.opt_number("limit").unwrap_or(f64::INFINITY),
        };
        idle(t, &actuator);
        let (Some(body), Some(axis)) = (body(t, bodies), axis) else { continue };
        let name = &bodies[body].name;
        match &bodies[body].motion {
            Motion::Rigid(m) if m.locked.contains(axis) => {
                let what = format!("the {axis} of `{name}` is locked");
                let fix = format!("take \"{}\" out of its `locked`, or the actuator out", axis.name());
                t.issues().push(t.place("axis"), what, fix);
            }
            Motion::Rigid(_) => {}
            _ => {
                let what = format!("`{name}` is no rigid body, and only those take an actuator");
                let fix = "name a rigid body; move a kinematic one by `driver` or `keyframes`, a deformable or particles by [[force]]";
                t.issues().push(t.place("body"), what, fix);
            }
        }
        if out.iter().any(|a| a.body == body && a.actuator.axis == axis) {
            let what = format!("`{name}` has two actuators on the {axis}");
            t.issues().push(t.place("axis"), what, "write one with both its force and its gains");
        }
        out.push(ActuatorSpec { body, actuator, place: t.place("axis") });
    }
    out
}

/// Keys of an actuator that do nothing.
fn idle(t: &Reader<'_>, actuator: &Actuator) {
    let gains = [("position", "stiffness", actuator.stiffness), ("velocity", "damping", actuator.damping)];
    for (target, gain, value) in gains {
        if value == 0.0 {
            let fix = format!("add `{gain} = …`, or take `{target}` out");
            t.refuse(target, &format!("has no effect without `{gain}`"), &fix);
        }
    }
    let still = actuator.force == 0.0 && actuator.stiffness == 0.0 && actuator.damping == 0.0;
    if still && !["force", "stiffness", "damping"].iter().any(|k| t.is_bad(k)) {
        let what = "this actuator has no force and no gains: it does nothing";
        t.issues().push(t.place("axis"), what, "add `force = …`, or `stiffness` and `damping`");
    }
}

pub(super) fn forces(tables: &[Reader<'_>], bodies: &[BodySpec], duration: f64) -> Vec<ForceSpec> {
    let mut out = Vec::new();
    for t in tables {
        let (force, torque) = (t.vector("force"), t.vector("torque"));
        let (start, end) = (t.number("start"), t.opt_number("end"));
        t.refuse_late("start", duration);
        if let Some(end) = end.filter(|end| *end <= start && !t.is_bad("start")) {
            let what = format!("it ends at {end} s and begins at {start} s");
            t.issues().push(t.place("end"), what, "give an `end` after `start`, or take it out");
        }
        let stated = |key: &str| t.states(key) && t.is_bad(key);
        if force == DVec3::zero() && torque == DVec3::zero() && !(stated("force") || stated("torque")) {
            let fix = "add `force = [x, y, z]` (N), or `torque` (N·m)";
            t.issues().push(t.place("body"), "this force is none", fix);
        }
        let Some(body) = body(t, bodies) else { continue };
        let name = &bodies[body].name;
        match &bodies[body].motion {
            Motion::Fixed | Motion::Kinematic(_) => {
                let what = format!("no force moves `{name}`");
                t.issues().push(t.place("body"), what, "name a body that is not fixed nor kinematic");
            }
            Motion::Particles(_) | Motion::Deformable(_) if torque != DVec3::zero() => {
                let what = format!("`{name}` is made of nodes and takes no torque");
                t.issues().push(t.place("torque"), what, "take `torque` out");
            }
            _ => {}
        }
        out.push(ForceSpec { body, force, torque, start, end });
    }
    out
}
