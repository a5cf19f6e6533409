//! Fields in files: tets, extents and modulus; what is derived from them is made anew.

use crate::{BodyError, CompliantBody};
use impinge_geometry::TetMesh;
use std::sync::Arc;

#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct Field {
    mesh: TetMesh,
    extent: Vec<f64>,
    modulus: f64,
    split: usize,
}

impl From<CompliantBody> for Field {
    fn from(body: CompliantBody) -> Self {
        let (modulus, split) = (body.modulus(), body.split_tets());
        Self { mesh: body.mesh().clone(), extent: body.extent().to_vec(), modulus, split }
    }
}

impl TryFrom<Field> for CompliantBody {
    type Error = BodyError;

    fn try_from(f: Field) -> Result<Self, BodyError> {
        Ok(Self::new(f.mesh, f.extent, f.modulus)?.with_split(f.split))
    }
}

/// A field that bodies share.
#[cfg(feature = "step")]
pub(crate) mod shared {
    use super::{Arc, CompliantBody};
    use serde::{Deserialize, Serialize};

    pub(crate) fn serialize<S: serde::Serializer>(
        body: &Arc<CompliantBody>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        (**body).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: serde::Deserializer<'de>>(
        from: D,
    ) -> Result<Arc<CompliantBody>, D::Error> {
        CompliantBody::deserialize(from).map(Arc::new)
    }
}
