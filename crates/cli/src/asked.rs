//! The scene that was asked for: under another response, with keys set, another step, another length, another mesh.

use crate::arguments::seconds;
use crate::keys::key_value;
use crate::output::Failure;
use impinge_scene::{Replacement, Response, SceneError, SceneSpec, closest};
use std::path::Path;

/// The scene with these keys and of this length, under `response` where that is not its own.
pub(crate) fn scene(
    path: &Path,
    keys: &[(&str, &str)],
    response: Option<Response>,
    duration: Option<f64>,
) -> Result<SceneSpec, Failure> {
    lasting(SceneSpec::load_under(path, keys, response), duration)
}

/// Not as a key: the scene's expectations may reach further, and are then simply not judged.
fn lasting(read: Result<SceneSpec, SceneError>, duration: Option<f64>) -> Result<SceneSpec, Failure> {
    let mut spec = read?;
    if let Some(duration) = duration {
        spec.duration = seconds("--duration", duration)?;
    }
    Ok(spec)
}

/// What `impinge run` changes of a scene, and a replay of such a run changes again.
pub(crate) struct Changes<'a> {
    pub set: &'a [String],
    pub dt: Option<f64>,
    pub duration: Option<f64>,
    pub mesh: Option<&'a Path>,
    pub up: &'a str,
    pub scale: Option<f64>,
}

impl Changes<'_> {
    /// The scene that `read` makes of the keys, with the other changes.
    pub(crate) fn of(
        &self,
        read: impl FnOnce(&[(&str, &str)]) -> Result<SceneSpec, SceneError>,
    ) -> Result<SceneSpec, Failure> {
        let mut keys = self.set.iter().map(|s| key_value("--set", s)).collect::<Result<Vec<_>, _>>()?;
        let dt = self.dt.map(|dt| format!("{dt:?}"));
        keys.extend(dt.as_deref().map(|dt| ("scene.dt", dt)));
        let mut spec = lasting(read(&keys), self.duration)?;
        if let Some(mesh) = self.mesh {
            let how = Replacement { y_up: self.up == "y", scale: self.scale };
            spec.replace_mesh_with(mesh, &how)?;
        }
        Ok(spec)
    }
}

/// The scene with these keys, for a run under `response`, where that is not its own; `mu` is that of every pair.
pub(crate) fn of_variant(
    path: &Path,
    fixed: &[(&str, &str)],
    variant: &[(&str, &str)],
    duration: Option<f64>,
    response: Option<Response>,
) -> Result<SceneSpec, Failure> {
    let given = || fixed.iter().chain(variant).copied();
    // A path begins with a section; what has none is the short word for friction, well or badly written.
    if let Some((key, _)) = given().find(|(k, _)| *k != "mu" && closest(k, &["mu", "mu_s", "mu_k"]).is_some())
    {
        return Err(Failure::from(format!(
            "`{key}` is no key; did you mean `mu`, which is mu_s and mu_k of every pair of materials? One of them is pair.0.mu_s"
        )));
    }
    if let Some(r) = response.filter(|_| given().any(|(k, _)| k == "scene.response")) {
        let by = r.name();
        return Err(Failure::from(format!(
            "`scene.response` is set, but runs here go by --responses (this one by '{by}'); leave it out"
        )));
    }
    let pairs = match given().any(|(k, _)| k == "mu") {
        true => SceneSpec::load_under(path, &[], response)?.pairs.len(),
        false => 0,
    };
    if pairs == 0 && given().any(|(k, _)| k == "mu") {
        return Err("`mu` is set, and the scene states no [[pair]] to set it in: add one, with materials = [\"*\", \"*\"]".into());
    }
    let mut keys: Vec<(String, &str)> = Vec::new();
    for (key, value) in given() {
        match key {
            "mu" => (0..pairs).for_each(|p| {
                keys.push((format!("pair.{p}.mu_s"), value));
                keys.push((format!("pair.{p}.mu_k"), value));
            }),
            _ => keys.push((key.to_string(), value)),
        }
    }
    let keys: Vec<(&str, &str)> = keys.iter().map(|(k, v)| (k.as_str(), *v)).collect();
    scene(path, &keys, response, duration)
}
