//! The lowest triangle among equals, whatever order they come in.
//!
//! Above an edge or a vertex several triangles are equally near, up to rounding. Which of them rounding makes
//! the nearest changes with the pose; the one with the lowest index does not. "The lowest index with a key of
//! at most `accept(least key)`" is a statement about the set, so a tree and a loop over all triangles agree
//! exactly; the tracker below finds it in one pass and says when it cannot.

/// Follows the least key and the lowest index that ties with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lowest {
    least: f64,
    /// Keys up to here tie with the least one.
    accept: f64,
    /// Boxes whose bound is above this hold nothing that ties.
    pub prune: f64,
    id: u32,
    /// Where the holder stands in tree order.
    pub slot: usize,
    key: f64,
    /// Least key among those that tied and lost to a lower index or were lost to one.
    lost: f64,
    unsure: bool,
}

impl Lowest {
    /// Nothing seen yet; keys above `start` are of no interest.
    #[must_use]
    pub fn up_to(start: f64) -> Self {
        let inf = f64::INFINITY;
        Self {
            least: inf,
            accept: start,
            prune: start,
            id: u32::MAX,
            slot: usize::MAX,
            key: inf,
            lost: inf,
            unsure: false,
        }
    }

    /// A second pass when the least key is known from a first one.
    #[must_use]
    pub fn again(&self) -> Self {
        let inf = f64::INFINITY;
        Self { id: u32::MAX, slot: usize::MAX, key: inf, lost: inf, unsure: false, ..*self }
    }

    /// `true` when a tie may have been given away before the least key was known: run [`Lowest::again`].
    #[must_use]
    pub fn is_unsure(&self) -> bool {
        self.unsure
    }

    /// `true` when something was found.
    #[must_use]
    pub fn found(&self) -> bool {
        self.slot != usize::MAX
    }

    /// One more triangle; `true` when it is the one for now. `widen` gives `(accept, prune)`: the keys that tie
    /// with a least key, and those beyond which there is nothing of interest.
    #[inline]
    pub fn offer(&mut self, key: f64, id: u32, slot: usize, widen: impl Fn(f64) -> (f64, f64)) -> bool {
        if key > self.accept {
            return false;
        }
        if key < self.least {
            self.least = key;
            let (accept, prune) = widen(key);
            // Never wider than before: the first limit may be the caller's.
            self.accept = self.accept.min(accept);
            self.prune = self.prune.min(prune);
        }
        if self.key > self.accept || !self.found() {
            // The holder ties no more. Something it had beaten might.
            self.unsure |= self.lost <= self.accept;
            self.take(key, id, slot);
        } else if id < self.id {
            self.lost = self.lost.min(self.key);
            self.take(key, id, slot);
        } else {
            self.lost = self.lost.min(key);
            return false;
        }
        true
    }

    fn take(&mut self, key: f64, id: u32, slot: usize) {
        (self.key, self.id, self.slot) = (key, id, slot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_order_gives_the_lowest_index_that_ties(
            keys in prop::collection::vec(0u32..12, 1..12), seed in any::<u64>(),
        ) {
            let widen = |k: f64| (k + 3.0, k + 6.0);
            let least = f64::from(*keys.iter().min().unwrap());
            let want = keys.iter().position(|&k| f64::from(k) <= least + 3.0).unwrap();
            let mut order: Vec<usize> = (0..keys.len()).collect();
            let mut s = seed;
            for i in (1..order.len()).rev() {
                s = s.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                order.swap(i, (s >> 33) as usize % (i + 1));
            }
            let mut best = Lowest::up_to(f64::INFINITY);
            for &i in &order {
                best.offer(f64::from(keys[i]), i as u32, i, widen);
            }
            if best.is_unsure() {
                best = best.again();
                for &i in &order {
                    best.offer(f64::from(keys[i]), i as u32, i, widen);
                }
                prop_assert!(!best.is_unsure());
            }
            prop_assert_eq!(best.slot, want);
        }
    }
}
