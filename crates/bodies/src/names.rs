//! Names of the bodies, for what a stage refuses.

use crate::error::ContactError;
use std::sync::Arc;

/// Names of the bodies by slot, for errors.
pub type Names = Arc<[String]>;

/// Names of two bodies.
#[must_use]
pub fn two(names: &Names, a: u32, b: u32) -> [String; 2] {
    [a, b].map(|s| names.get(s as usize).cloned().unwrap_or_else(|| format!("#{s}")))
}

/// Stops the run when a number of a body or node is not finite.
pub fn check(names: &Names, body: usize, ok: bool, quantity: &'static str) -> Result<(), ContactError> {
    if ok {
        return Ok(());
    }
    let body = names.get(body).cloned().unwrap_or_else(|| format!("#{body}"));
    Err(ContactError::NonFinite { body, quantity })
}
