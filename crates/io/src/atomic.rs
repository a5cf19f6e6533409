//! Files that appear whole or not at all: written beside their place, then moved there.

use crate::WriteError;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes a file by `fill`. Whoever looks at `path` meanwhile sees the old file, or none; an error leaves it as
/// it was. The file under work lies in the same folder under the name with `.part` added.
pub(crate) fn write(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), WriteError> {
    let filled = |f| {
        let mut out = BufWriter::with_capacity(1 << 18, f);
        fill(&mut out)?;
        out.flush()
    };
    let failed = |source| WriteError::Io { file: path.display().to_string(), source };
    // A pipe or a device has no place beside it.
    if fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
        return File::create(path).and_then(filled).map_err(failed);
    }
    // A link stays one.
    let at = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let mut part = OsString::from(at.as_os_str());
    part.push(".part");
    let result = File::create(&part).and_then(filled).and_then(|()| fs::rename(&part, &at));
    result.map_err(|source| {
        // Best effort: the error that is reported is the first one.
        let _ = fs::remove_file(&part);
        failed(source)
    })
}
