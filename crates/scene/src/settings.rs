//! What a scene sets, key by key in its own words: for tables that a reader compares with the file.

use crate::document::{Document, Entry, Node, Value};
use crate::schema::{Absent, Key, Kind, Section, top};
use crate::spec::{Response, SceneSpec};

/// One key of a scene with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Path of the key, as [`SceneSpec::set`] takes it: `pair.0.mu_s`.
    pub key: String,
    /// The value as it is written, or what holds where the scene does not say.
    pub value: String,
    /// SI unit; empty for pure numbers and for words.
    pub unit: String,
    /// Whether the scene states it; else it is the default.
    pub stated: bool,
}

/// Longer values are told by their length.
const MOST_LETTERS: usize = 72;

/// Tables and keys that set nothing of the run: words, colours, and what is expected of it.
const WORDS: [&str; 10] = [
    "expect",
    "except",
    "record",
    "scene.title",
    "scene.description",
    "scene.response",
    "material.name",
    "body.name",
    "body.color",
    "body.replaceable",
];

/// Defaults that are shown of every scene.
const ALWAYS: &[&str] = &["scene.gravity", "scene.integrator", "pair.mu_s", "pair.mu_k", "pair.damping"];

impl SceneSpec {
    /// The keys that decide a run under `response`: those that the scene states, and the defaults that matter. A key set on top of the
    /// file counts as stated; so does a duration set in the spec.
    #[must_use]
    pub fn settings(&self, response: Response) -> Vec<Setting> {
        let asked = self.rules.iter().filter_map(|r| r.response).chain([response]);
        let read: Vec<&str> = asked.map(|r| r.section.name()).collect();
        let all = Response::all().into_iter().map(|r| r.section.name());
        let unread = all.filter(|t| !read.contains(t)).collect();
        let mut walk = Walk { document: &self.document, unread, response, out: Vec::new() };
        let Value::Table(entries) = &self.document.root().value else { return Vec::new() };
        walk.table(&At::default(), entries, top());
        if self.dt_suggested {
            let value = self.dt.to_string();
            walk.out.push(Setting {
                key: "scene.dt".to_string(),
                value,
                unit: "s".to_string(),
                stated: false,
            });
        }
        for s in walk.out.iter_mut().filter(|s| s.key == "scene.duration") {
            if s.value.parse() != Ok(self.duration) {
                s.value = self.duration.to_string();
            }
        }
        walk.out
    }
}

/// Where the walk is: the path to write, the same without names and numbers of elements, and whether stiffness is per area there, or about an axis.
#[derive(Clone, Default)]
struct At {
    path: String,
    kind: String,
    per_area: bool,
    second_unit: bool,
    /// A law whose stiffness is left to the bodies.
    suggested: bool,
}

impl At {
    fn key(&self, name: &str) -> Self {
        let below = |path: &str| if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
        Self { path: below(&self.path), kind: below(&self.kind), ..*self }
    }

    fn element(&self, name: &str) -> Self {
        Self { path: format!("{}.{name}", self.path), ..self.clone() }
    }
}

struct Walk<'a> {
    document: &'a Document,
    /// Tables at the top that the run does not read.
    unread: Vec<&'static str>,
    response: Response,
    out: Vec<Setting>,
}

impl Walk<'_> {
    fn table(&mut self, at: &At, entries: &[Entry], section: &'static Section) {
        let mut at = at.clone();
        at.per_area |= entries.iter().any(|e| e.key == "stiffness_per_area");
        at.suggested = at.kind == "pair" && !at.per_area && !entries.iter().any(|e| e.key == "stiffness");
        let turns =
            |e: &Entry| e.key == "axis" && matches!(&e.node.value, Value::Text(t) if t.starts_with('r'));
        at.second_unit = entries.iter().any(turns);
        for key in section.keys {
            let here = at.key(key.name);
            if WORDS.contains(&here.kind.as_str()) || self.unread.contains(&here.kind.as_str()) {
                continue;
            }
            match (&key.kind, entries.iter().find(|e| e.key == key.name).map(|e| &e.node)) {
                (
                    Kind::Table(below) | Kind::WordOrTable(_, below),
                    Some(Node { value: Value::Table(inner), .. }),
                ) => self.table(&here, inner, below),
                (Kind::Table(below), None) if at.path.is_empty() => self.table(&here, &[], below),
                (Kind::Tables(below), Some(Node { value: Value::List(items), .. })) => {
                    self.list(&here, items, below);
                }
                (_, Some(node)) => self.push(&here, key, self.written(node), true),
                (_, None) => self.default(&here, key),
            }
        }
    }

    fn list(&mut self, at: &At, items: &[Node], section: &'static Section) {
        for (i, item) in items.iter().enumerate() {
            let Value::Table(entries) = &item.value else { continue };
            let name = entries.iter().find(|e| e.key == "name").map(|e| &e.node.value);
            let name = if let Some(Value::Text(name)) = name { name.clone() } else { i.to_string() };
            self.table(&at.element(&name), entries, section);
        }
    }

    fn default(&mut self, at: &At, key: &Key) {
        let shown = match at.kind.split_once('.') {
            Some((table, key)) if table == self.response.section.name() => self.response.shown.contains(&key),
            _ => ALWAYS.contains(&at.kind.as_str()),
        };
        if !shown {
            return;
        }
        let value = match key.absent {
            _ if at.suggested && at.kind == "pair.damping" => "suggested",
            Absent::Default(text) => text.trim_matches('"'),
            // What depends on other keys is words, and has no unit.
            Absent::Otherwise(words) => {
                let value = words.replace(['`', '"'], "");
                self.out.push(Setting { key: at.path.clone(), value, unit: String::new(), stated: false });
                return;
            }
            Absent::Required => return,
        };
        self.push(at, key, value.to_string(), false);
    }

    fn push(&mut self, at: &At, key: &Key, value: String, stated: bool) {
        // "N/m (N/m³ with `stiffness_per_area`)"
        let unit = match key.unit.split_once(" (") {
            Some((_, area)) if at.per_area || at.second_unit => area.split(' ').next().unwrap_or_default(),
            Some((point, _)) => point,
            None if key.unit == "1" => "",
            None => key.unit,
        };
        self.out.push(Setting { key: at.path.clone(), value, unit: unit.to_string(), stated });
    }

    /// The value as its source has it, on one line and without the quotes of a text.
    fn written(&self, node: &Node) -> String {
        match &node.value {
            Value::Text(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
            value => {
                let text = self.document.source(node.place);
                let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
                // On one line a comment would take in what stands behind it.
                let commented = text.contains('#') && text.contains('\n');
                if commented || line.chars().count() > MOST_LETTERS { value.describe() } else { line }
            }
        }
    }
}
