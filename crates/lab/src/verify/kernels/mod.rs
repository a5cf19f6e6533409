//! Kernels with known answers (ACCEPTANCE B1 to B21, B37, B38, B56): one call or a short loop each, no scene.
//!
//! They are of one response each, by what they compute, so that the table has a column for the value and none for every response.

mod continuous;
mod known;
mod pressure;
mod programs;
mod volumes;

use std::fmt::Write;

pub use known::{Known, Line};

/// All of them.
///
/// # Errors
/// A kernel that refuses what it was given, with its reason.
pub fn run() -> Result<Vec<Known>, String> {
    let mut rows = Vec::new();
    for part in [continuous::rows, programs::rows, volumes::rows, pressure::rows] {
        let part = part()?;
        part.iter().for_each(|k| {
            let [expected, got, _, mark] = k.cells();
            say!("{:4} {}: {got} (expected {expected}) {mark}", k.id, k.what);
        });
        rows.extend(part);
    }
    Ok(rows)
}

/// The section of the Markdown table.
pub fn markdown(rows: &[Known]) -> String {
    let mut out = String::from(
        "\n## Kernels\n\nEach is one call or a short loop, without a scene; what it belongs to stands in its words. · told, not judged.\n\n\
         | test | what | expected | computed | off by | |\n|---|---|---|---|---|---|\n",
    );
    for k in rows {
        let [expected, got, error, mark] = k.cells();
        let note = if k.note.is_empty() { String::new() } else { format!(" ({})", k.note) };
        // An absolute value would end the cell.
        let what = k.what.replace('|', "\\|");
        let _ = writeln!(out, "| {} | {what}{note} | {expected} | {got} | {error} | {mark} |", k.id);
    }
    out
}
