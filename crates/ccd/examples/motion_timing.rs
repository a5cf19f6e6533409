//! Cost of curved motion: `cargo run --release -p impinge-ccd --example motion_timing`.

use impinge_ccd::Kind;
use impinge_ccd::accelerated::{contacts, roots_exact};
use impinge_ccd::screw::{RigidMotion, screw_within};
use impinge_geometry::DVec3;
use std::hint::black_box;
use std::time::Instant;

fn nanoseconds<T>(items: &[T], f: impl Fn(&T) -> bool) -> (usize, f64) {
    let (mut best, mut hits) = (f64::INFINITY, 0);
    for _ in 0..5 {
        let start = Instant::now();
        hits = items.iter().filter(|x| f(black_box(x))).count();
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / items.len() as f64);
    }
    (hits, best)
}

fn main() {
    let mut seed = 5u64;
    let mut unit = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let mut point = |r: f64| DVec3::new(unit(), unit(), unit()) * r;
    println!("{:<26} {:>3} {:>8} {:>7} {:>10}", "", "", "pairs", "hits", "ns/pair");
    for (name, apart, speed, whole, n) in [
        ("accelerated, apart", 4.0, 0.2, false, 20_000),
        ("accelerated, near", 0.5, 0.2, false, 20_000),
        ("accelerated, crossing", 0.5, 2.0, false, 20_000),
        ("accelerated, whole numbers", 2.0, 4.0, true, 1_000),
    ] {
        for (kind, first) in [(Kind::VertexFace, 1), (Kind::EdgeEdge, 2)] {
            let pairs: Vec<[[DVec3; 4]; 3]> = (0..n)
                .map(|_| {
                    let offset = point(apart);
                    let x: [DVec3; 4] =
                        std::array::from_fn(|i| point(0.5) + if i < first { offset } else { DVec3::zero() });
                    let b = [0.0, 0.5, 1.0].map(|s| x.map(|x| x + point(s * speed)));
                    if whole {
                        b.map(|x| x.map(|p| DVec3::new(p.x.round(), p.y.round(), p.z.round())))
                    } else {
                        b
                    }
                })
                .collect();
            let short = if kind == Kind::VertexFace { "vf" } else { "ee" };
            let (hits, ns) = nanoseconds(&pairs, |b| contacts(kind, b).expect("finite").touch());
            println!("{name:<26} {short:>3} {:>8} {hits:>7} {ns:>10.0}", pairs.len());
            let (hits, ns) = nanoseconds(&pairs[..500], |b| roots_exact(kind, b).expect("finite").touch());
            println!("{:<26} {short:>3} {:>8} {hits:>7} {ns:>10.0}", "  integers only", 500);
        }
    }
    for (name, apart, turn) in [
        ("screw, apart", 4.0, 0.5),
        ("screw, near, 0.1 rad", 0.5, 0.1),
        ("screw, near, 1 rad", 0.5, 1.0),
        ("screw, near, 6 rad", 0.5, 6.0),
    ] {
        for (kind, first) in [(Kind::VertexFace, 1), (Kind::EdgeEdge, 2)] {
            let pairs: Vec<([DVec3; 4], [RigidMotion; 2])> = (0..10_000)
                .map(|_| {
                    let offset = point(apart);
                    let x: [DVec3; 4] =
                        std::array::from_fn(|i| point(0.5) + if i < first { offset } else { DVec3::zero() });
                    let motion = [offset, DVec3::zero()].map(|o| RigidMotion {
                        origin: o + point(0.5),
                        translation: point(0.2),
                        rotation: point(turn / 1.7),
                    });
                    (x, motion)
                })
                .collect();
            for d in [0.0, 1e-2] {
                let (hits, ns) =
                    nanoseconds(&pairs, |(x, m)| screw_within(kind, x, m, d).expect("finite").is_some());
                let short = if kind == Kind::VertexFace { "vf" } else { "ee" };
                println!(
                    "{:<26} {short:>3} {:>8} {hits:>7} {ns:>10.0}",
                    format!("{name}, d={d}"),
                    pairs.len()
                );
            }
        }
    }
}
