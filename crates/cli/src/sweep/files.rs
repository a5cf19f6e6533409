//! What a row is of beside its scene: the mesh files, by their bytes.

use crate::digest::digest;
use impinge_scene::SceneSpec;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Digests of files, each read once.
#[derive(Default)]
pub struct Files(BTreeMap<PathBuf, u64>);

impl Files {
    /// The files of a scene with their digests, in words.
    ///
    /// # Errors
    /// One that cannot be read.
    pub fn of(&mut self, spec: &SceneSpec) -> Result<String, String> {
        let mut told = Vec::new();
        for (name, place) in spec.files() {
            let known = match self.0.get(&place) {
                Some(known) => *known,
                None => {
                    let bytes = std::fs::read(&place);
                    digest(
                        &bytes
                            .map_err(|e| format!("the mesh file {} cannot be read: {e}", place.display()))?,
                    )
                }
            };
            self.0.insert(place, known);
            told.push(format!("{} {known:016x}", name.display().to_string().replace(['\n', '\t'], " ")));
        }
        Ok(if told.is_empty() { "no file".to_string() } else { told.join(", ") })
    }
}
