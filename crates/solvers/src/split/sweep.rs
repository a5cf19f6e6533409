//! The loops of a sweep over one part, compiled for each instruction set.

use super::{Lane, Split};
use crate::simd::dispatched;

/// `acc − block · x` by columns, three chains. The fourth lane reads into the next column and is never looked at.
macro_rules! subtract {
    ($a:ident, $b:ident, $c:ident, $value:expr, $x:expr) => {
        if let Some(v) = $value.first_chunk::<10>() {
            for l in 0..4 {
                $a[l] -= v[l] * $x[0];
            }
            for l in 0..4 {
                $b[l] -= v[3 + l] * $x[1];
            }
            for l in 0..4 {
                $c[l] -= v[6 + l] * $x[2];
            }
        }
    };
}

dispatched!(pub(super) fn backward_fast = backward_part(split: &Split, first: usize, p: &[Lane], t: &mut [Lane]) -> ());
dispatched!(pub(super) fn forward_fast = forward_part(split: &Split, first: usize, f: &mut [Lane]) -> ());
dispatched!(pub(super) fn forward_fused_fast = forward_fused_part(split: &Split, p: &[Lane], t: &[Lane], u: &mut [Lane], q: &mut [Lane]) -> f64);
dispatched!(pub(super) fn cross_fast = cross_part(split: &Split, first: usize, t: &[Lane], f: &mut [Lane]) -> ());

#[inline(always)]
pub(super) fn backward_part(split: &Split, first: usize, p: &[Lane], t: &mut [Lane]) {
    let rows = &split.upper;
    for i in (0..t.len()).rev() {
        let (mut a, mut b, mut c) = (p[first + i], [0.0f32; 4], [0.0f32; 4]);
        let range = rows.start[first + i] as usize..rows.start[first + i + 1] as usize;
        let values = &rows.value[9 * range.start..9 * range.end + 1];
        let columns = &rows.column[range];
        // Far columns first: the nearest neighbour's result is the last to arrive.
        for k in (0..columns.len()).rev() {
            let x = t[columns[k] as usize - first];
            subtract!(a, b, c, values[9 * k..], x);
        }
        for l in 0..4 {
            a[l] += b[l] + c[l];
        }
        t[i] = a;
    }
}

#[inline(always)]
pub(super) fn forward_part(split: &Split, first: usize, f: &mut [Lane]) {
    let rows = &split.lower;
    for i in 0..f.len() {
        let (mut a, mut b, mut c) = (f[i], [0.0f32; 4], [0.0f32; 4]);
        let range = rows.start[first + i] as usize..rows.start[first + i + 1] as usize;
        let values = &rows.value[9 * range.start..9 * range.end + 1];
        let columns = &rows.column[range];
        for k in 0..columns.len() {
            let x = f[columns[k] as usize - first];
            subtract!(a, b, c, values[9 * k..], x);
        }
        for l in 0..4 {
            a[l] += b[l] + c[l];
        }
        f[i] = a;
    }
}

#[inline(always)]
pub(super) fn forward_fused_part(
    split: &Split,
    p: &[Lane],
    t: &[Lane],
    u: &mut [Lane],
    q: &mut [Lane],
) -> f64 {
    let rows = &split.lower;
    let s = (split.omega - 2.0) as f32;
    let mut sum = [0.0f64; 4];
    let n = split.nodes;
    let (p, t, u, q) = (&p[..n], &t[..n], &mut u[..n], &mut q[..n]);
    for i in 0..n {
        let (mut a, mut b, mut c) = ([0.0f32; 4], [0.0f32; 4], [0.0f32; 4]);
        for l in 0..4 {
            a[l] = p[i][l] + s * t[i][l];
        }
        let range = rows.start[i] as usize..rows.start[i + 1] as usize;
        let values = &rows.value[9 * range.start..9 * range.end + 1];
        let columns = &rows.column[range];
        for k in 0..columns.len() {
            let x = u[columns[k] as usize];
            subtract!(a, b, c, values[9 * k..], x);
        }
        for l in 0..4 {
            a[l] += b[l] + c[l];
        }
        u[i] = a;
        for l in 0..4 {
            q[i][l] = t[i][l] + a[l];
            sum[l] += f64::from(q[i][l]) * f64::from(p[i][l]);
        }
    }
    (sum[0] + sum[1]) + sum[2]
}

#[inline(always)]
pub(super) fn cross_part(split: &Split, first: usize, t: &[Lane], f: &mut [Lane]) {
    let rows = &split.cross;
    for i in 0..f.len() {
        let range = rows.start[first + i] as usize..rows.start[first + i + 1] as usize;
        let (mut a, mut b, mut c) = ([0.0f32; 4], [0.0f32; 4], [0.0f32; 4]);
        for k in range {
            let x = t[rows.column[k] as usize];
            subtract!(a, b, c, rows.value[9 * k..], x);
        }
        for l in 0..4 {
            f[i][l] -= a[l] + b[l] + c[l];
        }
    }
}
