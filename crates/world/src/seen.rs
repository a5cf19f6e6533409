//! A world as a response sees it before the first step, and when the response is exchanged.

use crate::body_data::BodyDatas;
use crate::build_error::BuildError;
use crate::components::Laws;
use impinge_bodies::Shape;
use impinge_integrators::Scheme;

/// A body as a response sees it.
#[derive(Clone, Copy, Debug)]
pub struct SeenBody<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its shape.
    pub shape: &'a Shape,
    /// Forces move it.
    pub moved: bool,
    /// Neither forces nor a driver do.
    pub fixed: bool,
    /// What single responses know of it.
    pub data: &'a BodyDatas,
    /// Its edges have strain limits.
    pub limited: bool,
}

/// The world as a response sees it.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// How bodies move.
    pub scheme: Scheme,
    /// Pair laws; [`Laws::of`] is `None` of pairs that are no matter of the response.
    pub laws: &'a Laws,
    /// By slot.
    pub bodies: &'a [SeenBody<'a>],
    /// Other responses act in this world too.
    pub beside: bool,
}

impl Seen<'_> {
    /// Whether a body can meet another under this response, and forces move one of the two.
    #[must_use]
    pub fn meets(&self, i: usize) -> bool {
        (0..self.bodies.len()).any(|j| {
            let (lo, hi) = (i.min(j) as u32, i.max(j) as u32);
            i != j && (self.bodies[i].moved || self.bodies[j].moved) && self.laws.of(lo, hi).is_some()
        })
    }
}

/// Refuses a scheme whose velocities are not linear in the impulses.
pub(crate) fn linear_scheme(response: &str, scheme: Scheme) -> Result<(), BuildError> {
    match scheme {
        Scheme::SymplecticEuler | Scheme::ImplicitEuler => Ok(()),
        other => Err(BuildError::BadSetting(format!(
            "response '{response}' cannot go with {}: its rows are about the velocity that bodies move with, which must be linear in the \
             impulses; use symplectic-euler or implicit-euler",
            other.name()
        ))),
    }
}
