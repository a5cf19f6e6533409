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
    file: File,
}

impl Claim {
    /// Makes the folder that `option` named, if need be, and takes it.
    ///
    /// # Errors
    /// In words, when it cannot be written or another process has it.
    pub fn folder(dir: &Path, option: &str) -> Result<Self, String> {
        fs::create_dir_all(dir).map_err(|e| cannot(dir, option, &e))?;
        let path = dir.join(NAME);
        loop {
            let mut file =
                locked(&path).map_err(|e| cannot(dir, option, &e))?.map_err(|by| in_use(dir, option, &by))?;
            // Who had it before takes the name away when it ends: a lock without a name is nobody's.
            if has_name(&file) {
                write!(file, "process {}", std::process::id()).map_err(|e| cannot(dir, option, &e))?;
                clear(dir, &["", "csv"]);
                return Ok(Self { path, file });
            }
        }
    }

    /// The same for a process that writes files of its own there beside others of its kind, and beside no other process. Who comes first takes away
    /// what those that were killed have left behind in these folders.
    ///
    /// # Errors
    /// As [`Self::folder`].
    pub fn shared(dir: &Path, option: &str, folders: &[&str]) -> Result<Self, String> {
        fs::create_dir_all(dir).map_err(|e| cannot(dir, option, &e))?;
        let path = dir.join(NAME);
        loop {
            let file = opened(&path).map_err(|e| cannot(dir, option, &e))?;
            if file.try_lock().is_ok() {
                if has_name(&file) {
                    clear(dir, folders);
                }
                // A lock is not turned into another on every system.
                file.unlock().map_err(|e| cannot(dir, option, &e))?;
            }
            match file.try_lock_shared() {
                Err(TryLockError::WouldBlock) => return Err(in_use(dir, option, &holder(&file))),
                Ok(()) | Err(TryLockError::Error(_)) => {}
            }
            if has_name(&file) {
                // The last that came stands for all.
                let told = file.set_len(0).and_then(|()| write!(&file, "process {}", std::process::id()));
                told.map_err(|e| cannot(dir, option, &e))?;
                return Ok(Self { path, file });
            }
        }
    }
}

/// Takes away what processes that were killed have left behind in these folders, which nobody else writes into now.
fn clear(dir: &Path, folders: &[&str]) {
    folders
        .iter()
        .for_each(|f| impinge_io::remove_parts(&dir.join(f), &["csv", "html", "txt", "vtu", "pvd"]));
}

fn cannot(dir: &Path, option: &str, e: &io::Error) -> String {
    format!("the output folder {} cannot be written: {e}; give another with {option} DIR", dir.display())
}

fn in_use(dir: &Path, option: &str, by: &str) -> String {
    format!(
        "the output folder {} is in use: {by} writes into it; wait for it, or give another folder with {option} DIR",
        dir.display()
    )
}

impl Drop for Claim {
    fn drop(&mut self) {
        // Where others share it, theirs is the name; left behind it does no harm.
        let _ = self.file.unlock();
        if !matches!(self.file.try_lock(), Err(TryLockError::WouldBlock)) && has_name(&self.file) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn opened(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

/// Who has a lock, in words.
fn holder(mut file: &File) -> String {
    let mut by = String::new();
    // Only a lock names its process; a recording does not.
    let _ = Read::by_ref(&mut file).take(40).read_to_string(&mut by);
    if by.starts_with("process ") { by } else { "another process".to_string() }
}

/// Opens a file, empty, that no other process has; `Err` within says which process has it.
pub(crate) fn locked(path: &Path) -> io::Result<Result<File, String>> {
    let file = opened(path)?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => return Ok(Err(holder(&file))),
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

    #[test]
    fn shards_share_a_folder_and_a_run_has_it_alone() {
        let dir = std::env::temp_dir().join(format!("impinge-shared-{}", std::process::id()));
        let shards = [0, 1].map(|_| Claim::shared(&dir, "--out", &["rows"]).unwrap());
        let why = Claim::folder(&dir, "--out").unwrap_err();
        assert!(why.contains("is in use") && why.contains("process "), "{why}");
        let [first, second] = shards;
        drop(first);
        assert!(Claim::folder(&dir, "--out").is_err());
        drop(second);
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
        let run = Claim::folder(&dir, "--out").unwrap();
        assert!(Claim::shared(&dir, "--out", &["rows"]).unwrap_err().contains("is in use"));
        drop(run);
        fs::remove_dir_all(&dir).unwrap();
    }
}
