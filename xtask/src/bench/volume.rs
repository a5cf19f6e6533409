//! `bench volume`: Table 1 of seed 002, printed by a program of the benches.

use crate::workspace::{Outcome, become_program, built, root};
use std::ffi::OsString;
use std::process::Command;

/// Builds it with --release and becomes it.
///
/// # Errors
/// When it does not build or start.
pub fn run(arguments: &[OsString]) -> Outcome {
    let mut table = Command::new(built("impinge-benches", "volume-table", true)?);
    table.current_dir(root()).args(arguments);
    become_program(table)
}
