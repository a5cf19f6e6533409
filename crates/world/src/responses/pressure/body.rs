//! Bodies with a pressure field.

use super::settings::{PressureField, Yielding};
use crate::body::{BodyDesc, Mass};
use crate::body_data::BodyData;
use crate::build_error::BuildError;
use impinge_bodies::Shape;
use impinge_geometry::{DVec3, Pose, TetTopology, mass_properties};
use impinge_pressure::{BodyError, CompliantBody};
use std::sync::Arc;

impl BodyData for PressureField {
    /// A field that fits the shape it is given to.
    fn check(&self, b: &BodyDesc) -> Result<(), String> {
        let refuse = |why: &str| Err(format!("body '{}': {why}", b.name));
        match (&b.shape, &self.yielding) {
            (Shape::Mesh(m), _) if m.open => {
                return refuse("an open mesh has no inside for a pressure field");
            }
            (Shape::Mesh(_), Yielding::Tets(_)) | (Shape::Plane { .. }, Yielding::Layer { .. }) => {}
            (Shape::Mesh(_), _) => return refuse("a layer is for planes; give a mesh a field on tets"),
            (Shape::Plane { .. }, _) => return refuse("a field on tets is for meshes; give a plane a layer"),
            _ => return refuse("bodies made of nodes take no pressure field"),
        }
        match self.dissipation {
            Some(chi) if !(chi >= 0.0 && chi.is_finite()) => {
                refuse("the dissipation of its pressure field must be zero or a positive number (s/m)")
            }
            _ => Ok(()),
        }
    }

    /// Whether it damps by itself.
    fn class(&self) -> u64 {
        u64::from(self.dissipation.is_some())
    }
}

impl BodyDesc {
    /// A rigid body with a pressure field: its mesh is the surface of the field's tets. `pose` places the frame the field is
    /// given in; see [`BodyDesc::rigid`].
    ///
    /// # Errors
    /// As [`BodyDesc::rigid`], and for a field that its move to the centre of mass makes infinite.
    pub fn compliant(name: &str, field: &CompliantBody, mass: Mass, pose: Pose) -> Result<Self, BuildError> {
        let refused = |source| BuildError::Mesh { body: name.to_string(), source };
        let tets = field.mesh();
        let outside = TetTopology::new(tets).surface(tets).map_err(refused)?.mesh;
        let body = Self::rigid(name, &outside, mass, pose)?;
        let center = mass_properties(&outside).map_err(refused)?.center;
        let moved = moved_field(field, -center);
        let moved = moved.map_err(|e| BuildError::BadSetting(format!("body '{name}': {e}")))?;
        Ok(body.with_pressure(PressureField::tets(moved)))
    }

    /// With a pressure field (body frame: that of a rigid body has the centre of mass at its origin); without one it is rigid to the response
    /// `pressure`. Bodies may share one.
    #[must_use]
    pub fn with_pressure(mut self, field: impl Into<Arc<PressureField>>) -> Self {
        self.data.share(field.into());
        self
    }
}

/// A field moved by `by` (m) against its frame.
///
/// # Errors
/// As [`CompliantBody::new`], for a move that is not finite.
pub fn moved_field(field: &CompliantBody, by: DVec3) -> Result<CompliantBody, BodyError> {
    CompliantBody::new(field.mesh().mapped(|p| p + by)?, field.extent().to_vec(), field.modulus())
}
