//! Sensors.

use super::body::turn;
use crate::mesh::{self, MeshSpec};
use crate::reader::Reader;
use crate::spec::{BodySpec, Motion, SensorSpec};
use crate::suggest;
use impinge_geometry::Pose;
use impinge_world::Groups;

/// The sensors of tables, with the groups of each.
pub(super) fn sensors(tables: &[Reader<'_>], groups: &[Groups], bodies: &[BodySpec]) -> Vec<SensorSpec> {
    let mut out: Vec<SensorSpec> = Vec::new();
    for (t, groups) in tables.iter().zip(groups) {
        let name = t.text("name");
        if !name.is_empty() && out.iter().any(|s| s.name == name) {
            let what = format!("there are two sensors `{name}`");
            t.issues().push(t.place("name"), what, "give each its own name");
        }
        out.push(SensorSpec {
            name,
            mesh: t.table("mesh").map_or_else(MeshSpec::stand_in, |m| mesh::read(&m)),
            on: carrier(t, bodies),
            pose: Pose::new(t.vector("position"), turn(t.table("rotation"))(1.0)),
            groups: *groups,
            place: t.place("mesh"),
        });
    }
    out
}

/// Index of the body that a sensor rides on.
fn carrier(t: &Reader<'_>, bodies: &[BodySpec]) -> Option<usize> {
    let name = t.opt_text("on")?;
    let Some(found) = bodies.iter().position(|b| b.name == name) else {
        let copy = format!("{name}-0");
        let fix = if bodies.iter().any(|b| b.name == copy) {
            format!("`{name}` is repeated; name one of its copies, such as `{copy}`")
        } else {
            let known: Vec<&str> = bodies.iter().map(|b| b.name.as_str()).collect();
            suggest::did_you_mean(&name, &known, "the bodies are")
        };
        t.issues().push(t.place("on"), format!("no body is called `{name}`"), fix);
        return None;
    };
    if matches!(bodies[found].motion, Motion::Particles(_) | Motion::Deformable(_)) {
        let what = format!("`{name}` is made of nodes and has no frame to ride on");
        t.issues().push(t.place("on"), what, "name a rigid, kinematic or fixed body, or take `on` out");
    }
    Some(found)
}
