//! Tasks that `impinge` does itself: the arguments go to it untouched.

use crate::workspace::{Outcome, become_program, impinge};
use std::ffi::OsString;

/// `impinge COMMAND ARGUMENTS…`, and its exit status.
///
/// # Errors
/// When the program does not build.
pub fn to_impinge(command: &str, arguments: &[OsString]) -> Outcome {
    let command = OsString::from(command);
    become_program(impinge(std::iter::once(&command).chain(arguments))?)
}
