//! The nearest point of the mesh.
//!
//! Distances are measured from the query point: corners are moved so that it is the origin, which keeps them
//! exact to rounding of the *distance and triangle size*, wherever the mesh stands.

use crate::tie::Lowest;
use crate::tree::{MeshIndex, Node, Visitor};
use impinge_geometry::{ClosestPoint, DVec3, TriangleFeature, closest_on_triangle};

/// The nearest point of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Nearest {
    /// The point on the surface (m): the triangle's corners blended with `weights`.
    pub point: DVec3,
    /// Its distance from the query point (m).
    pub distance: f64,
    /// The triangle it lies on.
    pub triangle: u32,
    /// Barycentric weights of the triangle's corners; none negative, sum 1.
    pub weights: [f64; 3],
    /// Whether it lies inside the triangle, on a side or at a corner.
    pub feature: TriangleFeature,
}

impl Nearest {
    pub(crate) fn assemble(triangle: u32, corners: &[DVec3; 3], local: &ClosestPoint) -> Self {
        let [a, b, c] = *corners;
        let [wa, wb, wc] = local.weights;
        Self {
            point: a * wa + b * wb + c * wc,
            distance: local.distance_squared.sqrt(),
            triangle,
            weights: local.weights,
            feature: local.feature,
        }
    }
}

/// The closest point of one triangle relative to `p`.
#[inline]
pub(crate) fn local_closest(p: DVec3, corners: &[DVec3; 3]) -> ClosestPoint {
    closest_on_triangle(DVec3::zero(), corners.map(|c| c - p))
}

/// Squared distances that tie with `key` and those beyond any tie, for a mesh of the given size.
///
/// Distances tie within 8 ε (d + size). A triangle's distance carries a rounding error of a few ε (d + its
/// size), so what ties in exact arithmetic ties here; pruning at twice the width keeps rounding of the box
/// distances out of the answer.
pub(crate) fn widen(key: f64, size: f64) -> (f64, f64) {
    let d = key.sqrt();
    let tie = 8.0 * f64::EPSILON * (d + size);
    let (accept, prune) = (d + tie, d + 2.0 * tie);
    (accept * accept, prune * prune)
}

/// Squared distances (m²) from a point, relative to the centre, to both boxes of a node.
#[inline]
pub(crate) fn box_distances_squared(node: &Node, p: [f64; 3]) -> [f64; 2] {
    let mut sum = [0.0; 2];
    for axis in 0..3 {
        let (lo, hi) = (node.lo[axis], node.hi[axis]);
        for half in 0..2 {
            let g = gap(f64::from(lo[half]), f64::from(hi[half]), p[axis]);
            sum[half] += g * g;
        }
    }
    sum
}

/// How far `p` is outside `lo ..= hi`; comparisons rather than `f64::max`, which costs twice as much for its
/// care about NaN.
#[inline]
fn gap(lo: f64, hi: f64, p: f64) -> f64 {
    let (below, above) = (lo - p, p - hi);
    let g = if below > above { below } else { above };
    if g > 0.0 { g } else { 0.0 }
}

/// The same for the box around one triangle: a quarter of the cost of the closest point, and most
/// triangles of a leaf are refused by it.
#[inline]
pub(crate) fn triangle_box_distance_squared([a, b, c]: &[DVec3; 3], p: DVec3) -> f64 {
    #[inline]
    fn gap3(a: f64, b: f64, c: f64, p: f64) -> f64 {
        let (lo, hi) = if a < b { (a, b) } else { (b, a) };
        gap(if c < lo { c } else { lo }, if c > hi { c } else { hi }, p)
    }
    let (x, y, z) = (gap3(a.x, b.x, c.x, p.x), gap3(a.y, b.y, c.y, p.y), gap3(a.z, b.z, c.z, p.z));
    x * x + y * y + z * z
}

pub(crate) fn is_finite(p: DVec3) -> bool {
    p.x.is_finite() && p.y.is_finite() && p.z.is_finite()
}

struct Search<'a, F> {
    index: &'a MeshIndex,
    accept: F,
    p: DVec3,
    /// `p` relative to the centre of the boxes.
    local: [f64; 3],
    best: Lowest,
    closest: Option<ClosestPoint>,
}

impl<F: Fn(&[DVec3; 3]) -> bool> Visitor for Search<'_, F> {
    #[inline]
    fn bounds(&self, node: &Node) -> [f64; 2] {
        box_distances_squared(node, self.local)
    }
    #[inline]
    fn limit(&self) -> f64 {
        self.best.prune
    }
    #[inline]
    fn triangle(&mut self, slot: usize) {
        let corners = &self.index.corners[slot];
        if triangle_box_distance_squared(corners, self.p) > self.best.prune {
            return;
        }
        let local = local_closest(self.p, corners);
        if local.distance_squared > self.best.prune || !(self.accept)(corners) {
            return;
        }
        let size = self.index.size;
        if self.best.offer(local.distance_squared, self.index.ids[slot], slot, |key| widen(key, size)) {
            self.closest = Some(local);
        }
    }
}

impl MeshIndex {
    /// The point of the mesh nearest to `p` (m, body frame).
    ///
    /// Of triangles whose distances tie within 8 ε (distance + size of the mesh), the one with the lowest index
    /// is reported. The answer is the one of [`crate::brute_force::nearest`], bit for bit. A `p` that is not
    /// finite is at an infinite distance from the first corner of triangle 0.
    #[doc(alias("project point", "closest point"))]
    #[must_use]
    pub fn nearest(&self, p: impl Into<DVec3>) -> Nearest {
        let p = p.into();
        self.search(p, f64::INFINITY).unwrap_or_else(|| self.nowhere(p))
    }

    /// [`MeshIndex::nearest`] when it is at most `max_distance` (m) away, found more quickly when nothing is.
    #[must_use]
    pub fn nearest_within(&self, p: impl Into<DVec3>, max_distance: f64) -> Option<Nearest> {
        let p = p.into();
        if max_distance.is_nan() || max_distance < 0.0 {
            return None;
        }
        self.search(p, max_distance).filter(|n| n.distance <= max_distance)
    }

    /// [`MeshIndex::nearest_within`] among the triangles that `accept` takes, by their corners (m, body frame).
    #[must_use]
    pub fn nearest_where(
        &self,
        p: impl Into<DVec3>,
        max_distance: f64,
        accept: impl Fn(&[DVec3; 3]) -> bool,
    ) -> Option<Nearest> {
        if max_distance.is_nan() || max_distance < 0.0 {
            return None;
        }
        let (slot, local) = self.nearest_local(p.into(), max_distance, accept)?;
        let nearest = Nearest::assemble(self.ids[slot], &self.corners[slot], &local);
        (nearest.distance <= max_distance).then_some(nearest)
    }

    fn search(&self, p: DVec3, max_distance: f64) -> Option<Nearest> {
        let (slot, local) = self.nearest_local(p, max_distance, |_| true)?;
        Some(Nearest::assemble(self.ids[slot], &self.corners[slot], &local))
    }

    /// The nearest triangle's place in tree order and its closest point relative to `p`.
    pub(crate) fn nearest_local(
        &self,
        p: DVec3,
        max_distance: f64,
        accept: impl Fn(&[DVec3; 3]) -> bool,
    ) -> Option<(usize, ClosestPoint)> {
        if !is_finite(p) {
            return None;
        }
        let (_, start) = widen(max_distance * max_distance, self.size);
        let mut search = Search {
            index: self,
            accept,
            p,
            local: (p - self.centre).into(),
            best: Lowest::up_to(start),
            closest: None,
        };
        self.walk(&mut search);
        if search.best.is_unsure() {
            search.best = search.best.again();
            self.walk(&mut search);
        }
        search.closest.map(|local| (search.best.slot, local))
    }

    fn nowhere(&self, p: DVec3) -> Nearest {
        let slot = self.ids.iter().position(|&t| t == 0).unwrap_or(0);
        let corners = &self.corners[slot];
        Nearest::assemble(self.ids[slot], corners, &local_closest(p, corners))
    }
}
