//! Rows on disk: one file each, there whole or not at all; and the tables merged from them.

use super::grid::Point;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A folder of rows.
pub struct Store {
    dir: PathBuf,
}

impl Store {
    /// Opens the folder for a sweep of this description, or starts it.
    ///
    /// # Errors
    /// When it cannot be written, or holds rows of another sweep.
    pub fn open(dir: &Path, about: &str) -> Result<Self, String> {
        let told = |e| format!("{} cannot be written: {e}", dir.display());
        for sub in ["rows", "times"] {
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
        Ok(Self { dir: dir.to_path_buf() })
    }

    /// Whether the row is there, whole.
    pub fn has(&self, point: &Point) -> bool {
        let file = self.dir.join("rows").join(point.file() + ".csv");
        fs::read_to_string(file).is_ok_and(|t| t.ends_with('\n') && t.lines().count() == 2)
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

/// The tables of these folders, rows and times.
///
/// # Errors
/// Folders of different sweeps, a row that two folders have with different numbers, no rows.
pub fn merge(dirs: &[PathBuf]) -> Result<(String, String), String> {
    let mut about: Option<(String, PathBuf)> = None;
    let mut rows: BTreeMap<String, (String, PathBuf)> = BTreeMap::new();
    let mut times: BTreeMap<String, String> = BTreeMap::new();
    let mut head = String::new();
    for dir in dirs {
        let told = fs::read_to_string(dir.join("sweep.txt"))
            .map_err(|e| format!("{} is no folder of a sweep: sweep.txt: {e}", dir.display()))?;
        match &about {
            Some((first, place)) if *first != told => {
                return Err(format!(
                    "{} and {} hold different sweeps:\n{first}and\n{told}",
                    place.display(),
                    dir.display()
                ));
            }
            Some(_) => {}
            None => about = Some((told, dir.clone())),
        }
        for (file, text) in files(&dir.join("rows"))? {
            let broken = || format!("{} is no row of a sweep", file.display());
            let (header, row) = text.split_once('\n').ok_or_else(broken)?;
            let name = cells(row).into_iter().next().ok_or_else(broken)?;
            if head.is_empty() {
                head = header.to_string();
            } else if head != header {
                return Err(format!("{} has other columns than the rows before it", file.display()));
            }
            if let Some((other, place)) = rows.get(&name) {
                if other != row {
                    return Err(format!(
                        "the row '{name}' differs:\n{other}  in {}\n{row}  in {}\nequal rows have equal bits on every machine: one of \
                         the two was not made by this program from this scene",
                        place.display(),
                        file.display()
                    ));
                }
                continue;
            }
            rows.insert(name, (row.to_string(), file));
        }
        for (_, text) in files(&dir.join("times"))? {
            if let Some(row) = text.lines().nth(1) {
                times.insert(cells(row).swap_remove(0), row.to_string());
            }
        }
    }
    if rows.is_empty() {
        return Err("there are no rows in these folders".to_string());
    }
    let mut order: Vec<&String> = rows.keys().collect();
    order.sort_by(|a, b| natural(a, b));
    let table: String = order.iter().map(|n| rows[*n].0.as_str()).collect();
    let wall: String = order.iter().filter_map(|n| times.get(*n)).map(|t| format!("{t}\n")).collect();
    Ok((format!("{head}\n{table}"), format!("row,wall [s]\n{wall}")))
}

fn files(dir: &Path) -> Result<Vec<(PathBuf, String)>, String> {
    let told = |e| format!("{} cannot be read: {e}", dir.display());
    let mut out = Vec::new();
    for entry in fs::read_dir(dir).map_err(told)? {
        let file = entry.map_err(told)?.path();
        if file.extension().is_some_and(|x| x == "csv") {
            let text = fs::read_to_string(&file).map_err(told)?;
            out.push((file, text));
        }
    }
    out.sort();
    Ok(out)
}

/// Parts that are numbers by their value, others by their letters; names of equal parts by their letters altogether.
fn natural(a: &str, b: &str) -> Ordering {
    for (x, y) in a.split([',', '=']).zip(b.split([',', '='])) {
        let order = match (x.trim().parse::<f64>(), y.trim().parse::<f64>()) {
            (Ok(x), Ok(y)) => x.total_cmp(&y),
            // Numbers first: an order must be one for any three.
            (Ok(_), Err(_)) => Ordering::Less,
            (Err(_), Ok(_)) => Ordering::Greater,
            _ => x.cmp(y),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    a.cmp(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_read_back_and_numbers_sort_as_numbers() {
        for text in ["a", "a, b", "say \"x\", y", ""] {
            assert_eq!(cells(&format!("{},1", quoted(text))), [text, "1"]);
        }
        let mut names = ["cpf, k=1e4", "cpf, k=200", "cpf, k=9", "penalty, k=1"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["cpf, k=9", "cpf, k=200", "cpf, k=1e4", "penalty, k=1"]);
        let mut mixed = ["10", "1x", "9"];
        mixed.sort_by(|a, b| natural(a, b));
        assert_eq!(mixed, ["9", "10", "1x"]);
    }
}
