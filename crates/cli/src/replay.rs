//! `impinge replay`: a recorded run again, and the first step and stage that differ.

use crate::arguments;
use crate::asked::Changes;
use crate::output::{self, Done, Failure, Json, judged};
use crate::recording::{self, Recording, hex};
use crate::runner::Session;
use clap::Args;
use impinge_scene::SceneSpec;
use serde::Serialize;
use std::path::PathBuf;

/// Arguments of `impinge replay`.
#[derive(Args)]
#[command(after_help = "Examples:
  impinge run stack --recording stack.rec --stages
  impinge replay stack.rec
  impinge replay stack.rec --threads 1

The recording holds the scene's text and what was set, so a scene that was changed since is replayed as it was. A run that was killed
leaves FILE.part, which can be replayed as far as it goes.

Exit codes:
  0  every hash is the same
  1  one differs: the first step is named, and the stage if the recording was made with --stages; or all there are are the same, but the
     recording was cut off
  2  no recording, or a damaged file: the line is named")]
pub struct ReplayArgs {
    /// A file that `impinge run --recording` wrote.
    recording: PathBuf,
    /// Threads; the result has the same bits for any number.
    #[arg(long)]
    threads: Option<usize>,
    #[command(flatten)]
    json: Json,
}

/// What the command says.
#[derive(Serialize)]
struct Answer {
    /// Every hash is the same.
    same: bool,
    /// The recording goes to the end of its run.
    whole: bool,
    /// The first that differs.
    difference: Option<String>,
}

/// Runs the command.
pub fn command(args: &ReplayArgs) -> Done {
    args.json.begin();
    let (difference, whole) = arguments::pool(args.threads)?.install(|| replay(args))?;
    if let Some(difference) = &difference {
        say!("{difference}");
    }
    let same = difference.is_none();
    args.json.print(&Answer { same, whole, difference });
    Ok(judged(same && whole))
}

/// Sets the run up as it was.
fn set_up(recording: &Recording) -> Result<Session, Failure> {
    let setup = &recording.head.setup;
    let response = arguments::response_named(&setup.response)?;
    let changes = Changes {
        set: &setup.set,
        dt: setup.dt,
        duration: Some(setup.duration),
        mesh: setup.mesh.as_deref(),
        up: &setup.up,
        scale: setup.scale,
    };
    let (text, path) = (&recording.head.text, &setup.scene);
    let spec = changes.of(|keys| SceneSpec::from_str_under(text, path, keys, Some(response)))?;
    Ok(Session::start(&spec, response, false, false)?)
}

/// What differs, if anything does, and whether the recording is whole.
fn replay(args: &ReplayArgs) -> Result<(Option<String>, bool), Failure> {
    let recording = recording::read(&args.recording)?;
    let difference = compare(&recording)?;
    if recording.foot.is_none() {
        complain!(
            "error: {} is cut off after {} steps: the run was killed while it wrote, or the file was not copied to its end",
            args.recording.display(),
            recording.steps.len()
        );
    }
    Ok((difference, recording.foot.is_some()))
}

fn compare(recording: &Recording) -> Result<Option<String>, Failure> {
    let head = &recording.head;
    let version = env!("CARGO_PKG_VERSION");
    if head.version != version {
        say!("recorded by version {}, replayed by {version}", head.version);
    }
    let mut session = set_up(recording)?;
    let before = [
        ("the scene", "a mesh file, a mass or a law", &head.world, hex(session.sim.scene_digest())),
        ("the state before the first step", "positions or velocities", &head.start, hex(session.sim.hash())),
    ];
    for (what, of, then, now) in before {
        if *then != now {
            return Ok(Some(format!("{what} differs before any step ({of}): {then} then, {now} now")));
        }
    }
    let names: Vec<String> = session.sim.pipeline.costs().map(|(n, _)| n).collect();
    if let Some(then) = &head.stages
        && *then != names
    {
        let (then, now) = (then.join(", "), names.join(", "));
        return Ok(Some(format!("the pipeline differs: {then} then, {now} now")));
    }
    let bar = output::bar(recording.steps.len() as u64, "{bar:30} {pos}/{len} steps, {eta} left");
    let mut digests = Vec::new();
    for (step, then) in recording.steps.iter().enumerate() {
        let result = session.step(head.stages.as_ref().map(|_| &mut digests));
        let time = step as f64 * session.sim.dt();
        // The first stage that wrote something else comes before what it led to, a failed step included.
        let stages = digests.iter().zip(then.iter().skip(1));
        if let Some((now, then)) = stages.into_iter().find(|(now, then)| hex(now.digest) != **then) {
            let (stage, now) = (&now.stage, hex(now.digest));
            return Ok(Some(format!(
                "step {step} (t = {time} s), stage '{stage}': it wrote {then} then, {now} now"
            )));
        }
        if let Err(e) = result {
            return Ok(Some(format!("step {step} (t = {time} s) fails now and did not then: {e}")));
        }
        let now = hex(session.sim.hash());
        if now != then[0] {
            let hint = if head.stages.is_none() { "; record with --stages to learn which stage" } else { "" };
            return Ok(Some(format!(
                "step {step} (t = {time} s): the state has hash {} then, {now} now{hint}",
                then[0]
            )));
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let end = recording.foot.as_ref().map_or("nobody knows how", |f| &f.end);
    say!("{} steps, every hash the same; the recorded run ended: {end}", recording.steps.len());
    if let Some(then) = &recording.foot
        && !matches!(then.end.as_str(), "completed" | "interrupted")
    {
        // The step that failed then must fail now, with the same words.
        let now = session.step(None).err().map(|e| e.to_string());
        if now.as_deref() != Some(then.end.as_str()) {
            let now = now.unwrap_or_else(|| "it does not fail".to_string());
            return Ok(Some(format!("step {}: {} then, now: {now}", recording.steps.len(), then.end)));
        }
        say!("the next step fails as it did then");
    }
    Ok(None)
}
