//! Hessian blocks of membrane triangles, one at a time and several at a time: [`upper`] in a loop over lanes.
//!
//! The formula is that of [`super::membrane`]. Only the six blocks on and above the diagonal are worked out, and only
//! those a matrix keeps are added, so that between the kernel and the matrix there is one group of lanes, in cache.

use super::law::Law;
use super::membrane::{Cloth, deformation, green};
use crate::assemble::SKIP;
use crate::element::{Blocks, Projection, add_one_by_one, gather, one_by_one, zero_blocks};
use crate::lanes::lanes;
use impinge_geometry::{DMat3, DVec3};

/// The corners of the six blocks.
const PAIRS: [[usize; 2]; 6] = [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]];

/// ∂²E/∂xᵢ∂xⱼ (N/m) of [`PAIRS`], by rows.
pub(super) type Upper = [[f64; 9]; 6];

/// The tension (N/m) of the geometric term: as it is, or its positive part.
#[inline(always)]
pub(super) fn geometric_tension(
    tension: impl Fn([f64; 3]) -> [f64; 3],
    strain: [f64; 3],
    projection: Projection,
) -> [f64; 3] {
    let s = tension(strain);
    let positive = taut(s);
    if projection == Projection::Spd { positive } else { s }
}

/// The positive part of the symmetric tension (uu, vv, uv).
#[inline(always)]
fn taut(s: [f64; 3]) -> [f64; 3] {
    let (mean, half) = (0.5 * (s[0] + s[1]), 0.5 * (s[0] - s[1]));
    let radius = (half * half + s[2] * s[2]).sqrt();
    let (high, low) = (mean + radius, mean - radius);
    // S⁺ = λ₁ (S − λ₂ I)/(λ₁ − λ₂); where the difference is zero, one of the two other cases holds.
    let factor = high / (high - low);
    let part = [factor * (s[0] - low), factor * (s[1] - low), factor * s[2]];
    let (whole, none) = (low >= 0.0, high <= 0.0);
    let pick = |k: usize| {
        if whole {
            s[k]
        } else if none {
            0.0
        } else {
            part[k]
        }
    };
    [pick(0), pick(1), pick(2)]
}

/// C b of a column b of three vectors.
#[inline(always)]
pub(super) fn times(c: &[[f64; 3]; 3], b: [DVec3; 3]) -> [DVec3; 3] {
    let row = |r: usize| b[0] * c[r][0] + b[1] * c[r][1] + b[2] * c[r][2];
    [row(0), row(1), row(2)]
}

/// The blocks of a triangle with F's columns `f_u`, `f_v`, Q and area; `s` is the tension of the geometric term, `tangent`
/// multiplies a column with C_t.
#[inline(always)]
pub(super) fn upper(
    f_u: DVec3,
    f_v: DVec3,
    q: [f64; 4],
    area: f64,
    s: [f64; 3],
    tangent: impl Fn([DVec3; 3]) -> [DVec3; 3],
) -> Upper {
    let slope = [[-q[0] - q[2], -q[1] - q[3]], [q[0], q[1]], [q[2], q[3]]];
    let strained = |[p, q]: [f64; 2]| [f_u * p, f_v * q, f_u * q + f_v * p];
    let b = [strained(slope[0]), strained(slope[1]), strained(slope[2])];
    let t = [tangent(b[0]), tangent(b[1]), tangent(b[2])];
    let scaled = |b: [DVec3; 3]| [b[0] * area, b[1] * area, b[2] * area];
    let ab = [scaled(b[0]), scaled(b[1]), scaled(b[2])];
    let block = |i: usize, j: usize| {
        let (a, t) = (&ab[i], &t[j]);
        let row = |x: [f64; 3]| t[0] * x[0] + t[1] * x[1] + t[2] * x[2];
        let (r0, r1, r2) =
            (row([a[0].x, a[1].x, a[2].x]), row([a[0].y, a[1].y, a[2].y]), row([a[0].z, a[1].z, a[2].z]));
        let ([pi, qi], [pj, qj]) = (slope[i], slope[j]);
        let geometric = area * (s[0] * pi * pj + s[1] * qi * qj + s[2] * (pi * qj + qi * pj));
        [r0.x + geometric, r0.y, r0.z, r1.x, r1.y + geometric, r1.z, r2.x, r2.y, r2.z + geometric]
    };
    // C_t is symmetric but the sum above is only so up to rounding, which shows on slivers.
    let diagonal = |i: usize| {
        let [a, b, c, d, e, f, g, h, k] = block(i, i);
        let (xy, xz, yz) = (0.5 * (b + d), 0.5 * (c + g), 0.5 * (f + h));
        [a, xy, xz, xy, e, yz, xz, yz, k]
    };
    [diagonal(0), block(0, 1), block(0, 2), diagonal(1), block(1, 2), diagonal(2)]
}

/// All nine blocks from the six.
#[inline(always)]
pub(super) fn all(upper: &Upper) -> Blocks<3> {
    let mut h = zero_blocks();
    for ([i, j], [a, b, c, d, e, f, g, k, l]) in PAIRS.into_iter().zip(*upper) {
        h[i][j] = DMat3::new(DVec3::new(a, d, g), DVec3::new(b, e, k), DVec3::new(c, f, l));
        h[j][i] = h[i][j].transposed();
    }
    h
}

/// [`Upper`] of `W` triangles.
type Wide<const W: usize> = [[[f64; W]; 9]; 6];

/// The blocks of triangles `at..at + W`.
#[inline(always)]
fn group<const W: usize>(
    cloth: &Cloth<'_>,
    at: usize,
    x: &[DVec3],
    projection: Projection,
    out: &mut Wide<W>,
) {
    let m = &cloth.membranes;
    let (mut d, mut q, mut area) = ([[0.0; W]; 6], [[0.0; W]; 4], [0.0; W]);
    for l in 0..W {
        let [p0, p1, p2] = gather(m.nodes[at + l], x);
        let (a, b) = (p1 - p0, p2 - p0);
        for c in 0..3 {
            d[c][l] = a[c];
            d[3 + c][l] = b[c];
        }
        for c in 0..4 {
            q[c][l] = m.inverse[at + l][c];
        }
        area[l] = m.area[at + l];
    }
    let of = |l: usize| {
        let (a, b) = (DVec3::new(d[0][l], d[1][l], d[2][l]), DVec3::new(d[3][l], d[4][l], d[5][l]));
        let q = [q[0][l], q[1][l], q[2][l], q[3][l]];
        let (f_u, f_v) = deformation(a, b, q);
        (f_u, f_v, q, green(f_u, f_v))
    };
    // Into a local first: the compiler cannot tell `out` from the columns, and would not use vectors.
    let mut h = [[[0.0; W]; 9]; 6];
    match cloth.law.0 {
        Law::Linear(law) => {
            for l in 0..W {
                let (f_u, f_v, q, strain) = of(l);
                let s = geometric_tension(|e| law.tension(e), strain, projection);
                put(&mut h, l, &upper(f_u, f_v, q, area[l], s, |b| law.times(b)));
            }
        }
        Law::Rubber(law) => {
            // A tangent that must be clamped takes a loop of its own, which would keep the rest from being vectors.
            let mut tangent = [[[0.0; W]; 3]; 3];
            for l in 0..W {
                let t = law.tangent(of(l).3, projection);
                for r in 0..3 {
                    for c in 0..3 {
                        tangent[r][c][l] = t[r][c];
                    }
                }
            }
            for l in 0..W {
                let (f_u, f_v, q, strain) = of(l);
                let s = geometric_tension(|e| law.tension(e), strain, projection);
                let t = tangent.map(|row| row.map(|c| c[l]));
                put(&mut h, l, &upper(f_u, f_v, q, area[l], s, |b| times(&t, b)));
            }
        }
    }
    *out = h;
}

#[inline(always)]
fn put<const W: usize>(out: &mut Wide<W>, l: usize, upper: &Upper) {
    for (to, block) in out.iter_mut().zip(upper) {
        for k in 0..9 {
            to[k][l] = block[k];
        }
    }
}

#[inline(always)]
fn take<const W: usize>(h: &[[f64; W]; 9], l: usize) -> [f64; 9] {
    [h[0][l], h[1][l], h[2][l], h[3][l], h[4][l], h[5][l], h[6][l], h[7][l], h[8][l]]
}

/// Transposes the blocks beside the diagonal in the lanes where the matrix keeps only the lower one. Which one it keeps depends on the
/// numbering: a branch that no processor predicts, where the blocks are added.
#[inline(always)]
fn turn<const W: usize>(slots: &[[[u32; 3]; 3]], out: &mut Wide<W>) {
    for (p, [i, j]) in [(1, [0, 1]), (2, [0, 2]), (4, [1, 2])] {
        let mut keep = [0.0; W];
        for l in 0..W {
            keep[l] = if slots[l][i][j] == SKIP { 0.0 } else { 1.0 };
        }
        let h = &mut out[p];
        for l in 0..W {
            let [a, b, c, d, e, f] = [h[1][l], h[2][l], h[3][l], h[5][l], h[6][l], h[7][l]];
            let pick = |x: f64, y: f64| if keep[l] == 0.0 { y } else { x };
            (h[1][l], h[3][l]) = (pick(a, c), pick(c, a));
            (h[2][l], h[6][l]) = (pick(b, e), pick(e, b));
            (h[5][l], h[7][l]) = (pick(d, f), pick(f, d));
        }
    }
}

#[inline(always)]
fn add_nine(to: &mut [f64; 9], b: [f64; 9]) {
    for k in 0..9 {
        to[k] += b[k];
    }
}

/// Adds the blocks of lane `l`, turned by [`turn`], where the matrix keeps them.
#[inline(always)]
fn scatter<const W: usize>(h: &Wide<W>, l: usize, s: &[[u32; 3]; 3], values: &mut [[f64; 9]]) {
    diagonal(&h[0], l, s[0][0], values);
    pair(&h[1], l, s[0][1], s[1][0], values);
    pair(&h[2], l, s[0][2], s[2][0], values);
    diagonal(&h[3], l, s[1][1], values);
    pair(&h[4], l, s[1][2], s[2][1], values);
    diagonal(&h[5], l, s[2][2], values);
}

#[inline(always)]
fn diagonal<const W: usize>(h: &[[f64; W]; 9], l: usize, slot: u32, values: &mut [[f64; 9]]) {
    if slot != SKIP {
        add_nine(&mut values[slot as usize], take(h, l));
    }
}

#[inline(always)]
fn pair<const W: usize>(h: &[[f64; W]; 9], l: usize, upper: u32, lower: u32, values: &mut [[f64; 9]]) {
    let (first, second) = (upper.min(lower), upper.max(lower));
    if second == SKIP {
        diagonal(h, l, first, values);
    } else {
        let [a, b, c, d, e, f, g, h, k] = take(h, l);
        add_nine(&mut values[upper as usize], [a, b, c, d, e, f, g, h, k]);
        add_nine(&mut values[lower as usize], [a, d, g, b, e, h, c, f, k]);
    }
}

#[inline(always)]
fn blocks_kernel<const W: usize>(
    cloth: Cloth<'_>,
    first: usize,
    x: &[DVec3],
    projection: Projection,
    out: &mut [Blocks<3>],
) {
    let mut h = [[[0.0; W]; 9]; 6];
    let mut pieces = out.chunks_exact_mut(W);
    let mut at = first;
    for piece in &mut pieces {
        group(&cloth, at, x, projection, &mut h);
        for (l, o) in piece.iter_mut().enumerate() {
            *o = all(&[0, 1, 2, 3, 4, 5].map(|p| take(&h[p], l)));
        }
        at += W;
    }
    one_by_one(&cloth, at, x, projection, pieces.into_remainder());
}

#[inline(always)]
fn add_kernel<const W: usize>(
    cloth: Cloth<'_>,
    first: usize,
    x: &[DVec3],
    projection: Projection,
    slots: &[[[u32; 3]; 3]],
    values: &mut [[f64; 9]],
) {
    let mut h = [[[0.0; W]; 9]; 6];
    let pieces = slots.chunks_exact(W);
    let (rest, mut at) = (pieces.remainder(), first);
    for piece in pieces {
        group(&cloth, at, x, projection, &mut h);
        turn(piece, &mut h);
        for (l, s) in piece.iter().enumerate() {
            scatter(&h, l, s, values);
        }
        at += W;
    }
    add_one_by_one(&cloth, at, x, projection, rest, values);
}

lanes! {
    /// Hessians of the triangles `first..first + out.len()`.
    fn hessians(
        cloth: Cloth<'_>, first: usize, x: &[DVec3], projection: Projection, out: &mut [Blocks<3>],
    ) = blocks_kernel
}

lanes! {
    /// Adds the Hessians of the triangles `first..first + slots.len()`.
    fn add_hessians(
        cloth: Cloth<'_>, first: usize, x: &[DVec3], projection: Projection, slots: &[[[u32; 3]; 3]],
        values: &mut [[f64; 9]],
    ) = add_kernel
}
