//! Fills a mesh file with tets and prints how good they are:
//! `cargo run --release -p impinge-meshing --example fill -- FILE [CELL in m]`.
//!
//! Holes are filled first, between their own vertices. Without a cell it takes ten across the smallest extent.

use impinge_io::{ReadOptions, read_mesh};
use impinge_meshing::{FillOptions, fill, health, suggest};
use std::process::ExitCode;
use std::time::Instant;

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("usage: fill FILE [CELL in m]")?;
    let mut mesh = read_mesh(file, &ReadOptions::default())?;
    for repair in suggest(&health(&mesh)) {
        let repaired = repair.apply(&mesh)?;
        print!("{}", repaired.report);
        mesh = repaired.mesh;
    }
    let options = match arguments.next() {
        Some(cell) => FillOptions::cell(cell.parse()?),
        None => FillOptions::across(&mesh, 10),
    };
    println!("cell             {:.4e} m", options.cell);
    let start = Instant::now();
    let filled = fill(&mesh, options)?;
    println!("{}\ntime             {:.3} s", filled.quality, start.elapsed().as_secs_f64());
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
