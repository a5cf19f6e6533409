//! What a batch takes: a list of pairs; and what it says beside its answer: tiers, or why it was refused.

use crate::{Kind, NotFinite, Tier};
use std::fmt;

/// Where the four points of each pair are found.
#[derive(Clone, Copy, Debug)]
pub enum Candidates<'a> {
    /// Vertex and triangle, spelled out: `[p, a, b, c]`.
    VertexFace(&'a [[u32; 4]]),
    /// Two edges, spelled out: `[a, b, c, d]`.
    EdgeEdge(&'a [[u32; 4]]),
    /// Pairs of a vertex and a row of `faces`.
    VertexFacePairs {
        /// `(vertex, face)`.
        pairs: &'a [(u32, u32)],
        /// Corners of the faces.
        faces: &'a [[u32; 3]],
    },
    /// Pairs of rows of `edges`.
    EdgeEdgePairs {
        /// `(edge, edge)`.
        pairs: &'a [(u32, u32)],
        /// Ends of the edges.
        edges: &'a [[u32; 2]],
    },
}

impl Candidates<'_> {
    /// Number of pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::VertexFace(s) | Self::EdgeEdge(s) => s.len(),
            Self::VertexFacePairs { pairs, .. } | Self::EdgeEdgePairs { pairs, .. } => pairs.len(),
        }
    }

    /// Refuses lists whose places do not fit 32 bits; the largest number stands for "none".
    pub(crate) fn check_length(candidates: usize) -> Result<(), BatchError> {
        if candidates < u32::MAX as usize { Ok(()) } else { Err(BatchError::TooMany { candidates }) }
    }

    /// `true` without pairs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the pairs consist of.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::VertexFace(_) | Self::VertexFacePairs { .. } => Kind::VertexFace,
            Self::EdgeEdge(_) | Self::EdgeEdgePairs { .. } => Kind::EdgeEdge,
        }
    }

    /// The four vertices of a pair; `None` when the pair, face or edge does not exist.
    #[inline]
    #[must_use]
    pub fn stencil(&self, i: usize) -> Option<[u32; 4]> {
        match self {
            Self::VertexFace(s) | Self::EdgeEdge(s) => s.get(i).copied(),
            Self::VertexFacePairs { pairs, faces } => {
                let (v, f) = pairs.get(i)?;
                faces.get(*f as usize).map(|[a, b, c]| [*v, *a, *b, *c])
            }
            Self::EdgeEdgePairs { pairs, edges } => {
                let (e, f) = pairs.get(i)?;
                let ([a, b], [c, d]) = (edges.get(*e as usize)?, edges.get(*f as usize)?);
                Some([*a, *b, *c, *d])
            }
        }
    }
}

/// Pairs answered by each tier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TierCounts {
    /// Separating axes.
    pub axis: usize,
    /// Signs of the cubic.
    pub signs: usize,
    /// Certified roots.
    pub certified: usize,
    /// Integers.
    pub exact: usize,
}

impl TierCounts {
    /// Adds the counts of another list.
    pub fn add(&mut self, other: &Self) {
        self.axis += other.axis;
        self.signs += other.signs;
        self.certified += other.certified;
        self.exact += other.exact;
    }

    /// Counts one pair.
    pub fn count(&mut self, tier: Tier) {
        match tier {
            Tier::Axis => self.axis += 1,
            Tier::Signs => self.signs += 1,
            Tier::Certified => self.certified += 1,
            Tier::Exact => self.exact += 1,
        }
    }
}

/// Why a batch was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BatchError {
    /// The two position arrays differ in length.
    Lengths {
        /// Positions at the start.
        x0: usize,
        /// Positions at the end.
        x1: usize,
    },
    /// A position is NaN or infinite.
    NotFinite {
        /// The vertex.
        vertex: usize,
        /// At the end of the step, not at its start.
        at_end: bool,
    },
    /// The rows carried over from the last step are not in ascending order, or name a candidate that is not there.
    Carried {
        /// The row.
        row: usize,
    },
    /// The list is longer than its places can be numbered in 32 bits.
    TooMany {
        /// Its length.
        candidates: usize,
    },
    /// A pair names a vertex, face or edge that does not exist.
    OutOfRange {
        /// Place in the list.
        candidate: usize,
    },
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Lengths { x0, x1 } => {
                write!(f, "{x0} positions at the start and {x1} at the end; give one each per vertex")
            }
            Self::NotFinite { vertex, at_end } => {
                write!(f, "vertex {vertex}: {}", NotFinite { point: 0, at_end }.place())
            }
            Self::Carried { row } => {
                write!(
                    f,
                    "row {row} carried over from the last step is out of order or names a candidate that is not there"
                )
            }
            Self::TooMany { candidates } => {
                write!(f, "{candidates} candidates; places are numbered in 32 bits, split the list")
            }
            Self::OutOfRange { candidate } => {
                write!(
                    f,
                    "candidate {candidate} names a vertex, face or edge that is not there; rebuild the list for this mesh"
                )
            }
        }
    }
}

impl std::error::Error for BatchError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_cannot_be_numbered_are_refused() {
        assert_eq!(Candidates::check_length(u32::MAX as usize - 1), Ok(()));
        for n in [u32::MAX as usize, usize::MAX] {
            assert_eq!(Candidates::check_length(n), Err(BatchError::TooMany { candidates: n }));
        }
    }
}
