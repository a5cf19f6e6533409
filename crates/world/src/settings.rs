//! The table of a response in a scene file, as the response reads it.

use crate::schema::{Absent, Section};
use std::collections::{BTreeMap, BTreeSet};

/// A value of the table.
#[derive(Clone, Debug, PartialEq)]
pub enum SettingValue {
    /// A number, whole or not.
    Number(f64),
    /// A text.
    Text(String),
    /// `true` or `false`.
    Flag(bool),
}

/// What is wrong with a table beyond what its section says of each key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The key.
    pub key: &'static str,
    /// It is wrong that the key stands there, not what its value is.
    pub misplaced: bool,
    /// What is wrong.
    pub what: String,
    /// What to write instead.
    pub fix: String,
}

/// The table of a response: what a file states, legal by the section, and its defaults. Whoever reads it asks for every key, also for those
/// that others make idle, and reports what does not fit together.
#[derive(Clone, Debug)]
pub struct Settings {
    section: &'static Section,
    stated: BTreeMap<&'static str, SettingValue>,
    asked: BTreeSet<&'static str>,
    findings: Vec<Finding>,
}

impl Settings {
    /// Of a table that states these values.
    #[must_use]
    pub fn new(
        section: &'static Section,
        stated: impl IntoIterator<Item = (&'static str, SettingValue)>,
    ) -> Self {
        let stated = stated.into_iter().collect();
        Self { section, stated, asked: BTreeSet::new(), findings: Vec::new() }
    }

    /// What was found, in the order of reading.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Keys that nobody asked for: they would be accepted and do nothing.
    pub fn unread(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.section.names().into_iter().filter(|key| !self.asked.contains(key))
    }

    fn value(&mut self, key: &'static str) -> Option<SettingValue> {
        self.asked.insert(key);
        let Some(known) = self.section.key(key) else {
            let what = format!("its response reads `{key}`, which `{}` does not have", self.section.title);
            self.wrong(key, what, "add the key to the section");
            return None;
        };
        let default = |text: &str| match (text.parse(), text.parse()) {
            (Ok(x), _) => SettingValue::Number(x),
            (_, Ok(flag)) => SettingValue::Flag(flag),
            _ => SettingValue::Text(text.trim_matches('"').to_string()),
        };
        match (self.stated.get(key), known.absent) {
            (Some(value), _) => Some(value.clone()),
            (None, Absent::Default(text)) => Some(default(text)),
            (None, _) => None,
        }
    }

    /// Whether the file states this key.
    pub fn states(&mut self, key: &'static str) -> bool {
        self.asked.insert(key);
        self.stated.contains_key(key)
    }

    /// A number, where it is stated or has a default.
    pub fn opt_number(&mut self, key: &'static str) -> Option<f64> {
        match self.value(key)? {
            SettingValue::Number(x) => Some(x),
            _ => None,
        }
    }

    /// A number that is required or has a default; 1 after a finding.
    pub fn number(&mut self, key: &'static str) -> f64 {
        self.opt_number(key).unwrap_or(1.0)
    }

    /// A whole number that is required or has a default, and that its bounds keep within 32 bits; 1 after a finding.
    pub fn count(&mut self, key: &'static str) -> u32 {
        self.number(key) as u32
    }

    /// `true` or `false`, where it is stated or has a default.
    pub fn opt_flag(&mut self, key: &'static str) -> Option<bool> {
        match self.value(key)? {
            SettingValue::Flag(f) => Some(f),
            _ => None,
        }
    }

    /// `true` or `false`; `false` after a finding.
    pub fn flag(&mut self, key: &'static str) -> bool {
        self.opt_flag(key) == Some(true)
    }

    /// What the word of a key stands for, where it is stated or has a default. A word that has no meaning here is reported.
    pub fn opt_word<T: Clone>(&mut self, key: &'static str, meanings: &[(&str, T)]) -> Option<T> {
        let SettingValue::Text(stated) = self.value(key)? else { return None };
        let meant = meanings.iter().find(|(word, _)| *word == stated).map(|(_, meaning)| meaning.clone());
        if meant.is_none() {
            self.wrong(key, format!("`{key}` has no meaning for \"{stated}\""), "take another word");
        }
        meant
    }

    /// The same; the first meaning after a finding.
    pub fn word<T: Clone>(&mut self, key: &'static str, meanings: &[(&str, T)]) -> T {
        self.opt_word(key, meanings).unwrap_or_else(|| meanings[0].1.clone())
    }

    /// Reports the value of a key.
    pub fn wrong(&mut self, key: &'static str, what: impl Into<String>, fix: impl Into<String>) {
        self.findings.push(Finding { key, misplaced: false, what: what.into(), fix: fix.into() });
    }

    /// Reports a key that is stated where it has no effect.
    pub fn refuse(&mut self, key: &'static str, what: &str, fix: &str) {
        if self.states(key) {
            let what = format!("`{key}` {what}");
            self.findings.push(Finding { key, misplaced: true, what, fix: fix.into() });
        }
    }
}
