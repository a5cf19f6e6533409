//! What is known to miss a bound, with the reason: `fixtures/conform.toml`.

use super::CHECKS;
use impinge_scene::Response;
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
    /// It was asked for, and the check did miss.
    #[serde(skip)]
    used: bool,
}

impl Known {
    /// Reads the file; a folder without one knows nothing.
    pub fn load(file: &Path) -> Result<Self, String> {
        if !file.is_file() {
            return Ok(Self::default());
        }
        let text =
            std::fs::read_to_string(file).map_err(|e| format!("{} cannot be read: {e}", file.display()))?;
        let known: Self = toml::from_str(&text).map_err(|e| format!("{}: {e}", file.display()))?;
        for m in &known.miss {
            let (response, check) = (m.response.as_str(), m.check.as_str());
            if Response::ALL.iter().all(|r| r.name() != response) {
                return Err(format!("{}: there is no response '{response}'", file.display()));
            }
            if !CHECKS.contains(&check) {
                return Err(format!(
                    "{}: there is no check '{check}'; there are {}",
                    file.display(),
                    CHECKS.join(", ")
                ));
            }
        }
        Ok(known)
    }

    /// Why this check of this run misses its bound, if somebody said so.
    pub fn reason(&self, scene: &str, response: &str, check: &str) -> Option<&str> {
        let fits = |m: &&Miss| m.scene == scene && m.response == response && m.check == check;
        self.miss.iter().find(fits).map(|m| m.reason.as_str())
    }

    /// Takes note of a miss that did happen.
    pub fn happened(&mut self, scene: &str, response: &str, check: &str) {
        let fits = |m: &&mut Miss| m.scene == scene && m.response == response && m.check == check;
        self.miss.iter_mut().filter(fits).for_each(|m| m.used = true);
    }

    /// What was said to miss in a run that was made, or may be (`ran`), and did not: out of date, or of a check that does not apply.
    pub fn idle(&self, ran: impl Fn(&str, &str) -> bool) -> Vec<String> {
        let idle = self.miss.iter().filter(|m| !m.used && ran(&m.scene, &m.response));
        idle.map(|m| format!("{}/{} {}", m.scene, m.response, m.check)).collect()
    }
}
