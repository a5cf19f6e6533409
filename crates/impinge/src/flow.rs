//! The data-flow table: takes the stages' types, gives Markdown.

use impinge_integrators::Scheme;
use impinge_world::{Response, adapters::Names, standard};

/// The data-flow table of the standard pipeline with one response as Markdown: place, stage, columns read, columns written.
///
/// It is printed from the query types of the stages, so it cannot say anything else than what hecs lends them.
/// A column that a stage both reads and writes stands under "writes". The same text stands in
/// [`guide::data_flow`](crate::guide::data_flow); a test compares the two.
///
/// ```
/// use impinge::prelude::Response;
/// let table = impinge::stages_markdown(Response::penalty());
/// assert!(table.starts_with("| place | stage | reads | writes |"));
/// assert!(table.contains("| commit | commit |"));
/// ```
#[must_use]
pub fn stages_markdown(response: Response) -> String {
    let names: Names = Names::from(Vec::new());
    standard(&*response, Scheme::default(), &names).flow_markdown()
}
