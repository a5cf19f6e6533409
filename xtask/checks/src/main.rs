//! Tasks that need a reader of TOML or JSON, started by `cargo xtask`, which has no dependencies.

mod bench;
mod layers;
mod supply;

use std::ffi::OsString;
use std::process::ExitCode;
// Modules here name them `crate::arguments` and `crate::workspace`.
use workspace::{Failure, Outcome};
use xtask::{arguments, workspace};

/// One task: name, what `--help` shows, what it does.
type Task = (&'static str, &'static str, fn(&[OsString]) -> Outcome);

const TASKS: &[Task] = &[
    ("bench", bench::HELP, bench::run),
    ("layers", layers::HELP, layers::run),
    ("supply", supply::HELP, supply::run),
];

fn main() -> ExitCode {
    let all: Vec<OsString> = std::env::args_os().skip(1).collect();
    workspace::finish(run(&all))
}

fn run(all: &[OsString]) -> Outcome {
    let found = all.split_first().and_then(|(name, rest)| Some((TASKS.iter().find(|t| name == t.0)?, rest)));
    let Some(((_, help, task), rest)) = found else {
        let names: Vec<&str> = TASKS.iter().map(|t| t.0).collect();
        return Err(Failure::usage(format!("the first argument is one of {}", names.join(", "))));
    };
    // A table of the laboratory explains itself.
    let help = Some(help).filter(|_| rest.first().is_none_or(|word| word != bench::SCALING));
    help.and_then(|help| arguments::explained(help, rest)).map_or_else(|| task(rest), Ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_help_shows_its_call() {
        for (name, help, _) in TASKS {
            assert!(help.contains(&format!("cargo xtask {name}")), "{name}'s help shows no call");
        }
        assert_eq!(run(&[]).unwrap_err().status, 2);
    }
}
