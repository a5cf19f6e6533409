//! One `<DataArray>` of a VTU file: where its numbers are and how they are written.

use crate::ReadError;
use crate::base64::decode;
use crate::cursor::Cursor;
use crate::problem::whole;
use crate::scalar::{Endian, Scalar};
use crate::values::Coding;
use crate::xml::Tag;
use std::cell::Cell;

/// What the file says about all of its arrays.
pub(crate) struct Storage<'a> {
    pub endian: Endian,
    /// Lengths before blocks are of 64 bits, else of 32.
    pub wide: bool,
    /// Every block is compressed by zlib.
    pub zlib: bool,
    /// Stands behind the `_` of the appended data.
    pub appended: Option<Cursor<'a>>,
    /// The appended data are letters.
    pub base64: bool,
    /// Bytes of numbers that may still be read. Arrays that name the same appended block could otherwise fill
    /// the memory from a small file; those that do not overlap never use up the length of the file.
    pub budget: Cell<u64>,
}

impl Storage<'_> {
    fn length_type(&self) -> Scalar {
        if self.wide { Scalar::U64 } else { Scalar::U32 }
    }
}

pub(crate) struct Array<'a> {
    pub tag: Tag<'a>,
    /// The name of the tag around it.
    pub parent: &'a [u8],
    pub text: Option<Cursor<'a>>,
}

impl<'a> Array<'a> {
    #[must_use]
    pub fn new(tag: Tag<'a>, parent: &'a [u8]) -> Self {
        Self { tag, parent, text: None }
    }

    #[must_use]
    pub fn is_numeric(&self) -> bool {
        self.tag.get("type") != Some("String")
    }

    pub fn components(&self) -> Result<u64, ReadError> {
        match self.tag.get("NumberOfComponents") {
            None => Ok(1),
            Some(_) => self.tag.count("NumberOfComponents"),
        }
    }

    fn scalar(&self) -> Result<Scalar, ReadError> {
        let name = self.tag.need("type")?;
        Ok(match name {
            "Int8" => Scalar::I8,
            "UInt8" => Scalar::U8,
            "Int16" => Scalar::I16,
            "UInt16" => Scalar::U16,
            "Int32" => Scalar::I32,
            "UInt32" => Scalar::U32,
            "Int64" => Scalar::I64,
            "UInt64" => Scalar::U64,
            "Float32" => Scalar::F32,
            "Float64" => Scalar::F64,
            _ => {
                return Err(self
                    .tag
                    .at
                    .expected("a type from Int8 to UInt64, Float32 or Float64", name.as_bytes()));
            }
        })
    }

    /// Gives `f` a cursor that holds the `n` numbers of the array and nothing else.
    pub fn with<T>(
        &self,
        storage: &Storage,
        n: u64,
        f: impl FnOnce(&mut Cursor, Scalar, Coding, u64) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        let scalar = self.scalar()?;
        let at = &self.tag.at;
        let nothing = Cursor { at: at.mark, bytes: &at.bytes[..at.mark], part: "array", ..at.clone() };
        let text = self.text.as_ref().unwrap_or(&nothing);
        match self.tag.get("format").unwrap_or("ascii") {
            "ascii" => {
                let mut c = text.clone();
                let result = f(&mut c, scalar, Coding::Ascii, n)?;
                match c.word() {
                    None => Ok(result),
                    Some(word) => Err(c.expected(format!("the end of the array after {n} numbers"), word)),
                }
            }
            "binary" => self.letters(&text.bytes[text.at..], storage, scalar, n, f),
            "appended" => {
                let Some(data) = &storage.appended else {
                    return Err(
                        at.invalid("an appended array, but no `AppendedData`", "export the mesh again")
                    );
                };
                let offset = self.tag.count("offset")?;
                let start = usize::try_from(offset).ok().filter(|o| *o <= data.left());
                let Some(start) = start else {
                    let what = format!("offset {offset} beyond the appended data ({} bytes)", data.left());
                    return Err(at.invalid(what, "was the file cut off? export it again"));
                };
                if storage.base64 {
                    return self.letters(&data.bytes[data.at + start..], storage, scalar, n, f);
                }
                let mut c = Cursor { at: data.at + start, ..data.clone() };
                if storage.zlib {
                    let block = &c.bytes[c.at..];
                    let first = |n: usize| block.get(..n).map(<[u8]>::to_vec);
                    let bytes = self.inflated(storage, scalar, n, block.len(), first)?;
                    return self.decoded(&bytes, storage, scalar, n, f);
                }
                let length = storage.length_type();
                let length = length.integer(storage.endian, c.take(length.size(), "the length of a block")?);
                self.check_length(storage, &c, length, scalar, n)?;
                let bytes = c.take(length as usize, "a block of numbers")?;
                let mut c =
                    Cursor { bytes: &c.bytes[..c.mark + bytes.len()], at: c.mark, part: "block", ..c };
                f(&mut c, scalar, Coding::Binary(storage.endian), n)
            }
            other => Err(at.expected("format `ascii`, `binary` or `appended`", other.as_bytes())),
        }
    }

    /// The length in the file must be that of the numbers asked for.
    fn check_length(
        &self,
        storage: &Storage,
        c: &Cursor,
        length: i64,
        scalar: Scalar,
        n: u64,
    ) -> Result<(), ReadError> {
        let needed = n.checked_mul(scalar.size() as u64);
        if needed.is_some() && needed == u64::try_from(length).ok() {
            return match storage.budget.get().checked_sub(length as u64) {
                Some(left) => {
                    storage.budget.set(left);
                    Ok(())
                }
                None => Err(
                    c.invalid("more numbers than the file has room for", "do arrays overlap? export again")
                ),
            };
        }
        let name = self.tag.get("Name").unwrap_or("Points");
        let what = format!(
            "array `{name}` is {} bytes long, but {n} numbers of {} bytes are needed",
            whole(length),
            scalar.size()
        );
        Err(c.invalid(what, "was the file cut off or changed by hand? export it again"))
    }

    /// Base64, where the decoded bytes are nowhere in the file.
    fn letters<T>(
        &self,
        text: &[u8],
        storage: &Storage,
        scalar: Scalar,
        n: u64,
        f: impl FnOnce(&mut Cursor, Scalar, Coding, u64) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        let at = &self.tag.at;
        let first = |n: usize| decode(text, n).filter(|bytes| bytes.len() == n);
        if storage.zlib {
            let bytes = self.inflated(storage, scalar, n, text.len(), first)?;
            return self.decoded(&bytes, storage, scalar, n, f);
        }
        let bad = || at.invalid("an array that is no base64 text", "was the file cut off? export it again");
        let length = storage.length_type();
        let head = first(length.size()).ok_or_else(bad)?;
        let size = length.integer(storage.endian, &head);
        self.check_length(storage, at, size, scalar, n)?;
        // Four letters make three bytes: more cannot be there.
        if size as u64 > text.len() as u64 {
            return Err(bad());
        }
        let bytes = first(length.size() + size as usize).ok_or_else(bad)?;
        self.decoded(&bytes[length.size()..], storage, scalar, n, f)
    }

    /// The numbers of an array as bytes; the place of every error is the tag.
    fn decoded<T>(
        &self,
        bytes: &[u8],
        storage: &Storage,
        scalar: Scalar,
        n: u64,
        f: impl FnOnce(&mut Cursor, Scalar, Coding, u64) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        let at = &self.tag.at;
        let mut c = Cursor { bytes, at: 0, mark: 0, binary: true, part: "array", name: at.name };
        f(&mut c, scalar, Coding::Binary(storage.endian), n).map_err(|e| match e {
            ReadError::Content { problem, .. } => at.fail(problem),
            other => other,
        })
    }

    /// The bytes of an array in blocks of zlib. Before them stand the number of blocks, the length of a full one, that
    /// of the last one when it is not full (else 0), and the compressed length of each. `first` gives so many bytes of
    /// the array, of which there are no more than `most`.
    fn inflated(
        &self,
        storage: &Storage,
        scalar: Scalar,
        n: u64,
        most: usize,
        first: impl Fn(usize) -> Option<Vec<u8>>,
    ) -> Result<Vec<u8>, ReadError> {
        if n == 0 {
            return Ok(Vec::new());
        }
        let at = &self.tag.at;
        let name = self.tag.get("Name").unwrap_or("Points");
        let bad = |what: &str| {
            at.invalid(
                format!("array `{name}`: {what}"),
                "was the file cut off or changed by hand? export it again",
            )
        };
        let word = storage.length_type();
        let words = |bytes: Vec<u8>| -> Vec<usize> {
            let number = |b: &[u8]| usize::try_from(word.integer(storage.endian, b)).unwrap_or(usize::MAX);
            bytes.chunks_exact(word.size()).map(number).collect()
        };
        let cut_off = || bad("the lengths of its compressed blocks are not all there");
        let head = words(first(3 * word.size()).ok_or_else(cut_off)?);
        let (blocks, full, rest) = (head[0], head[1], head[2]);
        let whole = if rest == 0 { blocks } else { blocks.saturating_sub(1) };
        let total =
            whole.checked_mul(full).and_then(|t| t.checked_add(rest)).and_then(|t| i64::try_from(t).ok());
        self.check_length(storage, at, total.unwrap_or(i64::MAX), scalar, n)?;
        if blocks > most / word.size() {
            return Err(cut_off());
        }
        let start = (3 + blocks) * word.size();
        let sizes = words(first(start).ok_or_else(cut_off)?).split_off(3);
        let end = sizes.iter().try_fold(start, |end, &size| end.checked_add(size)).filter(|&end| end <= most);
        let all = end.and_then(&first).ok_or_else(|| bad("its compressed blocks are not all there"))?;
        let (mut out, mut at_byte) = (Vec::new(), start);
        for (k, &size) in sizes.iter().enumerate() {
            let length = if k < whole { full } else { rest };
            let block = &all[at_byte..at_byte + size];
            at_byte += size;
            match miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(block, length) {
                Ok(bytes) if bytes.len() == length => out.extend(bytes),
                _ => return Err(bad(&format!("compressed block {k} (counted from 0) is damaged"))),
            }
        }
        Ok(out)
    }
}
