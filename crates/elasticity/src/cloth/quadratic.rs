//! Bending of flat sheets with a constant Hessian: quadratic isometric bending (Bergou et al. 2006, Wardetzky et al.
//! 2007).
//!
//! `E = ½ (D/Ā) |Σ kᵢ xᵢ|²` with cotangent weights of the flat rest shape:
//! `k₂ = −l̄/h₂`, `k₃ = −l̄/h₃`, `k₀ = (1−a₂) l̄/h₂ + (1−a₃) l̄/h₃`, `k₁ = a₂ l̄/h₂ + a₃ l̄/h₃`
//! (h heights, a feet of the opposite corners). `Σ kᵢ xᵢ` is l̄ times the jump of the surface's slope across the edge, so
//! for small angles this is the energy of [`super::Hinges`] with the same D; the papers' factor 3 is left out for the
//! reason given there. It is exact to second order while lengths are kept; a sheet that stretches also stores
//! bending energy here. No angle, no branch, no degenerate case; positive semidefinite as it is.

use super::hinge::pairs;
use super::hinge_derivatives::Frame;
use crate::element::{BadElement, Blocks, Elements, Projection, not_negative, zero_blocks};
use impinge_geometry::{DVec3, TriMesh};

impinge_contact::table! {
    /// Quadratic hinges.
    pub struct QuadraticBends / QuadraticBendsView / QuadraticBend {
        /// Edge, then the two opposite corners.
        nodes: [u32; 4],
        /// kᵢ.
        weights: [f64; 4],
        /// D/Ā (N/m).
        stiffness: f64,
    }
}

/// Rest angles above this (rad) are no flat rest shape.
const FLAT: f64 = 1e-6;

impl QuadraticBends {
    /// One on every inner edge of a flat `mesh`; `plate` is D (N·m).
    ///
    /// # Errors
    /// A negative D, an edge that is bent at rest, a triangle without area.
    pub fn from_mesh(mesh: &TriMesh, plate: f64) -> Result<Self, BadElement> {
        not_negative("plate stiffness D", plate, "N·m")?;
        let mut bends = Self::default();
        for (h, nodes) in pairs(mesh).into_iter().enumerate() {
            let edge = format!("edge {}–{}", nodes[0], nodes[1]);
            let Some(frame) = Frame::new(&nodes.map(|i| mesh.positions()[i as usize])) else {
                return Err(BadElement::at(
                    h,
                    format!("{edge} has a triangle without area at rest; remove it"),
                ));
            };
            let angle = frame.angle();
            if angle.abs() > FLAT {
                return Err(BadElement::at(
                    h,
                    format!(
                        "{edge} is bent by {angle} rad at rest; quadratic bending needs a flat rest shape, use hinges"
                    ),
                ));
            }
            let length = frame.edge_squared().sqrt();
            let [c2, c3] = frame.heights().map(|height| length / height);
            let [a2, a3] = frame.foot();
            let weights = [(1.0 - a2) * c2 + (1.0 - a3) * c3, a2 * c2 + a3 * c3, -c2, -c3];
            bends.push(QuadraticBend { nodes, weights, stiffness: plate / frame.area() });
        }
        Ok(bends)
    }
}

impl QuadraticBendsView<'_> {
    /// Σ kᵢ xᵢ from differences to x₀ (Σ kᵢ = 0), so that far from the origin nothing cancels.
    fn jump(&self, e: usize, x: &[DVec3; 4]) -> DVec3 {
        let k = self.weights[e];
        (x[1] - x[0]) * k[1] + (x[2] - x[0]) * k[2] + (x[3] - x[0]) * k[3]
    }
}

impl Elements<4> for QuadraticBendsView<'_> {
    fn nodes(&self) -> &[[u32; 4]] {
        self.nodes
    }

    fn energy_of(&self, e: usize, x: &[DVec3; 4]) -> f64 {
        let j = self.jump(e, x);
        0.5 * self.stiffness[e] * j.dot(j)
    }

    fn gradient_of(&self, e: usize, x: &[DVec3; 4]) -> [DVec3; 4] {
        let j = self.jump(e, x) * self.stiffness[e];
        let k = self.weights[e];
        [j * -(k[1] + k[2] + k[3]), j * k[1], j * k[2], j * k[3]]
    }

    fn hessian_of(&self, e: usize, _: &[DVec3; 4], _: Projection) -> Blocks<4> {
        let mut h = zero_blocks();
        let [_, k1, k2, k3] = self.weights[e];
        let k = [-(k1 + k2 + k3), k1, k2, k3];
        for i in 0..4 {
            for j in 0..4 {
                let v = self.stiffness[e] * k[i] * k[j];
                for c in 0..3 {
                    h[i][j].cols[c][c] = v;
                }
            }
        }
        h
    }
}
