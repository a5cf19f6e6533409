//! Files that stand under their name only when they are whole.

use std::fs;
use std::io::Write;
use std::path::Path;

/// Writes beside, then renames: a reader, or a run that goes on after a power cut, never sees half a file. A link stays one; what is no
/// file, such as a pipe, is written to.
///
/// # Errors
/// The file and what the system said.
pub(crate) fn write(file: &Path, bytes: impl AsRef<[u8]>) -> Result<(), String> {
    let cannot = |e: std::io::Error| format!("{} cannot be written: {e}", file.display());
    if fs::metadata(file).is_ok_and(|m| !m.is_file()) {
        return fs::write(file, bytes).map_err(cannot);
    }
    let at = fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf());
    let mut beside = at.as_os_str().to_owned();
    beside.push(format!(".{}.part", std::process::id()));
    let done = fs::File::create(&beside)
        .and_then(|mut f| f.write_all(bytes.as_ref()).and_then(|()| f.sync_all()))
        .and_then(|()| fs::rename(&beside, &at));
    done.map_err(|e| {
        // Best effort: the error worth telling is the first one.
        let _ = fs::remove_file(&beside);
        cannot(e)
    })
}
