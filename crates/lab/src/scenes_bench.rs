//! `impinge-lab scenes-bench`: times every stage of every scene.

use clap::Args;
use impinge_cli::output::{Done, Json};
use impinge_cli::{over, runner, scene_files};
use impinge_scene::SceneSpec;
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `impinge-lab scenes-bench`.
#[derive(Args)]
#[command(after_help = "Examples:
  cargo run -p impinge-lab -- scenes-bench stack incline --csv stages.csv
  cargo run -p impinge-lab -- scenes-bench stack --json")]
pub struct ScenesBenchArgs {
    /// Scenes by name; all when none is given.
    scenes: Vec<String>,
    /// Where the rows go.
    #[arg(long, value_name = "FILE", required_unless_present = "json")]
    csv: Option<PathBuf>,
    /// Folder that holds `scenes` (default: `fixtures` here or in a folder above, else this program's own).
    #[arg(long, value_name = "DIR")]
    fixtures: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

/// One stage of one scene.
#[derive(Serialize)]
struct Row {
    scene: String,
    response: String,
    stage: String,
    steps: u64,
    total_seconds: f64,
    median_us: f64,
    p99_us: f64,
    items_mean: f64,
    hash: String,
}

const HEAD: &str = "scene,response,stage,steps,total_seconds,median_us,p99_us,items_mean,hash\n";

impl Row {
    fn csv(&self) -> String {
        format!(
            "{},{},{},{},{},{},{},{},{}\n",
            self.scene,
            self.response,
            self.stage,
            self.steps,
            self.total_seconds,
            self.median_us,
            self.p99_us,
            self.items_mean,
            self.hash
        )
    }
}

/// Runs the command.
pub fn command(args: &ScenesBenchArgs) -> Done {
    args.json.begin();
    if let Some(file) = &args.csv {
        over::same_head("--csv", file, HEAD)?;
    }
    let scenes = scene_files::some_or_all(&args.scenes, args.fixtures.as_deref())?;
    let mut rows: Vec<Row> = Vec::new();
    for (name, path) in &scenes {
        let spec = SceneSpec::load(path).map_err(|e| e.to_string())?;
        let run = runner::run(&spec, spec.response, true, true, |_| true);
        let run = run.map_err(|e| format!("{name}: {e}"))?;
        if let runner::End::Stopped(e) = &run.end {
            return Err(format!("{name}: {e}; a run that stops is no bench").into());
        }
        let Some(recorder) = run.recorder else { continue };
        let record = recorder.finish(&run.sim);
        rows.extend(record.stages.iter().map(|s| Row {
            scene: name.clone(),
            response: record.response.clone(),
            stage: s.name.clone(),
            steps: record.steps,
            total_seconds: s.total_seconds,
            median_us: s.median_microseconds,
            p99_us: s.p99_microseconds,
            items_mean: s.items_mean,
            hash: record.state_hash.clone(),
        }));
        say!("  {name}: {} steps in {:.3} s", record.steps, run.times.total().as_secs_f64());
    }
    args.json.print(&rows);
    let Some(file) = &args.csv else { return Ok(ExitCode::SUCCESS) };
    let csv: String = std::iter::once(HEAD.to_string()).chain(rows.iter().map(Row::csv)).collect();
    let shown = file.display();
    std::fs::write(file, csv)
        .map_err(|e| format!("{shown}: {e}; give a file in a folder that can be written"))?;
    say!("wrote {shown}");
    Ok(ExitCode::SUCCESS)
}
