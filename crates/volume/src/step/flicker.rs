//! Watches cells that flicker from step to step, and says by how much.
//!
//! To flicker is to have an area that goes back and forth from step to step: a sign that `depth` is too small for what the cells leave free.
//!
//! Algorithm 1 of seed 002 holds each cell's volume by its row at the start of the step, and with it the area that the pressure acts on. Within a cell
//! a soft surface may tilt and bend without a change of the cell's volume, and then the area changes: the shallower the contact, the faster, about as
//! force over depth. That stiffness is nowhere in the step's operator. It is what all runs of `grasp-volume` fit: deeper contacts and finer cells
//! rest, shorter steps and more damping help, without stabilisation the block sinks until it rests. That it is the cause was not shown by taking it away.

use super::Overlaps;
use std::collections::VecDeque;

/// Steps looked at together.
const WINDOW: usize = 20;
/// Of the cells of these steps, the part that must have gone back and forth, and how many at least: what lands or slides does so here and there.
const PART: f64 = 0.05;
const LEAST: u64 = 20;

/// An area that is by this factor above or below that of the step before and of the step after has gone back and forth.
const FACTOR: f64 = 1.5;

/// Bodies, cell, part.
type Name = ([u32; 2], [i32; 3], u32);

/// Areas of the cells of the last two steps.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Areas {
    /// Ascending by name: area of the last step and, where it had one, of that before it (m²).
    last: Vec<(Name, f64, Option<f64>)>,
    next: Vec<(Name, f64, Option<f64>)>,
}

impl Areas {
    /// How many cells have gone back and forth, and by what factor in the geometric mean; remembers the areas.
    fn look(&mut self, overlaps: &Overlaps) -> (u32, f64) {
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
                        sum += libm::log(if was > high { was / low } else { high / was });
                    }
                }
                self.next.push((name, area, found.map(|m| m.1)));
            }
        }
        self.next.sort_unstable_by_key(|m| m.0);
        std::mem::swap(&mut self.last, &mut self.next);
        (count, if count > 0 { libm::exp(sum / f64::from(count)) } else { 0.0 })
    }
}

/// Counts cells whose area goes back and forth over a run. It looks on only: nothing of it enters the motion.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Flicker {
    areas: Areas,
    /// Flickering cells and cells of the last steps.
    window: VecDeque<[u64; 2]>,
    /// Over the run: flickering cells, Σ ln of by how much.
    flickers: u64,
    logarithms: f64,
    /// When a window first had too many (s).
    since: Option<f64>,
}

impl Flicker {
    /// Takes in what overlaps in the step just made, which ends at `time` (s) and has so many [`super::VolumeReport::cells`].
    pub fn see(&mut self, overlaps: &Overlaps, cells: u32, time: f64) {
        let (flickering, swing) = self.areas.look(overlaps);
        self.add(flickering, swing, cells, time);
    }

    /// Forgets the areas of bodies in these slots: from now on others are there. What was counted stays.
    pub fn forget(&mut self, slots: &[u32]) {
        self.areas.last.retain(|((bodies, ..), ..)| bodies.iter().all(|b| !slots.contains(b)));
    }

    fn add(&mut self, flickering: u32, swing: f64, cells: u32, time: f64) {
        if flickering > 0 {
            self.flickers += u64::from(flickering);
            self.logarithms += f64::from(flickering) * libm::log(swing);
        }
        self.window.push_back([flickering.into(), cells.into()]);
        if self.window.len() > WINDOW {
            self.window.pop_front();
        }
        let [flickers, cells] = self.window.iter().fold([0; 2], |s, w| [s[0] + w[0], s[1] + w[1]]);
        if flickers >= LEAST && flickers as f64 >= PART * cells as f64 {
            self.since = self.since.or(Some(time));
        }
    }

    /// By what factor the areas go up and down in the mean, where contacts flicker.
    #[must_use]
    pub fn factor(&self) -> Option<f64> {
        self.since.map(|_| libm::exp(self.logarithms / self.flickers as f64))
    }

    /// When a window of steps first had too many (s), and how often a cell has gone back and forth since the run began.
    #[must_use]
    pub fn since(&self) -> Option<(f64, u64)> {
        self.since.map(|time| (time, self.flickers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_not_compared_with_the_one_before_it_in_its_slot() {
        let area = |a: u32, b: u32| (([a, b], [0; 3], 0), 1.0, Some(2.0));
        let mut watch = Flicker::default();
        watch.areas.last = vec![area(0, 1), area(0, 2), area(1, 2)];
        watch.add(3, 2.0, 3, 0.1);
        watch.forget(&[1]);
        assert_eq!((watch.areas.last, watch.flickers), (vec![area(0, 2)], 3));
    }

    #[test]
    fn a_few_are_no_flicker_and_many_are() {
        let mut watch = Flicker::default();
        for i in 0..100 {
            watch.add(u32::from(i % 20 == 0), 3.0, 15, 0.01 * f64::from(i));
        }
        assert_eq!(watch.factor(), None, "one in three hundred");
        let mut rare = Flicker::default();
        (0..10).for_each(|i| rare.add(1, 3.0, 2, 0.01 * f64::from(i)));
        assert_eq!(rare.factor(), None, "ten in all");
        // Half of them by 2, half by 8: by 4 in the mean.
        let mut many = Flicker::default();
        (0..20).for_each(|i| many.add(2, if i % 2 == 0 { 2.0 } else { 8.0 }, 15, 0.01 * f64::from(i)));
        assert!((many.factor().unwrap() - 4.0).abs() < 1e-12, "{many:?}");
        assert!(many.since.is_some_and(|t| (t - 0.09).abs() < 1e-12), "twenty after ten steps: {many:?}");
    }
}
