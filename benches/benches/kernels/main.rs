//! One call of each kernel, on inputs of a stated size, one thread: `cargo bench -p impinge-benches --bench kernels`.

mod broadphase;
mod contact;
mod geometry;
mod integrators;
mod meshing;
mod penalty;
mod query;

use criterion::{Criterion, criterion_group};
use std::time::Duration;

/// About a second and a half each: the interval of the median is then some per cent wide on a quiet machine.
fn settings() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(30)
        .nresamples(5_000)
}

criterion_group! {
    name = kernels;
    config = settings();
    targets = geometry::benches, query::benches, broadphase::benches, contact::benches, penalty::benches,
        integrators::benches, meshing::benches
}

fn main() {
    impinge_benches::one_thread();
    kernels();
    Criterion::default().configure_from_args().final_summary();
}
