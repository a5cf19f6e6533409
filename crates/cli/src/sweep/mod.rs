//! `impinge sweep`: a grid of parameters, run in parts wherever there is room, merged by name.

mod files;
mod grid;
mod measure;
mod merge;
mod store;

use crate::arguments;
use crate::claim::Claim;
use crate::digest::digest;
use crate::keys::key_value;
use crate::output::{Done, Failure, Json};
use crate::over::{Form, Target};
use crate::{asked, scene_files, whole};
use clap::Args;
use files::Files;
use grid::{Grid, Point, Shard, points};
use impinge_scene::{Response, SceneSpec};
use merge::merge;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use store::{Row, Store, cells, quoted};

/// Arguments of `impinge sweep`.
#[derive(Args)]
#[command(after_help = "Examples:
  impinge sweep incline --grid mu=0.4,0.5,0.6 --grid scene.dt=0.002,0.001 --responses penalty,cpf
  impinge sweep stack --grid pair.0.stiffness=1e3,1e4,1e5 --shard 2/8 --out out/stiffness
  impinge sweep --merge out/stiffness --out stiffness.csv

One row for each combination of values under each response: the parameters, how the run ended, steps, state hash, depth, energy, momentum
residuals, total variation of the normal forces, and what the scene's expectations measure. A row is one file, written whole: what is
there is not run again, so a shard that was killed goes on when it is started again, and a longer grid takes over what it shares with
a shorter one. Rows have the same bits wherever they run; wall times are kept apart (times). `mu` is mu_s and mu_k of every pair of materials.
sweep.txt says what the rows are of (the scene's text by its digest), grids what mesh files each row is of (by their digests), and a folder
takes no others: a scene or a mesh file that was changed is another sweep.

GNU parallel, four at a time:
  parallel -j4 impinge sweep incline --grid mu=0.3,0.4,0.45,0.5,0.55,0.6,0.7,0.8 \\
    --shard {}/8 --threads 1 --out out/mu ::: $(seq 8)
  impinge sweep --merge out/mu --out mu.csv

Slurm, as an array of 64 for the 64 rows of eight values under eight responses (folders may be shared by all tasks
or one for each). The batch file:
  #!/bin/sh
  #SBATCH --array=1-64 --cpus-per-task=1
  srun impinge sweep incline --grid mu=0.3,0.4,0.45,0.5,0.55,0.6,0.7,0.8 \\
    --responses penalty,cpf,dpf-ccd,cpf-implicit,qp,volume,volume-penalty,pressure \\
    --shard $SLURM_ARRAY_TASK_ID/64 --threads 1 --out out/mu-$SLURM_ARRAY_TASK_ID
and when all are done
  impinge sweep --merge out/mu-* --out mu.csv

Values are parted by commas outside of brackets and quotes: --grid 'scene.gravity=[0,0,-9.81],[0,0,-1.62]'.

--merge takes every row of the grid once, and no other: rows that are missing, there twice, different, changed since they were written
(each has a digest) or of no grid are named, and no table is written. With --partial rows may be missing.

Exit codes:
  0  the rows of the shard are there, or the table is written; that a run stopped or that its response cannot take the scene is a result of its row
  2  not done: an argument, a file or a row is wrong, or the scene for every response, or rows are missing; the message says which")]
pub struct SweepArgs {
    /// A scene's name (see `impinge list`) or the path of a scene file.
    #[arg(required_unless_present = "merge")]
    scene: Option<String>,
    /// A key of the scene with its values; may be given many times.
    #[arg(long, alias = "sweep", value_name = "KEY=V,V…")]
    grid: Vec<String>,
    /// Response families; the scene's own when none is given.
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    responses: Vec<String>,
    /// Sets one key of the scene in all runs; may be given many times.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Simulated time in seconds.
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    duration: Option<f64>,
    /// Runs part i of n.
    #[arg(long, value_name = "i/n", default_value = "1/1", value_parser = Shard::read)]
    shard: Shard,
    /// Runs at most so many of the rows that are missing.
    #[arg(long, value_name = "N")]
    most: Option<usize>,
    /// Threads of a run.
    #[arg(long)]
    threads: Option<usize>,
    /// Merges the rows of these folders into one table.
    #[arg(long, value_name = "DIR", num_args = 1.., conflicts_with_all = ["scene", "grid", "responses", "set", "duration", "most", "shard", "threads", "fixtures"])]
    merge: Vec<PathBuf>,
    /// With --merge: writes the table though rows of the grid are missing.
    #[arg(long, requires = "merge")]
    partial: bool,
    /// With --merge: writes over files that are no tables of this command.
    #[arg(long, requires = "merge")]
    force: bool,
    /// Folder of the rows (default: out/SCENE-sweep); with --merge the file of the table (default: sweep.csv).
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Folder that holds `scenes` (default: `fixtures` here or in a folder above, else this program's own).
    #[arg(long, value_name = "DIR")]
    fixtures: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

/// What the command says of runs.
#[derive(Serialize)]
struct Ran {
    /// All rows of the grid, those of this shard, and those of them that were there already.
    rows: usize,
    of_this_shard: usize,
    there: usize,
    made: Vec<Made>,
    folder: PathBuf,
}

/// One row that was run.
#[derive(Serialize)]
struct Made {
    row: String,
    end: String,
    wall_seconds: f64,
}

/// What the command says of a merge.
#[derive(Serialize)]
struct Merged {
    table: PathBuf,
    times: PathBuf,
    /// Heads of the columns, and the cells of each row.
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// Runs the command. That a run stopped is a result and no error.
pub fn command(args: &SweepArgs) -> Done {
    args.json.begin();
    if args.merge.is_empty() {
        run(args)?
    } else {
        merged(args)?
    }
    Ok(ExitCode::SUCCESS)
}

/// What a merge writes.
const TABLE: Form<'_> = Form { name: "table", is: &|b| b.starts_with(b"row,response,") };
const TIMES: Form<'_> = Form { name: "table of times", is: &|b| b.starts_with(b"row,wall [s]\n") };

fn merged(args: &SweepArgs) -> Result<(), Failure> {
    let file = args.out.clone().unwrap_or_else(|| PathBuf::from("sweep.csv"));
    let apart = file.with_extension("times.csv");
    for (file, form) in [(&file, &TABLE), (&apart, &TIMES)] {
        Target { option: "--out", file, form, force: Some(args.force) }.ready(&[])?;
    }
    let merge::Merged { table, times, missing } = merge(&args.merge)?;
    match (missing.is_empty(), args.partial) {
        (true, _) => {}
        (false, true) => complain!("warning: {missing}"),
        (false, false) => {
            return Err(format!(
                "{missing}. Run these and give all their folders, or --partial for a table of what is there"
            )
            .into());
        }
    }
    for (file, text) in [(&file, &table), (&apart, &times)] {
        whole::write(file, text)?;
    }
    let mut lines = table.lines().map(cells);
    let columns = lines.next().unwrap_or_default();
    let rows: Vec<Vec<String>> = lines.collect();
    say!("{} rows in {}, wall times in {}", rows.len(), file.display(), apart.display());
    args.json.print(&Merged { table: file, times: apart, columns, rows });
    Ok(())
}

fn run(args: &SweepArgs) -> Result<(), Failure> {
    let scene = args.scene.as_deref().unwrap_or_default();
    let path = scene_files::find(scene, args.fixtures.as_deref())?;
    let named = arguments::responses(&args.responses, &[])?;
    let own = first_taken(&path, &named)?;
    let responses = if named.is_empty() { vec![own.response] } else { named };
    let points = points(&args.grid, &responses)?;
    // All of them before anything runs: a bad value is not found out after a night.
    let read: Vec<Result<SceneSpec, Failure>> = points.iter().map(|p| load(args, &path, p)).collect();
    // What one response takes and another does not is no bad value: that is a result of its row.
    let taken = |k: usize| {
        let alike = |o: &usize| points[*o].set == points[k].set && read[*o].is_ok();
        let other = || (0..points.len()).find(alike);
        read[k].as_ref().or_else(|why| other().map_or(Err(why), |o| read[o].as_ref()))
    };
    let specs = (0..points.len()).map(taken).collect::<Result<Vec<_>, _>>().map_err(Failure::clone)?;
    let mut expectations: Vec<String> = Vec::new();
    for e in own.expectations.iter().filter(|e| responses.contains(&e.response)) {
        if !expectations.contains(&e.name) {
            expectations.push(e.name.clone());
        }
    }
    let keys: Vec<&str> = points[0].set.iter().map(|(k, _)| k.as_str()).collect();
    let header = header(&keys, &expectations, &own);
    let dir = args
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from("out").join(format!("{}-sweep", scene_files::stem(scene))));
    let _claim = Claim::shared(&dir, "--out", &["rows", "times", "grids"])?;
    let mut digests = Files::default();
    let files = specs.iter().map(|spec| digests.of(spec)).collect::<Result<Vec<_>, _>>()?;
    let grid = Grid::of(&points, &files, args.shard);
    let store = Store::open(&dir, &about(args, scene, &path, &header)?, &grid)?;

    let mine: Vec<usize> = (0..points.len()).filter(|&k| args.shard.has(k)).collect();
    let missing: Vec<usize> = mine.iter().copied().filter(|&k| !store.has(&points[k], &files[k])).collect();
    say!("{} rows, {} of this shard, {} of them there", points.len(), mine.len(), mine.len() - missing.len());
    if mine.is_empty() {
        complain!("warning: this shard has nothing to do: {} rows for more shards than that", points.len());
    }
    let mut ran = Ran {
        rows: points.len(),
        of_this_shard: mine.len(),
        there: mine.len() - missing.len(),
        made: Vec::new(),
        folder: dir.clone(),
    };
    let pool = arguments::pool(args.threads)?;
    for &k in missing.iter().take(args.most.unwrap_or(usize::MAX)) {
        let (point, spec) = (&points[k], specs[k]);
        let (cells, seconds) = match &read[k] {
            Ok(_) => pool.install(|| measure::measure(spec, point.response, &expectations))?,
            Err(why) => (measure::refused(&why.to_string(), &expectations), 0.0),
        };
        let mut row = vec![point.name(), point.response.name().to_string()];
        row.extend(point.set.iter().map(|(_, v)| v.clone()));
        row.extend(cells);
        let text: Vec<String> = row.iter().map(|c| quoted(c)).collect();
        // What was read in the meantime would be another sweep's.
        let now = Files::default().of(spec)?;
        if now != files[k] {
            return Err(format!(
                "a mesh file was changed while the sweep ran: it was {} and is {now}; the row '{}' is not kept",
                files[k],
                point.name()
            )
            .into());
        }
        store.put(point, &Row { header: &header, row: &text.join(","), files: &files[k] }, seconds)?;
        let end = row.swap_remove(2 + point.set.len());
        say!("{}: {end} in {seconds:.3} s", point.name());
        ran.made.push(Made { row: point.name(), end, wall_seconds: seconds });
    }
    say!("rows in {}; table: impinge sweep --merge {}", dir.display(), dir.display());
    args.json.print(&ran);
    Ok(())
}

/// The scene under the first of these responses that takes it, or under its own where none is named.
fn first_taken(path: &Path, named: &[Response]) -> Result<SceneSpec, Failure> {
    let read = |response| SceneSpec::load_under(path, &[], response);
    let first = read(named.first().copied());
    let taken = named
        .iter()
        .skip(1)
        .fold(first, |known, &next| known.or_else(|why| read(Some(next)).map_err(|_| why)));
    Ok(taken?)
}

fn load(args: &SweepArgs, path: &Path, point: &Point) -> Result<SceneSpec, Failure> {
    let fixed = args.set.iter().map(|s| key_value("--set", s)).collect::<Result<Vec<_>, _>>()?;
    let set: Vec<(&str, &str)> = point.set.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    asked::of_variant(path, &fixed, &set, args.duration, Some(point.response))
}

fn header(keys: &[&str], expectations: &[String], spec: &SceneSpec) -> String {
    let mut columns = vec!["row".to_string(), "response".to_string()];
    columns.extend(keys.iter().map(ToString::to_string));
    columns.extend(measure::COLUMNS.map(str::to_string));
    for name in expectations {
        let unit = spec.expectations.iter().find(|e| e.name == *name).map_or("1", |e| e.measure.unit());
        columns.push(format!("{name} [{unit}]"));
    }
    columns.iter().map(|c| quoted(c)).collect::<Vec<_>>().join(",")
}

/// What all rows of a folder have in common.
fn about(args: &SweepArgs, scene: &str, path: &Path, header: &str) -> Result<String, String> {
    let text = std::fs::read(path).map_err(|e| format!("{} cannot be read: {e}", path.display()))?;
    let duration = args.duration.map_or("the scene's".to_string(), |d| format!("{d:?} s"));
    Ok(format!(
        "scene {}, digest {:016x}\nimpinge {}\nset {}\nduration {duration}\ncolumns {header}\n",
        scene_files::stem(scene),
        digest(&text),
        env!("CARGO_PKG_VERSION"),
        args.set.join(" "),
    ))
}
