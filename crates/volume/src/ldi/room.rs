//! How many parts of intervals there is memory for, counted by all strips together.

use super::lattice::{Limits, too_much};
use crate::VolumeError;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts parts. Whether they fit depends on their number alone, not on who counts first.
pub struct Room {
    taken: AtomicUsize,
    most: usize,
    size: usize,
    bytes: u64,
}

impl Room {
    /// For parts of so many bytes.
    #[must_use]
    pub fn new(limits: &Limits, size: usize) -> Self {
        let most = usize::try_from(limits.bytes).unwrap_or(usize::MAX) / size;
        Self { taken: AtomicUsize::new(0), most, size, bytes: limits.bytes }
    }

    /// Whether `parts` more fit. They are counted even if not, so that [`Room::check`] knows.
    #[must_use]
    pub fn take(&self, parts: usize) -> bool {
        self.taken.fetch_add(parts, Ordering::Relaxed).saturating_add(parts) <= self.most
    }

    /// After so many of the three axes; the rest is taken to be like them.
    ///
    /// # Errors
    /// [`VolumeError::Memory`] where they did not fit.
    pub fn check(&self, pixel: f64, axes: usize) -> Result<(), VolumeError> {
        let taken = self.taken.load(Ordering::Relaxed);
        if taken <= self.most {
            return Ok(());
        }
        let whole = taken as f64 * 3.0 / axes as f64;
        Err(too_much(pixel, whole * self.size as f64, self.bytes as f64))
    }
}
