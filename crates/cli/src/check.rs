//! `impinge check`: scenes against their expectations.

use crate::output::{Done, Json, judged};
use crate::{runner, scene_files};
use clap::Args;
use impinge_scene::{Checked, Measure, SceneSpec, Verdict};
use serde::Serialize;
use std::path::PathBuf;

/// Arguments of `impinge check`.
#[derive(Args)]
#[command(after_help = "Examples:
  impinge check
  impinge check stack incline
  impinge check stack --json

Exit codes: 0 every expectation came out as the scene says. 1: one did not, or a run stopped. 2: a scene cannot be
read or run.")]
pub struct CheckArgs {
    /// Scenes by name or path; all when none is given, but for the large ones.
    scenes: Vec<String>,
    /// The large scenes, which take minutes.
    #[arg(long, conflicts_with = "scenes")]
    large: bool,
    /// Folder that holds `scenes` (default: `fixtures` here or in a folder above, else this program's own).
    #[arg(long, value_name = "DIR")]
    fixtures: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

/// An expectation with what came out.
#[derive(Clone, Serialize)]
pub struct Expectation {
    /// Its name in the scene.
    name: String,
    /// What was measured, of what and when.
    what: String,
    /// What was expected, in words.
    expected: String,
    /// What came out; none when the run ended before.
    measured: f64,
    unit: &'static str,
    verdict: &'static str,
    /// Why it fails, where the scene says so.
    note: String,
}

impl Expectation {
    /// Each of a run's.
    pub fn all(checks: &[Checked]) -> Vec<Self> {
        let one = |c: &Checked| Self {
            name: c.name.clone(),
            what: c.what.clone(),
            expected: c.expected.clone(),
            measured: c.measured,
            unit: if c.unit == "1" { "" } else { c.unit },
            verdict: c.verdict.name(),
            note: c.note.clone(),
        };
        checks.iter().map(one).collect()
    }

    /// What was measured and what was expected, for people.
    fn words(&self) -> String {
        // Yes or no, and not a number with a unit.
        if self.what.starts_with(Measure::Finite.name()) {
            let all =
                if self.measured == 1.0 { "every number was finite" } else { "a number was not finite" };
            return all.to_string();
        }
        let measured = match self.measured {
            m if m.is_nan() => "not reached".to_string(),
            m => impinge_scene::plain(m, 7),
        };
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        format!("{} = {measured}{unit} (expected {})", self.what, self.expected)
    }
}

/// Prints one line per expectation.
pub fn print_checks(scene: &str, response: &str, checks: &[Expectation]) {
    for c in checks {
        say!("  {:16} {scene} / {response} / {}: {}", c.verdict, c.name, c.words());
        if !c.note.is_empty() {
            say!("  {:16} because {}", "", c.note.replace('\n', " "));
        }
    }
}

/// What became of one scene.
#[derive(Serialize)]
struct Row {
    scene: String,
    response: &'static str,
    steps: u64,
    hash: String,
    end: String,
    expectations: Vec<Expectation>,
}

/// What the command says.
#[derive(Serialize)]
struct Table {
    scenes: Vec<Row>,
    passed: usize,
    failed: usize,
}

/// Prints what was expected of a run and what came out, and why it `stopped` where it did; how many expectations came out as the scene says,
/// and what did not.
pub fn judge(name: &str, response: &str, stopped: Option<&str>, checks: &[Checked]) -> (usize, usize) {
    let mut bad = 0;
    if let Some(e) = stopped {
        say!("  stopped          {name}: {e}");
    }
    // A run that stopped is as expected only where the scene says that it fails.
    if stopped.is_some() && !checks.iter().any(|c| c.verdict == Verdict::ExpectedFail) {
        bad += 1;
    }
    if checks.is_empty() {
        say!("  FAIL             {name}: the scene expects nothing; add at least one [[expect]]");
        bad += 1;
    }
    print_checks(name, response, &Expectation::all(checks));
    let met = checks.iter().filter(|c| c.verdict.is_as_expected()).count();
    (met, bad + checks.len() - met)
}

/// Runs the command.
pub fn command(args: &CheckArgs) -> Done {
    args.json.begin();
    let fixtures = args.fixtures.as_deref();
    let scenes = match args.large {
        true => scene_files::large(fixtures)?,
        false => scene_files::some_or_all(&args.scenes, fixtures)?,
    };
    if args.large && scenes.is_empty() {
        return Err("there is no folder `large` with scenes beside the others".into());
    }
    let (mut good, mut bad) = (0, 0);
    let mut rows = Vec::new();
    for (name, path) in &scenes {
        let spec = SceneSpec::load(path)?;
        let run = runner::run(&spec, spec.response, false, true, |_| true)?;
        let response = spec.response.name();
        let (met, missed) = judge(name, response, run.end.stopped().as_deref(), &run.checks);
        good += met;
        bad += missed;
        let expectations = Expectation::all(&run.checks);
        let (steps, hash) = (run.sim.steps(), format!("{:016x}", run.sim.hash()));
        rows.push(Row { scene: name.clone(), response, steps, hash, end: run.end.to_string(), expectations });
    }
    say!("{good} passed, {bad} failed");
    args.json.print(&Table { scenes: rows, passed: good, failed: bad });
    Ok(judged(bad == 0))
}
