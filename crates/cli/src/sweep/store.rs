//! Rows on disk: one file each, there whole or not at all; beside them the rows that each grid has.

use super::grid::{Grid, Point};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A folder of rows.
pub struct Store {
    dir: PathBuf,
}

impl Store {
    /// Opens the folder for a sweep of this description, or starts it, and notes which rows its grid has.
    ///
    /// # Errors
    /// When it cannot be written, or holds rows of another sweep.
    pub fn open(dir: &Path, about: &str, grid: &Grid) -> Result<Self, String> {
        let told = |e| format!("{} cannot be written: {e}", dir.display());
        for sub in ["rows", "times", "grids"] {
            fs::create_dir_all(dir.join(sub)).map_err(told)?;
        }
        let file = dir.join("sweep.txt");
        match fs::read_to_string(&file) {
            Ok(there) if there == about => {}
            Ok(there) => {
                return Err(format!(
                    "{} holds rows of another sweep:\n{there}and this one is\n{about}give another folder with --out DIR",
                    dir.display()
                ));
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => replace(&file, about)?,
            Err(e) => return Err(format!("{} cannot be read: {e}", file.display())),
        }
        replace(&dir.join("grids").join(grid.file()), &grid.text())?;
        Ok(Self { dir: dir.to_path_buf() })
    }

    /// Whether the row is there, whole.
    pub fn has(&self, point: &Point) -> bool {
        let file = self.dir.join("rows").join(point.file() + ".csv");
        fs::read_to_string(file).is_ok_and(|t| whole(&t))
    }

    /// Writes a row and the time it took.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn put(&self, point: &Point, header: &str, row: &str, seconds: f64) -> Result<(), String> {
        let name = quoted(&point.name());
        let time = format!("row,wall [s]\n{name},{seconds:.6}\n");
        replace(&self.dir.join("times").join(point.file() + ".csv"), &time)?;
        replace(&self.dir.join("rows").join(point.file() + ".csv"), &format!("{header}\n{row}\n"))
    }
}

/// Whether a row's file has its header and its row to the end.
pub fn whole(text: &str) -> bool {
    text.ends_with('\n') && text.lines().count() == 2
}

/// Writes beside, then renames: a reader, or a run that goes on after a power cut, never sees half a file.
fn replace(file: &Path, text: &str) -> Result<(), String> {
    let beside = file.with_extension(format!("tmp{}", std::process::id()));
    fs::File::create(&beside)
        .and_then(|mut f| f.write_all(text.as_bytes()).and_then(|()| f.sync_all()))
        .and_then(|()| fs::rename(&beside, file))
        .map_err(|e| format!("{} cannot be written: {e}", file.display()))
}

/// A CSV cell.
pub fn quoted(text: &str) -> String {
    let text = text.replace('\n', " ");
    if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

/// The cells of a CSV line as [`quoted`] writes them.
pub fn cells(line: &str) -> Vec<String> {
    let (mut out, mut cell, mut inside) = (Vec::new(), String::new(), false);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if inside && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' => inside = !inside,
            ',' if !inside => out.push(std::mem::take(&mut cell)),
            _ => cell.push(c),
        }
    }
    out.push(cell);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_read_back() {
        for text in ["a", "a, b", "say \"x\", y", ""] {
            assert_eq!(cells(&format!("{},1", quoted(text))), [text, "1"]);
        }
    }
}
