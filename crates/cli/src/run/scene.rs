//! The scene that was asked for: keys set, another step, another length.

use crate::arguments;
use impinge_scene::{Response, SceneSpec};
use std::path::Path;

/// The text of a scene with keys set, another step and another length; `path` is where it came from.
pub(crate) fn load_text(
    text: &str,
    path: &Path,
    set: &[String],
    dt: Option<f64>,
    duration: f64,
    response: Response,
) -> Result<SceneSpec, String> {
    let keys = keys(set, dt)?;
    let mut spec =
        SceneSpec::from_str_under(text, path, &borrowed(&keys), Some(response)).map_err(|e| e.to_string())?;
    set_duration(&mut spec, Some(duration))?;
    Ok(spec)
}

pub(super) fn keys(set: &[String], dt: Option<f64>) -> Result<Vec<(String, String)>, String> {
    let mut keys: Vec<(String, String)> = Vec::new();
    for s in set {
        let (key, value) = s
            .split_once('=')
            .ok_or_else(|| format!("--set {s}: write KEY=VALUE, for instance --set scene.dt=0.001"))?;
        keys.push((key.trim().to_string(), value.trim().to_string()));
    }
    keys.extend(dt.map(|dt| ("scene.dt".to_string(), format!("{dt:?}"))));
    Ok(keys)
}

pub(super) fn borrowed(keys: &[(String, String)]) -> Vec<(&str, &str)> {
    keys.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect()
}

/// Not as a key: the scene's expectations may reach further, and are then simply not judged.
pub(super) fn set_duration(spec: &mut SceneSpec, duration: Option<f64>) -> Result<(), String> {
    if let Some(duration) = duration {
        spec.duration = arguments::seconds("--duration", duration)?;
    }
    Ok(())
}
