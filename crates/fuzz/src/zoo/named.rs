//! Whether a health report names the fault that a surface was given.

use impinge_meshing::Health;

/// `None` for what is no fault of a mesh by itself: slivers, thin, enormous, tiny and distant surfaces.
pub fn named(kind: &str, h: &Health) -> Option<bool> {
    Some(match kind {
        "holes" => !h.boundary_edges.is_empty(),
        "non-manifold edges" => !h.non_manifold_edges.is_empty(),
        "turned faces" => !h.misoriented_edges.is_empty(),
        "pinched vertices" => !h.pinched_vertices.is_empty(),
        "triangle soup" => !h.duplicate_vertices.is_empty(),
        "near duplicates" => !h.near_duplicate_vertices.is_empty(),
        // Two vertices in one place leave a face without area and are named as such as well.
        "faces without area" => !h.degenerate_faces.is_empty(),
        "faces twice" => !h.duplicate_faces.is_empty(),
        "faces back to back" => !h.mirrored_faces.is_empty(),
        "self-intersections" => !h.self_intersections.is_empty(),
        // One part may lie whole inside the other.
        "overlapping parts" => !h.self_intersections.is_empty() || h.parts.len() > 1,
        "inside out" | "a part inside out" | "flat" => h.solid.is_err(),
        "unused vertices" => !h.unreferenced_vertices.is_empty(),
        _ => return None,
    })
}
