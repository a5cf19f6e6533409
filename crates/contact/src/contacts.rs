//! The contact tables a narrow phase writes and a response reads.

use impinge_geometry::DVec3;

crate::table! {
    /// Mesh contacts: one row per penetration interval of a feature pair.
    ///
    /// A stencil names up to four surface vertices with signed weights, so that the separation of the two
    /// material points is `p − q = Σ wᵢ xᵢ` and the gap is `n · Σ wᵢ xᵢ` (negative inside). Vertex–face:
    /// `[p, a, b, c]` with `[1, −w_a, −w_b, −w_c]`; edge–edge: `[a, b, c, d]` with `[1−s, s, −(1−u), −u]`. Sorted by pair, then
    /// side, then vertex.
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    pub struct Contacts / ContactsView / Contact {
        /// Surface vertices.
        stencil: [u32; 4],
        /// Signed weights; they sum to zero.
        weight: [f64; 4],
        /// Unit normal towards the free side of the first point.
        normal: DVec3,
        /// Start of the penetration interval, fraction of the step.
        t_in: f64,
        /// Its end.
        t_out: f64,
        /// Area the first point stands for (m²).
        area: f64,
        /// Row in the pair table.
        pair: u32,
        /// Stable name of the contact across steps.
        key: u64,
    }
}

/// The first material point of a mesh contact (m): the vertex, or the point of the first edge. `x` are positions of surface
/// vertices.
#[must_use]
pub fn first_point(stencil: &[u32; 4], weight: &[f64; 4], x: &[DVec3]) -> DVec3 {
    let at = |k: usize| x[stencil[k] as usize];
    // Of an edge met at its first end, too, the vertex is the point.
    if weight[0] == 1.0 { at(0) } else { at(0) * weight[0] + at(1) * weight[1] }
}

crate::table! {
    /// Contacts of a surface vertex with a plane.
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    pub struct PlaneContacts / PlaneContactsView / PlaneContact {
        /// The surface vertex.
        vertex: u32,
        /// The plane's body slot.
        plane: u32,
        /// A point of the plane at the time of evaluation: the vertex's foot point (m, world).
        point: DVec3,
        /// Unit normal, towards the free side.
        normal: DVec3,
        /// Velocity of the plane at the foot point (m/s).
        velocity: DVec3,
        /// Area the vertex stands for (m²).
        area: f64,
        /// Row in the pair table.
        pair: u32,
        /// Stable name of the contact across steps.
        key: u64,
    }
}

crate::table! {
    /// Body pairs that may touch in this step, ascending by `(a, b)`.
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    pub struct Pairs / PairsView / Pair {
        /// Lower slot.
        a: u32,
        /// Higher slot.
        b: u32,
        /// Row in the pair-law table.
        law: u32,
        /// Which body's vertices are tested against the other's surface.
        sides: Sides,
    }
}

/// Which body's vertices a vertex-based response tests against the other's surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Sides {
    /// Both ways.
    #[default]
    Both,
    /// Vertices of the lower slot only.
    First,
    /// Vertices of the higher slot only.
    Second,
}

crate::table! {
    /// What a response decided for each contact row: impulses on the first point (N·s); the second point
    /// receives the opposite.
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    pub struct ContactImpulses / ContactImpulsesView / ContactImpulse {
        /// Along the normal.
        normal: DVec3,
        /// Tangential.
        friction: DVec3,
        /// Penetration depth at the time of evaluation (m, ≥ 0).
        depth: f64,
        /// Potential stored in the contact (J).
        energy: f64,
    }
}

/// Contacts whose key has one of these bits remember how far they have slid; others the place where they stick, on what they touch.
pub const BY_WAY: u64 = 3 << 62;

/// The stable name of "surface vertex against body" used for friction anchors and warm starts.
#[must_use]
pub fn contact_key(target_body: u32, vertex: u32) -> u64 {
    (u64::from(target_body) << 32) | u64::from(vertex)
}
