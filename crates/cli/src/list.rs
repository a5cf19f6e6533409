//! `impinge list`: the scenes and the responses.

use crate::{fail, scene_files};
use clap::Args;
use impinge_scene::{Response, SceneSpec};
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `impinge list`.
#[derive(Args)]
pub struct ListArgs {
    /// Folder that holds `scenes` (default: `fixtures` here or in a folder above).
    #[arg(long, value_name = "DIR")]
    fixtures: Option<PathBuf>,
}

/// Runs the command.
pub fn command(args: &ListArgs) -> ExitCode {
    let fixtures = args.fixtures.as_deref();
    let (scenes, large) = match (scene_files::all(fixtures), scene_files::large(fixtures)) {
        (Ok(s), Ok(l)) => (s, l),
        (Err(e), _) | (_, Err(e)) => return fail(e),
    };
    let width = scenes.iter().chain(&large).map(|(n, _)| n.len()).max().unwrap_or(0);
    say!("Scenes (impinge run NAME):");
    let mut bad = print(&scenes, width);
    if !large.is_empty() {
        say!("\nScenes that take minutes:");
        bad |= print(&large, width);
    }
    let names: Vec<&str> = Response::ALL.iter().map(|r| r.name()).collect();
    say!("\nResponses (--response): {}", names.join(", "));
    if bad { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// A line for each; `true` when one does not load.
fn print(scenes: &[(String, PathBuf)], width: usize) -> bool {
    let mut bad = false;
    for (name, path) in scenes {
        match SceneSpec::load(path) {
            Ok(s) => {
                let source = if s.source.is_empty() { String::new() } else { format!("  [{}]", s.source) };
                say!("  {name:width$}  {}{source}", s.title);
            }
            Err(e) => {
                bad = true;
                say!("  {name:width$}  does not load:\n{e}");
            }
        }
    }
    bad
}
