//! `impinge export`: a run for other programs.

use crate::claim::Claim;
use crate::output::{Done, Json};
use crate::over::{self, Form, Target};
use crate::run::read_by;
use crate::runner::{self, End};
use crate::{arguments, asked, scene_files, whole};
use clap::{ArgGroup, Args};
use impinge_report::{ReportError, VtuSeries, animation};
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `impinge export`.
#[derive(Args)]
#[command(after_help = "Examples:
  impinge export drop --gltf drop.glb                  (Blender, any glTF viewer)
  impinge export box-tower-pressure --vtu out          (ParaView: out/surfaces.pvd, out/contacts.pvd, out/patches.pvd)

glTF: every body a node. Rigid, driven and fixed bodies move and turn with the frames of the scene's [record]; bodies made of nodes become
morph targets, 64 moments at most; planes become squares. What a cut changes in number of points is left out, and said so.

VTU, `surfaces`: at the vertices `velocity` (m/s), `displacement` from the first frame (m) and `contact_force` (N, on the body itself: their sum is
what its contacts do to it); at the triangles `body`, the body's number, which `bodies.csv` names. `contacts`: `contact_forces`
(N, on the body `force_on`: the one that moves, the second if both do), `depth` (m) and both bodies; of patches the resultant. `patches`, of
responses that push with surfaces: polygons in triangles with `pressure` (Pa, mean of the polygon), both bodies and the polygon's number.")]
#[command(group = ArgGroup::new("format").required(true).multiple(true))]
pub struct ExportArgs {
    /// A scene's name (see `impinge list`) or the path of a scene file.
    scene: String,
    /// Response family; the scene's own when not given.
    #[arg(long)]
    response: Option<String>,
    /// Simulated time in seconds.
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    duration: Option<f64>,
    /// Writes an animation (.glb).
    #[arg(long, value_name = "FILE", group = "format")]
    gltf: Option<PathBuf>,
    /// Writes series of VTU files with PVD lists into a folder.
    #[arg(long, value_name = "DIR", group = "format")]
    vtu: Option<PathBuf>,
    /// Write over files that this program did not write.
    #[arg(long)]
    force: bool,
    /// Folder that holds `scenes` (default: `fixtures` here or in a folder above, else this program's own).
    #[arg(long, value_name = "DIR")]
    fixtures: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

/// Runs the command. A run that stopped is written as far as it came.
pub fn command(args: &ExportArgs) -> Done {
    args.json.begin();
    let path = scene_files::find(&args.scene, args.fixtures.as_deref())?;
    let response = args.response.as_deref().map(arguments::response_named).transpose()?;
    let spec = asked::scene(&path, &[], response, args.duration)?;
    let response = response.unwrap_or(spec.response);
    ready(args, &read_by(&path, &spec, None))?;
    let (mut series, mut trouble, mut next) = (None::<VtuSeries>, Ok(()), 0.0);
    let _claim = args.vtu.as_deref().map(|dir| Claim::folder(dir, "--vtu")).transpose()?;
    if let Some(dir) = &args.vtu {
        let start = spec.simulation_with(response).map_err(|e| e.to_string())?;
        let mut s = VtuSeries::create(dir, &start).map_err(|e| e.to_string())?;
        s.put(&start).map_err(|e| e.to_string())?;
        next += spec.record.frame_interval;
        series = Some(s);
    }
    let run = runner::run(&spec, response, args.gltf.is_some(), false, |sim| {
        if let Some(s) = &mut series
            && sim.time() >= next - 0.5 * sim.dt()
        {
            next += spec.record.frame_interval;
            trouble = s.put(sim);
        }
        trouble.is_ok()
    })?;
    trouble.map_err(|e| e.to_string())?;
    // Key, the words of the line, what the document has.
    let mut said: Vec<(&str, String, Value)> = Vec::new();
    if let End::Stopped(e) = &run.end {
        said.push(("stopped", format!("stopped: {e}"), json!(e.to_string())));
    }
    if let Some(s) = &series {
        let lists: Vec<String> = s.lists().iter().map(|l| l.display().to_string()).collect();
        said.push(("series", format!("series {}", lists.join(", ")), json!(lists)));
    }
    if let (Some(file), Some(recorder)) = (&args.gltf, run.recorder) {
        let mut record = recorder.finish(&run.sim);
        record.title.clone_from(&spec.title);
        for (shape, body) in record.bodies.iter_mut().zip(&spec.bodies) {
            shape.colour = body.color;
        }
        let made = animation(&record).map_err(|e| match e {
            ReportError::TooLarge { .. } => {
                format!("{e}; take a shorter --duration or a longer record.frame_interval")
            }
            e => e.to_string(),
        })?;
        whole::write(file, &made.glb)?;
        let (file, frames) = (file.display().to_string(), record.frames.time.len());
        let left_out = made.left_out.join(", ");
        if !left_out.is_empty() {
            said.push(("left_out", format!("left out: {left_out}"), json!(made.left_out)));
        }
        said.push((
            "gltf",
            format!("glTF {file}, {frames} frames"),
            json!({ "file": file, "frames": frames }),
        ));
    }
    said.iter().for_each(|(_, line, _)| say!("{line}"));
    let mut document = Map::from_iter(said.into_iter().map(|(key, _, value)| (key.to_string(), value)));
    document.insert("scene".into(), json!(path.display().to_string()));
    document.insert("response".into(), json!(response.name()));
    document.insert("time".into(), json!(run.sim.time()));
    args.json.print(&document);
    Ok(ExitCode::SUCCESS)
}

/// An animation as this program writes it: its asset says so.
const ANIMATION: Form<'_> =
    Form { name: "animation", is: &|b| b.starts_with(b"glTF") && over::has(b, b"\"generator\":\"impinge ") };
/// A list of a series, and the names of its bodies.
const LIST: Form<'_> =
    Form { name: "list of a series", is: &|b| over::has(b, b"<VTKFile type=\"Collection\"") };
const NAMES: Form<'_> = Form { name: "list of bodies", is: &|b| b.starts_with(b"body,name\n") };

/// Before an hour is spent: that what is asked for can be written, over nothing of others.
fn ready(args: &ExportArgs, reads: &[PathBuf]) -> Result<(), String> {
    if let Some(file) = &args.gltf {
        let is_glb = file.extension().is_some_and(|e| e.eq_ignore_ascii_case("glb"));
        if impinge_io::place_of(file).is_some() && !is_glb {
            let file = file.display();
            return Err(format!("--gltf {file}: binary glTF is written; give a name that ends with .glb"));
        }
        Target { option: "--gltf", file, form: &ANIMATION, force: Some(args.force) }.ready(reads)?;
    }
    let Some(dir) = &args.vtu else { return Ok(()) };
    for (name, form) in
        [("surfaces.pvd", LIST), ("contacts.pvd", LIST), ("patches.pvd", LIST), ("bodies.csv", NAMES)]
    {
        let (file, force) = (dir.join(name), Some(args.force));
        Target { option: "--vtu", file: &file, form: &form, force }.is_free(&file)?;
    }
    if args.force {
        return Ok(());
    }
    // Frames of a series whose list is not there are somebody else's.
    let kinds =
        ["surfaces", "contacts", "patches"].map(|kind| (format!("{kind}_"), dir.join(format!("{kind}.pvd"))));
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".vtu")
            && kinds.iter().any(|(start, list)| name.starts_with(start) && !list.exists())
        {
            let at = entry.path();
            return Err(format!(
                "--vtu {}: {} is there, and no list of its series: it may be of another program; give another folder, or --force",
                dir.display(),
                at.display()
            ));
        }
    }
    Ok(())
}
