#![forbid(unsafe_code)]
#![doc = include_str!("../README.md")]

#[macro_use]
extern crate impinge_cli;

mod ccd_truth;
mod conform;
mod escape;
#[cfg(test)]
mod examples;
mod fixtures;
mod gallery;
mod golden;
mod kills;
mod oracle;
mod outcomes;
mod randoms;
mod repro;
mod scaling;
mod scenes_bench;
mod side_by_side;
mod soak;
mod stages;
mod verify;

use clap::{CommandFactory, Parser, Subcommand};
use impinge_cli::output;
use std::process::ExitCode;

/// The laboratory of the repository: scenes and kernels against known answers, figures of papers, state hashes, long runs.
///
/// `cargo xtask COMMAND` builds it and starts it in the root folder. What runs your own scenes and meshes is the program `impinge`.
#[derive(Parser)]
#[command(
    name = "impinge-lab",
    version,
    max_term_width = 110,
    after_help = "Examples:
  cargo xtask verify weight sliding
  cargo xtask golden
  cargo xtask conform --help

Exit codes:
  0    done, and everything is as it should be
  1    done, and something is not: a run stopped early, an answer is not the known one, a bound is missed
  2    not done: an argument, a scene or a file is wrong, and the message says what to do"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print nothing on success but errors and warnings; without success, also what was held back. No progress.
    #[arg(long, global = true)]
    quiet: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Run every scene under every response and check what must hold for all of them.
    Conform(conform::ConformArgs),
    /// Draw every scene on one page.
    Gallery(gallery::GalleryArgs),
    /// Compare hashes and a few numbers of every scene with those kept in the repository.
    Golden(golden::GoldenArgs),
    /// Check the kernels against files of cases with known answers.
    Oracle(oracle::OracleArgs),
    /// Run the scenes that others reported under every response: right, refused, warned of, or false in silence.
    Outcomes(outcomes::OutcomesArgs),
    /// Check exact collision detection against sets of queries with known answers, and time it.
    CcdTruth(ccd_truth::CcdTruthArgs),
    /// Compute figures of the papers anew and show them beside what the papers say.
    Repro(repro::ReproArgs),
    /// Run the tests with known answers under every response and print one table.
    Verify(verify::VerifyArgs),
    /// Long-run stress test: 100000 steps per response, run twice, hashes and memory compared.
    Soak(soak::SoakArgs),
    /// End runs from outside at random moments, and take them up: the hashes must be the same.
    Kills(kills::KillsArgs),
    /// Time every stage on one thread and on more, and name what does not gain.
    Scaling(scaling::ScalingArgs),
    /// Time every stage of every scene and write one CSV row for each.
    ScenesBench(scenes_bench::ScenesBenchArgs),
    /// Print the data-flow table of the step, from the stages' types.
    Stages(stages::StagesArgs),
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => return output::usage(&e, &Cli::command()),
    };
    output::quietly(cli.quiet, || {
        let done = match cli.command {
            Command::Conform(a) => conform::command(&a),
            Command::Gallery(a) => gallery::command(&a),
            Command::Golden(a) => golden::command(&a),
            Command::Oracle(a) => oracle::command(&a),
            Command::Outcomes(a) => outcomes::command(&a),
            Command::CcdTruth(a) => ccd_truth::command(&a),
            Command::Repro(a) => repro::command(&a),
            Command::Verify(a) => verify::command(&a),
            Command::Soak(a) => soak::command(&a),
            Command::Kills(a) => kills::command(&a),
            Command::Scaling(a) => scaling::command(&a),
            Command::ScenesBench(a) => scenes_bench::command(&a),
            Command::Stages(a) => stages::command(&a),
        };
        done.unwrap_or_else(output::fail)
    })
}
