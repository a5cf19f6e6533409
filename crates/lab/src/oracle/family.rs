//! What a family of cases is: its keys, its types, and how a kernel's answer is compared.

use super::compare::{Comparison, Malformed};
use serde::de::DeserializeOwned;

/// A kind of case: what its `input` and `expected` hold, and how a kernel's answer is compared.
pub trait Family {
    /// As in the case files.
    const NAME: &'static str;
    /// The keys of `input` and `expected`, in the form of [`super::keys`].
    const KEYS: &'static str;
    /// The `input` of a case.
    type Input: DeserializeOwned;
    /// The `expected` of a case.
    type Expected: DeserializeOwned;

    /// Computes one case and notes every comparison.
    ///
    /// # Errors
    /// [`Malformed`] when the numbers of the case do not fit together; a wrong answer is not an error.
    fn check(input: &Self::Input, expected: &Self::Expected, out: &mut Comparison) -> Result<(), Malformed>;
}

/// One case with what was found out about it.
pub struct Checked {
    /// The case's id.
    pub id: String,
    /// The comparisons.
    pub comparison: Comparison,
}
