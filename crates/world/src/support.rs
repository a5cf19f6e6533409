//! Which response supports which pair of bodies. A scene that asks for another is refused when it loads.

use crate::shapes::Shape;
use crate::standard::Response;
use impinge_contact::BodyKind;

/// What a body is to a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceKind {
    /// A closed mesh on a rigid, kinematic or fixed body.
    Mesh,
    /// A half space.
    Plane,
    /// Loose free vertices.
    Points,
}

impl SurfaceKind {
    /// Of a shape.
    pub fn of(shape: &Shape) -> Self {
        match shape {
            Shape::Mesh(_) => Self::Mesh,
            Shape::Plane { .. } => Self::Plane,
            Shape::Points { .. } => Self::Points,
        }
    }

    /// The word used in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mesh => "mesh",
            Self::Plane => "plane",
            Self::Points => "points",
        }
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Support {
    /// Response name.
    pub response: &'static str,
    /// One side.
    pub a: SurfaceKind,
    /// The other.
    pub b: SurfaceKind,
    /// Why not; `None` when it is supported.
    pub refused: Option<&'static str>,
}

/// The whole table, for the guide and for `impinge list`.
pub fn table() -> Vec<Support> {
    use SurfaceKind::{Mesh, Plane, Points};
    const NO_INSIDE: &str = "loose points have no surface, so two of them cannot touch; add a rule with \
                             response = \"none\" for this pair";
    [
        (Mesh, Mesh, None),
        (Mesh, Plane, None),
        (Points, Mesh, None),
        (Points, Plane, None),
        (Points, Points, Some(NO_INSIDE)),
    ]
    .into_iter()
    .map(|(a, b, refused)| Support { response: "penalty", a, b, refused })
    .collect()
}

/// Whether `response` can handle a pair of bodies.
///
/// # Errors
/// The reason.
pub fn supports(
    response: &Response,
    a: (BodyKind, &Shape),
    b: (BodyKind, &Shape),
) -> Result<(), &'static str> {
    // Two bodies that forces do not move exchange nothing.
    if !a.0.is_dynamic() && !b.0.is_dynamic() {
        return Ok(());
    }
    let (ka, kb) = (SurfaceKind::of(a.1), SurfaceKind::of(b.1));
    let row = table()
        .into_iter()
        .find(|r| r.response == response.name() && ((r.a, r.b) == (ka, kb) || (r.a, r.b) == (kb, ka)));
    match row {
        Some(Support { refused: None, .. }) => Ok(()),
        Some(Support { refused: Some(why), .. }) => Err(why),
        None => Err("this response does not know this pair of shapes"),
    }
}
