//! Writing what was checked before: nothing is written of data that a format cannot hold.

use crate::{WriteError, atomic};
use std::io::{BufWriter, Write};
use std::path::Path;

/// Writes a file by `fill` after `check` has found nothing wrong.
pub(crate) fn checked(
    path: &Path,
    check: Result<(), String>,
    fill: impl FnOnce(&mut BufWriter<std::fs::File>) -> std::io::Result<()>,
) -> Result<(), WriteError> {
    check.map_err(|reason| WriteError::BadData { file: path.display().to_string(), reason })?;
    atomic::write(path, fill)
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
