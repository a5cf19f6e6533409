//! `bench volume` and `bench pressure`: tables printed by programs of the benches. `bench scaling`: tables of the laboratory.

use crate::workspace::{Outcome, become_program, built, lab, root};
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

/// `impinge-lab scaling`, of the profile that `cargo xtask run` builds: what a step costs its users.
///
/// # Errors
/// When it does not build or start.
pub fn scaling(arguments: &[OsString]) -> Outcome {
    let command = OsString::from("scaling");
    become_program(lab(std::iter::once(&command).chain(arguments), false)?)
}
