//! Reads one table of the document by its schema section: refuses unknown keys, checks every value, keeps going.
//!
//! A finding is recorded and reading goes on with a harmless stand-in, so that one run shows every mistake. The
//! stand-ins never leave this crate: a document with findings gives no scene.

use crate::document::{self, Document, Entry, Node, Place, Value};
use crate::error::{Issue, SceneError};
use crate::schema::{Absent, Kind, Section};
use crate::spec::Response;
use crate::suggest;
use crate::values::{check, number, text, vector};
use impinge_geometry::{DVec3, try_normalized};
use impinge_world::{SettingValue, Settings};
use std::cell::RefCell;

/// Where findings are collected.
pub(crate) struct Issues<'a> {
    document: &'a Document,
    list: RefCell<Vec<Issue>>,
}

impl<'a> Issues<'a> {
    #[must_use]
    pub fn new(document: &'a Document) -> Self {
        Self { document, list: RefCell::new(Vec::new()) }
    }

    pub fn push(&self, place: Place, what: impl Into<String>, fix: impl Into<String>) {
        self.list.borrow_mut().push(self.document.issue(place, what.into(), fix.into()));
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.borrow().is_empty()
    }

    pub fn into_result(self) -> Result<(), SceneError> {
        let list = self.list.into_inner();
        if list.is_empty() { Ok(()) } else { Err(SceneError::new(list)) }
    }
}

/// One table being read.
pub(crate) struct Reader<'a> {
    issues: &'a Issues<'a>,
    section: &'static Section,
    entries: &'a [Entry],
    /// The table itself; where a missing key is reported.
    place: Place,
    /// Defaults and values that passed the check, by key.
    defaults: Vec<(&'static str, Node)>,
    bad: Vec<&'static str>,
}

impl<'a> Reader<'a> {
    /// Opens a table: unknown keys, values of the wrong type or out of bounds, and missing required keys are
    /// all reported here.
    #[must_use]
    pub fn new(issues: &'a Issues<'a>, node: &'a Node, section: &'static Section) -> Self {
        let entries: &[Entry] = if let Value::Table(entries) = &node.value { entries } else { &[] };
        Self::open(issues, entries, node.place, section)
    }

    fn open(issues: &'a Issues<'a>, entries: &'a [Entry], place: Place, section: &'static Section) -> Self {
        let mut reader = Self { issues, section, entries, place, defaults: Vec::new(), bad: Vec::new() };
        let mut listed = false;
        for entry in entries {
            match section.key(&entry.key) {
                None => {
                    let what = format!("`{}` is not a key of {}", entry.key, suggest::named(section));
                    let fix = suggest::key(&entry.key, section, std::mem::replace(&mut listed, true));
                    issues.push(entry.key_place, what, fix);
                }
                Some(key) => {
                    if let Err((place, what, fix)) = check(key, &entry.node) {
                        issues.push(place, what, fix);
                        reader.bad.push(key.name);
                    }
                }
            }
        }
        for key in section.keys {
            if entries.iter().any(|e| e.key == key.name) {
                continue;
            }
            match key.absent {
                Absent::Required => {
                    let what = format!("{} has no `{}`", suggest::named(section), key.name);
                    let unit = if key.unit.is_empty() { String::new() } else { format!(" ({})", key.unit) };
                    let fix = format!("add `{} = …`, {}{unit}. {}", key.name, key.kind.words(), key.meaning);
                    issues.push(place, what, fix);
                    reader.bad.push(key.name);
                }
                Absent::Default(text) => {
                    if let Some(node) = document::literal(text, place) {
                        reader.defaults.push((key.name, node));
                    }
                }
                Absent::Otherwise(_) => {}
            }
        }
        reader
    }

    #[must_use]
    pub fn issues(&self) -> &'a Issues<'a> {
        self.issues
    }

    /// A response with the settings of its table; `None` where that is no table.
    #[must_use]
    pub fn response(&self, of: Response) -> Option<impinge_world::Response> {
        let table = self.table(of.section.name())?;
        let good = table.entries.iter().filter(|e| !table.is_bad(&e.key));
        let stated = good.filter_map(|e| {
            let value = match &e.node.value {
                Value::Number(x) => SettingValue::Number(*x),
                Value::Integer(i) => SettingValue::Number(*i as f64),
                Value::Text(t) => SettingValue::Text(t.clone()),
                Value::Flag(f) => SettingValue::Flag(*f),
                Value::Date(_) | Value::List(_) | Value::Table(_) => return None,
            };
            Some((of.section.key(&e.key)?.name, value))
        });
        let mut settings = Settings::new(of.section, stated);
        let response = (of.read)(&mut settings);
        for f in settings.findings() {
            let place = if f.misplaced { table.key_place(f.key) } else { table.place(f.key) };
            self.issues.push(place, f.what.clone(), f.fix.clone());
        }
        Some(response)
    }

    /// The place of a key's value, or of the table when the key is absent.
    #[must_use]
    pub fn place(&self, key: &str) -> Place {
        self.entry(key).map_or(self.place, |e| e.node.place)
    }

    /// The place of a key, or of the table when the key is absent.
    #[must_use]
    pub fn key_place(&self, key: &str) -> Place {
        self.entry(key).map_or(self.place, |e| e.key_place)
    }

    /// Whether a finding was reported for this key's own value.
    #[must_use]
    pub fn is_bad(&self, key: &str) -> bool {
        self.bad.contains(&key)
    }

    /// Whether the file states this key, rightly or wrongly.
    #[must_use]
    pub fn states(&self, key: &str) -> bool {
        self.node(key);
        self.entry(key).is_some()
    }

    fn entry(&self, key: &str) -> Option<&'a Entry> {
        self.entries.iter().find(|e| e.key == key)
    }

    /// The checked value: stated, or the default; `None` when absent or already reported.
    fn node(&self, key: &str) -> Option<&Node> {
        #[cfg(test)]
        asked::note(self.section.title, key);
        if self.bad.contains(&key) {
            return None;
        }
        match self.entry(key) {
            Some(entry) => Some(&entry.node),
            None => self.defaults.iter().find(|(name, _)| *name == key).map(|(_, node)| node),
        }
    }

    /// Which of several keys is stated; reports when not exactly one is.
    #[must_use]
    pub fn exactly_one(&self, keys: &[&'static str]) -> Option<&'static str> {
        for key in keys {
            self.node(key);
        }
        // In the order of the file: the later one is the one too many.
        let stated: Vec<&'static str> =
            self.entries.iter().filter_map(|e| keys.iter().copied().find(|k| *k == e.key)).collect();
        let list = keys.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", ");
        match stated[..] {
            [one] => Some(one),
            [] => {
                // A mistyped key is already reported; "none of these" would say the same thing twice.
                if self.entries.iter().all(|e| self.section.key(&e.key).is_some()) {
                    let what = format!("{} states none of {list}", suggest::named(self.section));
                    self.issues.push(self.place, what, "state one of them");
                }
                None
            }
            [first, second, ..] => {
                let what = format!("`{second}` stands beside `{first}`");
                let fix = format!("keep exactly one of {list}");
                self.issues.push(self.key_place(second), what, fix);
                None
            }
        }
    }

    /// Reports a key that is stated where it has no effect.
    pub fn refuse(&self, key: &str, what: &str, fix: &str) {
        if self.states(key) {
            self.issues.push(self.key_place(key), format!("`{key}` {what}"), fix);
        }
    }

    /// Reports a time at which nothing of the run is left.
    pub fn refuse_late(&self, key: &str, duration: f64) {
        if let Some(time) = self.opt_number(key).filter(|time| *time >= duration) {
            let what = format!("`{key}` is {time} s, and the scene ends at {duration} s: it does nothing");
            self.issues.push(self.place(key), what, "give a time within the scene's `duration`, or raise it");
        }
    }

    #[must_use]
    pub fn opt_number(&self, key: &str) -> Option<f64> {
        self.node(key).and_then(number)
    }

    /// A number that may be absent; 1 after a finding, so that what is wrong is not said to be missing too.
    #[must_use]
    pub fn if_stated(&self, key: &str) -> Option<f64> {
        self.opt_number(key).or_else(|| self.is_bad(key).then_some(1.0))
    }

    /// A number that is required or has a default; 1 after a finding.
    #[must_use]
    pub fn number(&self, key: &str) -> f64 {
        self.opt_number(key).unwrap_or(1.0)
    }

    #[must_use]
    pub fn opt_integer(&self, key: &str) -> Option<usize> {
        match self.node(key)?.value {
            Value::Integer(i) => usize::try_from(i).ok(),
            _ => None,
        }
    }

    #[must_use]
    pub fn integer(&self, key: &str) -> usize {
        self.opt_integer(key).unwrap_or(1)
    }

    #[must_use]
    pub fn flag(&self, key: &str) -> bool {
        self.opt_flag(key) == Some(true)
    }

    #[must_use]
    pub fn opt_flag(&self, key: &str) -> Option<bool> {
        match self.node(key)?.value {
            Value::Flag(f) => Some(f),
            _ => None,
        }
    }

    #[must_use]
    pub fn opt_text(&self, key: &str) -> Option<String> {
        self.node(key).and_then(text).map(str::to_string)
    }

    #[must_use]
    pub fn text(&self, key: &str) -> String {
        self.opt_text(key).unwrap_or_default()
    }

    /// What the word of a key stands for; the first of these after a finding.
    #[must_use]
    pub fn word<T: Clone>(&self, key: &str, meanings: &[(&str, T)]) -> T {
        self.opt_word(key, meanings).unwrap_or_else(|| meanings[0].1.clone())
    }

    /// A word that the schema allows and that has no meaning here is reported, never taken for another.
    #[must_use]
    pub fn opt_word<T: Clone>(&self, key: &str, meanings: &[(&str, T)]) -> Option<T> {
        #[cfg(test)]
        asked::note_words(self.section.title, key, meanings.iter().map(|(word, _)| *word));
        let stated = self.opt_text(key)?;
        let meant = meanings.iter().find(|(word, _)| *word == stated).map(|(_, meaning)| meaning.clone());
        if meant.is_none() {
            let what = format!("`{key}` has no meaning for \"{stated}\"");
            self.issues.push(self.place(key), what, "this is a defect of Impinge: please report it");
        }
        meant
    }

    /// What the words of a list mean.
    #[must_use]
    pub fn meanings<T: Clone>(&self, key: &str, meanings: &[(&str, T)]) -> Vec<T> {
        #[cfg(test)]
        asked::note_words(self.section.title, key, meanings.iter().map(|(word, _)| *word));
        let of = |stated: &String| meanings.iter().find(|(word, _)| word == stated).map(|(_, m)| m.clone());
        self.words(key).iter().filter_map(of).collect()
    }

    /// The words of a list.
    #[must_use]
    pub fn words(&self, key: &str) -> Vec<String> {
        match self.node(key).map(|n| &n.value) {
            Some(Value::List(items)) => items.iter().filter_map(text).map(str::to_string).collect(),
            _ => Vec::new(),
        }
    }

    #[must_use]
    pub fn opt_vector(&self, key: &str) -> Option<DVec3> {
        self.node(key).and_then(vector)
    }

    #[must_use]
    pub fn vector(&self, key: &str) -> DVec3 {
        self.opt_vector(key).unwrap_or_default()
    }

    /// A direction as a unit vector.
    #[must_use]
    pub fn direction(&self, key: &str) -> DVec3 {
        self.opt_vector(key).and_then(try_normalized).unwrap_or_else(DVec3::unit_z)
    }

    #[must_use]
    pub fn points(&self, key: &str) -> Vec<DVec3> {
        match self.node(key).map(|n| &n.value) {
            Some(Value::List(items)) => items.iter().filter_map(vector).collect(),
            _ => Vec::new(),
        }
    }

    /// Rows of numbers.
    #[must_use]
    pub fn rows(&self, key: &str) -> Vec<Vec<f64>> {
        let list = |n: &Node| match &n.value {
            Value::List(items) => items.iter().filter_map(number).collect(),
            _ => Vec::new(),
        };
        match self.node(key).map(|n| &n.value) {
            Some(Value::List(rows)) => rows.iter().map(list).collect(),
            _ => Vec::new(),
        }
    }

    /// How many elements a list has, if it is one.
    #[must_use]
    pub fn list_len(&self, key: &str) -> Option<usize> {
        match &self.node(key)?.value {
            Value::List(items) => Some(items.len()),
            _ => None,
        }
    }

    /// Two texts with their places.
    #[must_use]
    pub fn pair(&self, key: &str) -> Option<[(String, Place); 2]> {
        let Value::List(items) = &self.node(key)?.value else { return None };
        match items.as_slice() {
            [a, b] => Some([(text(a)?.to_string(), a.place), (text(b)?.to_string(), b.place)]),
            _ => None,
        }
    }

    /// Names with their places; `None` where the key is absent.
    #[must_use]
    pub fn names(&self, key: &str) -> Option<Vec<(String, Place)>> {
        let Value::List(items) = &self.node(key)?.value else { return None };
        Some(items.iter().filter_map(|n| Some((text(n)?.to_string(), n.place))).collect())
    }

    #[must_use]
    pub fn window(&self, key: &str) -> Option<[f64; 2]> {
        let Value::List(items) = &self.node(key)?.value else { return None };
        match items.as_slice() {
            [a, b] => Some([number(a)?, number(b)?]),
            _ => None,
        }
    }

    /// Two lengths.
    #[must_use]
    pub fn size2(&self, key: &str) -> [f64; 2] {
        self.window(key).unwrap_or([1.0; 2])
    }

    /// A whole number for each of `N` directions.
    #[must_use]
    pub fn segments<const N: usize>(&self, key: &str) -> [u32; N] {
        let one = |n: &Node| match n.value {
            Value::Integer(i) => u32::try_from(i).unwrap_or(1),
            _ => 1,
        };
        match self.node(key) {
            Some(Node { value: Value::List(items), .. }) => {
                std::array::from_fn(|i| items.get(i).map_or(1, one))
            }
            Some(node) => [one(node); N],
            None => [1; N],
        }
    }

    /// A whole number that its bounds keep within 32 bits.
    #[must_use]
    pub fn count(&self, key: &str) -> u32 {
        self.opt_integer(key).and_then(|i| u32::try_from(i).ok()).unwrap_or(3)
    }

    /// The table under a key, opened; an absent one with a default as an empty table.
    #[must_use]
    pub fn table(&self, key: &str) -> Option<Reader<'a>> {
        self.node(key)?;
        let section = match self.section.key(key)?.kind {
            Kind::Table(section) | Kind::WordOrTable(_, section) => section,
            _ => return None,
        };
        match self.entry(key) {
            Some(entry) if matches!(entry.node.value, Value::Table(_)) => {
                Some(Reader::new(self.issues, &entry.node, section))
            }
            Some(_) => None,
            // The only default of a table is the empty one; its keys have defaults of their own.
            None if self.defaults.iter().any(|(k, n)| *k == key && matches!(n.value, Value::Table(_))) => {
                Some(Reader::open(self.issues, &[], self.place, section))
            }
            None => None,
        }
    }

    /// The tables of a list, opened.
    #[must_use]
    pub fn tables(&self, key: &str) -> Vec<Reader<'a>> {
        let Some(Kind::Tables(section)) = self.section.key(key).map(|k| &k.kind) else { return Vec::new() };
        if self.node(key).is_none() {
            return Vec::new();
        }
        match self.entry(key).map(|e| &e.node.value) {
            Some(Value::List(items)) => {
                items.iter().map(|item| Reader::new(self.issues, item, section)).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Which keys the code reads, recorded in this crate's unit tests: a key of the schema that nothing reads would
/// be dropped in silence.
#[cfg(test)]
pub(crate) mod asked {
    use std::cell::RefCell;
    use std::collections::{BTreeMap, BTreeSet};

    type Key = (String, String);

    thread_local! {
        static WORDS: RefCell<BTreeMap<Key, BTreeSet<String>>> = const { RefCell::new(BTreeMap::new()) };
        static ASKED: RefCell<BTreeSet<Key>> = const { RefCell::new(BTreeSet::new()) };
    }

    pub fn note(section: &str, key: &str) {
        ASKED.with(|a| a.borrow_mut().insert((section.to_string(), key.to_string())));
    }

    pub fn take() -> BTreeSet<Key> {
        ASKED.with(RefCell::take)
    }

    pub fn note_words<'a>(section: &str, key: &str, words: impl Iterator<Item = &'a str>) {
        let key = (section.to_string(), key.to_string());
        WORDS.with(|w| w.borrow_mut().entry(key).or_default().extend(words.map(str::to_string)));
    }

    /// The words that have a meaning, by key.
    pub fn take_words() -> BTreeMap<Key, BTreeSet<String>> {
        WORDS.with(RefCell::take)
    }
}
