//! `bench volume` and `bench pressure`: tables printed by programs of the benches.

use crate::workspace::{Outcome, become_program, built, root};
use std::ffi::OsString;
use std::process::Command;

/// The program of a table, by the word on the command line.
pub fn program(word: &str) -> Option<&'static str> {
    match word {
        "volume" => Some("volume-table"),
        "pressure" => Some("pressure-table"),
        _ => None,
    }
}

/// Builds it with --release and becomes it.
///
/// # Errors
/// When it does not build or start.
pub fn run(program: &str, arguments: &[OsString]) -> Outcome {
    let mut table = Command::new(built(program, true)?);
    table.current_dir(root()).args(arguments);
    become_program(table)
}
