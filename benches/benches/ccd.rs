//! Exact continuous collision detection, one thread: `cargo bench -p impinge-benches --bench ccd`.
//!
//! Single calls by class of pair (far: a separating axis; miss: near, never in one plane; beside: in one plane and not
//! touching; hit: a crossing in general position; exact: a vertex that meets a corner, an edge of the face or both edges'
//! ends), decision and all roots; the exact tier alone on three of them; the batch over 10 000 pairs of a moving cloth.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use impinge_benches::{Numbers, one_thread};
use impinge_ccd::{Candidates, Kind, Tier, Workspace, roots, roots_exact, touches, touches_by, touching};
use impinge_geometry::DVec3;
use std::hint::black_box;
use std::time::Duration;

type Pair = ([DVec3; 4], [DVec3; 4]);

/// Features of about one size in a box of about three; steps of about that size.
fn cloth(numbers: &mut Numbers, kind: Kind, apart: f64) -> Pair {
    let second = |i: usize| i >= if kind == Kind::VertexFace { 1 } else { 2 };
    let (away, speed) = (numbers.vector() * apart, numbers.vector() * 2.0);
    let drift = numbers.vector() * 3.0;
    let x0: [DVec3; 4] = std::array::from_fn(|i| {
        let p = numbers.vector() * 0.7;
        if second(i) { p + away } else { p }
    });
    let x1 = std::array::from_fn(|i| {
        let p = x0[i] + drift + numbers.vector() * 0.1;
        if second(i) { p + speed } else { p }
    });
    (x0, x1)
}

/// Small whole numbers such that the first point of one feature meets an end of the other at ½.
fn meeting(numbers: &mut Numbers, kind: Kind) -> Pair {
    let mut whole = || {
        let v = numbers.vector() * 4.0;
        DVec3::new(v.x.round(), v.y.round(), v.z.round())
    };
    let mut at: [DVec3; 4] = std::array::from_fn(|_| whole());
    at[0] = if kind == Kind::VertexFace { (at[1] + at[2]) * 0.5 } else { at[3] };
    let v: [DVec3; 4] = std::array::from_fn(|_| whole());
    (std::array::from_fn(|i| at[i] - v[i]), std::array::from_fn(|i| at[i] + v[i]))
}

const CLASSES: [&str; 5] = ["far", "miss", "beside", "hit", "exact"];

/// Pairs of one class.
fn of_class(class: &str, kind: Kind, n: usize) -> Vec<Pair> {
    let mut numbers = Numbers::new(7);
    let is = |(x0, x1): &Pair| {
        let (touch, tier) = touches_by(kind, x0, x1).expect("finite");
        class
            == match (tier, touch) {
                (Tier::Axis, _) => "far",
                (Tier::Signs, _) => "miss",
                (Tier::Certified, false) => "beside",
                (Tier::Certified, true) => "hit",
                (Tier::Exact, _) => "exact",
            }
    };
    let mut make = || match class {
        "exact" => meeting(&mut numbers, kind),
        _ => cloth(&mut numbers, kind, 1.2),
    };
    std::iter::repeat_with(&mut make).filter(is).take(n).collect()
}

fn singles(c: &mut Criterion) {
    let mut group = c.benchmark_group("ccd");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(600));
    for (kind, name) in [(Kind::VertexFace, "vf"), (Kind::EdgeEdge, "ee")] {
        for class in CLASSES {
            let pairs = of_class(class, kind, 1000);
            group.throughput(Throughput::Elements(pairs.len() as u64));
            group.bench_function(BenchmarkId::new(format!("touches, {class}"), name), |b| {
                b.iter(|| pairs.iter().filter(|(x0, x1)| touches(kind, x0, x1) == Ok(true)).count());
            });
            if class != "far" {
                group.bench_function(BenchmarkId::new(format!("roots, {class}"), name), |b| {
                    b.iter(|| {
                        pairs
                            .iter()
                            .filter_map(|(x0, x1)| roots(kind, x0, x1).ok())
                            .filter(|r| r.touch())
                            .count()
                    });
                });
            }
            if class != "far" && class != "miss" {
                group.bench_function(BenchmarkId::new(format!("exact tier, {class}"), name), |b| {
                    b.iter(|| {
                        let all = pairs.iter().filter_map(|(x0, x1)| roots_exact(kind, x0, x1).ok());
                        all.filter(|r| r.touch()).count()
                    });
                });
            }
        }
    }
    group.finish();
}

fn batches(c: &mut Criterion) {
    const N: usize = 10_000;
    let mut group = c.benchmark_group("ccd");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(600));
    group.throughput(Throughput::Elements(N as u64));
    for (kind, name) in [(Kind::VertexFace, "vf"), (Kind::EdgeEdge, "ee")] {
        let mut numbers = Numbers::new(11);
        let pairs: Vec<Pair> = (0..N).map(|_| cloth(&mut numbers, kind, 2.0)).collect();
        let x0: Vec<DVec3> = pairs.iter().flat_map(|p| p.0).collect();
        let x1: Vec<DVec3> = pairs.iter().flat_map(|p| p.1).collect();
        let stencils: Vec<[u32; 4]> =
            (0..N as u32).map(|i| std::array::from_fn(|k| 4 * i + k as u32)).collect();
        let candidates = match kind {
            Kind::VertexFace => Candidates::VertexFace(&stencils),
            Kind::EdgeEdge => Candidates::EdgeEdge(&stencils),
        };
        let (mut workspace, mut out) = (Workspace::new(), Vec::new());
        group.bench_function(BenchmarkId::new("batch of 10 k", name), |b| {
            b.iter(|| touching(&x0, &x1, black_box(candidates), &mut workspace, &mut out).is_ok());
        });
        let tiers = touching(&x0, &x1, candidates, &mut workspace, &mut out).expect("finite");
        println!("{name}: {} of {N} touch; {tiers:?}", out.len());
    }
    group.finish();
}

fn all(c: &mut Criterion) {
    one_thread();
    singles(c);
    batches(c);
}

criterion_group!(benches, all);
criterion_main!(benches);
