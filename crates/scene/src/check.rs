//! Checks that need the whole scene: every two materials that can meet have one law, every pair a response that can
//! take it.

use crate::document::Place;
use crate::lookup::LawsByMaterial;
use crate::reader::Issues;
use crate::spec::{BodySpec, Motion, PairSpec, Response, SceneSpec, Shape};
use crate::support;
use impinge_world::ShapeKind;
use std::collections::{BTreeMap, BTreeSet};

pub(crate) fn across(scene: &SceneSpec, issues: &Issues<'_>) {
    laws(scene, issues);
    turning(scene, issues);
    responses(scene, issues);
    on_itself(scene, issues);
    made_of_nodes(scene, issues);
}

fn on_itself(scene: &SceneSpec, issues: &Issues<'_>) {
    let Some([what, fix]) = scene.with_settings(scene.response).refuses_itself() else { return };
    let own = |m: &Motion| matches!(m, Motion::Deformable(d) if d.self_contact);
    for body in scene.bodies.iter().filter(|b| own(&b.motion)) {
        let what =
            format!("`{}` meets itself, and the response `{}` {what}", body.name, scene.response.name());
        issues.push(body.place, what, fix);
    }
}

/// Refuses pairs under responses that take no nodes.
fn made_of_nodes(scene: &SceneSpec, issues: &Issues<'_>) {
    let why = |r: Response| Some((r, scene.with_settings(r).refuses_nodes()?));
    let refusing: BTreeMap<Response, &str> =
        scene.responses_under(scene.response).into_iter().filter_map(why).collect();
    if refusing.is_empty() {
        return;
    }
    let mut told: BTreeSet<(usize, usize)> = BTreeSet::new();
    for (j, b) in scene.bodies.iter().enumerate() {
        for (i, a) in scene.bodies[..j].iter().enumerate() {
            let nodes = |m: &Motion| matches!(m, Motion::Deformable(_) | Motion::Particles(_));
            if (nodes(&a.motion) || nodes(&b.motion))
                && !told.contains(&(a.base, b.base))
                && scene.can_meet(i, j)
                && let Some(why) = scene.rule_for(i, j).0.and_then(|r| refusing.get(&r))
            {
                told.insert((a.base, b.base));
                let fix = "take another response, make the body rigid, or add a [[rule]] for the two with response = \"none\"";
                issues.push(b.place, format!("`{}` and `{}`: {why}", a.name, b.name), fix);
            }
        }
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
    // A scene may leave all laws to the bodies; one that states some may have forgotten this one.
    if scene.pairs.is_empty() {
        return;
    }
    let stated = LawsByMaterial::of(scene);
    for a in 0..scene.materials.len() {
        for b in a..scene.materials.len() {
            let found = stated.find(a, b);
            if found.len() == 1 {
                continue;
            }
            let (name_a, name_b) = (&scene.materials[a].name, &scene.materials[b].name);
            let found: Vec<&PairSpec> = found.iter().map(|i| &scene.pairs[*i]).collect();
            let (what, fix) = match found[..] {
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

/// Refuses rolling and spinning friction between materials of which no two rigid bodies can meet that are free to turn against each other so.
fn turning(scene: &SceneSpec, issues: &Issues<'_>) {
    let named = |m: usize| &scene.materials[m].name;
    let solid = |i: &usize| !matches!(scene.bodies[*i].motion, Motion::Deformable(_) | Motion::Particles(_));
    let of = |m: usize| (0..scene.bodies.len()).filter(move |&i| scene.bodies[i].material == m).filter(solid);
    let meet = |a: usize, b: usize, about: About| {
        of(a).any(|i| of(b).any(|j| about.turn(&scene.bodies[i], &scene.bodies[j]) && scene.can_meet(i, j)))
    };
    for law in &scene.pairs {
        for (about, place) in [About::Across, About::Normal].into_iter().zip(law.turning_places) {
            let Some(place) = place else { continue };
            let goes_by_it = |a: usize, b: usize| {
                scene.pair_law(named(a), named(b)).is_some_and(|found| std::ptr::eq(found, law))
                    && meet(a, b, about)
            };
            let all = 0..scene.materials.len();
            if !all.clone().any(|a| (a..all.end).any(|b| goes_by_it(a, b))) {
                let [a, b] = &law.materials;
                let what = match about {
                    About::Across => "can meet, one of them free to turn: rolling friction would do nothing",
                    About::Normal => {
                        "can meet, one of them free to turn about the normal: spinning friction would do nothing"
                    }
                };
                issues.push(
                    place,
                    format!("no two rigid bodies of the materials `{a}` and `{b}`, {what}"),
                    "take it out; soft bodies, cloth, cables and particles have no spin that could be resisted, and locked axes none",
                );
            }
        }
    }
}

/// How two bodies turn against each other: as rolling friction resists it, across the normal of their contact, or about it, as spinning friction does.
#[derive(Clone, Copy, Debug)]
enum About {
    Across,
    Normal,
}

impl About {
    /// Whether two bodies can. The normal is known where one is a plane that rests.
    fn turn(self, a: &BodySpec, b: &BodySpec) -> bool {
        let free = |body: &BodySpec| match &body.motion {
            Motion::Rigid(m) => m.locked.rotations().map(|locked| !locked),
            _ => [false; 3],
        };
        let normal = [a, b].into_iter().find_map(|body| match (&body.shape, &body.motion) {
            (Shape::Plane { normal, .. }, Motion::Fixed) => Some(<[f64; 3]>::from(*normal)),
            _ => None,
        });
        let ([a, b], along) = ([free(a), free(b)], normal.map(|n| n.map(f64::abs)));
        (0..3).filter(|&k| a[k] || b[k]).any(|k| match (self, along) {
            (_, None) => true,
            (Self::Across, Some(n)) => n[k] < 1.0,
            (Self::Normal, Some(n)) => n[k] > 0.0,
        })
    }
}

fn responses(scene: &SceneSpec, issues: &Issues<'_>) {
    let mut told: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut tell = |i: usize, j: usize, place: Place| {
        if !scene.can_meet(i, j) {
            return;
        }
        let (response, sides) = scene.rule_for(i, j);
        let Some(response) = response else { return };
        let (a, b) = (&scene.bodies[i], &scene.bodies[j]);
        if let Err((what, fix)) =
            support::check(&scene.with_settings(response), a.shape.kind(), b.shape.kind(), sides)
            && told.insert((a.base.min(b.base), a.base.max(b.base)))
        {
            issues.push(place, format!("`{}` and `{}`: {what}", a.name, b.name), fix);
        }
    };
    // Without a rule only shapes decide, and few kinds of them are refused.
    let of = |kind: ShapeKind| (0..scene.bodies.len()).filter(move |&i| scene.bodies[i].shape.kind() == kind);
    let response = scene.with_settings(scene.response);
    let all_thin = [ShapeKind::Sheet, ShapeKind::Cable, ShapeKind::Points];
    for thin in all_thin {
        for other in ShapeKind::ALL.into_iter().filter(|k| !response.directions(thin, *k).any()) {
            let both = all_thin.contains(&other);
            for i in of(thin) {
                for j in of(other) {
                    let at = if both { i.max(j) } else { i };
                    tell(i.min(j), i.max(j), scene.bodies[at].place);
                }
            }
        }
    }
    for b in &scene.bodies {
        let sheet = match &b.shape {
            Shape::Sheet(_) => true,
            Shape::Line(_) => false,
            _ => continue,
        };
        if !matches!(&b.motion, Motion::Deformable(m) if m.self_contact) {
            continue;
        }
        let distance = 2.0 * b.thickness.unwrap_or_default();
        if let Some([what, fix]) = response.refuses_itself_thin(sheet, distance) {
            let what = format!(
                "`{}` has `self_contact` under the response `{}`: {what}",
                b.name,
                scene.response.name()
            );
            issues.push(b.place, what, &fix);
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
    /// The file states no law, and bodies can meet: their laws follow from them.
    pub(crate) fn leaves_laws(&self) -> bool {
        let all = 0..self.materials.len();
        self.pairs.is_empty() && all.clone().any(|a| (a..all.end).any(|b| meeting(self, a, b).is_some()))
    }

    /// Whether two bodies can touch with a force: they are two, one of them answers to forces, and neither a
    /// rule nor their groups let them pass.
    #[must_use]
    pub fn can_meet(&self, a: usize, b: usize) -> bool {
        let moves = |i: usize| !matches!(self.bodies[i].motion, Motion::Fixed | Motion::Kinematic(_));
        a != b && (moves(a) || moves(b)) && self.rule_for(a, b).0.is_some() && self.groups_meet(a, b)
    }
}
