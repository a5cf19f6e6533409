//! Groups of bodies by their names, and surfaces that move.

use crate::reader::{Issues, Reader};
use crate::suggest;
use impinge_world::{Groups, SurfaceVelocity};
use std::collections::BTreeSet;

/// Names that bits are left for; one more is that of bodies in no group.
const MOST: usize = 31;

/// The groups of each body, then those of each sensor, by table. A name in `meets` is one that somebody has in `groups`.
pub(super) fn of_all(bodies: &[Reader<'_>], sensors: &[Reader<'_>], issues: &Issues<'_>) -> Vec<Groups> {
    let said: Vec<_> = bodies.iter().chain(sensors).map(|t| [t.names("groups"), t.names("meets")]).collect();
    let names: BTreeSet<&str> =
        said.iter().flat_map(|[g, _]| g.iter().flatten()).map(|(n, _)| n.as_str()).collect();
    let names: Vec<&str> = names.into_iter().collect();
    if names.len() > MOST {
        let at = bodies.iter().chain(sensors).rfind(|t| t.states("groups"));
        let what = format!("the bodies are in {} groups; a scene has at most {MOST}", names.len());
        if let Some(table) = at {
            issues.push(table.place("groups"), what, "let bodies that meet the same ones share a group");
        }
        return vec![Groups::default(); said.len()];
    }
    let bits = |list: &[(String, crate::document::Place)]| {
        list.iter().fold(0, |bits, (name, place)| match names.iter().position(|n| n == name) {
            Some(i) => bits | 1 << (i + 1),
            None => {
                let fix = if names.is_empty() {
                    format!("give a body `groups = [\"{name}\"]`")
                } else {
                    suggest::did_you_mean(name, &names, "the groups are")
                };
                issues.push(*place, format!("no body is in a group `{name}`"), fix);
                bits
            }
        })
    };
    // Without names there is nothing to tell apart: every body is in all groups, and meets all.
    let none = if names.is_empty() { u32::MAX } else { 1 };
    said.iter()
        .enumerate()
        .map(|(i, [groups, meets])| {
            let membership = groups.as_deref().map_or(0, bits);
            // A sensor in no group is seen by all: it is about bodies that it would meet, and nobody meets it.
            let none = if i < bodies.len() { none } else { u32::MAX };
            let membership = if membership == 0 { none } else { membership };
            Groups::new(membership, meets.as_deref().map_or(u32::MAX, bits))
        })
        .collect()
}

/// How the surface of a body moves along itself.
pub(super) fn surface(table: &Reader<'_>, kind: &str) -> SurfaceVelocity {
    if matches!(kind, "deformable" | "particles") {
        for key in ["surface_velocity", "surface_spin"] {
            let what =
                "is of fixed, kinematic and rigid bodies; the nodes of this one have velocities of their own";
            table.refuse(key, what, "take it out");
        }
    }
    SurfaceVelocity {
        linear: table.vector("surface_velocity"),
        spin: table.vector("surface_spin"),
        about: Default::default(),
    }
}
