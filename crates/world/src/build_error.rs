//! Why a world is refused.

use impinge_bodies::DeformableError;
use impinge_geometry::{LARGEST, MeshError};
use thiserror::Error;

/// Why a world could not be built.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum BuildError {
    /// A body's mesh was refused.
    #[error("body '{body}': {source}")]
    Mesh {
        /// Its name.
        body: String,
        /// Why.
        source: MeshError,
    },
    /// A number is not usable.
    #[error("body '{body}': {quantity} is {value}; it must be {must}")]
    BadValue {
        /// Its name.
        body: String,
        /// What.
        quantity: &'static str,
        /// The value.
        value: f64,
        /// What it must be.
        must: &'static str,
    },
    /// A deformable was refused.
    #[error("body '{body}': {reason}")]
    Deformable {
        /// Its name.
        body: String,
        /// Why, and what would be right.
        reason: String,
    },
    /// A setting of the world is not usable.
    #[error("{0}")]
    BadSetting(String),
    /// The response cannot handle a pair.
    #[error("response '{response}' cannot handle '{a}' against '{b}': {reason}")]
    Unsupported {
        /// The response.
        response: &'static str,
        /// One body.
        a: String,
        /// The other.
        b: String,
        /// Why.
        reason: String,
    },
}

impl From<DeformableError> for BuildError {
    fn from(e: DeformableError) -> Self {
        Self::Deformable { body: e.body, reason: e.reason }
    }
}

/// Refuses slots, lower first, of which one has no body.
pub(crate) fn known_slots(what: &str, [a, b]: [u32; 2], bodies: usize) -> Result<(), BuildError> {
    if (b as usize) < bodies {
        return Ok(());
    }
    let last = bodies.saturating_sub(1);
    Err(BuildError::BadSetting(format!(
        "{what} names slots {a} and {b}, but there are {bodies} bodies (slots 0 to {last})"
    )))
}

/// Refuses a number that is not positive.
pub(crate) fn positive(body: &str, quantity: &'static str, value: f64) -> Result<(), BuildError> {
    if value > 0.0 && value <= LARGEST {
        return Ok(());
    }
    Err(BuildError::BadValue {
        body: body.to_string(),
        quantity,
        value,
        must: "a positive number of at most 1e60",
    })
}
