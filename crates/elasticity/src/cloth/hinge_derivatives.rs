//! The dihedral angle with its first and second derivative.
//!
//! Everything follows from `g₂ = −ℓ m₁`, `m₁ = n₁/|n₁|²` and its mirror image g₃: differentiating the three factors,
//! `dg₂ = −(m₁ dℓ + ℓ dm₁)`, `dm₁ = (I − 2 n̂₁n̂₁ᵀ) dn₁/|n₁|²`, `dℓ = ê·de`,
//! and the split `g₀ = −(1 − a₂) g₂ − (1 − a₃) g₃`, `g₁ = −a₂ g₂ − a₃ g₃`, `a₂ = (x₂ − x₀)·e/ℓ²`. (Tamstorf and
//! Grinspun 2013 reach the same matrix through angles and heights.)

use crate::element::{Blocks, zero_blocks};
use impinge_geometry::{DMat3, DVec3, add, outer, scale, skew, sub};

/// A triangle lower than this fraction of its longest side has no normal.
const FLATTEST: f64 = 1e-10;

/// Edge, corners and normals of one hinge.
pub(super) struct Frame {
    e: DVec3,
    length: f64,
    /// Corners x₂, x₃ from x₀.
    corner: [DVec3; 2],
    /// n₁, n₂ and their squares.
    normal: [DVec3; 2],
    square: [f64; 2],
    /// Where the corners' feet fall on the edge: 0 at x₀, 1 at x₁.
    foot: [f64; 2],
}

impl Frame {
    /// `None` when a triangle has no area.
    #[must_use]
    pub fn new(x: &[DVec3; 4]) -> Option<Self> {
        let frame = Self::of(x[1] - x[0], [x[2] - x[0], x[3] - x[0]]);
        (!frame.collapsed()).then_some(frame)
    }

    /// From the edge and the corners, both from x₀; of no use where it is [`Frame::collapsed`].
    #[inline(always)]
    #[must_use]
    pub fn of(e: DVec3, corner: [DVec3; 2]) -> Self {
        let length = e.mag();
        let normal = [e.cross(corner[0]), corner[1].cross(e)];
        let square = [normal[0].dot(normal[0]), normal[1].dot(normal[1])];
        let ll = length * length;
        let foot = [corner[0].dot(e) / ll, corner[1].dot(e) / ll];
        Self { e, length, corner, normal, square, foot }
    }

    /// Whether a triangle has no area.
    #[inline(always)]
    #[must_use]
    pub fn collapsed(&self) -> bool {
        let flat = |k: usize| {
            let longest = self.length.max(self.corner[k].mag());
            let least = FLATTEST * self.length * longest;
            // The second test is for triangles so small that both sides of the first underflow.
            (self.square[k] <= least * least) | (self.square[k] < f64::MIN_POSITIVE)
        };
        flat(0) | flat(1)
    }

    #[must_use]
    pub fn angle(&self) -> f64 {
        let [sine, cosine] = self.direction();
        libm::atan2(sine, cosine)
    }

    /// sin θ and cos θ, both times |n₁| |n₂|.
    #[inline(always)]
    #[must_use]
    pub fn direction(&self) -> [f64; 2] {
        let [n1, n2] = self.normal;
        [n1.cross(n2).dot(self.e) / self.length, n1.dot(n2)]
    }

    #[must_use]
    pub fn edge_squared(&self) -> f64 {
        self.length * self.length
    }

    /// The area of both triangles.
    #[must_use]
    pub fn area(&self) -> f64 {
        0.5 * (self.square[0].sqrt() + self.square[1].sqrt())
    }

    #[must_use]
    pub fn foot(&self) -> [f64; 2] {
        self.foot
    }

    /// Heights of the corners over the edge.
    #[must_use]
    pub fn heights(&self) -> [f64; 2] {
        self.square.map(|s| s.sqrt() / self.length)
    }

    /// ∂θ/∂x.
    #[inline(always)]
    #[must_use]
    pub fn gradient(&self) -> [DVec3; 4] {
        let g2 = self.normal[0] * (-self.length / self.square[0]);
        let g3 = self.normal[1] * (-self.length / self.square[1]);
        let [a2, a3] = self.foot;
        [g2 * (a2 - 1.0) + g3 * (a3 - 1.0), g2 * -a2 - g3 * a3, g2, g3]
    }
}

/// `factor · ∂²θ/∂x²`.
pub(super) fn second_derivative(frame: &Frame, factor: f64) -> Blocks<4> {
    let mut h = zero_blocks();
    let [_, _, g2, g3] = frame.gradient();
    for (k, g) in [(0usize, g2), (1, g3)] {
        let own = 2 + k;
        let (e, p, n) = (frame.e, frame.corner[k], frame.normal[k]);
        let (l, s, a) = (frame.length, frame.square[k], frame.foot[k]);
        // ∂n/∂x of the first triangle; the second normal is built with the opposite sign.
        let sign = if k == 0 { 1.0 } else { -1.0 };
        let (by_corner, by_edge) = (scale(&skew(e), sign), scale(&skew(p), -sign));
        let reflect = scale(&sub(&DMat3::identity(), &scale(&outer(n, n), 2.0 / s)), -l / s);
        let turn = outer(n * (-1.0 / (s * l)), e);
        // ∂g/∂x for x₀, x₁ and the corner: translation invariance gives the first.
        let of_corner = reflect * by_corner;
        let of_1 = add(&(reflect * by_edge), &turn);
        let of_0 = scale(&add(&of_corner, &of_1), -1.0);
        let (a_corner, a_1) = (e / (l * l), (p - e * (2.0 * a)) / (l * l));
        let a_0 = DVec3::zero() - (a_corner + a_1);
        for (j, of, da) in [(0, of_0, a_0), (1, of_1, a_1), (own, of_corner, a_corner)] {
            let split = outer(g, da);
            h[own][j] += of;
            h[0][j] += add(&split, &scale(&of, a - 1.0));
            h[1][j] += sub(&scale(&of, -a), &split);
        }
    }
    // Symmetric up to rounding; make it so exactly.
    for i in 0..4 {
        for j in i..4 {
            let mean = scale(&add(&h[i][j], &h[j][i].transposed()), 0.5 * factor);
            h[i][j] = mean;
            h[j][i] = mean.transposed();
        }
    }
    h
}
