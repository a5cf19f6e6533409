//! Puts a mesh file in the place of a scene's placeholder mesh.

use crate::document::Document;
use crate::error::{Issue, SceneError};
use crate::mesh::build_mesh;
use crate::read;
use crate::spec::{SceneSpec, Shape};
use std::path::Path;

/// How a replacing mesh is turned and sized.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Replacement {
    /// Whether the file's y axis is turned to z.
    pub y_up: bool,
    /// Multiplies the file's coordinates; `None` scales to the placeholder's size.
    pub scale: Option<f64>,
}

impl SceneSpec {
    /// Replaces the mesh of the body marked `replaceable` by a file, scaled to the placeholder's size.
    ///
    /// The rule: one factor for all axes, such that the longest side of the file's bounding box becomes as
    /// long as the longest side of the placeholder's; the middles of the two boxes coincide. Everything else of
    /// the body stays: pose, motion, material; a body with a `density` gets the new volume's mass. The path is
    /// relative to the working folder, not to the scene.
    ///
    /// # Errors
    /// No body of the scene is replaceable, or the placeholder cannot be built. The file itself is read by
    /// [`SceneSpec::meshes`].
    pub fn replace_mesh(&mut self, path: &Path) -> Result<(), SceneError> {
        self.replace_mesh_with(path, &Replacement::default())
    }

    /// The same, with a say in how the file is turned and scaled.
    ///
    /// # Errors
    /// As [`SceneSpec::replace_mesh`], and a scale that is not above zero.
    pub fn replace_mesh_with(&mut self, path: &Path, how: &Replacement) -> Result<(), SceneError> {
        let fail = |what: String, fix: &str| Issue::placeless(self.origin.display().to_string(), what, fix);
        let Some(body) = self.bodies.iter().find(|b| b.replaceable) else {
            let fix =
                "add `replaceable = true` to the body whose mesh shall give way, or choose another scene";
            return Err(fail("no body of this scene has a replaceable mesh".into(), fix).into());
        };
        let Shape::Mesh(placeholder) = &body.shape else {
            return Err(fail(format!("`{}` has no mesh", body.name), "mark a body with a mesh").into());
        };
        let (lo, hi) = build_mesh(placeholder, &self.base_dir)?.bounds();
        let absolute = std::path::absolute(path).map_err(|e| {
            fail(format!("the path {} has no absolute form: {e}", path.display()), "give another path")
        })?;
        let Some(text) = absolute.to_str() else {
            let what = format!("the path {} is not UTF-8", path.display());
            return Err(fail(what, "rename the file or its folder").into());
        };
        let sizing = match how.scale {
            Some(scale) if scale.is_finite() && scale > 0.0 => format!("scale = {scale:?}"),
            Some(scale) => {
                return Err(
                    fail(format!("a mesh cannot be scaled by {scale}"), "give a factor above 0").into()
                );
            }
            None => format!("fit = {:?}", (hi - lo).component_max()),
        };
        let center = lo * 0.5 + hi * 0.5;
        let value = format!(
            "{{ file = {{ path = {}, {sizing}, up = \"{}\", center = [{:?}, {:?}, {:?}] }} }}",
            toml::Value::String(text.to_string()),
            if how.y_up { "y" } else { "z" },
            center.x,
            center.y,
            center.z
        );
        let mut document: Document = self.document.clone();
        // By number: a copy's name is not in the file.
        document.set(&format!("body.{}.mesh", body.base), &value)?;
        *self = read::scene(document, &self.origin, &self.base_dir, Some(self.response))?;
        Ok(())
    }
}
