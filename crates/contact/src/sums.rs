//! Sums whose order is fixed by the problem: the same bits for any number of threads.
//!
//! Many contacts add to one vertex. Splitting the rows into a fixed number of chunks, giving each chunk a
//! private window of the output and adding the windows in chunk order makes the order of every addition a
//! function of the rows alone. Small problems use one chunk.

use crate::{Loads, NONE, par};
use impinge_geometry::DVec3;

/// Rows below this are summed in one chunk; windows only pay above it.
pub const SINGLE_CHUNK_ROWS: usize = 16_384;
/// Chunks above it; from the problem, never from the pool.
pub const CHUNKS: usize = 16;

/// Scratch of [`scatter`]; dropping it changes nothing.
#[derive(Clone, Debug, Default)]
pub struct ScatterWorkspace {
    windows: Vec<Window>,
}

#[derive(Clone, Debug, Default)]
struct Window {
    rows: std::ops::Range<usize>,
    first: usize,
    sum: Vec<DVec3>,
}

/// Adds `weight[row][k] · value[row]` to vertex `stencil[row][k]` of `loads`, in an order that depends on the
/// rows only.
pub fn scatter(
    stencil: &[[u32; 4]],
    weight: &[[f64; 4]],
    value: &[DVec3],
    loads: &mut Loads,
    ws: &mut ScatterWorkspace,
) {
    let n = stencil.len();
    if n < SINGLE_CHUNK_ROWS {
        for i in 0..n {
            for k in 0..4 {
                loads.add_impulse(stencil[i][k], value[i] * weight[i][k]);
            }
        }
        return;
    }
    ws.windows.resize(CHUNKS, Window::default());
    let size = n.div_ceil(CHUNKS);
    par::for_each_chunk(&mut ws.windows, 1, |c, window| {
        let w = &mut window[0];
        w.rows = (c * size).min(n)..((c + 1) * size).min(n);
        let (mut lo, mut hi) = (NONE, 0);
        for s in &stencil[w.rows.clone()] {
            for &v in s.iter().filter(|&&v| v != NONE) {
                lo = lo.min(v);
                hi = hi.max(v);
            }
        }
        w.sum.clear();
        if lo == NONE {
            return;
        }
        w.first = lo as usize;
        w.sum.resize((hi - lo) as usize + 1, DVec3::zero());
        for i in w.rows.clone() {
            for k in 0..4 {
                if stencil[i][k] != NONE {
                    w.sum[stencil[i][k] as usize - w.first] += value[i] * weight[i][k];
                }
            }
        }
    });
    for w in &mut ws.windows {
        for i in w.rows.clone() {
            for &v in stencil[i].iter().filter(|&&v| v != NONE) {
                // Taking the sum leaves zero behind: the next row of this chunk that names v adds nothing.
                let slot = &mut w.sum[v as usize - w.first];
                loads.add_impulse(v, *slot);
                *slot = DVec3::zero();
            }
        }
    }
}

/// `Σ f(i)` for `i < n`, added in blocks of 1024 and the blocks in order: less rounding than one running sum,
/// and the same for any caller.
#[must_use]
pub fn ordered_sum(n: usize, f: impl Fn(usize) -> f64) -> f64 {
    let mut total = 0.0;
    let mut i = 0;
    while i < n {
        let end = (i + 1024).min(n);
        let mut block = 0.0;
        for k in i..end {
            block += f(k);
        }
        total += block;
        i = end;
    }
    total
}
