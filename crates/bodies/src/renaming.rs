//! Features and bodies under other numbers when a body came, went, or was put elsewhere: what is about it ends, all else only moves up or down.

use crate::renumber::FeatureNumbers;
use impinge_contact::{BY_WAY, contact_key};

/// Highest bit of names of pairs of edges, which have it set.
const EDGES: u64 = 1 << 63;

/// What became of the features of a world.
#[derive(Clone, Debug)]
pub struct Renaming {
    before: FeatureNumbers,
    after: FeatureNumbers,
    slot: usize,
}

impl Renaming {
    /// What is about the body in `slot` ends; the others have other numbers if it has other features after than before.
    #[must_use]
    pub fn new(before: FeatureNumbers, after: FeatureNumbers, slot: u32) -> Self {
        Self { before, after, slot: slot as usize }
    }

    fn feature(&self, what: usize, number: u32) -> Option<u32> {
        // Nodes of cables are counted behind their segments by whoever wants them as edges; nobody says where they go.
        if number >= self.before.total[what] {
            return None;
        }
        let body = self.before.body_of(what, number);
        let [before, after] = [self.before.first_of(body, what)?, self.after.first_of(body, what)?];
        (body != self.slot).then(|| number - before + after)
    }

    /// A surface vertex; `None` where it is the body's.
    #[must_use]
    pub fn vertex(&self, number: u32) -> Option<u32> {
        self.feature(0, number)
    }

    /// A face, likewise.
    #[must_use]
    pub fn face(&self, number: u32) -> Option<u32> {
        self.feature(1, number)
    }

    /// An edge, likewise.
    #[must_use]
    pub fn edge(&self, number: u32) -> Option<u32> {
        self.feature(self.before.kind_of_edge(number), number)
    }

    /// Whether it is about this body.
    #[must_use]
    pub fn ends(&self, body: u32) -> bool {
        body as usize == self.slot
    }

    /// Name of a vertex and a face, or of two edges; further bits of it stay.
    #[must_use]
    pub fn pair_of_features(&self, key: u64) -> Option<u64> {
        let more = key & BY_WAY;
        let [first, second] = [((key & !BY_WAY) >> 32) as u32, key as u32];
        let [first, second] = if key & EDGES == 0 {
            [self.vertex(first)?, self.face(second)?]
        } else {
            [self.edge(first)?, self.edge(second)?]
        };
        Some(more | u64::from(first) << 32 | u64::from(second))
    }

    /// Name of a vertex against a body ([`contact_key`]).
    #[must_use]
    pub fn vertex_against_body(&self, key: u64) -> Option<u64> {
        let body = (key >> 32) as u32;
        let vertex = self.vertex(key as u32)?;
        (!self.ends(body)).then(|| contact_key(body, vertex))
    }
}
