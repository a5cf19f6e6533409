//! Materials, the laws between them, and the rules for chosen pairs of bodies.

use crate::reader::Reader;
use crate::spec::{
    DampingSpec, MaterialSpec, PairSpec, Response, RestitutionLaw, RuleSpec, Sides, SlipRule, Stiffness,
};
use crate::{names, suggest};
use impinge_contact::{Damping, PairLaw};
use impinge_world::Suggested;

/// Restitution 0 needs infinite damping.
const MIN_RESTITUTION: f64 = 1e-3;

pub(super) fn materials(tables: &[Reader<'_>]) -> Vec<MaterialSpec> {
    let mut out: Vec<MaterialSpec> = Vec::new();
    for table in tables {
        let name = table.text("name");
        if !name.is_empty() && out.iter().any(|m| m.name == name) {
            let what = format!("there are two materials `{name}`");
            table.issues().push(table.place("name"), what, "give each its own name");
        }
        out.push(MaterialSpec { name, density: table.if_stated("density") });
    }
    out
}

pub(super) fn pairs(tables: &[Reader<'_>], materials: &[MaterialSpec]) -> Vec<PairSpec> {
    let known: Vec<&str> = materials.iter().map(|m| m.name.as_str()).collect();
    let mut out: Vec<PairSpec> = Vec::new();
    for table in tables {
        let named = table.pair("materials");
        for (name, place) in named.iter().flatten() {
            if name != "*" && !known.contains(&name.as_str()) {
                let fix = suggest::did_you_mean(name, &known, "the materials are");
                table.issues().push(*place, format!("there is no material `{name}`"), fix);
            }
        }
        let materials = named.map(|[a, b]| [a.0, b.0]).unwrap_or_default();
        if materials[0].is_empty() {
            continue;
        }
        if out.iter().any(|p| same_two(&p.materials, &materials)) {
            let what = format!("there are two laws between `{}` and `{}`", materials[0], materials[1]);
            table.issues().push(table.place("materials"), what, "keep one of them");
        }
        out.push(pair(table, materials));
    }
    out
}

fn same_two(a: &[String; 2], b: &[String; 2]) -> bool {
    a == b || (a[0] == b[1] && a[1] == b[0])
}

fn pair(table: &Reader<'_>, materials: [String; 2]) -> PairSpec {
    let keys = ["stiffness", "stiffness_per_area"];
    let suggested = (!keys.into_iter().any(|key| table.states(key))).then(|| Suggested {
        damping: !table.states("damping"),
        friction_stiffness: !table.states("friction_stiffness"),
        friction_damping: !table.states("friction_damping"),
    });
    let of_one = PairLaw::suggested(1.0, 1.0, 1.0);
    let stiffness = match suggested {
        Some(_) => of_one.stiffness,
        None => match table.exactly_one(&keys) {
            Some("stiffness_per_area") => Stiffness::PerArea(table.number("stiffness_per_area")),
            _ => Stiffness::PerContact(table.number("stiffness")),
        },
    };
    let mu_s = table.number("mu_s");
    let mu_k = table.opt_number("mu_k").unwrap_or(mu_s);
    if mu_k > mu_s && !table.is_bad("mu_s") {
        let what = format!("`mu_k` ({mu_k}) is above `mu_s` ({mu_s})");
        let fix = "kinetic friction is at most static friction: lower `mu_k` or raise `mu_s`";
        table.issues().push(table.place("mu_k"), what, fix);
    }
    let slip_rule =
        table.word("slip_rule", &[("return-map", SlipRule::ReturnMap), ("yamane", SlipRule::Yamane)]);
    if slip_rule != SlipRule::Yamane {
        table.refuse("k_omega", "goes with `slip_rule = \"yamane\"` only", "take it out, or state that rule");
    }
    let turning = |key: &str| (table.number(key) > 0.0).then(|| table.key_place(key));
    PairSpec {
        materials,
        stiffness,
        mu_s,
        mu_k,
        rolling_friction: table.number("rolling_friction"),
        spinning_friction: table.number("spinning_friction"),
        slip_rule,
        k_omega: table.number("k_omega"),
        friction_stiffness: table.opt_number("friction_stiffness").unwrap_or(stiffness.value()),
        friction_damping: match (suggested, of_one.friction) {
            (Some(Suggested { friction_damping: true, .. }), Some(of_one)) => of_one.k_fd,
            _ => table.number("friction_damping"),
        },
        damping: match suggested {
            Some(Suggested { damping: true, .. }) => DampingSpec::Given(of_one.damping),
            _ => table
                .table("damping")
                .map_or(DampingSpec::Given(Damping::None), |t| damping(&t, stiffness, suggested.is_some())),
        },
        suggested,
        turning_places: [turning("rolling_friction"), turning("spinning_friction")],
    }
}

fn damping(table: &Reader<'_>, stiffness: Stiffness, suggested: bool) -> DampingSpec {
    let one = table.exactly_one(&["kelvin_voigt", "hunt_crossley", "restitution"]);
    if one != Some("restitution") {
        for key in ["law", "speed", "mass"] {
            table.refuse(key, "goes with `restitution` only", "take it out");
        }
    }
    match one {
        Some("kelvin_voigt") => DampingSpec::Given(Damping::KelvinVoigt(table.number("kelvin_voigt"))),
        Some("hunt_crossley") => DampingSpec::Given(Damping::HuntCrossley(table.number("hunt_crossley"))),
        Some("restitution") => {
            let need = |key: &str, what: &str, fix: &str| {
                if !table.states(key) {
                    table.issues().push(table.place("restitution"), what, fix);
                }
            };
            need(
                "law",
                "`restitution` does not say which damper it becomes",
                "add `law = \"kelvin-voigt\"` with the effective `mass`, or `law = \"hunt-crossley\"` with the approach `speed`",
            );
            if table.is_bad("law") {
                return DampingSpec::Given(Damping::None);
            }
            let e = table.number("restitution");
            if e < MIN_RESTITUTION {
                let what = format!("no damping of use gives a restitution of {e}");
                let fix = format!("write {MIN_RESTITUTION} or more: from there on the body all but stops");
                table.issues().push(table.place("restitution"), what, fix);
            }
            let law = if table.word("law", &[("kelvin-voigt", false), ("hunt-crossley", true)]) {
                need(
                    "speed",
                    "a Hunt–Crossley damper has one restitution for each approach speed",
                    "add `speed = …` (m/s), the speed it shall hold at",
                );
                table.refuse("mass", "has no effect on a Hunt–Crossley damper", "take it out");
                RestitutionLaw::HuntCrossley { speed: table.number("speed") }
            } else {
                if table.states("law") {
                    need(
                        "mass",
                        "a Kelvin–Voigt damper has one restitution for each effective mass",
                        "add `mass = …` (kg): 1/(1/m1 + 1/m2), or the body's mass against a fixed one",
                    );
                }
                table.refuse("speed", "has no effect on a Kelvin–Voigt damper", "take it out");
                if suggested || matches!(stiffness, Stiffness::PerArea(_)) {
                    let which = if suggested { "that follows from the bodies" } else { "per area" };
                    table.issues().push(
                        table.place("restitution"),
                        format!("a stiffness {which} leaves the contact's stiffness open, and the damper depends on it"),
                        "use `law = \"hunt-crossley\"`, or state `stiffness` (N/m per contact point)",
                    );
                }
                RestitutionLaw::KelvinVoigt { mass: table.number("mass") }
            };
            DampingSpec::Restitution { e, law }
        }
        _ => DampingSpec::Given(Damping::None),
    }
}

pub(super) fn rules(tables: &[Reader<'_>], bodies: &[String]) -> Vec<RuleSpec> {
    let mut out = Vec::new();
    for table in tables {
        let Some(named) = table.pair("bodies") else { continue };
        let mut all_fit = true;
        for (pattern, place) in &named {
            if !bodies.iter().any(|name| names::fits(pattern, name)) {
                let known: Vec<&str> = bodies.iter().map(String::as_str).collect();
                let what = format!("no body is called `{pattern}`");
                table.issues().push(*place, what, suggest::did_you_mean(pattern, &known, "the bodies are"));
                all_fit = false;
            }
        }
        let [a, b] = named.map(|(pattern, _)| pattern);
        let only = |p: &str| -> Vec<usize> {
            (0..bodies.len()).filter(|&i| names::fits(p, &bodies[i])).take(2).collect()
        };
        if all_fit && only(&a) == only(&b) && only(&a).len() == 1 {
            let what =
                format!("this rule names `{}` twice; a body does not meet itself", bodies[only(&a)[0]]);
            table.issues().push(table.place("bodies"), what, "name two bodies, or patterns that fit two");
        }
        let mut words = vec![("none", None)];
        words.extend(responses().into_iter().map(|(word, response)| (word, Some(response))));
        let said = table.opt_word("response", &words);
        let (none, response) = (said == Some(None), said.flatten());
        let sides =
            table.word("sides", &[("both", Sides::Both), ("first", Sides::First), ("second", Sides::Second)]);
        let thickness = table.opt_number("thickness");
        if thickness.is_some() && none {
            table.refuse("thickness", "is of bodies that do not pass through each other", "take it out");
        }
        out.push(RuleSpec { bodies: [a, b], response, none, sides, thickness });
    }
    out
}

/// What the words for responses stand for; the first is what a scene without a legal one is read with.
pub(super) fn responses() -> Vec<(&'static str, Response)> {
    Response::all().into_iter().map(|r| (r.name(), r)).collect()
}
