//! Exact tier.

#[allow(dead_code)] // the tier that uses it is being written
pub(crate) mod int;
