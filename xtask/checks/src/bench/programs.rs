//! `bench --against PROGRAM`: this `impinge` and another one, in turn on one machine, stage by stage.
//!
//! Both run the same scene files under the same responses; what each writes to `csv/stages.csv` is compared. They take turns, so what
//! the machine does meanwhile (other programs, temperature) is met by both. A scene that looks slower is run again before it is called so.

use super::compare::{SHORT, duration};
use crate::workspace::{Failure, Outcome, root, target};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Scenes that run where none is named: rigid, soft, hinged and thin, in a few seconds each.
const SCENES: &str = "stack,incline,tumble,torus-stack,cloth-hang";
/// Responses that run where none is named.
const RESPONSES: &str = "penalty,cpf,cpf-implicit,qp,volume,pressure";
/// A stage slower by less than this part is not called slower, however quiet the machine.
const ALLOWED: f64 = 0.03;
/// How often the rounds are repeated where a stage looks slower.
const REPEATS: usize = 3;

/// What is measured.
pub struct Asked {
    /// The other program.
    pub against: PathBuf,
    /// Names of scenes, separated by commas.
    pub scenes: Option<String>,
    /// Names of responses, separated by commas.
    pub responses: Option<String>,
    /// How often each of the two runs.
    pub runs: usize,
    /// Further arguments for both.
    pub arguments: Vec<String>,
}

/// Runs the two and prints the table. Exit status 1 where a stage is slower.
///
/// # Errors
/// When this program does not build, or no scene runs in both.
pub fn run(asked: &Asked) -> Outcome {
    let now = PathBuf::from(crate::workspace::impinge::<&str>([])?.get_program());
    let programs = [asked.against.as_path(), now.as_path()];
    let list = |names: &Option<String>, all: &str| -> Vec<String> {
        names.as_deref().unwrap_or(all).split(',').map(|n| n.trim().to_string()).collect()
    };
    println!(
        "{:<58} {:>10} {:>10} {:>7} {:>7}",
        "scene, response, stage", "against", "now", "ratio", "noise"
    );
    let (mut compared, mut slower, mut refused) = (0, 0, Vec::new());
    for scene in list(&asked.scenes, SCENES) {
        for response in list(&asked.responses, RESPONSES) {
            let place = format!("{scene} {response}");
            let mut times = [Times::new(), Times::new()];
            match rounds(&programs, &scene, &response, asked, &mut times) {
                Err(reason) => refused.push(format!("{place}: {reason}")),
                Ok(()) => {
                    let rows = rows(&times);
                    compared += rows.len();
                    slower += rows.iter().filter(|r| r.is_slower()).count();
                    rows.iter().for_each(|r| println!("{}", r.line(&place)));
                    let [old, new] = &times;
                    let apart = |a: &Times, b: &Times| -> Vec<String> {
                        a.keys().filter(|k| !b.contains_key(*k)).cloned().collect()
                    };
                    for (who, names) in [("against", apart(old, new)), ("now", apart(new, old))] {
                        if !names.is_empty() {
                            println!("{place}: only {who} has the stages {}", names.join(", "));
                        }
                    }
                }
            }
        }
    }
    for r in &refused {
        println!("not compared: {r}");
    }
    if compared == 0 {
        return Err(Failure::new("no scene runs in both programs; --scenes and --responses choose others"));
    }
    println!("{compared} stages compared, {slower} slower by more than 3 % and by more than the noise");
    Ok(if slower == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The medians of a stage (ns), one for each run.
type Times = BTreeMap<String, Vec<f64>>;

/// Runs both in turn, and again where a stage looks slower: with few runs that is chance more often than not.
fn rounds(
    programs: &[&Path; 2],
    scene: &str,
    response: &str,
    asked: &Asked,
    times: &mut [Times; 2],
) -> Result<(), String> {
    for _ in 0..REPEATS {
        for round in 0..asked.runs {
            // Each goes first as often as second.
            for turn in [round % 2, 1 - round % 2] {
                let stages = once(programs[turn], scene, response, &asked.arguments)
                    .map_err(|e| format!("{}: {e}", ["the other program", "this program"][turn]))?;
                for (name, time) in stages {
                    times[turn].entry(name).or_default().push(time);
                }
            }
        }
        if !rows(times).iter().any(Row::is_slower) {
            break;
        }
    }
    Ok(())
}

/// One run: the stages and their medians (ns), and the mean of a whole step.
fn once(program: &Path, scene: &str, response: &str, more: &[String]) -> Result<Vec<(String, f64)>, String> {
    let folder = target().join("xtask-bench/programs");
    let _ = std::fs::remove_dir_all(&folder);
    let mut c = Command::new(program);
    c.current_dir(root()).args(["run", scene, "--response", response, "--quiet", "--out"]);
    c.arg(&folder).args(more).stderr(std::process::Stdio::piped());
    let out = c.output().map_err(|e| format!("cannot be started: {e}"))?;
    let file = folder.join("csv/stages.csv");
    match std::fs::read_to_string(&file) {
        Ok(text) if out.status.success() => parse(&text),
        _ => {
            let said = String::from_utf8_lossy(&out.stderr).into_owned();
            Err(said
                .lines()
                .find(|l| l.contains("error"))
                .unwrap_or("the run has no stage times")
                .to_string())
        }
    }
}

/// `stage,total [s],median [us],p99 [us],items (mean)`.
fn parse(text: &str) -> Result<Vec<(String, f64)>, String> {
    let mut lines = text.lines();
    if !lines.next().is_some_and(|h| h.starts_with("stage,total [s],median [us]")) {
        return Err("csv/stages.csv has other columns; the programs are too far apart".to_string());
    }
    let mut stages = Vec::new();
    let mut total = 0.0;
    for line in lines {
        let mut cells = line.rsplitn(5, ',');
        let mut number =
            || cells.next().and_then(|c| c.parse::<f64>().ok()).ok_or(format!("not a row: {line}"));
        let (_items, _p99, median, seconds) = (number()?, number()?, number()?, number()?);
        let name = cells.next().unwrap_or_default().trim_matches('"');
        total += seconds;
        stages.push((name.to_string(), (median * 1e3).max(1.0)));
    }
    stages.push(("all stages, the whole run".to_string(), (total * 1e9).max(1.0)));
    Ok(stages)
}

/// One stage in both programs.
struct Row {
    stage: String,
    /// The medians of the runs (ns).
    old: f64,
    new: f64,
    /// Now over against, of the medians of the runs that followed each other.
    ratio: f64,
    /// Twice the median distance of these ratios from their median: runs that something else disturbed do not widen it.
    noise: f64,
}

fn rows([old, new]: &[Times; 2]) -> Vec<Row> {
    let row = |(stage, before): (&String, &Vec<f64>)| {
        let after = new.get(stage)?;
        let ratios: Vec<f64> = before.iter().zip(after).map(|(old, new)| new / old).collect();
        let ratio = middle(&ratios)?;
        let apart: Vec<f64> = ratios.iter().map(|r| (r - ratio).abs()).collect();
        let (old, new, noise) = (middle(before)?, middle(after)?, 2.0 * middle(&apart)?);
        Some(Row { stage: stage.clone(), old, new, ratio, noise })
    };
    old.iter().filter_map(row).collect()
}

/// The median; `None` of nothing.
fn middle(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len();
    Some(0.5 * (sorted.get(n.checked_sub(1)? / 2)? + sorted.get(n / 2)?))
}

impl Row {
    fn is_short(&self) -> bool {
        self.old < SHORT && self.new < SHORT
    }

    fn is_slower(&self) -> bool {
        !self.is_short() && self.ratio - 1.0 > self.noise.max(ALLOWED)
    }

    fn line(&self, place: &str) -> String {
        let word = match () {
            () if self.is_short() => "  short",
            () if self.is_slower() => "  SLOWER",
            () => "",
        };
        format!(
            "{:<58} {:>10} {:>10} {:>7.3} {:>7.3}{word}",
            format!("{place} {}", self.stage),
            duration(self.old),
            duration(self.new),
            self.ratio,
            self.noise
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(medians: &[f64]) -> Times {
        Times::from([("narrow".to_string(), medians.to_vec())])
    }

    fn row(old: &[f64], new: &[f64]) -> Row {
        rows(&[times(old), times(new)]).remove(0)
    }

    #[test]
    fn slower_is_beyond_three_per_cent_and_beyond_the_noise() {
        let old = [100e3, 101e3, 100e3];
        assert!(row(&old, &[110e3, 111e3, 110e3]).is_slower());
        assert!(!row(&old, &[102e3, 103e3, 102e3]).is_slower(), "two per cent are allowed");
        assert!(!row(&old, &[110e3, 95e3, 130e3]).is_slower(), "its runs differ by more");
        assert!(row(&old, &[110e3, 500e3, 110e3]).is_slower(), "one run was disturbed");
        assert!(!row(&[1e3; 3], &[2e3; 3]).is_slower(), "too short to be judged");
        assert!(!row(&old, &[50e3; 3]).is_slower());
    }

    #[test]
    fn stages_are_read_with_their_medians_and_summed() {
        let text = "stage,total [s],median [us],p99 [us],items (mean)\ngather,0.5,2.5,9.0,5.0\n\"a, b\",1.0,0.0,1.0,0.0\n";
        let stages = parse(text).unwrap();
        assert_eq!(stages[0], ("gather".to_string(), 2500.0));
        assert_eq!(stages[1], ("a, b".to_string(), 1.0));
        assert_eq!(stages[2].1, 1.5e9);
        assert!(parse("stage\n").unwrap_err().contains("other columns"));
        assert!(parse(&text.replace("2.5", "x")).unwrap_err().contains("gather"));
    }

    #[test]
    fn stages_of_one_program_only_make_no_row() {
        let other = Times::from([("wide".to_string(), vec![1e6])]);
        assert!(rows(&[times(&[1e6]), other]).is_empty());
    }
}
