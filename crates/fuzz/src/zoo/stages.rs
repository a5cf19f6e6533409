//! Load, health, repair, fill, respond: how far a broken surface comes, and with what word it is turned away.

use super::animals::Animal;
use super::named::named;
use crate::targets::state_is_finite;
use impinge_geometry::TriMesh;
use impinge_io::{ReadOptions, read_mesh, write_obj};
use impinge_meshing::{FillOptions, Health, HealthOptions, fill, health_with, suggest};
use impinge_scene::{Response, SceneSpec};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// What came of one stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Came {
    /// As it should.
    Good,
    /// A run that never met the floor, half a step below it at the start.
    Missed,
    /// An error before anything ran: its text.
    Refused(String),
    /// A run that was stopped by an error: its text.
    Stopped(String),
    /// A panic, a state that is not finite, momentum out of nothing: what.
    Wrong(String),
}

/// All stages of one animal.
#[derive(Clone, Debug)]
pub struct Passage {
    /// Its row.
    pub kind: &'static str,
    /// For messages: row, number and what was done.
    pub name: String,
    /// The mesh was read from its file.
    pub load: Came,
    /// The report could be made, without a number that is not one.
    pub health: Came,
    /// After the repairs that the report offers: closed, with a volume.
    pub repair: Came,
    /// Tets inside the repaired surface.
    pub fill: Came,
    /// Ten steps of each response with the surface as it was, then repaired.
    pub runs: [Vec<(Response, Came)>; 2],
}

/// Steps of a run.
const STEPS: usize = 10;
/// Momentum that may come from nowhere (N·s) for a body of 1 kg at 1 m/s: rounding.
const MOMENTUM: f64 = 1e-9;

/// Sends one animal through; `folder` is for its files.
pub fn walk(number: usize, animal: &Animal, folder: &Path) -> Passage {
    let name = format!("{} {number} ({})", animal.kind, animal.made.join(", "));
    let nothing = || Came::Refused("nothing came from the stage before".into());
    let mut path = Passage {
        kind: animal.kind,
        name,
        load: nothing(),
        health: nothing(),
        repair: nothing(),
        fill: nothing(),
        runs: [Vec::new(), Vec::new()],
    };
    let file = folder.join(format!("{number}.obj"));
    let mut mesh = None;
    path.load = guard(|| {
        let Some(m) = animal.mesh() else { return Came::Wrong("the generator made no mesh".into()) };
        if let Err(e) = write_obj(&file, &m) {
            return Came::Wrong(format!("cannot be written: {e}"));
        }
        match read_mesh(&file, &ReadOptions::default()) {
            Ok(read) => {
                mesh = Some(read);
                Came::Good
            }
            Err(e) => refused(e),
        }
    });
    let Some(mesh) = mesh else { return path };
    let mut report = None;
    path.health = guard(|| {
        let h = look(&mesh);
        let text = h.to_string();
        let came = match named(animal.kind, &h) {
            _ if text.contains("NaN") => Came::Wrong(format!("a report with NaN: {text}")),
            Some(false) => Came::Wrong(format!("the report does not name the fault: {text}")),
            _ => Came::Good,
        };
        report = Some(h);
        came
    });
    path.runs[0] = Response::ALL.iter().map(|&r| (r, run(&file, &mesh, r))).collect();
    let Some(report) = report else { return path };
    let mut mended = mesh.clone();
    path.repair = guard(|| {
        mended = repaired(&mesh, report.clone());
        match look(&mended).solid {
            Ok(_) => Came::Good,
            Err(e) => refused(e),
        }
    });
    path.fill = guard(|| {
        let cell = FillOptions::across(&mended, 3).cell;
        match fill(&mended, FillOptions { cell, most_cubes: 20_000 }) {
            Ok(f) if f.mesh.require_positive().is_ok() => Came::Good,
            Ok(_) => Came::Wrong("tets that are not positive".into()),
            Err(e) => refused(e),
        }
    });
    let file = folder.join(format!("{number}-repaired.obj"));
    path.runs[1] = match write_obj(&file, &mended) {
        Ok(()) => Response::ALL.iter().map(|&r| (r, run(&file, &mended, r))).collect(),
        Err(e) => vec![(Response::ALL[0], Came::Wrong(format!("cannot be written: {e}")))],
    };
    path
}

fn look(mesh: &TriMesh) -> Health {
    health_with(mesh, &HealthOptions::default())
}

/// By the report's own offers, one after the other, at most twenty: some offers come back.
fn repaired(mesh: &TriMesh, mut report: Health) -> TriMesh {
    let mut mesh = mesh.clone();
    for _ in 0..20 {
        let Some(next) = suggest(&report).into_iter().find_map(|r| {
            let done = r.apply(&mesh).ok()?;
            (done.mesh != mesh).then_some(done.mesh)
        }) else {
            break;
        };
        mesh = next;
        report = look(&mesh);
    }
    mesh
}

/// A body of 1 kg, half a millimetre above a floor, falling on it at 1 m/s.
fn run(file: &Path, mesh: &TriMesh, response: Response) -> Came {
    guard(|| {
        // Of what is a surface: the scene leaves out vertices that no triangle names.
        let used = mesh.triangles().iter().flatten().map(|&v| mesh.positions()[v as usize]);
        let (lo, hi) =
            used.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), p| (lo.min(p.z), hi.max(p.z)));
        let z = 0.5 * (hi - lo) + 5e-4;
        // A field needs tets inside: only the response that asks for one must have it.
        let field = if response.name() == "pressure" { "pressure = { modulus = 1e7 }\n" } else { "" };
        let text = format!(
            "[scene]\ntitle = \"zoo\"\ndt = 1e-3\nduration = 1.0\nresponse = \"{}\"\n[volume]\ncell = 0.05\nviscosity = \
             5e6\n[[material]]\nname = \"m\"\n[[pair]]\nmaterials = [\"m\", \"m\"]\nstiffness = 1e4\nmu_s = 0.5\n\
             friction_stiffness = 1e4\nfriction_damping = 20.0\ndamping = {{ hunt_crossley = 20.0 }}\n[[body]]\nname = \"floor\"\n\
             kind = \"fixed\"\nmaterial = \"m\"\nplane = {{ normal = [0.0, 0.0, 1.0] }}\n[[body]]\nname = \"animal\"\nmaterial = \
             \"m\"\nmass = 1.0\nmesh = {{ file = {{ path = {:?}, center = [0.0, 0.0, 0.0] }} }}\n{field}position = [0.0, 0.0, {z:e}]\nvelocity = [0.0, 0.0, -1.0]\n",
            response.name(),
            file.display().to_string()
        );
        let spec = match SceneSpec::from_str(&text, Path::new("zoo.toml")) {
            Ok(spec) => spec,
            Err(e) => return refused(e),
        };
        let mut sim = match spec.simulation() {
            Ok(sim) => sim,
            Err(e) => return refused(e),
        };
        let mut met = false;
        for step in 0..STEPS {
            if let Err(e) = sim.step() {
                return Came::Stopped(format!("step {step}: {e}"));
            }
            if let Err(e) = state_is_finite(&sim) {
                return Came::Wrong(e);
            }
            met |= sim.ledger().pairs.contacts.iter().any(|&c| c > 0);
            let lost = sim.ledger().momentum.linear_residual.mag();
            if lost.is_nan() || lost > MOMENTUM {
                return Came::Wrong(format!("step {step}: {lost:e} N·s of momentum from nowhere"));
            }
        }
        match met {
            true => Came::Good,
            false => Came::Missed,
        }
    })
}

fn refused(e: impl std::fmt::Display) -> Came {
    let text = e.to_string().replace('\n', " ");
    if text.len() < 20 {
        Came::Wrong(format!("an error that says nothing: '{text}'"))
    } else {
        Came::Refused(text)
    }
}

fn guard(f: impl FnOnce() -> Came) -> Came {
    catch_unwind(AssertUnwindSafe(f))
        .unwrap_or_else(|_| Came::Wrong(format!("panic: {}", crate::runner::last_panic())))
}

/// A broken file: read, and turned away with the right word.
pub fn read_broken((name, text, word): &super::files::Broken, folder: &Path) -> Came {
    guard(|| {
        let path = folder.join(name);
        if let Err(e) = std::fs::write(&path, text) {
            return Came::Wrong(format!("cannot be written: {e}"));
        }
        match read_mesh(&path, &ReadOptions::default()) {
            Ok(_) => Came::Wrong("a mesh was read from a broken file".into()),
            Err(e) if e.to_string().contains(word) => refused(e),
            Err(e) => Came::Wrong(format!("the error does not say '{word}': {e}")),
        }
    })
}
