//! What processes that were killed have left behind: files that had not got their name yet.

use std::fs;
use std::path::Path;

/// Takes away what was left behind in these folders of `dir`, which nobody else writes into now. Best effort: they do no harm.
pub(crate) fn remove(dir: &Path, folders: &[&str]) {
    for folder in folders {
        let Ok(entries) = fs::read_dir(dir.join(folder)) else { continue };
        for entry in entries.flatten() {
            if entry.file_name().to_str().is_some_and(is_left) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// `NAME.ENDING.PROCESS.part` of what is written there; files of others that end alike stay.
fn is_left(name: &str) -> bool {
    let parts: Vec<&str> = name.rsplitn(4, '.').collect();
    let [part, process, ending, _] = parts[..] else { return false };
    part == "part"
        && process.parse::<u32>().is_ok_and(|id| !is_there(id))
        && ["csv", "html", "txt", "vtu", "pvd"].contains(&ending)
}

/// Whether a process of this number is there, where the system tells.
fn is_there(process: u32) -> bool {
    Path::new("/proc").join(process.to_string()).exists()
}

#[cfg(test)]
mod tests {
    use super::is_left;

    #[test]
    fn files_of_others_are_not_ours() {
        assert!(
            ["report.html.4294967294.part", "a.b.csv.4294967294.part", "12ab-of-3.txt.4294967295.part"]
                .map(is_left)
                == [true; 3]
        );
        for other in [
            "report.html",
            "a.rec.part",
            "checkpoint.bin.part",
            "a.csv.x.part",
            "77.part",
            "a.iso.4294967295.part",
            "csv.4294967295.part",
        ] {
            assert!(!is_left(other), "{other}");
        }
    }
}
