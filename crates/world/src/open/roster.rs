//! Which bodies a world has.

use crate::builder::Builder;
use std::sync::Arc;

/// The bodies of a world between two changes of them.
#[derive(Clone, Debug)]
pub struct Members {
    /// What the world would be built from.
    pub(crate) from: Builder,
    /// How often each slot was taken and left: even where a body is.
    pub(crate) generation: Vec<u32>,
}

impl PartialEq for Members {
    fn eq(&self, other: &Self) -> bool {
        let names = |m: &Self| m.from.bodies.iter().map(|b| b.name.clone()).collect::<Vec<_>>();
        self.generation == other.generation && names(self) == names(other)
    }
}

impl Members {
    pub(crate) fn new(from: Builder) -> Arc<Self> {
        let generation = vec![0; from.bodies.len()];
        Arc::new(Self { from, generation })
    }

    /// How many bodies are there.
    pub(crate) fn present(&self) -> usize {
        self.generation.iter().filter(|g| *g % 2 == 0).count()
    }

    pub(crate) fn is_there(&self, slot: usize) -> bool {
        self.generation.get(slot).is_some_and(|g| g % 2 == 0)
    }
}
