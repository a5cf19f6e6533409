//! Runs of numbers, written as words or as bytes.

use crate::ReadError;
use crate::cursor::Cursor;
use crate::scalar::{Endian, Scalar};

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Ascii,
    Binary(Endian),
}

impl Coding {
    /// Bytes a number takes at least: a word is a digit and a separator.
    #[must_use]
    pub fn least(self, scalar: Scalar) -> usize {
        if self == Self::Ascii { 2 } else { scalar.size() }
    }
}

#[inline]
pub(crate) fn real(c: &mut Cursor, scalar: Scalar, coding: Coding, what: &str) -> Result<f64, ReadError> {
    match coding {
        Coding::Ascii => c.real(what),
        Coding::Binary(endian) => Ok(scalar.real(endian, c.take(scalar.size(), what)?)),
    }
}

#[inline]
pub(crate) fn integer(c: &mut Cursor, scalar: Scalar, coding: Coding, what: &str) -> Result<i64, ReadError> {
    match coding {
        Coding::Ascii => c.integer(what),
        Coding::Binary(endian) => Ok(scalar.integer(endian, c.take(scalar.size(), what)?)),
    }
}

/// Steps over `n` numbers, which the caller has checked against the bytes that are left.
#[inline]
pub(crate) fn skip(c: &mut Cursor, scalar: Scalar, n: usize, coding: Coding) -> Result<(), ReadError> {
    match coding {
        Coding::Ascii => {
            for _ in 0..n {
                c.need("a number")?;
            }
        }
        Coding::Binary(_) => {
            c.take(n * scalar.size(), "numbers")?;
        }
    }
    Ok(())
}

/// `n` numbers, checked against the bytes that are left.
pub(crate) fn reals(
    c: &mut Cursor,
    scalar: Scalar,
    n: u64,
    coding: Coding,
    what: &'static str,
) -> Result<Vec<f64>, ReadError> {
    let n = c.room(what, n, coding.least(scalar))?;
    let mut values = Vec::with_capacity(n);
    for _ in 0..n {
        values.push(real(c, scalar, coding, what)?);
    }
    Ok(values)
}

/// `n` whole numbers, checked against the bytes that are left and each made or refused by `f`, at whose call the
/// cursor stands at the number.
pub(crate) fn integers<T>(
    c: &mut Cursor,
    scalar: Scalar,
    n: u64,
    coding: Coding,
    what: &'static str,
    mut f: impl FnMut(&Cursor, i64) -> Result<T, ReadError>,
) -> Result<Vec<T>, ReadError> {
    if !scalar.is_integer() {
        return Err(
            c.invalid(format!("{what} that are not whole numbers"), "write them with an integer type")
        );
    }
    let n = c.room(what, n, coding.least(scalar))?;
    let mut values = Vec::with_capacity(n);
    for _ in 0..n {
        let value = integer(c, scalar, coding, what)?;
        values.push(f(c, value)?);
    }
    Ok(values)
}
