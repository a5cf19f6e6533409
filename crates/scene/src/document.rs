//! A scene text as a tree in which every key and value remembers its place, and values set on top of it.
//!
//! Takes TOML text; gives [`Node`]s for the reader. An override is one more source beside the file, so an
//! error in it points at what was typed.

use crate::error::{Issue, SceneError, cut};
use crate::suggest;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A stretch of one source's text, in bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    source: usize,
    start: usize,
    end: usize,
}

/// Where a value stood is no part of what it is: two scenes that differ in a comment are the same in words
/// ([`SceneSpec::in_words`](crate::SceneSpec::in_words)).
impl std::fmt::Debug for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Place")
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub place: Place,
    pub value: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Text(String),
    /// `i128` so that an integer too large for the purpose is refused by its bound, not by its width.
    Integer(i128),
    Number(f64),
    Flag(bool),
    /// TOML's dates: no key of a scene takes one.
    Date(String),
    List(Vec<Node>),
    /// In the order of the text.
    Table(Vec<Entry>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub key: String,
    pub key_place: Place,
    pub node: Node,
}

impl Value {
    /// The value's type in words, for "expected …, found …".
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::Text(s) => format!("the text \"{}\"", cut(s, MOST_LETTERS)),
            Self::Integer(i) => format!("the integer {i}"),
            Self::Number(x) => format!("the number {x}"),
            Self::Flag(b) => format!("`{b}`"),
            Self::Date(d) => format!("the date {d}"),
            Self::List(l) => format!("a list of {}", l.len()),
            Self::Table(_) => "a table".into(),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Source {
    origin: String,
    text: String,
}

/// The file and everything set on top of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Document {
    sources: Vec<Source>,
    root: Node,
}

/// Longer texts are cut in messages.
pub(crate) const MOST_LETTERS: usize = 72;

/// Deeper paths lead nowhere in a scene.
const MAX_DEPTH: usize = 16;

impl Document {
    /// The first source: the file.
    #[must_use]
    pub fn text(&self) -> &str {
        self.sources.first().map_or("", |s| &s.text)
    }

    /// Parses TOML; every syntax error is reported with its place.
    pub fn parse(text: &str, origin: &str) -> Result<Self, SceneError> {
        let mut document = Self {
            sources: vec![Source { origin: origin.into(), text: text.into() }],
            root: Node { place: Place { source: 0, start: 0, end: 0 }, value: Value::Table(Vec::new()) },
        };
        let (table, errors) = DeTable::parse_recoverable(text);
        if !errors.is_empty() {
            let issues = errors.iter().map(|e| {
                let span = e.span().unwrap_or(0..0);
                let place = Place { source: 0, start: span.start, end: span.end };
                let fix = "correct the TOML here; strings stand in quotes, tables in [brackets], see https://toml.io";
                document.issue(place, e.message().to_string(), fix.into())
            });
            return Err(SceneError::new(issues.collect()));
        }
        document.root.value = table_value(table.get_ref(), 0, 0);
        Ok(document)
    }

    /// A document without text.
    #[must_use]
    pub fn empty() -> Self {
        let place = Place { source: 0, start: 0, end: 0 };
        Self { sources: Vec::new(), root: Node { place, value: Value::Table(Vec::new()) } }
    }

    #[must_use]
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// What stands at a place.
    #[must_use]
    pub fn source(&self, place: Place) -> &str {
        self.sources.get(place.source).and_then(|s| s.text.get(place.start..place.end)).unwrap_or_default()
    }

    /// A finding at a place: line, column and the line's text are looked up here.
    #[must_use]
    pub fn issue(&self, place: Place, what: String, fix: String) -> Issue {
        let Some(source) = self.sources.get(place.source) else {
            return Issue::placeless("scene", what, fix);
        };
        if place.source > 0 {
            // One line, typed by who reads this.
            return Issue::placeless(source.origin.clone(), what, fix);
        }
        let text = source.text.as_str();
        let start = floor_char(text, place.start);
        let end = floor_char(text, place.end).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |i| i + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |i| start + i);
        let shown_end = end.min(line_end).max(start);
        Issue {
            origin: source.origin.clone(),
            line: text[..start].matches('\n').count() + 1,
            column: text[line_start..start].chars().count() + 1,
            source_line: text[line_start..line_end].trim_end_matches('\r').to_string(),
            width: text[start..shown_end].chars().count().max(1),
            what,
            fix,
        }
    }

    /// Puts `value` (TOML, or a bare word) at a dotted path such as `scene.dt` or `body.ball.mass`.
    ///
    /// A list of tables is entered by an element's `name`, by its number from 0, or, for pairs, by both
    /// materials joined with `+`. Whether the key exists is decided when the document is read.
    pub fn set(&mut self, path: &str, value: &str) -> Result<(), SceneError> {
        let source = self.sources.len();
        let text = format!("{path} = {value}");
        let value_place = Place { source, start: path.len() + 3, end: text.len() };
        self.sources.push(Source { origin: format!("set {}", cut(&text, MOST_LETTERS)), text });
        let result = self.set_at(path, value, source, value_place);
        if result.is_err() {
            self.sources.pop();
        }
        result
    }

    fn set_at(
        &mut self,
        path: &str,
        value: &str,
        source: usize,
        value_place: Place,
    ) -> Result<(), SceneError> {
        let new = Node { place: value_place, value: parse_value(value, source, value_place) };
        // The path is walked twice: once over a shared borrow so that a wrong step can name its place.
        let mut steps = Vec::new();
        let mut at = 0;
        for segment in path.split('.') {
            steps.push((segment, Place { source, start: at, end: at + segment.len() }));
            at += segment.len() + 1;
        }
        if steps.iter().any(|(s, _)| s.is_empty()) || steps.len() > MAX_DEPTH {
            let place = Place { source, start: 0, end: path.len() };
            let what = format!("`{path}` is not a path to a key");
            let fix = "write names joined by dots: scene.dt, body.ball.mass, pair.0.mu_s".into();
            return Err(self.issue(place, what, fix).into());
        }
        let mut node = &self.root;
        for (i, &(segment, place)) in steps.iter().enumerate() {
            match &node.value {
                Value::Table(entries) => match entries.iter().find(|e| e.key == segment) {
                    Some(entry) => node = &entry.node,
                    None => break,
                },
                Value::List(items) => match element(items, segment) {
                    Some(index) => node = &items[index],
                    None => {
                        let (what, fix) = no_such_element(items, &steps[..i], segment);
                        return Err(self.issue(place, what, fix).into());
                    }
                },
                other => {
                    let what = format!("there is no `{segment}` here: {} stands before it", other.describe());
                    let fix = format!("set {} as a whole", join(&steps[..i]));
                    return Err(self.issue(place, what, fix).into());
                }
            }
        }
        let mut node = &mut self.root;
        for &(segment, place) in &steps {
            node = match &mut node.value {
                Value::Table(entries) => {
                    let index = entries.iter().position(|e| e.key == segment).unwrap_or_else(|| {
                        let node = Node { place, value: Value::Table(Vec::new()) };
                        entries.push(Entry { key: segment.to_string(), key_place: place, node });
                        entries.len() - 1
                    });
                    entries[index].key_place = place;
                    &mut entries[index].node
                }
                Value::List(items) => match element(items, segment) {
                    Some(index) => &mut items[index],
                    None => return Ok(()),
                },
                // The first walk returned for anything else.
                _ => return Ok(()),
            };
        }
        *node = new;
        Ok(())
    }
}

/// A default of the schema as a node; it takes the place of the table it is missing from.
pub(crate) fn literal(text: &str, place: Place) -> Option<Node> {
    let value = DeValue::parse(text).ok()?;
    let mut node = to_node(&value, place.source, 0);
    move_to(&mut node, place);
    Some(node)
}

fn move_to(node: &mut Node, place: Place) {
    node.place = place;
    match &mut node.value {
        Value::List(items) => items.iter_mut().for_each(|n| move_to(n, place)),
        Value::Table(entries) => entries.iter_mut().for_each(|e| {
            e.key_place = place;
            move_to(&mut e.node, place);
        }),
        _ => {}
    }
}

fn parse_value(text: &str, source: usize, place: Place) -> Value {
    let lead = text.len() - text.trim_start().len();
    match DeValue::parse(text.trim()) {
        Ok(value) => to_node(&value, source, place.start + lead).value,
        // A bare word needs no quotes on a command line.
        Err(_) => Value::Text(text.trim().to_string()),
    }
}

fn element(items: &[Node], segment: &str) -> Option<usize> {
    let by_name = items.iter().position(|n| text_of(n, "name").is_some_and(|name| name == segment));
    let by_pair = || {
        let (a, b) = segment.split_once('+')?;
        items.iter().position(|n| {
            let words = materials_of(n).unwrap_or_default();
            words == [a, b] || words == [b, a]
        })
    };
    by_name.or_else(by_pair).or_else(|| segment.parse().ok().filter(|&i: &usize| i < items.len()))
}

/// The materials that an element of a list is about.
fn materials_of(element: &Node) -> Option<Vec<&str>> {
    let Value::List(m) = &field(element, "materials")?.value else { return None };
    Some(
        m.iter()
            .filter_map(|n| if let Value::Text(t) = &n.value { Some(t.as_str()) } else { None })
            .collect(),
    )
}

fn no_such_element(items: &[Node], before: &[(&str, Place)], segment: &str) -> (String, String) {
    let names: Vec<&str> = items.iter().filter_map(|n| text_of(n, "name")).collect();
    let what = format!("{} has no element `{segment}`", join(before));
    if names.is_empty() {
        let pairs: Vec<String> = items.iter().filter_map(materials_of).map(|m| m.join("+")).collect();
        let fix = match items.len() {
            0 => "the list is empty".to_string(),
            n if pairs.len() == n => {
                format!("the pairs here are: `{}`; or write a number from 0 to {}", pairs.join("`, `"), n - 1)
            }
            n => format!("write a number from 0 to {}", n - 1),
        };
        return (what, fix);
    }
    if let Some(base) = segment.rsplit_once('-').map(|(base, _)| base)
        && names.contains(&base)
    {
        return (what, format!("`{segment}` is a copy of `{base}`; set {}.{base}", join(before)));
    }
    (what, suggest::did_you_mean(segment, &names, "elements"))
}

fn join(steps: &[(&str, Place)]) -> String {
    steps.iter().map(|(s, _)| *s).collect::<Vec<_>>().join(".")
}

fn field<'a>(node: &'a Node, key: &str) -> Option<&'a Node> {
    match &node.value {
        Value::Table(entries) => entries.iter().find(|e| e.key == key).map(|e| &e.node),
        _ => None,
    }
}

fn text_of<'a>(node: &'a Node, key: &str) -> Option<&'a str> {
    match &field(node, key)?.value {
        Value::Text(t) => Some(t),
        _ => None,
    }
}

fn floor_char(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn to_node(value: &Spanned<DeValue<'_>>, source: usize, offset: usize) -> Node {
    let span = value.span();
    let place = Place { source, start: span.start + offset, end: span.end + offset };
    let value = match value.get_ref() {
        DeValue::String(s) => Value::Text(s.to_string()),
        // The parser has accepted the digits; what does not fit an i128 is out of every bound anyway.
        DeValue::Integer(i) => {
            Value::Integer(i128::from_str_radix(i.as_str(), i.radix()).unwrap_or(i128::MAX))
        }
        DeValue::Float(f) => Value::Number(f.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(b) => Value::Flag(*b),
        DeValue::Datetime(d) => Value::Date(d.to_string()),
        DeValue::Array(items) => Value::List(items.iter().map(|n| to_node(n, source, offset)).collect()),
        DeValue::Table(table) => table_value(table, source, offset),
    };
    Node { place, value }
}

fn table_value(table: &DeTable<'_>, source: usize, offset: usize) -> Value {
    let mut entries: Vec<Entry> = table
        .iter()
        .map(|(key, value)| {
            let span = key.span();
            Entry {
                key: key.get_ref().to_string(),
                key_place: Place { source, start: span.start + offset, end: span.end + offset },
                node: to_node(value, source, offset),
            }
        })
        .collect();
    entries.sort_by_key(|e| e.key_place.start);
    Value::Table(entries)
}
