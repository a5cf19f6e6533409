//! What is known to miss a bound, with the reason: `fixtures/conform.toml`.

use serde::Deserialize;
use std::path::Path;

/// Misses that are known.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    #[serde(default)]
    miss: Vec<Miss>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Miss {
    scene: String,
    response: String,
    check: String,
    reason: String,
}

impl Known {
    /// Reads the file; a folder without one knows nothing.
    pub fn load(file: &Path) -> Result<Self, String> {
        if !file.is_file() {
            return Ok(Self::default());
        }
        let text =
            std::fs::read_to_string(file).map_err(|e| format!("{} cannot be read: {e}", file.display()))?;
        toml::from_str(&text).map_err(|e| format!("{}: {e}", file.display()))
    }

    /// Why this check of this run misses its bound, if somebody said so.
    pub fn reason(&self, scene: &str, response: &str, check: &str) -> Option<&str> {
        let fits = |m: &&Miss| m.scene == scene && m.response == response && m.check == check;
        self.miss.iter().find(fits).map(|m| m.reason.as_str())
    }
}
