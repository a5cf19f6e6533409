//! Runs every scene with `impinge-lab scenes-bench` and reads its table: one CSV row per scene, response and stage.
//!
//! `scene,response,stage,steps,total_seconds,median_us,p99_us,items_mean,hash`. A scene runs several times; the
//! spread of the medians is the interval, and the hashes must agree. A row `whole step` is added to each scene: the
//! mean time of all its stages together.

use super::record::{Row, Subject};
use super::verdict::Interval;
use crate::workspace::{Failure, lab, succeed};
use std::path::Path;

const COLUMNS: &str = "scene,response,stage,steps,total_seconds,median_us,p99_us,items_mean,hash";
/// A stage that runs below the resolution of the clock is given this (ns), so that it has a place in the table.
const CLOCK: f64 = 1.0;

/// Measures all scenes `runs` times.
///
/// # Errors
/// When a scene fails, or its state is another one in another run.
pub fn measure(folder: &Path, runs: usize) -> Result<Vec<Row>, Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|e| Failure::new(format!("{} cannot be made: {e}", folder.display())))?;
    let mut tables = Vec::new();
    for run in 1..=runs {
        eprintln!("scenes, run {run} of {runs}");
        let csv = folder.join(format!("scenes-{run}.csv"));
        // Numbers of an earlier run must not pass for this one's.
        let _ = std::fs::remove_file(&csv);
        let arguments = ["scenes-bench".as_ref(), "--csv".as_ref(), csv.as_os_str()];
        succeed(&mut lab(arguments, true)?, "impinge-lab scenes-bench")?;
        let text = std::fs::read_to_string(&csv)
            .map_err(|e| Failure::new(format!("{} cannot be read: {e}", csv.display())))?;
        tables.push(parse(&text).map_err(|e| Failure::new(format!("{}: {e}", csv.display())))?);
    }
    join(&tables).map_err(Failure::new)
}

/// One line of the table; times in ns.
#[derive(Clone, Debug, PartialEq)]
struct Line {
    /// Scene and response.
    scene: String,
    /// Scene, response and stage.
    name: String,
    steps: u64,
    total: f64,
    median: f64,
    p99: f64,
    items: f64,
    hash: String,
}

fn parse(text: &str) -> Result<Vec<Line>, String> {
    let mut lines = text.lines();
    if lines.next().map(str::trim) != Some(COLUMNS) {
        return Err(format!(
            "the first line is not '{COLUMNS}'; xtask and impinge-lab are of different versions"
        ));
    }
    lines
        .enumerate()
        .filter(|(_, l)| !l.trim().is_empty())
        .map(|(i, l)| line(l).ok_or_else(|| format!("line {} cannot be read: {l}", i + 2)))
        .collect::<Result<Vec<Line>, String>>()
        .map(with_whole_steps)
}

/// Adds to the stages of each scene one line with all of them together.
fn with_whole_steps(lines: Vec<Line>) -> Vec<Line> {
    let mut out = Vec::new();
    for stages in lines.chunk_by(|a, b| a.scene == b.scene) {
        out.extend_from_slice(stages);
        let (scene, total) = (&stages[0].scene, stages.iter().map(|l| l.total).sum::<f64>());
        let mean = total / stages[0].steps.max(1) as f64;
        let name = format!("{scene} whole step");
        // There is no median or percentile of a sum in the table; the mean stands for both.
        out.push(Line { name, total, median: mean, p99: mean, items: 0.0, ..stages[0].clone() });
    }
    out
}

fn line(text: &str) -> Option<Line> {
    let [scene, response, stage, steps, total, median, p99, items, hash] =
        text.trim().split(',').collect::<Vec<_>>().try_into().ok()?;
    let number = |s: &str| s.parse::<f64>().ok().filter(|x| x.is_finite() && *x >= 0.0);
    Some(Line {
        scene: format!("{scene} {response}"),
        name: format!("{scene} {response} {}", stage.trim_matches('"')),
        steps: steps.parse().ok()?,
        total: number(total)? * 1e9,
        median: number(median)? * 1e3,
        p99: number(p99)? * 1e3,
        items: number(items)?,
        hash: hash.to_string(),
    })
}

/// The runs of one measurement, stage by stage.
fn join(tables: &[Vec<Line>]) -> Result<Vec<Row>, String> {
    let Some(first) = tables.first() else { return Ok(Vec::new()) };
    let mut rows = Vec::new();
    for (i, line) in first.iter().enumerate() {
        let mut all = Vec::new();
        for t in tables {
            let other =
                t.get(i).filter(|o| o.name == line.name && t.len() == first.len()).ok_or_else(|| {
                    format!(
                        "'{}' is not in every run: the list of scenes or stages changed meanwhile",
                        line.name
                    )
                })?;
            if other.hash != line.hash {
                return Err(format!(
                    "'{}' ended with hash {} and then with {}: the run is not deterministic",
                    line.name, line.hash, other.hash
                ));
            }
            all.push(other);
        }
        let medians: Vec<f64> = all.iter().map(|l| l.median.max(CLOCK)).collect();
        let time =
            Interval::of_runs(&medians).ok_or_else(|| format!("'{}' has no usable median", line.name))?;
        let p99 = all.iter().map(|l| l.p99).fold(0.0, f64::max);
        let subject = Subject::Stage { p99, items: line.items, steps: line.steps, hash: line.hash.clone() };
        rows.push(Row { name: line.name.clone(), time, subject });
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(narrow_us: f64, hash: &str) -> String {
        format!(
            "{COLUMNS}\nstack,penalty,broad,2000,0.01,5,9.5,8,{hash}\nstack,penalty,\"response: penalty\",2000,0.1,{narrow_us},80,32.5,{hash}\n"
        )
    }

    #[test]
    fn three_runs_become_one_row_per_stage() {
        let runs: Vec<Vec<Line>> = [40.0, 38.0, 44.0].map(|m| parse(&table(m, "ab")).unwrap()).to_vec();
        let rows = join(&runs).unwrap();
        assert_eq!(rows.len(), 3);
        assert_eq!(rows[1].name, "stack penalty response: penalty");
        assert_eq!(rows[1].time, Interval::new(38e3, 40e3, 44e3).unwrap());
        let work = Subject::Stage { p99: 80e3, items: 32.5, steps: 2000, hash: "ab".to_string() };
        assert_eq!(rows[1].subject, work);
        // 0.01 s and 0.1 s over 2000 steps.
        assert_eq!(rows[2].name, "stack penalty whole step");
        assert!((rows[2].time.median - 55e3).abs() < 1e-6, "{:?}", rows[2].time);
    }

    #[test]
    fn another_hash_in_another_run_is_an_error() {
        let runs = [parse(&table(40.0, "ab")).unwrap(), parse(&table(40.0, "cd")).unwrap()];
        let e = join(&runs).unwrap_err();
        assert!(e.contains("not deterministic") && e.contains("ab") && e.contains("cd"), "{e}");
        let short = parse(&table(40.0, "ab")).unwrap()[..1].to_vec();
        assert!(join(&[parse(&table(40.0, "ab")).unwrap(), short]).unwrap_err().contains("not in every run"));
    }

    #[test]
    fn a_stage_too_quick_for_the_clock_keeps_its_row() {
        let rows = join(&[parse(&table(0.0, "ab")).unwrap()]).unwrap();
        assert_eq!(rows[1].time.median, CLOCK);
    }

    #[test]
    fn a_table_of_another_shape_is_refused_with_its_line() {
        assert!(parse("scene,stage\n").unwrap_err().contains("different versions"));
        let e = parse(&table(40.0, "ab").replace("2000,0.01", "two,0.01")).unwrap_err();
        assert!(e.contains("line 2"), "{e}");
        assert!(parse(&table(f64::NAN, "ab")).is_err());
        assert!(parse(&table(40.0, "a,b")).is_err());
    }
}
