//! What only a picture needs and no table of the step holds: filled by the response when it is asked for, read between steps. The
//! step never reads it.

use crate::column::columns;
pub use impinge_bodies::IdleRow;
use std::fmt;
use std::sync::atomic::AtomicBool;

/// Pieces for a picture of the step.
#[derive(Default)]
pub struct Drawing {
    pub(crate) asked: AtomicBool,
    /// Penetration interval of each row of the plane contacts, as fractions of the step. Those of meshes have theirs in the table.
    pub plane_spans: Vec<[f64; 2]>,
    /// Constraints of the last program that no impulse acts through.
    pub idle: Vec<IdleRow>,
}

impl Drawing {
    /// Empties it, and tells whether this step is to be drawn.
    pub(crate) fn begin(&mut self) -> bool {
        self.plane_spans.clear();
        self.idle.clear();
        *self.asked.get_mut()
    }
}

/// Says nothing of what is in it: digests of stages are made of this text, and pictures are no part of a run.
impl fmt::Debug for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Drawing")
    }
}

columns! {
    Drawing => "drawing", Step;
}
