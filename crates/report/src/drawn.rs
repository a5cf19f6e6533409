//! Patches and idle rows of a run, thinned in time so that they never take more than a bound: frames are dropped evenly, every second
//! first, when there are too many.

use crate::record::{ContactMark, DrawnFrame, Patch};
use serde::{Deserialize, Serialize};

/// What all kept frames may take (bytes). On the page it is two thirds of that.
pub const MOST_BYTES: u64 = 24 << 20;

/// The kept frames.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DrawnTrack {
    /// Frames whose number this divides are kept.
    stride: u32,
    bytes: u64,
    frames: Vec<DrawnFrame>,
}

impl Default for DrawnTrack {
    fn default() -> Self {
        Self { stride: 1, bytes: 0, frames: Vec::new() }
    }
}

fn size(f: &DrawnFrame) -> u64 {
    bytes(f.corners.len(), f.patches.len(), f.idle.len())
}

/// What a frame with so many corners, patches and idle rows takes.
#[must_use]
pub fn bytes(corners: usize, patches: usize, idle: usize) -> u64 {
    (corners * size_of::<[f32; 3]>() + patches * size_of::<Patch>() + idle * size_of::<ContactMark>()) as u64
}

impl DrawnTrack {
    /// What is kept (bytes).
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether a frame of this number is kept; the next ones come in rising order.
    #[must_use]
    pub fn wants(&self, frame: u32) -> bool {
        frame.is_multiple_of(self.stride)
    }

    /// Keeps a frame that is wanted, and drops others where they have become too many.
    pub fn push(&mut self, frame: DrawnFrame) {
        self.push_within(frame, MOST_BYTES);
    }

    fn push_within(&mut self, frame: DrawnFrame, most: u64) {
        self.bytes += size(&frame);
        self.frames.push(frame);
        while self.bytes > most {
            // The first frame is a multiple of every stride: alone, it goes when it is too large by itself.
            if self.frames.len() == 1 {
                self.frames.clear();
            }
            self.stride = self.stride.saturating_mul(2);
            let stride = self.stride;
            self.frames.retain(|f| f.frame.is_multiple_of(stride));
            self.bytes = self.frames.iter().map(size).sum();
        }
    }

    /// The frames, and a sentence where some were dropped.
    #[must_use]
    pub fn finish(self) -> (Vec<DrawnFrame>, Option<String>) {
        let note = (self.stride > 1).then(|| {
            format!(
                "Contact surfaces, cells and idle rows are drawn in one frame of {}: all of them would take more than {} MiB.",
                self.stride,
                MOST_BYTES >> 20
            )
        });
        let nothing = self.frames.iter().all(|f| f.patches.is_empty() && f.idle.is_empty());
        (if nothing { Vec::new() } else { self.frames }, note)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(number: u32, corners: usize) -> DrawnFrame {
        let patches = vec![Patch { pair: 0, corners: corners as u32, pressure: 1.0 }];
        DrawnFrame { frame: number, corners: vec![[0.0; 3]; corners], patches, idle: Vec::new() }
    }

    #[test]
    fn the_bound_holds_and_what_stays_is_even() {
        let mut track = DrawnTrack::default();
        let each = size(&frame(0, 100));
        for k in 0..1000 {
            if track.wants(k) {
                track.push_within(frame(k, 100), 10 * each);
            }
            assert!(track.bytes <= 10 * each && track.bytes == track.frames.iter().map(size).sum::<u64>());
        }
        let stride = track.stride;
        let kept: Vec<u32> = track.frames.iter().map(|f| f.frame).collect();
        assert_eq!(kept, (0..1000).filter(|k| k % stride == 0).collect::<Vec<_>>());
        assert!(kept.len() > 5 && stride == 128, "{kept:?}");
        assert!(track.finish().1.is_some_and(|n| n.contains("one frame of 128")));
    }

    #[test]
    fn a_frame_larger_than_the_bound_is_not_kept() {
        let mut track = DrawnTrack::default();
        track.push_within(frame(0, 3), 1000);
        track.push_within(frame(1, 5000), 1000);
        assert_eq!(track.frames.len(), 1);
        track.push_within(frame(u32::MAX - 1, 5000), 1000);
        assert!(track.bytes <= 1000);
    }
}
