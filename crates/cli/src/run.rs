//! `impinge run`: a scene to its report.

use crate::checkpoint::{self, Every, Identity, Keeper};
use crate::recording;
use crate::runner::{self, End, Session};
use crate::step_times::short;
use crate::{check, fail, scene_files};
use clap::Args;
use impinge_report::{Check, Parameter, RunRecord, Status, Verdict, write_report};
use impinge_scene::{Checked, Measure, Replacement, Response, SceneSpec};
use impinge_world::{PressureStep, StageError};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Arguments of `impinge run`.
#[derive(Args)]
#[command(after_help = "Examples:
  impinge run drop
  impinge run drop --mesh bunny.obj --up y --duration 2
  impinge run incline --set pair.0.mu_s=0.4 --set pair.0.mu_k=0.4
  impinge run my-scene.toml --dt 0.0005 --threads 1 --out results/fine
  impinge run large/dragons-cpf --resume          (again and again, until it is through)
  impinge run stack --recording stack.rec --stages, then: impinge replay stack.rec

Every key of the scene can be set: `scene.dt`, `penalty.evaluate`, `body.ball.mass`, `pair.0.stiffness`.
The keys are in fixtures/scenes/SCHEMA.md. Ctrl-C ends the run and writes the report of what was computed. A run that takes
more than a minute leaves a checkpoint every minute; killed at any moment, it goes on with --resume to the same
bits.")]
pub struct RunArgs {
    /// A scene's name (see `impinge list`) or the path of a scene file.
    scene: String,
    /// Response family; the scene's own when not given.
    #[arg(long)]
    response: Option<String>,
    /// Simulated time in seconds.
    #[arg(long, allow_negative_numbers = true)]
    duration: Option<f64>,
    /// Time step in seconds.
    #[arg(long, allow_negative_numbers = true)]
    dt: Option<f64>,
    /// A mesh file in the place of the scene's replaceable mesh, scaled to its size.
    #[arg(long, value_name = "FILE")]
    mesh: Option<PathBuf>,
    /// Axis of the mesh file that points up.
    #[arg(long, value_name = "AXIS", default_value = "z", value_parser = ["y", "z"])]
    up: String,
    /// Metres per unit of the mesh file, instead of scaling to the scene's size.
    #[arg(long, allow_negative_numbers = true)]
    scale: Option<f64>,
    /// Sets one key of the scene; may be given many times.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Threads; the result has the same bits for any number.
    #[arg(long)]
    threads: Option<usize>,
    /// Folder for the report (default: out/SCENE-RESPONSE).
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Seconds of wall time between two checkpoints in the output folder; 0 for none. They take at most a twentieth of
    /// the time.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    checkpoint: Option<f64>,
    /// Steps between two checkpoints, beside or instead of the seconds.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    checkpoint_steps: Option<u64>,
    /// Go on from the checkpoint in the output folder; from the beginning where there is none.
    #[arg(long)]
    resume: bool,
    /// Time a step may take (s): steps over it are counted.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    budget: Option<f64>,
    /// Keep the hash of every step in this file, for `impinge replay`.
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    recording: Option<PathBuf>,
    /// What every stage wrote goes into the recording too, so that a replay can name the stage that differs; slower.
    #[arg(long, requires = "recording")]
    stages: bool,
    /// Do not write a report; print the numbers.
    #[arg(long)]
    no_report: bool,
    /// No progress bar.
    #[arg(long)]
    quiet: bool,
    /// Folder that holds `scenes` (default: `fixtures` here or in a folder above).
    #[arg(long, value_name = "DIR")]
    fixtures: Option<PathBuf>,
}

/// More threads than this only cost time to start.
const MAX_THREADS: usize = 512;

/// Between two checkpoints (s), unless told otherwise.
const MINUTE: f64 = 60.0;

/// Runs the command. A run that stopped, or did not do what the scene expects, exits with 1; its report is
/// written all the same.
pub fn command(args: &RunArgs) -> ExitCode {
    match run(args) {
        Ok(code) => code,
        Err(e) => fail(e),
    }
}

fn load(args: &RunArgs) -> Result<SceneSpec, String> {
    let path = scene_files::find(&args.scene, args.fixtures.as_deref())?;
    let keys = keys(&args.set, args.dt)?;
    let mut spec = SceneSpec::load_with(&path, &borrowed(&keys)).map_err(|e| e.to_string())?;
    set_duration(&mut spec, args.duration)?;
    if let Some(mesh) = &args.mesh {
        let how = Replacement { y_up: args.up == "y", scale: args.scale };
        spec.replace_mesh_with(mesh, &how).map_err(|e| e.to_string())?;
    }
    Ok(spec)
}

/// The text of a scene with keys set, another step and another length; `path` is where it came from.
pub(crate) fn load_text(
    text: &str,
    path: &Path,
    set: &[String],
    dt: Option<f64>,
    duration: f64,
) -> Result<SceneSpec, String> {
    let keys = keys(set, dt)?;
    let mut spec = SceneSpec::from_str_with(text, path, &borrowed(&keys)).map_err(|e| e.to_string())?;
    set_duration(&mut spec, Some(duration))?;
    Ok(spec)
}

fn keys(set: &[String], dt: Option<f64>) -> Result<Vec<(String, String)>, String> {
    let mut keys: Vec<(String, String)> = Vec::new();
    for s in set {
        let (key, value) = s
            .split_once('=')
            .ok_or_else(|| format!("--set {s}: write KEY=VALUE, for instance --set scene.dt=0.001"))?;
        keys.push((key.trim().to_string(), value.trim().to_string()));
    }
    keys.extend(dt.map(|dt| ("scene.dt".to_string(), format!("{dt:?}"))));
    Ok(keys)
}

fn borrowed(keys: &[(String, String)]) -> Vec<(&str, &str)> {
    keys.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect()
}

/// Not as a key: the scene's expectations may reach further, and are then simply not judged.
fn set_duration(spec: &mut SceneSpec, duration: Option<f64>) -> Result<(), String> {
    if let Some(duration) = duration {
        if !(duration.is_finite() && duration > 0.0) {
            return Err(format!("--duration {duration}: give a time above 0 in seconds"));
        }
        spec.duration = duration;
    }
    Ok(())
}

fn run(args: &RunArgs) -> Result<ExitCode, String> {
    let response = args.response.as_deref().map(runner::response_named).transpose()?;
    let spec = load(args)?;
    let response = response.unwrap_or(spec.response);
    let name = scene_files::stem(&args.scene);
    let out =
        args.out.clone().unwrap_or_else(|| PathBuf::from("out").join(format!("{name}-{}", response.name())));
    if !args.no_report {
        // Before an hour is spent, not after.
        writable(&out)?;
    }
    if args.no_report && (args.checkpoint.is_some_and(|s| s > 0.0) || args.checkpoint_steps.is_some()) {
        writable(&out)?;
    }
    let mut pool = rayon::ThreadPoolBuilder::new();
    if let Some(n) = args.threads {
        if !(1..=MAX_THREADS).contains(&n) {
            return Err(format!("--threads {n}: give 1 to {MAX_THREADS}"));
        }
        pool = pool.num_threads(n);
    }
    let pool = pool.build().map_err(|e| format!("the threads cannot be started: {e}"))?;
    pool.install(|| compute(args, &spec, response, &name, &out))
}

pub(crate) fn writable(dir: &Path) -> Result<(), String> {
    let probe = dir.join(".impinge-write-test");
    std::fs::create_dir_all(dir)
        .and_then(|()| std::fs::write(&probe, b""))
        .and_then(|()| std::fs::remove_file(&probe))
        .map_err(|e| {
            format!("the output folder {} cannot be written: {e}; give another with --out DIR", dir.display())
        })
}

fn compute(
    args: &RunArgs,
    spec: &SceneSpec,
    response: Response,
    name: &str,
    out: &Path,
) -> Result<ExitCode, String> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    // A second handler in one process is refused; then Ctrl-C simply ends it.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    });
    let bar = progress(spec, args.quiet);
    let dt = spec.dt;
    // The scene's expectations are for its own length and parameters.
    let own = args.duration.is_none() && args.dt.is_none() && args.mesh.is_none() && args.set.is_empty();
    let mut session = Session::start(spec, response, !args.no_report, own)?;
    session.times.set_budget(args.budget);
    let every = often(args)?;
    let (mut keeper, mut resumed) = (None, false);
    if args.resume || every.steps.is_some() || every.time.is_some() {
        let identity = Identity::of(spec, response, &session);
        if args.resume {
            resumed = checkpoint::resume(out, &identity, spec.steps(), &mut session)?;
            if resumed {
                say!("going on at step {} of {}", session.sim.steps(), spec.steps());
            } else {
                say!("no checkpoint in {}: starting at the beginning", out.display());
            }
            session.times.set_budget(args.budget);
        } else if checkpoint::file_in(out).exists() {
            eprintln!(
                "warning: {} is of an earlier run; --resume would go on with it. The first checkpoint of this run moves it to \
                 checkpoint.bin.old",
                checkpoint::file_in(out).display()
            );
        }
        keeper = Some(Keeper::new(out, identity, every, &session, resumed));
    }
    let mut writer = match &args.recording {
        Some(file) => {
            let head =
                recording::head(&setup(args, spec, response), spec.text().to_string(), &session, args.stages);
            Some(recording::Writer::start(file, &head)?)
        }
        None => None,
    };
    let started_at = session.sim.steps();
    let end = loop {
        if session.sim.steps() >= spec.steps() {
            break End::Completed;
        }
        let result = match &mut writer {
            Some(w) => w.step(&mut session),
            None => session.step(None),
        };
        if let Err(e) = result {
            break End::Stopped(e);
        }
        let n = session.sim.steps();
        bar.set_position(n);
        if n % 16 == 1 {
            let contacts: u32 = session.sim.ledger().pairs.contacts.iter().sum();
            let speed = (n - started_at) as f64 * dt / bar.elapsed().as_secs_f64().max(1e-9);
            let time = session.sim.time();
            bar.set_message(format!("t = {time:.3} s, {contacts} contacts, {speed:.2} × real time"));
        }
        if let Some(k) = &mut keeper {
            k.after_step(&session);
        }
        if stop.load(Ordering::SeqCst) {
            break End::Interrupted;
        }
    };
    bar.finish_and_clear();
    let mut recorded = true;
    if let (Some(w), Some(file)) = (writer, &args.recording) {
        match w.finish(matches!(end, End::Completed)) {
            Ok(()) => say!("recording {}", file.display()),
            Err(e) => {
                recorded = false;
                eprintln!("error: {e}");
            }
        }
    }
    if let Some(k) = &mut keeper
        && !matches!(end, End::Completed)
        && k.save(&session)
    {
        say!("checkpoint {} holds the last good state; --resume goes on from it", k.file().display());
    }
    let run = session.finish(end);

    say!(
        "{} under {}: {} steps of {} s in {:.3} s wall",
        spec.title,
        response.name(),
        run.sim.steps(),
        dt,
        run.wall.as_secs_f64()
    );
    match &run.end {
        End::Completed => {}
        End::Stopped(e) => say!("stopped: {e}"),
        End::Interrupted => say!("interrupted after {} steps; the report holds them", run.sim.steps()),
    }
    say!("hash {:016x}", run.sim.hash());
    let stage_names: Vec<String> = run.sim.pipeline.costs().map(|(n, _)| n).collect();
    let times = run.times.words(&stage_names);
    if let Some(words) = &times {
        say!("{words}");
    }
    let late = run.times.late().map(|n| {
        let (of, limit) = (run.times.steps() - run.times.unjudged(), short(args.budget.unwrap_or(0.0)));
        format!("{n} of {of} steps took more than {limit}")
    });
    if let Some(words) = &late {
        say!("{words}");
    }
    check::print_checks(name, response.name(), &run.checks);
    if !own {
        say!(
            "  the expectations are not judged: the run is not the scene's own (changed on the command line)"
        );
    }
    let met = run.checks.iter().all(|c| c.verdict.is_as_expected());
    let good = matches!(run.end, End::Completed) && met && recorded;
    if let Some(recorder) = run.recorder {
        let mut record = recorder.finish(&run.sim);
        fill(&mut record, spec, response, name, &run.checks, &run.end);
        record.notes.extend(run.sim.warnings().iter().map(|w| format!("Warning: {w}.")));
        record.notes.extend(run.sim.unit_warnings().iter().map(|w| format!("Warning: {w}.")));
        record.notes.extend(times.iter().chain(&late).map(|words| format!("Time: {words}.")));
        let written = write_report(out, &record).map_err(|e| e.to_string());
        if written.is_err() && keeper.is_some() {
            eprintln!(
                "the last checkpoint stays: mend the output folder, then the same command with --resume writes the report"
            );
        }
        say!("report {}", written?.html.display());
    }
    if let (Some(k), End::Completed) = (&keeper, &run.end) {
        k.remove();
    }
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// How often checkpoints are asked for: every minute where a report is, unless the arguments say otherwise.
fn often(args: &RunArgs) -> Result<Every, String> {
    if let Some(s) = args.checkpoint
        && !(s.is_finite() && s >= 0.0)
    {
        return Err(format!("--checkpoint {s}: give seconds, 0 for none"));
    }
    if let Some(s) = args.budget
        && !(s.is_finite() && s > 0.0)
    {
        return Err(format!("--budget {s}: give a time above 0 in seconds"));
    }
    let seconds = match args.checkpoint {
        Some(s) => Some(s),
        None if args.no_report || args.checkpoint_steps.is_some() => None,
        None => Some(MINUTE),
    };
    let time = seconds.filter(|s| *s > 0.0).map(Duration::try_from_secs_f64).transpose();
    Ok(Every { steps: args.checkpoint_steps, time: time.map_err(|e| format!("--checkpoint: {e}"))? })
}

/// What a replay must know to set the same run up.
fn setup(args: &RunArgs, spec: &SceneSpec, response: Response) -> recording::Setup {
    recording::Setup {
        scene: spec.origin().to_path_buf(),
        response: response.name().to_string(),
        duration: spec.duration,
        dt: args.dt,
        set: args.set.clone(),
        mesh: args.mesh.clone(),
        up: args.up.clone(),
        scale: args.scale,
    }
}

fn progress(spec: &SceneSpec, quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(spec.steps());
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} steps, {msg}, {eta} left") {
        bar.set_style(style);
    }
    bar
}

/// What the recorder cannot know: words, parameters, checks, status.
pub(crate) fn fill(
    record: &mut RunRecord,
    spec: &SceneSpec,
    response: Response,
    name: &str,
    checks: &[Checked],
    end: &End,
) {
    record.title = spec.title.clone();
    record.scene = name.to_string();
    record.description = spec.description.clone();
    for (shape, body) in record.bodies.iter_mut().zip(&spec.bodies) {
        shape.colour = body.color;
    }
    record.status = match end {
        End::Completed => Status::Completed,
        End::Interrupted => Status::Interrupted { step: record.steps, time: record.steps as f64 * spec.dt },
        End::Stopped(e) => Status::Stopped {
            reason: e.source.to_string(),
            step: e.step,
            time: e.time,
            stage: Some(e.stage.clone()),
            body: match &e.source {
                StageError::NonFinite { body, .. } => Some(body.clone()),
                _ => None,
            },
        },
    };
    // What the recorder found out by itself comes after what the scene says.
    let found = std::mem::replace(&mut record.parameters, parameters(spec, response));
    record.parameters.extend(found);
    record.versions = vec![("impinge".to_string(), env!("CARGO_PKG_VERSION").to_string())];
    record.checks = checks.iter().map(to_check).collect();
    record.notes = notes(spec, response);
}

fn to_check(c: &Checked) -> Check {
    Check {
        name: c.name.clone(),
        what: c.what.clone(),
        expected: c.expected.clone(),
        measured: c.measured,
        unit: if c.unit == Measure::Finite.unit() { String::new() } else { c.unit.to_string() },
        verdict: match c.verdict {
            impinge_scene::Verdict::Pass => Verdict::Pass,
            impinge_scene::Verdict::ExpectedFail => Verdict::ExpectedFail,
            impinge_scene::Verdict::Fail | impinge_scene::Verdict::UnexpectedPass => Verdict::Fail,
            impinge_scene::Verdict::NotJudged => Verdict::NotJudged,
        },
        note: c.note.replace('\n', " "),
    }
}

fn parameters(spec: &SceneSpec, response: Response) -> Vec<Parameter> {
    let p = |name: &str, value: String, unit: &str| Parameter {
        name: name.to_string(),
        value,
        unit: unit.to_string(),
        note: String::new(),
    };
    let g = spec.gravity;
    let mut out = vec![
        p("dt", format!("{}", spec.dt), "s"),
        p("duration", format!("{}", spec.duration), "s"),
        p("gravity", format!("[{}, {}, {}]", g.x, g.y, g.z), "m/s²"),
        p("integrator", format!("{:?}", spec.integrator), ""),
        p("source", spec.source.clone(), ""),
    ];
    match response {
        Response::Penalty => {
            out.push(p("penalty.evaluate", format!("{:?}", spec.penalty.evaluate), ""));
            out.push(p("penalty.release", format!("{:?}", spec.penalty.release), ""));
        }
        Response::Cpf | Response::DpfCcd => {
            out.push(p("cpf.friction", if spec.cpf.friction_along { "path" } else { "end" }.to_string(), ""));
            out.push(p("cpf.normalisation", format!("{:?}", spec.cpf.normalisation), ""));
            out.push(p("cpf.band", format!("{}", spec.cpf.band), "triangle sizes"));
        }
        Response::CpfImplicit => {
            out.push(p("cpf.gradient", format!("{:?}", spec.cpf.gradient), ""));
            out.push(p("cpf.band", format!("{}", spec.cpf.band), "triangle sizes"));
        }
        Response::Qp => {
            out.push(p("qp.thickness", format!("{}", spec.qp.thickness), "m"));
            out.push(p("qp.recovery", format!("{}", spec.qp.recovery), "m/s"));
            out.push(p("qp.tolerance", format!("{}", spec.qp.tolerance), ""));
        }
        Response::Volume => {
            let v = &spec.volume;
            let length = |l: Option<f64>, none: &str| l.map_or(none.to_string(), |l| format!("{l}"));
            out.push(p("volume.cell", length(v.measure.cell, "one for each pair"), "m"));
            out.push(p("volume.pixel", length(v.measure.pixel, "exact"), "m"));
            out.push(p("volume.depth", format!("{}", v.depth), "m"));
            out.push(p("volume.recovery", length(v.recovery, "within a step"), "m/s"));
            out.push(p("volume.friction_at", format!("{:?}", v.friction_at), ""));
            out.push(p("volume.cone", if v.pyramid { "pyramid" } else { "round" }.to_string(), ""));
            out.push(p("volume.tolerance", format!("{}", v.tolerance), ""));
        }
        Response::VolumePenalty => {
            let v = &spec.volume_penalty;
            out.push(p("volume.stiffness", format!("{}", v.stiffness), "Pa/m³"));
            out.push(p("volume.viscosity", format!("{}", v.viscosity), "Pa·s/m³"));
        }
        Response::Pressure => {
            out.push(p("pressure.step", spec.pressure.step.name().to_string(), ""));
            out.push(p("pressure.friction", format!("{:?}", spec.pressure.friction), ""));
            for b in spec.bodies.iter().filter(|b| b.pressure.is_some()) {
                let field = b.pressure.as_ref().map_or(0.0, |f| f.modulus);
                out.push(p(&format!("modulus of {}", b.name), format!("{field}"), "Pa"));
            }
        }
    }
    for pair in &spec.pairs {
        let [a, b] = &pair.materials;
        let law =
            format!("{:?}, μs {}, μk {}, damping {:?}", pair.stiffness, pair.mu_s, pair.mu_k, pair.damping);
        out.push(p(&format!("law {a} – {b}"), law, "N/m or N/m³"));
    }
    out.retain(|p| !p.value.is_empty());
    out
}

fn notes(spec: &SceneSpec, response: Response) -> Vec<String> {
    let mut out = match response {
        Response::Penalty => penalty_notes(spec),
        Response::DpfCcd => vec![
            "The discrete force on the feature pairs that continuous penalty tracks: F = k δ n at the predicted end of the step, \
             for all of it (seed 000 Fig. 8 b). A contact stays open until its depth is zero."
                .to_string(),
            "The force is applied at the start of the step: stable below kΔt²/m = 4/3; the angular momentum it leaks is drawn \
             beside the residual."
                .to_string(),
        ],
        Response::CpfImplicit => vec![
            "Continuous penalty by discrete gradients of ½kδ², solved together with the motion by Newton's method: energy and momenta are \
             kept whatever the stiffness, but for damping, friction, and the potential that changes hands when a contact slides on to the \
             next triangle."
                .to_string(),
            "Every body moves by the midpoint rule, whatever `integrator` says; moments act about the points halfway.".to_string(),
        ],
        Response::Qp => vec![
            "Contacts are rows J Δv ≤ c of the step's quadratic program min ½ΔvᵀKΔv − bᵀΔv (seed 001, errata Q1–Q5), with \
             Coulomb's cone; forces are its multipliers over Δt. Detection is repeated at each answer."
                .to_string(),
            "Surfaces keep the thickness; contacts are inelastic, and stiffness and damping of the materials are not used."
                .to_string(),
        ],
        Response::Volume => vec![
            "Each cell of intersection volume is one constraint: 0 ≤ −dV/dt ⊥ pressure ≥ 0 with Coulomb's cone (seed 002 (16), (17), (21), errata \
             V1–V3, V8), at the positions the step starts from. Positions are then moved until the volume is at most depth times area (18), (19): no \
             velocity changes."
                .to_string(),
            "Contacts are inelastic, and stiffness and damping of the materials are not used.".to_string(),
        ],
        Response::VolumePenalty => vec![
            "The energy ½kV² of each cell of intersection volume (seed 002 (15), erratum V4), at the positions the step starts from; stiffness and \
             damping of the materials are not used."
                .to_string(),
        ],
        Response::Pressure => vec![
            "Contact surfaces are where the pressure fields of two bodies are equal (seed 004); the pressure on them, integrated \
             exactly, is the force. Friction is on the surface too, with a memory of each patch unless the scene says otherwise."
                .to_string(),
            match spec.pressure.step {
                PressureStep::Implicit => {
                    "The pressure is that of the end of the step, solved for with the motion of all bodies: stable for any \
                     modulus, and what is faster than the step loses energy. Both bodies of a pair are pushed at one point: no \
                     momentum leaks."
                }
                PressureStep::Explicit => {
                    "The pressure is that of the start of the step: stable below kΔt²/m = 4 with k the stiffness of the patch, no \
                     leak of momentum."
                }
            }
            .to_string(),
        ],
        Response::Cpf => vec![
            "Continuous penalty: feature pairs found by exact CCD, F = k δ along the turning normal integrated over the \
             time of penetration (seeds 000 §3 and 003 §2). A contact stays open until its depth is zero."
                .to_string(),
            "Impulses are integrated on the way and applied at the start of the step: stable below kΔt²/m = 2; the angular \
             momentum they leak is drawn beside the residual."
                .to_string(),
        ],
    };
    out.push(
        "Forces are applied impulses divided by the step, taken from the ledger that applied them."
            .to_string(),
    );
    out.push(
        "Rigid rotation: exponential map with an energy- and momentum-conserving torque-free update."
            .to_string(),
    );
    out
}

fn penalty_notes(spec: &SceneSpec) -> Vec<String> {
    let at_end = matches!(spec.penalty.evaluate, impinge_scene::Evaluate::End);
    let when = if at_end {
        "Depth is measured at the predicted end of the step and the force applied at its start: this damps by √(1 − kΔt²/m) a \
         step, is stable below kΔt²/m = 4/3, and leaks the angular momentum drawn beside the residual."
    } else {
        "Depth is measured at the start of the step: no numerical damping, stable below kΔt²/m = 4, no leak of momentum."
    };
    vec![
        "Discrete penalty: every vertex inside another body is pushed along the shortest way out with F = k δ plus damping \
         (seeds 000 §2 and 003 §1). Only vertices are tested: two edges can cross unseen."
            .to_string(),
        when.to_string(),
    ]
}
