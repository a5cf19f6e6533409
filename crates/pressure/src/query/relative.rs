//! One frame seen from another, applied to blocks and nodes of a tree, eight lanes at a time.

use crate::blocks::{TetRecord, TriBlock};
use crate::simd::{Lanes, W};
use crate::tree::{Box3, Node};
use impinge_geometry::{DMat3, DVec3};

/// What rounding may leave of a sum, over its terms, and a little more.
pub const ROUNDING: f64 = 1e-14;

/// A polygon this near to an inner face of a field, over the size of the pressures, lies in it. Bodies of one size that lie flush have such faces at
/// their rims: on which side the polygon is decides which way they push each other aside, and what a run adds up in rounding must not decide that.
pub const TIED: f64 = 1e-10;

/// x_host = r x_guest + t, rows of r.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relative {
    pub r: [[f64; 3]; 3],
    pub t: [f64; 3],
}

impl Relative {
    #[must_use]
    pub fn new(rotation: &DMat3, t: DVec3) -> Self {
        let row = |k: usize| [rotation.cols[0][k], rotation.cols[1][k], rotation.cols[2][k]];
        Self { r: [row(0), row(1), row(2)], t: [t.x, t.y, t.z] }
    }

    /// From the host's middle to the guest's (m).
    #[must_use]
    pub fn distance(&self) -> f64 {
        (self.t[0] * self.t[0] + self.t[1] * self.t[1] + self.t[2] * self.t[2]).sqrt()
    }

    /// What rounding may move a point of a body of this radius by (m), and a little more: boxes that touch must be found
    /// to touch.
    #[must_use]
    pub fn rounding(&self, radius: f64) -> f64 {
        let [x, y, z] = self.t.map(f64::abs);
        ROUNDING * (radius + x + y + z)
    }

    /// A box's box.
    #[inline(always)]
    #[must_use]
    pub fn of_box(&self, b: &Box3) -> Box3 {
        let (c, e) = ((b.lo + b.hi) * 0.5, (b.hi - b.lo) * 0.5);
        let mut out = Box3::NOTHING;
        for k in 0..3 {
            let r = &self.r[k];
            let m = r[0] * c.x + r[1] * c.y + r[2] * c.z + self.t[k];
            let h = r[0].abs() * e.x + r[1].abs() * e.y + r[2].abs() * e.z;
            out.lo[k] = m - h;
            out.hi[k] = m + h;
        }
        out
    }

    /// The boxes of a node's children, widened by `margin`.
    #[inline(always)]
    pub fn of_node(&self, node: &Node, margin: f64, lo: &mut [Lanes; 3], hi: &mut [Lanes; 3]) {
        let (mut c, mut e) = ([[0.0; W]; 3], [[0.0; W]; 3]);
        for k in 0..3 {
            for l in 0..W {
                c[k][l] = (node.lo[k][l] + node.hi[k][l]) * 0.5;
                e[k][l] = (node.hi[k][l] - node.lo[k][l]) * 0.5;
            }
        }
        for k in 0..3 {
            let r = &self.r[k];
            for l in 0..W {
                let m = r[0] * c[0][l] + r[1] * c[1][l] + r[2] * c[2][l] + self.t[k];
                let h = r[0].abs() * e[0][l] + r[1].abs() * e[1][l] + r[2].abs() * e[2][l] + margin;
                lo[k][l] = m - h;
                hi[k][l] = m + h;
            }
        }
    }

    /// A tet in the host's frame.
    #[inline(always)]
    #[must_use]
    pub fn of_tet(&self, b: &TetRecord) -> TetRecord {
        let mut o = TetRecord { ..*b };
        // Normals are turned only.
        let t = [0, 1, 2].map(|k| [self.t[k], self.t[k], self.t[k], self.t[k], 0.0, 0.0, 0.0, 0.0]);
        let r = &self.r;
        for l in 0..W {
            o.x[l] = r[0][0] * b.x[l] + r[0][1] * b.y[l] + r[0][2] * b.z[l] + t[0][l];
        }
        for l in 0..W {
            o.y[l] = r[1][0] * b.x[l] + r[1][1] * b.y[l] + r[1][2] * b.z[l] + t[1][l];
        }
        for l in 0..W {
            o.z[l] = r[2][0] * b.x[l] + r[2][1] * b.y[l] + r[2][2] * b.z[l] + t[2][l];
        }
        for k in 0..4 {
            o.d[k] = b.d[k] - (o.x[4 + k] * self.t[0] + o.y[4 + k] * self.t[1] + o.z[4 + k] * self.t[2]);
        }
        for k in 0..3 {
            o.g[k] = r[k][0] * b.g[0] + r[k][1] * b.g[1] + r[k][2] * b.g[2];
        }
        o.c = b.c - (o.g[0] * self.t[0] + o.g[1] * self.t[1] + o.g[2] * self.t[2]);
        o
    }
}

/// The corners of a lane.
#[must_use]
pub fn triangle_corners(b: &TriBlock, l: usize) -> [DVec3; 3] {
    [0, 1, 2].map(|i| crate::blocks::lane(&b.x[i], l))
}

/// The smaller one; one instruction, where `f64::min` takes three to be right about NaN.
#[inline(always)]
#[must_use]
pub fn min(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The larger one.
#[inline(always)]
#[must_use]
pub fn max(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}
