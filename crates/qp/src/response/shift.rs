//! What is too near is moved apart by the shift that the response found.
//!
//! Places only: no velocity and no momentum changes, and nothing of it is among the impulses. The energy that it puts in is in the
//! books as work of corrections.

use super::tables::{PlaceShift, QpReport};
use impinge_bodies::{Before, Dofs, Elastic, Forces, displace};
use impinge_contact::{Advanced, Ledger};
use impinge_geometry::DVec3;

/// Moves what `shift` says; how many bodies and nodes that is. `before` is scratch.
pub fn move_places(
    world: (&Forces, &Dofs, &Elastic),
    shift: &PlaceShift,
    advanced: &mut Advanced,
    (report, ledger): (&mut QpReport, &mut Ledger),
    before: &mut Before,
) -> usize {
    if shift.is_empty() {
        return 0;
    }
    before.remember(advanced);
    let mut moved = shift.bodies.len();
    for &(b, by, turn) in &shift.bodies {
        displace(world.1, b as usize, by, turn, advanced);
    }
    for (x, by) in advanced.node_x.iter_mut().zip(&shift.nodes).filter(|(_, by)| **by != DVec3::zero()) {
        *x += *by;
        moved += 1;
    }
    report.moved = moved as u32;
    before.book(world, advanced, ledger);
    moved
}
