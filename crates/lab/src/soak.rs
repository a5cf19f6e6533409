//! `cargo xtask soak`: a long-run stress test of a small scene under every response, run twice.
//!
//! What only shows in long runs: memory that grows, energy that creeps up, bits that depend on something outside the state. The motion is
//! one that does not come to rest (`fixtures/soak`), so the contacts keep opening, sliding and closing.

use crate::fixtures::beside_scenes;
use clap::Args;
use impinge_cli::memory::resident;
use impinge_cli::output::{self, Done, Json, judged};
use impinge_cli::runner::{self, End, Session};
use impinge_cli::{arguments, over, scene_files};
use impinge_scene::{Response, SceneSpec};
use impinge_watch::short_time;
use impinge_world::worst;
use serde::Serialize;
use std::path::PathBuf;

/// Arguments of `cargo xtask soak`.
#[derive(Args)]
#[command(after_help = "Examples:
  cargo xtask soak                                     (100000 steps of each response, twice)
  cargo xtask soak --steps 10000000 --responses penalty
  cargo xtask soak --steps 10000000 --responses qp --write SOAK.md   (other responses' rows of the same table stay)

Every run is made twice. Exit code 0: both ended with the same hash, the energy never rose above ten times what it reached in the first
tenth of the run, and the memory of the process did not grow by more than 4 MiB after that tenth.")]
pub struct SoakArgs {
    /// Scene in fixtures/soak, or the path of a scene file.
    #[arg(default_value = "shaken")]
    scene: String,
    /// Steps of each run.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(10..))]
    steps: u64,
    /// Response families; all when none is given.
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    responses: Vec<String>,
    /// Writes the table to a file (Markdown), after each response. Rows of other responses that stand there under the same head stay.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Folder that holds `soak` (default: `fixtures` here or in a folder above).
    #[arg(long, value_name = "DIR")]
    fixtures: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

/// What became of one response.
#[derive(Serialize)]
struct Row {
    response: &'static str,
    /// Why it does not take the scene.
    refused: Option<String>,
    /// Everything that must hold holds.
    holds: bool,
    /// What does not, in words.
    misses: Vec<String>,
    hash: String,
    /// The second run ended with the same hash.
    repeated: bool,
    /// Range of the energy in the first tenth and after it (J).
    energy: [f64; 2],
    /// Memory after the first tenth and at the end (bytes).
    memory: [Option<u64>; 2],
    steps_per_second: f64,
    /// Why it stopped.
    stopped: Option<String>,
    /// The line of the table.
    #[serde(skip)]
    line: String,
    /// What it took, in words.
    #[serde(skip)]
    times: String,
}

/// Memory may grow by this much after the first tenth (bytes): what the allocator keeps in reserve moves by less.
const GROWTH: u64 = 4 << 20;
/// In fewer steps than this the first tenth has not seen the range of the motion.
const SETTLED: u64 = 10_000;
/// The energy may reach this many times what it reached in the first tenth.
const RISE: f64 = 10.0;

/// Runs the command.
pub fn command(args: &SoakArgs) -> Done {
    args.json.begin();
    Ok(judged(soak(args)?))
}

/// One long run.
struct Long {
    hash: u64,
    /// Largest total energy above the smallest, in the first tenth and after it (J).
    energy: [f64; 2],
    /// Memory in use after the first tenth and at the end (bytes); `None` where the system does not say.
    memory: [Option<u64>; 2],
    /// Steps a second.
    rate: f64,
    /// Wall time of the steps (s).
    took: f64,
    /// Median and longest step (s).
    step: [f64; 2],
    stopped: Option<String>,
}

fn soak(args: &SoakArgs) -> Result<bool, String> {
    let dir = beside_scenes(args.fixtures.as_deref(), "soak")?;
    let named = dir.join(format!("{}.toml", args.scene));
    let path = if named.exists() { named } else { scene_files::find(&args.scene, args.fixtures.as_deref())? };
    let spec = SceneSpec::load(&path).map_err(|e| e.to_string())?;
    let responses = arguments::responses(&args.responses, Response::ALL)?;
    let head = head(&spec.title, args.steps, spec.dt);
    if let Some(file) = &args.write {
        over::same_head("--write", file, &head)?;
    }
    let mut rows: Vec<Row> = Vec::new();
    say!("{head}");
    for response in responses {
        let row = row(args, &spec, response)?;
        say!("{}", row.line);
        if !row.times.is_empty() {
            say!("    {}", row.times);
        }
        row.misses.iter().for_each(|m| say!("    does not hold: {m}"));
        // After each: the next may take hours, and what is there is kept.
        if let Some(file) = &args.write {
            // What cannot be read is not there yet, or the writing says why.
            let written = std::fs::read_to_string(file).unwrap_or_default();
            let table = table(&head, rows_of(&written, &head), response, row.line.clone());
            std::fs::write(file, table).map_err(|e| format!("{}: {e}", file.display()))?;
        }
        rows.push(row);
    }
    args.json.print(&rows);
    if rows.iter().all(|r| r.refused.is_some()) {
        return Err("no response takes this scene: nothing was run".to_string());
    }
    if !args.responses.is_empty() && rows.iter().any(|r| r.refused.is_some()) {
        say!("a response that was named does not take the scene");
    }
    // One that does not take the scene is told; one that was named had to.
    Ok(rows.iter().all(|r| r.holds || (r.refused.is_some() && args.responses.is_empty())))
}

/// Title and heads of the columns. A table of other steps or of another scene begins otherwise.
fn head(title: &str, steps: u64, dt: f64) -> String {
    format!(
        "{title}: {steps} steps of {dt} s, each run made twice.\n\n\
         | response | hash | on repeat | energy range, first tenth | afterwards | memory, first tenth | at the end | both runs took |\n\
         |---|---|---|---|---|---|---|---|"
    )
}

/// The rows that were there, with that of `response` in its place.
fn table(head: &str, mut rows: Vec<String>, response: Response, row: String) -> String {
    let begin = |r: Response| format!("| {} |", r.name());
    rows.retain(|r| !r.starts_with(&begin(response)));
    rows.push(row);
    rows.sort_by_key(|row| Response::ALL.iter().position(|&r| row.starts_with(&begin(r))));
    format!("{head}\n{}\n", rows.join("\n"))
}

/// A message for a cell.
fn one_line(message: &str) -> String {
    message.replace('\n', " ").replace('|', "/")
}

/// The rows of a table that was written before under the same head.
fn rows_of(table: &str, head: &str) -> Vec<String> {
    let below = table.strip_prefix(head).unwrap_or_default();
    below.lines().filter(|l| l.starts_with('|')).map(str::to_string).collect()
}

/// Both runs of one response.
fn row(args: &SoakArgs, spec: &SceneSpec, response: Response) -> Result<Row, String> {
    let name = response.name();
    let (first, second) = match run(args, spec, response)? {
        Err(refused) => {
            return Ok(Row {
                response: name,
                line: format!("| {name} | refused: {} | | | | | | |", one_line(&refused)),
                times: String::new(),
                refused: Some(refused),
                holds: false,
                misses: Vec::new(),
                hash: String::new(),
                repeated: false,
                energy: [f64::NAN; 2],
                memory: [None; 2],
                steps_per_second: 0.0,
                stopped: None,
            });
        }
        Ok(first) => match run(args, spec, response)? {
            Ok(second) => (first, second),
            Err(refused) => return Err(format!("{name} took the scene once and then refused it: {refused}")),
        },
    };
    let same = first.hash == second.hash;
    // The second run: the first also fills what the process keeps for good.
    let grown = match second.memory {
        [Some(a), Some(b)] => b.saturating_sub(a) > GROWTH,
        _ => false,
    };
    let rises = second.energy[1].is_nan() || second.energy[1] > RISE * second.energy[0];
    let stopped = second.stopped.clone();
    let mib = |m: Option<u64>| m.map_or("not known".into(), |b| format!("{:.1} MiB", b as f64 / 1048576.0));
    let bad = |is: bool| if is { " (!)" } else { "" };
    let line = format!(
        "| {name} | {:016x} | {} | {:.4} J | {:.4} J{} | {} | {}{} | {}{} |",
        first.hash,
        if same { "the same" } else { "ANOTHER (!)" },
        second.energy[0],
        second.energy[1],
        bad(rises),
        mib(second.memory[0]),
        mib(second.memory[1]),
        bad(grown),
        short_time(first.took + second.took),
        stopped.as_ref().map_or(String::new(), |e| format!(" stopped: {}", one_line(e))),
    );
    let misses = [
        (!same).then(|| format!("the second run ended with the hash {:016x}", second.hash)),
        rises.then(|| {
            format!(
                "the energy range after the first tenth ({} steps) is {:.4} J, above {RISE} times the {:.4} J within it{}",
                args.steps / 10,
                second.energy[1],
                second.energy[0],
                if args.steps < SETTLED { format!("; so few steps do not show the motion: give --steps {SETTLED} or more") } else { String::new() }
            )
        }),
        grown.then(|| format!("memory grew by more than {} MiB after the first tenth", GROWTH >> 20)),
        stopped.as_ref().map(|e| format!("it stopped: {}", one_line(e))),
    ];
    let misses: Vec<String> = misses.into_iter().flatten().collect();
    let times = format!(
        "{:.0} steps per second, median {}, longest {}",
        second.rate,
        short_time(second.step[0]),
        short_time(second.step[1])
    );
    Ok(Row {
        response: name,
        refused: None,
        holds: misses.is_empty(),
        misses,
        hash: format!("{:016x}", first.hash),
        repeated: same,
        energy: second.energy,
        memory: second.memory,
        steps_per_second: second.rate,
        stopped,
        line,
        times,
    })
}

/// `Err` inside when the response does not take the scene.
fn run(args: &SoakArgs, spec: &SceneSpec, response: Response) -> Result<Result<Long, String>, String> {
    let mut session = match Session::start(spec, response, false, false) {
        Ok(s) => s,
        Err(e) => return Ok(Err(runner::without_file(&e))),
    };
    let bar = output::bar(args.steps, "{msg} {bar:30} {pos}/{len} steps, {per_sec}, {eta} left");
    bar.set_message(response.name());
    let tenth = args.steps / 10;
    let mut range = [(f64::INFINITY, f64::NEG_INFINITY); 2];
    let mut memory = [None; 2];
    let mut end = End::Completed;
    for step in 0..args.steps {
        if let Err(e) = session.step(None) {
            end = End::Stopped(e);
            break;
        }
        let e = session.sim.ledger().energy.total();
        let part = usize::from(step >= tenth);
        range[part] = (range[part].0.min(e), worst(range[part].1, e));
        if step == tenth {
            memory[0] = resident();
        }
        if step % 1024 == 0 {
            bar.set_position(step);
        }
    }
    memory[1] = resident();
    bar.finish_and_clear();
    let wall = session.times.total().as_secs_f64();
    let lowest = range[0].0.min(range[1].0);
    Ok(Ok(Long {
        hash: session.sim.hash(),
        energy: range.map(|r| worst(r.1 - lowest, 0.0)),
        memory,
        rate: session.sim.steps() as f64 / wall.max(1e-9),
        took: wall,
        step: [session.times.quantile(0.5), session.times.quantile(1.0)],
        stopped: match end {
            End::Stopped(e) => Some(e.to_string()),
            _ => None,
        },
    }))
}

#[cfg(test)]
mod tests {
    use super::{head, rows_of, table};
    use impinge_scene::Response;

    #[test]
    fn rows_under_the_same_head_stay() {
        let (head, other) = (head("A box", 10, 1e-3), head("A box", 100, 1e-3));
        let (qp, penalty) = (Response::QP, Response::PENALTY);
        let first = table(&head, Vec::new(), qp, "| qp | 1 |".into());
        let second = table(&head, rows_of(&first, &head), penalty, "| penalty | 2 |".into());
        assert_eq!(rows_of(&second, &head), ["| penalty | 2 |", "| qp | 1 |"]);
        let third = table(&head, rows_of(&second, &head), qp, "| qp | 3 |".into());
        assert_eq!(rows_of(&third, &head), ["| penalty | 2 |", "| qp | 3 |"]);
        assert!(rows_of(&third, &other).is_empty());
        assert!(rows_of("", &head).is_empty());
    }
}
