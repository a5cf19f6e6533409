//! What can go wrong when a report is written, each with the fix.

use std::io;
use std::path::PathBuf;

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The output folder cannot be made.
    #[error(
        "cannot use the folder `{folder}` for the report: {source}; choose another output folder, or make sure \
         that no file stands in its place and that you may write there"
    )]
    Folder {
        /// The folder asked for.
        folder: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file in the output folder cannot be written.
    #[error(
        "cannot write `{file}` in the folder `{folder}`: {source}; check that the folder is writable and the disk \
         is not full, or choose another output folder; an older file of that name is still whole"
    )]
    File {
        /// The folder asked for.
        folder: PathBuf,
        /// The file that failed.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}
