//! A simulation can be handed to another thread, and be read from several.

use impinge::prelude::*;

#[test]
fn a_simulation_may_cross_threads() {
    fn crosses<T: Send + Sync>() {}
    crosses::<Simulation>();
    crosses::<Snapshot>();
    crosses::<BodyDesc>();
    crosses::<Response>();
}
