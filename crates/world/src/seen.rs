//! A body as a response sees it, before the first step and when the response is exchanged.

use crate::shapes::Shape;

/// A body as a response sees it.
pub(crate) struct Seen<'a> {
    pub name: &'a str,
    pub shape: &'a Shape,
    /// Forces move it.
    pub moved: bool,
    /// It has a pressure field.
    pub yields: bool,
    /// Its field has a dissipation of its own.
    pub dissipates: bool,
    /// Its edges have strain limits.
    pub limited: bool,
}
