//! Exceptions: what some responses cannot meet, or are not asked, of what is expected of every response.

use crate::document::Place;
use crate::names::fits;
use crate::reader::Reader;
use crate::spec::{ExpectSpec, NotAsked, Response};
use crate::suggest;

/// One table `[[except]]`.
pub(super) struct Exception {
    pattern: String,
    responses: Vec<Response>,
    reason: Reason,
    place: Place,
}

enum Reason {
    Fails(String),
    NotAsked(String),
}

pub(super) fn exceptions(tables: &[Reader<'_>]) -> Vec<Exception> {
    tables.iter().filter_map(exception).collect()
}

fn exception(table: &Reader<'_>) -> Option<Exception> {
    let known = super::model::responses();
    let mut responses = Vec::new();
    for (name, place) in table.names("responses").unwrap_or_default() {
        match known.iter().find(|(word, _)| *word == name) {
            Some(&(_, response)) => responses.push(response),
            None => {
                let words: Vec<&str> = known.iter().map(|(word, _)| *word).collect();
                let fix = suggest::did_you_mean(&name, &words, "there are");
                table.issues().push(place, format!("there is no response `{name}`"), fix);
            }
        }
    }
    let key = table.exactly_one(&["fails", "not_asked"])?;
    let text = table.text(key);
    if text.trim().is_empty() && !table.is_bad(key) {
        table.issues().push(table.place(key), format!("`{key}` gives no reason"), "say why");
    }
    let reason = if key == "fails" { Reason::Fails(text) } else { Reason::NotAsked(text) };
    Some(Exception { pattern: table.text("expect"), responses, reason, place: table.place("expect") })
}

/// Says what is expected of every response of each of them that has nothing of that name of its own; the last exception that fits holds.
pub(super) fn of_each(
    every: Vec<ExpectSpec>,
    exceptions: &[Exception],
    tables: &[Reader<'_>],
    out: &mut Vec<ExpectSpec>,
) -> Vec<NotAsked> {
    let mut not_asked = Vec::new();
    let mut chosen = vec![false; exceptions.len()];
    for e in &every {
        for response in Response::all() {
            if out.iter().any(|own| own.name == e.name && own.response == response) {
                continue;
            }
            let fitting =
                exceptions.iter().rposition(|x| x.responses.contains(&response) && fits(&x.pattern, &e.name));
            if let Some(x) = fitting {
                chosen[x] = true;
            }
            match fitting.map(|x| &exceptions[x].reason) {
                Some(Reason::NotAsked(why)) => {
                    not_asked.push(NotAsked { name: e.name.clone(), response, why: why.clone() });
                }
                Some(Reason::Fails(why)) => {
                    out.push(ExpectSpec { response, fails: Some(why.clone()), ..e.clone() });
                }
                None => out.push(ExpectSpec { response, ..e.clone() }),
            }
        }
    }
    let idle = exceptions.iter().zip(chosen).filter_map(|(x, chosen)| (!chosen).then_some(x));
    for x in idle {
        // Where something else is wrong, what is expected is not known.
        let Some(table) = tables.first().filter(|t| t.issues().is_empty()) else { break };
        let known: Vec<&str> = every.iter().map(|e| e.name.as_str()).collect();
        if !known.iter().any(|name| fits(&x.pattern, name)) {
            let what = format!("nothing called `{}` is expected of every response", x.pattern);
            table.issues().push(x.place, what, suggest::did_you_mean(&x.pattern, &known, "there are"));
        } else if !x.responses.is_empty() {
            let what = format!(
                "nothing is left to `{}`: its responses have expectations of their own, or a later table",
                x.pattern
            );
            table.issues().push(x.place, what, "leave it out, or name other responses");
        }
    }
    not_asked
}
