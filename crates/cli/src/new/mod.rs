//! `impinge new`: a scene file for meshes of one's own, with numbers that suit their size and weight.

mod scene;

use crate::output::Done;
use clap::Args;
use impinge_geometry::{DVec3, TriMesh, area, mass_properties, try_normalized};
use impinge_io::{ReadOptions, UpAxis, read_mesh};
use impinge_meshing::Repair;
use impinge_scene::SceneSpec;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `impinge new`.
#[derive(Args)]
#[command(after_help = "Examples:
  impinge new my-scene.toml --mesh part.stl --scale 0.001
  impinge new pile.toml --mesh part.obj --mesh other.obj --up y
  impinge run my-scene.toml

The meshes stand side by side a little above a floor, so that nothing overlaps at the start. Stiffness and step follow
from mass, thickness and restitution; comments in the file say how. What must come out is written, too: all rests at the end, and the floor
carries the weight. Every mesh must be closed. One that is not is refused with
the repair that helps (`impinge mesh part.stl --repair …`).")]
pub struct NewArgs {
    /// The scene file to write; one that is there is not written over.
    scene: PathBuf,
    /// A mesh file, which becomes a rigid body; may be given many times.
    #[arg(long, value_name = "FILE", required = true)]
    mesh: Vec<PathBuf>,
    /// Axis of the mesh files that points up.
    #[arg(long, value_name = "AXIS", default_value = "z", value_parser = ["y", "z"])]
    up: String,
    /// Metres per unit of the mesh files: 0.001 for files in millimetres.
    #[arg(long, default_value_t = 1.0, allow_negative_numbers = true)]
    scale: f64,
    /// Mass per volume (kg/m³).
    #[arg(long, default_value_t = 1000.0, allow_negative_numbers = true, value_name = "KG/M3")]
    density: f64,
}

/// Runs the command.
pub fn command(args: &NewArgs) -> Done {
    write(args)?;
    say!("wrote {0}; next: impinge run {0}", args.scene.display());
    Ok(ExitCode::SUCCESS)
}

/// A mesh with what its numbers follow from.
struct Part {
    name: String,
    /// As the scene names it.
    path: String,
    /// Its box (m).
    low: [f64; 3],
    high: [f64; 3],
    mass: f64,
    /// Twice its volume over its surface (m): of a plate its thickness, of a ball a third of its diameter, however it lies in its box.
    thickness: f64,
    /// What of it lies on the floor (m²): see [`face`].
    face: f64,
    /// Its centre of mass is above what it stands on: it stays as it lies in its file.
    stands: bool,
}

fn write(args: &NewArgs) -> Result<(), String> {
    let shown = args.scene.display();
    if args.scene.extension().is_none_or(|e| e != "toml") {
        return Err(format!("{shown}: a scene is a TOML file; give it a name that ends in .toml"));
    }
    for (option, value) in [("--scale", args.scale), ("--density", args.density)] {
        if !(value.is_finite() && value > 0.0) {
            return Err(format!("{option} {value}: give a number above 0"));
        }
    }
    let mut parts: Vec<Part> = Vec::new();
    for file in &args.mesh {
        let part = part(args, file, &parts)?;
        parts.push(part);
    }
    let text = scene::text(&args.up, args.scale, args.density, &parts);
    // What the scene itself refuses, such as an open mesh, is refused before the file is there.
    let spec = SceneSpec::from_str(&text, &args.scene).map_err(|e| e.to_string())?;
    spec.meshes().map_err(|e| {
        let told: Vec<String> = e.issues().iter().map(|i| format!("{}\n  fix: {}", i.what, i.fix)).collect();
        told.join("\n")
    })?;
    let file = std::fs::OpenOptions::new().write(true).create_new(true).open(&args.scene);
    file.and_then(|mut f| f.write_all(text.as_bytes())).map_err(|e| match e.kind() {
        std::io::ErrorKind::AlreadyExists => format!("{shown} is there already; give another name"),
        _ => format!("{shown} cannot be written: {e}"),
    })
}

fn part(args: &NewArgs, file: &Path, before: &[Part]) -> Result<Part, String> {
    let up = if args.up == "y" { UpAxis::Y } else { UpAxis::Z };
    let mesh = read_mesh(file, &ReadOptions { scale: args.scale, up }).map_err(|e| e.to_string())?;
    let mesh = Repair::DropUnused.apply(&mesh).map_err(|e| e.to_string())?.mesh;
    let (low, high) = mesh.bounds();
    // Of a mesh without an inside some number: the scene refuses it with the repair.
    let (volume, centre) = mass_properties(&mesh).map_or((1.0, DVec3::zero()), |m| (m.volume, m.center));
    let thickness = 2.0 * volume / area(&mesh);
    let lowest = mesh.positions().iter().filter(|p| p.z < low.z + 1e-3 * thickness);
    let arms: Vec<[f64; 2]> = lowest.map(|p| [p.x - centre.x, p.y - centre.y]).collect();
    Ok(Part {
        name: name(file, before),
        path: path(file, &args.scene)?,
        low: low.into(),
        high: high.into(),
        mass: args.density * volume,
        thickness,
        face: face(&mesh),
        stands: around(&arms),
    })
}

/// Whether the origin lies inside the convex hull of points: no gap between their directions is half a turn.
fn around(points: &[[f64; 2]]) -> bool {
    let mut angles: Vec<f64> = points.iter().map(|[x, y]| y.atan2(*x)).collect();
    angles.sort_by(f64::total_cmp);
    let Some(first) = angles.first().copied() else { return false };
    let next = angles[1..].iter().copied().chain([first + std::f64::consts::TAU]);
    angles.iter().zip(next).all(|(a, b)| b - a < std::f64::consts::PI)
}

/// The cosine of the angle within which facets are one flat face: 10°.
const FLAT: f64 = 0.985;
/// A face that is larger than the one below by more than this may not become the floor's without notice: contacts by volume get stiffer by
/// its square.
const LARGER: f64 = 2.5;
/// Facets whose planes are tried for the largest face.
const TRIED: usize = 64;

/// The area of the flat face that looks down, or that of the largest flat face, as far as a body that topples may come to lie on it.
fn face(mesh: &TriMesh) -> f64 {
    let facets: Vec<DVec3> = mesh
        .triangles()
        .iter()
        .map(|t| t.map(|i| mesh.positions()[i as usize]))
        .map(|[a, b, c]| 0.5 * (b - a).cross(c - a))
        .collect();
    let flat = |n: DVec3| facets.iter().filter(|f| f.dot(n) > FLAT * f.mag()).map(|f| f.mag()).sum::<f64>();
    let mut order: Vec<usize> = (0..facets.len()).collect();
    order.sort_by(|&a, &b| facets[b].mag().total_cmp(&facets[a].mag()));
    let normals = order.iter().take(TRIED).filter_map(|&i| try_normalized(facets[i]));
    let largest = normals.map(flat).fold(0.0, f64::max);
    flat(-DVec3::unit_z()).max(largest / LARGER)
}

/// The file's name as far as the scene takes it, and another number where it is taken.
fn name(file: &Path, before: &[Part]) -> String {
    let stem = file.file_stem().map_or(String::new(), |s| s.to_string_lossy().into_owned());
    let plain: String =
        stem.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
    let plain = match plain.chars().next() {
        Some(c) if c.is_ascii_alphabetic() && plain != "floor" => plain,
        _ => format!("part-{plain}"),
    };
    let taken = |name: &str| before.iter().any(|p| p.name == name);
    let numbered = (2..).map(|n| format!("{plain}_{n}"));
    std::iter::once(plain.clone()).chain(numbered).find(|n| !taken(n)).unwrap_or(plain)
}

/// The file relative to the scene's folder where it lies below it, else from the root.
fn path(file: &Path, scene: &Path) -> Result<String, String> {
    let absolute = |p: &Path| std::path::absolute(p).map_err(|e| format!("{}: {e}", p.display()));
    let (file, scene) = (absolute(file)?, absolute(scene)?);
    let below = scene.parent().and_then(|folder| file.strip_prefix(folder).ok()).unwrap_or(&file);
    let text =
        below.to_str().ok_or_else(|| format!("the path {} is not UTF-8; rename the file", file.display()))?;
    Ok(toml::Value::String(text.to_string()).to_string())
}
