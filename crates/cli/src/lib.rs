#![forbid(unsafe_code)]
#![doc = include_str!("../README.md")]

#[macro_use]
pub mod output;

pub mod arguments;
mod asked;
mod builtin;
mod calibrate;
pub mod check;
mod checkpoint;
mod claim;
mod compare;
mod digest;
mod export;
mod failure;
mod keys;
mod list;
pub mod memory;
mod mesh;
mod new;
pub mod open;
pub mod over;
mod patience;
mod recording;
mod replay;
mod run;
pub mod runner;
pub mod scene_files;
mod signals;
mod sweep;
mod whole;
mod wish;
mod wrench;

pub use builtin::is_builtin;
pub use check::Expectation;
pub use run::fill as fill_record;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Parser, Subcommand};
use std::process::ExitCode;

/// Collision response between rigid and deformable meshes: run scenes, look at meshes, check against oracles.
///
/// Start with `impinge list`, then `impinge run drop`: it writes a report that opens in any browser. The scenes are inside the program;
/// a copy of the repository near the working folder, or `--fixtures DIR`, comes first. Your own scene runs by its path: `impinge run
/// my-scene.toml`. A mesh needs no scene: `impinge mesh part.obj`.
#[derive(Parser)]
#[command(
    name = "impinge",
    version,
    max_term_width = 110,
    after_help = "Examples:
  impinge list
  impinge run drop
  impinge run --help

Exit codes:
  0    done, and everything is as it should be
  1    done, and something is not: a run stopped early, an expectation is not met, two results differ
  2    not done: an argument, a scene or a file is wrong, or what was printed is lost (a full disk, a closed output); the message says what to do
  3    run, but no physics: energy from nowhere, bodies sunk deeper than they are thick, gone through each other, or let go of by their contacts; a warning says which.
       It goes before 1
  130  ended by a second Ctrl-C"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print nothing on success but errors and warnings, and the hash of a run without a report; without success, also what was held back. No progress.
    #[arg(long, global = true)]
    quiet: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Name every scene with one line on what it shows.
    List(list::ListArgs),
    /// Run a scene and write its report.
    Run(run::RunArgs),
    /// Run a recorded run again and name the first step and stage that differ.
    Replay(replay::ReplayArgs),
    /// Run one scene under several responses and show them side by side.
    Compare(compare::CompareArgs),
    /// Run a grid of parameters, in parts that merge.
    Sweep(sweep::SweepArgs),
    /// Fit stiffness, damping and friction of one response to another.
    Calibrate(calibrate::CalibrateArgs),
    /// Write a run as glTF or VTU.
    Export(export::ExportArgs),
    /// Write a scene for meshes of your own.
    New(new::NewArgs),
    /// Say what two bodies do to each other at a pose, under each law.
    Wrench(wrench::WrenchArgs),
    /// Say what a mesh file holds and whether a body can be made of it.
    Mesh(mesh::MeshArgs),
    /// Run scenes and compare with their expectations.
    Check(check::CheckArgs),
}

/// The program: takes its arguments from the command line, gives its exit status. `closed`: it was started without a standard output.
pub fn main(closed: bool) -> ExitCode {
    if closed {
        output::is_closed();
    }
    match Cli::try_parse() {
        Ok(cli) => output::quietly(cli.quiet, || start(cli.command)),
        Err(e) => match moved(&e) {
            Some((name, task)) => output::fail(format!(
                "`impinge {name}` is now `cargo xtask {task}`, in a copy of the repository"
            )),
            None => output::usage(&e, &Cli::command()),
        },
    }
}

/// A command that this program had and the repository has now, and the task that does it there.
fn moved(e: &clap::Error) -> Option<(&str, &str)> {
    let Some(ContextValue::String(name)) = e.get(ContextKind::InvalidSubcommand) else { return None };
    let task = match name.as_str() {
        "scenes-bench" => "bench",
        "ccd-truth" | "conform" | "gallery" | "golden" | "oracle" | "repro" | "soak" | "stages"
        | "verify" => name,
        _ => return None,
    };
    Some((name, task))
}

/// The command line as clap describes it.
pub fn command_line() -> clap::Command {
    Cli::command()
}

fn start(command: Command) -> ExitCode {
    let done = match command {
        Command::List(a) => list::command(&a),
        Command::Run(a) => run::command(&a),
        Command::Replay(a) => replay::command(&a),
        Command::Compare(a) => compare::command(&a),
        Command::Sweep(a) => sweep::command(&a),
        Command::Calibrate(a) => calibrate::command(&a),
        Command::Export(a) => export::command(&a),
        Command::New(a) => new::command(&a),
        Command::Wrench(a) => wrench::command(&a),
        Command::Mesh(a) => mesh::command(&a),
        Command::Check(a) => check::command(&a),
    };
    done.unwrap_or_else(output::fail)
}
