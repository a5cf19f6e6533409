//! How much memory the surfaces of a scene take once it is built, told before anything is built.

use crate::error::SceneError;
use crate::height_field::{HeightField, Heights};
use crate::mesh::{MeshSpec, build_mesh};
use crate::spec::{SceneSpec, Shape};

/// What a built world holds for each surface vertex of each body beside the shape that copies share: places, velocities and
/// areas (bytes). Measured: 130 for copies of a ball of 40 962 vertices, whatever the response.
const PER_VERTEX: u64 = 128;

/// The fewest bytes that a vertex with its two triangles has in a file.
const LEAST_IN_FILE: u64 = 16;

impl SceneSpec {
    /// Bytes that the surfaces of all bodies with a mesh take at least once the scene is built, by copies times vertices. A mesh whose size is not
    /// known beforehand is counted only where its copies could be more than `limit`.
    ///
    /// # Errors
    /// That is more than `limit` bytes: at the shape of the body that takes most, with the sizes. `words` puts bytes in words.
    pub fn surface_bytes(&self, limit: u64, words: impl Fn(u64) -> String) -> Result<u64, SceneError> {
        let (mut all, mut most) = (0u64, (0u64, 0usize, 0u64, 0u64));
        let mut i = 0;
        while i < self.bodies.len() {
            let body = &self.bodies[i];
            // Copies follow each other.
            let copies = self.bodies[i..].iter().take_while(|b| b.base == body.base).count() as u64;
            if let Shape::Mesh(mesh) = &body.shape {
                let vertices = self.vertices(mesh, copies, limit);
                let bytes = copies.saturating_mul(vertices).saturating_mul(PER_VERTEX);
                all = all.saturating_add(bytes);
                most = most.max((bytes, i, copies, vertices));
            }
            i += copies as usize;
        }
        if all <= limit {
            return Ok(all);
        }
        let (bytes, i, copies, vertices) = most;
        let body = &self.bodies[i];
        let what = format!(
            "the surfaces of this scene would take at least {}, and {} of memory are free: {} are of {copies} × {vertices} vertices here",
            words(all),
            words(limit),
            words(bytes)
        );
        let fix = "lower `copies.count`, or use a coarser mesh";
        Err(self.document.issue(body.place, what, fix.to_string()).into())
    }

    /// Vertices of a mesh; 0 where they are not known and few enough.
    fn vertices(&self, mesh: &MeshSpec, copies: u64, limit: u64) -> u64 {
        // Euler: a closed surface has half as many vertices as triangles.
        if let Some(triangles) = mesh.triangles() {
            return triangles as u64 / 2;
        }
        let could_be = match mesh {
            MeshSpec::File(file) => {
                std::fs::metadata(self.base_dir.join(&file.path)).map_or(0, |m| m.len() / LEAST_IN_FILE)
            }
            MeshSpec::Thicken { of, .. } => return 2 * self.vertices(of, 2 * copies, limit),
            MeshSpec::HeightField(HeightField { heights: Heights::Rows(rows), .. }) => {
                return rows.iter().map(|r| r.len() as u64).sum();
            }
            _ => crate::mesh::MAX_TRIANGLES as u64 / 2,
        };
        if could_be.saturating_mul(copies).saturating_mul(PER_VERTEX) <= limit {
            return 0;
        }
        // What cannot be made is told when the scene is built.
        build_mesh(mesh, &self.base_dir).map_or(0, |m| m.positions().len() as u64)
    }
}
