//! Ground from heights: rows in the scene, or in a text file of numbers.

use crate::error::{Issue, SceneError};
use crate::mesh::{MAX_TRIANGLES, MeshSpec};
use crate::reader::Reader;
use impinge_geometry::{TriMesh, generators};
use std::path::{Path, PathBuf};

/// Ground from heights on a lattice.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    /// Full lengths along x and y (m).
    pub size: [f64; 2],
    /// Where the heights are.
    pub heights: Heights,
}

/// Heights (m), in rows along x; the first row is that of the least y.
#[derive(Clone, Debug, PartialEq)]
pub enum Heights {
    /// As in the scene file.
    Rows(Vec<Vec<f64>>),
    /// In a text file: a row a line, numbers separated by blanks, commas or semicolons. Lines that are empty or begin with `#` are left out. Relative
    /// to the scene's folder.
    File(PathBuf),
}

/// Reads a `mesh.height_field` table.
pub(crate) fn read(t: &Reader<'_>) -> MeshSpec {
    let heights = match t.exactly_one(&["heights", "path"]) {
        Some("path") => Heights::File(PathBuf::from(t.text("path"))),
        Some(_) if !t.is_bad("heights") => Heights::Rows(t.rows("heights")),
        _ => return MeshSpec::stand_in(),
    };
    MeshSpec::HeightField(HeightField { size: t.size2("size"), heights })
}

/// The ground; `base_dir` is what its path is relative to.
pub(crate) fn build(field: &HeightField, base_dir: &Path) -> Result<TriMesh, SceneError> {
    let (rows, origin) = match &field.heights {
        Heights::Rows(rows) => (rows.clone(), "mesh".to_string()),
        Heights::File(path) => {
            let path = base_dir.join(path);
            let origin = path.display().to_string();
            let refused = |what: String, fix: &str| SceneError::from(Issue::placeless(&origin, what, fix));
            let text = std::fs::read_to_string(&path)
                .map_err(|e| refused(e.to_string(), "check `path`: a text file of numbers, a row a line"))?;
            let rows = parse(&text).map_err(|what| {
                refused(what, "write a row of heights (m) a line, separated by blanks, commas or semicolons")
            })?;
            (rows, origin)
        }
    };
    let refused = |what: String, fix: &str| SceneError::from(Issue::placeless(&origin, what, fix));
    let columns = rows.first().map_or(0, Vec::len);
    let triangles = 2 * rows.len().saturating_mul(columns);
    if triangles > MAX_TRIANGLES {
        let what = format!("this ground would have {triangles} triangles; at most {MAX_TRIANGLES} are built");
        return Err(refused(what, "give fewer heights"));
    }
    let heights: Vec<f64> = rows.iter().flatten().copied().collect();
    generators::height_field(field.size, [columns as u32, rows.len() as u32], &heights)
        .map_err(|e| refused(e.to_string(), "mend the heights"))
}

/// The rows of a text, all of one length.
fn parse(text: &str) -> Result<Vec<Vec<f64>>, String> {
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for (line, content) in text.lines().enumerate() {
        let content = content.trim();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let entries = content.split(|c: char| c.is_whitespace() || c == ',' || c == ';');
        let row: Result<Vec<f64>, String> = (entries.filter(|e| !e.is_empty()).enumerate())
            .map(|(k, entry)| match entry.parse() {
                Ok(x) if f64::is_finite(x) => Ok(x),
                _ => Err(format!("line {}, entry {}: \"{entry}\" is no finite number", line + 1, k + 1)),
            })
            .collect();
        let row = row?;
        if let Some(first) = rows.first().filter(|r| r.len() != row.len()) {
            return Err(format!(
                "line {} has {} entries, and the first row {}",
                line + 1,
                row.len(),
                first.len()
            ));
        }
        rows.push(row);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_numbers_is_read_and_what_is_wrong_is_named() {
        let rows = parse("# heights\n0 1,2\n\n3;4 5e-1\n").unwrap();
        assert_eq!(rows, [[0.0, 1.0, 2.0], [3.0, 4.0, 0.5]]);
        assert!(parse("0 1\n0 x\n").unwrap_err().contains("line 2, entry 2: \"x\""));
        assert!(parse("0 1\n0 inf\n").unwrap_err().contains("line 2, entry 2"));
        assert!(parse("0 1\n#\n0\n").unwrap_err().contains("line 3 has 1 entries"));
    }
}
