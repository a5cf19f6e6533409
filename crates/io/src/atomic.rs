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
    let mut part = OsString::from(path.as_os_str());
    part.push(".part");
    let result = File::create(&part)
        .and_then(|f| {
            let mut out = BufWriter::with_capacity(1 << 18, f);
            fill(&mut out)?;
            out.flush()
        })
        .and_then(|()| fs::rename(&part, path));
    result.map_err(|source| {
        // Best effort: the error that is reported is the first one.
        let _ = fs::remove_file(&part);
        WriteError::Io { file: path.display().to_string(), source }
    })
}
