//! What a watch says.

use std::fmt;

/// Which watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// What a world and its responses say of themselves before the first step.
    Foreseen,
    /// Images of volumes that are less sure than asked, contacts that flicker, bodies whose pushes cancel or that have no way to go, and spins braked too little.
    Volumes,
    /// A step turns a body too far for anything to follow it.
    Spun,
    /// A body trembles where it should rest.
    Trembling,
    /// A body slides on though friction takes less than Coulomb's law lets it.
    Slips,
    /// Bodies came apart with another speed than their restitution asks for.
    Rebound,
    /// A body lies still while contacts carry another weight than its own, or one that comes and goes.
    Carried,
    /// A body still swings when a number is asked of it.
    Swings,
    /// Bodies are inside each other now, and their response does not hold them.
    Unheld,
    /// Energy came from nowhere.
    Energy,
    /// Contacts held bodies and let go of them.
    LetGo,
    /// Bodies are deeper in each other than they are thick, went through each other, or end too deep.
    Sunk,
}

/// What there is to say of a run: the number, the body and the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// Which watch says it.
    pub kind: Kind,
    /// What was computed is no physics.
    pub lost: bool,
    /// A sentence, without its full stop.
    pub text: String,
}

impl Warning {
    pub(crate) fn new(kind: Kind, text: String) -> Self {
        Self { kind, lost: false, text }
    }

    pub(crate) fn lost(kind: Kind, lost: bool, text: String) -> Self {
        Self { kind, lost, text }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
