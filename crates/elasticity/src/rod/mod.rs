//! Cables and rods.
//!
//! * A **cable** is [`crate::spring::Springs`] with stiffness EA/l (pulling only, if wished) and [`Bends`] with
//!   stiffness EI: nodes are points, nothing twists. [`Cable`] builds both. This is enough for a
//!   round cable that is straight at rest and whose ends may spin freely.
//! * A **rod** adds material frames and twist: [`Rod`] builds [`Twists`], bending in two planes and torsion, to be
//!   used instead of [`Bends`] where ends are held against spinning, the section is not round, or the rod is
//!   curved at rest.

mod bend;
mod cable;
mod dual;
mod frames;
mod twist;

pub use bend::{Bend, Bends, BendsView};
pub use cable::{Cable, Section};
pub use frames::{Frame, Rod};
pub use twist::{Twist, Twists, TwistsView};
