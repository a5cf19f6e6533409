//! What a response pushed with, as polygons with a pressure: contact surfaces of pressure fields and cells of intersection volume. Takes
//! the tables of the last step, gives polygons in the world. Read between steps, it costs the step nothing.

use crate::components::Decisions;
use crate::part::Part;
use crate::responses::pressure::settings::PressurePatches;
use crate::simulation::Simulation;
use crate::support::Family;
use impinge_contact::Pairs;
use impinge_geometry::{DVec3, try_normalized};
use impinge_pressure::tractions;
use impinge_qp::tangents;

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
    pub fn polygon(&self, piece: &ContactPiece) -> &[DVec3] {
        &self.corners[piece.start as usize..][..piece.count as usize]
    }

    /// Area times normal, out of `b` into `a` (m²).
    pub fn vector_area(&self, piece: &ContactPiece) -> DVec3 {
        let corners = self.polygon(piece);
        let Some((&first, rest)) = corners.split_first() else { return DVec3::zero() };
        rest.windows(2).map(|w| (w[0] - first).cross(w[1] - first) * 0.5).fold(DVec3::zero(), |s, v| s + v)
    }

    fn push(&mut self, (a, b): (u32, u32), pressure: f64, corners: impl Iterator<Item = DVec3>) {
        let start = self.corners.len() as u32;
        self.corners.extend(corners);
        let count = self.corners.len() as u32 - start;
        self.pieces.push(ContactPiece { a, b, pressure, start, count });
    }
}

impl Family {
    /// Whether [`Simulation::contact_pieces`] has something to give.
    pub fn has_pieces(self) -> bool {
        matches!(self, Self::Pressure | Self::Volume | Self::VolumePenalty)
    }
}

impl Simulation {
    /// The polygons of the last step, where the bodies were when the response evaluated them. Of a pressure field the polygons of its
    /// contact surface; of a cell of intersection volume a square of the cell's area about its centre, with the multiplier over area
    /// and step (seed 002 (16)) for a pressure. Nothing for responses that push at points.
    pub fn contact_pieces(&self, out: &mut ContactPieces) {
        out.pieces.clear();
        out.corners.clear();
        for part in self.parts() {
            match part.response().family() {
                Family::Pressure => surfaces(part, out),
                Family::Volume | Family::VolumePenalty => squares(part, self.last_dt(), out),
                _ => {}
            }
        }
        // Ascending by pair, whichever response they are of.
        out.pieces.sort_by_key(|p| (p.a, p.b));
    }
}

fn surfaces(part: Part<'_>, out: &mut ContactPieces) {
    let mut faces = Vec::new();
    let (decisions, patches) = (part.column::<Decisions>(), part.column::<PressurePatches>());
    let booked = &decisions.patches.rows.key;
    for patch in &patches.0 {
        let s = &patch.surface;
        // What was found and not pushed with is no picture of the step: a stage of somebody's own, or a step that failed.
        if booked.binary_search(&(u64::from(patch.a) << 32 | u64::from(patch.b))).is_err() {
            continue;
        }
        tractions(s, &patch.motion, &patch.law.law, Some(&mut faces));
        for (face, carried) in s.faces.iter().zip(&faces) {
            let corners = s.polygon(face).iter().map(|c| s.to_world(DVec3::new(c[0], c[1], c[2])));
            out.push((patch.a, patch.b), carried.pressure, corners);
        }
    }
}

fn squares(part: Part<'_>, dt: f64, out: &mut ContactPieces) {
    let (pairs, decisions) = (part.column::<Pairs>(), part.column::<Decisions>());
    let rows = decisions.patches.view().rows;
    for i in 0..rows.len() {
        let row = rows.row(i);
        let push = row.normal[0].impulse / dt;
        let (Some(n), true) = (try_normalized(push), row.area > 0.0) else { continue };
        let pair = row.pair as usize;
        // A step that failed may have left other pairs.
        let (Some(&a), Some(&b)) = (pairs.a.get(pair), pairs.b.get(pair)) else { continue };
        let [u, v] = tangents(n).map(|t| t * (0.5 * row.area.sqrt()));
        // Counter-clockwise about the push on `a`.
        let v = if u.cross(v).dot(n) < 0.0 { -v } else { v };
        let corners = [-u - v, u - v, u + v, v - u].into_iter().map(|c| row.point + c);
        out.push((a, b), push.mag() / row.area, corners);
    }
}
