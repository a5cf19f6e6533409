//! What holds nodes of a deformable body: read, its names checked against the bodies there are, then the nodes found.

use crate::document::Document;
use crate::error::SceneError;
use crate::reader::{Issues, Reader};
use crate::spec::{AttachSpec, BodySpec, Motion};
use crate::suggest;
use impinge_geometry::DVec3;
use impinge_world::{Attach, AttachTo, Deformable};
use std::collections::BTreeSet;

/// Reads the `attach` tables of a body.
pub(crate) fn read(table: &Reader<'_>) -> Vec<AttachSpec> {
    let one = |a: &Reader<'_>| AttachSpec {
        min: a.vector("min"),
        max: a.vector("max"),
        to: a.text("to"),
        stiffness: a.opt_number("stiffness"),
        damping: a.number("damping"),
        places: [a.place("min"), a.place("to")],
    };
    table.tables("attach").iter().map(one).collect()
}

/// Refuses what names no body, or one that cannot hold a point.
pub(crate) fn names(bodies: &[BodySpec], issues: &Issues<'_>) {
    let mut told = BTreeSet::new();
    for body in bodies {
        let Motion::Deformable(m) = &body.motion else { continue };
        for (k, a) in m.attach.iter().enumerate() {
            // Copies have the attachments of their base.
            let Some((what, fix)) = wrong_name(body, &a.to, bodies) else { continue };
            if told.insert((body.base, k)) {
                issues.push(a.places[1], what, fix);
            }
        }
    }
}

fn wrong_name(body: &BodySpec, to: &str, bodies: &[BodySpec]) -> Option<(String, String)> {
    if to == "world" {
        return None;
    }
    let holds = |b: &BodySpec| !matches!(b.motion, Motion::Deformable(_) | Motion::Particles(_));
    let known = || {
        let names: Vec<&str> = bodies.iter().filter(|b| holds(b)).map(|b| b.name.as_str()).collect();
        [&["world"], names.as_slice()].concat()
    };
    let Some(other) = bodies.iter().find(|b| b.name == to) else {
        let what = format!("an attachment of `{}` names the body `{to}`, which is not there", body.name);
        return Some((what, suggest::did_you_mean(to, &known(), "it may be attached to")));
    };
    if holds(other) {
        return None;
    }
    let why = if other.name == body.name {
        "it is attached to itself"
    } else {
        "that has no frame to hold a point"
    };
    let what = format!("an attachment of `{}` names `{to}`: {why}", body.name);
    let list: Vec<String> = known().iter().take(24).map(|n| format!("`{n}`")).collect();
    Some((
        what,
        format!("attach it to a rigid, kinematic or fixed body, or to the world: {}", list.join(", ")),
    ))
}

/// Attaches the nodes that lie in the boxes; `slot` finds bodies by name.
///
/// # Errors
/// A box that holds no node, at its place.
pub(crate) fn hold(
    mut body: Deformable,
    name: &str,
    grips: &[AttachSpec],
    document: &Document,
    slot: impl Fn(&str) -> Option<u32>,
) -> Result<Deformable, SceneError> {
    for a in grips {
        // The names were checked when the scene was read.
        let to = slot(&a.to).filter(|_| a.to != "world").map_or(AttachTo::World, AttachTo::Body);
        let inside = |p: &DVec3| (0..3).all(|k| a.min[k] <= p[k] && p[k] <= a.max[k]);
        let nodes: Vec<u32> =
            (0..body.positions.len()).filter(|&i| inside(&body.positions[i])).map(|i| i as u32).collect();
        if nodes.is_empty() {
            let (lo, hi) = bounds(&body.positions);
            let (what, fix) = match (0..3).find(|&k| a.min[k] > a.max[k]) {
                Some(k) => (
                    format!(
                        "an attachment of `{name}` holds no node: `min` is above `max` along {} ({:?} and {:?})",
                        ["x", "y", "z"][k],
                        a.min[k],
                        a.max[k]
                    ),
                    "write the lowest corner as `min`, the highest as `max`".to_string(),
                ),
                None => (
                    format!(
                        "an attachment of `{name}` holds no node: its box from {} to {} misses all of them",
                        triple(a.min),
                        triple(a.max)
                    ),
                    format!(
                        "widen the box; it is in the body frame, where the nodes lie between {} and {}",
                        triple(lo),
                        triple(hi)
                    ),
                ),
            };
            return Err(document.issue(a.places[0], what, fix).into());
        }
        body = body.attached(Attach { nodes, to, stiffness: a.stiffness, damping: a.damping, frame: None });
    }
    Ok(body)
}

/// As it is written in a scene.
fn triple(v: DVec3) -> String {
    format!("[{:?}, {:?}, {:?}]", v.x, v.y, v.z)
}

fn bounds(x: &[DVec3]) -> (DVec3, DVec3) {
    x.iter().fold((DVec3::broadcast(f64::INFINITY), DVec3::broadcast(f64::NEG_INFINITY)), |(lo, hi), p| {
        (lo.min_by_component(*p), hi.max_by_component(*p))
    })
}
