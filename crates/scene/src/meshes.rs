//! Builds the meshes of a scene, each different one once, and refuses those that cannot do their work: a rigid body
//! or a tested surface needs an inside.

use crate::error::{Issue, SceneError};
use crate::mesh::{MeshSpec, build_mesh};
use crate::spec::{Motion, SceneSpec, Shape, Sides};
use impinge_geometry::{MeshError, TriMesh, mass_properties};

/// The meshes of a scene.
#[derive(Clone, Debug)]
pub struct SceneMeshes {
    /// Every different mesh once, in the body frame (m).
    pub meshes: Vec<TriMesh>,
    /// For each body of the scene the index of its mesh; `None` for planes and particles.
    pub of_body: Vec<Option<usize>>,
}

impl SceneSpec {
    /// Builds all meshes; bodies with the same mesh share it.
    ///
    /// # Errors
    /// A mesh that cannot be read or built, and an open mesh where an inside is needed, each with the place in
    /// the scene that asked for it.
    pub fn meshes(&self) -> Result<SceneMeshes, SceneError> {
        let mut issues: Vec<Issue> = Vec::new();
        let mut specs: Vec<&MeshSpec> = Vec::new();
        let mut built: Vec<Option<(TriMesh, Option<MeshError>)>> = Vec::new();
        let mut of_body = Vec::with_capacity(self.bodies.len());
        // Copies of one body follow each other: the last spec is asked first.
        for body in &self.bodies {
            let Shape::Mesh(spec) = &body.shape else {
                of_body.push(None);
                continue;
            };
            if let Some(i) = specs.iter().rposition(|s| *s == spec) {
                of_body.push(Some(i));
                continue;
            }
            of_body.push(Some(specs.len()));
            specs.push(spec);
            match build_mesh(spec, &self.base_dir) {
                Ok(mesh) => {
                    let closed = mass_properties(&mesh);
                    built.push(Some((mesh, closed.err())));
                }
                Err(e) => {
                    for issue in e.issues() {
                        let what = format!("the mesh of `{}` cannot be made: {}", body.name, issue.what);
                        issues.push(self.document.issue(body.place, what, issue.fix.clone()));
                    }
                    built.push(None);
                }
            }
        }
        let mut told = std::collections::BTreeSet::new();
        for (i, body) in self.bodies.iter().enumerate() {
            let Some((_, Some(open))) = of_body[i].and_then(|m| built[m].as_ref()) else { continue };
            if let Some((what, fix)) = self.needs_inside(i)
                && told.insert(body.base)
            {
                let what = format!("`{}` {what}: {open}", body.name);
                issues.push(self.document.issue(body.place, what, fix.to_string()));
            }
        }
        if !issues.is_empty() {
            return Err(SceneError::new(issues));
        }
        Ok(SceneMeshes { meshes: built.into_iter().flatten().map(|(mesh, _)| mesh).collect(), of_body })
    }

    /// Why body `i` needs a mesh with an inside, if it does.
    fn needs_inside(&self, i: usize) -> Option<(&'static str, &'static str)> {
        let body = &self.bodies[i];
        if matches!(body.motion, Motion::Rigid(_)) {
            return Some((
                "is rigid, so its mass comes from the inside of its mesh",
                "use a closed mesh, or make the body \"fixed\"",
            ));
        }
        let tested = (0..self.bodies.len()).any(|j| {
            if !self.can_meet(i, j) {
                return false;
            }
            let (response, sides) = self.rule_for(i, j);
            let Some(response) = response else { return false };
            let can = impinge_world::directions(response, body.shape.kind(), self.bodies[j].shape.kind());
            can.second && sides != Sides::First
        });
        tested.then_some((
            "is met by other bodies, and the response asks which of their vertices are inside it",
            "use a closed mesh (a thin box for a sheet), or add a [[rule]] whose `sides` tests only this body's vertices",
        ))
    }
}
