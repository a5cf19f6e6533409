//! Opening a file so that whatever stands under its name cannot fill the memory: a device without an end, a pipe that
//! goes on for ever, a file larger than any mesh.

use crate::ReadError;
use std::fs::{File, FileType};
use std::io::{self, Read};
use std::path::Path;

/// Most bytes of a file: some eighty million triangles.
const MOST_OF_FILE: u64 = 4 << 30;
/// Most bytes that come through a pipe, whose length nobody knows beforehand.
const MOST_OF_PIPE: u64 = 256 << 20;

/// The bytes of a file or pipe, with an error where there are more than a mesh has.
pub(crate) struct Source {
    inner: File,
    left: u64,
    most: u64,
    /// Nothing was read yet.
    fresh: bool,
}

/// Opens a path for reading.
pub(crate) fn open(path: &Path) -> Result<Source, ReadError> {
    let failed = |source| ReadError::Open { file: path.display().to_string(), source };
    // Asked before opening: to open some devices is to act.
    let kind = std::fs::metadata(path).map_err(failed)?;
    let most = if kind.is_file() { MOST_OF_FILE } else { MOST_OF_PIPE };
    if kind.is_dir() {
        return Err(failed(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder")));
    }
    if is_device(kind.file_type()) {
        return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, "it is a device, not a file")));
    }
    if kind.is_file() && kind.len() > most {
        return Err(failed(too_long(most)));
    }
    let inner = File::open(path).map_err(failed)?;
    Ok(Source { inner, left: most, most, fresh: true })
}

#[cfg(unix)]
fn is_device(kind: FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    kind.is_char_device() || kind.is_block_device() || kind.is_socket()
}

#[cfg(not(unix))]
fn is_device(kind: FileType) -> bool {
    !kind.is_file()
}

fn too_long(most: u64) -> io::Error {
    let what = format!("it is longer than {} MiB; reduce the mesh or split it", most >> 20);
    io::Error::new(io::ErrorKind::FileTooLarge, what)
}

/// Text of two bytes a letter: its mark, and a letter of ASCII. The header of a binary file may begin with the mark alone.
fn refuse_utf16(start: &[u8]) -> io::Result<()> {
    let order = match *start {
        [0xff, 0xfe, letter, 0, ..] if letter.is_ascii() && letter != 0 => "little",
        [0xfe, 0xff, 0, letter, ..] if letter.is_ascii() && letter != 0 => "big",
        _ => return Ok(()),
    };
    let what = format!("it is UTF-16 text ({order}-endian); save it as UTF-8 or ASCII");
    Err(io::Error::new(io::ErrorKind::InvalidData, what))
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        if std::mem::take(&mut self.fresh) {
            refuse_utf16(&buffer[..n])?;
        }
        match self.left.checked_sub(n as u64) {
            Some(left) => self.left = left,
            None => return Err(too_long(self.most)),
        }
        Ok(n)
    }
}

/// All bytes of a path, and its name for errors.
pub(crate) fn load(path: &Path) -> Result<(String, Vec<u8>), ReadError> {
    let name = path.display().to_string();
    let mut source = open(path)?;
    let length = source.inner.metadata().map_or(0, |m| m.len().min(source.most));
    let mut bytes = Vec::new();
    let read = bytes
        .try_reserve_exact(length as usize)
        .map_err(io::Error::from)
        .and_then(|()| source.read_to_end(&mut bytes));
    match read {
        Ok(_) => Ok((name, bytes)),
        Err(source) => Err(ReadError::Open { file: name, source }),
    }
}
