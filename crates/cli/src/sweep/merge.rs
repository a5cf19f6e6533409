//! One table from the folders of a sweep: every row of its grids once, and no other.

use super::grid::Grid;
use super::store::{cells, read};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What the folders give.
pub struct Merged {
    /// Rows, and their wall times.
    pub table: String,
    pub times: String,
    /// What is missing, in words; empty when every row of the grids is there.
    pub missing: String,
}

/// Names of missing rows that a message shows.
const SHOWN: usize = 5;

/// The tables of these folders.
///
/// # Errors
/// Folders of different sweeps, a row that is there twice or that no grid has, a broken row, no rows.
pub fn merge(dirs: &[PathBuf]) -> Result<Merged, String> {
    let mut about: Option<(String, &PathBuf)> = None;
    let mut rows: BTreeMap<String, (String, PathBuf)> = BTreeMap::new();
    let mut times: BTreeMap<String, String> = BTreeMap::new();
    let mut grids: BTreeSet<Grid> = BTreeSet::new();
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
            None => about = Some((told, dir)),
        }
        for (file, text) in files(&dir.join("grids"), "txt")? {
            let grid = Grid::read(&file, &text).ok_or_else(|| {
                format!(
                    "{} is no grid, or was changed after it was written; start the sweep again with --out {}: it writes it anew",
                    file.display(),
                    dir.display()
                )
            })?;
            grids.insert(grid);
        }
        for (file, text) in files(&dir.join("rows"), "csv")? {
            let (header, row) = read(&text).map_err(|what| {
                format!(
                    "{} {what}; start the sweep again with --out {}: it makes the row anew",
                    file.display(),
                    dir.display()
                )
            })?;
            let name = cells(row).swap_remove(0);
            if head.is_empty() {
                head = header.to_string();
            } else if head != header {
                return Err(format!("{} has other columns than the rows before it", file.display()));
            }
            if let Some((other, place)) = rows.get(&name) {
                return Err(twice(&name, (other, place), (row, &file)));
            }
            rows.insert(name, (row.to_string(), file));
        }
        for (_, text) in files(&dir.join("times"), "csv")? {
            if let Some(row) = text.lines().nth(1) {
                times.insert(cells(row).swap_remove(0), row.to_string());
            }
        }
    }
    if rows.is_empty() {
        return Err("there are no rows in these folders".to_string());
    }
    if let Some((name, (_, file))) = rows.iter().find(|(n, _)| !grids.iter().any(|g| g.rows.contains(n))) {
        return Err(format!(
            "{}: no grid of these folders has the row '{name}'; take the file out",
            file.display()
        ));
    }
    let mut order: Vec<&String> = rows.keys().collect();
    order.sort_by(|a, b| natural(a, b));
    let table: String = order.iter().map(|n| format!("{}\n", rows[*n].0)).collect();
    let wall: String = order.iter().filter_map(|n| times.get(*n)).map(|t| format!("{t}\n")).collect();
    Ok(Merged {
        table: format!("{head}\n{table}"),
        times: format!("row,wall [s]\n{wall}"),
        missing: missing(&grids, |name| rows.contains_key(name)),
    })
}

/// A row that two files have.
fn twice(name: &str, (other, place): (&str, &Path), (row, file): (&str, &Path)) -> String {
    let (place, file) = (place.display(), file.display());
    if other == row {
        return format!(
            "the row '{name}' is there twice: {place} and {file}; give each folder and each shard once"
        );
    }
    format!(
        "the row '{name}' differs:\n{other}\n  in {place}\n{row}\n  in {file}\nequal rows have equal bits on every machine: one of \
         the two was not made by this program from this scene"
    )
}

/// Rows of the grids that are not there, and the shards that make them.
fn missing(grids: &BTreeSet<Grid>, there: impl Fn(&str) -> bool) -> String {
    let all: BTreeSet<&String> = grids.iter().flat_map(|g| &g.rows).collect();
    let mut gone: Vec<&String> = all.iter().filter(|n| !there(n)).copied().collect();
    if gone.is_empty() {
        return String::new();
    }
    gone.sort_by(|a, b| natural(a, b));
    let names: Vec<String> = gone.iter().take(SHOWN).map(|n| format!("'{n}'")).collect();
    let more = if gone.len() > SHOWN { format!(" and {} more", gone.len() - SHOWN) } else { String::new() };
    let mut shards: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for g in grids {
        let own = g.rows.iter().enumerate().filter(|(_, name)| !there(name));
        shards.entry(g.shards).or_default().extend(own.map(|(k, _)| k % g.shards + 1));
    }
    let shards: Vec<String> = shards
        .iter()
        .filter(|(_, i)| !i.is_empty())
        .map(|(n, i)| format!("; of {n} shards: {}", ranges(i)))
        .collect();
    format!(
        "{} of {} rows are there; missing: {}{more}{}",
        all.len() - gone.len(),
        all.len(),
        names.join(", "),
        shards.concat()
    )
}

/// Numbers as a scheduler takes them for an array: 1-3,7.
fn ranges(numbers: &BTreeSet<usize>) -> String {
    let mut out: Vec<[usize; 2]> = Vec::new();
    for &n in numbers {
        match out.last_mut() {
            Some([_, last]) if *last + 1 == n => *last = n,
            _ => out.push([n, n]),
        }
    }
    let parts: Vec<String> =
        out.iter().map(|[a, b]| if a == b { a.to_string() } else { format!("{a}-{b}") }).collect();
    parts.join(",")
}

fn files(dir: &Path, ending: &str) -> Result<Vec<(PathBuf, String)>, String> {
    let told = |e| format!("{} cannot be read: {e}", dir.display());
    let mut out = Vec::new();
    for entry in fs::read_dir(dir).map_err(told)? {
        let file = entry.map_err(told)?.path();
        if file.extension().is_some_and(|x| x == ending) {
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
    use super::natural;

    #[test]
    fn numbers_sort_as_numbers() {
        let mut names = ["cpf, k=1e4", "cpf, k=200", "cpf, k=9", "penalty, k=1"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["cpf, k=9", "cpf, k=200", "cpf, k=1e4", "penalty, k=1"]);
        let mut mixed = ["10", "1x", "9"];
        mixed.sort_by(|a, b| natural(a, b));
        assert_eq!(mixed, ["9", "10", "1x"]);
    }
}
