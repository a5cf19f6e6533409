//! What one repair hands back.

use impinge_geometry::{MeshError, TriMesh};

/// The work of one repair, before it is wrapped up.
pub(super) struct Outcome {
    pub mesh: Result<TriMesh, MeshError>,
    pub faces: Vec<u32>,
    pub done: Vec<(usize, &'static str)>,
    pub left: Vec<(usize, &'static str)>,
}

/// Stands where a face has no face behind it.
pub(super) const NEW: u32 = u32::MAX;
