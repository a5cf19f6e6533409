//! Files that stand under their name only when they are whole, also after a power cut.

use std::io::Write;
use std::path::Path;

/// [`impinge_io::write_whole`], and on the disk before the name leads to it.
///
/// # Errors
/// The file and what the system said.
pub(crate) fn write(file: &Path, bytes: impl AsRef<[u8]>) -> Result<(), String> {
    let done = impinge_io::write_whole(file, |out| {
        out.write_all(bytes.as_ref())?;
        out.flush()?;
        let disk = out.get_ref();
        // A pipe is on no disk.
        if disk.metadata()?.is_file() { disk.sync_all() } else { Ok(()) }
    });
    done.map_err(|e| format!("{} cannot be written: {e}", file.display()))
}
