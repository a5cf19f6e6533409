//! Which vertices or triangles belong to which place, found without a search.

/// (place, item) in the order they came in. Nearly every item is in one place, so a chain from each item is short.
#[derive(Clone, Debug, Default)]
pub struct Members {
    list: Vec<(u32, u32)>,
    /// By item: the member that came in last.
    head: Vec<u32>,
    /// By member: the one of the same item before it.
    next: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Members {
    /// Forgets all members; items are below `items` from now on. Costs what was in it, not what could be.
    pub fn clear(&mut self, items: usize) {
        for &(_, item) in &self.list {
            self.head[item as usize] = NONE;
        }
        self.head.resize(items, NONE);
        self.list.clear();
        self.next.clear();
    }

    /// All members.
    #[must_use]
    pub fn list(&self) -> &[(u32, u32)] {
        &self.list
    }

    /// Whether an item is in any place.
    #[inline]
    #[must_use]
    pub fn is_any(&self, item: u32) -> bool {
        self.head[item as usize] != NONE
    }

    /// The number of a member.
    #[inline]
    #[must_use]
    pub fn at(&self, place: u32, item: u32) -> Option<usize> {
        let mut at = self.head[item as usize];
        while at != NONE {
            if self.list[at as usize].0 == place {
                return Some(at as usize);
            }
            at = self.next[at as usize];
        }
        None
    }

    /// The number of a member, which comes in if it was not one.
    #[inline]
    pub fn insert(&mut self, place: u32, item: u32) -> usize {
        self.at(place, item).unwrap_or_else(|| {
            let at = self.list.len();
            self.list.push((place, item));
            self.next.push(self.head[item as usize]);
            self.head[item as usize] = at as u32;
            at
        })
    }

    /// Members are numbered in ascending order from now on. Costs as much as there are items and places besides.
    pub fn sort(&mut self) {
        if self.list.is_sorted() {
            return;
        }
        // Where those of each place start, then where its next one goes; items come in ascending order.
        let places = self.list.iter().map(|m| m.0 as usize + 1).max().unwrap_or(0);
        let mut slot = vec![0u32; places + 1];
        self.list.iter().for_each(|m| slot[m.0 as usize + 1] += 1);
        (1..=places).for_each(|p| slot[p] += slot[p - 1]);
        let mut sorted = vec![(0, 0); self.list.len()];
        for (item, &head) in (0..).zip(&self.head) {
            let mut at = head;
            while at != NONE {
                let place = self.list[at as usize].0;
                let slot = &mut slot[place as usize];
                sorted[*slot as usize] = (place, item);
                *slot += 1;
                at = self.next[at as usize];
            }
        }
        self.clear(self.head.len());
        for (at, &(_, item)) in (0..).zip(&sorted) {
            self.next.push(self.head[item as usize]);
            self.head[item as usize] = at;
        }
        self.list = sorted;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As a sorted set of pairs, over two uses.
    #[test]
    fn members_are_a_set_of_pairs() {
        let mut members = Members::default();
        for turn in 0..2u32 {
            members.clear(10);
            let mut expected = std::collections::BTreeSet::new();
            for k in 0..60u32 {
                let pair = ((7 * k + turn) % 5, (3 * k * k + turn) % 10);
                let known = members.at(pair.0, pair.1).is_some();
                assert_eq!(known, !expected.insert(pair));
                let at = members.insert(pair.0, pair.1);
                assert_eq!(members.list()[at], pair);
            }
            members.sort();
            assert!(members.list().iter().eq(expected.iter()));
            for place in 0..5 {
                for item in 0..10 {
                    let at = members.at(place, item).map(|at| members.list()[at]);
                    assert_eq!(at, expected.get(&(place, item)).copied());
                }
            }
        }
    }
}
