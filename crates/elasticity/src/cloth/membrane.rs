//! Constant-strain triangles: in-plane stretch and shear of cloth.
//!
//! Rest shape: `Q = Dm⁻¹`, the inverse of the rest edges in the plane (1/m), and the rest area A (m²).
//! `F = [x₁ − x₀, x₂ − x₀] Q` has columns F_u, F_v; `ε = (½(F_u·F_u − 1), ½(F_v·F_v − 1), F_u·F_v)`;
//! `E = A ψ(ε)`, and with the gradients `(pᵢ, qᵢ)` of the shape functions
//! `∂E/∂xᵢ = A (pᵢ (S_uu F_u + S_uv F_v) + qᵢ (S_uv F_u + S_vv F_v))`,
//! `∂²E/∂xᵢ∂xⱼ = A (bᵢᵀ C_t bⱼ + ((pᵢ, qᵢ) S (pⱼ, qⱼ)ᵀ) I)`, `bᵢ = ∂ε/∂xᵢ`.
//!
//! [`Projection::Spd`] clamps the tension S in the second term to its positive part (two eigenvalues, closed form)
//! and the tangent C_t where the law needs it. Both terms are then semidefinite. This is not the nearest
//! semidefinite matrix (the two terms may cancel) but is exact wherever the cloth is taut, and needs no
//! eigenvalues of 9 × 9.

use super::law::{Law, MembraneLaw};
use super::membrane_hessian::{self, all, geometric_tension, times, upper};
use super::wide;
use crate::element::{BadElement, Blocks, Elements, Projection, check_nodes, check_positions};
use impinge_geometry::{DVec3, try_normalized};

impinge_contact::table! {
    /// Membrane triangles and their rest shapes; the law stands beside them in [`Cloth`].
    pub struct Membranes / MembranesView / Membrane {
        /// The three nodes.
        nodes: [u32; 3],
        /// Q by rows (1/m).
        inverse: [f64; 4],
        /// Rest area (m²).
        area: f64,
    }
}

/// Triangles narrower than this fraction of their longest side are refused as rest shapes: their strain would be
/// rounding.
const THINNEST: f64 = 1e-9;

impl Membranes {
    /// From a flat pattern: `pattern[t]` holds the three corners of triangle `t` in the cloth's own plane (m), first
    /// axis along the warp. Corners are given per triangle, so pieces may lie anywhere and seams may join what
    /// the pattern separates. `nodes` is the number of nodes.
    ///
    /// # Errors
    /// An index out of range or named twice, a corner that is not finite, a triangle without area.
    pub fn from_pattern(
        triangles: &[[u32; 3]],
        pattern: &[[[f64; 2]; 3]],
        nodes: usize,
    ) -> Result<Self, BadElement> {
        if pattern.len() != triangles.len() {
            return Err(BadElement::batch(format!(
                "{} triangles but {} pattern pieces; give one for each",
                triangles.len(),
                pattern.len()
            )));
        }
        let mut out = Self::default();
        out.reserve(triangles.len());
        for (t, (&n, p)) in triangles.iter().zip(pattern).enumerate() {
            check_nodes(t, n, nodes)?;
            let (a, b) = ([p[1][0] - p[0][0], p[1][1] - p[0][1]], [p[2][0] - p[0][0], p[2][1] - p[0][1]]);
            let determinant = a[0] * b[1] - a[1] * b[0];
            let longest = [a, b, [b[0] - a[0], b[1] - a[1]]]
                .iter()
                .fold(0.0, |m: f64, s| m.max(s[0] * s[0] + s[1] * s[1]));
            if !determinant.is_finite() || determinant.abs() <= THINNEST * longest {
                return Err(BadElement::at(
                    t,
                    format!(
                        "has rest area {} m² and longest side {} m: no usable rest shape; remove or merge the sliver",
                        0.5 * determinant.abs(),
                        longest.sqrt()
                    ),
                ));
            }
            let inverse = [b[1] / determinant, -b[0] / determinant, -a[1] / determinant, a[0] / determinant];
            out.push(Membrane { nodes: n, inverse, area: 0.5 * determinant.abs() });
        }
        Ok(out)
    }

    /// From rest positions in space. Each triangle is its own pattern; its first axis is `warp` laid into its plane
    /// (or its first side, where `warp` is normal to it; isotropic laws do not care).
    ///
    /// # Errors
    /// As [`Membranes::from_pattern`].
    pub fn from_rest(triangles: &[[u32; 3]], rest_x: &[DVec3], warp: DVec3) -> Result<Self, BadElement> {
        check_positions(rest_x)?;
        let mut pattern = Vec::with_capacity(triangles.len());
        for (t, &n) in triangles.iter().enumerate() {
            check_nodes(t, n, rest_x.len())?;
            let [p0, p1, p2] = n.map(|i| rest_x[i as usize]);
            let (a, b) = (p1 - p0, p2 - p0);
            let normal = try_normalized(a.cross(b)).unwrap_or(DVec3::zero());
            let along = warp - normal * warp.dot(normal);
            let far = along.mag() > 1e-6 * warp.mag();
            let u = try_normalized(if far { along } else { a }).unwrap_or(DVec3::zero());
            let v = normal.cross(u);
            pattern.push([[0.0, 0.0], [a.dot(u), a.dot(v)], [b.dot(u), b.dot(v)]]);
        }
        Self::from_pattern(triangles, &pattern, rest_x.len())
    }
}

impl MembranesView<'_> {
    /// Adds a third of each triangle's mass to its nodes: `areal_density` in kg/m², `out` in kg.
    pub fn add_masses(&self, areal_density: f64, out: &mut [f64]) {
        for (n, area) in self.nodes.iter().zip(self.area) {
            for &i in n {
                out[i as usize] += areal_density * area / 3.0;
            }
        }
    }
}

/// F_u and F_v from two edges.
#[inline(always)]
pub(super) fn deformation(a: DVec3, b: DVec3, q: [f64; 4]) -> (DVec3, DVec3) {
    (a * q[0] + b * q[2], a * q[1] + b * q[3])
}

/// ε from F.
#[inline(always)]
pub(super) fn green(f_u: DVec3, f_v: DVec3) -> [f64; 3] {
    [0.5 * (f_u.dot(f_u) - 1.0), 0.5 * (f_v.dot(f_v) - 1.0), f_u.dot(f_v)]
}

/// The gradients at nodes 1 and 2 of a triangle with edges `a`, `b` from node 0.
#[inline(always)]
pub(super) fn gradient(
    tension: impl Fn([f64; 3]) -> [f64; 3],
    a: DVec3,
    b: DVec3,
    q: [f64; 4],
    area: f64,
) -> (DVec3, DVec3) {
    let (f_u, f_v) = deformation(a, b, q);
    let s = tension(green(f_u, f_v));
    let p_u = (f_u * s[0] + f_v * s[2]) * area;
    let p_v = (f_u * s[2] + f_v * s[1]) * area;
    (p_u * q[0] + p_v * q[1], p_u * q[2] + p_v * q[3])
}

/// Membrane triangles of one law, as [`Elements`].
#[derive(Clone, Copy, Debug)]
pub struct Cloth<'a> {
    /// The triangles.
    pub membranes: MembranesView<'a>,
    /// What they are made of.
    pub law: MembraneLaw,
}

impl Cloth<'_> {
    /// The Green strain (E_uu, E_vv, 2 E_uv) of triangle `e`.
    #[must_use]
    pub fn strain(&self, e: usize, x: &[DVec3; 3]) -> [f64; 3] {
        let (f_u, f_v) = deformation(x[1] - x[0], x[2] - x[0], self.membranes.inverse[e]);
        green(f_u, f_v)
    }
}

impl Elements<3> for Cloth<'_> {
    fn nodes(&self) -> &[[u32; 3]] {
        self.membranes.nodes
    }

    fn energy_of(&self, e: usize, x: &[DVec3; 3]) -> f64 {
        self.membranes.area[e] * self.law.energy_density(self.strain(e, x))
    }

    fn gradient_of(&self, e: usize, x: &[DVec3; 3]) -> [DVec3; 3] {
        let (a, b) = (x[1] - x[0], x[2] - x[0]);
        let (q, area) = (self.membranes.inverse[e], self.membranes.area[e]);
        let (g1, g2) = match self.law.0 {
            Law::Linear(l) => gradient(|s| l.tension(s), a, b, q, area),
            Law::Rubber(r) => gradient(|s| r.tension(s), a, b, q, area),
        };
        [DVec3::zero() - (g1 + g2), g1, g2]
    }

    fn hessian_of(&self, e: usize, x: &[DVec3; 3], projection: Projection) -> Blocks<3> {
        let (q, area) = (self.membranes.inverse[e], self.membranes.area[e]);
        let (f_u, f_v) = deformation(x[1] - x[0], x[2] - x[0], q);
        let strain = green(f_u, f_v);
        let s = geometric_tension(|e| self.law.tension(e), strain, projection);
        all(&match self.law.0 {
            Law::Linear(l) => upper(f_u, f_v, q, area, s, |b| l.times(b)),
            Law::Rubber(r) => {
                let t = r.tangent(strain, projection);
                upper(f_u, f_v, q, area, s, |b| times(&t, b))
            }
        })
    }

    fn gradients(&self, first: usize, x: &[DVec3], out: &mut [[DVec3; 3]]) {
        wide::gradients(*self, first, x, out);
    }

    fn hessians(&self, first: usize, x: &[DVec3], projection: Projection, out: &mut [Blocks<3>]) {
        membrane_hessian::hessians(*self, first, x, projection, out);
    }

    fn add_hessians(
        &self,
        first: usize,
        x: &[DVec3],
        projection: Projection,
        slots: &[[[u32; 3]; 3]],
        values: &mut [[f64; 9]],
    ) {
        membrane_hessian::add_hessians(*self, first, x, projection, slots, values);
    }
}
