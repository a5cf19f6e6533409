//! A stack of boxes with four contacts between neighbours: time to assemble its compliance, then each solver's time, iterations and
//! residual on the same problem.
//!
//! `cargo run --release -p impinge-solvers --example contact_stack -- [BOXES] [TOLERANCE] [FILE]`; FILE gets the problem as text.

use impinge_solvers::mlcp::{
    Cone, ContactProblem, ContactRows, accelerated, gauss_seidel, interior_point, semismooth_newton,
};
use impinge_solvers::{Outcome, Settings};
use std::error::Error;
use std::time::Instant;

/// Rows of the four corners below each unit box, over six degrees of freedom for each box.
fn rows(boxes: usize) -> ContactRows {
    let mut rows = ContactRows::new();
    for level in 0..boxes {
        for corner in 0..4 {
            let (x, y) = (if corner & 1 == 0 { -0.5 } else { 0.5 }, if corner & 2 == 0 { -0.5 } else { 0.5 });
            for k in 0..3 {
                let mut entries = Vec::new();
                for (owner, sign, z) in [(Some(level), 1.0, -0.5), (level.checked_sub(1), -1.0, 0.5)] {
                    let Some(owner) = owner else { continue };
                    // Normal z, tangents x and y; angular part: arm × direction.
                    let (linear, angular) = match k {
                        0 => (2, [y, -x, 0.0]),
                        1 => (0, [0.0, z, -y]),
                        _ => (1, [-z, 0.0, x]),
                    };
                    let first = 6 * owner as u32;
                    entries.push((first + linear, sign));
                    entries.extend((3..6).zip(angular).map(|(a, v)| (first + a, sign * v)));
                }
                rows.push(entries);
            }
        }
    }
    rows
}

type Method = fn(&ContactProblem, &mut [[f64; 3]], &Settings) -> Outcome;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let boxes: usize = words.next().map_or(Ok(125), |w| w.parse())?;
    let tolerance: f64 = words.next().map_or(Ok(1e-4), |w| w.parse())?;
    let rows = rows(boxes);
    // One step of falling, drifting sideways and turning a little.
    let motion: Vec<f64> = (0..6 * boxes).map(|t| [0.02, 0.0, -0.1, 0.0, 0.0, 0.01][t % 6]).collect();
    let cones = vec![Cone::Round { mu: 0.4 }; 4 * boxes];
    let start = Instant::now();
    // Boxes of 1 kg and 1 m: inverse inertia 6.
    let unit = |x: &mut [f64]| x.chunks_exact_mut(6).for_each(|b| b[3..].iter_mut().for_each(|w| *w *= 6.0));
    let problem = ContactProblem::assemble(&rows, &motion, None, cones, unit)?;
    println!("{} contacts assembled in {:.2} ms", problem.len(), start.elapsed().as_secs_f64() * 1e3);
    if let Some(file) = words.next() {
        std::fs::write(&file, problem.to_text())?;
    }
    let methods: [(&str, Method); 4] = [
        ("Gauss–Seidel", gauss_seidel),
        ("accelerated", accelerated),
        ("interior point", interior_point),
        ("Newton", semismooth_newton),
    ];
    for (name, method) in methods {
        if name == "Newton" && problem.len() > 100 {
            println!("{name:<14} left out: dense systems of {} unknowns", 3 * problem.len());
            continue;
        }
        let mut r = vec![[0.0; 3]; problem.len()];
        let settings = Settings { tolerance, max_iterations: 20_000 };
        let start = Instant::now();
        let outcome = method(&problem, &mut r, &settings);
        println!("{name:<14} {:>9.2} ms, {outcome}", start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(())
}
