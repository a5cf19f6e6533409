//! The places where two bodies meet: a pair's intervals sorted by what hangs together.

use super::LayeredDepth;
use super::lattice::Lattice;
use super::split::{Part, Starts};
use crate::closed::Body;
use crate::overlap::place_names;
use std::ops::Range;

/// The parts of one place.
pub struct PlaceParts {
    /// See [`crate::Cell::part`].
    pub name: u32,
    pub parts: Range<usize>,
}

/// Puts `list` into the order of `order`, which names each of its elements once.
fn permute<T: Copy>(list: &mut [T], order: &[u32]) {
    let sorted: Vec<T> = order.iter().map(|&i| list[i as usize]).collect();
    list.copy_from_slice(&sorted);
}

/// The order of `n` numbers by `key`, and among equals as they are; `None` where they are in order already.
fn order_by<K: Ord>(n: usize, key: impl Fn(usize) -> K) -> Option<Vec<u32>> {
    if (1..n).all(|i| key(i - 1) <= key(i)) {
        return None;
    }
    let mut order: Vec<u32> = (0..n as u32).collect();
    order.sort_by_key(|&i| key(i as usize));
    Some(order)
}

impl LayeredDepth {
    /// Whether each place where two bodies meet is a contact of its own, as [`crate::Exact::by_place`]. Places less than about two pixels apart are one.
    #[must_use]
    pub fn by_place(self, by_place: bool) -> Self {
        Self { by_place, ..self }
    }

    /// Sorts parts by pair and cell, and with each what it is a part of.
    pub(super) fn sort_parts(&mut self) {
        let parts = &self.parts;
        if let Some(order) = order_by(parts.len(), |i| (parts[i].pair, parts[i].cell)) {
            permute(&mut self.parts, &order);
            if self.by_place {
                permute(&mut self.intervals, &order);
            }
        }
    }

    /// The places of one pair, whose parts are sorted by place and cell. Their names are those of the lowest vertices that rays met.
    pub(super) fn places_of_pair(
        &mut self,
        lattice: &Lattice,
        (bodies, starts): (&[Body<'_>], &Starts),
        pair: Range<usize>,
    ) -> Vec<PlaceParts> {
        self.places.settle(lattice, &self.intervals[pair.clone()]);
        let place = &self.places.place;
        let parts = &mut self.parts[pair.clone()];
        let order = order_by(parts.len(), |i| (place[i], parts[i].cell));
        let first = parts.first().map_or([0; 2], |p| p.pair);
        let lowest = |p: &Part, mut lowest: [u32; 2]| {
            for (triangle, _) in [p.lower, p.upper] {
                let (body, t) = starts.of_triangle(triangle);
                let least = &mut lowest[usize::from(body as u32 != first[0])];
                *least = bodies[body].surface.triangles()[t as usize].into_iter().fold(*least, u32::min);
            }
            lowest
        };
        let mut sorted = Vec::with_capacity(place.len());
        sorted.extend((0..place.len()).map(|i| place[order.as_ref().map_or(i, |o| o[i] as usize)]));
        if let Some(order) = order {
            permute(parts, &order);
        }
        let mut end = pair.start;
        let (mut ranges, mut least) = (Vec::new(), Vec::new());
        for same in sorted.chunk_by(|p, q| p == q) {
            let range = end..end + same.len();
            end = range.end;
            least.push(self.parts[range.clone()].iter().fold([u32::MAX; 2], |l, p| lowest(p, l)));
            ranges.push(range);
        }
        let names = place_names(&least);
        names.into_iter().zip(ranges).map(|(name, parts)| PlaceParts { name, parts }).collect()
    }
}
