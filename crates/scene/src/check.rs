//! Checks that need the whole scene: every two materials that can meet have one law, every pair a response that can
//! take it.

use crate::document::Place;
use crate::reader::Issues;
use crate::spec::{Motion, Response, SceneSpec, Shape};
use crate::support;
use std::collections::BTreeSet;

pub(crate) fn across(scene: &SceneSpec, issues: &Issues<'_>) {
    laws(scene, issues);
    responses(scene, issues);
    exact_on_itself(scene, issues);
    crate::pressure::check(scene, issues);
}

/// Exact volumes are those of two bodies: one that meets itself needs rays.
fn exact_on_itself(scene: &SceneSpec, issues: &Issues<'_>) {
    let measure = match scene.response {
        Response::VOLUME => scene.volume.measure,
        Response::VOLUME_PENALTY => scene.volume_penalty.measure,
        _ => return,
    };
    if measure.pixel.is_some() {
        return;
    }
    let own = |m: &Motion| matches!(m, Motion::Deformable(d) if d.self_contact);
    for body in scene.bodies.iter().filter(|b| own(&b.motion)) {
        let what = format!(
            "`{}` meets itself, and the response `{}` measures exactly: the exact volume is that of two bodies",
            body.name,
            scene.response.name()
        );
        let fix =
            "give [volume] a `pixel`: rays find where a body is entered twice; or take `self_contact` out";
        issues.push(body.place, what, fix);
    }
}

/// The first two bodies of these materials that can meet, if any.
fn meeting(scene: &SceneSpec, a: usize, b: usize) -> Option<(usize, usize)> {
    let own = |i: &usize| {
        scene.bodies[*i].material == a
            && matches!(&scene.bodies[*i].motion, Motion::Deformable(m) if m.self_contact)
    };
    if let Some(i) = (0..scene.bodies.len()).find(own).filter(|_| a == b) {
        return Some((i, i));
    }
    let of = |m: usize| (0..scene.bodies.len()).filter(move |&i| scene.bodies[i].material == m);
    of(a).find_map(|i| of(b).find(|&j| scene.can_meet(i, j)).map(|j| (i.min(j), i.max(j))))
}

fn laws(scene: &SceneSpec, issues: &Issues<'_>) {
    for a in 0..scene.materials.len() {
        for b in a..scene.materials.len() {
            let (name_a, name_b) = (&scene.materials[a].name, &scene.materials[b].name);
            let (what, fix) = match scene.find_law(name_a, name_b).as_slice() {
                [_] => continue,
                [] => (
                    "have no contact law".to_string(),
                    format!(
                        "add\n\n    [[pair]]\n    materials = [\"{name_a}\", \"{name_b}\"]   # or [\"*\", \"*\"] for all\n    \
                         stiffness = 1e4   # N/m per contact point\n    mu_s = 0.5\n"
                    ),
                ),
                [first, second, ..] => (
                    format!(
                        "fit two laws equally well: [\"{}\", \"{}\"] and [\"{}\", \"{}\"]",
                        first.materials[0], first.materials[1], second.materials[0], second.materials[1]
                    ),
                    format!("add a [[pair]] with materials = [\"{name_a}\", \"{name_b}\"]"),
                ),
            };
            if let Some((i, j)) = meeting(scene, a, b) {
                let what = format!(
                    "`{}` and `{}` can meet, but their materials `{name_a}` and `{name_b}` {what}",
                    scene.bodies[i].name, scene.bodies[j].name
                );
                issues.push(scene.bodies[j].material_place, what, fix);
            }
        }
    }
}

fn responses(scene: &SceneSpec, issues: &Issues<'_>) {
    // Only bodies without an inside can lack a direction without a rule, so only they are paired up.
    let points: Vec<usize> = (0..scene.bodies.len())
        .filter(|&i| scene.bodies[i].shape.kind() == impinge_world::ShapeKind::Points)
        .collect();
    let mut told: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut tell = |i: usize, j: usize, place: Place| {
        if !scene.can_meet(i, j) {
            return;
        }
        let (response, sides) = scene.rule_for(i, j);
        let Some(response) = response else { return };
        let (a, b) = (&scene.bodies[i], &scene.bodies[j]);
        if let Err((what, fix)) = support::check(response, a.shape.kind(), b.shape.kind(), sides)
            && told.insert((a.base.min(b.base), a.base.max(b.base)))
        {
            issues.push(place, format!("`{}` and `{}`: {what}", a.name, b.name), fix);
        }
    };
    for (n, &i) in points.iter().enumerate() {
        for &j in &points[n + 1..] {
            tell(i, j, scene.bodies[j].place);
        }
    }
    for b in scene.bodies.iter().filter(|_| !scene.response.response().meets_itself_thin()) {
        let (thin, parts) = match &b.shape {
            Shape::Sheet(_) => ("cloth", "layers"),
            Shape::Line(_) => ("a cable", "parts"),
            _ => continue,
        };
        if !matches!(&b.motion, Motion::Deformable(m) if m.self_contact) {
            continue;
        }
        let what = format!(
            "`{}` is {thin} with `self_contact`: it has no inside that it could meet itself in, and response `{}` needs one",
            b.name,
            scene.response.name()
        );
        let fix = format!(
            "use response = \"qp\", which keeps a thickness between its {parts}, or take `self_contact` out"
        );
        issues.push(b.place, what, &fix);
    }
    // What has no inside meets nothing under a response by volumes.
    if matches!(scene.response, Response::VOLUME | Response::VOLUME_PENALTY) {
        let thin = |i: usize| {
            matches!(
                scene.bodies[i].shape.kind(),
                impinge_world::ShapeKind::Points | impinge_world::ShapeKind::Sheet
            )
        };
        for i in (0..scene.bodies.len()).filter(|&i| thin(i)) {
            (0..scene.bodies.len()).for_each(|j| tell(i.min(j), i.max(j), scene.bodies[i].place));
        }
    }
    // A rule that names one side can lack it for any pair it fits. Copies share their base's shape: one of them
    // stands for all.
    for rule in &scene.rules {
        let fitting = |pattern: &str| -> Vec<usize> {
            let mut bases = BTreeSet::new();
            (0..scene.bodies.len())
                .filter(|&i| crate::names::fits(pattern, &scene.bodies[i].name))
                .filter(|&i| bases.insert(scene.bodies[i].base))
                .collect()
        };
        for &i in &fitting(&rule.bodies[0]) {
            for &j in &fitting(&rule.bodies[1]) {
                if i != j {
                    tell(i, j, scene.bodies[j].place);
                }
            }
        }
    }
}

impl SceneSpec {
    /// Whether two bodies can touch with a force: they are two, one of them answers to forces, and no rule
    /// lets them pass.
    pub fn can_meet(&self, a: usize, b: usize) -> bool {
        let moves = |i: usize| !matches!(self.bodies[i].motion, Motion::Fixed | Motion::Kinematic(_));
        a != b && (moves(a) || moves(b)) && self.rule_for(a, b).0.is_some()
    }
}
