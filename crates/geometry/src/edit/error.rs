//! Why an edit is refused.

use crate::MeshError;
use std::fmt;

/// Why an edit was refused. The mesh it was asked of is as it was.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EditError {
    /// The mesh cannot be edited, or the result is no mesh.
    Mesh(MeshError),
    /// A slice of the wrong length.
    Length {
        /// What the slice holds.
        what: &'static str,
        /// Its length.
        given: usize,
        /// The length it must have.
        expected: usize,
    },
    /// A number that is NaN or infinite.
    NonFinite {
        /// What it is.
        what: &'static str,
        /// Its place, counted from 0.
        index: usize,
    },
    /// A number outside its range.
    OutOfRange {
        /// What it is.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The range.
        allowed: &'static str,
    },
    /// Every element would be gone.
    NothingLeft,
    /// An edge or a face that no element has.
    NotInMesh {
        /// Its vertices.
        vertices: Vec<u32>,
    },
    /// A piece so thin that rounding turned it over.
    Sliver {
        /// The element it is a piece of, counted from 0.
        element: usize,
    },
    /// Two edits of which the second was not made from the result of the first.
    NotConsecutive,
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mesh(e) => e.fmt(f),
            Self::Length { what, given, expected } => {
                write!(f, "{given} {what} were given, the mesh needs {expected}")
            }
            Self::NonFinite { what, index } => {
                write!(f, "{what} {index} is NaN or infinite; give a finite number")
            }
            Self::OutOfRange { what, value, allowed } => write!(f, "{what} is {value}; it must be {allowed}"),
            Self::NothingLeft => write!(f, "nothing of the mesh would be left; remove the body instead"),
            Self::NotInMesh { vertices } => {
                write!(f, "no element of the mesh has the side between vertices {vertices:?}")
            }
            Self::Sliver { element } => write!(
                f,
                "a piece of element {element} is thinner than the rounding of its coordinates; raise `snap` or \
                 `min_piece`, or move the mesh nearer to the origin"
            ),
            Self::NotConsecutive => {
                write!(f, "the second edit was not made from the mesh of the first; compose them in order")
            }
        }
    }
}

impl std::error::Error for EditError {}

impl From<MeshError> for EditError {
    fn from(e: MeshError) -> Self {
        Self::Mesh(e)
    }
}

/// Refuses a slice of the wrong length.
pub(super) fn check_length(what: &'static str, given: usize, expected: usize) -> Result<(), EditError> {
    if given == expected { Ok(()) } else { Err(EditError::Length { what, given, expected }) }
}
