//! Builds the meshes of a scene, each different one once, and refuses those that cannot do their work: a rigid body
//! or a tested surface needs an inside.

use crate::error::{Issue, SceneError};
use crate::mesh::{MeshSpec, build_mesh};
use crate::spec::{Motion, SceneSpec, Shape, Sides};
use impinge_geometry::{MeshError, TriMesh, mass_properties};
use impinge_io::{ReadOptions, UpAxis};
use impinge_meshing::{Repair, health, suggest};
use impinge_world::ShapeKind;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

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
    /// A mesh that cannot be read or built, an open mesh, and one without a volume where an inside is needed, each
    /// with the place in the scene that asked for it.
    pub fn meshes(&self) -> Result<SceneMeshes, SceneError> {
        let mut issues: Vec<Issue> = Vec::new();
        // By their text: numbers in it are told apart to the bit.
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        let mut last = None;
        let mut built: Vec<Option<(TriMesh, Option<MeshError>)>> = Vec::new();
        let mut of_body = Vec::with_capacity(self.bodies.len());
        for body in &self.bodies {
            let Shape::Mesh(spec) = &body.shape else {
                of_body.push(None);
                continue;
            };
            // Copies of one body follow each other.
            if let Some((base, i)) = last
                && base == body.base
            {
                of_body.push(Some(i));
                continue;
            }
            let next = known.len();
            let i = *known.entry(format!("{spec:?}")).or_insert(next);
            last = Some((body.base, i));
            of_body.push(Some(i));
            if i < next {
                continue;
            }
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
        let mut told = BTreeSet::new();
        for (i, body) in self.bodies.iter().enumerate() {
            let Some((_, Some(why))) = of_body[i].and_then(|m| built[m].as_ref()) else { continue };
            if let Some(what) = self.needs_inside(i, why)
                && told.insert(body.base)
                && let Shape::Mesh(spec) = &body.shape
            {
                let what = format!("`{}` {what}: {why}", body.name);
                issues.push(self.document.issue(body.place, what, mend(spec, &self.base_dir, why)));
            }
        }
        if !issues.is_empty() {
            return Err(SceneError::new(issues));
        }
        Ok(SceneMeshes { meshes: built.into_iter().flatten().map(|(mesh, _)| mesh).collect(), of_body })
    }

    /// Why body `i` needs a mesh with an inside, if it does; `why` is what its mesh lacks.
    fn needs_inside(&self, i: usize, why: &MeshError) -> Option<&'static str> {
        let body = &self.bodies[i];
        if matches!(body.motion, Motion::Rigid(_)) {
            return Some("is rigid, so its mass comes from the inside of its mesh");
        }
        let front = matches!(why, MeshError::NotClosed { non_manifold_edges: 0, misoriented_edges: 0, .. });
        let tested = (0..self.bodies.len()).any(|j| {
            if !self.can_meet(i, j) {
                return false;
            }
            let (response, sides) = self.rule_for(i, j);
            let Some(response) = response else { return false };
            let response = self.with_settings(response);
            let other = self.bodies[j].shape.kind();
            if front {
                return !response.directions(ShapeKind::Open, other).any();
            }
            let can = response.directions(body.shape.kind(), other);
            response.looks_inside() && can.second && sides != Sides::First
        });
        if tested && front {
            return Some("is open and met by other bodies, and the response needs its inside");
        }
        if tested {
            return Some(
                "is met by other bodies, and the response asks which of their vertices are inside it",
            );
        }
        // The world takes no other, whatever meets it.
        (matches!(why, MeshError::NotClosed { .. }) && !front)
            .then_some("has edges of more than two triangles, or of two that do not face one way")
    }
}

/// What to do about a mesh without an inside. The repairs are tried on the file, so that what is named helps.
pub(crate) fn mend(spec: &MeshSpec, base_dir: &Path, why: &MeshError) -> String {
    let MeshSpec::File(file) = spec else {
        return match why {
            MeshError::NotClosed { .. } => {
                "give it a bottom: `mesh = { …, thicken = 0.1 }` (m); or use a closed mesh, for a sheet a `plate`, which is a thin box"
            }
            _ => "change its sizes",
        }
        .to_string();
    };
    let path = base_dir.join(&file.path);
    let in_shell = |p: &Path| match p.display().to_string() {
        shown if shown.contains(' ') => format!("\"{shown}\""),
        shown => shown,
    };
    let stem = file.path.file_stem().map_or("mesh".into(), |s| s.to_string_lossy());
    // Beside the file, where the scene looks for it.
    let mended = in_shell(&path.with_file_name(format!("{stem}-mended.obj")));
    let shown = in_shell(&path);
    let looks = format!("`impinge mesh {shown} --report DIR` draws where its faults are");
    match (repairs(&path), why) {
        (Some(names), _) => format!(
            "`impinge mesh {shown} --repair {names} --out {mended}` makes a mesh that is taken; give it as `path`"
        ),
        (None, MeshError::NoVolume { volume }) if *volume == 0.0 => {
            "give the surface a thickness in the program it comes from".to_string()
        }
        (None, MeshError::NoVolume { volume }) if *volume > 0.0 => {
            "check `scale` and `fit`: the scene is in metres".to_string()
        }
        (None, _) => format!("no repair by name helps: {looks}; mend them in the program it comes from"),
    }
}

/// The repairs after which the file, as `impinge mesh` reads it, has an inside; none where they do not help or it has one already.
fn repairs(path: &Path) -> Option<String> {
    let mut mesh = impinge_io::read_mesh(path, &ReadOptions { scale: 1.0, up: UpAxis::Z }).ok()?;
    let mut done: Vec<&'static str> = Vec::new();
    let mut tolerance = None;
    loop {
        let found = health(&mesh);
        if found.volume().is_ok() {
            break;
        }
        let next = suggest(&found).into_iter().find(|r| !done.contains(&r.name()))?;
        if let Repair::Weld { tolerance: t } = next {
            tolerance = Some(t).filter(|t| *t > 0.0);
        }
        mesh = next.apply(&mesh).ok()?.mesh;
        done.push(next.name());
    }
    let names = done.join(",");
    match (done.is_empty(), tolerance) {
        (true, _) => None,
        (false, Some(t)) => Some(format!("{names} --tolerance {t:?}")),
        (false, None) => Some(names),
    }
}
