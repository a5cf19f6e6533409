//! Continuous penalty forces, one thread: `cargo bench -p impinge-benches --bench cpf`.
//!
//! Penetrating pairs of both kinds: intervals alone, the impulse with L_k and with |m(t)|, the discrete force on the same pair, the
//! conserving gradient with its tangent, and a whole step of 10 000 pairs.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use impinge_benches::{Numbers, one_thread};
use impinge_ccd::{Candidates, Interval, Kind, Opens, intervals};
use impinge_cpf::conserving::{ContactLaw, GradientWorkspace, Scheme, gradients, pair_gradient};
use impinge_cpf::{
    Impulses, Normalisation, Params, StepPairs, Tracked, Workspace, accumulate, at_end, over_interval,
};
use impinge_geometry::DVec3;
use std::hint::black_box;
use std::time::Duration;

type Pair = ([DVec3; 4], [DVec3; 4]);

/// Pairs that meet once in the step, their features turning a little.
fn penetrating(kind: Kind, n: usize) -> Vec<(Pair, Interval)> {
    let mut numbers = Numbers::new(5);
    let p = DVec3::new;
    let (base, first) = match kind {
        Kind::VertexFace => ([p(0.3, 0.3, 0.1), p(0.0, 0.0, 0.0), p(1.0, 0.0, 0.0), p(0.0, 1.0, 0.0)], 1),
        Kind::EdgeEdge => ([p(-0.5, 0.0, 0.1), p(0.5, 0.1, 0.1), p(0.0, -0.5, 0.0), p(0.1, 0.5, 0.0)], 2),
    };
    let mut out = Vec::new();
    while out.len() < n {
        let x0 = base.map(|b| b + numbers.vector() * 0.05);
        let x1 = std::array::from_fn(|i| {
            let fall = if i < first { p(0.0, 0.0, -0.3) } else { DVec3::zero() };
            x0[i] + fall + numbers.vector() * 0.025
        });
        let found = intervals(kind, &x0, &x1, None, Opens::FromBothSides).expect("finite");
        if let [one] = found[..] {
            out.push(((x0, x1), one));
        }
    }
    out
}

fn pairs(c: &mut Criterion) {
    one_thread();
    let mut group = c.benchmark_group("cpf_pair");
    group.measurement_time(Duration::from_secs(1)).warm_up_time(Duration::from_millis(300)).sample_size(30);
    for kind in [Kind::VertexFace, Kind::EdgeEdge] {
        let list = penetrating(kind, 1024);
        group.throughput(Throughput::Elements(list.len() as u64));
        let mut run = |name: &str, f: &dyn Fn(&Pair, &Interval)| {
            group.bench_function(BenchmarkId::new(name, format!("{kind:?}")), |b| {
                b.iter(|| list.iter().for_each(|(pair, i)| f(black_box(pair), i)));
            });
        };
        run("intervals", &|(a, b), _| {
            let _ = black_box(intervals(kind, a, b, None, Opens::FromBothSides));
        });
        let constant = Params::new(0.01, Normalisation::Constant).expect("valid");
        run("constant", &|(a, b), i| {
            black_box(over_interval(kind, a, b, i, 1e3, &constant));
        });
        let exact = Params::new(0.01, Normalisation::Exact { tolerance: 1e-6 }).expect("valid");
        run("exact", &|(a, b), i| {
            black_box(over_interval(kind, a, b, i, 1e3, &exact));
        });
        run("discrete", &|(a, b), i| {
            black_box(at_end(kind, a, b, i, 1e3, 0.01));
        });
        run("conserving", &|(a, b), _| {
            let both = Opens::FromBothSides;
            let _ = black_box(pair_gradient(Scheme::Equivariant, kind, a, b, None, both, (1e3, 0.0), 0.01));
        });
    }
    group.finish();
}

fn step(c: &mut Criterion) {
    one_thread();
    let n = 10_000;
    let list = penetrating(Kind::VertexFace, n);
    let (x0, x1): (Vec<_>, Vec<_>) = list.iter().map(|(p, _)| *p).unzip();
    let (x0, x1) = (x0.concat(), x1.concat());
    let stencils: Vec<[u32; 4]> = (0..n as u32).map(|i| [4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3]).collect();
    let named = |i: usize| (i as u64, 1e3);
    let candidates = Candidates::VertexFace(&stencils);
    let pairs = StepPairs { candidates, named: &named, opens: Opens::FromBothSides };
    let params = Params::new(0.01, Normalisation::Constant).expect("valid");
    let (mut ws, none) = (Workspace::new(), Tracked::default());
    let (mut out, mut next) = (Impulses::default(), Tracked::default());
    let mut group = c.benchmark_group("cpf_step");
    group.measurement_time(Duration::from_secs(2)).sample_size(20).throughput(Throughput::Elements(n as u64));
    group.bench_function("accumulate_10k", |b| {
        b.iter(|| accumulate(&params, &x0, &x1, &pairs, &none, &mut ws, &mut out, &mut next).expect("valid"));
    });
    let law = |_: u64, _: &[u32; 4], _: f64| ContactLaw::default();
    let (mut gs, mut rows) = (GradientWorkspace::default(), Vec::new());
    group.bench_function("gradients_10k", |b| {
        b.iter(|| {
            let (scheme, dt) = (Scheme::Equivariant, 0.01);
            gradients(scheme, dt, &x0, &x1, &pairs, &law, &none, &none, &mut gs, &mut rows, &mut next)
                .expect("valid")
        });
    });
    group.finish();
}

criterion_group!(benches, pairs, step);
criterion_main!(benches);
