//! One contact of the program, and the form in which the tables of contacts have it.

use crate::Friction;
use impinge_contact::{Contact, PlaneContact, first_point};
use impinge_geometry::DVec3;

/// One contact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// Slots, lower first.
    pub bodies: [u32; 2],
    pub law: u32,
    /// The plane's slot; `None` for a pair of features.
    pub plane: Option<u32>,
    /// Where the row stands: features by list, planes after them.
    pub order: u8,
    pub key: u64,
    /// Vertices; of a contact with a plane the first only.
    pub stencil: [u32; 4],
    pub weight: [f64; 4],
    pub normal: DVec3,
    /// Normal of the plane in which friction acts; the contact's own where there is none.
    pub slip_normal: DVec3,
    /// Of the plane.
    pub offset: f64,
    /// Distance that the surfaces keep (m).
    pub keeps: f64,
    /// They start nearer than that.
    pub near: bool,
    /// Gap at the start (m), linear in the positions.
    pub start: f64,
    pub goal: f64,
    /// In the table.
    pub row: u32,
    /// Place of the next row of the same contact; `NONE` of the last.
    pub next: u32,
    pub friction: Option<Friction>,
}

impl Row {
    /// How many entries of the stencil count.
    pub fn points(&self) -> usize {
        if self.plane.is_some() { 1 } else { 4 }
    }

    /// The first material point (m).
    pub fn point(&self, x: &[DVec3]) -> DVec3 {
        if self.plane.is_some() {
            x[self.stencil[0] as usize]
        } else {
            first_point(&self.stencil, &self.weight, x)
        }
    }

    pub fn gap(&self, x: &[DVec3]) -> f64 {
        let at = |k: usize| x[self.stencil[k] as usize] * self.weight[k];
        let sum = (1..self.points()).fold(at(0), |s, k| s + at(k));
        self.normal.dot(sum) - self.offset
    }
}

/// As the tables of contacts have it.
pub(crate) fn mesh_contact(r: &Row, pair: u32, area: f64) -> Contact {
    Contact {
        stencil: r.stencil,
        weight: r.weight,
        normal: r.normal,
        t_in: 0.0,
        t_out: 1.0,
        area,
        pair,
        key: r.key,
    }
}

/// The same for a plane that moves with `velocity` (m/s) at the vertex's foot `point` (m).
pub(crate) fn plane_contact(
    r: &Row,
    plane: u32,
    pair: u32,
    area: f64,
    point: DVec3,
    velocity: DVec3,
) -> PlaneContact {
    PlaneContact { vertex: r.stencil[0], plane, point, normal: r.normal, velocity, area, pair, key: r.key }
}
