//! What the pressure families share: a body of a case file.

use super::compare::Malformed;
use impinge_geometry::{DVec3, TetMesh};
use impinge_pressure::CompliantBody;
use serde::Deserialize;

/// Tets with the extent at every vertex.
#[derive(Deserialize)]
pub struct Body {
    vertices: Vec<[f64; 3]>,
    tets: Vec<[u32; 4]>,
    eps: Vec<f64>,
    modulus: f64,
}

impl Body {
    /// With every tet turned to positive volume.
    pub fn build(&self) -> Result<CompliantBody, Malformed> {
        let bad = |e: &dyn std::fmt::Display| Malformed(e.to_string());
        let mesh = TetMesh::from_arrays(&self.vertices, &self.tets).map_err(|e| bad(&e))?;
        let (mesh, _) = mesh.oriented().map_err(|e| bad(&e))?;
        CompliantBody::new(mesh, self.eps.clone(), self.modulus).map_err(|e| bad(&e))
    }

    /// Corners and pressures of the only tet.
    pub fn single(&self) -> Result<([DVec3; 4], [f64; 4]), Malformed> {
        let body = self.build()?;
        let [t] = body.mesh().tets() else {
            return Err(Malformed(format!("a body of {} tets; a tet pair has one each", self.tets.len())));
        };
        Ok((body.mesh().corners(0), t.map(|v| self.modulus * self.eps[v as usize])))
    }

    /// The larger side of the bounds (m).
    pub fn bounds(&self) -> (DVec3, DVec3) {
        self.vertices
            .iter()
            .map(|&v| DVec3::from(v))
            .fold((DVec3::broadcast(f64::INFINITY), DVec3::broadcast(f64::NEG_INFINITY)), |(lo, hi), v| {
                (lo.min_by_component(v), hi.max_by_component(v))
            })
    }

    /// The modulus (Pa).
    pub fn modulus(&self) -> f64 {
        self.modulus
    }
}
