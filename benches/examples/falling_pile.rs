//! A pile of turned boxes falls into a bin, under any response: what a simulated second costs, and what was not solved.
//!
//! `cargo run --release -p impinge-benches --features factor --example falling_pile -- RESPONSE [BOXES [SECONDS]]`; one thread.
//! `benches/peers/mujoco_pile.py` drops the same boxes in MuJoCo: their poses are those that `--poses BOXES` prints.

use impinge_benches::{falling_pile, one_thread};
use impinge_world::{Family, Simulation};
use std::process::ExitCode;
use std::time::Instant;

const USAGE: &str = "give RESPONSE [BOXES [SECONDS]], or --poses BOXES";

/// What the threads of this program took of the processors so far (s); where nobody says, the time since `begun`.
fn processor(begun: Instant) -> f64 {
    let of = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("schedstat")).ok();
    let nanos = |text: String| text.split_whitespace().next().and_then(|n| n.parse::<f64>().ok());
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let sum: f64 = tasks.filter_map(of).filter_map(nanos).sum();
    if sum > 0.0 { sum * 1e-9 } else { begun.elapsed().as_secs_f64() }
}

/// Centre, turn as a quaternion (w, x, y, z) of each box, a line each.
fn poses(sim: &Simulation) {
    for name in sim.names().iter().filter(|n| n.starts_with("box-")) {
        let Some(slot) = sim.slot(name) else { continue };
        let pose = sim.pose(slot);
        let (x, q) = (pose.position, pose.rotation);
        // A rotor's bivector is minus the vector of the quaternion: yz, zx and xy are its x, y and z.
        println!("{} {} {} {} {} {} {}", x.x, x.y, x.z, q.s, -q.bv.yz, q.bv.xz, -q.bv.xy);
    }
}

fn run(name: &str, boxes: usize, seconds: f64) -> Result<(), String> {
    let family = Family::named(name).ok_or_else(|| format!("no response '{name}'"))?;
    let mut sim = falling_pile(boxes, family.response()).map_err(|e| e.to_string())?;
    let begun = Instant::now();
    let steps = (seconds / sim.dt()).round() as usize;
    let start = processor(begun);
    let (mut last, mut worst) = (start, (0.0f64, 0));
    let mut counts: Vec<f64> = Vec::new();
    let mut residual = 0.0f64;
    let tenth = (steps / 10).max(1);
    for step in 0..steps {
        sim.step().map_err(|e| format!("{e}, after {:.2} s of the processor", processor(begun) - start))?;
        let now = processor(begun);
        if now - last > worst.0 {
            worst = (now - last, step);
        }
        last = now;
        for part in sim.parts() {
            let Some(effort) = part.response().effort() else { continue };
            let (these, left) = (effort.measure)(part);
            counts.resize(these.len(), 0.0);
            counts.iter_mut().zip(&these).for_each(|(c, n)| *c += n);
            residual = residual.max(left);
        }
        if (step + 1) % tenth == 0 {
            eprintln!("{:.3} s: {:.3} s of the processor, {}", sim.time(), now - start, sim.halved());
        }
    }
    let took = last - start;
    println!(
        "{name}, {boxes} boxes, {seconds} s: {took:.3} s of the processor, {:.3} a simulated second",
        took / seconds
    );
    println!("worst step {:.1} ms (step {}); {}", worst.0 * 1e3, worst.1, sim.halved());
    for part in sim.parts() {
        if let Some(effort) = part.response().effort() {
            let each = effort.counts.iter().zip(&counts).map(|(n, c)| format!("{n} {:.2}", c / steps as f64));
            println!("a step: {}", each.collect::<Vec<_>>().join(", "));
            println!("largest residual of a step {residual:.1e}");
        }
    }
    let gained = sim.energy_books().map_or(0.0, |b| b.gained());
    let (e, lowest) =
        (sim.energy(), (0..boxes).map(|i| sim.position(i as u32 + 5).z).fold(f64::INFINITY, f64::min));
    println!(
        "kinetic energy {:.3e} J, energy from nowhere {gained:.1e} of that in play, lowest centre {lowest:.4} m; state {:016x}",
        e.kinetic(),
        sim.snapshot().hash()
    );
    Ok(())
}

fn main() -> ExitCode {
    one_thread();
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, or: f64| words.get(i).map_or(Some(or), |w| w.parse().ok()).filter(|n| *n > 0.0);
    let (Some(first), Some(boxes), Some(seconds)) = (words.first(), number(1, 216.0), number(2, 1.0)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let done = if first == "--poses" {
        falling_pile(boxes as usize, Family::PENALTY.response())
            .map(|sim| poses(&sim))
            .map_err(|e| e.to_string())
    } else {
        run(first, boxes as usize, seconds)
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}
