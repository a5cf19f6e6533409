//! The rows of a sweep: every combination of the grid's values under every response, each with a name that says what it is.

use crate::digest::digest;
use crate::keys::{combinations, sweep};
use impinge_scene::Response;
use std::collections::BTreeMap;
use std::path::Path;
use toml::Value;

/// One row: what is set, and under which response.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Key and value, in the order of the grid.
    pub set: Vec<(String, String)>,
    /// Under which response.
    pub response: Response,
}

impl Point {
    /// What the row is merged by: response and values.
    pub fn name(&self) -> String {
        let set: String = self.set.iter().map(|(k, v)| format!(", {k}={v}")).collect();
        format!("{}{set}", self.response.name())
    }

    /// A file name that no other row has: the readable part cut, then 64 bits of all of it.
    pub fn file(&self) -> String {
        let name = self.name();
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-.=".contains(c) { c } else { '_' };
        let short: String = name.chars().map(plain).take(80).collect();
        format!("{short}-{:016x}", digest(name.as_bytes()))
    }
}

/// All rows: responses outermost, the last key fastest.
pub fn points(grid: &[String], responses: &[Response]) -> Result<Vec<Point>, String> {
    let sweeps = grid.iter().map(|g| sweep("--grid", g)).collect::<Result<Vec<_>, _>>()?;
    for (i, (key, values)) in sweeps.iter().enumerate() {
        if sweeps[..i].iter().any(|(k, _)| k == key) {
            return Err(format!("--grid {key} is given twice; write all its values into one"));
        }
        if let Some(twice) = values.iter().enumerate().find(|(j, v)| values[..*j].iter().any(|w| same(v, w)))
        {
            return Err(format!("--grid {key}: the value {} stands there twice", twice.1));
        }
    }
    let mut out = Vec::new();
    for &response in responses {
        for set in combinations(&sweeps) {
            let set = set.into_iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
            out.push(Point { set, response });
        }
    }
    Ok(out)
}

/// Whether two values of a grid are one, however they are written: numbers by what they are, alone or in vectors and tables.
fn same(a: &str, b: &str) -> bool {
    fn equal(a: &Value, b: &Value) -> bool {
        let number = |v: &Value| v.as_float().or_else(|| v.as_integer().map(|i| i as f64));
        match (a, b) {
            (Value::Array(a), Value::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
            }
            (Value::Table(a), Value::Table(b)) => {
                a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
            }
            _ => a == b || number(a).is_some_and(|a| number(b) == Some(a)),
        }
    }
    // A bare word is text.
    let read = |text: &str| {
        let table = format!("v = {text}").parse::<toml::Table>().ok();
        table.and_then(|mut t| t.remove("v")).unwrap_or_else(|| Value::String(text.to_string()))
    };
    equal(&read(a), &read(b))
}

/// Part `i` of `n`, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard(usize, usize);

impl Shard {
    /// Reads `i/n`.
    pub fn read(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((i, n)) if (1..=n).contains(&i) => Ok(Self(i, n)),
            _ => Err(format!("{text}: write i/n with i from 1 to n, for instance 2/8")),
        }
    }

    /// How many shards there are.
    pub fn of(self) -> usize {
        self.1
    }

    /// Whether row `k` is its own. Rows are dealt out in turn: neighbours, which cost alike, go to different shards.
    pub fn has(self, k: usize) -> bool {
        k % self.1 == self.0 - 1
    }
}

/// A row of a grid: its name, and the mesh files that it is of, in words.
pub type Named = (String, String);

/// All rows of a grid, in the order in which they are dealt out to so many shards.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Grid {
    pub shards: usize,
    pub rows: Vec<Named>,
}

/// What stands between the name of a row and its files.
const OF: &str = "\tof ";

impl Grid {
    /// The grid that a shard is of; `files` of each point.
    pub fn of(points: &[Point], files: &[String], shard: Shard) -> Self {
        let rows = points.iter().zip(files).map(|(p, files)| (p.name().replace('\n', " "), files.clone()));
        Self { shards: shard.of(), rows: rows.collect() }
    }

    /// A file name that no other grid has.
    pub fn file(&self) -> String {
        format!("{:016x}-of-{}.txt", digest(self.text().as_bytes()), self.shards)
    }

    /// A line for each row.
    pub fn text(&self) -> String {
        self.rows.iter().map(|(name, files)| format!("{name}{OF}{files}\n")).collect()
    }

    /// A grid from its file, whose name says what its text must be.
    pub fn read(file: &Path, text: &str) -> Option<Self> {
        let (_, shards) = file.file_stem()?.to_str()?.rsplit_once("-of-")?;
        let shards = shards.parse().ok().filter(|&n| n > 0)?;
        let row =
            |line: &str| line.rsplit_once(OF).map(|(name, files)| (name.to_string(), files.to_string()));
        let grid = Self { shards, rows: text.lines().map(row).collect::<Option<_>>()? };
        (file.file_name()? == grid.file().as_str()).then_some(grid)
    }

    /// The first row that this grid and another have of other files: its name, its files here and there.
    pub fn differs_from<'a>(&'a self, other: &'a Self) -> Option<(&'a str, &'a str, &'a str)> {
        let there: BTreeMap<&str, &str> = other.rows.iter().map(|(n, f)| (n.as_str(), f.as_str())).collect();
        self.rows.iter().find_map(|(name, files)| {
            let other = there.get(name.as_str()).filter(|other| **other != files.as_str())?;
            Some((name.as_str(), files.as_str(), *other))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_in_one_shard_and_has_a_name_of_its_own() {
        let grid = ["scene.dt=0.001,0.002".to_string(), "mu=0.1,0.2,0.3".to_string()];
        let rows = points(&grid, &[Response::PENALTY, Response::QP]).unwrap();
        assert_eq!(rows.len(), 12);
        assert_eq!(rows[1].name(), "penalty, scene.dt=0.001, mu=0.2");
        let shards = [1, 2, 3].map(|i| Shard::read(&format!("{i}/3")).unwrap());
        for (k, row) in rows.iter().enumerate() {
            assert_eq!(shards.iter().filter(|s| s.has(k)).count(), 1);
            assert!(rows[..k].iter().all(|r| r.file() != row.file()));
        }
        let of = |files: &str| vec![format!("a.obj {files}"); 12];
        let grid = Grid::of(&rows, &of("0123"), shards[0]);
        let other = Grid::of(&rows, &of("4567"), shards[0]);
        assert_eq!(grid.differs_from(&other), Some((&*rows[0].name(), "a.obj 0123", "a.obj 4567")));
        assert_eq!(grid.differs_from(&grid), None);
        let file = grid.file();
        assert_eq!(Grid::read(Path::new(&file), &grid.text().replace("0.2", "0.4")), None);
        assert_eq!(Grid::read(Path::new(&file), &grid.text()), Some(grid));
        for bad in ["0/3", "4/3", "1", "a/b", "1/0", "-1/2"] {
            assert!(Shard::read(bad).is_err(), "{bad}");
        }
        for twice in [
            "1,1",
            "1,1.0,2",
            "[0,0,-9.81],[0, 0, -9.810]",
            "{ a = [1, 2.0] },{a=[1e0,2]}",
            "cpf,'cpf'",
            "1_000,1e3",
        ] {
            let why = points(&[format!("k={twice}")], &[Response::QP]).unwrap_err();
            assert!(why.contains("twice"), "{twice}: {why}");
        }
        for two in ["1,\"1\"", "[1,2],[2,1]", "[1],[1,1]", "{a=1},{b=1}", "a b,a c"] {
            assert_eq!(points(&[format!("k={two}")], &[Response::QP]).unwrap().len(), 2, "{two}");
        }
        assert!(points(&["mu=1".to_string(), "mu=2".to_string()], &[Response::QP]).is_err());
    }
}
