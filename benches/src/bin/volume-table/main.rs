//! Table 1 of seed 002 for scenes of ours, beside the paper's figures: `cargo xtask bench volume`.
//!
//! `cargo run --release -p impinge-benches --bin volume-table [-- [--short] [--runs N] [--only WORD]]`

mod field;
mod measure;
mod paper;
mod problem;
mod scenes;
mod table;

use std::error::Error;
use std::process::ExitCode;

/// How large the scenes are and how often everything is measured.
#[derive(Clone, Debug)]
struct Effort {
    /// Small meshes and few bodies: that the program works, in seconds.
    short: bool,
    /// Repetitions; the table has their medians.
    runs: usize,
    /// Scenes with this in their name; empty for all.
    only: String,
}

impl Effort {
    /// From the words of the command line.
    fn parse(words: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let (mut short, mut runs, mut only) = (false, None, String::new());
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--short" => short = true,
                "--runs" => {
                    let n = words.next().and_then(|n| n.parse().ok()).filter(|n| *n > 0);
                    runs = Some(n.ok_or("--runs takes a whole number from 1")?);
                }
                "--only" => only = words.next().ok_or("--only takes a part of a scene's name")?,
                _ => return Err(format!("no option {word}; there are --short, --runs N and --only WORD")),
            }
        }
        Ok(Self { short, runs: runs.unwrap_or(if short { 1 } else { 9 }), only })
    }
}

/// The whole table as text.
fn table(effort: &Effort) -> Result<String, Box<dyn Error>> {
    let mut rows = Vec::new();
    for scene in scenes::ALL.iter().filter(|s| s.name.contains(&effort.only)) {
        eprintln!("{} …", scene.name);
        rows.push(measure::measure(scene, effort)?);
    }
    if rows.is_empty() {
        let names: Vec<&str> = scenes::ALL.iter().map(|s| s.name).collect();
        return Err(
            format!("no scene has '{}' in its name; there are {}", effort.only, names.join(", ")).into()
        );
    }
    Ok(table::text(&rows, effort))
}

fn main() -> ExitCode {
    let effort = match Effort::parse(std::env::args().skip(1)) {
        Ok(effort) => effort,
        Err(e) => {
            eprintln!("{e}");
            return ExitCode::from(2);
        }
    };
    match table(&effort) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_table_has_every_scene_measured() {
        let effort = Effort::parse(["--short".to_string()]).unwrap();
        let text = table(&effort).unwrap();
        for scene in scenes::ALL {
            let row = text.lines().find(|l| l.starts_with(scene.name)).unwrap();
            assert!(!row.contains("NaN") && !row.contains("inf"), "{row}");
        }
        assert!(text.contains("18.48"), "the paper's own figures: {text}");
    }

    #[test]
    fn mistakes_in_the_call_are_told() {
        let parse = |words: &[&str]| Effort::parse(words.iter().map(|w| w.to_string()));
        assert!(parse(&["--runs", "0"]).unwrap_err().contains("from 1"));
        assert!(parse(&["--long"]).unwrap_err().contains("--long"));
        assert_eq!(parse(&["--runs", "3"]).unwrap().runs, 3);
        let none = parse(&["--short", "--only", "no such"]).unwrap();
        assert!(table(&none).unwrap_err().to_string().contains("stack of tori"));
    }
}
