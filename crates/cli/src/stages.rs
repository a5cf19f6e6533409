//! `impinge stages`: the data-flow table.

use std::process::ExitCode;

/// Prints the table of the standard pipeline as Markdown.
pub fn command() -> ExitCode {
    print!("{}", impinge::stages_markdown());
    ExitCode::SUCCESS
}
