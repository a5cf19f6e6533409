//! `impinge new`: a scene file for meshes of one's own, with numbers that suit their size and weight.

use crate::fail;
use clap::Args;
use impinge_geometry::{area, mass_properties};
use impinge_io::{ReadOptions, UpAxis, read_mesh};
use impinge_meshing::Repair;
use impinge_scene::{SceneSpec, plain};
use std::fmt::Write as _;
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
from mass, size and restitution; comments in the file say how. Every mesh must be closed. One that is not is refused with
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
pub fn command(args: &NewArgs) -> ExitCode {
    match write(args) {
        Ok(()) => {
            say!("wrote {0}; next: impinge run {0}", args.scene.display());
            ExitCode::SUCCESS
        }
        Err(e) => fail(e),
    }
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
    /// Of its surface (m²).
    area: f64,
}

/// Steps in which a contact with a sixth of the surface swings once: enough for every response by stiffness.
const STEPS_A_SWING: f64 = 30.0;
/// The floor gives way by about this part of a body's smallest side.
const SUNK: f64 = 2e-3;
/// Bodies start this part of the largest side above the floor, and twice that apart.
const GAP: f64 = 0.1;
/// A few corners carry more than their share of the surface.
const FEW_POINTS: f64 = 2.0;
const GRAVITY: f64 = 9.81;
/// Speed after over speed before an impact.
const RESTITUTION: f64 = 0.3;

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
    let text = scene(args, &parts);
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
    let volume = mass_properties(&mesh).map_or(1.0, |m| m.volume);
    Ok(Part {
        name: name(file, before),
        path: path(file, &args.scene)?,
        low: low.into(),
        high: high.into(),
        mass: args.density * volume,
        area: area(&mesh),
    })
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

/// To two digits.
fn short(x: f64) -> String {
    let text = plain(x, 2);
    if text.contains(['.', 'e']) { text } else { format!("{text}.0") }
}

fn scene(args: &NewArgs, parts: &[Part]) -> String {
    let sides = |p: &Part| [0, 1, 2].map(|i| p.high[i] - p.low[i]);
    let all = || parts.iter().flat_map(sides);
    let (least, most) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    // A contact that swings once in 30 steps sinks by g (30 dt/2π)² under the body's weight.
    let swing = std::f64::consts::TAU / STEPS_A_SWING;
    let wanted = swing * (SUNK * least / GRAVITY).sqrt();
    let exponent = wanted.log10().floor();
    let dt = (wanted / 10f64.powf(exponent)).floor().max(1.0) * 10f64.powf(exponent);
    let dt = dt.clamp(1e-6, 1e-3);
    let title = parts.iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(", ");
    let height = GAP * most;
    let speed = (2.0 * GRAVITY * height).sqrt();
    // N/m³: mass over the square of the time of a radian, per area of the contact.
    let per_area = |p: &Part| FEW_POINTS * p.mass * (swing / dt).powi(2) / (p.area / 6.0);
    let softest = parts.iter().map(per_area).fold(f64::INFINITY, f64::min);
    // Of a sixth of the surface of the lightest body: Pa/m³ and Pa·s/m³.
    let light = parts.iter().min_by(|a, b| a.mass.total_cmp(&b.mass));
    let [volume, viscosity] = light.map_or([1e9, 0.0], |p| {
        let (k, face) = (p.mass * (swing / dt).powi(2), (p.area / 6.0).powi(2));
        [k / face, (k * p.mass).sqrt() / face]
    });
    let mut out = format!(
        "# Written by `impinge new`; `impinge run FILE` runs it, `impinge compare FILE` under every response.\n\
         # Every key with its unit: fixtures/scenes/SCHEMA.md of the repository. SI units, z is up.\n\n\
         [scene]\ntitle = {0}\ndescription = \"Meshes that fall onto a floor.\"\n\
         # A sixth of a body's surface in contact swings once in 30 steps, and gives way by 2 thousandths of its smallest side.\n\
         dt = {dt:?}\nduration = 2.0\nresponse = \"penalty\"   # or cpf, dpf-ccd, cpf-implicit, qp, volume, volume-penalty, pressure\n\n\
         # For the response `qp`: the distance that surfaces keep (m).\n[qp]\nthickness = {1}\n\n\
         # For the response `volume`: the depth that contacts keep (m). For `volume-penalty`: the same stiffness, damped.\n\
         [volume]\ndepth = {1}\nstiffness = {2}\nviscosity = {3}\n\n\
         [[material]]\nname = \"floor\"\n",
        toml::Value::String(title),
        short(SUNK * least),
        short(volume),
        short(viscosity)
    );
    for p in parts {
        let _ =
            write!(out, "\n[[material]]\nname = \"{}\"\ndensity = {:?}   # kg/m³\n", p.name, args.density);
    }
    let law = |materials: [&str; 2], stiffness: f64| {
        format!(
            "\n[[pair]]\nmaterials = [\"{}\", \"{}\"]\nstiffness_per_area = {}   # N/m³, so that a finer mesh is no stiffer\n\
             mu_s = 0.5\n# It comes back at 0.3 of the speed it falls with.\n\
             damping = {{ restitution = {RESTITUTION:?}, law = \"hunt-crossley\", speed = {} }}\n",
            materials[0],
            materials[1],
            short(stiffness),
            short(speed)
        )
    };
    parts.iter().for_each(|p| out += &law([&p.name, "floor"], per_area(p)));
    if parts.len() > 1 {
        out += &law(["*", "*"], softest);
    }
    out += "\n[[body]]\nname = \"floor\"\nkind = \"fixed\"\nmaterial = \"floor\"\nplane = { normal = [0.0, 0.0, 1.0] }\n";
    let mut x = 0.0;
    for p in parts {
        let [width, ..] = sides(p);
        let at = [x - p.low[0], -0.5 * (p.low[1] + p.high[1]), height - p.low[2]];
        x += width + 2.0 * height;
        let _ = write!(
            out,
            "\n[[body]]\nname = \"{0}\"\nmaterial = \"{0}\"\n\
             mesh = {{ file = {{ path = {1}, up = \"{2}\", scale = {3:?} }} }}\n# The file's origin: its lowest point is {4} m above the floor.\n\
             position = [{5:?}, {6:?}, {7:?}]\n",
            p.name,
            p.path,
            args.up,
            args.scale,
            short(height),
            at[0],
            at[1],
            at[2]
        );
    }
    out + "\n# What must come out; `impinge run` says whether it does.\n[[expect]]\nname = \"finite\"\nmeasure = \"finite\"\nevery_response = true\nmin = 1\n"
}
