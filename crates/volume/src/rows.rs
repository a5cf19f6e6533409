//! Constraint rows of a contact: (16)–(19) with g = −V, so J = −∂V/∂q everywhere (erratum V1), and the rows of friction (21).
//!
//! One multiplier for each row: a pressure ρ ≥ 0 (Pa); its impulse on the degrees of freedom is Jᵀρ·Δt. Rows act on vertices as
//! they are (`−∂V/∂p_k`, `A_k t`); here they are carried through the map of a rigid body. ∂p_k/∂q of an embedded vertex is its
//! weights: add a vertex's entry to its parents times the weight.

use crate::{ContactFrame, Overlap};
use impinge_geometry::DVec3;

/// A row over the six degrees of freedom of a rigid body: velocity of the centre, angular velocity about it (world axes).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RigidRow {
    /// Factor of the velocity (m²).
    pub linear: DVec3,
    /// Factor of the angular velocity (m³).
    pub angular: DVec3,
}

impl RigidRow {
    /// The row's value for a motion (m³/s).
    #[must_use]
    pub fn dot(&self, velocity: DVec3, angular_velocity: DVec3) -> f64 {
        self.linear.dot(velocity) + self.angular.dot(angular_velocity)
    }

    fn add(&mut self, arm: DVec3, entry: DVec3) {
        self.linear += entry;
        self.angular += arm.cross(entry);
    }
}

/// Where friction acts on a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrictionAt {
    /// On the surface vertices, by A_k, as the paper does. The two barycentres are a contact depth apart: the pair of forces has
    /// a torque, the ghost torque.
    Surface,
    /// At the common centre of the contact: no ghost torque.
    Center,
}

/// −∂V/∂q of body `side` of a cell, about `centre` (m). `x` are that body's vertices.
///
/// # Panics
/// When there is no such cell or side, or the body has fewer vertices than the overlap names.
#[must_use]
pub fn normal_row(overlap: &Overlap, cell: usize, side: usize, x: &[DVec3], centre: DVec3) -> RigidRow {
    let (vertices, g) = overlap.gradient(cell, side);
    let mut row = RigidRow::default();
    for (&v, &g) in vertices.iter().zip(g) {
        row.add(x[v as usize] - centre, -g);
    }
    row
}

/// The rows of T (21) along both tangents for body `side` of a cell. Their product with the bodies' motion is
/// t · v_rel; −t is the negative of a row.
///
/// # Panics
/// As [`normal_row`].
#[must_use]
pub fn friction_rows(
    frame: &ContactFrame,
    at: FrictionAt,
    overlap: &Overlap,
    cell: usize,
    side: usize,
    x: &[DVec3],
    centre: DVec3,
) -> [RigidRow; 2] {
    let (vertices, g) = overlap.gradient(cell, side);
    let mut rows = [RigidRow::default(); 2];
    match at {
        FrictionAt::Surface => {
            for (&v, &g) in vertices.iter().zip(g) {
                for (row, &t) in rows.iter_mut().zip(&frame.tangents) {
                    row.add(x[v as usize] - centre, t * frame.weight(g));
                }
            }
        }
        FrictionAt::Center => {
            let weight: f64 = g.iter().map(|&g| frame.weight(g)).sum();
            for (row, &t) in rows.iter_mut().zip(&frame.tangents) {
                row.add(frame.center - centre, t * weight);
            }
        }
    }
    rows
}

/// The torque (N·m) that friction on the surfaces adds to a pair and friction at the centre does not: the offset of the
/// barycentres times the force (N) on A.
#[must_use]
pub fn ghost_torque(frame: &ContactFrame, force_on_a: DVec3) -> DVec3 {
    (frame.center_of[0] - frame.center_of[1]).cross(force_on_a)
}

/// Viscous forces −ν A_k v_rel of one vertex (N), from ν (Pa·s/m³), its ∂V/∂p and the contact's v_rel (m³/s).
#[must_use]
pub fn viscous_force(
    frame: &ContactFrame,
    viscosity: f64,
    gradient: DVec3,
    relative_velocity: DVec3,
) -> DVec3 {
    relative_velocity * (-viscosity * frame.weight(gradient))
}
