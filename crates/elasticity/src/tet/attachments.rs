//! Attachments: nodes held at points by springs. E = Σ ½ k |x − p|², f = −k (x − p), block k·1.
//!
//! They hold a body for a test, a tool or a hand; their forces have an outside, so they are not internal forces. A point may be
//! moved every step. To pin a node hard, take it out of the degrees of freedom instead: a stiff spring
//! spoils the conditioning of the system it is in.

use super::SKIP;
use crate::material::BadTets;
use impinge_geometry::{DVec3, is_finite};

/// A node held at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attachment {
    /// The node.
    pub node: u32,
    /// Where it is held (m).
    pub point: DVec3,
    /// Stiffness k (N/m).
    pub stiffness: f64,
}

/// Checked attachments, each of another node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attachments {
    all: Vec<Attachment>,
}

impl Attachments {
    /// Attachments of a body with `nodes` nodes.
    ///
    /// # Errors
    /// [`BadTets`] with the number of the attachment: a node out of range or held twice, a stiffness that is not positive,
    /// a point that is not finite.
    pub fn new(nodes: usize, all: Vec<Attachment>) -> Result<Self, BadTets> {
        let mut holder = vec![usize::MAX; nodes];
        for (k, a) in all.iter().enumerate() {
            let i = a.node as usize;
            if i >= nodes {
                return Err(BadTets::at(
                    k,
                    format!("attaches node {i}, but there are {nodes} nodes (from 0)"),
                ));
            }
            if holder[i] != usize::MAX {
                let reason =
                    format!("attaches node {i}, which attachment {} holds already; keep one", holder[i]);
                return Err(BadTets::at(k, reason));
            }
            holder[i] = k;
            if !(a.stiffness.is_finite() && a.stiffness > 0.0) {
                let reason = format!("stiffness is {} N/m; it must be a positive number", a.stiffness);
                return Err(BadTets::at(k, reason));
            }
            check_point(k, a.point)?;
        }
        Ok(Self { all })
    }

    /// The attachments.
    #[must_use]
    pub fn all(&self) -> &[Attachment] {
        &self.all
    }

    /// Moves the point of attachment `k`.
    ///
    /// # Errors
    /// [`BadTets`] for a point that is not finite or an attachment that does not exist.
    pub fn set_point(&mut self, k: usize, point: DVec3) -> Result<(), BadTets> {
        check_point(k, point)?;
        let count = self.all.len();
        match self.all.get_mut(k) {
            Some(a) => {
                a.point = point;
                Ok(())
            }
            None => Err(BadTets::at(k, format!("there are {count} attachments (from 0)"))),
        }
    }

    /// The energy (J).
    ///
    /// # Panics
    /// When `x` is shorter than the nodes.
    #[must_use]
    pub fn energy(&self, x: &[DVec3]) -> f64 {
        let mut total = 0.0;
        for a in &self.all {
            total += 0.5 * a.stiffness * (x[a.node as usize] - a.point).mag_sq();
        }
        total
    }

    /// Adds the forces (N) to `out`.
    ///
    /// # Panics
    /// When `x` or `out` is shorter than the nodes.
    pub fn add_forces(&self, x: &[DVec3], out: &mut [DVec3]) {
        for a in &self.all {
            out[a.node as usize] -= (x[a.node as usize] - a.point) * a.stiffness;
        }
    }

    /// Adds `weight` k·1 to the diagonal block `values[diagonal(node)]` of each node; [`SKIP`] leaves it out.
    ///
    /// # Panics
    /// When a slot is out of range.
    pub fn add_hessian(&self, weight: f64, diagonal: impl Fn(u32) -> u32, values: &mut [[f64; 9]]) {
        for a in &self.all {
            let slot = diagonal(a.node);
            if slot != SKIP {
                let block = &mut values[slot as usize];
                for k in [0, 4, 8] {
                    block[k] += weight * a.stiffness;
                }
            }
        }
    }
}

fn check_point(k: usize, p: DVec3) -> Result<(), BadTets> {
    if is_finite(p) {
        return Ok(());
    }
    Err(BadTets::at(k, format!("its point ({}, {}, {}) m is not finite", p.x, p.y, p.z)))
}
