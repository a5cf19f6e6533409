//! What the responses make of a test.

use impinge_cli::Expectation;
use impinge_cli::runner::{self, End};
use impinge_scene::{Checked, Response, SceneSpec};
use serde::Serialize;
use std::path::Path;

/// A test under each response.
#[derive(Serialize)]
pub struct Test<'a> {
    title: &'a str,
    source: &'a str,
    responses: Vec<Under<'a>>,
}

/// A test under one response.
#[derive(Serialize)]
struct Under<'a> {
    response: &'static str,
    /// Why it cannot take the scene.
    refused: Option<&'a str>,
    /// Why it stopped.
    stopped: Option<&'a str>,
    expectations: Vec<Expectation>,
    wall_seconds: f64,
}

/// What one response makes of one test.
pub enum Column {
    /// It cannot take the scene.
    Refused(String),
    /// Its expectations, how the run ended when it did not complete, and how long its steps took (s).
    Ran(Vec<Checked>, Option<String>, f64),
}

impl Column {
    /// For `--json`.
    fn document(&self, response: &'static str) -> Under<'_> {
        let (refused, stopped, checks, wall_seconds) = match self {
            Self::Refused(reason) => (Some(reason.as_str()), None, &[][..], 0.0),
            Self::Ran(checks, stopped, seconds) => (None, stopped.as_deref(), &checks[..], *seconds),
        };
        Under { response, refused, stopped, expectations: Expectation::all(checks), wall_seconds }
    }

    /// What was expected under this name.
    pub fn of(&self, name: &str) -> Option<&Checked> {
        match self {
            Self::Refused(_) => None,
            Self::Ran(checks, ..) => checks.iter().find(|c| c.name == name),
        }
    }
}

/// One test under the responses.
pub struct Tested {
    /// Its scene.
    pub spec: SceneSpec,
    /// In the order of the responses.
    pub columns: Vec<Column>,
}

impl Tested {
    /// Runs a test under each of the responses that something is expected of.
    ///
    /// # Errors
    /// A scene that cannot be read, or that expects nothing.
    pub fn new(name: &str, path: &Path, responses: &[Response]) -> Result<Self, String> {
        let spec = SceneSpec::load(path).map_err(|e| e.to_string())?;
        if spec.expectations.is_empty() {
            return Err(format!(
                "{}: nothing is expected of any response; add an [[expect]]",
                path.display()
            ));
        }
        let mut columns = Vec::new();
        for &response in responses {
            if !spec.expectations.iter().any(|e| e.response == response) {
                columns.push(Column::Ran(Vec::new(), None, 0.0));
                continue;
            }
            let column = match runner::run(&spec, response, false, true, |_| true) {
                Err(reason) => Column::Refused(reason),
                Ok(run) => {
                    let stopped = match &run.end {
                        End::Stopped(e) => Some(e.to_string()),
                        End::Completed | End::Interrupted => None,
                    };
                    let met = run.checks.iter().filter(|c| c.verdict.is_as_expected()).count();
                    say!(
                        "{name:24} {:16} {met} of {} in {:.3} s",
                        response.name(),
                        run.checks.len(),
                        run.times.total().as_secs_f64()
                    );
                    Column::Ran(run.checks, stopped, run.times.total().as_secs_f64())
                }
            };
            columns.push(column);
        }
        Ok(Self { spec, columns })
    }

    /// The expectations, each once.
    pub fn rows(&self) -> Vec<&Checked> {
        let mut rows: Vec<&Checked> = Vec::new();
        for c in
            self.columns.iter().flat_map(|c| if let Column::Ran(checks, ..) = c { &checks[..] } else { &[] })
        {
            if !rows.iter().any(|r| r.name == c.name) {
                rows.push(c);
            }
        }
        rows
    }

    /// For `--json`.
    pub fn document(&self, names: &[&'static str]) -> Test<'_> {
        let under = self.columns.iter().zip(names).map(|(column, &response)| column.document(response));
        Test { title: &self.spec.title, source: &self.spec.source, responses: under.collect() }
    }

    /// Every response did what the scene says.
    pub fn good(&self) -> bool {
        let fine = |c: &Column| match c {
            Column::Refused(_) => true,
            Column::Ran(checks, ..) => checks.iter().all(|c| c.verdict.is_as_expected()),
        };
        self.columns.iter().all(fine)
    }
}
