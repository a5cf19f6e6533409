//! What a response left of its contacts in the last step, read between steps by whoever draws or lists them.

use crate::features::Features;
use crate::grip::Grip;
use crate::part::Part;
use impinge_bodies::ContactPieces;

/// A contact of the last step as its tables have it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Slots of the two bodies, lower first.
    pub bodies: [u32; 2],
    /// Its key in the tables.
    pub key: u64,
    /// Static and kinetic coefficient of the pair's law.
    pub mu: [f64; 2],
    /// Size of the normal impulse (N·s).
    pub normal: f64,
    /// Size of the friction (N·s).
    pub friction: f64,
}

impl Touch {
    /// There is no friction to speak of: the law has none, or the contact does not press.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.mu[0] == 0.0 || self.normal == 0.0
    }
}

/// Says of contacts what only their response knows.
pub trait ContactReader {
    /// Contacts have an interval of the step in which they are open.
    fn has_spans(&self) -> bool {
        false
    }

    /// What friction does at a contact with a mesh or a plane.
    fn point(&self, _touch: &Touch, _met: Features) -> Grip {
        Grip::Parted
    }

    /// What friction does at a patch.
    fn patch(&self, _touch: &Touch) -> Grip {
        Grip::Parted
    }

    /// What meets at a patch.
    fn patch_features(&self, _bodies: [u32; 2], _key: u64) -> Option<Features> {
        None
    }
}

/// A response that says nothing of its contacts.
pub(crate) struct Silent;

impl ContactReader for Silent {}

/// Writes the polygons of the last step.
pub type Pieces = fn(Part<'_>, &mut ContactPieces);
