//! Meshes as they are read from files of serde: checked as any other arrays before they are a mesh.

use crate::MeshError;
use ultraviolet::DVec3;

/// The arrays of a [`crate::TriMesh`].
#[derive(serde::Deserialize)]
pub(crate) struct TriMesh {
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl TryFrom<TriMesh> for crate::TriMesh {
    type Error = MeshError;
    fn try_from(m: TriMesh) -> Result<Self, MeshError> {
        Self::new(m.positions, m.triangles)
    }
}

/// The arrays of a [`crate::TetMesh`].
#[cfg(feature = "tets")]
#[derive(serde::Deserialize)]
pub(crate) struct TetMesh {
    positions: Vec<DVec3>,
    tets: Vec<[u32; 4]>,
}

#[cfg(feature = "tets")]
impl TryFrom<TetMesh> for crate::TetMesh {
    type Error = MeshError;
    fn try_from(m: TetMesh) -> Result<Self, MeshError> {
        Self::new(m.positions, m.tets)
    }
}
