//! What a pair remembers from step to step, and the names it is remembered by.
//!
//! A pair that has made contact stays a contact until its depth returns to zero (seed 000 §3.2): the side it came from and
//! the traced points cannot be inferred from one step (ERRATA C10 iv).

use impinge_contact::SlipState;
use impinge_geometry::DVec3;

impinge_contact::table! {
    /// Pairs in contact, ascending by key. Part of a simulation's state: snapshots keep it.
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    pub struct Tracked / TrackedView / TrackedRow {
        /// Stable name, see [`impinge_contact::vertex_face_key`] and [`impinge_contact::edge_edge_key`].
        key: u64,
        /// The four vertices in the order in which the contact was found: side and weights belong to it.
        stencil: [u32; 4],
        /// Sign of the coplanarity function on the free side.
        side: i8,
        /// Signed weights of the traced points.
        weight: [f64; 4],
        /// Stiffness (N/m), for pairs that are no candidates any more.
        stiffness: f64,
        /// Part of the force that acts, 0 to 1: below 1 while a contact is handed over between triangles.
        share: f64,
        /// The contact has slid off its triangle and is losing its share.
        fading: bool,
        /// Height of the vertex over the triangle's plane where it was last followed (m); 0 where the contact opened.
        height: f64,
        /// Way over which a handover takes place (m), the same for both triangles; 0 for a contact that was in none.
        band: f64,
        /// Friction anchor in the frame of the triangle or of both edges; only with a `grip`.
        anchor: DVec3,
        /// What friction did in the last step; [`SlipState::Open`] where the contact has no anchor.
        grip: SlipState,
    }
}

impl TrackedRow {
    /// A contact that is open and whole, and has held nothing yet.
    #[must_use]
    pub fn opened(key: u64, stencil: [u32; 4], side: i8, weight: [f64; 4], stiffness: f64) -> Self {
        Self {
            key,
            stencil,
            side,
            weight,
            stiffness,
            share: 1.0,
            fading: false,
            height: 0.0,
            band: 0.0,
            anchor: DVec3::zero(),
            grip: SlipState::Open,
        }
    }
}

impl Tracked {
    /// Row of a key.
    #[must_use]
    pub fn find(&self, key: u64) -> Option<usize> {
        self.key.binary_search(&key).ok()
    }

    /// The same for keys that mostly come ascending: looked for a few rows on from `at` first, where the last one was.
    pub fn find_next(&self, key: u64, at: &mut usize) -> Option<usize> {
        const NEAR: usize = 8;
        let from = (*at).min(self.key.len());
        if from == 0 || self.key[from - 1] < key {
            for (i, &k) in self.key[from..].iter().take(NEAR).enumerate() {
                if k >= key {
                    *at = from + i;
                    return (k == key).then_some(*at);
                }
            }
        }
        *at = self.key.partition_point(|&k| k < key);
        self.key.get(*at).is_some_and(|&k| k == key).then_some(*at)
    }
}
