//! Why a command could not do what it was asked for: in words, and for `--json` as a document.

use crate::output::NOT_DONE;
use impinge_scene::{Issue, SceneError};
use serde::Serialize;
use std::fmt;

/// Why.
#[derive(Clone, Debug, Serialize)]
pub struct Failure {
    /// What people are told.
    message: String,
    /// What is wrong with a scene, each with its place.
    problems: Vec<Problem>,
    /// The exit code.
    code: u8,
}

/// One thing that is wrong with a scene.
#[derive(Clone, Debug, Serialize)]
struct Problem {
    /// The file, or what was set on top of it.
    file: String,
    /// From 1; none where the problem has no place in a text.
    line: Option<usize>,
    column: Option<usize>,
    what: String,
    fix: String,
}

/// What `--json` prints of a command that failed.
#[derive(Serialize)]
pub(crate) struct Document<'a> {
    pub error: &'a Failure,
}

impl Failure {
    fn of(message: String, issues: &[Issue]) -> Self {
        let problem = |issue: &Issue| Problem {
            file: issue.origin.clone(),
            line: Some(issue.line).filter(|n| *n > 0),
            column: Some(issue.column).filter(|n| *n > 0),
            what: issue.what.clone(),
            fix: issue.fix.clone(),
        };
        Self { message, problems: issues.iter().map(problem).collect(), code: NOT_DONE }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self::of(message, &[])
    }
}

impl From<&str> for Failure {
    fn from(message: &str) -> Self {
        message.to_string().into()
    }
}

impl From<SceneError> for Failure {
    fn from(e: SceneError) -> Self {
        Self::of(e.to_string(), e.issues())
    }
}

impl From<Failure> for String {
    fn from(failure: Failure) -> Self {
        failure.message
    }
}
