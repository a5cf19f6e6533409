//! Runs the criterion benches and reads what they leave: `…/new/estimates.json` and `benchmark.json` per bench.

use super::record::{Row, Subject};
use super::verdict::Interval;
use crate::workspace::{Failure, cargo, succeed};
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Measures all kernels `runs` times; `arguments` go to criterion. Rows are sorted by name.
///
/// # Errors
/// When a bench fails, or leaves nothing to read.
pub fn measure(folder: &Path, runs: usize, arguments: &[OsString]) -> Result<Vec<Row>, Failure> {
    let home = folder.join("criterion");
    let mut results = Vec::new();
    for run in 1..=runs {
        eprintln!("kernels, run {run} of {runs}");
        // What an earlier run left would be read as measured now.
        if home.exists() {
            std::fs::remove_dir_all(&home)
                .map_err(|e| Failure::new(format!("{} cannot be emptied: {e}", home.display())))?;
        }
        let mut c = cargo();
        c.args(["bench", "--package", "impinge-benches", "--benches", "--"]).args(arguments);
        c.env("CRITERION_HOME", &home);
        succeed(&mut c, "cargo bench")?;
        results.push(collect(&home).map_err(Failure::new)?);
    }
    if results.iter().all(Vec::is_empty) {
        return Err(Failure::new(format!(
            "criterion left no result in {}; does the filter after -- match a bench?",
            home.display()
        )));
    }
    join(&results).map_err(Failure::new)
}

/// The runs of one measurement, kernel by kernel.
fn join(runs: &[Vec<Row>]) -> Result<Vec<Row>, String> {
    let Some(first) = runs.first() else { return Ok(Vec::new()) };
    let same = |r: &Vec<Row>| r.len() == first.len() && r.iter().zip(first).all(|(a, b)| a.name == b.name);
    if !runs.iter().all(same) {
        return Err("the benches changed between two runs; measure again".to_string());
    }
    let row = |i: usize| {
        let times: Vec<Interval> = runs.iter().map(|r| r[i].time).collect();
        let time =
            Interval::envelope(&times).ok_or_else(|| format!("'{}' has no usable time", first[i].name))?;
        Ok(Row { time, ..first[i].clone() })
    };
    (0..first.len()).map(row).collect()
}

/// Every result below `home`.
fn collect(home: &Path) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    let mut open = vec![home.to_path_buf()];
    while let Some(folder) = open.pop() {
        let entries = match std::fs::read_dir(&folder) {
            Ok(e) => e,
            // No bench ran at all.
            Err(_) if folder == home => return Ok(rows),
            Err(e) => return Err(format!("{} cannot be read: {e}", folder.display())),
        };
        let folders: Vec<PathBuf> = entries.flatten().map(|e| e.path()).filter(|p| p.is_dir()).collect();
        for f in folders {
            if f.file_name().is_some_and(|n| n == "new") {
                rows.push(row(&f)?);
            } else {
                open.push(f);
            }
        }
    }
    rows.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(rows)
}

fn row(folder: &Path) -> Result<Row, String> {
    let read = |file: &str| -> Result<Value, String> {
        let path = folder.join(file);
        let text =
            std::fs::read_to_string(&path).map_err(|e| format!("{} cannot be read: {e}", path.display()))?;
        serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
    };
    let name = read("benchmark.json")?;
    let name = name["full_id"]
        .as_str()
        .ok_or_else(|| format!("{}: benchmark.json has no full_id", folder.display()))?;
    let time = median(&read("estimates.json")?)
        .ok_or_else(|| format!("{}: estimates.json has no usable median", folder.display()))?;
    Ok(Row { name: name.to_string(), time, subject: Subject::Kernel })
}

/// The median with its confidence interval (ns).
fn median(estimates: &Value) -> Option<Interval> {
    let m = &estimates["median"];
    let ci = &m["confidence_interval"];
    let point = m["point_estimate"].as_f64()?;
    // A bootstrap of few samples can leave the estimate a rounding outside of its own interval.
    Interval::new(ci["lower_bound"].as_f64()?.min(point), point, ci["upper_bound"].as_f64()?.max(point))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ESTIMATES: &str = r#"{"mean":{"confidence_interval":{"confidence_level":0.95,"lower_bound":1.0,
        "upper_bound":2.0},"point_estimate":1.5,"standard_error":0.1},"median":{"confidence_interval":
        {"confidence_level":0.95,"lower_bound":79.5,"upper_bound":84.25},"point_estimate":81.0,
        "standard_error":0.2}}"#;

    #[test]
    fn results_are_found_at_any_depth_and_sorted() {
        let home = std::env::temp_dir().join(format!("xtask-kernels-{}", std::process::id()));
        for (path, id) in [("b/x/10k", "b/x/10k"), ("a one", "a one")] {
            let new = home.join(path).join("new");
            std::fs::create_dir_all(&new).unwrap();
            std::fs::write(new.join("benchmark.json"), format!(r#"{{"full_id":"{id}"}}"#)).unwrap();
            std::fs::write(new.join("estimates.json"), ESTIMATES).unwrap();
            std::fs::create_dir_all(home.join(path).join("report")).unwrap();
        }
        let rows = collect(&home);
        std::fs::remove_dir_all(&home).unwrap();
        let rows = rows.unwrap();
        assert_eq!(rows.iter().map(|r| r.name.as_str()).collect::<Vec<_>>(), ["a one", "b/x/10k"]);
        assert_eq!(rows[0].time, Interval::new(79.5, 81.0, 84.25).unwrap());
        assert_eq!(collect(&home), Ok(Vec::new()), "a folder that is not there holds no result");
    }

    #[test]
    fn runs_are_joined_by_name() {
        let row = |name: &str, m: f64| Row {
            name: name.to_string(),
            time: Interval::new(m - 1.0, m, m + 1.0).unwrap(),
            subject: Subject::Kernel,
        };
        let joined =
            join(&[vec![row("a", 10.0), row("b", 5.0)], vec![row("a", 12.0), row("b", 5.0)]]).unwrap();
        assert_eq!(joined[0].time, Interval::new(9.0, 11.0, 13.0).unwrap());
        assert_eq!(joined[1], row("b", 5.0));
        assert!(join(&[vec![row("a", 1.5)], vec![row("b", 1.5)]]).is_err());
        assert!(join(&[vec![row("a", 1.5)], vec![]]).is_err());
    }

    #[test]
    fn estimates_without_a_usable_median_are_refused() {
        for bad in [ESTIMATES.replace("\"median\"", "\"slope\""), ESTIMATES.replace("79.5", "-1.0")] {
            assert_eq!(median(&serde_json::from_str(&bad).unwrap()), None);
        }
    }
}
