//! Which bodies a world has.

use crate::body::BodyDesc;
use crate::builder::Builder;
use crate::trace::digest_of;
use impinge_contact::StateHash;
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
        let digest = |m: &Self| {
            let mut h = StateHash::default();
            m.hash_into(&mut h);
            h.finish()
        };
        self.generation == other.generation && names(self) == names(other) && digest(self) == digest(other)
    }
}

impl Members {
    pub(crate) fn new(from: Builder) -> Arc<Self> {
        let generation = vec![0; from.bodies.len()];
        Arc::new(Self { from, generation })
    }

    /// Adds what a program may have changed of them: which are there, drivers, rules and laws.
    pub(crate) fn hash_into(&self, h: &mut StateHash) {
        self.generation.iter().for_each(|g| h.word(u64::from(*g)));
        self.from.bodies.iter().filter_map(BodyDesc::driver).for_each(|d| d.hash_into(h));
        let laws = &self.from.laws;
        h.word(digest_of(&(&laws.exceptions, &laws.laws, &laws.of_materials)));
    }

    /// How many bodies are there.
    pub(crate) fn present(&self) -> usize {
        self.generation.iter().filter(|g| *g % 2 == 0).count()
    }

    pub(crate) fn is_there(&self, slot: usize) -> bool {
        self.generation.get(slot).is_some_and(|g| g % 2 == 0)
    }
}
