//! What is refused, with the way out in the text.

use impinge_geometry::MeshError;
use thiserror::Error;

/// A body that cannot carry a pressure field.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum BodyError {
    /// The mesh itself is bad.
    #[error("{0}")]
    Mesh(#[from] MeshError),
    /// Moduli are positive numbers.
    #[error("the modulus is {value} Pa; give a positive number (rubber: 1e6, foam: 1e5)")]
    Modulus {
        /// The number given (Pa).
        value: f64,
    },
    /// One value for each vertex.
    #[error("{values} field values for {vertices} vertices; give one for each vertex")]
    Length {
        /// How many were given.
        values: usize,
        /// How many vertices the mesh has.
        vertices: usize,
    },
    /// A value is NaN or infinite.
    #[error("the field value of vertex {vertex} is {value}; give finite numbers")]
    Value {
        /// The vertex.
        vertex: usize,
        /// The number given.
        value: f64,
    },
    /// The field is the same everywhere: nothing would push.
    #[error(
        "the field has the same value {value} at every vertex; a field is 0 on the surface and grows inwards"
    )]
    Flat {
        /// That value.
        value: f64,
    },
    /// A length, count or direction makes no sense.
    #[error("{reason}")]
    Parameter {
        /// What, and what to give instead.
        reason: String,
    },
}

/// A pair that has no pressure-field contact, or a pose that is none.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum PairError {
    /// Nobody yields, and the shell that would stand in cannot be made.
    #[error(
        "both bodies are rigid, and body {body} can have no shell ({reason}); give one of them a field (`fields`, \
         `CompliantBody`), stiff if need be"
    )]
    BothRigid {
        /// `'A'` or `'B'`.
        body: char,
        /// Why.
        reason: BodyError,
    },
    /// Two half spaces meet on an unbounded region.
    #[error("both bodies are half spaces; their contact region is unbounded: give one of them a mesh")]
    BothHalfSpaces,
    /// A pose holds NaN or infinity.
    #[error(
        "the pose of body {body} is not finite or beyond 1e60 m; an earlier step has blown up, or a file is damaged"
    )]
    Pose {
        /// `'A'` or `'B'`.
        body: char,
    },
    /// The rotor of a pose is not of length 1, and its matrix stretches the body. Drift by rounding is no reason.
    #[error(
        "the rotation of body {body} has the squared length {square}, off 1 by more than 1e-6; normalise it (`Pose::new` \
         does, and so should every step that turns a body)"
    )]
    Rotation {
        /// `'A'` or `'B'`.
        body: char,
        /// The square of its length.
        square: f64,
    },
    /// The wrench has no number: sizes or moduli so large that their products overflow.
    #[error(
        "the wrench of the contact overflows; the bodies' sizes (m) and moduli (Pa) are too large for their products"
    )]
    Overflow,
}
