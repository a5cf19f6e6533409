//! Lists the files of `fixtures` that the program carries, so that it runs its scenes in any folder.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// The folder of the scenes.
const SCENES: &str = "scenes";

fn main() {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo says where the crate is"));
    // In the repository the originals; in a package the copies that stand where links did.
    let root = [here.join("../../fixtures"), here.join("fixtures")]
        .into_iter()
        .find(|dir| dir.join(SCENES).is_dir())
        .expect("a folder of scenes: take the whole repository or the whole package");
    let mut files = Vec::new();
    let scenes = root.join(SCENES);
    println!("cargo:rerun-if-changed={}", scenes.display());
    collect(&scenes, SCENES, &mut files);
    files.sort();
    let entries: String = files
        .iter()
        .map(|(name, path)| format!("    ({name:?}, include_bytes!({:?})),\n", path.display().to_string()))
        .collect();
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo gives a folder for this"));
    fs::write(out.join("builtin.rs"), format!("&[\n{entries}]\n")).expect("cargo's folder can be written");
}

/// Files below `path`, by their name below `fixtures` with `/` on every system.
fn collect(path: &Path, name: &str, files: &mut Vec<(String, PathBuf)>) {
    if path.is_file() {
        files.push((name.to_string(), path.to_path_buf()));
        return;
    }
    let entries = fs::read_dir(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    for entry in entries {
        let entry = entry.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let below = entry.file_name().into_string().expect("names of fixtures are UTF-8");
        collect(&entry.path(), &format!("{name}/{below}"), files);
    }
}
