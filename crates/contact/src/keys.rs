//! Names of pairs of features, stable from step to step.

/// Marks keys of edge pairs; vertex–face keys have it clear, so they sort first.
const EDGES: u64 = 1 << 63;

/// Name of vertex `vertex` against face `face`, both numbered over all surfaces of the scene. `vertex` must be below 2³¹: of a
/// larger one the highest bit is lost, and its name is another's (the step is refused where both touch).
///
/// # Panics
/// Under debug assertions, where it is not below 2³¹.
#[must_use]
pub fn vertex_face_key(vertex: u32, face: u32) -> u64 {
    debug_assert!(vertex <= u32::MAX >> 1, "vertex {vertex} is not below 2^31; number vertices from 0");
    (u64::from(vertex) << 32 | u64::from(face)) & !EDGES
}

/// Name of edge `first` against edge `second`, both numbered over all surfaces of the scene. `first` must be below 2³¹: of a
/// larger one the highest bit is lost, and its name is another's (the step is refused where both touch). The pair the
/// other way round has another name: list edges one way only.
///
/// # Panics
/// Under debug assertions, where it is not below 2³¹.
#[must_use]
pub fn edge_edge_key(first: u32, second: u32) -> u64 {
    debug_assert!(first <= u32::MAX >> 1, "edge {first} is not below 2^31; number edges from 0");
    u64::from(first) << 32 | u64::from(second) | EDGES
}

/// Vertex and face of a key of [`vertex_face_key`]; `None` for a pair of edges.
#[must_use]
pub fn vertex_and_face(key: u64) -> Option<(u32, u32)> {
    (key & EDGES == 0).then_some(((key >> 32) as u32, key as u32))
}
