//! `layers`: no crate depends on one of its own layer or above, and heavy dependencies stay behind their walls.
//!
//! Takes the manifests of the workspace (`layers/manifests.rs`), applies the rules (`layers/rules.rs`), prints the
//! house from top to bottom or what is wrong with it.

mod manifests;
mod rules;

use crate::arguments::Arguments;
use crate::workspace::{Failure, Outcome, root};
use std::ffi::OsString;
use std::process::ExitCode;

/// Shown by `--help`.
pub const HELP: &str = "\
Checks the manifests of crates/*, benches and xtask.

    cargo xtask layers

A crate may depend on crates of lower layers only (its tests also on its own layer); some dependencies may be
named by one crate only, which keeps them out of everybody else's compile time and public API. Both tables, and
the place to add a new crate, are in xtask/src/layers/rules.rs.
";

/// Checks and prints.
///
/// # Errors
/// When a manifest cannot be read.
pub fn run(arguments: &[OsString]) -> Outcome {
    Arguments::new(arguments)?.finish("none")?;
    let members = manifests::read(&root()).map_err(Failure::new)?;
    let problems = rules::check(&members);
    if problems.is_empty() {
        print!("{}", rules::picture(&members));
        return Ok(ExitCode::SUCCESS);
    }
    for p in &problems {
        eprintln!("error: {p}");
    }
    Err(Failure::new(format!("{} rule{} broken", problems.len(), if problems.len() == 1 { "" } else { "s" })))
}
