//! `golden`: the hash and a few scalars of every scene and response, against fixtures/golden.

use crate::forward::to_lab;
use crate::workspace::Outcome;
use std::ffi::OsString;

/// Shown by `--help`.
pub const HELP: &str = "\
Compares the state hash and a few scalars of every scene and response with fixtures/golden.

    cargo xtask golden            exits 1 on a difference and prints both values
    cargo xtask golden --bless    writes the new values; say in the commit why they changed

A hash covers every bit of the state after the last step: it changes with any change of the numerics, and not
with the number of threads or the optimisation level.
";

/// Runs the comparison in `impinge-lab`.
///
/// # Errors
/// When the program does not build.
pub fn run(arguments: &[OsString]) -> Outcome {
    to_lab("golden", arguments)
}
