//! Bilinear quadrilaterals with 2 × 2 Gauss points: forces and stiffness.

use super::law::PlaneMaterial;
use std::fmt;

/// A quadrilateral that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadQuad {
    /// Its number.
    pub quad: usize,
}

impl fmt::Display for BadQuad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "quadrilateral {}: inside out, flat or with a corner that does not exist", self.quad)
    }
}

impl std::error::Error for BadQuad {}

/// Rest gradients of a Gauss point's shape functions (1/m) and its area (m²).
#[derive(Clone, Copy, Debug)]
struct Point {
    gradients: [[f64; 2]; 4],
    area: f64,
}

/// Elements of a plane body one metre thick.
#[derive(Clone, Debug)]
pub struct QuadElements {
    quads: Vec<[u32; 4]>,
    points: Vec<[Point; 4]>,
}

impl QuadElements {
    /// Elements over rest positions (m), corners counter-clockwise.
    ///
    /// # Errors
    /// [`BadQuad`] for a corner past the positions and where the map from the square is not orientation-preserving.
    pub fn new(rest: &[[f64; 2]], quads: &[[u32; 4]]) -> Result<Self, BadQuad> {
        let gauss = 1.0 / f64::sqrt(3.0);
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let mut points = Vec::with_capacity(quads.len());
        for (quad, q) in quads.iter().enumerate() {
            let bad = BadQuad { quad };
            let mut x = [[0.0; 2]; 4];
            for (x, &i) in x.iter_mut().zip(q) {
                *x = *rest.get(i as usize).ok_or(bad)?;
            }
            let mut all = [Point { gradients: [[0.0; 2]; 4], area: 0.0 }; 4];
            for (point, at) in all.iter_mut().zip(corners) {
                let local = corners.map(|c| {
                    [0.25 * c[0] * (1.0 + c[1] * gauss * at[1]), 0.25 * c[1] * (1.0 + c[0] * gauss * at[0])]
                });
                // Jᵢⱼ = ∂Xᵢ/∂ξⱼ.
                let mut j = [0.0; 4];
                for (x, g) in x.iter().zip(&local) {
                    (0..4).for_each(|k| j[k] += x[k / 2] * g[k % 2]);
                }
                let area = j[0] * j[3] - j[1] * j[2];
                if !(area > 0.0 && area.is_finite()) {
                    return Err(bad);
                }
                let gradients =
                    local.map(|g| [(j[3] * g[0] - j[2] * g[1]) / area, (j[0] * g[1] - j[1] * g[0]) / area]);
                *point = Point { gradients, area };
            }
            points.push(all);
        }
        Ok(Self { quads: quads.to_vec(), points })
    }

    /// Corners.
    #[must_use]
    pub fn quads(&self) -> &[[u32; 4]] {
        &self.quads
    }

    fn gradient(&self, e: usize, point: &Point, x: &[[f64; 2]]) -> [f64; 4] {
        let mut f = [0.0; 4];
        for (&i, g) in self.quads[e].iter().zip(&point.gradients) {
            let x = x[i as usize];
            (0..4).for_each(|k| f[k] += x[k / 2] * g[k % 2]);
        }
        f
    }

    /// Whether J is positive at every Gauss point.
    #[must_use]
    pub fn upright(&self, x: &[[f64; 2]]) -> bool {
        self.points.iter().enumerate().all(|(e, points)| {
            points.iter().all(|p| {
                let f = self.gradient(e, p, x);
                f[0] * f[3] - f[1] * f[2] > 0.0
            })
        })
    }

    /// Adds the nodes' internal forces (N per metre of thickness), and hands the 2 × 2 blocks ∂(force on a)/∂(position of b),
    /// row-major, to `block(a, b, …)`; one call for each Gauss point and pair of corners.
    ///
    /// # Errors
    /// [`BadQuad`] where an element is inside out; what was added by then stays.
    pub fn add_forces_and_stiffness(
        &self,
        material: &PlaneMaterial,
        x: &[[f64; 2]],
        forces: &mut [[f64; 2]],
        mut block: impl FnMut(usize, usize, [f64; 4]),
    ) -> Result<(), BadQuad> {
        for (e, (quad, points)) in self.quads.iter().zip(&self.points).enumerate() {
            for p in points {
                let f = self.gradient(e, p, x);
                let mut t = [[0.0; 4]; 4];
                let stress = material.stress_and_tangent(&f, &mut t).ok_or(BadQuad { quad: e })?;
                for (&a, ga) in quad.iter().zip(&p.gradients) {
                    let force = &mut forces[a as usize];
                    (0..2).for_each(|r| {
                        force[r] += p.area * (stress[2 * r] * ga[0] + stress[2 * r + 1] * ga[1]);
                    });
                    for (&b, gb) in quad.iter().zip(&p.gradients) {
                        let of = |r: usize, c: usize| {
                            let (u, v) = (&t[2 * c], &t[2 * c + 1]);
                            let along = |l: usize| u[l] * gb[0] + v[l] * gb[1];
                            p.area * (along(2 * r) * ga[0] + along(2 * r + 1) * ga[1])
                        };
                        block(a as usize, b as usize, [of(0, 0), of(0, 1), of(1, 0), of(1, 1)]);
                    }
                }
            }
        }
        Ok(())
    }
}
