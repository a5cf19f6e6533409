//! Runs of one scene, to be shown beside each other.

use crate::record::RunRecord;

/// Runs of one scene.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Comparison {
    /// Headline of the page.
    pub title: String,
    /// A sentence or two on what the scene shows.
    pub description: String,
    /// The runs, in the order to show them.
    pub runs: Vec<ComparedRun>,
    /// What was asked for and could not run: label and reason.
    pub refused: Vec<(String, String)>,
}

/// One of the runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ComparedRun {
    /// Response, and what was varied.
    pub label: String,
    /// The run.
    pub record: RunRecord,
}
