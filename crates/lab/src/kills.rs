//! `cargo xtask kills`: runs ended from outside at moments drawn at random go on to the same bits.

use crate::randoms::Randoms;
use clap::Args;
use impinge_cli::output::{self, Done, Json, judged};
use impinge_cli::over;
use impinge_watch::short_time;
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Arguments of `cargo xtask kills`.
#[derive(Args)]
#[command(after_help = "Examples:
  cargo xtask kills                                    (100 runs of each scene for each signal)
  cargo xtask kills mixed-grip --runs 20
  cargo xtask kills --write crates/impinge/src/guide/kills.md

Each run begins in an empty folder, with a checkpoint every 5 steps, is sent the signal at a moment of the time that the whole run takes, and is
taken up with --resume. Exit code 0: every one of them ended with the hash of the run that nobody disturbed; those that were asked to end, and
had begun to step, left a report and a checkpoint. Unix only.")]
pub struct KillsArgs {
    /// Scenes, by default one of one response and three of several.
    scenes: Vec<String>,
    /// Runs of each scene for each signal.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Signals.
    #[arg(long, value_delimiter = ',', default_value = "KILL,TERM,HUP", value_name = "NAME,…")]
    signals: Vec<String>,
    /// Seed of the moments.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Writes the table as a page (Markdown), after each row; rows of other scenes and signals that stand there stay.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

/// Scenes, and how many seconds of each.
const SCENES: [(&str, f64); 4] =
    [("incline", 0.5), ("mixed-grip", 0.02), ("mixed-stack", 0.1), ("mixed-table", 0.1)];

/// What became of the runs of one scene under one signal.
#[derive(Clone, Debug, Default, Serialize)]
struct Row {
    scene: String,
    signal: String,
    runs: u32,
    /// Through before the signal came.
    through: u32,
    /// Ended with a checkpoint in place.
    checkpoints: u32,
    /// Asked to end, and with a report.
    reports: u32,
    /// Ended before there was anything to keep.
    early: u32,
    /// Ended with the hash of the run that nobody disturbed.
    same: u32,
    /// Without a disturbance, and with one: the usual and the longest, both parts together (s).
    undisturbed: f64,
    usual: f64,
    longest: f64,
    /// All runs together (s).
    together: f64,
    wrong: Vec<String>,
}

/// Runs the command.
pub fn command(args: &KillsArgs) -> Done {
    args.json.begin();
    Ok(judged(kills(args)?))
}

fn kills(args: &KillsArgs) -> Result<bool, String> {
    if let Some(file) = &args.write {
        over::same_head("--write", file, "# Runs that are ended from outside\n")?;
    }
    let scenes: Vec<(String, f64)> = match args.scenes.as_slice() {
        [] => SCENES.iter().map(|(s, d)| (s.to_string(), *d)).collect(),
        named => {
            named.iter().map(|n| (n.clone(), SCENES.iter().find(|s| s.0 == n).map_or(0.1, |s| s.1))).collect()
        }
    };
    let mut rows = Vec::new();
    // A seed of 0 would stay there.
    let mut moments = Randoms(args.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for (scene, duration) in &scenes {
        for signal in &args.signals {
            let row = ended(scene, *duration, signal, args.runs, &mut moments)?;
            say!("{}", line(&row));
            row.wrong.iter().for_each(|w| say!("    {w}"));
            rows.push(row);
            if let Some(file) = &args.write {
                // What cannot be read is not there yet, or the writing says why.
                let before = std::fs::read_to_string(file).unwrap_or_default();
                std::fs::write(file, page(&before, &rows)).map_err(|e| format!("{}: {e}", file.display()))?;
            }
        }
    }
    args.json.print(&rows);
    Ok(rows.iter().all(|r| r.wrong.is_empty() && r.same == r.runs))
}

/// The program beside this one.
fn impinge() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let program = own.with_file_name(format!("impinge{}", std::env::consts::EXE_SUFFIX));
    if program.is_file() {
        return Ok(program);
    }
    Err(format!(
        "{} is not there; cargo build --bin impinge, with the profile of this program",
        program.display()
    ))
}

fn start(scene: &str, duration: f64, out: &Path) -> Result<Child, String> {
    let mut run = Command::new(impinge()?);
    run.args(["run", scene, "--threads", "1", "--checkpoint-steps", "5", "--resume"]);
    run.args(["--duration", &duration.to_string()]).arg("--out").arg(out);
    run.stdout(Stdio::piped()).stderr(Stdio::piped());
    run.spawn().map_err(|e| format!("impinge cannot be started: {e}"))
}

fn end(child: Child) -> Result<Output, String> {
    child.wait_with_output().map_err(|e| e.to_string())
}

fn hash(of: &Output) -> Option<String> {
    let text = String::from_utf8_lossy(&of.stdout);
    text.lines().find_map(|l| l.strip_prefix("hash ")).map(str::to_string)
}

fn ended(scene: &str, duration: f64, signal: &str, runs: u32, moments: &mut Randoms) -> Result<Row, String> {
    let out = std::env::temp_dir().join(format!("impinge-kills-{}", std::process::id()));
    let clear = || match std::fs::remove_dir_all(&out) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(format!("{}: {e}", out.display())),
        _ => Ok(()),
    };
    clear()?;
    let begun = Instant::now();
    let undisturbed = end(start(scene, duration, &out)?)?;
    let whole = begun.elapsed();
    let wanted = hash(&undisturbed).ok_or_else(|| {
        format!("{scene} does not run: {}", String::from_utf8_lossy(&undisturbed.stderr).trim())
    })?;
    let mut row = Row {
        scene: scene.to_string(),
        signal: signal.to_string(),
        runs,
        undisturbed: whole.as_secs_f64(),
        ..Row::default()
    };
    let mut times = Vec::new();
    for k in 0..runs {
        clear()?;
        let part = moments.unit();
        let begun = Instant::now();
        if let Err(e) = one(scene, duration, signal, whole.mul_f64(part), &out, &wanted, &mut row) {
            row.wrong.push(format!("run {k}, at {part:.4} of {}: {e}", short_time(whole.as_secs_f64())));
        }
        times.push(begun.elapsed().as_secs_f64());
        if !output::is_quiet() && k % 10 == 9 {
            eprintln!("{scene}, {signal}: {} of {runs}", k + 1);
        }
    }
    clear()?;
    row.together = times.iter().sum();
    times.sort_by(f64::total_cmp);
    row.usual = times[times.len() / 2];
    row.longest = times[times.len() - 1];
    Ok(row)
}

fn one(
    scene: &str,
    duration: f64,
    signal: &str,
    moment: Duration,
    out: &Path,
    wanted: &str,
    row: &mut Row,
) -> Result<(), String> {
    let child = start(scene, duration, out)?;
    std::thread::sleep(moment);
    let sent = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).output();
    // A process that is through already cannot be sent anything.
    sent.map_err(|e| format!("there is no program kill: {e}"))?;
    let cut = end(child)?;
    if cut.status.success() {
        row.through += 1;
        let got = hash(&cut);
        row.same += u32::from(got.as_deref() == Some(wanted));
        return same(got.as_deref(), wanted);
    }
    let (report, checkpoint) = (out.join("report.html").is_file(), out.join("checkpoint.bin").is_file());
    row.checkpoints += u32::from(checkpoint);
    match cut.status.code() {
        // Asked to end, and it did.
        Some(1) => {
            row.reports += u32::from(report);
            if !(report && checkpoint) {
                return Err(format!("a report: {report}, a checkpoint: {checkpoint}"));
            }
        }
        // The system ended it: by -9, or before it listened.
        None => row.early += u32::from(!checkpoint),
        Some(code) => {
            return Err(format!("exit code {code}: {}", String::from_utf8_lossy(&cut.stderr).trim()));
        }
    }
    let rest = end(start(scene, duration, out)?)?;
    if !rest.status.success() {
        return Err(format!("taken up: {}", String::from_utf8_lossy(&rest.stderr).trim()));
    }
    let got = hash(&rest);
    row.same += u32::from(got.as_deref() == Some(wanted));
    if out.join("checkpoint.bin").exists() {
        return Err("it is through, and a checkpoint is left".to_string());
    }
    same(got.as_deref(), wanted)
}

fn same(got: Option<&str>, wanted: &str) -> Result<(), String> {
    if got == Some(wanted) { Ok(()) } else { Err(format!("hash {}, not {wanted}", got.unwrap_or("–"))) }
}

const HEAD: &str = "# Runs that are ended from outside\n\n\
Written by `cargo xtask kills --write crates/impinge/src/guide/kills.md`. Each run begins in an empty folder, with a checkpoint every 5 steps. It is sent\n\
the signal at a random moment of the time that the whole run takes, start included, and is then taken up with `--resume`. All must end with the\n\
hash of the run that nobody disturbed. What was asked to end (TERM, HUP) must leave a report and a checkpoint, unless the signal came before the\n\
program listened.\n\n\
| scene | signal | runs | the same hash | through before it came | with a report | with a checkpoint | before the first checkpoint | undisturbed | usual run | longest run | together |\n\
|---|---|---|---|---|---|---|---|---|---|---|---|\n";

fn line(r: &Row) -> String {
    format!(
        "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
        r.scene,
        r.signal,
        r.runs,
        r.same,
        r.through,
        r.reports,
        r.checkpoints,
        r.early,
        short_time(r.undisturbed),
        short_time(r.usual),
        short_time(r.longest),
        short_time(r.together)
    )
}

/// The rows, and those of other scenes and signals that were there.
fn page(before: &str, rows: &[Row]) -> String {
    let of = |r: &Row| format!("| {} | {} |", r.scene, r.signal);
    let old = before.strip_prefix(HEAD).unwrap_or_default().lines().filter(|l| l.starts_with('|'));
    let mut lines: Vec<String> =
        old.filter(|l| !rows.iter().any(|r| l.starts_with(&of(r)))).map(str::to_string).collect();
    lines.extend(rows.iter().map(line));
    lines.sort();
    let mut out = format!("{HEAD}{}\n", lines.join("\n"));
    let wrong: Vec<&Row> = rows.iter().filter(|r| !r.wrong.is_empty()).collect();
    if !wrong.is_empty() {
        out += "\nWhat went wrong:\n\n";
    }
    for (r, w) in wrong.iter().flat_map(|r| r.wrong.iter().map(move |w| (r, w))) {
        let _ = writeln!(out, "* {}, {}: {}", r.scene, r.signal, w.replace('\n', " "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_went_wrong_is_on_the_page() {
        let bad = Row {
            scene: "a".into(),
            signal: "HUP".into(),
            wrong: vec!["another\nhash".into()],
            ..Row::default()
        };
        let good = Row { scene: "b".into(), ..Row::default() };
        let first = page("", &[bad, good]);
        assert!(first.contains("* a, HUP: another hash") && first.contains("| b |"), "{first}");
        let other = Row { scene: "c".into(), signal: "HUP".into(), ..Row::default() };
        let again = page(&first, &[other]);
        assert!(again.contains("| a | HUP |") && again.contains("| c | HUP |"), "{again}");
    }
}
