//! What a response pushed with, as polygons with a pressure: contact surfaces of pressure fields and cells of intersection volume.

use impinge_geometry::DVec3;

/// One polygon that pushes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPiece {
    /// Lower slot.
    pub a: u32,
    /// Higher slot.
    pub b: u32,
    /// Mean pressure over the polygon, damping in it (Pa). Times the vector area of the corners it is the normal force on `a` (N).
    pub pressure: f64,
    /// First of its corners in [`ContactPieces::corners`].
    pub start: u32,
    /// How many.
    pub count: u32,
}

/// The polygons of a step; reuse one, it keeps its memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactPieces {
    /// Ascending by pair.
    pub pieces: Vec<ContactPiece>,
    /// Corners of all (m, world): around their normal out of `b` into `a`, counter-clockwise.
    pub corners: Vec<DVec3>,
}

impl ContactPieces {
    /// Corners of one polygon.
    #[must_use]
    pub fn polygon(&self, piece: &ContactPiece) -> &[DVec3] {
        &self.corners[piece.start as usize..][..piece.count as usize]
    }

    /// Area times normal, out of `b` into `a` (m²).
    #[must_use]
    pub fn vector_area(&self, piece: &ContactPiece) -> DVec3 {
        let corners = self.polygon(piece);
        let Some((&first, rest)) = corners.split_first() else { return DVec3::zero() };
        rest.windows(2).map(|w| (w[0] - first).cross(w[1] - first) * 0.5).fold(DVec3::zero(), |s, v| s + v)
    }

    /// Adds a polygon of a pair, lower slot first.
    pub fn push(&mut self, (a, b): (u32, u32), pressure: f64, corners: impl Iterator<Item = DVec3>) {
        let start = self.corners.len() as u32;
        self.corners.extend(corners);
        let count = self.corners.len() as u32 - start;
        self.pieces.push(ContactPiece { a, b, pressure, start, count });
    }
}
