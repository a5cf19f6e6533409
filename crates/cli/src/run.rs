//! `impinge run`: a scene to its report.

use crate::runner::{self, End};
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

/// Arguments of `impinge run`.
#[derive(Args)]
#[command(after_help = "Examples:
  impinge run drop
  impinge run drop --mesh bunny.obj --up y --duration 2
  impinge run incline --set pair.0.mu_s=0.4 --set pair.0.mu_k=0.4
  impinge run my-scene.toml --dt 0.0005 --threads 1 --out results/fine

Every key of the scene can be set: `scene.dt`, `penalty.evaluate`, `body.ball.mass`, `pair.0.stiffness`.
The keys are in fixtures/scenes/SCHEMA.md. Ctrl-C ends the run and writes the report of what was computed.")]
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
    let mut keys: Vec<(String, String)> = Vec::new();
    for s in &args.set {
        let (key, value) = s
            .split_once('=')
            .ok_or_else(|| format!("--set {s}: write KEY=VALUE, for instance --set scene.dt=0.001"))?;
        keys.push((key.trim().to_string(), value.trim().to_string()));
    }
    if let Some(dt) = args.dt {
        keys.push(("scene.dt".to_string(), format!("{dt:?}")));
    }
    let keys: Vec<(&str, &str)> = keys.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    let mut spec = SceneSpec::load_with(&path, &keys).map_err(|e| e.to_string())?;
    if let Some(duration) = args.duration {
        // Not as a key: the scene's expectations may reach further, and are then simply not judged.
        if !(duration.is_finite() && duration > 0.0) {
            return Err(format!("--duration {duration}: give a time above 0 in seconds"));
        }
        spec.duration = duration;
    }
    if let Some(mesh) = &args.mesh {
        let how = Replacement { y_up: args.up == "y", scale: args.scale };
        spec.replace_mesh_with(mesh, &how).map_err(|e| e.to_string())?;
    }
    Ok(spec)
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
    let run = runner::run(spec, response, !args.no_report, own, |sim| {
        let n = sim.steps();
        bar.set_position(n);
        if n % 16 == 1 {
            let contacts: u32 = sim.ledger().pairs.contacts.iter().sum();
            let speed = n as f64 * dt / bar.elapsed().as_secs_f64().max(1e-9);
            bar.set_message(format!("t = {:.3} s, {contacts} contacts, {speed:.2} × real time", sim.time()));
        }
        !stop.load(Ordering::SeqCst)
    })?;
    bar.finish_and_clear();

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
    check::print_checks(name, response.name(), &run.checks);
    if !own {
        say!(
            "  the expectations are not judged: the run is not the scene's own (changed on the command line)"
        );
    }
    let met = run.checks.iter().all(|c| c.verdict.is_as_expected());
    let good = matches!(run.end, End::Completed) && met;
    if let Some(recorder) = run.recorder {
        let mut record = recorder.finish(&run.sim);
        fill(&mut record, spec, response, name, &run.checks, &run.end);
        record.notes.extend(run.sim.warnings().iter().map(|w| format!("Warning: {w}.")));
        record.notes.extend(run.sim.unit_warnings().iter().map(|w| format!("Warning: {w}.")));
        let written = write_report(out, &record).map_err(|e| e.to_string())?;
        say!("report {}", written.html.display());
    }
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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
