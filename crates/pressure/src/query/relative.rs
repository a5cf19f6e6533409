//! One frame seen from another, applied to blocks and nodes of a tree, eight lanes at a time.

use crate::blocks::{TetBlock, TriBlock};
use crate::simd::{Lanes, W};
use crate::tree::{Box3, Node};
use impinge_geometry::{DMat3, DVec3};

/// x_host = r x_guest + t, rows of r.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relative {
    pub r: [[f64; 3]; 3],
    pub t: [f64; 3],
}

impl Relative {
    pub fn new(rotation: &DMat3, t: DVec3) -> Self {
        let row = |k: usize| [rotation.cols[0][k], rotation.cols[1][k], rotation.cols[2][k]];
        Self { r: [row(0), row(1), row(2)], t: [t.x, t.y, t.z] }
    }

    /// A box's box.
    #[inline(always)]
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

    #[inline(always)]
    fn points(&self, x: &[Lanes; 3], out: &mut [Lanes; 3]) {
        for k in 0..3 {
            let r = &self.r[k];
            for l in 0..W {
                out[k][l] = r[0] * x[0][l] + r[1] * x[1][l] + r[2] * x[2][l] + self.t[k];
            }
        }
    }

    #[inline(always)]
    fn vectors(&self, x: &[Lanes; 3], out: &mut [Lanes; 3]) {
        for k in 0..3 {
            let r = &self.r[k];
            for l in 0..W {
                out[k][l] = r[0] * x[0][l] + r[1] * x[1][l] + r[2] * x[2][l];
            }
        }
    }

    /// Offset of an affine function n·x + d after its gradient has been turned to `n`.
    #[inline(always)]
    fn offset(&self, n: &[Lanes; 3], d: &Lanes, out: &mut Lanes) {
        for l in 0..W {
            out[l] = d[l] - (n[0][l] * self.t[0] + n[1][l] * self.t[1] + n[2][l] * self.t[2]);
        }
    }

    /// A block of tets in the host's frame. Lanes past the end become points at `t`; nobody looks at them.
    #[inline(always)]
    pub fn of_tets(&self, b: &TetBlock, out: &mut TetBlock) {
        for i in 0..4 {
            self.points(&b.x[i], &mut out.x[i]);
            self.vectors(&b.n[i], &mut out.n[i]);
            self.offset(&out.n[i], &b.d[i], &mut out.d[i]);
            out.p[i] = b.p[i];
        }
        self.vectors(&b.g, &mut out.g);
        self.offset(&out.g, &b.c, &mut out.c);
        for k in 0..3 {
            for l in 0..W {
                let (x0, x1, x2, x3) = (out.x[0][k][l], out.x[1][k][l], out.x[2][k][l], out.x[3][k][l]);
                out.lo[k][l] = min(min(x0, x1), min(x2, x3));
                out.hi[k][l] = max(max(x0, x1), max(x2, x3));
            }
        }
        out.id = b.id;
        out.len = b.len;
    }
}

/// The block in its own frame: what [`Relative::of_tets`] does to triangles is never needed, hosts stay where they are.
pub fn triangle_corners(b: &TriBlock, l: usize) -> [DVec3; 3] {
    [0, 1, 2].map(|i| crate::blocks::lane(&b.x[i], l))
}

/// The smaller one; one instruction, where `f64::min` takes three to be right about NaN.
#[inline(always)]
pub fn min(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The larger one.
#[inline(always)]
pub fn max(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}
