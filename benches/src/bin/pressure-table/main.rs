//! What a contact query costs, beside Drake's figures for the same kinds of bodies: `cargo xtask bench pressure`.
//!
//! `cargo run --release -p impinge-benches --bin pressure-table [-- [--short] [--runs N]]`

mod measure;
mod pairs;

use measure::{Measured, measure};
use pairs::{Bodies, Drake, Kind, PAIRS};
use std::fmt::Write;
use std::process::ExitCode;

/// Calls for each of the 64 poses; the best one counts.
const CALLS: usize = 60;

/// `--short` and `--runs N`.
fn calls(words: impl IntoIterator<Item = String>) -> Result<usize, String> {
    let mut calls = CALLS;
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--short" => calls = 1,
            "--runs" => {
                let n = words.next().and_then(|n| n.parse().ok()).filter(|n| *n > 0);
                calls = n.ok_or("--runs takes a whole number from 1")?;
            }
            _ => return Err(format!("no option {word}; there are --short and --runs N")),
        }
    }
    Ok(calls)
}

/// How often ours fits into Drake's: per polygon, because no two tessellations give the same number of them, and for whole
/// queries where nothing touches.
fn ratio(kind: Kind, drake: &Drake, ours: &Measured) -> f64 {
    match kind {
        Kind::Touch => (drake.us / drake.faces) / (ours.us / ours.faces),
        Kind::Miss => drake.us / ours.us,
    }
}

fn columns(words: &[impl std::fmt::Display]) -> String {
    words.iter().map(|w| format!(" {w:>11}")).collect::<String>() + "\n"
}

fn table(calls: usize) -> Result<String, String> {
    let mut out = String::from(
        "One thread; 64 poses of ±0.15 rad and ±2 mm of both bodies, changed before every call; per pose the best of the calls, of \
         these the median.\nDrake 1.51.1 on another machine of two cores, its polygons kept, meshes of its own: the ratio is of µs per \
         polygon, and of µs where nothing touches.\n\n",
    );
    let head = [
        "tets",
        "polygons",
        "µs",
        "µs/polygon",
        "Drake: tets",
        "polygons",
        "µs",
        "µs/polygon",
        "ratio",
        "aim",
    ];
    let _ = write!(out, "{:<42}", "pair");
    out += &columns(&head);
    for pair in PAIRS {
        eprintln!("{} …", pair.name);
        let bodies = Bodies::new(pair)?;
        let m = measure(&bodies, calls).map_err(|e| format!("{}: {e}", pair.name))?;
        let d = &pair.drake;
        let per =
            |us: f64, faces: f64| if faces > 0.0 { format!("{:.3}", us / faces) } else { "–".to_string() };
        let words = [
            bodies.size(),
            format!("{:.0}", m.faces),
            format!("{:.2}", m.us),
            per(m.us, m.faces),
            d.size.to_string(),
            format!("{:.0}", d.faces),
            format!("{:.2}", d.us),
            per(d.us, d.faces),
            format!("{:.1}", ratio(pair.kind, d, &m)),
            format!("{:.1}", pair.aim),
        ];
        let _ = write!(out, "{:<42}", pair.name);
        out += &columns(&words);
    }
    Ok(out)
}

fn main() -> ExitCode {
    match calls(std::env::args().skip(1)).map_err(|e| (2, e)).and_then(|n| table(n).map_err(|e| (1, e))) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err((code, e)) => {
            eprintln!("{e}");
            ExitCode::from(code)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_touches_or_misses_as_it_says_with_about_as_many_polygons() {
        for pair in PAIRS {
            let m = measure(&Bodies::new(pair).unwrap(), 1).unwrap();
            if pair.kind == Kind::Miss {
                assert_eq!(m.faces, 0.0, "{}", pair.name);
            } else {
                let more = m.faces / pair.drake.faces;
                assert!(
                    (0.5..2.5).contains(&more),
                    "{}: {} polygons, Drake {}",
                    pair.name,
                    m.faces,
                    pair.drake.faces
                );
            }
        }
    }

    #[test]
    fn mistakes_in_the_call_are_told() {
        let parse = |words: &[&str]| calls(words.iter().map(|w| w.to_string()));
        assert!(parse(&["--runs", "0"]).unwrap_err().contains("from 1"));
        assert!(parse(&["--long"]).unwrap_err().contains("--long"));
        assert_eq!((parse(&[]).unwrap(), parse(&["--short"]).unwrap()), (CALLS, 1));
    }
}
