//! `impinge check`: scenes against their expectations.

use crate::{fail, runner, scene_files};
use clap::Args;
use impinge_scene::{Checked, SceneSpec, Verdict};
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `impinge check`.
#[derive(Args)]
pub struct CheckArgs {
    /// Scenes by name or path; all when none is given, but for the large ones.
    scenes: Vec<String>,
    /// The large scenes, which take minutes.
    #[arg(long, conflicts_with = "scenes")]
    large: bool,
    /// Folder that holds `scenes` (default: `fixtures` here or in a folder above).
    #[arg(long, value_name = "DIR")]
    fixtures: Option<PathBuf>,
}

/// Prints one line per expectation.
pub fn print_checks(scene: &str, response: &str, checks: &[Checked]) {
    for c in checks {
        let measured =
            if c.measured.is_nan() { "not reached".to_string() } else { impinge_scene::plain(c.measured, 7) };
        say!(
            "  {:16} {scene} / {response} / {}: {} = {measured} {} (expected {})",
            c.verdict.name(),
            c.name,
            c.what,
            c.unit,
            c.expected
        );
        if !c.note.is_empty() {
            say!("  {:16} because {}", "", c.note.replace('\n', " "));
        }
    }
}

/// Runs the command.
pub fn command(args: &CheckArgs) -> ExitCode {
    let fixtures = args.fixtures.as_deref();
    let scenes = match args.large {
        true => scene_files::large(fixtures).and_then(|scenes| match scenes.is_empty() {
            true => Err("there is no folder `large` with scenes beside the others".to_string()),
            false => Ok(scenes),
        }),
        false => scene_files::some_or_all(&args.scenes, fixtures),
    };
    let scenes = match scenes {
        Ok(s) => s,
        Err(e) => return fail(e),
    };
    let (mut good, mut bad) = (0, 0);
    for (name, path) in &scenes {
        let spec = match SceneSpec::load(path) {
            Ok(s) => s,
            Err(e) => return fail(e),
        };
        let run = match runner::run(&spec, spec.response, false, true, |_| true) {
            Ok(r) => r,
            Err(e) => return fail(e),
        };
        if let runner::End::Stopped(e) = &run.end {
            say!("  stopped          {name}: {e}");
        }
        // A run that stopped is as expected only where the scene says that it fails.
        let foreseen = run.checks.iter().any(|c| c.verdict == Verdict::ExpectedFail);
        if matches!(run.end, runner::End::Stopped(_)) && !foreseen {
            bad += 1;
        }
        if run.checks.is_empty() {
            say!("  FAIL             {name}: the scene expects nothing; add at least one [[expect]]");
            bad += 1;
        }
        print_checks(name, spec.response.name(), &run.checks);
        let met = run.checks.iter().filter(|c| c.verdict.is_as_expected()).count();
        good += met;
        bad += run.checks.len() - met;
    }
    say!("{good} passed, {bad} failed");
    if bad == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
