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

Within a crate no more than three files may need each other in a circle. No response names another in
crates/world/src/responses, and no file of the step names a response but the list of them.
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
    let mut problems = rules::check(&members);
    for m in &members {
        problems.extend(within(m)?);
    }
    if problems.is_empty() {
        print!("{}", rules::picture(&members));
        return Ok(ExitCode::SUCCESS);
    }
    for p in &problems {
        eprintln!("error: {p}");
    }
    Err(Failure::new(format!("{} rule{} broken", problems.len(), if problems.len() == 1 { "" } else { "s" })))
}

/// What is wrong between the files of a crate.
fn within(m: &manifests::Member) -> Result<Vec<String>, Failure> {
    let sources = circles::Crate::read(&root().join(&m.folder)).map_err(Failure::new)?;
    let told = |g: Vec<String>| {
        format!(
            "{}: {} files need each other in a circle, {} at most may: move what ties them to a file of its own ({})",
            m.folder,
            g.len(),
            circles::MOST,
            g.join(", ")
        )
    };
    let mut problems: Vec<String> = sources.circles(circles::MOST).into_iter().map(told).collect();
    let crossing = |c: String| {
        format!("{}: {c}; what two responses share belongs into responses/swept or a crate", m.folder)
    };
    problems.extend(sources.crossings("responses", "swept").into_iter().map(crossing));
    let naming = |n: String| {
        format!("{}: {n}; the step names no response: ask through the trait `ContactResponse`", m.folder)
    };
    problems
        .extend(sources.namings("responses", &["registry", "the root", "adapters"]).into_iter().map(naming));
    Ok(problems)
}

/// Files that need each other in circles of more than three, crate by crate.
fn show_circles(members: &[manifests::Member]) -> Outcome {
    for m in members {
        for group in
            circles::Crate::read(&root().join(&m.folder)).map_err(Failure::new)?.circles(circles::MOST)
        {
            println!("{}: {} files: {}", m.folder, group.len(), group.join(", "));
        }
    }
    Ok(ExitCode::SUCCESS)
}
