//! `impinge-lab stages`: the data-flow table.

use clap::Args;
use impinge_cli::arguments;
use impinge_cli::output::{Done, Json};
use impinge_integrators::Scheme;
use impinge_world::{adapters::Names, standard};
use serde::Serialize;
use std::process::ExitCode;

/// Arguments of `impinge-lab stages`.
#[derive(Args)]
#[command(after_help = "Examples:
  cargo run -p impinge-lab -- stages
  cargo run -p impinge-lab -- stages pressure --json")]
pub struct StagesArgs {
    /// The response in it.
    #[arg(default_value = "penalty")]
    response: String,
    #[command(flatten)]
    json: Json,
}

/// A stage with the columns it touches.
#[derive(Serialize)]
struct Row {
    place: String,
    stage: String,
    reads: Vec<String>,
    writes: Vec<String>,
}

/// Prints the table of the standard pipeline with this response as Markdown.
pub fn command(args: &StagesArgs) -> Done {
    args.json.begin();
    let response = arguments::response_named(&args.response)?.response();
    let pipeline = standard(&*response, Scheme::default(), &Names::from(Vec::new()));
    say!("{}", pipeline.flow_markdown().trim_end());
    let words = |columns: &[&str]| columns.iter().map(ToString::to_string).collect();
    let rows: Vec<Row> = pipeline
        .flow()
        .iter()
        .map(|line| Row {
            place: format!("{:?}", line.place).to_lowercase(),
            stage: line.stage.to_string(),
            reads: words(&line.reads),
            writes: words(&line.writes),
        })
        .collect();
    args.json.print(&rows);
    Ok(ExitCode::SUCCESS)
}
