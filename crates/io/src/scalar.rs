//! Number types of binary files: bytes and an order of bytes to `f64` or `i64`.

/// The order of the bytes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endian {
    Little,
    Big,
}

/// A number type of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

/// The first `N` bytes in little-endian order.
fn little<const N: usize>(bytes: &[u8], endian: Endian) -> [u8; N] {
    let mut a = [0; N];
    a.copy_from_slice(&bytes[..N]);
    if endian == Endian::Big {
        a.reverse();
    }
    a
}

impl Scalar {
    /// Bytes of one number.
    #[must_use]
    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    #[must_use]
    pub fn is_integer(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }

    /// The number at the start of `bytes`, which must hold at least [`Scalar::size`] of them. 64-bit integers
    /// beyond 2⁵³ are rounded.
    #[inline]
    #[must_use]
    pub fn real(self, endian: Endian, bytes: &[u8]) -> f64 {
        match self {
            Self::F32 => f64::from(f32::from_le_bytes(little(bytes, endian))),
            Self::F64 => f64::from_le_bytes(little(bytes, endian)),
            Self::U64 => u64::from_le_bytes(little(bytes, endian)) as f64,
            _ => self.integer(endian, bytes) as f64,
        }
    }

    /// The same as a whole number. Unsigned numbers beyond 2⁶³ are clamped: no index and no count is that
    /// large, so they are refused as out of range all the same. Reals are cut towards zero; no caller asks.
    #[inline]
    #[must_use]
    pub fn integer(self, endian: Endian, bytes: &[u8]) -> i64 {
        match self {
            Self::I8 => i64::from(bytes[0] as i8),
            Self::U8 => i64::from(bytes[0]),
            Self::I16 => i64::from(i16::from_le_bytes(little(bytes, endian))),
            Self::U16 => i64::from(u16::from_le_bytes(little(bytes, endian))),
            Self::I32 => i64::from(i32::from_le_bytes(little(bytes, endian))),
            Self::U32 => i64::from(u32::from_le_bytes(little(bytes, endian))),
            Self::I64 => i64::from_le_bytes(little(bytes, endian)),
            Self::U64 => i64::try_from(u64::from_le_bytes(little(bytes, endian))).unwrap_or(i64::MAX),
            Self::F32 | Self::F64 => self.real(endian, bytes) as i64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_type_and_order() {
        use Endian::*;
        assert_eq!(Scalar::I8.integer(Little, &[0xff]), -1);
        assert_eq!(Scalar::U8.integer(Big, &[0xff]), 255);
        assert_eq!(Scalar::I16.integer(Little, &[0xfe, 0xff]), -2);
        assert_eq!(Scalar::U16.integer(Big, &[1, 2]), 258);
        assert_eq!(Scalar::I32.integer(Big, &[0xff, 0xff, 0xff, 0xfd]), -3);
        assert_eq!(Scalar::U32.integer(Little, &[4, 0, 0, 0x80]), 0x8000_0004);
        assert_eq!(Scalar::I64.integer(Big, &(-5i64).to_be_bytes()), -5);
        assert_eq!(Scalar::U64.integer(Little, &[0xff; 8]), i64::MAX);
        assert_eq!(Scalar::U64.real(Little, &[0xff; 8]), u64::MAX as f64);
        assert_eq!(Scalar::F32.real(Big, &1.5f32.to_be_bytes()), 1.5);
        assert_eq!(Scalar::F64.real(Little, &0.1f64.to_le_bytes()), 0.1);
        assert_eq!(Scalar::I16.real(Big, &[0xff, 0xff]), -1.0);
    }
}
