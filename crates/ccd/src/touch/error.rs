//! Why a question about two moving meshes was refused.

use impinge_query::{PoseError, UpdateError};
use std::fmt;

/// Why it cannot be decided when two meshes touch. Meshes are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum TouchError {
    /// A pose.
    Pose(PoseError),
    /// Positions do not fit their mesh, or are not finite.
    Positions {
        /// Which mesh.
        mesh: usize,
        /// At the end of the motion, not at its start.
        at_end: bool,
        /// What is wrong.
        error: UpdateError,
    },
    /// The screw of a mesh is not finite.
    MotionNotFinite {
        /// Which mesh.
        mesh: usize,
    },
    /// A mesh turns by more than [`crate::screw::LARGEST_ROTATION`].
    TooManyTurns {
        /// Which mesh.
        mesh: usize,
    },
    /// The vertices of one mesh move on their own while the other turns.
    Mixed,
}

impl fmt::Display for TouchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pose(e) => e.fmt(f),
            Self::Positions { mesh, at_end, error } => {
                write!(f, "mesh {mesh}, {} of the motion: {error}", if *at_end { "end" } else { "start" })
            }
            Self::MotionNotFinite { mesh } => {
                write!(f, "the motion of mesh {mesh} is NaN or infinite; stop at the state that made it")
            }
            Self::TooManyTurns { mesh } => write!(
                f,
                "mesh {mesh} turns by more than {} rad; take a shorter step",
                crate::screw::LARGEST_ROTATION
            ),
            Self::Mixed => f.write_str(
                "the vertices of one mesh move on their own while the other turns; give the positions of both at both ends of a \
                 short step",
            ),
        }
    }
}

impl std::error::Error for TouchError {}
