//! `impinge stages`: the data-flow table.

use impinge_integrators::Scheme;
use impinge_world::{Response, adapters::Names, standard};
use std::process::ExitCode;

/// Prints the table of the standard pipeline as Markdown.
pub fn command() -> ExitCode {
    let names = Names::from(Vec::new());
    print!("{}", standard(Response::penalty(), Scheme::default(), &names).flow_markdown());
    ExitCode::SUCCESS
}
