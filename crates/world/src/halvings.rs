//! How often a step may be halved.

/// How often a step whose solve did not end is halved, where nobody said otherwise: the shortest part is then 1/256 of it.
pub const HALVINGS: u32 = 8;

/// What a world does with solves that did not end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Halving {
    /// How often a step may be halved.
    pub most: u32,
    /// Takes the best state of a solve that did not end.
    pub accept: bool,
}

impl Default for Halving {
    fn default() -> Self {
        Self { most: HALVINGS, accept: false }
    }
}
