//! One step of a whole world, one thread: `cargo bench -p impinge-benches --bench pipeline`.
//!
//! Each world is warmed up, and a measurement goes over the same stretch of its motion again and again: from a
//! snapshot, `STRETCH` steps, and back. So two versions of the code do the same work as long as their bits agree.

use criterion::{Criterion, criterion_group};
use impinge_benches::{box_stack, one_thread, particle, torus_pile};
use impinge_world::Simulation;
use std::time::{Duration, Instant};

const STRETCH: u64 = 50;

fn bench(c: &mut Criterion, name: &str, mut sim: Simulation, warm_up: usize) {
    for _ in 0..warm_up {
        sim.step().expect("the world runs");
    }
    let start = sim.snapshot();
    c.bench_function(&format!("pipeline/{name}"), |b| {
        b.iter_custom(|steps| {
            let mut spent = Duration::ZERO;
            let mut left = steps;
            while left > 0 {
                let now = left.min(STRETCH);
                sim.restore(&start).expect("a snapshot of this world");
                let clock = Instant::now();
                for _ in 0..now {
                    sim.step().expect("the world runs");
                }
                spent += clock.elapsed();
                left -= now;
            }
            spent
        });
    });
}

fn worlds(c: &mut Criterion) {
    bench(c, "particle on a plane", particle(), 100);
    bench(c, "stack of 5 boxes", box_stack(), 300);
    bench(c, "pile of 20 tori", torus_pile(), 800);
}

criterion_group! {
    name = pipeline;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3))
        .sample_size(30)
        .nresamples(5_000);
    targets = worlds
}

fn main() {
    one_thread();
    pipeline();
    Criterion::default().configure_from_args().final_summary();
}
