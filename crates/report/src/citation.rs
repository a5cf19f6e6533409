//! What to cite for a response: BibTeX of the papers it is built on, and of Impinge.
//!
//! Where the text at hand names no author, none is given here.

use crate::tables::escape;
#[cfg(feature = "world")]
use impinge_world::Family;
use std::borrow::Cow;

/// Impinge itself.
const IMPINGE: &str = "@software{impinge,
  author  = \"{The Impinge project}\",
  title   = \"{Impinge}: collision response between rigid and deformable meshes\",
  version = {0.1.0}
}";

/// The entries for a response by its name, or for several joined by ` + `, each once. For a response that is not Impinge's a line says
/// that its paper is to be added.
#[must_use]
pub fn bibtex(response: &str) -> Vec<Cow<'static, str>> {
    let mut out: Vec<Cow<str>> = Vec::new();
    for entry in response.split(" + ").flat_map(entries_of) {
        if !out.contains(&entry) {
            out.push(entry);
        }
    }
    out.push(IMPINGE.into());
    out
}

fn entries_of(response: &str) -> Vec<Cow<'static, str>> {
    let papers = papers(response);
    if papers.is_empty() {
        return vec![format!("% add the paper of '{response}', which {UNKNOWN}").into()];
    }
    papers.iter().map(|&p| p.into()).collect()
}

#[cfg(feature = "world")]
const UNKNOWN: &str = "is not part of Impinge";
#[cfg(not(feature = "world"))]
const UNKNOWN: &str = "is known with the feature `world` of impinge-report";

#[cfg(feature = "world")]
fn papers(response: &str) -> &'static [&'static str] {
    Family::named(response).map_or(&[], |f| f.response().cites())
}

#[cfg(not(feature = "world"))]
fn papers(_: &str) -> &'static [&'static str] {
    &[]
}

/// The entries for all of these, each once, to be unfolded on a page.
pub(crate) fn html<'a>(responses: impl Iterator<Item = &'a str>) -> String {
    let mut entries: Vec<Cow<str>> = Vec::new();
    for e in responses.flat_map(bibtex) {
        if !entries.contains(&e) {
            entries.push(e);
        }
    }
    // Impinge last, whatever the order of the runs.
    entries.sort_by_key(|e| *e == IMPINGE);
    format!(
        "<details class=\"card prose\"><summary><h2>How to cite</h2></summary><pre>{}</pre></details>",
        escape(&entries.join("\n\n"))
    )
}

#[cfg(all(test, feature = "world"))]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_balanced_and_stands_once() {
        for name in Family::ALL {
            let entries = bibtex(name.name());
            assert!(entries.len() >= 2 && entries.last().is_some_and(|e| e == IMPINGE), "{name:?}");
            for e in &entries {
                let depth = e.chars().fold(0i32, |d, c| d + i32::from(c == '{') - i32::from(c == '}'));
                assert!(e.starts_with('@') && e.ends_with('}') && depth == 0, "{e}");
            }
        }
        assert_eq!(
            bibtex("my own + my own"),
            ["% add the paper of 'my own', which is not part of Impinge", IMPINGE]
        );
        let page = html(["cpf", "penalty", "cpf"].into_iter());
        assert_eq!(page.matches("tang2012continuous").count(), 1);
        assert_eq!(page.matches("@software").count(), 1);
    }
}
