//! A folder or file that one process writes at a time. The system gives a lock back when its process ends, however it ends, so that
//! nothing is in the way of the next run after a crash.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Name of the lock in a folder.
const NAME: &str = ".impinge-lock";

/// The right to write into a folder, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Claim {
    path: PathBuf,
    /// Locked until it is closed.
    _file: File,
}

impl Claim {
    /// Makes the folder that `option` named, if need be, and takes it.
    ///
    /// # Errors
    /// In words, when it cannot be written or another process has it.
    pub fn folder(dir: &Path, option: &str) -> Result<Self, String> {
        let cannot = |e: io::Error| {
            format!(
                "the output folder {} cannot be written: {e}; give another with {option} DIR",
                dir.display()
            )
        };
        fs::create_dir_all(dir).map_err(cannot)?;
        let path = dir.join(NAME);
        loop {
            let mut file = locked(&path).map_err(cannot)?.map_err(|by| {
                format!(
                    "the output folder {} is in use: {by} writes into it; wait for it, or give another folder with {option} DIR",
                    dir.display()
                )
            })?;
            // Who had it before takes the name away when it ends: a lock without a name is nobody's.
            if has_name(&file) {
                write!(file, "process {}", std::process::id()).map_err(cannot)?;
                return Ok(Self { path, _file: file });
            }
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // Left behind it does no harm.
        let _ = fs::remove_file(&self.path);
    }
}

/// Opens a file, empty, that no other process has; `Err` within says which process has it.
pub(crate) fn locked(path: &Path) -> io::Result<Result<File, String>> {
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            let mut by = String::new();
            // Only a lock names its process; a recording does not.
            let _ = Read::by_ref(&mut file).take(40).read_to_string(&mut by);
            return Ok(Err(if by.starts_with("process ") { by } else { "another process".to_string() }));
        }
        // Some network file systems know no locks; a run is worth more than its lock.
        Ok(()) | Err(TryLockError::Error(_)) => {}
    }
    file.set_len(0)?;
    Ok(Ok(file))
}

#[cfg(unix)]
fn has_name(file: &File) -> bool {
    std::os::unix::fs::MetadataExt::nlink(&match file.metadata() {
        Ok(m) => m,
        Err(_) => return true,
    }) > 0
}

#[cfg(not(unix))]
fn has_name(_: &File) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_one_claim_at_a_time() {
        let dir = std::env::temp_dir().join(format!("impinge-claim-{}", std::process::id()));
        let first = Claim::folder(&dir, "--out").unwrap();
        let why = Claim::folder(&dir, "--out").unwrap_err();
        assert!(
            why.contains("is in use") && why.contains(&format!("process {}", std::process::id())),
            "{why}"
        );
        drop(first);
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
        // What a killed process leaves: a file that nobody has locked.
        fs::write(dir.join(NAME), "process 1, dead for long").unwrap();
        drop(Claim::folder(&dir, "--out").unwrap());
        fs::remove_dir_all(&dir).unwrap();
    }
}
