//! Mass–spring networks: linear springs along the line between two nodes, with damping.
//!
//! `E = ½ k (l − l₀)²`, `∂E/∂x₁ = k (l − l₀) n`, `n = (x₁ − x₀)/l`. A tension-only spring has no energy below
//! its rest length: a cable goes slack. A spring of length zero has no direction; it pulls nowhere, and its
//! Hessian is `k I` when its rest length is zero (exact) and zero otherwise.
//!
//! The exact Hessian is `k n nᵀ + k (1 − l₀/l)(I − n nᵀ)`; [`Projection::Spd`] clamps the second factor at zero,
//! which is the nearest positive semidefinite matrix: the two terms are its spectral decomposition.
//!
//! There is no wide kernel. One was tried (gather, √ and ÷ in AVX2 or AVX-512 lanes, scatter): 5.8 ns per spring against
//! 4.7 ns for the plain loop, which already moves 12 GB/s.

pub mod damping;

use crate::element::{BadElement, Blocks, Elements, Projection, check_nodes, check_positions, not_negative};
use impinge_geometry::{DMat3, DVec3, add, outer, scale, sub};

impinge_contact::table! {
    /// Springs. [`Springs::new`] and its sisters check what they are given; columns pushed by hand are taken as
    /// they are.
    pub struct Springs / SpringsView / Spring {
        /// The two nodes.
        ends: [u32; 2],
        /// Length without force (m).
        rest: f64,
        /// Stiffness k (N/m); EA / rest for a cable of axial stiffness EA (N).
        stiffness: f64,
        /// Damping along the spring (N·s/m).
        damping: f64,
        /// Pulls but never pushes.
        tension_only: bool,
    }
}

impl Springs {
    /// Springs of one kind between nodes whose rest positions are `rest_x`: every spring has `stiffness` k (N/m)
    /// and `damping` (N·s/m along it).
    ///
    /// # Errors
    /// An index out of range, a spring from a node to itself, a rest position that is not finite, a negative
    /// stiffness or damping.
    pub fn from_edges(
        edges: &[[u32; 2]],
        rest_x: &[DVec3],
        stiffness: f64,
        damping: f64,
    ) -> Result<Self, BadElement> {
        check_positions(rest_x)?;
        let mut springs = Self::default();
        for (e, &ends) in edges.iter().enumerate() {
            check_nodes(e, ends, rest_x.len())?;
            let rest = (rest_x[ends[1] as usize] - rest_x[ends[0] as usize]).mag();
            springs.push(Spring { ends, rest, stiffness, damping, tension_only: false });
        }
        springs.check(rest_x.len())?;
        Ok(springs)
    }

    /// The same with stiffness EA / rest for each: segments of one elastic bar of axial stiffness `ea` (N).
    ///
    /// # Errors
    /// As [`Springs::from_edges`], and a segment without length.
    pub fn from_axial_stiffness(
        edges: &[[u32; 2]],
        rest_x: &[DVec3],
        ea: f64,
        tension_only: bool,
    ) -> Result<Self, BadElement> {
        let mut springs = Self::from_edges(edges, rest_x, 1.0, 0.0)?;
        not_negative("axial stiffness EA", ea, "N")?;
        for e in 0..springs.len() {
            if springs.rest[e] <= 0.0 {
                return Err(BadElement::at(
                    e,
                    "has rest length 0 and so no stiffness EA/l; merge its nodes or give k in N/m".into(),
                ));
            }
            springs.stiffness[e] = ea / springs.rest[e];
            springs.tension_only[e] = tension_only;
        }
        springs.check(rest_x.len())?;
        Ok(springs)
    }

    /// Checks columns that were filled by hand, for a network of `nodes` nodes.
    ///
    /// # Errors
    /// The first row that is wrong, and what would be right.
    pub fn check(&self, nodes: usize) -> Result<(), BadElement> {
        for e in 0..self.len() {
            let s = self.row(e);
            check_nodes(e, s.ends, nodes)?;
            for (name, value, unit) in [
                ("rest length", s.rest, "m"),
                ("stiffness", s.stiffness, "N/m"),
                ("damping", s.damping, "N·s/m"),
            ] {
                not_negative(name, value, unit).map_err(|b| BadElement::at(e, b.reason))?;
            }
        }
        Ok(())
    }
}

/// The block K of a linear spring; its four blocks are K, −K, −K, K.
pub(crate) fn block(d: DVec3, rest: f64, stiffness: f64, projection: Projection) -> DMat3 {
    let l = d.mag();
    if l == 0.0 {
        return scale(&DMat3::identity(), if rest == 0.0 { stiffness } else { 0.0 });
    }
    let n = d / l;
    let along = outer(n, n);
    let transverse = match projection {
        Projection::Exact => 1.0 - rest / l,
        Projection::Spd => (1.0 - rest / l).max(0.0),
    };
    add(&scale(&along, stiffness), &scale(&sub(&DMat3::identity(), &along), stiffness * transverse))
}

/// The blocks K, −K, −K, K.
pub(crate) fn two_node_blocks(k: DMat3) -> Blocks<2> {
    let minus = scale(&k, -1.0);
    [[k, minus], [minus, k]]
}

impl Elements<2> for SpringsView<'_> {
    fn nodes(&self) -> &[[u32; 2]] {
        self.ends
    }

    fn energy_of(&self, e: usize, x: &[DVec3; 2]) -> f64 {
        let stretch = (x[1] - x[0]).mag() - self.rest[e];
        if self.tension_only[e] && stretch < 0.0 { 0.0 } else { 0.5 * self.stiffness[e] * stretch * stretch }
    }

    fn gradient_of(&self, e: usize, x: &[DVec3; 2]) -> [DVec3; 2] {
        let d = x[1] - x[0];
        let l = d.mag();
        let stretch = l - self.rest[e];
        if l == 0.0 || (self.tension_only[e] && stretch < 0.0) {
            return [DVec3::zero(); 2];
        }
        let g = d * (self.stiffness[e] * stretch / l);
        [DVec3::zero() - g, g]
    }

    fn hessian_of(&self, e: usize, x: &[DVec3; 2], projection: Projection) -> Blocks<2> {
        let d = x[1] - x[0];
        if self.tension_only[e] && d.mag() < self.rest[e] {
            return crate::element::zero_blocks();
        }
        two_node_blocks(block(d, self.rest[e], self.stiffness[e], projection))
    }
}
