//! `ci`: what the continuous integration runs, here.

use crate::arguments::Arguments;
use crate::workspace::{Failure, Outcome, exit_code, root, status};
use std::ffi::OsString;
use std::process::Command;

/// Shown by `--help`.
pub const HELP: &str = "\
Runs .ci/run: format, lints, layers, data-flow table, tests, docs, scenes, supply, fuzzing, golden hashes,
reports in a browser, oracles.

    cargo xtask ci

It stops at the first step that fails and names it.
";

/// `bash .ci/run`.
///
/// # Errors
/// When there is no bash.
pub fn run(arguments: &[OsString]) -> Outcome {
    Arguments::new(arguments)?.finish("none")?;
    let mut script = Command::new("bash");
    script.arg(".ci/run").current_dir(root());
    let status =
        status(&mut script).map_err(|e| Failure::new(format!("{}; .ci/run needs bash", e.message)))?;
    Ok(exit_code(status))
}
