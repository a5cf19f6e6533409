//! Tests of the whole tier: files with exact truth, a slow reference, and moves that must not change the answer.

mod forms;
mod grid;
mod reference;
pub(super) mod truth;

use impinge_geometry::DVec3;

/// Positions at the start and the end of the step.
pub(super) type Pair = ([DVec3; 4], [DVec3; 4]);
