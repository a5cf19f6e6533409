//! Sums have one order for any number of threads.

use impinge_contact::sums::{ScatterWorkspace, ordered_sum, scatter};
use impinge_contact::{Loads, NONE};
use impinge_geometry::DVec3;

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
