//! Files that appear whole or not at all: written beside their place, then moved there.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Links that lead to links are followed so far, as systems do.
const MOST_LINKS: usize = 40;

/// Where a file of this name is, or will be, links followed, also one to a file that is not there yet; `None` where a pipe or a device is, which has no
/// place beside it to write a file that takes its name.
#[must_use]
pub fn place_of(path: &Path) -> Option<PathBuf> {
    if fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
        return None;
    }
    let mut at = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        let Ok(to) = fs::read_link(&at) else { break };
        // An absolute one takes the place of all before it.
        at = at.parent().unwrap_or(Path::new("")).join(to);
    }
    Some(at)
}

/// Writes a file by `fill`. Whoever looks at `path` meanwhile sees the old file, or none; an error leaves it as
/// it was. The file under work lies in the same folder, with the number of the process and `.part` added to its name: two processes may
/// write one file, and the last one stands. A link stays one; what is no file, such as a pipe, is written to.
///
/// # Errors
/// What the system says.
///
/// ```
/// use std::io::Write;
/// let file = std::env::temp_dir().join("impinge-whole.txt");
/// impinge_io::write_whole(&file, |out| out.write_all(b"all of it"))?;
/// assert_eq!(std::fs::read(&file)?, b"all of it");
/// # std::fs::remove_file(&file)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_whole(path: &Path, fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let filled = |f| {
        let mut out = BufWriter::with_capacity(1 << 18, f);
        fill(&mut out)?;
        out.flush()
    };
    let Some(at) = place_of(path) else { return File::create(path).and_then(filled) };
    let mut part = OsString::from(at.as_os_str());
    part.push(format!(".{}.part", std::process::id()));
    let result = File::create(&part).and_then(filled).and_then(|()| fs::rename(&part, &at));
    result.inspect_err(|_| {
        // Best effort: the error that is reported is the first one.
        let _ = fs::remove_file(&part);
    })
}

/// Takes away the files under work of [`write_whole`] that processes which are gone have left in a folder: `NAME.ENDING.PROCESS.part` with one of these
/// endings. Files of others that end alike stay. Best effort: they do no harm.
pub fn remove_parts(folder: &Path, endings: &[&str]) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_str().is_some_and(|name| is_left(name, endings)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_left(name: &str, endings: &[&str]) -> bool {
    let parts: Vec<&str> = name.rsplitn(4, '.').collect();
    let [part, process, ending, _] = parts[..] else { return false };
    part == "part" && process.parse::<u32>().is_ok_and(|id| !is_there(id)) && endings.contains(&ending)
}

/// Whether a process of this number is there, where the system tells.
fn is_there(process: u32) -> bool {
    Path::new("/proc").join(process.to_string()).exists()
}

#[cfg(test)]
mod tests {
    use super::is_left;

    const ENDINGS: [&str; 3] = ["csv", "html", "txt"];

    #[test]
    fn files_of_others_are_not_ours() {
        assert!(
            ["report.html.4294967294.part", "a.b.csv.4294967294.part", "12ab-of-3.txt.4294967295.part"]
                .map(|name| is_left(name, &ENDINGS))
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
            assert!(!is_left(other, &ENDINGS), "{other}");
        }
    }
}
