//! Values of the JSON part of a GLB file, each with the path that an error names: `accessors[3].count`.

use crate::ReadError;
use crate::cursor::Cursor;
use serde_json::Value;

/// A value and where it stands.
#[derive(Clone)]
pub(crate) struct Node<'a> {
    pub value: &'a Value,
    pub path: String,
    /// Stands at the JSON chunk, for errors.
    pub place: &'a Cursor<'a>,
}

impl<'a> Node<'a> {
    #[must_use]
    pub fn invalid(&self, what: &str) -> ReadError {
        let named =
            if self.path.is_empty() { "the JSON part".to_string() } else { format!("`{}`", self.path) };
        self.place.invalid(format!("{named} {what}"), "the glTF is not valid: export it again")
    }

    #[must_use]
    pub fn unsupported(&self, what: &str, fix: &'static str) -> ReadError {
        self.place.unsupported(format!("`{}`: {what}", self.path), fix)
    }

    /// A member of an object, where there is one.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Node<'a>> {
        let path = if self.path.is_empty() { key.into() } else { format!("{}.{key}", self.path) };
        self.value.get(key).map(|value| Node { value, path, place: self.place })
    }

    /// A member that must be there.
    pub fn need(&self, key: &str) -> Result<Node<'a>, ReadError> {
        self.get(key).ok_or_else(|| self.invalid(&format!("has no `{key}`")))
    }

    /// An item of the array `key`, which must be there.
    pub fn item(&self, key: &str, index: u64) -> Result<Node<'a>, ReadError> {
        let array = self.need(key)?;
        let value = usize::try_from(index).ok().and_then(|i| array.value.get(i));
        match value {
            Some(value) => Ok(Node { value, path: format!("{}[{index}]", array.path), place: self.place }),
            None => Err(array.invalid(&format!("has no item {index}"))),
        }
    }

    /// The items of the array `key`; none where there is no such member.
    pub fn items(&self, key: &str) -> Result<Vec<Node<'a>>, ReadError> {
        let Some(array) = self.get(key) else { return Ok(Vec::new()) };
        let Some(values) = array.value.as_array() else { return Err(array.invalid("is no array")) };
        let node = |(i, value)| Node { value, path: format!("{}[{i}]", array.path), place: self.place };
        Ok(values.iter().enumerate().map(node).collect())
    }

    /// A whole number of 0 or more.
    pub fn integer(&self) -> Result<u64, ReadError> {
        self.value.as_u64().ok_or_else(|| self.invalid("is no whole number of 0 or more"))
    }

    /// The member `key` as a whole number, or `default` where there is none.
    pub fn integer_or(&self, key: &str, default: u64) -> Result<u64, ReadError> {
        self.get(key).map_or(Ok(default), |n| n.integer())
    }

    /// The member `key` as `N` finite numbers, or `default` where there is none.
    pub fn reals_or<const N: usize>(&self, key: &str, default: [f64; N]) -> Result<[f64; N], ReadError> {
        let Some(node) = self.get(key) else { return Ok(default) };
        let numbers: Option<Vec<f64>> =
            node.value.as_array().and_then(|a| a.iter().map(Value::as_f64).collect());
        numbers
            .and_then(|n| <[f64; N]>::try_from(n).ok())
            .filter(|n| n.iter().all(|c| c.is_finite()))
            .ok_or_else(|| node.invalid(&format!("is no array of {N} finite numbers")))
    }
}
