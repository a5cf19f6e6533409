//! Writing the report: takes a folder and a record, leaves `report.html` and `csv/*.csv` in it.
//!
//! Every file is written beside its place and then renamed into it, so a reader (or a crash) never sees half
//! a file, and an older report stays whole until the new one is complete.

use crate::csv::motion_csv;
use crate::csv::{plot_csv, stages_csv};
use crate::error::ReportError;
use crate::page::render_html;
use crate::payload::csv_names;
use crate::record::RunRecord;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The files of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The page.
    pub html: PathBuf,
    /// One file per plot, in the record's order, then `bodies.csv` if bodies were followed and `stages.csv` if there are stage
    /// times.
    pub csv: Vec<PathBuf>,
}

/// Writes `record` into `dir`, which is made if it does not exist. Files of an earlier report are replaced.
pub fn write_report(dir: &Path, record: &RunRecord) -> Result<Written, ReportError> {
    let moved = !record.motion.rows.is_empty();
    let csv_dir = folder(dir, moved || !(record.plots.is_empty() && record.stages.is_empty()))?;
    let mut csv = Vec::new();
    for (plot, name) in record.plots.iter().zip(csv_names(&record.plots)) {
        csv.push(replace(dir, csv_dir.join(name), &plot_csv(plot))?);
    }
    if moved {
        csv.push(replace(dir, csv_dir.join("bodies.csv"), &motion_csv(&record.motion))?);
    }
    if !record.stages.is_empty() {
        csv.push(replace(dir, csv_dir.join("stages.csv"), &stages_csv(&record.stages))?);
    }
    // The page comes last: when it is there, the files it links to are there too.
    let html = replace(dir, dir.join("report.html"), &render_html(record))?;
    Ok(Written { html, csv })
}

/// Makes `dir`, and its folder for CSV files where there will be any; gives the latter's path.
pub fn folder(dir: &Path, with_csv: bool) -> Result<PathBuf, ReportError> {
    let csv = dir.join("csv");
    fs::create_dir_all(if with_csv { &csv } else { dir })
        .map_err(|source| ReportError::Folder { folder: dir.to_path_buf(), source })?;
    Ok(csv)
}

/// Writes `text` to `file` by way of a temporary neighbour.
pub fn replace(folder: &Path, file: PathBuf, text: &str) -> Result<PathBuf, ReportError> {
    let mut temporary = file.clone().into_os_string();
    temporary.push(format!(".{}.part", std::process::id()));
    let temporary = PathBuf::from(temporary);
    let done = fs::File::create(&temporary)
        .and_then(|mut f| f.write_all(text.as_bytes()).and_then(|()| f.sync_all()))
        .and_then(|()| fs::rename(&temporary, &file));
    match done {
        Ok(()) => Ok(file),
        Err(source) => {
            // Best effort: the error worth telling is the first one.
            let _ = fs::remove_file(&temporary);
            Err(ReportError::File { folder: folder.to_path_buf(), file, source })
        }
    }
}
