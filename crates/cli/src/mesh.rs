//! `impinge mesh`: what a file holds and whether a body can be made of it.

use crate::fail;
use clap::{Args, ValueEnum};
use impinge_geometry::{Topology, area, mass_properties};
use impinge_io::{ReadOptions, UpAxis, read_mesh};
use std::path::PathBuf;
use std::process::ExitCode;

/// Which axis of the file points up.
#[derive(Clone, Copy, ValueEnum)]
enum Up {
    Y,
    Z,
}

/// Arguments of `impinge mesh`.
#[derive(Args)]
pub struct MeshArgs {
    /// The mesh file.
    file: PathBuf,
    /// Metres per unit of the file: 0.001 for a file in millimetres.
    #[arg(long, default_value_t = 1.0)]
    scale: f64,
    /// Axis of the file that points up.
    #[arg(long, value_enum, default_value = "z")]
    up: Up,
}

/// Runs the command. Exit code 0 for a mesh a rigid body can be made of, 1 otherwise.
pub fn command(args: &MeshArgs) -> ExitCode {
    let up = match args.up {
        Up::Y => UpAxis::Y,
        Up::Z => UpAxis::Z,
    };
    let mesh = match read_mesh(&args.file, &ReadOptions { scale: args.scale, up }) {
        Ok(m) => m,
        Err(e) => return fail(e),
    };
    let t = Topology::new(&mesh);
    let (lo, hi) = mesh.bounds();
    let size = hi - lo;
    let edges = t.edges().len();
    println!("{}", args.file.display());
    println!("  vertices        {}", mesh.positions().len());
    println!("  triangles       {}", mesh.triangles().len());
    println!("  edges           {edges}");
    println!("  parts           {}", t.part_count());
    println!("  size            {:.6} × {:.6} × {:.6} m", size.x, size.y, size.z);
    println!("  area            {:.6e} m²", area(&mesh));
    println!("  closed          {}", if t.is_closed() { "yes" } else { "no" });
    for (what, n) in [
        ("boundary edges", t.boundary_edges()),
        ("non-manifold", t.non_manifold_edges()),
        ("misoriented", t.misoriented_edges()),
        ("collapsed faces", t.collapsed_faces().len()),
        ("unused vertices", t.unreferenced_vertices().len()),
    ] {
        if n > 0 {
            println!("  {what:15} {n}");
        }
    }
    match mass_properties(&mesh) {
        Ok(m) => {
            let p = m.principal();
            println!("  volume          {:.9e} m³", m.volume);
            println!("  centre of mass  ({:.6}, {:.6}, {:.6}) m", m.center.x, m.center.y, m.center.z);
            let [a, b, c] = [p.moments[0], p.moments[1], p.moments[2]];
            println!("  principal moments at 1 kg/m³  {a:.6e}, {b:.6e}, {c:.6e} kg m²");
            println!("  a rigid body can be made of it");
            ExitCode::SUCCESS
        }
        Err(e) => {
            println!("  no rigid body can be made of it: {e}");
            ExitCode::FAILURE
        }
    }
}
