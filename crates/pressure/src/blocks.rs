//! Tets and triangles in blocks of eight, one array per number, as the screens read them; and tets one by one, as
//! the clipping reads them.
//!
//! ```text
//! TetRecord  x y z of 4 corners and of 4 inward normals, d p, g c    36 f64 = 288 B: turned in a dozen 8-lane steps
//! TetBlock   x 4×3 | p 4 | g 3, c | n 4×3, d 4                      36 columns of 8 f64 = 2.3 KiB; boxes in `levels.rs`
//!            λᵢ(x) = nᵢ·x + dᵢ  barycentric weight of corner i, positive inside
//!            p(x)  = g·x + c    pressure (Pa)
//! TriBlock   lo hi (3+3) | x 3×3 | n 3, d                         19 columns
//! ```
//! Lanes past `len` have an inverted box (no box meets it) and weights of −1 everywhere.

use crate::simd::{Lanes, W};
use impinge_geometry::DVec3;

/// Eight tets with an affine pressure each.
#[repr(C, align(64))]
#[derive(Clone, Debug)]
pub struct TetBlock {
    pub x: [[Lanes; 3]; 4],
    pub p: [Lanes; 4],
    pub g: [Lanes; 3],
    pub c: Lanes,
    pub n: [[Lanes; 3]; 4],
    pub d: [Lanes; 4],
    pub len: u32,
}

/// One tet: corners in lanes 0–3, gradients of the barycentric weights in lanes 4–7.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct TetRecord {
    pub x: Lanes,
    pub y: Lanes,
    pub z: Lanes,
    /// λₖ(x) = n·x + dₖ.
    pub d: [f64; 4],
    /// Pressures at the corners.
    pub p: [f64; 4],
    /// p(x) = g·x + c.
    pub g: [f64; 3],
    pub c: f64,
    pub id: u32,
    /// Faces (bit i: opposite corner i) that no other tet of the body shares.
    pub outer: u8,
}

impl TetRecord {
    #[must_use]
    pub fn new(id: u32, v: [DVec3; 4], p: [f64; 4]) -> Self {
        let t = TetPlanes::new(v, p);
        let eight = |k: usize| std::array::from_fn(|i| if i < 4 { v[i][k] } else { t.n[i - 4][k] });
        Self {
            x: eight(0),
            y: eight(1),
            z: eight(2),
            d: t.d,
            p,
            g: [t.g.x, t.g.y, t.g.z],
            c: t.c,
            id,
            outer: 0,
        }
    }

    /// Gradient of the pressure.
    #[inline(always)]
    #[must_use]
    pub fn gradient(&self) -> DVec3 {
        DVec3::new(self.g[0], self.g[1], self.g[2])
    }
}

/// Eight triangles of a rigid surface with unit outward normals.
#[repr(C, align(64))]
#[derive(Clone, Debug)]
pub struct TriBlock {
    pub lo: [Lanes; 3],
    pub hi: [Lanes; 3],
    pub x: [[Lanes; 3]; 3],
    pub n: [Lanes; 3],
    pub d: Lanes,
    pub id: [u32; W],
    pub len: u32,
}

/// Barycentric planes and affine pressure of one tet.
#[derive(Clone, Copy, Debug)]
pub struct TetPlanes {
    pub n: [DVec3; 4],
    pub d: [f64; 4],
    pub g: DVec3,
    pub c: f64,
}

impl TetPlanes {
    /// Of a tet with corners `v` (positive) and corner pressures `p`.
    #[must_use]
    pub fn new(v: [DVec3; 4], p: [f64; 4]) -> Self {
        let [e1, e2, e3] = [v[1] - v[0], v[2] - v[0], v[3] - v[0]];
        let c23 = e2.cross(e3);
        let det = e1.dot(c23);
        let (a1, a2, a3) = (c23 / det, e3.cross(e1) / det, e1.cross(e2) / det);
        let a0 = -(a1 + a2 + a3);
        let g = a1 * (p[1] - p[0]) + a2 * (p[2] - p[0]) + a3 * (p[3] - p[0]);
        Self {
            n: [a0, a1, a2, a3],
            d: [-a0.dot(v[1]), -a1.dot(v[0]), -a2.dot(v[0]), -a3.dot(v[0])],
            g,
            c: p[0] - g.dot(v[0]),
        }
    }
}

impl TetBlock {
    /// No tets.
    pub const EMPTY: Self = Self {
        x: [[[0.0; W]; 3]; 4],
        p: [[0.0; W]; 4],
        g: [[0.0; W]; 3],
        c: [0.0; W],
        n: [[[0.0; W]; 3]; 4],
        d: [[-1.0; W]; 4],
        len: 0,
    };

    /// Adds a tet; there must be room.
    pub fn push(&mut self, v: [DVec3; 4], p: [f64; 4]) {
        let l = self.len as usize;
        self.len += 1;
        let t = TetPlanes::new(v, p);
        for k in 0..3 {
            self.g[k][l] = t.g[k];
            for i in 0..4 {
                self.x[i][k][l] = v[i][k];
                self.n[i][k][l] = t.n[i][k];
            }
        }
        self.c[l] = t.c;
        for i in 0..4 {
            self.p[i][l] = p[i];
            self.d[i][l] = t.d[i];
        }
    }
}

impl TriBlock {
    /// No triangles.
    pub const EMPTY: Self = Self {
        lo: [[f64::INFINITY; W]; 3],
        hi: [[f64::NEG_INFINITY; W]; 3],
        x: [[[0.0; W]; 3]; 3],
        n: [[0.0; W]; 3],
        d: [-1.0; W],
        id: [u32::MAX; W],
        len: 0,
    };

    /// Adds a triangle with its unit normal; there must be room.
    pub fn push(&mut self, id: u32, v: [DVec3; 3], normal: DVec3) {
        let l = self.len as usize;
        self.len += 1;
        self.id[l] = id;
        for k in 0..3 {
            self.lo[k][l] = v.iter().fold(f64::INFINITY, |m, q| m.min(q[k]));
            self.hi[k][l] = v.iter().fold(f64::NEG_INFINITY, |m, q| m.max(q[k]));
            self.n[k][l] = normal[k];
            for i in 0..3 {
                self.x[i][k][l] = v[i][k];
            }
        }
        self.d[l] = -normal.dot(v[0]);
    }
}

/// One vector out of three columns.
#[inline(always)]
#[must_use]
pub fn lane(columns: &[Lanes; 3], l: usize) -> DVec3 {
    DVec3::new(columns[0][l], columns[1][l], columns[2][l])
}
