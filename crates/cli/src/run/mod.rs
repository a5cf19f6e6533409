//! `impinge run`: a scene to its report.

mod record;
mod summary;
mod told;
mod units;

use crate::arguments;
use crate::asked::Changes;
use crate::checkpoint::{self, Every, Identity, Keeper};
use crate::claim::Claim;
use crate::open::Open;
use crate::output::{self, Done, Json};
use crate::over;
use crate::recording;
use crate::runner::{End, Session};
use crate::wish::Wish;
use crate::{memory, scene_files, signals};
use clap::Args;
use impinge_report::write_report;
use impinge_scene::{Response, SceneSpec, Verdict};
use impinge_watch::short_time;
use indicatif::ProgressBar;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

pub use record::fill;
pub(crate) use summary::Summary;
use told::{first_line, tell};

/// Arguments of `impinge run`.
#[derive(Args)]
#[command(after_help = "Examples:
  impinge run drop
  impinge run drop --mesh bunny.obj --up y --duration 2
  impinge run incline --set pair.0.mu_s=0.4 --set pair.0.mu_k=0.4
  impinge run my-scene.toml --dt 0.0001 --threads 1 --out results/fine
  impinge run large/dragons-cpf --resume          (again and again, until it is through)
  impinge run stack --recording stack.rec --stages, then: impinge replay stack.rec

Every key of the scene can be set: `scene.dt`, `penalty.evaluate`, `body.ball.mass`, `pair.0.rolling_friction`.
The keys are in fixtures/scenes/SCHEMA.md. Ctrl-C, SIGTERM, SIGHUP and --limit end the run; a step in progress is given up. Then
there is a report of what was computed, unless --no-report, and a checkpoint, unless --checkpoint 0. A run with a report that takes more
than a minute leaves a checkpoint every minute; killed at any moment, it goes on with --resume to the same bits. One run at a time writes into a folder.

Exit codes:
  0  the run completed and met the scene's expectations
  1  it stopped, was interrupted, reached --limit or missed an expectation; the report is written all the same
  2  it could not be run, or what was printed is lost
  3  it is no physics: energy from nowhere, bodies sunk deeper than they are thick, gone through each other, or let go of by their contacts; a warning says which. A run with a
     million times the energy that it ever had or was given stops there. 3 goes before 1: also of a run that stops or misses an expectation, and not of one that is
     interrupted or reaches --limit, which has more to come.
     A run that completes where its scene expects to fail is as it should be: 0")]
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
    #[arg(long, value_name = "AXIS", default_value = "z", value_parser = ["y", "z"], requires = "mesh")]
    up: String,
    /// Metres per unit of the mesh file, instead of scaling to the scene's size.
    #[arg(long, allow_negative_numbers = true, requires = "mesh")]
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
    /// Seconds of wall time between two checkpoints in the output folder; 0 for none. From the second on they
    /// take at most a twentieth of the time.
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
    /// Seconds of wall time after which the run ends as by Ctrl-C: with a report and a checkpoint; a step in progress is given up.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    limit: Option<f64>,
    /// Keep the hash of every step in this file, for `impinge replay`. It has `.part` behind its name until the run ends; a pipe is written into.
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    recording: Option<PathBuf>,
    /// What every stage wrote goes into the recording too, so that a replay can name the stage that differs; slower.
    #[arg(long, requires = "recording")]
    stages: bool,
    /// Write over a recording or a report that this program did not write there.
    #[arg(long)]
    force: bool,
    /// Do not write a report; print the numbers, with --quiet the hash alone. A run that is ended early leaves a checkpoint all the same.
    #[arg(long, conflicts_with = "open")]
    no_report: bool,
    /// Folder that holds `scenes` (default: `fixtures` here or in a folder above, else this program's own).
    #[arg(long, value_name = "DIR")]
    fixtures: Option<PathBuf>,
    #[command(flatten)]
    open: Open,
    #[command(flatten)]
    json: Json,
}

/// Exit code of a run to its end of which a warning says that it is no physics.
const NO_PHYSICS: u8 = 3;

/// Between two checkpoints (s), unless told otherwise.
const MINUTE: f64 = 60.0;

/// Runs the command. A run that stopped, or did not do what the scene expects, exits with 1; its report is
/// written all the same.
pub fn command(args: &RunArgs) -> Done {
    args.json.begin();
    let response = args.response.as_deref().map(arguments::response_named).transpose()?;
    let path = scene_files::find(&args.scene, args.fixtures.as_deref())?;
    let changes = Changes {
        set: &args.set,
        dt: args.dt,
        duration: args.duration,
        mesh: args.mesh.as_deref(),
        up: &args.up,
        scale: args.scale,
    };
    let spec = changes.of(|keys| SceneSpec::load_under(&path, keys, response))?;
    let response = response.unwrap_or(spec.response);
    let name = scene_files::stem(&args.scene);
    let every = often(args)?;
    let out =
        args.out.clone().unwrap_or_else(|| PathBuf::from("out").join(format!("{name}-{}", response.name())));
    let saves = args.resume || args.checkpoint.is_some_and(|s| s > 0.0) || args.checkpoint_steps.is_some();
    // Before an hour is spent, not after.
    if let Some(file) = &args.recording {
        recording::ready(file, args.force, &read_by(&path, &spec, args.mesh.as_deref()))?;
    }
    if !args.no_report {
        over::report("--out", &out, "report.html", args.force)?;
    }
    let _claim = (!args.no_report || saves).then(|| Claim::folder(&out, "--out")).transpose()?;
    arguments::pool(args.threads)?.install(|| compute(args, (&spec, every), response, &name, &out))
}

fn compute(
    args: &RunArgs,
    (spec, every): (&SceneSpec, Every),
    response: Response,
    name: &str,
    out: &Path,
) -> Done {
    let limit = args.limit.map(|s| arguments::seconds("--limit", s)).transpose()?;
    let (start, mut in_time) = (Instant::now(), true);
    let bar = progress(spec);
    let dt = spec.dt;
    // The scene's expectations are for its own length and parameters.
    let own = args.duration.is_none() && args.dt.is_none() && args.mesh.is_none() && args.set.is_empty();
    let mut session = Session::start(spec, response, !args.no_report, own)?;
    say!("{}", first_line(spec, response, name, &session));
    memory::curves_fit(session.recorder.as_ref(), &session.sim, spec.steps())?;
    let units = units::warnings(spec, &session.sim);
    units.iter().for_each(|w| complain!("warning: {w}"));
    let (mut keeper, mut resumed, mut unkept) = (None, false, None);
    if args.checkpoint.is_none_or(|s| s > 0.0) {
        // Of its first state, also where nothing is kept before somebody ends it.
        unkept = Some(Identity::of(spec, response, &session));
    }
    if args.resume || every.steps.is_some() || every.time.is_some() {
        let identity = unkept.take().unwrap_or_else(|| Identity::of(spec, response, &session));
        if args.resume {
            resumed = checkpoint::resume(out, &identity, spec.steps(), &mut session)?;
            if resumed {
                say!("going on at step {} of {}", session.sim.steps(), spec.steps());
            } else {
                say!("no checkpoint in {}: starting at the beginning", out.display());
            }
        } else if checkpoint::file_in(out).exists() {
            complain!(
                "warning: {} is of an earlier run; --resume would go on with it. The first checkpoint of this run moves it to \
                 checkpoint.bin.old",
                checkpoint::file_in(out).display()
            );
        }
        keeper = Some(Keeper::new(out, identity, every, &session, resumed));
    }
    // A checkpoint brings the budget of the run that wrote it.
    session.times.set_budget(args.budget);
    // Whoever ends it earlier ends it at once: nothing is computed yet, and a world may take minutes to set up.
    let stop = signals::interrupted();
    let mut writer = match &args.recording {
        Some(file) => {
            let head =
                recording::head(&setup(args, spec, response), spec.text().to_string(), &session, args.stages);
            Some(recording::Writer::start(file, &head)?)
        }
        None => None,
    };
    let until = limit.and_then(|most| start.checked_add(Duration::try_from_secs_f64(most).ok()?));
    let wish = Wish::new(&stop, until);
    session.sim.give_up_when(wish.flag.clone());
    let started_at = session.sim.steps();
    let mut foretold = memory::Foretold::new(started_at, spec.steps());
    let end = loop {
        if session.sim.steps() >= spec.steps() {
            break End::Completed;
        }
        let result = match &mut writer {
            Some(w) => w.step(&mut session),
            None => session.step(None),
        };
        if let Err(e) = result {
            let (step, end) = (e.step, End::of(e));
            if matches!(end, End::Interrupted) {
                in_time = limit.is_none_or(|most| start.elapsed().as_secs_f64() < most);
                say!("step {step} was given up before it was done; what is kept is the state before it");
            }
            break end;
        }
        let n = session.sim.steps();
        let words = foretold.after_step(session.recorder.as_ref(), &session.sim);
        words.iter().for_each(|words| say!("{words}"));
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
        in_time = limit.is_none_or(|most| start.elapsed().as_secs_f64() < most);
        if stop.load(Ordering::SeqCst) || !in_time && session.sim.steps() < spec.steps() {
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
                complain!("error: {e}");
            }
        }
    }
    if let Some(k) = &mut keeper
        && !matches!(end, End::Completed)
        // A state that is no physics takes the place of no good one.
        && !end.is_absurd()
        && k.save(&session)
    {
        kept(k);
    }
    if let (None, Some(identity), End::Interrupted) = (&keeper, unkept, &end) {
        leave(out, identity, &session);
    }
    let run = session.finish(end);
    let mut summary = Summary::of(&run, spec, response, name);
    let late = limit.filter(|_| !in_time && matches!(run.end, End::Interrupted));
    let late = late.map(|most| format!("{} of --limit are over", short_time(most)));
    late.iter().for_each(|w| say!("{w}"));
    let times = tell(&run, &summary, args.budget, !args.no_report, own);
    summary.warnings.extend(units.iter().cloned());
    if let Some(recorder) = run.recorder {
        let mut record = recorder.finish(&run.sim);
        fill(&mut record, spec, response, name, &run.checks, (&run.end, &run.lost));
        record.notes.extend(run.told.iter().map(|w| format!("Warning: {w}.")));
        record.notes.extend(units.iter().map(|w| format!("Warning: {w}.")));
        record.notes.extend(run.warnings.iter().map(|w| format!("Warning: {w}.")));
        record.notes.extend(late.iter().map(|w| format!("Interrupted: {w}.")));
        record.notes.extend(run.note.iter().map(|w| format!("Images: {w}.")));
        record.notes.extend(run.halved.iter().map(|w| format!("{w}.")));
        record.notes.extend(times.iter().map(|words| format!("Time: {words}.")));
        let written = write_report(out, &record).map_err(|e| e.to_string());
        if written.is_err() {
            match &keeper {
                Some(k) if k.has_one() => complain!(
                    "the last checkpoint stays: mend the output folder, then the same command with --resume writes the report"
                ),
                _ => complain!("there is no checkpoint: mend the output folder, then run again"),
            }
        }
        summary.report = Some(written?.html);
    }
    if let (Some(k), End::Completed) = (&keeper, &run.end) {
        k.remove();
    }
    memory::taken().iter().for_each(|words| say!("{words}"));
    let met = run.checks.iter().all(|c| c.verdict.is_as_expected());
    let good = matches!(run.end, End::Completed) && met && recorded;
    if let Some(page) = &summary.report {
        say!("report {}", page.display());
        args.open.page(page);
    }
    args.json.print(&summary);
    // A scene that shows where a response fails says so itself.
    let known = run.checks.iter().any(|c| c.verdict == Verdict::ExpectedFail);
    // What was ended early has more to come, and is taken up by its code.
    let early = matches!(run.end, End::Interrupted);
    let lost = run.end.is_absurd() || !run.lost.is_empty() && !known && !early;
    Ok(match (good, lost && recorded) {
        (_, true) => ExitCode::from(NO_PHYSICS),
        (false, false) => ExitCode::FAILURE,
        (true, false) => ExitCode::SUCCESS,
    })
}

/// A checkpoint of a run that was ended early and kept none on its way.
fn leave(out: &Path, identity: Identity, session: &Session) {
    match Claim::folder(out, "--out") {
        Ok(_claim) => {
            let mut keeper = Keeper::new(out, identity, Every::default(), session, false);
            if keeper.save(session) {
                kept(&keeper);
            }
        }
        Err(e) => complain!("warning: there is no checkpoint: {e}"),
    }
}

fn kept(keeper: &Keeper) {
    say!("checkpoint {} holds the last good state; --resume goes on from it", keeper.file().display());
}

/// How often checkpoints are asked for: every minute where a report is, unless the arguments say otherwise.
fn often(args: &RunArgs) -> Result<Every, String> {
    let checkpoint = args.checkpoint.filter(|s| *s != 0.0).map(|s| arguments::seconds("--checkpoint", s));
    checkpoint.transpose().map_err(|e| format!("{e}, or 0 for none"))?;
    args.budget.map(|s| arguments::seconds("--budget", s)).transpose()?;
    let seconds = match args.checkpoint {
        Some(s) => Some(s),
        None if args.no_report || args.checkpoint_steps.is_some() => None,
        None => Some(MINUTE),
    };
    let time = seconds.filter(|s| *s > 0.0).map(Duration::from_secs_f64);
    Ok(Every { steps: args.checkpoint_steps, time })
}

/// The files that a run reads.
pub(crate) fn read_by(scene: &Path, spec: &SceneSpec, mesh: Option<&Path>) -> Vec<PathBuf> {
    let meshes = spec.files().into_iter().map(|(_, place)| place);
    meshes.chain([scene.to_path_buf()]).chain(mesh.map(Path::to_path_buf)).collect()
}

/// What a replay must know to set the same run up.
fn setup(args: &RunArgs, spec: &SceneSpec, response: Response) -> recording::Setup {
    recording::Setup {
        scene: absolute(spec.origin()),
        response: response.name().to_string(),
        duration: spec.duration,
        dt: args.dt,
        set: args.set.clone(),
        mesh: args.mesh.as_deref().map(absolute),
        up: args.up.clone(),
        scale: args.scale,
    }
}

/// A replay may be started in another folder.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

fn progress(spec: &SceneSpec) -> ProgressBar {
    let bar = output::bar(spec.steps(), "{bar:30} {pos}/{len} steps, {msg}, {eta} left");
    // What stands there until the first step is done.
    bar.set_message("first step");
    bar
}
