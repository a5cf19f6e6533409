//! Serde for numbers that may be NaN or infinite: takes `f32`, `f64` and nested lists of them, gives text that
//! reads back to the same bits. JSON has no NaN, and serde_json would write `null` and then refuse to read it;
//! so non-finite numbers become the strings `"NaN"`, `"inf"` and `"-inf"` (`null` is read as NaN too).
//! Use as `#[serde(with = "exact")]`. Binary formats hold every f64 as it is: there the numbers are written plainly.

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};
use std::fmt;

/// Numbers and nested lists of numbers.
pub trait Numbers: Sized {
    /// Writes them.
    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error>;
    /// Reads them.
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error>;
}

pub fn serialize<T: Numbers, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    value.write(to)
}

pub fn deserialize<'de, T: Numbers, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    T::read(from)
}

struct Out<'a, T>(&'a T);

impl<T: Numbers> Serialize for Out<'_, T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.write(to)
    }
}

struct In<T>(T);

impl<'de, T: Numbers> Deserialize<'de> for In<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        T::read(from).map(In)
    }
}

fn name_of(value: f64) -> &'static str {
    if value.is_nan() {
        "NaN"
    } else if value > 0.0 {
        "inf"
    } else {
        "-inf"
    }
}

struct NumberVisitor;

impl Visitor<'_> for NumberVisitor {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a number, or one of the strings \"NaN\", \"inf\", \"-inf\"")
    }
    fn visit_f64<E: Error>(self, v: f64) -> Result<f64, E> {
        Ok(v)
    }
    fn visit_i64<E: Error>(self, v: i64) -> Result<f64, E> {
        Ok(v as f64)
    }
    fn visit_u64<E: Error>(self, v: u64) -> Result<f64, E> {
        Ok(v as f64)
    }
    fn visit_unit<E: Error>(self) -> Result<f64, E> {
        Ok(f64::NAN)
    }
    fn visit_str<E: Error>(self, v: &str) -> Result<f64, E> {
        match v {
            "NaN" => Ok(f64::NAN),
            "inf" => Ok(f64::INFINITY),
            "-inf" => Ok(f64::NEG_INFINITY),
            _ => Err(E::invalid_value(serde::de::Unexpected::Str(v), &self)),
        }
    }
}

impl Numbers for f64 {
    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let plain = self.is_finite() || !to.is_human_readable();
        if plain { to.serialize_f64(*self) } else { to.serialize_str(name_of(*self)) }
    }
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        if from.is_human_readable() { from.deserialize_any(NumberVisitor) } else { Self::deserialize(from) }
    }
}

impl Numbers for f32 {
    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let plain = self.is_finite() || !to.is_human_readable();
        if plain { to.serialize_f32(*self) } else { to.serialize_str(name_of(f64::from(*self))) }
    }
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        if !from.is_human_readable() {
            return Self::deserialize(from);
        }
        from.deserialize_any(NumberVisitor).map(|v| v as f32)
    }
}

impl<T: Numbers> Numbers for Vec<T> {
    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter().map(Out))
    }
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Vec::<In<T>>::deserialize(from)?.into_iter().map(|v| v.0).collect())
    }
}

impl<T: Numbers, const N: usize> Numbers for [T; N] {
    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter().map(Out))
    }
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let list = Vec::<T>::read(from)?;
        let len = list.len();
        Self::try_from(list).map_err(|_| D::Error::custom(format!("expected {N} numbers, found {len}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn there_and_back<T: Numbers>(value: &T) -> T {
        let text = serde_json::to_string(&Out(value)).expect("numbers can be written");
        serde_json::from_str::<In<T>>(&text).expect("and read").0
    }

    proptest! {
        #[test]
        fn any_f64_keeps_its_bits(bits in any::<u64>()) {
            let v = f64::from_bits(bits);
            let w = there_and_back(&v);
            prop_assert!(w.to_bits() == v.to_bits() || (v.is_nan() && w.is_nan()));
        }

        #[test]
        fn any_f32_keeps_its_bits(bits in any::<u32>()) {
            let v = f32::from_bits(bits);
            let w = there_and_back(&[v, 1.0])[0];
            prop_assert!(w.to_bits() == v.to_bits() || (v.is_nan() && w.is_nan()));
        }
    }

    #[test]
    fn a_wrong_count_is_an_error_that_counts() {
        let text =
            serde_json::from_str::<In<[f32; 3]>>("[1, 2]").err().expect("two are not three").to_string();
        assert!(text.contains("expected 3 numbers, found 2"), "{text}");
    }

    #[test]
    fn null_reads_as_a_gap_and_words_do_not() {
        assert!(serde_json::from_str::<In<f64>>("null").expect("a gap").0.is_nan());
        assert!(serde_json::from_str::<In<f64>>("\"plenty\"").is_err());
    }
}
