//! Scenes drawn at random under every response, and how many of each kind ended how.

use super::OutcomesArgs;
use super::cell::{Cell, Outcome};
use super::drawn::Kind;
use clap::ValueEnum;
use impinge_scene::{Response, SceneSpec};
use serde::Serialize;
use std::path::Path;

/// A drawn scene under a response.
#[derive(Debug, Serialize)]
pub(super) struct Drawn {
    pub scene: String,
    pub kind: Kind,
    #[serde(flatten)]
    pub cell: Cell,
}

/// In the order of the counts that the table shows.
const ALL: [Outcome; 5] =
    [Outcome::Met, Outcome::Refused, Outcome::WarnedBefore, Outcome::ToldAfter, Outcome::False];

/// Draws as asked, says what is false in silence, and prints the table.
pub(super) fn command(args: &OutcomesArgs, each: u32, responses: &[Response]) -> Result<Vec<Drawn>, String> {
    let kinds: &[Kind] = if args.kinds.is_empty() { Kind::value_variants() } else { &args.kinds };
    if let Some(dir) = &args.keep {
        std::fs::create_dir_all(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    }
    let mut out = Vec::new();
    for &kind in kinds {
        for number in 0..each {
            let name = format!("{}-{number}", kind.name());
            let text = kind.draw(args.seed, u64::from(number), false);
            let file = format!("{name}.toml");
            if let Some(dir) = &args.keep {
                let path = dir.join(&file);
                std::fs::write(&path, &text).map_err(|e| format!("{}: {e}", path.display()))?;
            }
            progress(&format!("{name} of {each}"));
            let spec = drawn(&text, &file)?;
            for &response in responses {
                let cell = Cell::of(&Ok(spec.clone()), response);
                if cell.outcome == Outcome::False {
                    say!("  {name:<12} {:<15} false in silence", cell.response);
                    cell.missed.iter().for_each(|m| say!("      {m}"));
                }
                out.push(Drawn { scene: name.clone(), kind, cell });
            }
        }
    }
    table(&out, kinds, responses);
    if args.keep.is_none() && out.iter().any(|d| d.cell.outcome == Outcome::False) {
        say!(
            "The same with --keep DIR writes the scenes; `impinge run DIR/NAME.toml --response R` runs one."
        );
    }
    Ok(out)
}

/// A drawn scene is one that the program reads.
fn drawn(text: &str, file: &str) -> Result<SceneSpec, String> {
    SceneSpec::from_str(text, Path::new(file)).map_err(|e| e.to_string())
}

fn progress(what: &str) {
    if !impinge_cli::output::is_quiet() {
        complain!("{what}");
    }
}

fn table(all: &[Drawn], kinds: &[Kind], responses: &[Response]) {
    say!("Scenes that are met / refused / warned of / told of by the run / FALSE IN SILENCE:");
    let names: String = kinds.iter().map(|k| format!("{:>18}", k.name())).collect();
    say!("  {:<15}{names}", "");
    for response in responses {
        let counts = |kind: &Kind| {
            let count = |o: &Outcome| {
                let is = |d: &&Drawn| {
                    d.kind == *kind && d.cell.response == response.name() && d.cell.outcome == *o
                };
                all.iter().filter(is).count().to_string()
            };
            format!("{:>18}", ALL.iter().map(count).collect::<Vec<_>>().join("/"))
        };
        say!("  {:<15}{}", response.name(), kinds.iter().map(counts).collect::<String>());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seed of what CI draws, and scenes of each kind.
    const SEED: u64 = 1;
    const EACH: u64 = 1;

    /// What is false in silence today, and why: kind, response, number.
    const KNOWN: [(Kind, &str, u64, &str); 1] = [(
        Kind::Marble,
        "volume",
        0,
        "a face of the ball lies in one cell, which carries no moment: it rocks and rolls on; at rest to 1e-17 m/s in cells of 1 mm",
    )];

    #[test]
    fn nothing_drawn_is_false_in_silence() {
        let mut found = Vec::new();
        for &kind in Kind::value_variants() {
            for number in 0..EACH {
                let text = kind.draw(SEED, number, true);
                let spec = drawn(&text, "drawn.toml").map_err(|e| format!("{e}\n{text}"));
                for response in Response::ALL {
                    let cell = Cell::of(&spec, *response);
                    assert!(spec.is_ok(), "{:?}", cell.said);
                    let known = KNOWN.iter().find(|k| (k.0, k.1, k.2) == (kind, response.name(), number));
                    match (cell.outcome == Outcome::False, known) {
                        (true, None) => found.push(format!(
                            "{} {number} {}: {:?}",
                            kind.name(),
                            response.name(),
                            cell.missed
                        )),
                        (false, Some(k)) => found.push(format!(
                            "{} {number} {} is mended: {}",
                            kind.name(),
                            response.name(),
                            k.3
                        )),
                        _ => {}
                    }
                }
            }
        }
        assert!(found.is_empty(), "{}", found.join("\n"));
    }

    #[test]
    fn the_same_seed_draws_the_same_and_another_draws_others() {
        for &kind in Kind::value_variants() {
            let draw = |seed, number| kind.draw(seed, number, false);
            assert_eq!(draw(3, 1), draw(3, 1));
            assert_ne!(draw(3, 1), draw(3, 2));
            assert_ne!(draw(3, 1), draw(4, 1));
        }
    }
}
