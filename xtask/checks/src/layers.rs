//! `layers`: no crate depends on one of its own layer or above, and heavy dependencies stay behind their walls.
//!
//! Takes the manifests of the workspace (`layers/manifests.rs`), applies the rules (`layers/rules.rs`), prints the
//! house from top to bottom or what is wrong with it.

mod circles;
mod manifests;
mod rules;
mod tokens;

use crate::arguments::Arguments;
use crate::workspace::{Failure, Outcome, root};
use std::ffi::OsString;
use std::process::ExitCode;

/// Shown by `--help`.
pub const HELP: &str = "\
Checks the manifests of crates/*, benches and xtask.

    cargo xtask layers
    cargo xtask layers --circles     files that need each other in circles of more than three, crate by crate

A crate may depend on crates of lower layers only (its tests also on its own layer); some dependencies may be
named by one crate only, which keeps them out of everybody else's compile time and public API. Both tables, and
the place to add a new crate, are in xtask/checks/src/layers/rules.rs.
";

/// Checks and prints.
///
/// # Errors
/// When a manifest cannot be read.
pub fn run(arguments: &[OsString]) -> Outcome {
    let mut a = Arguments::new(arguments)?;
    let circles = a.flag("--circles");
    a.finish("--circles")?;
    let members = manifests::read(&root()).map_err(Failure::new)?;
    if circles {
        return show_circles(&members);
    }
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

/// Files that need each other in circles of more than three, crate by crate.
fn show_circles(members: &[manifests::Member]) -> Outcome {
    for m in members {
        for group in circles::Crate::read(&root().join(&m.folder)).map_err(Failure::new)?.circles(3) {
            println!("{}: {} files: {}", m.folder, group.len(), group.join(", "));
        }
    }
    Ok(ExitCode::SUCCESS)
}
