//! Case files: text in, typed cases out, errors with the line and the case.

use super::compare::Malformed;
use super::family::Family;
use super::keys::Keys;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// One case of a family.
#[derive(Deserialize)]
pub struct Case<I, E> {
    /// Unique within the family.
    pub id: String,
    #[serde(default)]
    family: Option<String>,
    /// What the kernel is given.
    pub input: I,
    /// What it should answer, with tolerances.
    pub expected: E,
    /// Keys of it that nothing is known of.
    #[serde(skip)]
    pub unknown: Vec<String>,
}

/// A case of the family `F`.
pub type CaseOf<F> = Case<<F as Family>::Input, <F as Family>::Expected>;

#[derive(Deserialize)]
struct CaseFile<I, E> {
    cases: Vec<Case<I, E>>,
}

#[derive(Deserialize)]
struct LooseFile {
    cases: Vec<Value>,
}

/// What a file is, before its cases are looked at.
#[derive(Debug, PartialEq, Eq)]
pub struct Header {
    /// Family of all its cases.
    pub family: String,
    /// How many cases it holds.
    pub cases: usize,
}

#[derive(Deserialize)]
struct RawHeader {
    #[serde(default)]
    family: Option<String>,
    #[serde(default)]
    version: Option<u64>,
    #[serde(default)]
    meta: Option<Meta>,
    #[serde(default)]
    cases: Option<Vec<IgnoredAny>>,
}

#[derive(Deserialize)]
struct Meta {
    #[serde(default)]
    drake: Option<String>,
}

/// Names of the `*.json` files of a folder, sorted.
///
/// # Errors
/// The folder and why it cannot be read.
pub fn list(dir: &Path) -> Result<Vec<PathBuf>, String> {
    let refused =
        |e: std::io::Error| format!("{}: {e}; give the folder that holds the case files", dir.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(refused)? {
        let path = entry.map_err(refused)?.path();
        if path.extension().is_some_and(|e| e == "json") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Reads family and number of cases; checks that the whole text is JSON. `None` for JSON that is no file of cases at all: an object
/// without `family`, `version` and `cases`.
///
/// # Errors
/// What is wrong and on which line.
pub fn header(text: &str) -> Result<Option<Header>, Malformed> {
    let raw: RawHeader = serde_json::from_str(text).map_err(|e| Malformed(e.to_string()))?;
    if !text.trim_start().starts_with('{') {
        // A list would be read as an object of nothing.
        return Err(Malformed("line 1: a case file is an object with `family`, `version`, `cases`".into()));
    }
    let Some(cases) = raw.cases.as_ref().map(Vec::len) else {
        let other = raw.family.is_none() && raw.version.is_none();
        return if other { Ok(None) } else { Err(Malformed("no `cases`".into())) };
    };
    let header = match (raw.family, raw.version, raw.meta) {
        (Some(family), Some(1), _) => Ok(Header { family, cases }),
        (Some(_), Some(v), _) => Err(Malformed(format!("`version` is {v}; this build reads version 1"))),
        (Some(_), None, _) => {
            Err(Malformed("no `version`; a case file has `family`, `version`, `cases`".into()))
        }
        // The reference contacts have a format of their own, which names its maker instead of a family.
        (None, _, Some(Meta { drake: Some(_) })) => Ok(Header { family: "drake".into(), cases }),
        (None, ..) => Err(Malformed("no `family`; a case file has `family`, `version`, `cases`".into())),
    };
    header.map(Some)
}

/// Reads every case of a file of family `F`.
///
/// # Errors
/// What is wrong, on which line and in which case.
pub fn read_cases<F: Family>(text: &str) -> Result<Vec<CaseOf<F>>, Malformed> {
    let mut file: CaseFile<F::Input, F::Expected> = serde_json::from_str(text).map_err(|e| {
        let case = locate::<F>(text).map_or(String::new(), |c| format!("{c}: "));
        Malformed(format!("{case}{e}"))
    })?;
    let keys = Keys::new(F::KEYS);
    let top = ["id", "family", "tags", "note", "input", "expected"];
    let loose: LooseFile = serde_json::from_str(text).map_err(|e| Malformed(e.to_string()))?;
    for (i, (case, value)) in file.cases.iter_mut().zip(&loose.cases).enumerate() {
        let located = |e: Malformed| Malformed(format!("case {i} (`{}`): {}", case.id, e.0));
        let others =
            value.as_object().into_iter().flat_map(|o| o.keys()).filter(|k| !top.contains(&k.as_str()));
        let others: Vec<String> = others.cloned().collect();
        let halves = serde_json::json!({"input": value["input"], "expected": value["expected"]});
        case.unknown = keys.check(&halves).map_err(located)?;
        case.unknown.extend(others);
    }
    let mut ids = BTreeSet::new();
    for (i, case) in file.cases.iter().enumerate() {
        if let Some(other) = case.family.as_deref().filter(|&f| f != F::NAME) {
            let id = &case.id;
            return Err(Malformed(format!(
                "case {i} (`{id}`) is of family `{other}` in a file of `{}`",
                F::NAME
            )));
        }
        if !ids.insert(case.id.as_str()) {
            return Err(Malformed(format!("case {i}: the id `{}` is used twice", case.id)));
        }
    }
    Ok(file.cases)
}

/// The first case that does not read, and which half of it: the reader itself only knows the line, and a file
/// may be one line.
fn locate<F: Family>(text: &str) -> Option<String> {
    let loose: LooseFile = serde_json::from_str(text).ok()?;
    loose.cases.iter().enumerate().find_map(|(i, case)| {
        Case::<F::Input, F::Expected>::deserialize(case).err()?;
        let id = case.get("id").and_then(Value::as_str).map_or(String::new(), |id| format!(" (`{id}`)"));
        let half = if case.get("input").is_some_and(|v| F::Input::deserialize(v).is_err()) {
            ", `input`"
        } else if case.get("expected").is_some_and(|v| F::Expected::deserialize(v).is_err()) {
            ", `expected`"
        } else {
            ""
        };
        Some(format!("case {i}{id}{half}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_both_formats() {
        let ours = header(r#"{"family": "qp", "version": 1, "cases": [{}, {}]}"#).unwrap().unwrap();
        assert_eq!(ours, Header { family: "qp".into(), cases: 2 });
        let drake = header(r#"{"meta": {"drake": "1.51.1"}, "meshes": {}, "cases": [1]}"#).unwrap().unwrap();
        assert_eq!(header(r#"{"files": ["a", "b"]}"#).unwrap(), None);
        assert_eq!(drake, Header { family: "drake".into(), cases: 1 });
    }

    #[test]
    fn headers_that_are_refused_say_why() {
        let reason = |text: &str| header(text).unwrap_err().0;
        assert!(reason(r#"{"cases": []}"#).contains("no `family`"));
        assert!(reason(r#"{"family": "qp", "version": 2, "cases": []}"#).contains("version"));
        assert!(reason(r#"{"family": "qp", "cases": []}"#).contains("no `version`"));
        assert!(reason(r#"{"family": "qp", "version": 1}"#).contains("cases"));
        assert!(reason("{\n\"family\": \"qp\",").contains("line 2"));
        assert!(reason("[]").contains("line 1"));
        assert!(reason(r#"{"family": "qp", "version": 1, "cases": [NaN]}"#).contains("column"));
        assert!(reason("").contains("line 1"));
    }
}
