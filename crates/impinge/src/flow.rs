//! The data-flow table: takes the stages' types, gives Markdown.

use impinge_integrators::Scheme;
use impinge_world::{Pipeline, Response, adapters::Names, standard};
use std::fmt::Write as _;

/// The data-flow table of the standard pipeline as Markdown: place, stage, columns read, columns written.
///
/// It is printed from the query types of the stages, so it cannot say anything else than what hecs lends them.
/// A column that a stage both reads and writes stands under "writes". The same text stands in
/// [`guide::data_flow`](crate::guide::data_flow); a test compares the two.
///
/// ```
/// let table = impinge::stages_markdown();
/// assert!(table.starts_with("| place | stage | reads | writes |"));
/// assert!(table.contains("| commit | commit |"));
/// ```
pub fn stages_markdown() -> String {
    let names: Names = Names::from(Vec::new());
    markdown(&standard(Response::penalty(), Scheme::default(), &names))
}

fn markdown(pipeline: &Pipeline) -> String {
    let mut out = String::from("| place | stage | reads | writes |\n|---|---|---|---|\n");
    for line in pipeline.flow() {
        let place = format!("{:?}", line.place).to_lowercase();
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "| {place} | {} | {} | {} |",
            line.stage,
            line.reads.join(", "),
            line.writes.join(", ")
        );
    }
    out
}
