//! Why a feature tree refused what it was given.

use std::fmt;

/// The reason and the fix. A refused call leaves the tree as it was.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum TreeError {
    /// A triangle names a vertex that does not exist.
    IndexOutOfRange {
        /// The triangle, counted from 0.
        triangle: usize,
        /// The index it names.
        index: u32,
        /// How many positions were given.
        vertices: usize,
    },
    /// The topology belongs to another mesh.
    OtherTopology {
        /// Triangles given.
        triangles: usize,
        /// Faces in the topology.
        faces: usize,
    },
    /// The number of positions is not that of the mesh.
    Length {
        /// Positions given.
        given: usize,
        /// Vertices of the mesh.
        expected: usize,
    },
    /// A position is NaN or infinite.
    NonFinite {
        /// The vertex, counted from 0.
        vertex: usize,
    },
    /// The inflation distance is negative, NaN or infinite.
    Inflation {
        /// What was given (m).
        distance: f64,
    },
    /// The relative pose is NaN or infinite.
    Pose,
}

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IndexOutOfRange { triangle, index, vertices } => write!(
                f,
                "triangle {triangle} names vertex {index}, but {vertices} positions were given; \
                 give a position for every vertex"
            ),
            Self::OtherTopology { triangles, faces } => write!(
                f,
                "{triangles} triangles were given with a topology of {faces} other ones; build the topology from \
                 these triangles"
            ),
            Self::Length { given, expected } => write!(
                f,
                "{given} positions for a surface of {expected} vertices; give one per vertex at both times"
            ),
            Self::NonFinite { vertex } => write!(
                f,
                "vertex {vertex} has a coordinate that is NaN or infinite; the state is broken before it came here"
            ),
            Self::Inflation { distance } => {
                write!(f, "boxes cannot be inflated by {distance} m; give 0 or a positive distance")
            }
            Self::Pose => {
                write!(f, "the relative pose is NaN or infinite; the state is broken before it came here")
            }
        }
    }
}

impl std::error::Error for TreeError {}
