//! Why a call of a program is refused.

use thiserror::Error;

/// A call that a world refuses; nothing has changed.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum OpenError {
    /// No body answers to this.
    #[error("there is no body {body}; {remedy}")]
    NoBody {
        /// As it was named.
        body: String,
        /// What would be right.
        remedy: String,
    },
    /// A body cannot take it.
    #[error("body '{body}': {reason}")]
    Refused {
        /// Its name.
        body: String,
        /// Why, and what would be right.
        reason: String,
    },
    /// The world cannot take it.
    #[error("{0}")]
    World(String),
}
