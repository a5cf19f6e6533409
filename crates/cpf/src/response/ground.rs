//! What contacts are followed on.

use impinge_geometry::DVec3;
use impinge_swept::Faces;

/// Where the contacts are: places at the start of the step (m), and what is known of the surfaces.
pub(crate) struct Ground<'a> {
    pub(crate) x: &'a [DVec3],
    pub(crate) faces: &'a Faces,
    /// Whether a vertex may be pushed out of a face: key, vertices, normal.
    pub(crate) opposes: &'a dyn Fn(u64, [u32; 4], DVec3) -> bool,
}

/// The segment of a cable that goes on at an end of this one.
pub(crate) fn next_segment(faces: &Faces, segment: u32, end: usize) -> Option<u32> {
    let node = faces.edges.get(segment as usize)?[end];
    faces.edges_at.of(node).iter().copied().find(|&e| e != segment && faces.is_segment(e))
}
