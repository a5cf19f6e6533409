//! What can go wrong when a report is written, each with the fix.

use std::io;
use std::path::PathBuf;

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The output folder cannot be made.
    #[error(
        "cannot make or use the folder `{folder}`: {source}; choose another output folder, or make sure \
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
         is not full, or choose another output folder; an older file of that name, if there was one, is still whole"
    )]
    File {
        /// The folder asked for.
        folder: PathBuf,
        /// The file that failed.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// An animation of a run without frames.
    #[error("the run left no frames")]
    NoFrames,
    /// An animation of a run in which a body was nowhere.
    #[error("a frame has a place that is not finite, which glTF cannot hold")]
    NotFinite,
    /// An animation without a body in it.
    #[error("nothing of this scene can be drawn: {}", .left_out.join("; "))]
    NothingToDraw {
        /// Why, for each body.
        left_out: Vec<String>,
    },
    /// An animation that a GLB file cannot hold.
    #[error(
        "the animation has {size} bytes and a GLB file holds 4 GiB: give it fewer frames, or bodies of fewer vertices"
    )]
    TooLarge {
        /// Its bytes.
        size: usize,
    },
    /// A file of a series cannot be written.
    #[cfg(feature = "world")]
    #[error(transparent)]
    Series(#[from] impinge_io::WriteError),
}
