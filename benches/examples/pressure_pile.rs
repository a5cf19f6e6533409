//! One implicit step of a settled pile of ten balls under the response `pressure`: its time and what it took.
//!
//! `cargo run --release -p impinge-benches --example pressure_pile -- ROUNDS STEPS`: every round takes STEPS steps from the
//! same snapshot; printed are the median time of a step over the rounds and the mean counts of a step.

use impinge_benches::{one_thread, pressure_pile};
use impinge_world::PressureReport;
use std::time::Instant;

fn main() {
    one_thread();
    let number = |a: String| a.parse::<usize>().ok().filter(|n| *n > 0);
    let given: Option<Vec<usize>> = std::env::args().skip(1).map(number).collect();
    let Some(given) = given else {
        eprintln!("give ROUNDS and STEPS as whole numbers above 0");
        std::process::exit(2);
    };
    let mut given = given.into_iter();
    let (rounds, steps) = (given.next().unwrap_or(20), given.next().unwrap_or(50));
    let mut sim = pressure_pile();
    for _ in 0..1500 {
        sim.step().expect("the world runs");
    }
    let start = sim.snapshot();
    let mut times = Vec::new();
    let (mut iterations, mut queries, mut tangents, mut linear, mut unfinished) = (0, 0, 0, 0, 0);
    let (mut patches, mut polygons, mut worst) = (0, 0, 0.0f64);
    for round in 0..rounds {
        sim.restore(&start).expect("a snapshot of this world");
        for _ in 0..steps {
            let clock = Instant::now();
            sim.step().expect("the world runs");
            times.push(clock.elapsed());
            if round == 0 {
                let r = *sim.column::<PressureReport>();
                iterations += r.iterations;
                queries += r.queries;
                tangents += r.tangents;
                linear += r.linear;
                unfinished += u32::from(r.unfinished);
                patches += r.patches;
                polygons += r.polygons;
                worst = worst.max(r.residual);
            }
        }
    }
    times.sort_unstable();
    let each = |n: u32| f64::from(n) / steps as f64;
    println!("median of a step: {:.1} us", times[times.len() / 2].as_secs_f64() * 1e6);
    println!(
        "a step: {:.1} patches, {:.1} polygons, {:.2} Newton iterations, {:.1} queries, {:.2} tangents, {:.1} linear iterations; \
         {unfinished} unfinished, largest residual {worst:.1e}; state {:016x}",
        each(patches),
        each(polygons),
        each(iterations),
        each(queries),
        each(tangents),
        each(linear),
        sim.snapshot().hash(),
    );
}
