//! Tasks that another program does: the arguments go to it untouched.

use crate::workspace::{Outcome, become_program, built, impinge, lab};
use std::ffi::OsString;
use std::process::Command;

/// `impinge COMMAND ARGUMENTS…`, and its exit status.
///
/// # Errors
/// When the program does not build.
pub fn to_impinge(command: &str, arguments: &[OsString]) -> Outcome {
    let command = OsString::from(command);
    become_program(impinge(std::iter::once(&command).chain(arguments))?)
}

/// `impinge-lab COMMAND ARGUMENTS…`, and its exit status.
///
/// # Errors
/// When the program does not build.
pub fn to_lab(command: &str, arguments: &[OsString]) -> Outcome {
    let hours = command == "soak" || arguments.iter().any(|a| a == "--long" || a == "--large");
    let command = OsString::from(command);
    become_program(lab(std::iter::once(&command).chain(arguments), hours)?)
}

/// `xtask-checks TASK ARGUMENTS…`, and its exit status.
///
/// # Errors
/// When the program does not build.
pub fn to_checks(task: &str, arguments: &[OsString]) -> Outcome {
    let mut checks = Command::new(built("xtask-checks", "xtask-checks", false)?);
    checks.arg(task).args(arguments);
    become_program(checks)
}
