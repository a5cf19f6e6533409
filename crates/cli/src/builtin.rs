//! The scenes inside the program, as files: what reads a scene, and a reader who wants to look at one or change it, needs a path.
//!
//! They are written to the user's cache, into a folder named by version and content, and compared byte for byte at each use: an old or
//! edited copy is never run. Several programs may do this at once; each file appears whole.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Name below `fixtures`, and the file.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/builtin.rs"));

/// The folder `fixtures` with what the program carries.
///
/// # Errors
/// When no folder can be written.
pub fn fixtures() -> Result<PathBuf, String> {
    static DONE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    DONE.get_or_init(|| {
        let mut troubles = Vec::new();
        for place in places() {
            let dir = place.join("impinge").join(name());
            match FILES.iter().try_for_each(|(name, bytes)| put(&dir.join(name), bytes)) {
                Ok(()) => return Ok(dir),
                Err(e) => troubles.push(e),
            }
        }
        Err(format!(
            "the scenes inside the program cannot be written out: {}; set XDG_CACHE_HOME to a folder that can be written, or give \
             --fixtures DIR",
            troubles.join("; ")
        ))
    })
    .clone()
}

/// Whether a path is that of a scene inside the program.
pub fn is_builtin(path: &Path) -> bool {
    places().iter().any(|place| path.starts_with(place.join("impinge").join(name())))
}

/// Version and digest of names and bytes: two builds with other scenes do not rewrite each other's.
fn name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        let all: Vec<u8> = FILES.iter().flat_map(|(name, bytes)| [name.as_bytes(), bytes].concat()).collect();
        format!("{}-{:016x}", env!("CARGO_PKG_VERSION"), crate::digest::digest(&all))
    })
}

/// Folders for what can be made anew, best first.
fn places() -> Vec<PathBuf> {
    let of = |variable: &str| std::env::var_os(variable).map(PathBuf::from).filter(|p| p.is_absolute());
    let home = of("HOME");
    let own = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
    let candidates = [of("XDG_CACHE_HOME"), of("LOCALAPPDATA"), home.map(|h| h.join(own))];
    candidates.into_iter().flatten().chain([std::env::temp_dir()]).collect()
}

/// Writes a file unless it is there with these bytes.
fn put(file: &Path, bytes: &[u8]) -> Result<(), String> {
    if fs::read(file).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    file.parent().map_or(Ok(()), fs::create_dir_all).map_err(|e| format!("{}: {e}", file.display()))?;
    crate::whole::write(file, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_carries_the_repository_and_mends_what_was_changed() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
        let scenes = |dir: &Path| fs::read_dir(dir).map_or(0, Iterator::count);
        let builtin = |prefix: &str| {
            FILES.iter().filter(|(n, _)| n.rsplit_once('/').is_some_and(|(d, _)| d == prefix)).count()
        };
        // The folder `large` is no file of `scenes`.
        assert_eq!(builtin("scenes") + 1, scenes(&root.join("scenes")));
        assert_eq!(builtin("scenes/large"), scenes(&root.join("scenes/large")));
        let dir = std::env::temp_dir().join(format!("impinge-builtin-{}", std::process::id()));
        let file = dir.join("a/b.toml");
        for there in [None, Some("edited")] {
            if let Some(text) = there {
                fs::write(&file, text).unwrap();
            }
            put(&file, b"mine").unwrap();
            assert_eq!(fs::read(&file).unwrap(), b"mine");
        }
        fs::remove_dir_all(&dir).unwrap();
    }
}
