//! What stands beside the scenes in a copy of the repository: hashes, tests with known answers, known misses.

use impinge_cli::{is_builtin, scene_files};
use std::path::{Path, PathBuf};

/// The file or folder of this name in `fixtures`: that of `--fixtures`, or here or in a folder above.
///
/// # Errors
/// Where only the scenes inside the program are at hand.
pub fn beside_scenes(fixtures: Option<&Path>, name: &str) -> Result<PathBuf, String> {
    let scenes = scene_files::scenes_dir(fixtures)?;
    if is_builtin(&scenes) {
        return Err(format!(
            "there is no folder `fixtures` here or above, so no `{name}`: start in a copy of the repository, or name its folder with \
             --fixtures DIR"
        ));
    }
    Ok(scenes.with_file_name(name))
}
