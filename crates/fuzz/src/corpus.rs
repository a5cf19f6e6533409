//! Past failures and telling inputs, kept in `fixtures/fuzz/` and run again by `cargo test -p impinge-fuzz`.
//!
//! `cases.txt` has a line for each case: target, seed, number, and why it is kept. A file `TARGET/name` holds an input
//! itself, for the targets that read bytes: it stays the same when a generator changes.

use std::path::PathBuf;

/// A line of `cases.txt`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Which target.
    pub target: String,
    /// Its seed.
    pub seed: u64,
    /// Its number.
    pub index: u64,
    /// Why it is kept.
    pub why: String,
}

/// The folder of the corpus.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/fuzz")
}

/// The lines of a corpus; `#` begins a comment.
///
/// # Errors
/// The number of a line that is not `TARGET SEED CASE WHY`.
pub fn parse(text: &str) -> Result<Vec<Kept>, String> {
    let mut out = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut words = line.splitn(4, ' ');
        let mut word = || words.next().unwrap_or("").to_string();
        let (target, seed, index, why) = (word(), word().parse(), word().parse(), word());
        let (Ok(seed), Ok(index), false) = (seed, index, why.is_empty()) else {
            return Err(format!("line {}: '{line}' is not: target, seed, case, why", i + 1));
        };
        out.push(Kept { target, seed, index, why });
    }
    Ok(out)
}

/// The cases kept.
///
/// # Errors
/// A file that cannot be read or understood.
pub fn cases() -> Result<Vec<Kept>, String> {
    let path = folder().join("cases.txt");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    parse(&text)
}

/// The names of the folders that hold files.
///
/// # Errors
/// When they cannot be listed.
pub fn folders() -> Result<Vec<String>, String> {
    let wrong = |e: std::io::Error| format!("{}: {e}", folder().display());
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder()).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        if path.is_dir() {
            out.push(path.file_name().unwrap_or_default().to_string_lossy().into_owned());
        }
    }
    out.sort();
    Ok(out)
}

/// The files kept for a target, by name.
///
/// # Errors
/// A file that cannot be read.
pub fn files(target: &str) -> Result<Vec<(String, Vec<u8>)>, String> {
    let folder = folder().join(target);
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let wrong = |e: std::io::Error| format!("{}: {e}", folder.display());
    let mut out = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        out.push((name, std::fs::read(&path).map_err(wrong)?));
    }
    out.sort();
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_bad_ones_named() {
        let kept = parse("# x\n\nccd 1 22 flat at both ends\n").unwrap();
        assert_eq!(kept[0].index, 22);
        assert_eq!(kept[0].why, "flat at both ends");
        assert!(parse("ccd 1 22\n").unwrap_err().contains("line 1"));
    }
}
