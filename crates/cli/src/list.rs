//! `impinge list`: the scenes and the responses.

use crate::output::{Done, Json, judged};
use crate::{builtin, scene_files};
use clap::Args;
use impinge_scene::{Response, SceneSpec};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Arguments of `impinge list`.
#[derive(Args)]
#[command(after_help = "Examples:
  impinge list
  impinge list --json

Where the scenes come from stands above them: --fixtures, a copy of the repository, or this program. A scene of
the program is a file too: copy it, change it, run it by its path.")]
pub struct ListArgs {
    /// Folder that holds `scenes` (default: `fixtures` here or in a folder above, else the scenes of this program).
    #[arg(long, value_name = "DIR")]
    fixtures: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

/// What the command says.
#[derive(Serialize)]
struct List {
    /// The folder.
    folder: PathBuf,
    /// Whether they come from inside the program.
    built_in: bool,
    scenes: Vec<Scene>,
    responses: Vec<&'static str>,
}

/// One scene.
#[derive(Serialize)]
struct Scene {
    name: String,
    file: PathBuf,
    /// Takes minutes.
    large: bool,
    title: String,
    source: String,
    response: &'static str,
    /// Why it does not load.
    error: Option<String>,
}

/// Runs the command.
pub fn command(args: &ListArgs) -> Done {
    args.json.begin();
    let list = gather(args.fixtures.as_deref())?;
    print(&list);
    args.json.print(&list);
    Ok(judged(list.scenes.iter().all(|s| s.error.is_none())))
}

fn gather(fixtures: Option<&Path>) -> Result<List, String> {
    let folder = scene_files::scenes_dir(fixtures)?;
    let scene = |large: bool| {
        move |(name, file): (String, PathBuf)| {
            let (title, source, response, error) = match SceneSpec::load(&file) {
                Ok(s) => (s.title, s.source, s.response.name(), None),
                Err(e) => (String::new(), String::new(), "", Some(e.to_string())),
            };
            Scene { name, file, large, title, source, response, error }
        }
    };
    let small = scene_files::all(fixtures)?.into_iter().map(scene(false));
    let scenes = small.chain(scene_files::large(fixtures)?.into_iter().map(scene(true))).collect();
    let responses = Response::ALL.iter().map(|r| r.name()).collect();
    Ok(List { built_in: builtin::is_builtin(&folder), folder, scenes, responses })
}

fn print(list: &List) {
    let width = list.scenes.iter().map(|s| s.name.len()).max().unwrap_or(0);
    let whose = if list.built_in { "Scenes of this program, as files in" } else { "Scenes of" };
    say!("{whose} {} (impinge run NAME):", list.folder.display());
    for large in [false, true] {
        let mut of = list.scenes.iter().filter(|s| s.large == large).peekable();
        if large && of.peek().is_some() {
            say!("\nScenes that take minutes:");
        }
        for s in of {
            let source = if s.source.is_empty() { String::new() } else { format!("  [{}]", s.source) };
            match &s.error {
                None => say!("  {:width$}  {}{source}", s.name, s.title),
                Some(e) => say!("  {:width$}  does not load:\n{e}", s.name),
            }
        }
    }
    say!("\nResponses (--response): {}", list.responses.join(", "));
}
