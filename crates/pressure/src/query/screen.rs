//! Which of eight items of the host a tet of the guest can share a polygon with: eight answers in one pass.
//!
//! Stages, each of which ends the pass when no lane is left: boxes; the plane of equal pressure cuts the host's tet;
//! it cuts the guest's; no face of the guest separates; no face of the host separates. All lane loops are straight
//! and vectorise (AVX-512: one instruction for eight lanes).

use super::relative::{max, min};
use crate::blocks::{TetBlock, TriBlock};
use crate::simd::{Lanes, W};

/// A tet of the guest in the host's frame, taken out of its lane.
pub struct GuestTet {
    pub x: [[f64; 3]; 4],
    pub p: [f64; 4],
    pub g: [f64; 3],
    pub c: f64,
    pub n: [[f64; 3]; 4],
    pub d: [f64; 4],
    pub lo: [f64; 3],
    pub hi: [f64; 3],
    pub id: u32,
}

impl GuestTet {
    #[inline(always)]
    pub fn take(b: &TetBlock, l: usize) -> Self {
        let v = |c: &[Lanes; 3]| [c[0][l], c[1][l], c[2][l]];
        Self {
            x: [v(&b.x[0]), v(&b.x[1]), v(&b.x[2]), v(&b.x[3])],
            p: [b.p[0][l], b.p[1][l], b.p[2][l], b.p[3][l]],
            g: v(&b.g),
            c: b.c[l],
            n: [v(&b.n[0]), v(&b.n[1]), v(&b.n[2]), v(&b.n[3])],
            d: [b.d[0][l], b.d[1][l], b.d[2][l], b.d[3][l]],
            lo: v(&b.lo),
            hi: v(&b.hi),
            id: b.id[l],
        }
    }
}

/// What the screen found out on its way and the clipping needs again.
#[repr(C, align(64))]
pub struct Scratch {
    /// p_guest − p_host at the guest's corners.
    pub h: [Lanes; 4],
    /// Host weight `j` at guest corner `i`: `[i][j]`.
    pub weight: [[Lanes; 4]; 4],
}

impl Scratch {
    pub const ZERO: Self = Self { h: [[0.0; W]; 4], weight: [[[0.0; W]; 4]; 4] };
}

/// One bit for each lane where the number is not above zero.
#[inline(always)]
fn not_above(v: &Lanes) -> u32 {
    let mut m = 0u32;
    for l in 0..W {
        m |= u32::from(v[l] <= 0.0) << l;
    }
    m
}

#[inline(always)]
fn above(v: &Lanes) -> u32 {
    let mut m = 0u32;
    for l in 0..W {
        m |= u32::from(v[l] > 0.0) << l;
    }
    m
}

#[inline(always)]
fn below(v: &Lanes) -> u32 {
    let mut m = 0u32;
    for l in 0..W {
        m |= u32::from(v[l] < 0.0) << l;
    }
    m
}

#[inline(always)]
fn at_least(v: &Lanes) -> u32 {
    let mut m = 0u32;
    for l in 0..W {
        m |= u32::from(v[l] >= 0.0) << l;
    }
    m
}

/// The lanes whose box meets the box (touching counts).
#[inline(always)]
pub fn boxes(lo: &[f64; 3], hi: &[f64; 3], b_lo: &[Lanes; 3], b_hi: &[Lanes; 3]) -> u32 {
    let mut gap = [0.0; W];
    for l in 0..W {
        let x = max(b_lo[0][l] - hi[0], lo[0] - b_hi[0][l]);
        let y = max(b_lo[1][l] - hi[1], lo[1] - b_hi[1][l]);
        let z = max(b_lo[2][l] - hi[2], lo[2] - b_hi[2][l]);
        gap[l] = max(max(x, y), z);
    }
    not_above(&gap)
}

/// n·x + d for eight points.
#[inline(always)]
fn affine(n: &[f64; 3], d: f64, x: &[Lanes; 3], out: &mut Lanes) {
    for l in 0..W {
        out[l] = n[0] * x[0][l] + n[1] * x[1][l] + n[2] * x[2][l] + d;
    }
}

/// Eight affine functions at one point.
#[inline(always)]
fn affines(n: &[Lanes; 3], d: &Lanes, x: &[f64; 3], out: &mut Lanes) {
    for l in 0..W {
        out[l] = n[0][l] * x[0] + n[1][l] * x[1] + n[2][l] * x[2] + d[l];
    }
}

#[inline(always)]
fn max4(v: &[Lanes; 4], out: &mut Lanes) {
    for l in 0..W {
        out[l] = max(max(v[0][l], v[1][l]), max(v[2][l], v[3][l]));
    }
}

#[inline(always)]
fn min4(v: &[Lanes; 4], out: &mut Lanes) {
    for l in 0..W {
        out[l] = min(min(v[0][l], v[1][l]), min(v[2][l], v[3][l]));
    }
}

/// The host tets that may share a polygon of equal pressure with `a`. A corner with equal pressures counts as one
/// where the guest's is higher, so that a plane through a face belongs to one of its two tets.
#[inline(always)]
pub fn tets(a: &GuestTet, b: &TetBlock, s: &mut Scratch) -> u32 {
    let mut m = boxes(&a.lo, &a.hi, &b.lo, &b.hi);
    if m == 0 {
        return 0;
    }
    let (mut v, mut lowest, mut highest) = ([[0.0; W]; 4], [0.0; W], [0.0; W]);
    for j in 0..4 {
        affine(&a.g, a.c, &b.x[j], &mut v[j]);
        for l in 0..W {
            v[j][l] -= b.p[j][l];
        }
    }
    min4(&v, &mut lowest);
    max4(&v, &mut highest);
    m &= below(&lowest) & at_least(&highest);
    if m == 0 {
        return 0;
    }
    for i in 0..4 {
        affines(&b.g, &b.c, &a.x[i], &mut s.h[i]);
        for l in 0..W {
            s.h[i][l] = a.p[i] - s.h[i][l];
        }
    }
    min4(&s.h, &mut lowest);
    max4(&s.h, &mut highest);
    m &= below(&lowest) & at_least(&highest);
    if m == 0 {
        return 0;
    }
    for k in 0..4 {
        for j in 0..4 {
            affine(&a.n[k], a.d[k], &b.x[j], &mut v[j]);
        }
        max4(&v, &mut highest);
        m &= above(&highest);
    }
    if m == 0 {
        return 0;
    }
    for j in 0..4 {
        for i in 0..4 {
            affines(&b.n[j], &b.d[j], &a.x[i], &mut s.weight[i][j]);
        }
        for l in 0..W {
            highest[l] =
                max(max(s.weight[0][j][l], s.weight[1][j][l]), max(s.weight[2][j][l], s.weight[3][j][l]));
        }
        m &= above(&highest);
    }
    m
}

/// The host triangles that may reach into `a`.
#[inline(always)]
pub fn triangles(a: &GuestTet, b: &TriBlock) -> u32 {
    let mut m = boxes(&a.lo, &a.hi, &b.lo, &b.hi);
    if m == 0 {
        return 0;
    }
    let (mut v, mut lowest, mut highest) = ([[0.0; W]; 4], [0.0; W], [0.0; W]);
    for i in 0..4 {
        affines(&b.n, &b.d, &a.x[i], &mut v[i]);
    }
    min4(&v, &mut lowest);
    max4(&v, &mut highest);
    m &= below(&lowest) & at_least(&highest);
    if m == 0 {
        return 0;
    }
    for k in 0..4 {
        for j in 0..3 {
            affine(&a.n[k], a.d[k], &b.x[j], &mut v[j]);
        }
        for l in 0..W {
            highest[l] = max(max(v[0][l], v[1][l]), v[2][l]);
        }
        m &= above(&highest);
    }
    m
}

/// The tets a plane h(x) = g·x + c cuts, where their own pressure is taken off or not: h at the corners into `s`.
#[inline(always)]
pub fn cut_by_plane(b: &TetBlock, own: bool, g: &[f64; 3], c: f64, s: &mut Scratch) -> u32 {
    for i in 0..4 {
        affine(g, c, &b.x[i], &mut s.h[i]);
        if own {
            for l in 0..W {
                s.h[i][l] += b.p[i][l];
            }
        }
    }
    let (mut lowest, mut highest) = ([0.0; W], [0.0; W]);
    min4(&s.h, &mut lowest);
    max4(&s.h, &mut highest);
    below(&lowest) & at_least(&highest) & ((1u32 << b.len) - 1)
}
