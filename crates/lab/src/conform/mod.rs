//! `cargo xtask conform`: what must be true of every scene under every response, whatever the scene.
//!
//! A run must stay finite, keep linear momentum as the books define it, let nothing deeper in than half of it, gain no energy but what
//! drivers and position corrections put in. The same scene told differently (bodies in reverse order; everything turned and moved,
//! gravity too) must move alike, and the bits must not depend on the number of threads. A scene of rigid bodies that fall first is taken up ten steps before they touch; one that is driven or
//! made of nodes runs from its start until as many steps after.

mod bounds;
mod expected;
mod follow;
mod table;
mod trial;

use crate::fixtures::beside_scenes;
use crate::side_by_side::side_by_side;
use bounds::{Bounds, bounds};
use clap::Args;
use expected::{Known, Short};
use follow::{Twin, follow};
use impinge_cli::output::{Done, Json, judged};
use impinge_cli::{arguments, over, runner, scene_files};
use impinge_geometry::{DVec3, Pose, rotor_from_rotation_vector};
use impinge_scene::{Motion, Response, SceneSpec};
use impinge_world::{Simulation, worst};
use std::path::PathBuf;
use table::{Cell, Row};
use trial::{Trial, places, trial, within};

/// Arguments of `cargo xtask conform`.
#[derive(Args)]
#[command(after_help = "Examples:
  cargo xtask conform
  cargo xtask conform stack incline --responses penalty,qp
  cargo xtask conform drop --duration 1
  cargo xtask conform --write docs/evidence/CONFORMANCE.md --jobs 8
  cargo xtask conform drop --responses cpf --check docs/evidence/CONFORMANCE.md
  cargo xtask conform stack --responses cpf --follow

Scenes of the folder `large` run when they are named. What is known to miss a bound is in fixtures/conform.toml with the reason, and so is
what runs for fewer steps than usual. A run that is unstable because its step is too long needs none: the program must have warned of it,
or a tenth of the step must keep finite, depth and energy. Beside a twin that ends elsewhere stands how far the run ends from itself
nudged by 1e-14 of its size; a run that multiplies rounding needs a reason like any other. The exit code is 1 when something else misses a
bound, or meets one that it is said to miss.")]
pub struct ConformArgs {
    /// Scenes by name or path; all when none is given.
    scenes: Vec<String>,
    /// Response families; all when none is given.
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    responses: Vec<String>,
    /// Simulated time in seconds (default: 50 steps, 20 with deformables, fewer where fixtures/conform.toml says so).
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    duration: Option<f64>,
    /// Writes the table to a file (Markdown).
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Looks for every row of this run in a table that was written before.
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
    /// Prints the run beside its twins step by step, and which contacts differ first, in place of the table.
    #[arg(long, conflicts_with_all = ["write", "check"])]
    follow: bool,
    /// Runs side by side. The table does not depend on it; a long one on many processors is through sooner, and takes the memory of so many.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    jobs: u16,
    /// Folder that holds `scenes` (default: `fixtures` here or in a folder above).
    #[arg(long, value_name = "DIR")]
    fixtures: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

/// What is checked, as it is called in `fixtures/conform.toml`.
const CHECKS: [&str; 7] = ["finite", "momentum", "depth", "energy", "order", "moved", "threads"];

/// Steps of a run when no time is given, of rigid bodies.
const STEPS: u64 = 50;
/// The same with deformables, whose steps cost more.
const SOFT_STEPS: u64 = 20;
/// Steps after which twins are compared: rounding grows in every contact that opens and closes.
const MARK: u64 = 20;
/// Of the size of what moves: a nudge that nobody could measure, and some tens of rounding errors.
const NUDGE: f64 = 1e-14;
/// Steps of free fall that are left before the first contact.
const BEFORE: u64 = 10;
/// Steps in which a scene is looked through for its first contact.
const SEARCH: u64 = 2000;
/// The same where those steps cannot be left out, and all runs have to make them.
const LEAD: u64 = 100;

/// Runs the command.
pub fn command(args: &ConformArgs) -> Done {
    args.json.begin();
    Ok(judged(conform(args)?))
}

fn conform(args: &ConformArgs) -> Result<bool, String> {
    if let Some(file) = &args.write {
        over::same_head("--write", file, "# Conformance: every scene under every response\n")?;
    }
    let fixtures = args.fixtures.as_deref();
    let scenes = scene_files::some_or_all(&args.scenes, fixtures)?;
    let responses = arguments::responses(&args.responses, Response::ALL)?;
    args.duration.map(|d| arguments::seconds("--duration", d)).transpose()?;
    let there = scene_files::all(fixtures)?.into_iter().chain(scene_files::large(fixtures)?);
    let there: Vec<String> = there.map(|(name, _)| name).collect();
    let mut known = Known::load(&beside_scenes(fixtures, "conform.toml")?, &there)?;
    let jobs = if args.follow { 1 } else { usize::from(args.jobs) };
    let mut looked_at: Vec<(String, SceneSpec, u64)> = Vec::new();
    let mut refused = None;
    let look = |(_, path): &(String, PathBuf)| {
        SceneSpec::load(path).map_err(|e| e.to_string()).map(|spec| near_contact(&spec))
    };
    side_by_side(jobs, &scenes, look, |(name, _), found| match found {
        Ok((spec, lead)) => looked_at.push((name.clone(), spec, lead)),
        Err(e) => refused = refused.take().or(Some(e)),
    });
    if let Some(e) = refused {
        return Err(e);
    }
    let mut runs = Vec::new();
    for (name, spec, lead) in &looked_at {
        runs.extend(responses.iter().map(|&response| Run { name, spec, lead: *lead, response }));
    }
    let mut sheet = table::Sheet::default();
    let length = |run: &Run| run.length(args.duration, known.short(run.name, run.response.name()));
    if args.follow {
        for run in &runs {
            if let Some(length) = length(run) {
                followed(run.spec, run.response, length)?;
            }
        }
        return Ok(true);
    }
    let asked: Vec<(&Run, Option<Length>)> = runs.iter().map(|r| (r, length(r))).collect();
    let made = |(run, length): &(&Run, Option<Length>)| length.map(|l| one(run.spec, run.response, l));
    side_by_side(jobs, &asked, made, |&(&Run { name, response, .. }, _), made| {
        let short = known.short(name, response.name()).map(|s| s.reason.clone());
        match made {
            None => {
                let reason = short.unwrap_or_default();
                say!("{name:22} {:15} not run: {reason}", response.name());
                sheet.refused.push((name.to_string(), response, reason));
            }
            Some(Ok(mut row)) => {
                row.short = short.filter(|_| args.duration.is_none());
                row.judge(|check| known.reason(name, response.name(), check).map(str::to_string));
                let missed = CHECKS.into_iter().filter(|check| row.missed(check) == Some(true));
                missed.for_each(|check| known.happened(name, response.name(), check));
                say!("{name:22} {:15} {}", response.name(), row.line());
                sheet.rows.push((name.to_string(), response, row));
            }
            Some(Err(reason)) => {
                sheet.refused.push((name.to_string(), response, runner::without_file(&reason)));
            }
        }
    });
    let mut named_scenes: String = args.scenes.iter().map(|s| format!("{s} ")).collect();
    if !args.responses.is_empty() {
        named_scenes += &format!("--responses {} ", args.responses.join(","));
    }
    let text = table::markdown(&sheet, &named_scenes, args.duration, args.write.as_deref());
    if let Some(file) = &args.write {
        std::fs::write(file, &text).map_err(|e| format!("{} cannot be written: {e}", file.display()))?;
        say!("wrote {}", file.display());
    }
    let mut bad = sheet.rows.iter().map(|(_, _, r)| r.bad()).sum::<usize>();
    let all = args.scenes.is_empty() && args.responses.is_empty();
    let idle = known.idle(|scene, response| {
        all || sheet
            .rows
            .iter()
            .any(|(s, r, row)| s == scene && r.name() == response && row.cells.iter().any(|c| c.idle))
    });
    for entry in &idle {
        say!("conform.toml says that {entry} misses, and there is no such run or check");
    }
    bad += idle.len();
    if let Some(file) = &args.check {
        let kept = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        let other = sheet.rows.iter().map(table::table_row).filter(|row| !kept.contains(row.as_str()));
        for row in other {
            say!(
                "{} does not have this row; if the change is meant, write it anew:\n  {row}",
                file.display()
            );
            bad += 1;
        }
    }
    args.json.print(&sheet.document());
    let foreseen = sheet.rows.iter().map(|(_, _, r)| r.foreseen()).sum::<usize>();
    say!(
        "{} runs, {} scenes that a response cannot take, {foreseen} misses with a reason, {bad} without",
        sheet.rows.len(),
        sheet.refused.len()
    );
    Ok(bad == 0)
}

/// A scene under a response.
struct Run<'a> {
    name: &'a str,
    /// Shortly before its first contact, which is so many steps away.
    spec: &'a SceneSpec,
    lead: u64,
    response: Response,
}

impl Run<'_> {
    /// For the time asked for, or as many steps as is usual or `short` says; `None` for one that is not made.
    fn length(&self, duration: Option<f64>, short: Option<&Short>) -> Option<Length> {
        let soft = self.spec.bodies.iter().any(|b| matches!(b.motion, Motion::Deformable(_)));
        let usual = self.lead + if soft { SOFT_STEPS } else { STEPS };
        match (duration, short) {
            (Some(d), _) => Some(Length::plain(((d / self.spec.dt).round() as u64).max(1))),
            (None, Some(short)) if short.steps == 0 => None,
            (None, Some(short)) => Some(Length::plain(short.steps.min(usual))),
            (None, None) => Some(Length { steps: usual, mark: self.lead + MARK }),
        }
    }
}

/// How long a run is.
#[derive(Clone, Copy)]
struct Length {
    steps: u64,
    /// Steps after which twins are compared.
    mark: u64,
}

impl Length {
    fn plain(steps: u64) -> Self {
        Self { steps, mark: MARK.min(steps) }
    }
}

/// The scene shortly before its first contact, and how many steps that is from there. Where it is one of rigid bodies that fall it is taken
/// up later, else the steps remain to be made.
fn near_contact(spec: &SceneSpec) -> (SceneSpec, u64) {
    let first = |within: u64| -> Option<u64> {
        let mut sim = spec.simulation().ok()?;
        for n in 0..spec.steps().min(within) {
            sim.step().ok()?;
            if sim.ledger().pairs.contacts.iter().any(|&c| c > 0) {
                return n.checked_sub(BEFORE);
            }
        }
        None
    };
    let can_be = spec.simulation().ok().is_some_and(|sim| spec.taken_up(&sim).is_ok());
    if !can_be {
        return (spec.clone(), first(LEAD).unwrap_or(0));
    }
    let taken = || -> Option<SceneSpec> {
        let steps = first(SEARCH)?;
        let mut sim = spec.simulation().ok()?;
        for _ in 0..steps {
            sim.step().ok()?;
        }
        spec.taken_up(&sim).ok()
    };
    (taken().unwrap_or_else(|| spec.clone()), 0)
}

/// Runs `f` on this many threads.
fn on<T: Send>(threads: usize, f: impl FnOnce() -> T + Send) -> Result<T, String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    Ok(pool.map_err(|e| format!("the threads cannot be started: {e}"))?.install(f))
}

fn one(spec: &SceneSpec, response: Response, length: Length) -> Result<Row, String> {
    let build = |spec: &SceneSpec| spec.simulation_with(response).map_err(|e| e.to_string());
    let Length { steps, mark } = length;
    let mut sim = build(spec)?;
    let warned = sim.warnings().first().map(ToString::to_string);
    let bounds = bounds(spec, response, &sim);
    let run = on(1, || trial(&mut sim, &bounds, steps, mark))?;
    let mut row = Row { warned, asked: steps, steps: run.steps, touching: run.touching, ..Row::default() };
    row.cells.push(finite(&run));
    row.cells.push(Cell::new("momentum", run.momentum, bounds.momentum));
    row.cells.push(Cell::new("depth", run.depth.0 / run.depth.1.max(f64::MIN_POSITIVE), 1.0));
    let mut energy = Cell::new("energy", run.energy, bounds::ENERGY);
    energy.met = within(run.energy);
    row.cells.push(energy);
    if row.warned.is_none() && row.cells.iter().any(|c| !c.met && c.check != "momentum") {
        row.finer = finer(spec, response, length)?;
    }

    let Some((at, hash)) = &run.mark else {
        for check in ["order", "moved", "threads"] {
            let why = match run.blown {
                Some(_) => {
                    "the run had gained a thousand times the energy in play before the steps that are compared"
                }
                None => "the run stopped before the steps that are compared",
            };
            row.cells.push(Cell::idle(check, why));
        }
        return Ok(row);
    };
    row.cells.push(match spec.reversed() {
        Err(why) => Cell::idle("order", &why),
        Ok(twin) => apart("order", build(&twin), mark, &bounds, at, &|p| p),
    });
    let by = elsewhere(bounds.size);
    row.cells.push(match spec.moved(&by, response) {
        Err(why) => Cell::idle("moved", &why),
        Ok(twin) => apart("moved", build(&twin), mark, &bounds, at, &|p| by.point_to_body(p)),
    });
    if row.missed("order") == Some(true) || row.missed("moved") == Some(true) {
        let nudge = NUDGE * bounds.size;
        let far = apart("nudged", build(&spec.nudged(nudge, bounds.size)), mark, &bounds, at, &|p| p);
        row.nudged = Some(far.value);
    }
    let mut threads = Cell::new("threads", 0.0, 0.0);
    for n in [2, 8] {
        let mut sim = build(spec)?;
        let made = on(n, || (0..mark).try_for_each(|_| sim.step()).is_ok())?;
        if !made || sim.hash() != *hash {
            threads.met = false;
            threads.value = n as f64;
        }
    }
    row.cells.push(threads);
    Ok(row)
}

/// Where the moved twin stands: turned about no axis of the world, and shifted.
fn elsewhere(size: f64) -> Pose {
    let turn = DVec3::new(1.0, 2.0, 3.0).normalized() * 40f64.to_radians();
    Pose::new(DVec3::new(0.3, -0.2, 0.5) * size, rotor_from_rotation_vector(turn))
}

/// The run beside its three twins.
fn followed(spec: &SceneSpec, response: Response, length: Length) -> Result<(), String> {
    let sim = spec.simulation_with(response).map_err(|e| e.to_string())?;
    let bounds = bounds(spec, response, &sim);
    let by = elsewhere(bounds.size);
    let (same, moved) = (|p| p, |p| by.point_to_body(p));
    let nudged = spec.nudged(NUDGE * bounds.size, bounds.size);
    let twins = [
        Twin { check: "order", spec: spec.reversed().map_err(|e| e.to_string()), back: &same },
        Twin { check: "moved", spec: spec.moved(&by, response).map_err(|e| e.to_string()), back: &moved },
        Twin { check: "nudged", spec: Ok(nudged), back: &same },
    ];
    on(1, || follow(spec, response, length.mark, &bounds, &twins))?
}

/// Whether the same time in ten times as many steps keeps what a run did not, in words.
fn finer(spec: &SceneSpec, response: Response, length: Length) -> Result<Option<String>, String> {
    let Length { steps, mark } = length;
    let mut spec = spec.clone();
    spec.dt *= 0.1;
    // A scene that is refused with a shorter step says nothing for the longer one.
    let Ok(mut sim) = spec.simulation_with(response) else { return Ok(None) };
    let bounds = bounds(&spec, response, &sim);
    let run = on(1, || trial(&mut sim, &bounds, 10 * steps, 10 * mark))?;
    let holds = run.stopped.is_none() && run.depth.0 <= run.depth.1 && within(run.energy);
    Ok(holds.then(|| {
        "the step is too long for this contact: a tenth of it keeps finite, depth and energy".to_string()
    }))
}

fn finite(run: &Trial) -> Cell {
    let mut cell = Cell::new("finite", run.steps as f64, 0.0);
    cell.met = !run.not_finite && run.stopped.is_none();
    cell.note = run.stopped.clone().unwrap_or_default();
    cell
}

/// How far a twin ends from the run, seen through `back`.
fn apart(
    check: &'static str,
    twin: Result<Simulation, String>,
    steps: u64,
    bounds: &Bounds,
    at: &[DVec3],
    back: &(dyn Fn(DVec3) -> DVec3 + Sync),
) -> Cell {
    let mut twin = match twin {
        Ok(twin) => twin,
        Err(why) => return Cell::stopped(check, format!("the twin cannot be built: {why}")),
    };
    let made = on(1, || (0..steps).try_for_each(|_| twin.step()));
    match made {
        Ok(Ok(())) => {
            let there = places(&twin, bounds.size);
            let far = there.iter().zip(at).map(|(a, b)| (back(*a) - *b).mag()).fold(0.0, worst);
            let mut cell = Cell::new(check, far / bounds.size, bounds.twin / bounds.size);
            cell.met &= there.len() == at.len();
            cell
        }
        Ok(Err(e)) => Cell::stopped(check, e.to_string()),
        Err(e) => Cell::stopped(check, e),
    }
}
