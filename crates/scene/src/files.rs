//! The files that a scene names beside itself.

use crate::height_field::Heights;
use crate::mesh::MeshSpec;
use crate::spec::{SceneSpec, Shape, SolidSpec};
use std::path::{Path, PathBuf};

impl SceneSpec {
    /// Files that bodies come from: as the scene names each, and where it is. In the order of their names, each once.
    #[must_use]
    pub fn files(&self) -> Vec<(PathBuf, PathBuf)> {
        let mut named: Vec<&Path> = self.bodies.iter().filter_map(|body| of_shape(&body.shape)).collect();
        named.sort_unstable();
        named.dedup();
        named.into_iter().map(|path| (path.to_path_buf(), self.base_dir.join(path))).collect()
    }
}

fn of_shape(shape: &Shape) -> Option<&Path> {
    match shape {
        Shape::Mesh(mesh) | Shape::Sheet(mesh) => of_mesh(mesh),
        Shape::Solid(SolidSpec::File { path, .. }) => Some(path),
        Shape::Solid(SolidSpec::Lattice { surface, .. }) => of_mesh(surface),
        Shape::Solid(_) | Shape::Plane { .. } | Shape::Points(_) | Shape::Line(_) => None,
    }
}

fn of_mesh(mesh: &MeshSpec) -> Option<&Path> {
    match mesh {
        MeshSpec::File(file) => Some(&file.path),
        MeshSpec::HeightField(field) => match &field.heights {
            Heights::File(path) => Some(path),
            Heights::Rows(_) => None,
        },
        MeshSpec::Thicken { of, .. } => of_mesh(of),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_named_once() {
        let body = |name: &str, shape: &str| {
            format!("[[body]]\nname = \"{name}\"\nkind = \"fixed\"\nmaterial = \"m\"\n{shape}\n")
        };
        let text = "[scene]\ntitle = \"t\"\ndt = 1e-3\nduration = 1.0\n[[material]]\nname = \"m\"\n[[pair]]\nmaterials = [\"m\", \"m\"]\nstiffness = 1e4\n"
            .to_string()
            + &body("a", "mesh = { file = { path = \"b.obj\" } }")
            + &body("b", "mesh = { file = { path = \"a.stl\" }, thicken = 0.1 }")
            + &body("c", "mesh = { file = { path = \"b.obj\", scale = 2.0 } }")
            + &body("d", "mesh = { height_field = { size = [1, 1], path = \"h.txt\" } }")
            + &body("e", "mesh = { box = { size = [1, 1, 1] } }");
        let spec = SceneSpec::from_str(&text, Path::new("there/s.toml")).unwrap();
        let there = |name: &str| (PathBuf::from(name), Path::new("there").join(name));
        assert_eq!(spec.files(), ["a.stl", "b.obj", "h.txt"].map(there));
    }
}
