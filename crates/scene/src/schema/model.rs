//! The keys of the file, of the scene, of rules, expectations and the record.

use super::Absent::{Default, Otherwise, Required};
use super::Kind::{
    Flag, Integer, Name, Names, Number, Pair, Table, Tables, Text, Time, Vector, Window, Word, WordOf,
};
use super::Range::{Any, NotNegative, Positive};
use super::{BODY, COUNT, Key, Section, key};
use crate::spec::Response;
use std::sync::{Mutex, PoisonError};

/// The responses a scene may name.
fn responses() -> Vec<(&'static str, &'static str)> {
    Response::all().iter().map(|r| (r.name(), r.meaning)).collect()
}

fn responses_and_none() -> Vec<(&'static str, &'static str)> {
    [responses(), vec![("none", "these bodies pass through each other")]].concat()
}

/// The whole file, with a table for each response that there is now.
pub(crate) fn top() -> &'static Section {
    static MADE: Mutex<Option<(usize, &'static Section)>> = Mutex::new(None);
    let all = Response::all();
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, top)) = made.filter(|(n, _)| *n == all.len()) {
        return top;
    }
    let mut keys = vec![TOP[0]];
    for r in &all {
        let name = r.section.name();
        if keys.iter().all(|k| k.name != name) {
            let of: Vec<String> =
                all.iter().filter(|o| o.section.name() == name).map(|o| format!("`{}`", o.name())).collect();
            let meaning = match &of[..] {
                [first @ .., last] if !first.is_empty() => {
                    format!("Settings of the responses {} and {last}.", first.join(", "))
                }
                _ => format!("Settings of the response {}.", of.concat()),
            };
            keys.push(key(name, Table(r.section), "", Default("{}"), meaning.leak()));
        }
    }
    keys.extend(&TOP[1..]);
    // Made once for each response that joins the list, and that stays as long as the program.
    let top: &Section = Box::leak(Box::new(Section { title: "file", meaning: FILE, keys: keys.leak() }));
    *made = Some((all.len(), top));
    top
}

const FILE: &str = "The whole file. `[scene]` and at least one `[[body]]` are needed; order does not matter.";

/// Its tables, but for those of responses, which come after the first.
static TOP: [Key; 14] = [
    key("scene", Table(&SCENE), "", Required, "What is simulated, and how the step is taken."),
    key(
        "deformable",
        Table(&super::soft::DEFORMABLE),
        "",
        Default("{}"),
        "How implicit steps of deformables are solved.",
    ),
    key("material", Tables(&super::law::MATERIAL), "", Default("[]"), "The materials."),
    key("pair", Tables(&super::law::PAIR), "", Default("[]"), "The contact law between two materials."),
    key("body", Tables(&BODY), "", Required, "The bodies."),
    key("rule", Tables(&RULE), "", Default("[]"), "Exceptions for chosen pairs of bodies."),
    key(
        "actuator",
        Tables(&super::actuator::ACTUATOR),
        "",
        Default("[]"),
        "Forces and torques on axes of rigid bodies, constant or by feedback.",
    ),
    key(
        "force",
        Tables(&super::actuator::FORCE),
        "",
        Default("[]"),
        "Forces on bodies for a part of the run.",
    ),
    key("sensor", Tables(&super::sensor::SENSOR), "", Default("[]"), "Surfaces that see who is in them."),
    key("cut", Tables(&super::soft::CUT), "", Default("[]"), "Cuts through deformables during the run."),
    key("refine", Tables(&super::soft::REFINE), "", Default("[]"), "Finer meshes during the run."),
    key("expect", Tables(&EXPECT), "", Default("[]"), "What must come out."),
    key(
        "except",
        Tables(&EXCEPT),
        "",
        Default("[]"),
        "What some responses cannot meet, or are not asked, of it.",
    ),
    key("record", Table(&RECORD), "", Default("{}"), "How much is kept for the report."),
];

pub(crate) static SCENE: Section = Section {
    title: "[scene]",
    meaning: "What is simulated, and how the step is taken.",
    keys: &[
        key("title", Text, "", Required, "One line, shown in lists and on reports."),
        key("description", Text, "", Default("\"\""), "What there is to see, in a few sentences."),
        key("source", Text, "", Default("\"\""), "The paper, figure or benchmark the scene comes from."),
        key("gravity", Vector, "m/s²", Default("[0.0, 0.0, -9.81]"), "Acceleration of free fall."),
        key(
            "dt",
            Number(Positive),
            "s",
            Otherwise("follows from sizes, gravity and speeds"),
            "Time step. Without it, the largest of 1, 2 and 5 times a power of ten that is at most a hundredth of the shortest of: √(h/g) and h/v \
             for the smallest side h of a moving body and the speed v that the file states of it, 1/ω for its spin, and `duration`. Springs, \
             actuators and stated stiffnesses are not looked at. The notes of a run say the number.",
        ),
        key("duration", Number(Positive), "s", Required, "Simulated time; rounded up to whole steps."),
        key(
            "integrator",
            Word(&[
                ("symplectic-euler", "new velocity first, then position with the new velocity"),
                ("explicit-euler", "position with the old velocity"),
                (
                    "implicit-euler",
                    "deformables by implicit Euler, linearised: one linear solve a step; others as symplectic-euler",
                ),
                ("implicit-euler-newton", "the same, solved to the end by Newton's method"),
                (
                    "implicit-midpoint",
                    "everything by the midpoint rule, deformables implicitly: second order, no numerical damping",
                ),
            ]),
            "",
            Default("\"symplectic-euler\""),
            "How the step is taken.",
        ),
        key(
            "response",
            WordOf(responses),
            "",
            Default("\"penalty\""),
            "The response of every pair without a rule.",
        ),
        key(
            "halvings",
            Integer(0, 20),
            "1",
            Default("8"),
            "How often a step may be halved whose implicit solve did not end; then the run stops.",
        ),
        key(
            "accept_unfinished",
            Flag,
            "",
            Default("false"),
            "The best state of a solve that did not end is taken, and its step is not halved.",
        ),
    ],
};

pub(crate) static RULE: Section = Section {
    title: "[[rule]]",
    meaning: "An exception for pairs of bodies; where several rules fit a pair, the last one in the file holds. Without a rule a \
              pair has the scene's response and `sides = \"both\"`.",
    keys: &[
        key(
            "bodies",
            Pair,
            "",
            Required,
            "Two body names or patterns; `*` stands for any letters: `[\"ball-*\", \"floor\"]`.",
        ),
        key(
            "response",
            WordOf(responses_and_none),
            "",
            Otherwise("the scene's response"),
            "The response of these pairs.",
        ),
        key(
            "sides",
            Word(&[
                ("both", "each body's vertices against the other's surface"),
                ("first", "only the vertices of the first body, against the surface of the second"),
                ("second", "only the vertices of the second body, against the surface of the first"),
            ]),
            "",
            Default("\"both\""),
            "Whose vertices are tested against whose surface; edges only with `both`. First and second are as the rule names them; where both \
             patterns fit both bodies, the first is the body that stands earlier in the file.",
        ),
        key(
            "thickness",
            Number(Positive),
            "m",
            Otherwise("the sum of the bodies'"),
            "Distance that these pairs keep with the response `qp`. All bodies look for contact as far as the farthest pair of the scene keeps.",
        ),
    ],
};

pub(crate) static EXPECT: Section = Section {
    title: "[[expect]]",
    meaning: "One thing that must come out of a run. At least one of `value`, `min` and `max` is needed; `value` needs `abs`, `rel` \
              or both (then the larger of the two tolerances holds).",
    keys: &[
        key("name", Name, "", Required, "Unique for its response."),
        key(
            "response",
            WordOf(responses),
            "",
            Otherwise("the scene's response"),
            "The response it is said of.",
        ),
        key(
            "every_response",
            Flag,
            "",
            Default("false"),
            "It is said of every response that has no expectation of this name of its own.",
        ),
        key("measure", Text, "", Required, "What is measured; see Measures."),
        key("body", Text, "", Otherwise("the measure's other subject"), "The body it is measured on."),
        key(
            "pair",
            Pair,
            "",
            Otherwise("the measure's other subject"),
            "The two bodies it is measured between.",
        ),
        key("sensor", Text, "", Otherwise("the measure's other subject"), "The sensor it is measured by."),
        key("at", Time, "s", Otherwise("`\"end\"`, unless `window` is given"), "When it is measured."),
        key(
            "window",
            Window,
            "s",
            Otherwise("—"),
            "Over which time; see each measure for what is done over it.",
        ),
        key("value", Number(Any), "the measure's", Otherwise("—"), "The expected value."),
        key("abs", Number(NotNegative), "the measure's", Otherwise("—"), "How far from `value` it may be."),
        key("rel", Number(NotNegative), "1", Otherwise("—"), "The same as a share of |`value`|."),
        key("min", Number(Any), "the measure's", Otherwise("—"), "The least it may be."),
        key("max", Number(Any), "the measure's", Otherwise("—"), "The most it may be."),
        key(
            "fails",
            Text,
            "",
            Otherwise("it must hold"),
            "Why this response cannot meet it. The expectation is then an expected failure: a run that meets it is reported, so \
             that the reason can be taken out.",
        ),
    ],
};

pub(crate) static EXCEPT: Section = Section {
    title: "[[except]]",
    meaning: "Some responses cannot meet, or are not asked, what is expected of every response: exactly one of `fails` and \
              `not_asked` says why. The last table that fits holds.",
    keys: &[
        key(
            "expect",
            Text,
            "",
            Required,
            "Names of expectations of every response; `*` stands for any letters.",
        ),
        key("responses", Names, "", Required, "The responses."),
        key(
            "fails",
            Text,
            "",
            Otherwise("—"),
            "Why they cannot meet it: an expected failure, as in `[[expect]]`.",
        ),
        key(
            "not_asked",
            Text,
            "",
            Otherwise("—"),
            "Why it is no test of them, as of a law that they do not have: it is not measured.",
        ),
    ],
};

pub(crate) static RECORD: Section = Section {
    title: "[record]",
    meaning: "How many moments are kept for playback; at most one of the two keys. Never more than one per step.",
    keys: &[
        key(
            "frames",
            Integer(1, COUNT),
            "1",
            Otherwise("240, unless `frame_interval` is given"),
            "How many in all.",
        ),
        key("frame_interval", Number(Positive), "s", Otherwise("`duration` / `frames`"), "Time between two."),
    ],
};
