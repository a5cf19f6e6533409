//! `cargo xtask golden`: hashes and a few numbers of every scene, compared with those kept in the repository.

use crate::fixtures::beside_scenes;
use clap::Args;
use impinge_cli::check::judge;
use impinge_cli::output::{Done, Json, judged};
use impinge_cli::{runner, scene_files};
use impinge_scene::{Checked, SceneSpec};
use impinge_world::Simulation;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Arguments of `cargo xtask golden`.
#[derive(Args)]
#[command(after_help = "Examples:
  cargo xtask golden stack drop
  cargo xtask golden --json

A hash covers every bit of the state after the last step. Exit code 1: one differs, and both values are printed.")]
pub struct GoldenArgs {
    /// Scenes by name; all when none is given.
    scenes: Vec<String>,
    /// Write the new values instead of comparing.
    #[arg(long)]
    bless: bool,
    /// Also judge the runs by their scenes' expectations, as `impinge check` does.
    #[arg(long)]
    expect: bool,
    /// Folder that holds `scenes` and `golden` (default: `fixtures` here or in a folder above).
    #[arg(long, value_name = "DIR")]
    fixtures: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

/// What became of one scene.
#[derive(Serialize)]
struct Row {
    scene: String,
    response: &'static str,
    /// `same`, `written`, or what differs.
    result: String,
    now: Golden,
}

/// What is kept of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Golden {
    steps: u64,
    hash: String,
    kinetic_energy: f64,
    potential_energy: f64,
    linear_momentum: [f64; 3],
    last_body: [f64; 3],
}

impl Golden {
    fn of(sim: &Simulation) -> Self {
        let e = sim.energy();
        let last = (sim.names().len() - 1) as u32;
        Self {
            steps: sim.steps(),
            hash: format!("{:016x}", sim.hash()),
            kinetic_energy: e.kinetic(),
            potential_energy: e.gravity + e.anchors,
            linear_momentum: sim.ledger().momentum.linear.into(),
            last_body: sim.position(last).into(),
        }
    }
}

/// A run that is over.
struct Ran {
    golden: Golden,
    stopped: Option<String>,
    checks: Vec<Checked>,
}

fn run(spec: &SceneSpec) -> Result<Ran, String> {
    let run = runner::run(spec, spec.response, false, true, |_| true)?;
    Ok(Ran { golden: Golden::of(&run.sim), stopped: run.end.stopped(), checks: run.checks })
}

/// Runs scenes under their responses, as many at a time as there are processors: few are large enough for two. In their order.
fn run_all(specs: &[SceneSpec]) -> Vec<Result<Ran, String>> {
    let next = AtomicUsize::new(0);
    let done: Vec<OnceLock<_>> = specs.iter().map(|_| OnceLock::new()).collect();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(i) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&i| i < specs.len()) {
                    done[i].get_or_init(|| run(&specs[i]));
                }
            });
        }
    });
    done.into_iter().filter_map(OnceLock::into_inner).collect()
}

/// Runs the command.
pub fn command(args: &GoldenArgs) -> Done {
    args.json.begin();
    let fixtures = args.fixtures.as_deref();
    let dir = beside_scenes(fixtures, "golden")?;
    let scenes = scene_files::some_or_all(&args.scenes, fixtures)?;
    let specs: Result<Vec<_>, _> = scenes.iter().map(|(_, path)| SceneSpec::load(path)).collect();
    let specs = specs.map_err(|e| e.to_string())?;
    let (mut good, mut bad) = (0, 0);
    let mut rows = Vec::new();
    for ((name, _), (spec, done)) in scenes.iter().zip(specs.iter().zip(run_all(&specs))) {
        let done = done.map_err(|e| format!("{name}: {e}"))?;
        let (new, response) = (done.golden, spec.response.name());
        let file = dir.join(format!("{name}.{response}.toml"));
        let result = match compare(&file, &new, args.bless) {
            Ok(true) => {
                good += 1;
                say!("  same     {name}  {}", new.hash);
                "same".to_string()
            }
            Ok(false) => {
                good += 1;
                say!("  written  {}", file.display());
                "written".to_string()
            }
            Err(e) => {
                bad += 1;
                say!("  OTHER    {name}: {e}");
                e
            }
        };
        if args.expect {
            let (met, missed) = judge(name, response, done.stopped.as_deref(), &done.checks);
            good += met;
            bad += missed;
        }
        rows.push(Row { scene: name.clone(), response, result, now: new });
    }
    args.json.print(&rows);
    say!("{good} passed, {bad} failed");
    Ok(judged(bad == 0))
}

/// `true` when the file holds the same, `false` when it was written.
fn compare(file: &Path, new: &Golden, bless: bool) -> Result<bool, String> {
    let text = toml::to_string(new).map_err(|e| e.to_string())?;
    let place = file.display();
    let old = std::fs::read_to_string(file).ok().and_then(|t| toml::from_str::<Golden>(&t).ok());
    if old.as_ref() == Some(new) {
        return Ok(true);
    }
    if bless {
        if let Some(dir) = file.parent() {
            std::fs::create_dir_all(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        }
        std::fs::write(file, text).map_err(|e| format!("{place}: {e}"))?;
        return Ok(false);
    }
    let before = old.map_or_else(|| "nothing readable".to_string(), |o| format!("{o:?}"));
    Err(format!(
        "{place} holds {before}\n           this run gives\n{text}           if the change is meant, `cargo xtask golden \
         --bless` writes it there; say why in the commit"
    ))
}
