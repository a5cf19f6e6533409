//! Minimum separation against plain conservative advancement: `cargo run --release -p impinge-ccd --example separation_timing`.
//!
//! Conservative advancement steps by (distance − d)/largest relative speed until the distance is at most d + slack or
//! the step is over. With a slack of 10 % of d (what additive CCD leaves by default) it is quick and reports pairs that
//! stay outside d; with the tolerance of this crate it reports the same pairs and takes many steps.

use impinge_ccd::Kind;
use impinge_ccd::separation::{tolerance, within};
use impinge_geometry::{DVec3, closest_between_segments, closest_on_triangle};
use std::hint::black_box;
use std::time::Instant;

type Pair = ([DVec3; 4], [DVec3; 4]);

fn distance(kind: Kind, x: &[DVec3; 4]) -> f64 {
    match kind {
        Kind::VertexFace => closest_on_triangle(x[0], [x[1], x[2], x[3]]).distance_squared.sqrt(),
        Kind::EdgeEdge => closest_between_segments([x[0], x[1]], [x[2], x[3]]).distance_squared.sqrt(),
    }
}

/// Time of a hit and the number of steps.
fn advance(kind: Kind, (x0, x1): &Pair, d: f64, slack: f64) -> (Option<f64>, u32) {
    let split = if kind == Kind::VertexFace { 1 } else { 2 };
    let v: [DVec3; 4] = std::array::from_fn(|i| x1[i] - x0[i]);
    let mut speed = 0.0f64;
    for a in &v[..split] {
        for b in &v[split..] {
            speed = speed.max((*a - *b).mag());
        }
    }
    let mut t = 0.0;
    for step in 1..100_000 {
        let x: [DVec3; 4] = std::array::from_fn(|i| x0[i] + v[i] * t);
        let there = distance(kind, &x);
        if there <= d + slack {
            return (Some(t), step);
        }
        t += (there - d) / speed;
        if t >= 1.0 {
            return (None, step);
        }
    }
    (Some(t), 100_000)
}

fn main() {
    let mut seed = 11u64;
    let mut unit = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let mut point = |r: f64| DVec3::new(unit(), unit(), unit()) * r;
    // Features of size one. Apart: 4 away. Near: about one away. Sliding: near, and moved by several sizes.
    let mut family = |first: usize, apart: f64, common: f64, own: f64| -> Vec<Pair> {
        (0..20_000)
            .map(|_| {
                let offset = point(apart);
                let x0: [DVec3; 4] =
                    std::array::from_fn(|i| point(0.5) + if i < first { offset } else { DVec3::zero() });
                let shared = point(common);
                let x1 =
                    std::array::from_fn(|i| x0[i] + shared * if i < first { 1.0 } else { 0.0 } + point(own));
                (x0, x1)
            })
            .collect()
    };
    let sets = [
        ("far", 40.0, 0.2, 0.05),
        ("apart", 4.0, 0.2, 0.05),
        ("near, slow", 0.5, 0.1, 0.05),
        ("near, fast", 0.5, 1.0, 0.2),
        ("sliding", 0.5, 5.0, 0.05),
    ];
    println!(
        "{:<12} {:>3} {:>7} | {:>6} {:>8} | {:>6} {:>8} {:>8} | {:>6} {:>8} {:>8} {:>7}",
        "", "", "d", "hits", "ns", "CA 10%", "ns", "FP", "CA tol", "ns", "steps", "most"
    );
    for (name, apart, common, own) in sets {
        for (kind, first) in [(Kind::VertexFace, 1), (Kind::EdgeEdge, 2)] {
            let pairs = &family(first, apart, common, own);
            for d in [1e-4, 1e-2] {
                let time = |f: &dyn Fn(&Pair) -> bool| {
                    let mut best = f64::INFINITY;
                    let mut hits = 0;
                    for _ in 0..5 {
                        let start = Instant::now();
                        hits = pairs.iter().filter(|p| f(black_box(p))).count();
                        best = best.min(start.elapsed().as_secs_f64() * 1e9 / pairs.len() as f64);
                    }
                    (hits, best)
                };
                let (hits, ns) = time(&|(x0, x1)| within(kind, x0, x1, d).expect("finite").is_some());
                let (rough, rough_ns) = time(&|p| advance(kind, p, d, 0.1 * d).0.is_some());
                let (fine, fine_ns) = time(&|p| advance(kind, p, d, tolerance(d, 2.0)).0.is_some());
                let steps: Vec<u32> =
                    pairs.iter().map(|p| advance(kind, p, d, tolerance(d, 2.0)).1).collect();
                let mean = steps.iter().map(|&s| u64::from(s)).sum::<u64>() as f64 / steps.len() as f64;
                let short = if kind == Kind::VertexFace { "vf" } else { "ee" };
                println!(
                    "{name:<12} {short:>3} {d:>7} | {hits:>6} {ns:>8.1} | {rough:>6} {rough_ns:>8.1} {:>8} | {fine:>6} {fine_ns:>8.1} {mean:>8.1} {:>7}",
                    rough as i64 - hits as i64,
                    steps.iter().max().expect("pairs"),
                );
            }
        }
    }
}
