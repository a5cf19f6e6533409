//! What presses two bodies together, from the books.

use impinge_geometry::DVec3;
use impinge_world::Simulation;

/// The pushes of a step between two bodies.
#[derive(Clone, Copy)]
pub(crate) struct Pushes {
    /// Normal impulse on the first (N·s), the sum of the sizes of what it is made of, and where it acts (m).
    pub pushed: DVec3,
    pub size: f64,
    pub place: DVec3,
}

/// What presses, by pair of slots, from the books of the step: those of all its parts where it was halved.
pub(crate) fn pushes(sim: &Simulation) -> Vec<([u32; 2], Pushes)> {
    let ledger = sim.ledger();
    let pairs = &ledger.pairs;
    let presses = (0..pairs.len()).filter(|&row| pairs.pressed[row] > 0.0);
    let of = |row: usize| {
        let pushes = Pushes { pushed: pairs.normal[row], size: pairs.pressed[row], place: pairs.point[row] };
        ([pairs.a[row], pairs.b[row]], pushes)
    };
    presses.map(of).collect()
}
