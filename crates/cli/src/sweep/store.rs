//! Rows on disk: one file each, there whole or not at all; beside them the rows that each grid has.

use super::grid::{Grid, Point};
use crate::digest::digest;
use crate::whole;
use std::fs;
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
        let (file, about) = (dir.join("sweep.txt"), &described(about));
        match fs::read_to_string(&file) {
            Ok(there) if there == *about => {}
            Ok(there) if description(&there).is_none() => {
                return Err(format!(
                    "{} was changed after it was written, or is of an older version; give another folder with --out DIR",
                    file.display()
                ));
            }
            Ok(there) => {
                return Err(format!(
                    "{} holds rows of another sweep:\n{there}and this one is\n{about}give another folder with --out DIR",
                    dir.display()
                ));
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => whole::write(&file, about)?,
            Err(e) => return Err(format!("{} cannot be read: {e}", file.display())),
        }
        for (file, text) in files(&dir.join("grids"), "txt")? {
            // One that was changed is named when the rows are merged.
            let Some(before) = Grid::read(&file, &text) else { continue };
            if let Some((row, then, now)) = before.differs_from(grid) {
                return Err(format!(
                    "{} holds rows of another sweep: a mesh file was changed since it was begun. The row '{row}' was of {then} and is now of {now}; \
                     give another folder with --out DIR",
                    dir.display()
                ));
            }
        }
        whole::write(&dir.join("grids").join(grid.file()), grid.text())?;
        Ok(Self { dir: dir.to_path_buf() })
    }

    /// Whether the row is there, whole, and of these files.
    pub fn has(&self, point: &Point, files: &str) -> bool {
        let file = self.dir.join("rows").join(point.file() + ".csv");
        fs::read_to_string(file).is_ok_and(|t| read(&t).is_ok_and(|row| row.files == files))
    }

    /// Writes a row and the time it took.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn put(&self, point: &Point, row: &Row<'_>, seconds: f64) -> Result<(), String> {
        let name = quoted(&point.name());
        let time = format!("row,wall [s]\n{name},{seconds:.6}\n");
        whole::write(&self.dir.join("times").join(point.file() + ".csv"), &time)?;
        whole::write(&self.dir.join("rows").join(point.file() + ".csv"), row.sealed())
    }
}

/// The files of a folder with this ending and their text, by name; a folder that is not there has none.
///
/// # Errors
/// When they cannot be read.
pub fn files(dir: &Path, ending: &str) -> Result<Vec<(PathBuf, String)>, String> {
    let told = |e| format!("{} cannot be read: {e}", dir.display());
    let mut out = Vec::new();
    let entries = match fs::read_dir(dir) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(out),
        entries => entries.map_err(told)?,
    };
    for entry in entries {
        let file = entry.map_err(told)?.path();
        if file.extension().is_some_and(|x| x == ending) {
            let text = fs::read_to_string(&file).map_err(told)?;
            out.push((file, text));
        }
    }
    out.sort();
    Ok(out)
}

/// What all rows of a folder have in common, as it is written: with its digest.
fn described(about: &str) -> String {
    format!("{about}digest {:016x}\n", digest(about.as_bytes()))
}

/// The same back; `None` where it is not as it was written.
pub fn description(text: &str) -> Option<&str> {
    let (about, _) = text.rsplit_once("digest ")?;
    (described(about) == text).then_some(about)
}

/// A row, its header, and the mesh files that it is of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row<'a> {
    pub header: &'a str,
    pub row: &'a str,
    pub files: &'a str,
}

impl Row<'_> {
    /// The file of a row: all of it, and the digest of that.
    fn sealed(&self) -> String {
        let text = format!("{}\n{}\nof {}\n", self.header, self.row, self.files);
        format!("{text}digest {:016x}\n", digest(text.as_bytes()))
    }
}

/// A row from a file of [`Store::put`].
///
/// # Errors
/// In words, when it is cut off or not as it was written.
pub fn read(text: &str) -> Result<Row<'_>, &'static str> {
    let lines: Vec<&str> = text.lines().collect();
    let row = match lines[..] {
        [header, row, files, _] => files.strip_prefix("of ").map(|files| Row { header, row, files }),
        _ => None,
    };
    match (row, &lines[..]) {
        (Some(row), _) if row.sealed() == text => Ok(row),
        (_, [_, _, _, seal]) if text.ends_with('\n') && seal.starts_with("digest ") => {
            Err("was changed or damaged after it was written")
        }
        _ => Err("is no whole row of a sweep"),
    }
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
    fn a_row_that_was_cut_or_changed_anywhere_is_no_row() {
        let row = Row { header: "row,x", row: "a,0.25", files: "a.obj 0123" };
        let text = row.sealed();
        assert_eq!(read(&text), Ok(row));
        for end in 0..text.len() {
            assert!(read(&text[..end]).is_err(), "{end}");
        }
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            assert!(std::str::from_utf8(&bytes).is_ok_and(|t| read(t).is_err()), "{at}");
        }
        assert!(read("row,x\na,0.25\n").is_err());
    }

    #[test]
    fn a_description_that_was_changed_anywhere_is_none() {
        let text = described("scene s\nset digest \n");
        assert_eq!(description(&text), Some("scene s\nset digest \n"));
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            assert!(std::str::from_utf8(&bytes).is_ok_and(|t| description(t).is_none()), "{at}");
        }
        assert_eq!(description("scene s\n"), None);
    }

    #[test]
    fn cells_read_back() {
        for text in ["a", "a, b", "say \"x\", y", ""] {
            assert_eq!(cells(&format!("{},1", quoted(text))), [text, "1"]);
        }
    }
}
