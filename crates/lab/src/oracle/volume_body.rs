//! A closed surface of the families `volume` and `ldi`.

use super::compare::Malformed;
use impinge_geometry::{DVec3, TriMesh};
use impinge_volume::{Body, ClosedSurface};
use serde::Deserialize;

/// `A` or `B` of a case.
#[derive(Deserialize)]
pub struct Mesh {
    vertices: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    #[serde(default)]
    velocities: Vec<[f64; 3]>,
}

/// The mesh, prepared.
pub struct Prepared {
    pub surface: ClosedSurface,
    pub x: Vec<DVec3>,
    pub velocity: Vec<DVec3>,
}

impl Mesh {
    /// Checks and prepares it.
    pub fn prepared(&self) -> Result<Prepared, Malformed> {
        let bad = |e: &dyn std::fmt::Display| Malformed(e.to_string());
        let mesh = TriMesh::from_arrays(&self.vertices, &self.triangles).map_err(|e| bad(&e))?;
        let surface = ClosedSurface::new(&mesh).map_err(|e| bad(&e))?;
        let velocity: Vec<DVec3> = self.velocities.iter().map(|&v| v.into()).collect();
        if !velocity.is_empty() && velocity.len() != self.vertices.len() {
            return Err(Malformed(format!(
                "{} velocities, {} vertices",
                velocity.len(),
                self.vertices.len()
            )));
        }
        Ok(Prepared { surface, x: mesh.into_parts().0, velocity })
    }
}

impl Prepared {
    /// As a kernel takes it.
    pub fn body(&self) -> Result<Body<'_>, Malformed> {
        Body::new(&self.surface, &self.x).map_err(|e| Malformed(e.to_string()))
    }
}
