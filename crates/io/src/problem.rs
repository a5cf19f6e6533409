//! What is wrong at one place of a file, in words shared by all formats but OBJ: text formats name a line,
//! binary ones a byte.

use std::fmt;

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Place {
    /// A line of text, counted from 1.
    Line(usize),
    /// A byte, counted from 0; for binary data.
    Byte(u64),
}

impl Place {
    /// In words: `line 7`, `byte 7`.
    #[must_use]
    pub fn named(&self) -> String {
        match self {
            Self::Line(line) => format!("line {line}"),
            Self::Byte(byte) => format!("byte {byte}"),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "{line}"),
            Self::Byte(byte) => write!(f, "byte {byte}"),
        }
    }
}

/// A number of a file, where those that are too large are the largest.
pub(crate) fn whole(number: i64) -> String {
    if number == i64::MAX { "2⁶³ or more".to_string() } else { number.to_string() }
}

/// What is wrong at a place, and what would be right.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatProblem {
    /// The file, or a line or an array of it, ends too early.
    #[error("the {part} ends here, {missing} expected; was it cut off? export or copy the file again")]
    Truncated {
        /// What ends: the file, a line, an array.
        part: &'static str,
        /// What should have followed.
        missing: String,
    },
    /// A count larger than the rest of the file can hold.
    #[error(
        "{count} {what} announced, but the rest of the file has room for at most {room}; is the file cut off, or \
         the count damaged? export or copy it again"
    )]
    TooMany {
        /// What was counted.
        what: &'static str,
        /// The count in the file.
        count: u64,
        /// How many the remaining bytes could hold.
        room: u64,
    },
    /// A word that does not belong here.
    #[error("`{found}` found, {expected} expected; repair the line or export the mesh again")]
    Expected {
        /// What would be right.
        expected: String,
        /// The word found.
        found: String,
    },
    /// A coordinate is NaN or infinite, or becomes so when scaled.
    #[error(
        "a coordinate is NaN or infinite in metres ({x:?}, {y:?}, {z:?} in the file); every coordinate must be finite: \
         repair the export"
    )]
    NonFinite {
        /// First coordinate as read.
        x: f64,
        /// Second coordinate as read.
        y: f64,
        /// Third coordinate as read.
        z: f64,
    },
    /// An index of a vertex that the file does not have.
    #[error("vertex index {}, but there are {vertices} vertices{first}; repair the export", whole(*index))]
    IndexOutOfRange {
        /// The index as written; the largest stands for all beyond it.
        index: i64,
        /// How many vertices there are.
        vertices: usize,
        /// How the format counts, in words.
        first: &'static str,
    },
    /// Something the format allows and this reader does not take.
    #[error("{what}; {fix}")]
    Unsupported {
        /// What was found.
        what: String,
        /// What to do.
        fix: &'static str,
    },
    /// Something the format does not allow.
    #[error("{what}; {fix}")]
    Invalid {
        /// What was found.
        what: String,
        /// What to do.
        fix: &'static str,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Unsigned numbers beyond what is read are clamped, and no number of the file is made up.
    #[test]
    fn a_clamped_number_is_not_quoted() {
        let told = |index| FormatProblem::IndexOutOfRange { index, vertices: 3, first: "" }.to_string();
        assert!(told(i64::MAX).contains("vertex index 2⁶³ or more, but") && told(7).contains("index 7, but"));
    }
}
