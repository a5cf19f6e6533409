//! Bending as hinges: two triangles that share an edge resist changes of the angle between them.
//!
//! `E = ½ k (θ − θ̄)²`, `k = D l̄²/Ā` with the rest edge length l̄, the rest area Ā of *both* triangles, and
//! the plate stiffness `D = E h³/(12 (1 − ν²))` (N·m). Nodes: x₀, x₁ the edge, x₂ and x₃ the corners opposite, so
//! that (x₀, x₁, x₂) is the first triangle. θ is 0 when flat, positive where the surface is convex seen from the side
//! its normals point to, in (−π, π).
//!
//! The factor: Discrete Shells (Grinspun et al. 2003) has 3 l̄²/Ā without a modulus. For a sheet of equilateral
//! triangles, and for rectangles cut in two and bent along their sides, `l̄²/Ā` gives the plate's
//! ½ D κ² exactly (Seung and Nelson 1988: k = 2D/√3 for the former), three times less. Bending along two axes at
//! once, and twisting, depend on the mesh, whatever ν made D. Equilateral triangles make an isotropic plate with
//! ν = −1/3, so a free strip of them bends with 8/9 D. Squares all halved the same way couple bending to twisting
//! (a free strip is a fifth too soft); halved alternately they have a soft zigzag mode, which grows when the
//! rectangles are long (measured: 7 % too soft at 5:4, 77 % at 1:3). Refinement does not cure this: give cloth
//! near-equilateral triangles.
//!
//! Derivatives: with `e = x₁ − x₀`, `n₁ = e × (x₂ − x₀)`, `n₂ = (x₃ − x₀) × e`,
//! `∂θ/∂x₂ = −|e| n₁/|n₁|²`, `∂θ/∂x₃ = −|e| n₂/|n₂|²`, and the edge's nodes take the opposite, split where the
//! corners' feet fall on the edge. The second derivative is in `hinge_derivatives.rs`.
//!
//! [`Projection::Spd`] is Gauss–Newton, `k ∇θ ∇θᵀ`: it leaves out `k (θ − θ̄) ∇²θ`, whose trace is zero, so half of
//! it is negative; it equals the exact Hessian at rest. A hinge with a collapsed triangle has no angle: it
//! gives zeros. At θ = ±π (folded flat) the energy jumps, since both sides look alike; derivatives stay finite.

use super::hinge_derivatives::{Frame, second_derivative};
use super::hinge_wide::{self, add_products};
use crate::assemble::add_blocks;
use crate::element::{
    BadElement, Blocks, Elements, Projection, add_one_by_one, add_rank_one, not_negative, one_by_one,
    positive, zero_blocks,
};
use impinge_geometry::{DVec3, Topology, TriMesh};
use std::ops::Range;

impinge_contact::table! {
    /// Hinges.
    pub struct Hinges / HingesView / Hinge {
        /// Edge, then the two opposite corners.
        nodes: [u32; 4],
        /// θ̄ (rad).
        rest_angle: f64,
        /// k (J/rad²).
        stiffness: f64,
    }
}

/// `D = E h³/(12 (1 − ν²))` (N·m) from Young's modulus (Pa), Poisson's ratio and thickness (m).
///
/// # Errors
/// A modulus or thickness that is not positive, a ratio outside (−1, 1).
pub fn plate_stiffness(e: f64, nu: f64, thickness: f64) -> Result<f64, BadElement> {
    positive("Young's modulus", e, "Pa")?;
    positive("thickness", thickness, "m")?;
    if !(nu > -1.0 && nu < 1.0) {
        return Err(BadElement::batch(format!("Poisson's ratio is {nu}; it must lie between −1 and 1")));
    }
    Ok(e * thickness * thickness * thickness / (12.0 * (1.0 - nu * nu)))
}

/// θ (rad) of the hinge with nodes `x`; `None` when one of its triangles has no area.
#[must_use]
pub fn dihedral_angle(x: &[DVec3; 4]) -> Option<f64> {
    Frame::new(x).map(|f| f.angle())
}

/// The edges of a mesh with two triangles, each as (edge, opposite corners) in the order of [`Hinge::nodes`]; an edge
/// with more gives one hinge for its first triangle and each other one.
pub(super) fn pairs(mesh: &TriMesh) -> Vec<[u32; 4]> {
    let topology = Topology::new(mesh);
    let triangles = mesh.triangles();
    let mut out = Vec::new();
    for (edge, &[a, b]) in topology.edges().iter().enumerate() {
        let faces = topology.faces_of_edge(edge as u32);
        let opposite = |f: u32| triangles[f as usize].into_iter().find(|&c| c != a && c != b).unwrap_or(a);
        let side = |f: u32| (0..3).find(|&s| triangles[f as usize][s] == a).unwrap_or(0);
        for &other in &faces[1..] {
            let upward = triangles[faces[0] as usize][(side(faces[0]) + 1) % 3] == b;
            let [x0, x1] = if upward { [a, b] } else { [b, a] };
            let (x2, x3) = (opposite(faces[0]), opposite(other));
            if x2 != x3 {
                out.push([x0, x1, x2, x3]);
            }
        }
    }
    out
}

impl Hinges {
    /// A hinge on every inner edge of `mesh`, at rest as the mesh lies; `plate` is D (N·m), see
    /// [`plate_stiffness`].
    ///
    /// # Errors
    /// A negative D, an inner edge of a triangle without area.
    pub fn from_mesh(mesh: &TriMesh, plate: f64) -> Result<Self, BadElement> {
        not_negative("plate stiffness D", plate, "N·m")?;
        let mut hinges = Self::default();
        for (h, nodes) in pairs(mesh).into_iter().enumerate() {
            let frame = Frame::new(&nodes.map(|i| mesh.positions()[i as usize])).ok_or_else(|| {
                BadElement::at(
                    h,
                    format!(
                        "the hinge on edge {}–{} has a triangle without area at rest; remove or merge the sliver",
                        nodes[0], nodes[1]
                    ),
                )
            })?;
            let stiffness = plate * frame.edge_squared() / frame.area();
            hinges.push(Hinge { nodes, rest_angle: frame.angle(), stiffness });
        }
        Ok(hinges)
    }
}

impl Elements<4> for HingesView<'_> {
    fn nodes(&self) -> &[[u32; 4]] {
        self.nodes
    }

    fn energy_of(&self, e: usize, x: &[DVec3; 4]) -> f64 {
        dihedral_angle(x).map_or(0.0, |angle| {
            let bend = angle - self.rest_angle[e];
            0.5 * self.stiffness[e] * bend * bend
        })
    }

    fn gradient_of(&self, e: usize, x: &[DVec3; 4]) -> [DVec3; 4] {
        Frame::new(x).map_or([DVec3::zero(); 4], |frame| {
            let moment = self.stiffness[e] * (frame.angle() - self.rest_angle[e]);
            frame.gradient().map(|g| g * moment)
        })
    }

    fn hessian_of(&self, e: usize, x: &[DVec3; 4], projection: Projection) -> Blocks<4> {
        let Some(frame) = Frame::new(x) else { return zero_blocks() };
        let k = self.stiffness[e];
        let mut h = match projection {
            Projection::Exact => second_derivative(&frame, k * (frame.angle() - self.rest_angle[e])),
            Projection::Spd => zero_blocks(),
        };
        add_rank_one(&mut h, k, &frame.gradient());
        h
    }

    /// Of the 16 blocks k gᵢ gⱼᵀ only those that are kept (ten), straight to their places.
    fn add_hessian_of(
        &self,
        e: usize,
        x: &[DVec3; 4],
        projection: Projection,
        slots: &[[u32; 4]; 4],
        values: &mut [[f64; 9]],
    ) {
        if projection == Projection::Exact {
            return add_blocks(&self.hessian_of(e, x, projection), slots, values);
        }
        let Some(frame) = Frame::new(x) else { return };
        add_products(&frame.gradient().map(Into::into), self.stiffness[e], slots, values);
    }

    fn energy_sum(&self, elements: Range<usize>, x: &[DVec3]) -> f64 {
        let mut sum = 0.0;
        hinge_wide::energies(*self, elements, x, &mut sum);
        sum
    }

    fn gradients(&self, first: usize, x: &[DVec3], out: &mut [[DVec3; 4]]) {
        hinge_wide::gradients(*self, first, x, out);
    }

    fn hessians(&self, first: usize, x: &[DVec3], projection: Projection, out: &mut [Blocks<4>]) {
        match projection {
            Projection::Spd => hinge_wide::hessians(*self, first, x, out),
            Projection::Exact => one_by_one(self, first, x, projection, out),
        }
    }

    fn add_hessians(
        &self,
        first: usize,
        x: &[DVec3],
        projection: Projection,
        slots: &[[[u32; 4]; 4]],
        values: &mut [[f64; 9]],
    ) {
        match projection {
            Projection::Spd => hinge_wide::add_hessians(*self, first, x, slots, values),
            Projection::Exact => add_one_by_one(self, first, x, projection, slots, values),
        }
    }
}
