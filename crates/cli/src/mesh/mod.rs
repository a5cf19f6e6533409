//! `impinge mesh`: what a file holds, what is wrong with it, repairs by name, and other formats.

mod picture;
mod said;

use crate::output::{Done, Json, judged};
use crate::over::{self, Target, WORK};
use clap::{Args, ValueEnum};
use impinge_geometry::{TetMesh, TetTopology, TriMesh};
use impinge_io::{
    Place, ReadOptions, SUPPORTED_TET_EXTENSIONS, TetFile, UpAxis, can_write, read_mesh, read_tet_file,
    stl_rounding, write_mesh, write_tets,
};
use impinge_meshing::{FillOptions, Repair, fill, health, repair_tets, tet_health};
use impinge_report::write_report;
use said::Said;
use serde_json::json;
use std::path::{Path, PathBuf};

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
  impinge mesh bunny.obj --out bunny.stl                                             (another format)
  impinge mesh bunny.obj --repair drop-unused,fill-holes --out bunny-closed.obj
  impinge mesh scan.stl --scale 0.001 --report out/scan      (a page with a picture of where the faults are)
  impinge mesh bunny.obj --repair drop-unused,fill-holes --tets 0.01 --out bunny.vtu
  impinge mesh part.msh --repair orient --out part.vtu                               (a file of tets)

Read: .obj .stl .ply .glb, and .vtk .vtu .msh with surfaces or tets. Written, as the extension of --out says: surfaces as .obj .stl .ply .vtk
.vtu .msh, tets as .vtk .vtu .msh; tets into .obj, .stl or .ply write their boundary. Coordinates keep all digits, but for .stl (32-bit floats).

Repairs, done in the order given and never on their own: weld, drop-degenerate, drop-unused, orient, fill-holes; of tets orient,
drop-degenerate, drop-unused. The exit code is 0 for a mesh that a body can be made of, else 1.")]
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
    /// Distance in metres within which `weld` merges vertices; 0, which holds without it, merges equal positions only.
    #[arg(long, allow_negative_numbers = true, value_name = "METRES")]
    tolerance: Option<f64>,
    /// Fill the closed surface with tets about this long; prints how good and how near they are.
    #[arg(long, value_name = "METRES", allow_negative_numbers = true)]
    tets: Option<f64>,
    /// Where the mesh, repaired or filled, goes; the extension names the format.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write over `--out` where it is there already, and over a page of `--report` that this program did not write.
    #[arg(long)]
    force: bool,
    /// Folder for a page with a picture of where the faults are.
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

/// Runs the command. Exit code 0 for a mesh a body can be made of, 1 otherwise.
pub fn command(args: &MeshArgs) -> Done {
    args.json.begin();
    let up = match args.up {
        Up::Y => UpAxis::Y,
        Up::Z => UpAxis::Z,
    };
    if let Some(out) = &args.out {
        // Tets into a format of surfaces write their boundary, unless they were asked for.
        can_write(out, args.tets.is_some()).map_err(|e| e.to_string())?;
        // A mesh may be the work of somebody, unlike what is made anew. Who forces it may mend one in its place.
        Target { option: "--out", file: out, form: &WORK, force: Some(args.force) }.ready(&[])?;
    }
    if let Some(dir) = &args.report {
        over::report("--report", dir, "report.html", args.force)?;
    }
    check_tolerance(args)?;
    let options = ReadOptions { scale: args.scale, up };
    let mut said = Said::default();
    said.one("file", &args.file.display().to_string());
    let good = match tets_of(&args.file, &options)? {
        Some(found) => solid(args, found, &mut said)?,
        None => surface(args, &options, &mut said)?,
    };
    args.json.print(&said.document());
    Ok(judged(good))
}

/// A distance that nothing goes by is refused.
fn check_tolerance(args: &MeshArgs) -> Result<(), String> {
    let Some(tolerance) = args.tolerance else { return Ok(()) };
    if !(tolerance.is_finite() && tolerance >= 0.0) {
        return Err(format!("--tolerance {tolerance:?}: give metres, 0 or more"));
    }
    match args.repair.iter().any(|name| name.trim() == "weld") {
        true => Ok(()),
        false => Err(format!(
            "--tolerance {tolerance:?}: it is of `weld` alone; add --repair weld, or leave it out"
        )),
    }
}

/// What a file of tets holds; `None` for a file of a surface. A format that can hold both is read to know.
fn tets_of(file: &Path, options: &ReadOptions) -> Result<Option<TetFile>, String> {
    let extension = file.extension().map(|e| e.to_string_lossy().to_lowercase());
    if !extension.is_some_and(|e| SUPPORTED_TET_EXTENSIONS.contains(&&e[..])) {
        return Ok(None);
    }
    let found = read_tet_file(file, options).map_err(|e| e.to_string())?;
    Ok((!found.tets.is_empty()).then_some(found))
}

fn surface(args: &MeshArgs, options: &ReadOptions, said: &mut Said) -> Result<bool, String> {
    let repairs: Vec<Repair> = args
        .repair
        .iter()
        .map(|name| Repair::from_name(name.trim(), args.tolerance.unwrap_or(0.0)).map_err(|e| e.to_string()))
        .collect::<Result<_, _>>()?;
    let mut mesh = read_mesh(&args.file, options).map_err(|e| e.to_string())?;
    let mut found = health(&mesh);
    said.rows("surface", "", &found.rows());
    for repair in &repairs {
        let repaired = repair.apply(&mesh).map_err(|e| e.to_string())?;
        said.item("repairs", &repaired.report.to_string());
        mesh = repaired.mesh;
    }
    if !repairs.is_empty() {
        found = health(&mesh);
        said.rows("repaired", "after the repairs", &found.rows());
    }
    let solid = found.volume().is_ok();
    said.numbers(json!({
        "vertices": found.vertices, "triangles": found.triangles, "area": found.area, "volume": found.volume().ok(),
        "bounds": [<[f64; 3]>::from(found.bounds.0), <[f64; 3]>::from(found.bounds.1)],
        "closed": found.closed(), "manifold": found.manifold(), "oriented": found.oriented(), "sound": found.is_sound(),
    }));
    let crossings = found.self_intersections.len();
    let crosses = format!(
        "a rigid body can be made of it, but it crosses itself {crossings} times: where its parts overlap, its mass counts twice, and so do the \
         volumes of `volume` and `volume-penalty`"
    );
    said.verdict(
        solid,
        match solid {
            true if crossings > 0 => &crosses,
            true => "a rigid body can be made of it",
            false => "no rigid body can be made of it: it has no volume, for the reason above",
        },
    );
    let filled =
        args.tets.map(|cell| fill(&mesh, FillOptions::cell(cell))).transpose().map_err(|e| e.to_string())?;
    if let Some(filled) = &filled {
        said.rows("filled", "filled with tets", &filled.quality.rows());
    }
    if let Some(out) = &args.out {
        match &filled {
            Some(filled) => write_tets(out, &filled.mesh).map_err(|e| e.to_string())?,
            None => write_surface(out, &mesh, said)?,
        }
        said.wrote("wrote", out);
    }
    if let Some(dir) = &args.report {
        let page = picture::picture(&args.file, &mesh, &found);
        let written = write_report(dir, &page).map_err(|e| e.to_string())?;
        said.wrote("report", &written.html);
    }
    Ok(solid)
}

fn solid(args: &MeshArgs, found: TetFile, said: &mut Said) -> Result<bool, String> {
    let file = args.file.display();
    if args.tets.is_some() {
        return Err(format!("{file} holds tets already; --tets fills a surface: leave it out"));
    }
    let mut places: Vec<Place> = found.tet_places;
    let mut mesh = TetMesh::new(found.positions, found.tets).map_err(|e| format!("{file}: {e}"))?;
    let mut health = tet_health(&mesh);
    said.rows("tets", "", &health.rows(|t| places.get(t).map(Place::named)));
    for name in &args.repair {
        let (mended, what) = repair_tets(&mesh, name.trim())?;
        said.item("repairs", &what);
        mesh = mended;
        // Numbers are no longer those of the file.
        places.clear();
    }
    if !args.repair.is_empty() {
        health = tet_health(&mesh);
        said.rows("repaired", "after the repairs", &health.rows(|_| None));
    }
    if let Some(boundary) = &health.surface {
        said.rows("boundary", "boundary surface", &boundary.rows());
    }
    said.numbers(json!({
        "vertices": health.vertices, "tets": health.tets, "parts": health.parts, "volume": health.volume,
        "min_dihedral": health.min_dihedral, "max_dihedral": health.max_dihedral,
        "bounds": [<[f64; 3]>::from(health.bounds.0), <[f64; 3]>::from(health.bounds.1)],
        "inverted": health.inverted, "flat": health.flat, "duplicates": health.duplicates,
    }));
    let solid = health.is_solid();
    said.verdict(
        solid,
        match solid {
            true => "a body can be made of it",
            false => "no body can be made of it, for the faults above",
        },
    );
    if let Some(out) = &args.out {
        if can_write(out, true).is_ok() {
            write_tets(out, &mesh).map_err(|e| e.to_string())?;
        } else {
            write_surface(out, &boundary(&mesh)?, said)?;
            said.note(&format!("{} holds no tets: the boundary is written", out.display()));
        }
        said.wrote("wrote", out);
    }
    if let Some(dir) = &args.report {
        let (skin, boundary) = (boundary(&mesh)?, health.surface);
        let of_boundary = boundary.ok_or("the tets have no boundary: nothing to draw")?;
        let page = picture::picture(&args.file, &skin, &of_boundary);
        let written = write_report(dir, &page).map_err(|e| e.to_string())?;
        said.wrote("report", &written.html);
    }
    Ok(solid)
}

fn boundary(mesh: &TetMesh) -> Result<TriMesh, String> {
    TetTopology::new(mesh).surface(mesh).map(|s| s.mesh).map_err(|e| e.to_string())
}

fn write_surface(out: &Path, mesh: &TriMesh, said: &mut Said) -> Result<(), String> {
    write_mesh(out, mesh).map_err(|e| e.to_string())?;
    if out.extension().is_some_and(|e| e.eq_ignore_ascii_case("stl")) {
        let moved = stl_rounding(mesh);
        said.note(&format!(
            "STL keeps 32-bit floats and no unused vertices: coordinates moved by at most {moved:.1e} m"
        ));
    }
    Ok(())
}
