//! What a step refuses: its errors, and when two candidates are the same pair.

use impinge_ccd::{BatchError, Kind};
use std::fmt;

/// Why a step cannot be computed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StepError {
    /// What was carried over is not ascending by key at this row.
    Order(usize),
    /// A candidate was refused.
    Pairs(BatchError),
    /// A pair that was carried over was refused; places are those of the work list.
    Carried(BatchError),
    /// The stiffness of a pair is NaN, infinite or negative.
    Stiffness {
        /// Key of the pair.
        key: u64,
        /// Place in the candidate list; `None` for a pair that was carried over.
        place: Option<u32>,
        /// What was given (N/m).
        stiffness: f64,
    },
    /// Two candidates that touch are different pairs, and have one key.
    SameKey {
        /// The key.
        key: u64,
        /// Their places in the candidate list.
        places: [u32; 2],
    },
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Order(row) => {
                write!(f, "row {row} of what was carried over is not above the row before; sort by key")
            }
            Self::Pairs(e) => e.fmt(f),
            Self::Carried(e) => write!(f, "of what was carried over: {e}"),
            Self::Stiffness { key, place, stiffness } => {
                match place {
                    Some(place) => write!(f, "candidate {place} (key {key:#x})")?,
                    None => write!(f, "what was carried over with key {key:#x}")?,
                }
                write!(f, ": stiffness is {stiffness} N/m; it must be a number and not negative")
            }
            Self::SameKey { key, places: [a, b] } => write!(
                f,
                "candidates {a} and {b} are different pairs and both have the key {key:#x}; give each pair a name of its \
                 own (vertex_face_key, edge_edge_key: features numbered over all surfaces, the first below 2^31)"
            ),
        }
    }
}

impl std::error::Error for StepError {}

impl From<StepError> for impinge_bodies::ContactError {
    fn from(e: StepError) -> Self {
        Self::refused("continuous penalty", e)
    }
}

/// A stiffness (N/m) to compute with. Zero is one: what covers no area pushes with nothing under a law per area.
pub(crate) fn usable(stiffness: f64) -> bool {
    stiffness.is_finite() && stiffness >= 0.0
}

/// Whether two stencils are of one pair, in whatever order they name the vertices of a feature, and for edges the features.
pub(crate) fn same_pair(kind: Kind, a: [u32; 4], b: [u32; 4]) -> bool {
    let sorted = |[p, q, r, s]: [u32; 4]| match kind {
        Kind::VertexFace => {
            let mut face = [q, r, s];
            face.sort_unstable();
            [p, face[0], face[1], face[2]]
        }
        Kind::EdgeEdge => {
            let mut edges = [[p.min(q), p.max(q)], [r.min(s), r.max(s)]];
            edges.sort_unstable();
            [edges[0][0], edges[0][1], edges[1][0], edges[1][1]]
        }
    };
    a == b || sorted(a) == sorted(b)
}
