//! Contacts whose area goes back and forth from step to step: the sign that `depth` is too small for what the cells leave free.
//!
//! Algorithm 1 of seed 002 holds each cell's volume by its row at the start of the step, and with it the area that the pressure acts on. Within a cell
//! a soft surface may tilt and bend without a change of the cell's volume, and then the area changes: the shallower the contact, the faster, about as
//! force over depth. That stiffness is nowhere in the step's operator. It is what all runs of `grasp-volume` fit: deeper contacts and finer cells
//! rest, shorter steps and more damping help, without stabilisation the block sinks until it rests. That it is the cause was not shown by taking it away.

use crate::volume::{Overlaps, VolumeReport};

/// An area that is by this factor above or below that of the step before and of the step after has gone back and forth.
const FACTOR: f64 = 1.5;

/// Bodies, cell, part.
type Name = ([u32; 2], [i32; 3], u32);

/// Areas of the cells of the last two steps. A diagnosis only: nothing of it enters the motion, and it is no part of the state.
#[derive(Debug, Default)]
pub(super) struct Flicker {
    /// Ascending by name: area of the last step and, where it had one, of that before it (m²).
    last: Vec<(Name, f64, Option<f64>)>,
    next: Vec<(Name, f64, Option<f64>)>,
}

impl Flicker {
    /// Counts the cells that have gone back and forth and how far, and remembers their areas.
    pub fn look(&mut self, overlaps: &Overlaps, report: &mut VolumeReport) {
        self.next.clear();
        let (mut count, mut sum) = (0, 0.0);
        for pair in &overlaps.pairs {
            for c in pair.cells() {
                let Some(frame) = pair.frames[c] else { continue };
                let cell = &pair.overlap.cells()[c];
                let (name, area) = ((pair.bodies, cell.index, cell.part), frame.projected_area);
                let found = self.last.binary_search_by_key(&name, |m| m.0).ok().map(|i| self.last[i]);
                if let Some((_, was, Some(before))) = found {
                    let (low, high) = (before.min(area), before.max(area));
                    if was > FACTOR * high || was * FACTOR < low {
                        count += 1;
                        sum += if was > high { was / low } else { high / was }.ln();
                    }
                }
                self.next.push((name, area, found.map(|m| m.1)));
            }
        }
        self.next.sort_unstable_by_key(|m| m.0);
        std::mem::swap(&mut self.last, &mut self.next);
        report.flickering = count;
        report.swing = if count > 0 { (sum / f64::from(count)).exp() } else { 0.0 };
    }
}
