//! Boxes of the tree from the corners it holds, and corners from a surface that moved: the refit.
//!
//! Takes the positions of the mesh's vertices (m), gives the same tree with new boxes. No answer depends on the
//! tree, so an index that was refitted answers like one that was built afresh, only slower where neighbours
//! have parted.

use super::{INNER, MeshIndex};
use impinge_geometry::{DVec3, MeshError};
use std::fmt;

/// Why an index did not follow its surface. It is then as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UpdateError {
    /// Another number of positions than the mesh has vertices.
    Length {
        /// How many were given.
        given: usize,
        /// How many the mesh has.
        expected: usize,
    },
    /// A coordinate is NaN or infinite.
    NonFinite {
        /// The vertex, counted from 0.
        vertex: usize,
    },
}

impl fmt::Display for UpdateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { given, expected } => write!(
                f,
                "{given} positions for an index over {expected} vertices; a mesh whose triangles or vertices changed \
                 (a cut) needs a new index"
            ),
            Self::NonFinite { vertex } => write!(f, "{}", MeshError::NonFinite { vertex: *vertex }),
        }
    }
}

impl std::error::Error for UpdateError {}

impl MeshIndex {
    /// Follows a surface that moved: `positions` of the same vertices (m), the same triangles. The tree keeps
    /// its splits and gets new boxes, in less than a tenth of the time of a new one (see the README); answers
    /// are those of a new index, bit for bit, because no answer depends on the tree. Allocates nothing.
    ///
    /// Where vertices that were neighbours part, boxes grow and queries slow down: [`MeshIndex::looseness`]
    /// says when a new index would pay.
    ///
    /// # Errors
    /// [`UpdateError`] for a wrong number of positions or one that is not finite; the index is then as it was.
    pub fn update<P: Copy + Into<DVec3>>(&mut self, positions: &[P]) -> Result<(), UpdateError> {
        if positions.len() != self.vertex_count {
            return Err(UpdateError::Length { given: positions.len(), expected: self.vertex_count });
        }
        // 0·x is NaN where x is not finite, and NaN stays in a sum: no branch while all is well.
        let mut check = DVec3::zero();
        let (mut lo, mut hi) = (DVec3::broadcast(f64::INFINITY), DVec3::broadcast(f64::NEG_INFINITY));
        for &p in positions {
            let p: DVec3 = p.into();
            check += p * 0.0;
            lo = lo.min_by_component(p);
            hi = hi.max_by_component(p);
        }
        if check.x + check.y + check.z != 0.0 {
            let bad = |&p: &P| {
                let p: DVec3 = p.into();
                !(p.x.is_finite() && p.y.is_finite() && p.z.is_finite())
            };
            let vertex = positions.iter().position(bad).unwrap_or(0);
            return Err(UpdateError::NonFinite { vertex });
        }
        for (corners, v) in self.corners.iter_mut().zip(&self.vertices) {
            *corners = v.map(|i| positions[i as usize].into());
        }
        self.bounds = (lo, hi);
        self.measure();
        self.set_boxes();
        Ok(())
    }

    /// How much looser the boxes are than when the tree was built: their girth over the girth of the triangles,
    /// now over then. 1 for a fresh index and for any motion that keeps neighbours together; a query costs
    /// about as many times more. Build a new index above 2.
    #[must_use]
    pub fn looseness(&self) -> f64 {
        let ratio = self.spread / self.spread_when_built;
        // Triangles that are points have no girth to compare with.
        if ratio.is_finite() { ratio } else { 1.0 }
    }

    /// Centre and size follow from the bounds.
    pub(super) fn measure(&mut self) {
        let (lo, hi) = self.bounds;
        let extent = hi - lo;
        self.centre = lo * 0.5 + hi * 0.5;
        self.size = extent.x + extent.y + extent.z;
    }

    /// Sets every box from what it holds. Inner nodes stand behind their parents: one pass from the back.
    pub(super) fn set_boxes(&mut self) {
        // A query subtracts the centre from its point, which far from the origin rounds by more than the
        // differences it is compared with; the boxes grow by as much.
        let (lo, hi) = self.bounds;
        let slop = 4.0 * f64::EPSILON * lo.abs().max_by_component(hi.abs()).component_max();
        let slop = DVec3::broadcast(slop);
        let (mut boxes, mut triangles) = (0.0, 0.0);
        for at in (0..self.nodes.len()).rev() {
            for half in 0..2 {
                let (first, count) = (self.nodes[at].first[half] as usize, self.nodes[at].count[half]);
                let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
                if count == INNER {
                    let n = &self.nodes[first];
                    for axis in 0..3 {
                        low[axis] = n.lo[axis][0].min(n.lo[axis][1]);
                        high[axis] = n.hi[axis][0].max(n.hi[axis][1]);
                    }
                } else if count > 0 {
                    let mut whole: Option<(DVec3, DVec3)> = None;
                    for &[a, b, c] in &self.corners[first..first + count as usize] {
                        let lo = a.min_by_component(b).min_by_component(c);
                        let hi = a.max_by_component(b).max_by_component(c);
                        triangles += girth(hi - lo);
                        let (l, h) = whole.unwrap_or((lo, hi));
                        whole = Some((l.min_by_component(lo), h.max_by_component(hi)));
                    }
                    if let Some((lo, hi)) = whole {
                        let (lo, hi) = (lo - self.centre - slop, hi - self.centre + slop);
                        low = [down(lo.x), down(lo.y), down(lo.z)];
                        high = [up(hi.x), up(hi.y), up(hi.z)];
                    }
                }
                if count > 0 {
                    boxes += (0..3).map(|k| f64::from(high[k]) - f64::from(low[k])).sum::<f64>();
                }
                let node = &mut self.nodes[at];
                for axis in 0..3 {
                    node.lo[axis][half] = low[axis];
                    node.hi[axis][half] = high[axis];
                }
            }
        }
        self.spread = boxes / triangles;
    }
}

fn girth(extent: DVec3) -> f64 {
    extent.x + extent.y + extent.z
}

/// The largest f32 that is at most `x`. Beyond the range of f32 it is −∞: a box too large, never too small.
fn down(x: f64) -> f32 {
    let y = x as f32;
    if f64::from(y) > x { y.next_down() } else { y }
}

/// The smallest f32 that is at least `x`.
fn up(x: f64) -> f32 {
    let y = x as f32;
    if f64::from(y) < x { y.next_up() } else { y }
}
