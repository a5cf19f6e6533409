//! The keys of a case: which ones a family needs, and which ones of a file nobody reads.
//!
//! A family gives its keys as text in the form of the schema: `input{k x{side}} expected{tol}`; lists are looked through. A plain
//! key must be there, `key?` may be absent (which is `null`), and `key~` is known and not compared. A key that is not listed
//! is no error (the schema may grow) but is counted as skipped, so a misspelt one is seen.

use super::compare::Malformed;
use serde_json::Value;
use std::collections::BTreeMap;

/// Keys by name.
#[derive(Default, Debug)]
pub struct Keys(BTreeMap<&'static str, Key>);

#[derive(Debug)]
struct Key {
    required: bool,
    below: Option<Keys>,
}

impl Keys {
    /// Reads the text of a family.
    ///
    /// # Panics
    /// When a bracket is missing; the texts are constants, and a test reads them all.
    pub fn new(text: &'static str) -> Self {
        let (keys, rest) = Self::parse(text);
        assert!(rest.is_empty(), "a bracket too many before `{rest}`");
        keys
    }

    fn parse(mut text: &'static str) -> (Self, &'static str) {
        let mut keys = Self::default();
        loop {
            text = text.trim_start();
            let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
            if end == 0 {
                return (keys, text);
            }
            let (name, mut rest) = text.split_at(end);
            let required = !rest.starts_with(['?', '~']);
            rest = rest.trim_start_matches(['?', '~']);
            let below = rest.strip_prefix('{').map(|inside| {
                let (below, after) = Self::parse(inside);
                rest = after.strip_prefix('}').expect("a bracket is not closed");
                below
            });
            keys.0.insert(name, Key { required, below });
            text = rest;
        }
    }

    /// Checks the keys of a case. Gives the paths of those that nothing is known of.
    ///
    /// # Errors
    /// The first key that is missing, or a tolerance that is negative.
    pub fn check(&self, case: &Value) -> Result<Vec<String>, Malformed> {
        let mut unknown = Vec::new();
        self.walk(case, "", &mut unknown)?;
        unknown.sort_unstable();
        unknown.dedup();
        Ok(unknown)
    }

    fn walk(&self, value: &Value, path: &str, unknown: &mut Vec<String>) -> Result<(), Malformed> {
        if let Value::Array(items) = value {
            return items.iter().try_for_each(|v| self.walk(v, path, unknown));
        }
        let Value::Object(fields) = value else { return Ok(()) };
        let at = |name: &str| if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
        if let Some((name, _)) = self.0.iter().find(|(n, k)| k.required && !fields.contains_key(**n)) {
            return Err(Malformed(format!("no `{}`", at(name))));
        }
        for (name, value) in fields {
            let Some(key) = self.0.get(name.as_str()) else {
                unknown.push(at(name));
                continue;
            };
            let tolerance = name.starts_with("tol_") || name == "tol" || name.ends_with("_tol");
            if let Some(t) = value.as_f64().filter(|t| tolerance && *t < 0.0) {
                return Err(Malformed(format!("`{}` is {t}; a tolerance is not negative", at(name))));
            }
            if let Some(below) = &key.below {
                below.walk(value, &at(name), unknown)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn missing_unknown_and_negative() {
        let keys = Keys::new("input{k x? note~} expected{roots{t t_tol} tol}");
        let case = json!({"input": {"k": 1}, "expected": {"roots": [{"t": 0, "t_tol": 0}], "tol": 1e-9}});
        assert!(keys.check(&case).unwrap().is_empty());
        let changed = |path: &str, name: &str, v: Value| {
            let mut c = case.clone();
            c.pointer_mut(path).unwrap()[name] = v;
            keys.check(&c)
        };
        assert_eq!(changed("/input", "xx", json!(1)).unwrap(), ["input.xx"]);
        assert_eq!(changed("/expected/roots/0", "T", json!(1)).unwrap(), ["expected.roots.T"]);
        let negative = changed("/expected/roots/0", "t_tol", json!(-1)).unwrap_err();
        assert_eq!(negative.0, "`expected.roots.t_tol` is -1; a tolerance is not negative");
        let mut c = case.clone();
        c["expected"]["roots"][0].as_object_mut().unwrap().remove("t");
        assert_eq!(keys.check(&c).unwrap_err().0, "no `expected.roots.t`");
    }
}
