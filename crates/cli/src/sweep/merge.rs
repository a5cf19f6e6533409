//! One table from the folders of a sweep: every row of its grids once, and no other.

use super::grid::Grid;
use super::store::{Row, cells, description, files, read};
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

/// What mends a folder: no row that is there is run again.
fn again(dir: &Path) -> String {
    format!("start the sweep again with --out {}", dir.display())
}

/// A grid, and the folders that have it.
type There = (Grid, Vec<PathBuf>);

/// Takes in a grid of a folder. Two grids have no row of other files: these rows are of two sweeps.
fn take(grids: &mut Vec<There>, file: &Path, text: &str, dir: &Path) -> Result<(), String> {
    let grid = Grid::read(file, text).ok_or_else(|| {
        format!(
            "{} is no grid, or was changed after it was written; take it out and {}: it writes it anew",
            file.display(),
            again(dir)
        )
    })?;
    for (other, places) in grids.iter_mut() {
        if *other == grid {
            places.push(dir.to_path_buf());
            return Ok(());
        }
        if let Some((row, here, there)) = other.differs_from(&grid) {
            return Err(format!(
                "{} and {} hold different sweeps: a mesh file was changed between them. The row '{row}' is of {here} in the first and of {there} in \
                 the second",
                places[0].display(),
                dir.display()
            ));
        }
    }
    grids.push((grid, vec![dir.to_path_buf()]));
    Ok(())
}

/// The tables of these folders.
///
/// # Errors
/// Folders of different sweeps, a row that is there twice or that no grid has, a broken row, no rows.
pub fn merge(dirs: &[PathBuf]) -> Result<Merged, String> {
    let mut about: Option<(String, &PathBuf)> = None;
    // Of each its text, the mesh files that it is of, and where it is.
    let mut rows: BTreeMap<String, (String, String, PathBuf)> = BTreeMap::new();
    let mut times: BTreeMap<String, String> = BTreeMap::new();
    let mut grids: Vec<There> = Vec::new();
    let mut head = String::new();
    for dir in dirs {
        let told = fs::read_to_string(dir.join("sweep.txt"))
            .map_err(|e| format!("{} is no folder of a sweep: sweep.txt: {e}", dir.display()))?;
        let told = description(&told).map(str::to_string).ok_or_else(|| {
            format!(
                "{} was changed after it was written: nothing says of what these rows are; take it out and {}: it writes it anew",
                dir.join("sweep.txt").display(),
                again(dir)
            )
        })?;
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
            take(&mut grids, &file, &text, dir)?;
        }
        for (file, text) in files(&dir.join("rows"), "csv")? {
            let Row { header, row, files } = read(&text).map_err(|what| {
                format!("{} {what}; {}: it makes the row anew", file.display(), again(dir))
            })?;
            let name = cells(row).swap_remove(0);
            if head.is_empty() {
                head = header.to_string();
            } else if head != header {
                return Err(format!("{} has other columns than the rows before it", file.display()));
            }
            if let Some((other, _, place)) = rows.get(&name) {
                return Err(twice(&name, (other, place), (row, &file)));
            }
            rows.insert(name, (row.to_string(), files.to_string(), file));
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
    let mut asked: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, files) in grids.iter().flat_map(|(g, _)| &g.rows) {
        asked.insert(name, files);
    }
    for (name, (_, of, file)) in &rows {
        match asked.get(name.as_str()) {
            Some(files) if files == of => {}
            Some(files) => {
                return Err(format!(
                    "{}: the row '{name}' is of {of}, and its grid of {files}: it is a row of another sweep; take the file out and run it again",
                    file.display()
                ));
            }
            None => return Err(of_no_grid(name, file, &grids)),
        }
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

/// A row that no grid has.
fn of_no_grid(name: &str, file: &Path, grids: &[There]) -> String {
    let dir = file.parent().and_then(Path::parent).unwrap_or(Path::new(""));
    let told = file.display();
    if grids.iter().all(|(_, places)| places.iter().all(|place| place != dir)) {
        return format!(
            "{told}: no grid has the row '{name}', and those of its folder are lost; {}, with the values that it had: it writes the grid anew and \
             keeps the rows",
            again(dir)
        );
    }
    format!(
        "{told}: no grid of these folders has the row '{name}'; where it belongs to them, {} and the values that it is of; take the file out where it does not",
        again(dir)
    )
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
fn missing(grids: &[There], there: impl Fn(&str) -> bool) -> String {
    let all: BTreeSet<&String> = grids.iter().flat_map(|(g, _)| &g.rows).map(|(name, _)| name).collect();
    let mut gone: Vec<&String> = all.iter().filter(|n| !there(n)).copied().collect();
    if gone.is_empty() {
        return String::new();
    }
    gone.sort_by(|a, b| natural(a, b));
    let names: Vec<String> = gone.iter().take(SHOWN).map(|n| format!("'{n}'")).collect();
    let more = if gone.len() > SHOWN { format!(" and {} more", gone.len() - SHOWN) } else { String::new() };
    let mut shards: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (g, _) in grids {
        let own = g.rows.iter().enumerate().filter(|(_, (name, _))| !there(name));
        shards.entry(g.shards).or_default().extend(own.map(|(k, _)| k % g.shards + 1));
    }
    let shards: Vec<String> = shards
        .iter()
        .filter(|(_, i)| !i.is_empty())
        .map(|(n, i)| match n {
            1 => String::new(),
            n => format!("; they are rows of --shard {} of {n}", ranges(i)),
        })
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
