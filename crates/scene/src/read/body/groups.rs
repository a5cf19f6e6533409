//! Groups of bodies by their names, and surfaces that move.

use crate::reader::{Issues, Reader};
use crate::suggest;
use impinge_world::{Groups, SurfaceVelocity};
use std::collections::BTreeSet;

/// Names that bits are left for; one more is that of bodies in no group.
const MOST: usize = 31;

/// The groups of each body, by table. A name in `meets` is one that some body has in `groups`.
pub(super) fn of_all(tables: &[Reader<'_>], issues: &Issues<'_>) -> Vec<Groups> {
    let said: Vec<_> = tables.iter().map(|t| [t.names("groups"), t.names("meets")]).collect();
    let names: BTreeSet<&str> =
        said.iter().flat_map(|[g, _]| g.iter().flatten()).map(|(n, _)| n.as_str()).collect();
    let names: Vec<&str> = names.into_iter().collect();
    if names.len() > MOST {
        let at = tables.iter().rfind(|t| t.states("groups"));
        let what = format!("the bodies are in {} groups; a scene has at most {MOST}", names.len());
        if let Some(table) = at {
            issues.push(table.place("groups"), what, "let bodies that meet the same ones share a group");
        }
        return vec![Groups::default(); tables.len()];
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
        .map(|[groups, meets]| {
            let membership = groups.as_deref().map_or(0, bits);
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
