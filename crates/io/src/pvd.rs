//! PVD series out: the list of VTU files and their times that ParaView opens as one animation.
//!
//! The list is a whole, readable file after every step: a new entry and the closing tags are written over the
//! old closing tags in one call, so that a run that is killed loses nothing before it. File names are relative
//! to the list; the folder can be moved.

use crate::atomic::write_whole;
use crate::xml::escaped;
use crate::{Grid, WriteError, write_vtu};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
    <VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n  <Collection>\n";
const FOOT: &str = "  </Collection>\n</VTKFile>\n";

/// A series of grids over time.
#[derive(Debug)]
pub struct PvdSeries {
    path: PathBuf,
    file: File,
    /// Where the closing tags begin.
    end: u64,
    /// Entries so far.
    steps: usize,
}

impl PvdSeries {
    /// Begins a series, replacing a list that was there; its VTU files are left where they are.
    ///
    /// # Errors
    /// [`WriteError::Io`] naming the file.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, WriteError> {
        let path = path.as_ref().to_path_buf();
        write_whole(&path, |out| out.write_all([HEAD, FOOT].concat().as_bytes()))
            .map_err(|e| failed(&path, e))?;
        let file = OpenOptions::new().write(true).open(&path).map_err(|e| failed(&path, e))?;
        Ok(Self { path, file, end: HEAD.len() as u64, steps: 0 })
    }

    /// Goes on with a series that this type began.
    ///
    /// # Errors
    /// [`WriteError::Io`] naming the file; [`WriteError::BadData`] when it is no list written by this type, or
    /// one that was changed or cut off.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, WriteError> {
        let path = path.as_ref().to_path_buf();
        let text = fs::read_to_string(&path).map_err(|e| failed(&path, e))?;
        let entries = text.strip_prefix(HEAD).and_then(|t| t.strip_suffix(FOOT));
        let Some(entries) = entries else {
            let reason = "it is no series written by this program, or was changed: begin a new one".into();
            return Err(WriteError::BadData { file: path.display().to_string(), reason });
        };
        let file = OpenOptions::new().write(true).open(&path).map_err(|e| failed(&path, e))?;
        Ok(Self { end: (HEAD.len() + entries.len()) as u64, steps: entries.lines().count(), path, file })
    }

    /// Writes a grid as the next VTU file beside the list, `NAME_000012.vtu` for the list `NAME.pvd`, and adds it
    /// at `time` (s). Gives the path of the VTU file.
    ///
    /// # Errors
    /// As [`write_vtu`] and [`PvdSeries::append`]. After an error the list is as it was.
    pub fn step(&mut self, time: f64, grid: &Grid) -> Result<PathBuf, WriteError> {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let file = self.path.with_file_name(format!("{stem}_{:06}.vtu", self.steps));
        write_vtu(&file, grid)?;
        self.append(time, &file)?;
        Ok(file)
    }

    /// Adds a VTU file, given by a path that begins like that of the list, at `time` (s).
    ///
    /// # Errors
    /// [`WriteError::BadData`] when the time is not finite or the file does not lie in the folder of the list or
    /// below; [`WriteError::Io`] when the list cannot be written.
    pub fn append(&mut self, time: f64, file: impl AsRef<Path>) -> Result<(), WriteError> {
        let bad = |reason| WriteError::BadData { file: self.path.display().to_string(), reason };
        if !time.is_finite() {
            return Err(bad(format!("time {time}: give a finite number of seconds")));
        }
        let file = file.as_ref();
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let relative = file.strip_prefix(folder).ok().filter(|r| {
            r.components().count() > 0 && r.components().all(|c| matches!(c, std::path::Component::Normal(_)))
        });
        let Some(relative) = relative else {
            return Err(bad(format!(
                "`{}` does not lie in the folder of the series; write it into `{}`",
                file.display(),
                if folder.as_os_str().is_empty() { "." } else { folder.to_str().unwrap_or("its folder") }
            )));
        };
        // Slashes on every system.
        let parts: Vec<_> = relative.components().map(|c| c.as_os_str().to_string_lossy()).collect();
        let entry = format!(
            "    <DataSet timestep=\"{time:?}\" part=\"0\" file=\"{}\"/>\n",
            escaped(&parts.join("/"))
        );
        let text = [&entry, FOOT].concat();
        self.file
            .seek(SeekFrom::Start(self.end))
            .and_then(|_| self.file.write_all(text.as_bytes()))
            .map_err(|e| failed(&self.path, e))?;
        self.end += entry.len() as u64;
        self.steps += 1;
        Ok(())
    }

    /// Entries so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps
    }

    /// Whether there is no entry yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps == 0
    }
}

fn failed(path: &Path, source: io::Error) -> WriteError {
    WriteError::Io { file: path.display().to_string(), source }
}
