//! The polygons of all responses of a world. Read between steps, it costs the step nothing.

use crate::simulation::Simulation;
use impinge_bodies::ContactPieces;

impl Simulation {
    /// The polygons of the last step, where the bodies were when the response evaluated them. Of a pressure field the polygons of its
    /// contact surface; of a cell of intersection volume a square of the cell's area about its centre, with the multiplier over area
    /// and step (seed 002 (16)) for a pressure. Nothing for responses that push at points.
    pub fn contact_pieces(&self, out: &mut ContactPieces) {
        out.pieces.clear();
        out.corners.clear();
        for part in self.parts() {
            if let Some(pieces) = part.response().pieces() {
                pieces(part, out);
            }
        }
        // Ascending by pair, whichever response they are of.
        out.pieces.sort_by_key(|p| (p.a, p.b));
    }
}
