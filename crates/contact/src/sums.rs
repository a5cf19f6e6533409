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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunked_scatter_equals_plain_to_rounding_and_itself_for_any_pool() {
        let n = 20_000usize;
        let vertices = 5_000u32;
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32
        };
        let stencil: Vec<[u32; 4]> = (0..n)
            .map(|i| {
                [
                    next() % vertices,
                    next() % vertices,
                    next() % vertices,
                    if i % 3 == 0 { NONE } else { next() % vertices },
                ]
            })
            .collect();
        let weight: Vec<[f64; 4]> = (0..n).map(|_| [1.0, -0.25, -0.5, -0.25]).collect();
        let value: Vec<DVec3> =
            (0..n).map(|i| DVec3::new((i as f64).sin(), (i as f64).cos(), 0.1 * i as f64)).collect();
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut loads = Loads::default();
                loads.shape(vertices as usize, 1);
                scatter(&stencil, &weight, &value, &mut loads, &mut ScatterWorkspace::default());
                loads.sort_touched();
                (loads.impulse.clone(), loads.touched().to_vec())
            })
        };
        let one = run(1);
        for threads in [2, 8] {
            assert!(run(threads) == one, "other bits with {threads} threads");
        }
        let mut plain = vec![DVec3::zero(); vertices as usize];
        for i in 0..n {
            for k in 0..4 {
                if stencil[i][k] != NONE {
                    plain[stencil[i][k] as usize] += value[i] * weight[i][k];
                }
            }
        }
        for (a, b) in plain.iter().zip(&one.0) {
            assert!((*a - *b).mag() <= 1e-11 * (1.0 + a.mag()));
        }
    }

    #[test]
    fn ordered_sum_of_many_tenths() {
        let s = ordered_sum(1_000_000, |_| 0.1);
        assert!((s - 1e5).abs() < 1e-8, "{s}");
    }
}
