//! Finds scene files by name: in `--fixtures`, in a copy of the repository, inside the program.

use crate::builtin;
use impinge_scene::closest;
use std::path::{Path, PathBuf};

/// The folder with the scenes: that of `--fixtures`; or `fixtures` here or in a folder above; or the program's own.
pub fn scenes_dir(fixtures: Option<&Path>) -> Result<PathBuf, String> {
    if let Some(f) = fixtures {
        let dir = f.join("scenes");
        return if dir.is_dir() {
            Ok(dir)
        } else {
            Err(format!("{} is not a folder; --fixtures names the folder that holds `scenes`", dir.display()))
        };
    }
    let here = std::env::current_dir().map_err(|e| format!("the working folder cannot be read: {e}"))?;
    match here.ancestors().map(|a| a.join("fixtures").join("scenes")).find(|d| d.is_dir()) {
        Some(dir) => Ok(dir),
        None => builtin::fixtures().map(|dir| dir.join("scenes")),
    }
}

/// Every scene of the folder, by name; those of its folder `large`, which take minutes, not among them.
pub fn all(fixtures: Option<&Path>) -> Result<Vec<(String, PathBuf)>, String> {
    let scenes = in_folder(&scenes_dir(fixtures)?)?;
    if scenes.is_empty() {
        return Err(format!("{} holds no scene (*.toml)", scenes_dir(fixtures)?.display()));
    }
    Ok(scenes)
}

/// The scenes that take minutes.
pub fn large(fixtures: Option<&Path>) -> Result<Vec<(String, PathBuf)>, String> {
    let dir = scenes_dir(fixtures)?.join("large");
    if dir.is_dir() { in_folder(&dir) } else { Ok(Vec::new()) }
}

/// The scenes of a folder, by name.
pub fn in_folder(dir: &Path) -> Result<Vec<(String, PathBuf)>, String> {
    let entries = std::fs::read_dir(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    let mut scenes: Vec<(String, PathBuf)> = entries
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|x| x == "toml"))
        .filter_map(|p| Some((p.file_stem()?.to_str()?.to_string(), p)))
        .collect();
    scenes.sort();
    Ok(scenes)
}

/// The file of a scene given by path or by name.
pub fn find(scene: &str, fixtures: Option<&Path>) -> Result<PathBuf, String> {
    let as_path = Path::new(scene);
    if as_path.is_file() {
        return is_text(as_path).map(|()| as_path.to_path_buf());
    }
    // `large/NAME` is that file of the folder of scenes, wherever one stands.
    if let Some(name) = scene.strip_prefix("large/").filter(|n| !n.contains(['/', '.'])) {
        return find(name, fixtures);
    }
    if as_path.extension().is_some() || scene.contains(std::path::MAIN_SEPARATOR) {
        // The scene crate says that there is no such file, and which ones there are beside it.
        return match impinge_scene::SceneSpec::load(as_path) {
            Err(e) => Err(format!("{e}; a name from `impinge list` needs no path")),
            Ok(_) => Ok(as_path.to_path_buf()),
        };
    }
    let mut scenes = all(fixtures)?;
    scenes.extend(large(fixtures)?);
    if let Some((_, path)) = scenes.iter().find(|(n, _)| n == scene) {
        return Ok(path.clone());
    }
    let names: Vec<&str> = scenes.iter().map(|(n, _)| n.as_str()).collect();
    let meant = closest(scene, &names).map_or(String::new(), |name| format!("did you mean `{name}`? "));
    Err(format!("no scene '{scene}'; {meant}`impinge list` shows all {}", names.len()))
}

/// Endings of files that `impinge mesh` reads.
const MESHES: [&str; 8] = ["obj", "stl", "ply", "glb", "gltf", "vtk", "vtu", "msh"];
/// So much of a file shows whether it is text.
const LOOK: usize = 4096;

/// Refuses what is no scene at all: a mesh, or bytes that are no text.
fn is_text(file: &Path) -> Result<(), String> {
    let shown = file.display();
    let ending = file.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
    if MESHES.contains(&ending.as_str()) {
        return Err(format!(
            "{shown} is a mesh, not a scene. To look at it: impinge mesh {shown}. To make a scene of it: impinge new my-scene.toml --mesh \
             {shown}. To drop it in place of the ring: impinge run drop --mesh {shown}"
        ));
    }
    let mut start = Vec::new();
    let read = std::fs::File::open(file)
        .and_then(|f| std::io::Read::read_to_end(&mut std::io::Read::take(f, LOOK as u64), &mut start));
    // A file that cannot be read is refused by whoever reads it, with the reason.
    if read.is_ok() && start.contains(&0) {
        return Err(format!(
            "{shown} is a binary file, not a scene; a scene is a TOML text file, see `impinge list` for some and `impinge new` to make one"
        ));
    }
    Ok(())
}

/// The scenes asked for, or all.
pub fn some_or_all(names: &[String], fixtures: Option<&Path>) -> Result<Vec<(String, PathBuf)>, String> {
    if names.is_empty() {
        return all(fixtures);
    }
    names.iter().map(|n| Ok((stem(n), find(n, fixtures)?))).collect()
}

/// Name of a scene from its path.
pub(crate) fn stem(path: &str) -> String {
    Path::new(path).file_stem().and_then(|s| s.to_str()).unwrap_or(path).to_string()
}
