//! Expectations: what is measured, on what, when, and between which bounds.

use crate::measure::{Measure, Subject};
use crate::reader::Reader;
use crate::spec::{ExpectSpec, Motion, SceneSpec, Target, When};
use crate::suggest;

/// What is said of single responses, and what is said of every one.
pub(super) fn expectations(
    tables: &[Reader<'_>],
    bodies: &[String],
    scene: &SceneSpec,
) -> (Vec<ExpectSpec>, Vec<ExpectSpec>) {
    let mut out: Vec<ExpectSpec> = Vec::new();
    let mut every: Vec<ExpectSpec> = Vec::new();
    for table in tables {
        let name = table.text("name");
        let response = table.opt_word("response", &super::model::responses()).unwrap_or(scene.response);
        let of_every = table.flag("every_response");
        if of_every {
            table.refuse("response", "stands beside `every_response`", "keep one of them");
        }
        let told = if of_every { &every } else { &out };
        if !name.is_empty() && told.iter().any(|e| e.name == name && (of_every || e.response == response)) {
            let what = format!("there are two expectations `{name}` of `{}`", response.name());
            table.issues().push(table.place("name"), what, "give each its own name");
        }
        let measure = match table.opt_text("measure").map(|m| Measure::from_name(&m).map_err(|fix| (m, fix)))
        {
            Some(Ok(measure)) => Some(measure),
            Some(Err((word, fix))) => {
                table.issues().push(table.place("measure"), format!("there is no measure `{word}`"), fix);
                None
            }
            None => None,
        };
        let target = target(table, bodies, scene, measure);
        let when = when(table, scene.duration);
        if let Some(m) = measure
            && m.needs_window()
            && !matches!(when, When::Window(..))
            && !table.is_bad("window")
        {
            let what = format!("`{}` is measured over a window", m.name());
            table.issues().push(table.place("measure"), what, "add `window = [from, to]`");
        }
        let bounds = bounds(table);
        let fails = table.opt_text("fails");
        if fails.as_deref().is_some_and(|f| f.trim().is_empty()) {
            table.issues().push(
                table.place("fails"),
                "`fails` gives no reason",
                "say why this response cannot meet it",
            );
        }
        let Some(measure) = measure else { continue };
        let (value, min, max) = bounds;
        let list = if of_every { &mut every } else { &mut out };
        list.push(ExpectSpec { name, response, measure, target, when, value, min, max, fails });
    }
    (out, every)
}

/// Measures that make sense of a body and itself.
fn counts_contacts(measure: Measure) -> bool {
    matches!(measure, Measure::Contacts | Measure::ContactTime | Measure::MaxDepth | Measure::MeanDepth)
}

fn target(table: &Reader<'_>, bodies: &[String], scene: &SceneSpec, measure: Option<Measure>) -> Target {
    let known: Vec<&str> = bodies.iter().map(String::as_str).collect();
    let find = |name: &str, place| {
        let found = bodies.iter().position(|b| b == name);
        if found.is_none() {
            let copy = format!("{name}-0");
            let fix = if bodies.contains(&copy) {
                format!("`{name}` is repeated; name one of its copies, such as `{copy}`")
            } else {
                suggest::did_you_mean(name, &known, "the bodies are")
            };
            table.issues().push(place, format!("no body is called `{name}`"), fix);
        }
        found.unwrap_or(0)
    };
    let body = table.opt_text("body").map(|name| find(&name, table.place("body")));
    let pair = table.pair("pair").map(|pair| pair.map(|(name, place)| find(&name, place)));
    let sensor = table.opt_text("sensor").map(|name| find_sensor(table, &name, scene));
    if let Some(m) = measure {
        let [has_body, has_pair, has_sensor] = ["body", "pair", "sensor"].map(|key| table.states(key));
        if !m.subject().allows(has_body, has_pair, has_sensor) {
            let what = format!("`{}` is measured on {}", m.name(), m.subject().words());
            let fix = match m.subject() {
                Subject::Sensor => "add `sensor = \"…\"`, and no `pair`",
                _ if has_sensor => "take `sensor` out",
                Subject::Body => "add `body = \"…\"`, and no `pair`",
                Subject::Pair => "add `pair = [\"…\", \"…\"]`, and no `body`",
                Subject::BodyOrPair => "add `body = \"…\"` or `pair = [\"…\", \"…\"]`, not both",
                Subject::Scene => "take `body` and `pair` out",
                Subject::SceneOrBody => "take `pair` out",
                Subject::Anything => "keep one of `body` and `pair`",
            };
            table.issues().push(table.place("measure"), what, fix);
        }
    }
    if let Some(sensor) = sensor {
        return Target::Sensor(sensor, body);
    }
    match (body, pair) {
        (_, Some([a, b])) => {
            let own = matches!(&scene.bodies[a].motion, Motion::Deformable(d) if d.self_contact);
            if a == b && !(own && measure.is_none_or(counts_contacts)) && table.issues().is_empty() {
                let what = "`pair` names one body twice";
                let fix = "name two bodies; what a body with `self_contact` does to itself has `contacts`, `contact_time`, `max_depth` and `mean_depth`";
                table.issues().push(table.place("pair"), what, fix);
            }
            Target::Pair(a, b)
        }
        (Some(body), None) => Target::Body(body),
        (None, None) => Target::Scene,
    }
}

fn find_sensor(table: &Reader<'_>, name: &str, scene: &SceneSpec) -> usize {
    let found = scene.sensors.iter().position(|s| s.name == name);
    if found.is_none() {
        let known: Vec<&str> = scene.sensors.iter().map(|s| s.name.as_str()).collect();
        let fix = match known[..] {
            [] => "add a [[sensor]] with a name and a mesh".to_string(),
            _ => suggest::did_you_mean(name, &known, "the sensors are"),
        };
        table.issues().push(table.place("sensor"), format!("no sensor is called `{name}`"), fix);
    }
    found.unwrap_or(0)
}

fn when(table: &Reader<'_>, duration: f64) -> When {
    if table.states("window") {
        table.refuse("at", "stands beside `window`", "keep one of them");
    }
    let late = |key: &str, time: f64| {
        if time > duration {
            let what = format!("`{key}` reaches {time} s, but the scene ends at {duration} s");
            table.issues().push(table.place(key), what, "measure within the scene's `duration`, or raise it");
        }
    };
    if let Some([from, to]) = table.window("window") {
        late("window", to);
        return When::Window(from, to);
    }
    match table.opt_number("at") {
        Some(time) => {
            late("at", time);
            When::At(time)
        }
        None => When::End,
    }
}

type Bounds = (Option<(f64, f64)>, Option<f64>, Option<f64>);

fn bounds(table: &Reader<'_>) -> Bounds {
    let value = table.opt_number("value");
    let (abs, rel) = (table.opt_number("abs"), table.opt_number("rel"));
    let (min, max) = (table.opt_number("min"), table.opt_number("max"));
    let states = |key| table.states(key);
    if !states("value") && !states("min") && !states("max") {
        let fix = "add `value` with `abs` or `rel`, or `min`, or `max`";
        table.issues().push(table.place("measure"), "this expectation expects nothing", fix);
    }
    if states("value") && !states("abs") && !states("rel") {
        let fix = "add `abs = …` (in the measure's unit) or `rel = …` (a share of |value|)";
        table.issues().push(table.place("value"), "`value` has no tolerance", fix);
    }
    if !states("value") {
        for key in ["abs", "rel"] {
            table.refuse(key, "is a tolerance of `value`, which is not given", "add `value`, or take it out");
        }
    }
    if let (Some(lo), Some(hi)) = (min, max)
        && lo > hi
    {
        let what = format!("`min` ({lo}) is above `max` ({hi})");
        table.issues().push(table.place("min"), what, "swap them");
    }
    let tolerance = |v: f64| abs.unwrap_or(0.0).max(rel.unwrap_or(0.0) * v.abs());
    (value.map(|v| (v, tolerance(v))), min, max)
}
