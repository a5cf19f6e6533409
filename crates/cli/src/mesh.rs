//! `impinge mesh`: what a file holds, what is wrong with it, and repairs by name.

use crate::fail;
use clap::{Args, ValueEnum};
use impinge_geometry::{DVec3, TriMesh};
use impinge_io::{Grid, ReadOptions, UpAxis, read_mesh, write_obj, write_vtu};
use impinge_meshing::{FaultKind, FillOptions, Health, Repair, fault_marks, fill, health};
use impinge_report::{
    BodyKind, BodyShape, Check, Frames, Parameter, PointTrack, RunRecord, Verdict, write_report,
};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Which axis of the file points up.
#[derive(Clone, Copy, ValueEnum)]
enum Up {
    Y,
    Z,
}

/// Arguments of `impinge mesh`.
#[derive(Args)]
#[command(after_help = "Examples:
  impinge mesh bunny.obj
  impinge mesh bunny.obj --repair drop-unused,fill-holes --out bunny-closed.obj
  impinge mesh scan.stl --scale 0.001 --report out/scan      (a page with a picture of where the faults are)
  impinge mesh bunny.obj --repair drop-unused,fill-holes --tets 0.01 --out bunny.vtu

Repairs, done in the order given and never on their own: weld, drop-degenerate, drop-unused, orient, fill-holes.
The exit code is 0 for a mesh that a rigid body can be made of, else 1.")]
pub struct MeshArgs {
    /// The mesh file.
    file: PathBuf,
    /// Metres per unit of the file: 0.001 for a file in millimetres.
    #[arg(long, default_value_t = 1.0, allow_negative_numbers = true)]
    scale: f64,
    /// Axis of the file that points up.
    #[arg(long, value_enum, default_value = "z")]
    up: Up,
    /// Repairs by name, in this order.
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    repair: Vec<String>,
    /// Distance in metres within which `weld` merges vertices; 0 merges equal positions only.
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true, value_name = "METRES")]
    tolerance: f64,
    /// Fill the closed surface with tets about this long; prints how good and how near they are.
    #[arg(long, value_name = "METRES", allow_negative_numbers = true)]
    tets: Option<f64>,
    /// Where the repaired mesh goes (OBJ), or the tets (VTU).
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write over `--out` where it is there already.
    #[arg(long, requires = "out")]
    force: bool,
    /// Folder for a page with a picture of where the faults are.
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
}

/// Runs the command. Exit code 0 for a mesh a rigid body can be made of, 1 otherwise.
pub fn command(args: &MeshArgs) -> ExitCode {
    match inspect(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => fail(e),
    }
}

fn inspect(args: &MeshArgs) -> Result<bool, String> {
    let up = match args.up {
        Up::Y => UpAxis::Y,
        Up::Z => UpAxis::Z,
    };
    let repairs: Vec<Repair> = args
        .repair
        .iter()
        .map(|name| Repair::from_name(name.trim(), args.tolerance).map_err(|e| e.to_string()))
        .collect::<Result<_, _>>()?;
    if args.out.is_some() && repairs.is_empty() && args.tets.is_none() {
        return Err("--out without --repair or --tets: name the repairs to do, for instance --repair weld,fill-holes, or the \
                    size of tets"
            .to_string());
    }
    // A mesh may be the work of somebody, unlike a report that is made anew.
    if let Some(out) = args.out.as_ref().filter(|out| !args.force && out.exists()) {
        return Err(format!(
            "{} is there already; give another --out, or --force to write over it",
            out.display()
        ));
    }
    let mut mesh =
        read_mesh(&args.file, &ReadOptions { scale: args.scale, up }).map_err(|e| e.to_string())?;
    say!("{}", args.file.display());
    let mut found = health(&mesh);
    say!("{found}");
    for repair in &repairs {
        let repaired = repair.apply(&mesh).map_err(|e| e.to_string())?;
        say!("\n{}", repaired.report);
        mesh = repaired.mesh;
    }
    if !repairs.is_empty() {
        found = health(&mesh);
        say!("\nafter the repairs\n{found}");
    }
    match found.volume() {
        Ok(_) => say!("a rigid body can be made of it"),
        Err(_) => say!("no rigid body can be made of it: it has no volume, for the reason above"),
    }
    let filled =
        args.tets.map(|cell| fill(&mesh, FillOptions::cell(cell))).transpose().map_err(|e| e.to_string())?;
    if let Some(filled) = &filled {
        say!("\nfilled with tets\n{}", filled.quality);
    }
    if let Some(out) = &args.out {
        match &filled {
            Some(filled) => write_vtu(out, &Grid::from(&filled.mesh)),
            None => write_obj(out, &mesh),
        }
        .map_err(|e| e.to_string())?;
        say!("wrote {}", out.display());
    }
    if let Some(dir) = &args.report {
        let written = write_report(dir, &picture(&args.file, &mesh, &found)).map_err(|e| e.to_string())?;
        say!("report {}", written.html.display());
    }
    Ok(found.volume().is_ok())
}

fn f32x3(v: DVec3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}

/// The mesh with its faults as points, one body for each kind, so that the legend names and hides them.
fn picture(file: &Path, mesh: &TriMesh, health: &Health) -> RunRecord {
    const COLOURS: [[u8; 3]; 4] = [[204, 51, 17], [238, 119, 51], [0, 119, 187], [170, 51, 119]];
    let name =
        file.file_name().map_or_else(|| file.display().to_string(), |n| n.to_string_lossy().into_owned());
    let marks = fault_marks(health);
    let mut bodies = vec![BodyShape {
        name: name.clone(),
        kind: BodyKind::Fixed,
        vertices: mesh.positions().iter().map(|&p| f32x3(p)).collect(),
        triangles: mesh.triangles().to_vec(),
        ..BodyShape::default()
    }];
    let mut points = Vec::new();
    let mut checks = Vec::new();
    for (k, kind) in FaultKind::ALL.into_iter().enumerate() {
        let places: Vec<[f32; 3]> =
            marks.iter().filter(|m| m.kind == kind).map(|m| f32x3(m.position)).collect();
        checks.push(Check {
            name: kind.name().to_string(),
            what: "places in the mesh".to_string(),
            expected: "0".to_string(),
            measured: places.len() as f64,
            verdict: if places.is_empty() { Verdict::Pass } else { Verdict::Fail },
            ..Check::default()
        });
        if !places.is_empty() {
            points.push(PointTrack { body: bodies.len() as u32, positions: vec![places] });
            bodies.push(BodyShape {
                name: kind.name().to_string(),
                kind: BodyKind::Particles,
                colour: Some(COLOURS[k % COLOURS.len()]),
                ..BodyShape::default()
            });
        }
    }
    let still = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let frames = Frames {
        time: vec![0.0],
        poses: vec![vec![still; bodies.len()]],
        points,
        contacts: vec![Vec::new()],
        ..Frames::default()
    };
    RunRecord {
        title: format!("Mesh health: {name}"),
        description: if health.is_sound() { "Nothing is wrong with it." } else { "Where its faults are." }
            .to_string(),
        scene: name,
        bodies,
        frames,
        checks,
        parameters: numbers(health),
        notes: health.to_string().lines().map(str::to_string).filter(|l| !l.trim().is_empty()).collect(),
        ..RunRecord::default()
    }
}

fn numbers(health: &Health) -> Vec<Parameter> {
    let p = |name: &str, value: String, unit: &str| Parameter {
        name: name.to_string(),
        value,
        unit: unit.to_string(),
        note: String::new(),
    };
    let size = health.bounds.1 - health.bounds.0;
    vec![
        p("vertices", health.vertices.to_string(), ""),
        p("triangles", health.triangles.to_string(), ""),
        p("parts", health.parts.len().to_string(), ""),
        p("holes", health.holes.to_string(), ""),
        p("size", format!("{:.6} × {:.6} × {:.6}", size.x, size.y, size.z), "m"),
        p("area", format!("{:.6e}", health.area), "m²"),
        p("volume", health.volume().map_or_else(|e| e.to_string(), |v| format!("{v:.9e}")), "m³"),
    ]
}
