//! `fuzz` and `zoo`: the programs of `impinge-fuzz`, in the profile that checks for overflow.

use crate::workspace::{Outcome, become_program, beside_impinge, built, root};
use std::ffi::OsString;
use std::process::Command;

/// `impinge-fuzz ARGUMENTS…`.
///
/// # Errors
/// When the program does not build.
pub fn fuzz(arguments: &[OsString]) -> Outcome {
    start("impinge-fuzz", arguments)
}

/// `impinge-zoo ARGUMENTS…`.
///
/// # Errors
/// When the program does not build.
pub fn zoo(arguments: &[OsString]) -> Outcome {
    start("impinge-zoo", arguments)
}

/// With `--release` for long runs, else in `dev`, where an overflow is a panic; `XTASK_IMPINGE` names a folder where the
/// programs are built already.
fn start(program: &str, arguments: &[OsString]) -> Outcome {
    let release = arguments.iter().any(|a| a == "--release");
    let rest = arguments.iter().filter(|a| *a != "--release");
    let path = match beside_impinge(program).filter(|_| !release) {
        Some(path) => path,
        None => built(program, release)?,
    };
    let mut run = Command::new(path);
    run.current_dir(root()).args(rest);
    become_program(run)
}
