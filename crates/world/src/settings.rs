//! The settings of a response of somebody's own, as a scene file has them.

use std::collections::BTreeMap;

/// One value of a scene file.
#[derive(Clone, Debug, PartialEq)]
pub enum SettingValue {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// `true` or `false`.
    Flag(bool),
}

impl SettingValue {
    fn what(&self) -> String {
        match self {
            Self::Number(x) => format!("the number {x}"),
            Self::Text(t) => format!("the text \"{t}\""),
            Self::Flag(f) => format!("{f}"),
        }
    }
}

/// The table of a response; each key is taken out once, and what is left over is refused.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    table: String,
    values: BTreeMap<String, SettingValue>,
    known: Vec<&'static str>,
}

impl Settings {
    /// Of a table with this name.
    pub fn new(table: &str, values: impl IntoIterator<Item = (String, SettingValue)>) -> Self {
        Self { table: table.to_string(), values: values.into_iter().collect(), known: Vec::new() }
    }

    fn take(&mut self, key: &'static str) -> Option<SettingValue> {
        self.known.push(key);
        self.values.remove(key)
    }

    /// A number that must be finite and above 0.
    ///
    /// # Errors
    /// With the key, the value and what it must be.
    pub fn positive(&mut self, key: &'static str, default: f64) -> Result<f64, String> {
        self.number(key, default, "a positive, finite number", |x| x > 0.0)
    }

    /// A number that must be finite and at least 0.
    ///
    /// # Errors
    /// As [`Settings::positive`].
    pub fn at_least_zero(&mut self, key: &'static str, default: f64) -> Result<f64, String> {
        self.number(key, default, "a finite number of at least 0", |x| x >= 0.0)
    }

    fn number(
        &mut self,
        key: &'static str,
        default: f64,
        must: &str,
        ok: fn(f64) -> bool,
    ) -> Result<f64, String> {
        match self.take(key) {
            None => Ok(default),
            Some(SettingValue::Number(x)) if x.is_finite() && ok(x) => Ok(x),
            Some(other) => Err(format!("`{key}` of [{}] is {}; it must be {must}", self.table, other.what())),
        }
    }

    /// `true` or `false`.
    ///
    /// # Errors
    /// As [`Settings::positive`].
    pub fn flag(&mut self, key: &'static str, default: bool) -> Result<bool, String> {
        match self.take(key) {
            None => Ok(default),
            Some(SettingValue::Flag(f)) => Ok(f),
            Some(other) => {
                Err(format!("`{key}` of [{}] is {}; it must be true or false", self.table, other.what()))
            }
        }
    }

    /// One of these words; the first where nothing is said.
    ///
    /// # Errors
    /// As [`Settings::positive`].
    pub fn word(
        &mut self,
        key: &'static str,
        words: &'static [&'static str],
    ) -> Result<&'static str, String> {
        match self.take(key) {
            None => Ok(words.first().copied().unwrap_or_default()),
            Some(SettingValue::Text(t)) if words.contains(&t.as_str()) => {
                Ok(words.iter().find(|w| **w == t).copied().unwrap_or_default())
            }
            Some(other) => Err(format!(
                "`{key}` of [{}] is {}; it must be one of {}",
                self.table,
                other.what(),
                words.join(", ")
            )),
        }
    }

    /// Refuses the keys that nobody took.
    ///
    /// # Errors
    /// With the first of them and those there are.
    pub fn finish(&self) -> Result<(), String> {
        match self.values.keys().next() {
            None => Ok(()),
            Some(key) => {
                Err(format!("unknown key `{key}` in [{}]; it takes {}", self.table, self.known.join(", ")))
            }
        }
    }
}
