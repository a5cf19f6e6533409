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
        let file = dir.join("sweep.txt");
        match fs::read_to_string(&file) {
            Ok(there) if there == about => {}
            Ok(there) => {
                return Err(format!(
                    "{} holds rows of another sweep:\n{there}and this one is\n{about}give another folder with --out DIR",
                    dir.display()
                ));
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => whole::write(&file, about)?,
            Err(e) => return Err(format!("{} cannot be read: {e}", file.display())),
        }
        whole::write(&dir.join("grids").join(grid.file()), grid.text())?;
        Ok(Self { dir: dir.to_path_buf() })
    }

    /// Whether the row is there, whole.
    pub fn has(&self, point: &Point) -> bool {
        let file = self.dir.join("rows").join(point.file() + ".csv");
        fs::read_to_string(file).is_ok_and(|t| read(&t).is_ok())
    }

    /// Writes a row and the time it took.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn put(&self, point: &Point, header: &str, row: &str, seconds: f64) -> Result<(), String> {
        let name = quoted(&point.name());
        let time = format!("row,wall [s]\n{name},{seconds:.6}\n");
        whole::write(&self.dir.join("times").join(point.file() + ".csv"), &time)?;
        whole::write(&self.dir.join("rows").join(point.file() + ".csv"), sealed(header, row))
    }
}

/// The file of a row: its header, the row, and the digest of both.
fn sealed(header: &str, row: &str) -> String {
    let text = format!("{header}\n{row}\n");
    format!("{text}digest {:016x}\n", digest(text.as_bytes()))
}

/// Header and row of a file of [`Store::put`].
///
/// # Errors
/// In words, when it is cut off or not as it was written.
pub fn read(text: &str) -> Result<(&str, &str), &'static str> {
    let lines: Vec<&str> = text.lines().collect();
    match lines[..] {
        [header, row, _] if sealed(header, row) == text => Ok((header, row)),
        [_, _, seal] if text.ends_with('\n') && seal.starts_with("digest ") => {
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
        let text = sealed("row,x", "a,0.25");
        assert_eq!(read(&text), Ok(("row,x", "a,0.25")));
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
    fn cells_read_back() {
        for text in ["a", "a, b", "say \"x\", y", ""] {
            assert_eq!(cells(&format!("{},1", quoted(text))), [text, "1"]);
        }
    }
}
