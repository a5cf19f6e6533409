//! What a mesh file does not say about itself: its unit and which way is up.

use crate::ReadError;
use impinge_geometry::DVec3;

/// The axis that points up in a file. The workspace's up is z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum UpAxis {
    /// y is up, as many modelling programs write: (x, y, z) is read as (x, −z, y), a quarter turn about x.
    Y,
    /// z is up: nothing is turned.
    #[default]
    Z,
}

/// How to read a mesh file.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ReadOptions {
    /// Metres per file unit: 1 for metres, 0.001 for millimetres. Finite and positive.
    pub scale: f64,
    /// Which axis of the file points up.
    pub up: UpAxis,
}

impl Default for ReadOptions {
    /// Metres, z up: coordinates as they stand.
    fn default() -> Self {
        Self { scale: 1.0, up: UpAxis::Z }
    }
}

impl ReadOptions {
    /// Refuses a scale that is no positive number, in the name of the file to be read.
    pub(crate) fn check(&self, file: &str) -> Result<(), ReadError> {
        if self.scale.is_finite() && self.scale > 0.0 {
            return Ok(());
        }
        Err(ReadError::BadScale { file: file.into(), scale: self.scale })
    }

    /// File coordinates to metres, z up. A rotation and a positive scale: triangles keep their outward side.
    #[must_use]
    pub fn apply(&self, [x, y, z]: [f64; 3]) -> DVec3 {
        match self.up {
            UpAxis::Y => DVec3::new(x, -z, y) * self.scale,
            UpAxis::Z => DVec3::new(x, y, z) * self.scale,
        }
    }
}
