//! Prints the health of an OBJ file, before and after the repairs named behind it:
//! `cargo run --release -p impinge-meshing --example health -- FILE [REPAIR …]`.
//!
//! Without a file it measures a torus of a million triangles.

use impinge_geometry::{TriMesh, torus};
use impinge_io::{ReadOptions, read_mesh};
use impinge_meshing::{Health, Repair, health};
use std::process::ExitCode;
use std::time::Instant;

fn timed(mesh: &TriMesh) -> Health {
    let start = Instant::now();
    let h = health(mesh);
    let s = start.elapsed().as_secs_f64();
    print!("{h}");
    println!("{:<22} {s:.3} s, {:.2} µs per triangle\n", "time", s * 1e6 / mesh.triangles().len() as f64);
    h
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut mesh = match arguments.next() {
        Some(file) => read_mesh(file, &ReadOptions::default())?,
        None => torus(1.0, 0.3, 1000, 500)?,
    };
    let mut report = timed(&mesh);
    for name in arguments {
        let start = Instant::now();
        let repaired = Repair::from_name(&name, report.tolerance)?.apply(&mesh)?;
        print!("{}", repaired.report);
        println!("  in {:.3} s\n", start.elapsed().as_secs_f64());
        mesh = repaired.mesh;
        report = timed(&mesh);
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::FAILURE
        }
    }
}
