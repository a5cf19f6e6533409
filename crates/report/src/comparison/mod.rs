//! One scene under several responses on one page: takes the records of the runs, gives `compare.html` and long CSV files.
//!
//! Pictures stand side by side on one clock and one camera; every plot lays the runs' curves over each other; the
//! table holds what a reader compares first. Everything is computed from the records, which hold the ledger's numbers.

mod overlay;
mod page;
mod summary;

use crate::compared::Comparison;
use crate::csv::overlay_csv;
use crate::error::ReportError;
use crate::write::{Written, folder, replace};
use std::path::Path;

pub(crate) use overlay::Overlay;
pub use page::render_comparison;

/// Writes `compare.html` and `csv/*.csv` into `dir`, which is made if it does not exist.
///
/// # Errors
/// [`ReportError`] naming the file or folder that cannot be written.
pub fn write_comparison(dir: &Path, comparison: &Comparison) -> Result<Written, ReportError> {
    let overlays = overlay::overlays(&comparison.runs);
    folder(dir, !overlays.is_empty())?;
    let mut csv = Vec::new();
    for overlay in &overlays {
        let file = dir.join("csv").join(overlay.file());
        csv.push(replace(dir, file, &overlay_csv(overlay, &comparison.runs))?);
    }
    let html = replace(dir, dir.join("compare.html"), &page::render(comparison, &overlays))?;
    Ok(Written { html, csv })
}
