//! Times the contact query on the cases of a reference file:
//! `cargo run --release -p impinge-pressure --example query_speed -- FILE [--calls N] [--poses]`.
//!
//! Prints per case: faces, net force on A, µs per query (median and smallest), with the pose of B changed before every
//! call: by ±1 µm and ±1 µrad, so that the result stays that of the file; with `--poses` both bodies take 64 random poses
//! of ±0.15 rad and ±2 mm about the file's, and the best time of each pose is taken before the median over poses.

#[path = "../tests/all/support/mod.rs"]
mod support;

use impinge_pressure::{ContactSurface, Rule, Shape, Workspace, contact};
use std::process::ExitCode;
use std::time::Instant;
use support::{Lcg, drake_shape, nudged, pose, read};

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let (mut file, mut calls, mut spread) = (None, 400usize, false);
    while let Some(a) = args.next() {
        match a.as_str() {
            "--calls" => calls = args.next().and_then(|n| n.parse().ok()).unwrap_or(calls),
            "--poses" => spread = true,
            "--balls" => {
                balls(calls);
                return ExitCode::SUCCESS;
            }
            _ => file = Some(a),
        }
    }
    let Some(file) = file else {
        eprintln!("give the file of reference contacts (reference_contact.json)");
        return ExitCode::FAILURE;
    };
    let file = read(file.into());
    println!(
        "{:<52} {:>6} {:>34} {:>9} {:>9} {:>8}  work",
        "case", "faces", "force on A (N)", "median us", "min us", "us/face"
    );
    for case in file["cases"].as_array().into_iter().flatten() {
        let name = case["name"].as_str().unwrap_or("?");
        let (a, b) = (drake_shape(&file, &case["A"]), drake_shape(&file, &case["B"]));
        let (pa, pb) = (pose(&case["X_WA"]), pose(&case["X_WB"]));
        row(name, &a, &pa, &b, &pb, calls, spread);
    }
    ExitCode::SUCCESS
}

/// Two balls of 50 mm as in the peer's table, 32 to 2048 tets each, and two that just miss; no file needed.
fn balls(calls: usize) {
    use impinge_geometry::{DVec3, Pose};
    for (hint, tets) in [(0.05, 32), (0.025, 128), (0.0125, 512), (0.00625, 2048)] {
        let ball: Shape = impinge_pressure::fields::sphere(0.05, hint, 1e6).expect("a ball").into();
        for (name, distance) in [("touch", 0.088), ("miss", 0.103)] {
            let at = Pose::from_position(DVec3::new(0.01, 0.02, 1.0).normalized() * distance);
            row(
                &format!("ball ~ ball {tets} {name}"),
                &ball,
                &Pose::identity(),
                &ball,
                &at,
                calls.max(6400),
                true,
            );
        }
    }
}

fn row(
    name: &str,
    a: &Shape,
    pa: &impinge_geometry::Pose,
    b: &Shape,
    pb: &impinge_geometry::Pose,
    calls: usize,
    spread: bool,
) {
    let (mut ws, mut out) = (Workspace::new(), ContactSurface::new());
    let mut random = Lcg(7);
    let (shift, turn) = if spread { (2e-3, 0.15) } else { (1e-6, 1e-6) };
    let poses: Vec<_> = (0..64)
        .map(|_| {
            let moved_a =
                if spread { nudged(pa, random.vector() * shift, random.vector() * turn) } else { *pa };
            (moved_a, nudged(pb, random.vector() * shift, random.vector() * turn))
        })
        .collect();
    let mut best = vec![f64::INFINITY; poses.len()];
    let mut all = Vec::with_capacity(calls);
    let mut faces = 0;
    for i in 0..calls + poses.len() {
        let k = i % poses.len();
        let (qa, qb) = &poses[k];
        let start = Instant::now();
        let _ = contact(a, qa, b, qb, Rule::Paper, &mut ws, &mut out);
        let t = start.elapsed().as_secs_f64() * 1e6;
        if i >= poses.len() {
            best[k] = best[k].min(t);
            all.push(t);
        } else {
            faces += out.faces.len();
        }
    }
    let times = if spread { &mut best } else { &mut all };
    times.sort_by(f64::total_cmp);
    let median = times[times.len() / 2];
    let mean_faces = faces as f64 / poses.len() as f64;
    let _ = contact(a, pa, b, pb, Rule::Paper, &mut ws, &mut out);
    let f = out.wrench.force;
    println!(
        "{name:<52} {:>6} {:>34} {median:>9.2} {:>9.2} {:>8.3}  {:?}",
        if spread { mean_faces.round() as usize } else { out.faces.len() },
        format!("{:.4} {:.4} {:.4}", f.x, f.y, f.z),
        times[0],
        median / mean_faces.max(1.0),
        out.work
    );
}
