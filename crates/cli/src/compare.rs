//! `impinge compare`: one scene under several responses, or over a sweep of its keys, on one page.

use crate::arguments;
use crate::asked;
use crate::claim::Claim;
use crate::keys::{combinations, key_value, sweep};
use crate::open::Open;
use crate::output::{self, Done, Failure, Json, judged};
use crate::over;
use crate::run::Summary;
use crate::runner::{self, End, Run};
use crate::wish::Wish;
use crate::{fill_record, scene_files, signals};
use clap::Args;
use impinge_report::{ComparedRun, Comparison, write_comparison};
use impinge_scene::{Response, SceneSpec};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Arguments of `impinge compare`.
#[derive(Args)]
#[command(after_help = "Examples:
  impinge compare incline
  impinge compare incline --grid mu=0.4,0.6
  impinge compare stack --responses penalty,cpf,qp --duration 2
  impinge compare drop --responses cpf --grid scene.dt=0.002,0.001,0.0005

Every response that can take the scene runs when none is named; the page says why the others cannot. A key is one of the
scene's (fixtures/scenes/SCHEMA.md); `mu` stands for mu_s and mu_k of every pair of materials. Several grids make every combination.
Ctrl-C ends the run in progress and leaves out those to come; the page holds what was computed.

Exit codes:
  0  the page holds every run to its own end: one that stopped there, or that was refused, is a result
  1  a run was ended early, by --limit, Ctrl-C or SIGTERM, or not begun because of that; the page is written all the same
  2  not done: an argument or the scene is wrong, or nothing ran")]
pub struct CompareArgs {
    /// A scene's name (see `impinge list`) or the path of a scene file.
    scene: String,
    /// Response families, in the order of the page.
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    responses: Vec<String>,
    /// Sets one key of the scene in all runs; may be given many times.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Runs the scene once for each value of a key; may be given many times.
    #[arg(long, visible_alias = "sweep", value_name = "KEY=V,V…")]
    grid: Vec<String>,
    /// Simulated time in seconds.
    #[arg(long, allow_negative_numbers = true)]
    duration: Option<f64>,
    /// Seconds of wall clock after which a run is ended and shown as far as it came.
    #[arg(long, default_value_t = 600.0, value_name = "SECONDS")]
    limit: f64,
    /// Folder for the page (default: out/SCENE-compared).
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write over a page that this program did not write.
    #[arg(long)]
    force: bool,
    /// Folder that holds `scenes` (default: `fixtures` here or in a folder above, else this program's own).
    #[arg(long, value_name = "DIR")]
    fixtures: Option<PathBuf>,
    #[command(flatten)]
    open: Open,
    #[command(flatten)]
    json: Json,
}

/// What the command says.
#[derive(Default, Serialize)]
struct Table {
    runs: Vec<Ran>,
    refused: Vec<Refused>,
    page: PathBuf,
}

/// A run of the page.
#[derive(Serialize)]
struct Ran {
    label: String,
    run: Summary,
}

/// A run that was not made.
#[derive(Serialize)]
struct Refused {
    label: String,
    reason: String,
}

/// Most runs of one page: each needs a picture of its own, and browsers draw sixteen at most.
const MOST_RUNS: usize = 16;

/// Runs the command. A run that stops is a result and no error of the command; that nothing ran is one, and so is one that was ended early.
pub fn command(args: &CompareArgs) -> Done {
    args.json.begin();
    let path = scene_files::find(&args.scene, args.fixtures.as_deref())?;
    let name = scene_files::stem(&args.scene);
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from("out").join(format!("{name}-compared")));
    over::report("--out", &out, "compare.html", args.force)?;
    let _claim = Claim::folder(&out, "--out")?;
    arguments::seconds("--limit", args.limit)?;
    let responses = arguments::responses(&args.responses, Response::ALL)?;
    let fixed = args.set.iter().map(|s| key_value("--set", s)).collect::<Result<Vec<_>, _>>()?;
    let sweeps = args.grid.iter().map(|s| sweep("--grid", s)).collect::<Result<Vec<_>, _>>()?;
    let variants = combinations(&sweeps);
    if responses.len() * variants.len() > MOST_RUNS {
        return Err(format!(
            "{} responses and {} combinations of values make {} runs; a page holds {MOST_RUNS}. Name fewer with --responses or --grid",
            responses.len(),
            variants.len(),
            responses.len() * variants.len()
        )
        .into());
    }

    let stop = signals::interrupted();
    let (mut page, mut table, mut all_ended) = (Comparison::default(), Table::default(), true);
    // All of them before anything runs: a bad value is not found out after an hour.
    let mut specs = Vec::new();
    for variant in &variants {
        let under = |&r: &Response| asked::of_variant(&path, &fixed, variant, args.duration, Some(r));
        let all: Vec<Result<SceneSpec, Failure>> = responses.iter().map(under).collect();
        // What no response takes is wrong by itself.
        if let (false, Some(Err(e))) = (all.iter().any(Result::is_ok), all.first()) {
            return Err(e.clone());
        }
        specs.push(all);
    }
    for (variant, specs) in variants.iter().zip(&specs) {
        let Some(spec) = specs.iter().find_map(|s| s.as_ref().ok()) else { continue };
        page.title.clone_from(&spec.title);
        page.description.clone_from(&spec.description);
        if let Some(partly) = partly_judged(spec, &responses)
            && !page.description.contains(&partly)
        {
            say!("{partly}");
            page.description = format!("{} {partly}", page.description).trim().to_string();
        }
        let own = variant.is_empty() && fixed.is_empty() && args.duration.is_none();
        for (&response, spec) in responses.iter().zip(specs) {
            let label = label(response, variant);
            if stop.load(Ordering::SeqCst) {
                all_ended = false;
                let reason = "the comparison was interrupted before it".to_string();
                say!("{label}: not run: {reason}");
                table.refused.push(Refused { label, reason });
                continue;
            }
            let made = match spec {
                Ok(spec) => one(args, spec, response, &label, own, &stop).map(|run| (run, spec)),
                Err(e) => Err(e.to_string()),
            };
            match made {
                Ok((mut run, spec)) => {
                    all_ended &= !matches!(run.end, End::Interrupted);
                    let Some(recorder) = run.recorder.take() else { continue };
                    let mut record = recorder.finish(&run.sim);
                    fill_record(&mut record, spec, response, &name, &run.checks, (&run.end, &run.lost));
                    record.notes.extend(run.told.iter().map(|w| format!("Warning: {w}.")));
                    record.notes.extend(run.note.iter().map(|w| format!("Images: {w}.")));
                    record.notes.extend(run.halved.iter().map(|w| format!("{w}.")));
                    record.notes.extend(run.warnings.iter().map(|w| format!("Warning: {w}.")));
                    say!("{label}: {}", told(&run));
                    let summary = Summary::of(&run, spec, response, &name);
                    table.runs.push(Ran { label: label.clone(), run: summary });
                    page.runs.push(ComparedRun { label, record });
                }
                // A scene that this response cannot take is part of the answer.
                Err(reason) => {
                    let reason = runner::without_file(&reason);
                    say!("{label}: not run: {reason}");
                    table.refused.push(Refused { label, reason });
                }
            }
        }
    }
    page.refused = table.refused.iter().map(|r| (r.label.clone(), r.reason.clone())).collect();
    if page.runs.is_empty() {
        if !args.json.json {
            return Err("nothing ran; the reasons stand above".into());
        }
        let why: Vec<String> = page.refused.iter().map(|(label, why)| format!("{label}: {why}")).collect();
        return Err(format!("nothing ran: {}", why.join("\n")).into());
    }
    let written = write_comparison(&out, &page).map_err(|e| e.to_string())?;
    say!("page {}", written.html.display());
    args.open.page(&written.html);
    table.page = written.html;
    args.json.print(&table);
    Ok(judged(all_ended))
}

/// Which expectations the scene states for some of the responses only.
fn partly_judged(spec: &SceneSpec, responses: &[Response]) -> Option<String> {
    let mut of: BTreeMap<Vec<&str>, Vec<&str>> = BTreeMap::new();
    let mut names: Vec<&str> = spec.expectations.iter().map(|e| e.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let judged = |r: &Response| spec.expectations.iter().any(|e| e.name == name && e.response == *r);
        let under: Vec<&str> = responses.iter().filter(|r| judged(r)).map(|r| r.name()).collect();
        if under.len() < responses.len() {
            of.entry(under).or_default().push(name);
        }
    }
    let told: Vec<String> = of
        .iter()
        .map(|(under, names)| match under.as_slice() {
            [] => format!("{} under none of these responses", names.join(", ")),
            under => format!("{} under {} only", names.join(", "), under.join(", ")),
        })
        .collect();
    (!told.is_empty()).then(|| format!("The scene judges {}.", told.join("; ")))
}

fn label(response: Response, variant: &[(&str, &str)]) -> String {
    let set: String = variant.iter().map(|(k, v)| format!(", {k} = {v}")).collect();
    format!("{}{set}", response.name())
}

fn one(
    args: &CompareArgs,
    spec: &SceneSpec,
    response: Response,
    label: &str,
    own: bool,
    stop: &Arc<AtomicBool>,
) -> Result<Run, String> {
    let bar = output::bar(spec.steps(), "{msg:24} {bar:30} {pos}/{len} steps, {eta} left");
    bar.set_message(label.to_string());
    let (start, limit) = (Instant::now(), Duration::from_secs_f64(args.limit.min(1e9)));
    let wish = Wish::new(stop, start.checked_add(limit));
    let run = runner::run_until(spec, response, own, wish.flag.clone(), |sim| {
        bar.set_position(sim.steps());
        !stop.load(Ordering::SeqCst) && start.elapsed() < limit
    });
    bar.finish_and_clear();
    run
}

fn told(run: &Run) -> String {
    let end = match &run.end {
        End::Interrupted => "ended early, by the limit or by Ctrl-C".to_string(),
        end => end.to_string(),
    };
    format!(
        "{} steps in {:.3} s wall, hash {:016x}, {end}",
        run.sim.steps(),
        run.times.total().as_secs_f64(),
        run.sim.hash()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_called_by_its_response_and_what_is_set() {
        let set = [("mu", "0.6"), ("scene.dt", "1e-5")];
        assert_eq!(label(Response::PENALTY, &set), "penalty, mu = 0.6, scene.dt = 1e-5");
    }
}
