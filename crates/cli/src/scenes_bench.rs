//! `impinge scenes-bench`: times every stage of every scene.

use crate::{fail, runner, scene_files};
use clap::Args;
use impinge_scene::SceneSpec;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `impinge scenes-bench`.
#[derive(Args)]
pub struct ScenesBenchArgs {
    /// Scenes by name; all when none is given.
    scenes: Vec<String>,
    /// Where the rows go.
    #[arg(long, value_name = "FILE")]
    csv: PathBuf,
    /// Folder that holds `scenes` (default: `fixtures` here or in a folder above).
    #[arg(long, value_name = "DIR")]
    fixtures: Option<PathBuf>,
}

/// Runs the command.
pub fn command(args: &ScenesBenchArgs) -> ExitCode {
    let scenes = match scene_files::some_or_all(&args.scenes, args.fixtures.as_deref()) {
        Ok(s) => s,
        Err(e) => return fail(e),
    };
    let mut csv = String::from("scene,response,stage,steps,total_seconds,median_us,p99_us,items_mean,hash\n");
    for (name, path) in &scenes {
        let spec = match SceneSpec::load(path) {
            Ok(s) => s,
            Err(e) => return fail(e),
        };
        let run = match runner::run(&spec, spec.response, true, true, |_| true) {
            Ok(r) => r,
            Err(e) => return fail(format!("{name}: {e}")),
        };
        if let runner::End::Stopped(e) = &run.end {
            return fail(format!("{name}: {e}; a run that stops is no bench"));
        }
        let Some(recorder) = run.recorder else { continue };
        let record = recorder.finish(&run.sim);
        for s in &record.stages {
            // Writing to a String cannot fail.
            let _ = writeln!(
                csv,
                "{name},{},{},{},{},{},{},{},{}",
                record.response,
                s.name,
                record.steps,
                s.total_seconds,
                s.median_microseconds,
                s.p99_microseconds,
                s.items_mean,
                record.state_hash
            );
        }
        say!("  {name}: {} steps in {:.3} s", record.steps, run.times.total().as_secs_f64());
    }
    match std::fs::write(&args.csv, csv) {
        Ok(()) => {
            say!("wrote {}", args.csv.display());
            ExitCode::SUCCESS
        }
        Err(e) => fail(format!("{}: {e}; give a file in a folder that can be written", args.csv.display())),
    }
}
