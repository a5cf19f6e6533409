//! The first triangle a ray meets, watertight and inclusive.
//!
//! Corners are sheared so that the ray becomes the third axis; the signs of the three side functions of the
//! sheared triangle decide (Woop, Benthin and Wald 2013, "Watertight ray/triangle intersection"), evaluated
//! exactly on the sheared coordinates. A shared corner is sheared alike for all its triangles, so no ray slips
//! between neighbours; zero counts as inside, so sides and corners belong to all their triangles. A triangle
//! seen edge-on is met along the line it projects to.

use crate::nearest::is_finite;
use crate::tie::Lowest;
use crate::tree::{MeshIndex, Node, Visitor};
use impinge_geometry::DVec3;
use robust::{Coord, orient2d};

/// Where a ray meets the mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RayHit {
    /// The point is `origin + t · direction`; in units of `direction`.
    pub t: f64,
    /// The triangle.
    pub triangle: u32,
    /// Barycentric weights of its corners; none negative, sum 1.
    pub weights: [f64; 3],
}

/// A ray prepared for many triangles. `direction` is scaled to a largest component of 1; `u` below counts
/// lengths along it.
pub(crate) struct Ray {
    origin: DVec3,
    direction: [f64; 3],
    /// The axis of the largest component and the other two.
    axes: [usize; 3],
    shear: [f64; 2],
    /// Length of the direction as given, per unit of the scaled one.
    scale: f64,
    max: f64,
    max_t: f64,
    /// Bound on rounding of a position along the ray (m).
    slack: f64,
}

impl Ray {
    /// `None` when there is nothing to follow: no direction, no length, or a number that is not finite.
    #[must_use]
    pub fn new(origin: DVec3, direction: DVec3, max: f64, (lo, hi): (DVec3, DVec3)) -> Option<Self> {
        let scale = direction.abs().component_max();
        if !(is_finite(origin) && is_finite(direction) && scale > 0.0 && max >= 0.0) {
            return None;
        }
        let d = DVec3::new(direction.x / scale, direction.y / scale, direction.z / scale);
        let w = if d.x.abs() == 1.0 {
            0
        } else if d.y.abs() == 1.0 {
            1
        } else {
            2
        };
        let axes = [(w + 1) % 3, (w + 2) % 3, w];
        let reach = origin.abs() + lo.abs().max_by_component(hi.abs());
        Some(Self {
            origin,
            direction: d.into(),
            axes,
            shear: [d[axes[0]] / d[w], d[axes[1]] / d[w]],
            scale,
            max: max * scale,
            max_t: max,
            slack: 16.0 * f64::EPSILON * (reach.x + reach.y + reach.z),
        })
    }

    /// Where the ray enters one box of a node, widened by the slack, or ∞. `origin` is relative to the centre.
    fn enters(&self, origin: [f64; 3], node: &Node, half: usize) -> f64 {
        let (mut from, mut to) = (0.0f64, f64::INFINITY);
        for k in 0..3 {
            let lo = f64::from(node.lo[k][half]) - self.slack - origin[k];
            let hi = f64::from(node.hi[k][half]) + self.slack - origin[k];
            let d = self.direction[k];
            if d.abs() < 1e-300 {
                // Along the slab, as good as: inside or not, no division (0·∞ would be NaN).
                if lo > 0.0 || hi < 0.0 {
                    return f64::INFINITY;
                }
                continue;
            }
            let (a, b) = (lo / d, hi / d);
            let (near, far) = if a < b { (a, b) } else { (b, a) };
            if near > from {
                from = near;
            }
            if far < to {
                to = far;
            }
        }
        if from <= to { from } else { f64::INFINITY }
    }

    /// Length along the ray to the triangle and the weights there.
    #[must_use]
    pub fn meets(&self, corners: &[DVec3; 3]) -> Option<(f64, [f64; 3])> {
        let [u, v, w] = self.axes;
        let seen = corners.map(|c| {
            let c: [f64; 3] = (c - self.origin).into();
            let along = c[w] / self.direction[w];
            [c[u] - self.shear[0] * c[w], c[v] - self.shear[1] * c[w], along]
        });
        let side = |i: usize, j: usize| {
            let at = |k: usize| Coord { x: seen[k][0], y: seen[k][1] };
            orient2d(at(i), at(j), Coord { x: 0.0, y: 0.0 })
        };
        let (a, b, c) = (side(1, 2), side(2, 0), side(0, 1));
        let mixed = (a < 0.0 || b < 0.0 || c < 0.0) && (a > 0.0 || b > 0.0 || c > 0.0);
        if mixed {
            return None;
        }
        // The predicates promise the sign, not the size: seen nearly edge-on the ratio of two of them can be
        // anything. Their compensated values are good to rounding; the signs still decide which are zero.
        let weight = |i: usize, j: usize, sign: f64| {
            if sign == 0.0 { 0.0 } else { cross_2d(seen[i], seen[j]).abs() }
        };
        let (wa, wb, wc) = (weight(1, 2, a), weight(2, 0, b), weight(0, 1, c));
        let sum = wa + wb + wc;
        let (along, weights) = if sum > 0.0 {
            let weights = [wa / sum, wb / sum, wc / sum];
            (weights[0] * seen[0][2] + weights[1] * seen[1][2] + weights[2] * seen[2][2], weights)
        } else {
            self.meets_edge_on(&seen)?
        };
        // The ends belong to the ray, also when rounding puts the point just outside.
        if along < -self.slack || along > self.max + self.slack || along.is_nan() {
            return None;
        }
        Some((along.clamp(0.0, self.max), weights))
    }

    /// The triangle projects to a line or a point through which the ray may pass.
    fn meets_edge_on(&self, seen: &[[f64; 3]; 3]) -> Option<(f64, [f64; 3])> {
        // The stretch of the ray inside the triangle, from border to border.
        let mut first: Option<(f64, [f64; 3])> = None;
        let mut last = first;
        for i in 0..3 {
            let j = (i + 1) % 3;
            let (p, q) = (seen[i], seen[j]);
            // The line through both passes the ray; on it, compare along the axis of greater spread.
            let k = usize::from((q[1] - p[1]).abs() > (q[0] - p[0]).abs());
            let spread = q[k] - p[k];
            let ends = if spread != 0.0 {
                let s = -p[k] / spread;
                if !(0.0..=1.0).contains(&s) {
                    continue;
                }
                [s, s]
            } else if p[0] == 0.0 && p[1] == 0.0 {
                // Both ends on the ray.
                [0.0, 1.0]
            } else {
                continue;
            };
            for s in ends {
                let along = p[2] * (1.0 - s) + q[2] * s;
                let mut weights = [0.0; 3];
                weights[i] = 1.0 - s;
                weights[j] = s;
                if first.is_none_or(|(t, _)| along < t) {
                    first = Some((along, weights));
                }
                if last.is_none_or(|(t, _)| along > t) {
                    last = Some((along, weights));
                }
            }
        }
        let ((from, wf), (to, wt)) = (first?, last?);
        if from >= 0.0 || to <= 0.0 {
            return if from >= 0.0 { first } else { last };
        }
        // The ray starts inside.
        let s = from / (from - to);
        Some((0.0, [0, 1, 2].map(|k| wf[k] * (1.0 - s) + wt[k] * s)))
    }
}

/// x₀ y₁ − x₁ y₀ to a relative error of a few ε, by splitting each product into its value and its error (Dekker
/// 1971); without the fused multiply-add, whose result depends on the target.
fn cross_2d(a: [f64; 3], b: [f64; 3]) -> f64 {
    fn halves(x: f64) -> (f64, f64) {
        let c = 134_217_729.0 * x;
        let high = c - (c - x);
        (high, x - high)
    }
    fn product(x: f64, y: f64) -> (f64, f64) {
        let p = x * y;
        let ((xh, xl), (yh, yl)) = (halves(x), halves(y));
        (p, xl * yl - (((p - xh * yh) - xl * yh) - xh * yl))
    }
    let ((p, e), (q, f)) = (product(a[0], b[1]), product(a[1], b[0]));
    (p - q) + (e - f)
}

struct Cast<'a> {
    index: &'a MeshIndex,
    ray: &'a Ray,
    /// The ray's origin relative to the centre of the boxes.
    origin: [f64; 3],
    best: Lowest,
}

impl Visitor for Cast<'_> {
    fn bounds(&self, node: &Node) -> [f64; 2] {
        [self.ray.enters(self.origin, node, 0), self.ray.enters(self.origin, node, 1)]
    }
    fn limit(&self) -> f64 {
        self.best.prune
    }
    fn triangle(&mut self, slot: usize) {
        if let Some((along, _)) = self.ray.meets(&self.index.corners[slot]) {
            let slack = self.ray.slack;
            self.best.offer(along, self.index.ids[slot], slot, |key| widen(key, slack));
        }
    }
}

/// Lengths that tie, and those beyond any tie.
pub(crate) fn widen(key: f64, slack: f64) -> (f64, f64) {
    let tie = slack + 8.0 * f64::EPSILON * key;
    (key + tie, key + 2.0 * tie)
}

impl Ray {
    pub(crate) fn slack(&self) -> f64 {
        self.slack
    }

    pub(crate) fn hit(&self, triangle: u32, corners: &[DVec3; 3]) -> Option<RayHit> {
        let (along, weights) = self.meets(corners)?;
        // Scaling back must not step over the end.
        Some(RayHit { t: (along / self.scale).min(self.max_t), triangle, weights })
    }
}

impl MeshIndex {
    /// The first triangle met by `origin + t · direction`, `0 ≤ t ≤ max` (m, body frame); both sides of a
    /// triangle count, and so do its sides and corners and the ends of the ray.
    ///
    /// `direction` need not be unit; `max` may be ∞. Of triangles met at the same place up to rounding the one
    /// with the lowest index is reported. `None` when nothing is met, and for a direction of zero or a number
    /// that is NaN.
    #[doc(alias("raycast", "ray cast"))]
    #[must_use]
    pub fn ray(&self, origin: impl Into<DVec3>, direction: impl Into<DVec3>, max: f64) -> Option<RayHit> {
        let (origin, direction) = (origin.into(), direction.into());
        let ray = Ray::new(origin, direction, max, self.bounds())?;
        let mut cast = Cast {
            index: self,
            ray: &ray,
            origin: (origin - self.centre).into(),
            best: Lowest::up_to(ray.max + 2.0 * ray.slack),
        };
        self.walk(&mut cast);
        if cast.best.is_unsure() {
            cast.best = cast.best.again();
            self.walk(&mut cast);
        }
        let slot = cast.best.found().then_some(cast.best.slot)?;
        ray.hit(self.ids[slot], &self.corners[slot])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cross_product_keeps_what_cancels() {
        // (1 + ε)(1 − ε) − 1 = −ε², lost by plain arithmetic.
        let e = f64::EPSILON;
        assert_eq!(cross_2d([1.0 + e, 1.0, 0.0], [1.0, 1.0 - e, 0.0]), -e * e);
        assert_eq!(cross_2d([3.0, 1.0, 0.0], [6.0, 2.0, 0.0]), 0.0);
        // 0.1 · 0.7 − 0.3 · 0.2333… with the numbers as stored; the digits are from exact rational arithmetic.
        let exact: f64 = 9.25185853854297e-18;
        let got = cross_2d([0.1, 0.3, 0.0], [0.2333333333333333, 0.7, 0.0]);
        assert!((got - exact).abs() <= 1e-15 * exact.abs(), "{got:e}");
    }
}
