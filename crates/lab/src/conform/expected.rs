//! What is known to miss a bound and what runs shortly, with the reasons: `fixtures/conform.toml`.

use super::CHECKS;
use impinge_scene::Response;
use serde::Deserialize;
use std::path::Path;

/// Misses that are known, and runs that are short.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    #[serde(default)]
    miss: Vec<Miss>,
    #[serde(default)]
    short: Vec<Short>,
}

/// A scene whose steps cost too much for the usual number of them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Short {
    scene: String,
    /// All when none is named.
    #[serde(default)]
    responses: Vec<String>,
    /// Steps that are made at most; 0: it is not run.
    pub steps: u64,
    /// What a step costs.
    pub reason: String,
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
    /// Reads the file, which may speak of `scenes` only; a folder without one knows nothing.
    pub fn load(file: &Path, scenes: &[String]) -> Result<Self, String> {
        if !file.is_file() {
            return Ok(Self::default());
        }
        let text =
            std::fs::read_to_string(file).map_err(|e| format!("{} cannot be read: {e}", file.display()))?;
        let known: Self = toml::from_str(&text).map_err(|e| format!("{}: {e}", file.display()))?;
        let named =
            known.miss.iter().map(|m| &m.response).chain(known.short.iter().flat_map(|s| &s.responses));
        for response in named {
            if Response::ALL.iter().all(|r| r.name() != response) {
                return Err(format!("{}: there is no response '{response}'", file.display()));
            }
        }
        // An entry for a scene that was renamed would do nothing without a word.
        let spoken = known.miss.iter().map(|m| &m.scene).chain(known.short.iter().map(|s| &s.scene));
        if let Some(scene) = spoken.into_iter().find(|s| !scenes.contains(s)) {
            return Err(format!("{}: there is no scene '{scene}'", file.display()));
        }
        for m in &known.miss {
            let check = m.check.as_str();
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

    /// The first entry that makes this run short.
    pub fn short(&self, scene: &str, response: &str) -> Option<&Short> {
        self.short.iter().find(|s| {
            s.scene == scene && (s.responses.is_empty() || s.responses.iter().any(|r| r == response))
        })
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
