//! Meshes from files: what is done to one, and the triangles it stands for.

use crate::error::{Issue, SceneError};
use crate::mesh::{MAX_TRIANGLES, MeshSpec};
use crate::reader::Reader;
use impinge_geometry::{DVec3, TriMesh};
use impinge_io::{ReadOptions, UpAxis};
use impinge_meshing::Repair;
use std::path::{Path, PathBuf};

/// A mesh file and what is done to it.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshFile {
    /// As written; relative to the scene's folder.
    pub path: PathBuf,
    /// Whether the file's y axis is turned to z.
    pub y_up: bool,
    /// How large it becomes.
    pub sizing: Sizing,
    /// Where the middle of its bounding box goes (m); `None` leaves it.
    pub center: Option<DVec3>,
}

/// How large a mesh from a file becomes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sizing {
    /// All coordinates are multiplied by this.
    Scale(f64),
    /// The longest side of the bounding box becomes this long (m).
    Fit(f64),
}

/// Reads a `mesh.file` table.
pub(crate) fn read(t: &Reader<'_>) -> MeshSpec {
    if t.states("fit") {
        t.refuse("scale", "stands beside `fit`", "keep one of them");
    }
    let path = t.text("path");
    if path.trim().is_empty() && t.states("path") && !t.is_bad("path") {
        t.issues().push(t.place("path"), "`path` is empty", "write the mesh file's path");
    }
    let scale = t.number("scale");
    MeshSpec::File(MeshFile {
        path: PathBuf::from(path),
        y_up: t.word("up", &[("z", false), ("y", true)]),
        sizing: t.opt_number("fit").map_or(Sizing::Scale(scale), Sizing::Fit),
        center: t.opt_vector("center"),
    })
}

/// The mesh of a file, turned, scaled and moved; `base_dir` is what its path is relative to.
pub(crate) fn load(file: &MeshFile, base_dir: &Path) -> Result<TriMesh, SceneError> {
    let path = base_dir.join(&file.path);
    let origin = path.display().to_string();
    let up = if file.y_up { UpAxis::Y } else { UpAxis::Z };
    let scale = if let Sizing::Scale(scale) = file.sizing { scale } else { 1.0 };
    // The reader's own words name the file, the line and what to do.
    let mesh = impinge_io::read_mesh(&path, &ReadOptions { scale, up })
        .map_err(|e| Issue::placeless("mesh", e.to_string(), ""))?;
    let count = mesh.triangles().len();
    if count > MAX_TRIANGLES {
        let what = format!("this mesh has {count} triangles; at most {MAX_TRIANGLES} are taken");
        return Err(Issue::placeless(origin, what, "simplify it").into());
    }
    // A vertex that no triangle names is no part of the surface: kept, it would touch things and stretch the bounds.
    let mesh = match Repair::DropUnused.apply(&mesh) {
        Ok(r) => r.mesh,
        Err(e) => return Err(Issue::placeless(origin, e.to_string(), "export the file again").into()),
    };
    let (lo, hi) = mesh.bounds();
    let scale = match file.sizing {
        Sizing::Scale(_) => 1.0,
        Sizing::Fit(length) => length / (hi - lo).component_max(),
    };
    // Halved before the sum, so that two huge bounds do not overflow on their way to the middle.
    let middle = lo * 0.5 + hi * 0.5;
    let placed = match file.center {
        Some(center) => mesh.mapped(|p| (p - middle) * scale + center),
        None if scale == 1.0 => return Ok(mesh),
        None => mesh.mapped(|p| p * scale),
    };
    placed.map_err(|e| {
        let fix =
            "check `scale` and `fit`: the mesh must have an extent, and stay within the range of numbers";
        Issue::placeless(origin, e.to_string(), fix).into()
    })
}
