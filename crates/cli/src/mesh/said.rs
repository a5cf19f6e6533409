//! What the command says: lines as they come, or one JSON document at the end, from the same rows.

use serde_json::{Map, Value, json};
use std::path::Path;

/// What was said so far.
#[derive(Default)]
pub(super) struct Said {
    document: Map<String, Value>,
}

impl Said {
    /// A line by itself.
    pub fn one(&mut self, key: &str, text: &str) {
        say!("{text}");
        self.document.insert(key.into(), json!(text));
    }

    /// A table, under a heading unless that is empty.
    pub fn rows(&mut self, key: &str, heading: &str, rows: &[(String, String)]) {
        if !heading.is_empty() {
            say!("\n{heading}");
        }
        let mut object = Map::new();
        for (name, value) in rows {
            say!("{name:<22} {value}");
            let number = value.parse::<f64>().ok().filter(|x| x.is_finite());
            let whole = value.parse::<i64>().ok();
            let value = whole.map_or_else(|| number.map_or_else(|| json!(value), |x| json!(x)), |n| json!(n));
            // A row without a name goes on with the one before.
            object.insert(if name.trim().is_empty() { "more" } else { name.trim() }.into(), value);
        }
        self.document.insert(key.into(), object.into());
    }

    /// One of several paragraphs of a kind.
    pub fn item(&mut self, key: &str, text: &str) {
        say!("\n{text}");
        self.push(key, text);
    }

    /// A remark.
    pub fn note(&mut self, text: &str) {
        say!("{text}");
        self.push("notes", text);
    }

    /// What the rows round, to the last digit; for the document alone.
    pub fn numbers(&mut self, numbers: Value) {
        self.document.insert("numbers".into(), numbers);
    }

    /// Whether a body can be made of it, and the words for it.
    pub fn verdict(&mut self, body: bool, text: &str) {
        self.document.insert("body".into(), json!(body));
        say!("\n{text}");
    }

    /// A file that is there now.
    pub fn wrote(&mut self, what: &str, file: &Path) {
        say!("{what} {}", file.display());
        self.document.insert(what.into(), json!(file.display().to_string()));
    }

    /// All of it.
    pub fn document(self) -> Map<String, Value> {
        self.document
    }

    fn push(&mut self, key: &str, text: &str) {
        let list = self.document.entry(key).or_insert_with(|| json!([]));
        if let Some(list) = list.as_array_mut() {
            list.push(json!(text));
        }
    }
}
