//! Writing what was checked before: nothing is written of data that a format cannot hold.

use crate::WriteError;
use crate::atomic::write_whole;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Writes a file by `fill` after `check` has found nothing wrong.
pub(crate) fn checked(
    path: &Path,
    check: Result<(), String>,
    fill: impl FnOnce(&mut BufWriter<std::fs::File>) -> std::io::Result<()>,
) -> Result<(), WriteError> {
    let file = || path.display().to_string();
    check.map_err(|reason| WriteError::BadData { file: file(), reason })?;
    write_whole(path, fill).map_err(|source| WriteError::Io { file: file(), source })
}

/// The same to any writer.
pub(crate) fn checked_to(
    writer: impl Write,
    check: Result<(), String>,
    fill: impl FnOnce(&mut BufWriter<Box<dyn Write + '_>>) -> std::io::Result<()>,
) -> std::io::Result<()> {
    check.map_err(|reason| std::io::Error::new(std::io::ErrorKind::InvalidInput, reason))?;
    let mut out = BufWriter::with_capacity(1 << 18, Box::new(writer) as Box<dyn Write>);
    fill(&mut out)?;
    out.flush()
}
