//! Fixed-order sums, the friction law, and the door every impulse goes through.

use criterion::{Criterion, Throughput};
use impinge_benches::{Numbers, Touching};
use impinge_contact::sums::{ScatterWorkspace, scatter};
use impinge_contact::{
    ApplyWorkspace, ContactImpulses, Decided, FrictionLaw, Ledger, PatchesView, SlipRule, anchored, apply,
};
use impinge_geometry::DVec3;
use std::hint::black_box;

/// The crate's kernels.
pub fn benches(c: &mut Criterion) {
    let mut g = c.benchmark_group("contact");

    // Below and above the size from which the sum is split into chunks.
    for n in [2_000usize, 200_000] {
        let mut t = Touching::new(n);
        let value: Vec<DVec3> = t.decided.normal.clone();
        let mut ws = ScatterWorkspace::default();
        g.throughput(Throughput::Elements(n as u64));
        g.bench_function(format!("scatter/{n}"), |b| {
            b.iter(|| {
                t.loads.clear();
                scatter(&t.contacts.stencil, &t.contacts.weight, &value, &mut t.loads, &mut ws);
            });
        });
    }

    let mut numbers = Numbers::new(5);
    let law =
        FrictionLaw { mu_s: 0.6, mu_k: 0.5, k_fp: 2e3, k_fd: 3.0, k_omega: 1e3, rule: SlipRule::ReturnMap };
    // Anchors up to 6 mm away under 10 N: some hold, some slide.
    let cases: Vec<(DVec3, DVec3, bool)> =
        (0..1024).map(|i| (numbers.vector() * 3e-3, numbers.vector() * 0.1, i % 2 == 0)).collect();
    g.throughput(Throughput::Elements(cases.len() as u64));
    g.bench_function("anchored friction/1024", |b| {
        b.iter(|| {
            let one = |&(p, slip, slipping): &(DVec3, DVec3, bool)| {
                anchored(black_box(&law), DVec3::unit_z(), p, slip, 10.0, Some(DVec3::zero()), slipping).force
            };
            cases.iter().map(one).fold(DVec3::zero(), |a, f| a + f)
        });
    });

    let mut t = Touching::new(10_000);
    let (mut ledger, mut ws, none) =
        (Ledger::default(), ApplyWorkspace::default(), ContactImpulses::default());
    g.throughput(Throughput::Elements(10_000));
    g.bench_function("apply/10k", |b| {
        b.iter(|| {
            t.loads.clear();
            ledger.reset(t.map.bodies());
            let decided = Decided {
                mesh: (t.contacts.view(), t.decided.view()),
                plane: (t.planes.view(), none.view()),
                bend: &[],
                patches: PatchesView::default(),
            };
            let (bodies, surface) = (t.bodies.view(), t.surface.view());
            apply(&t.map, bodies, surface, t.pairs.view(), decided, &mut t.loads, &mut ledger, &mut ws);
        });
    });
    g.finish();
}
