//! What one step's search leaves to the next.

use super::relative::Relative;

/// Pairs of blocks kept from one step to the next for one pair of bodies.
///
/// They were found with boxes widened by `margin`; until the bodies have moved against each other by that much, they
/// are a superset of what a new search would find, and the search is left out. The polygons are the same.
#[derive(Clone, Debug)]
pub struct Coherence {
    pub(super) margin: f64,
    pub(super) levels: [usize; 2],
    pub(super) pairs: Vec<[u32; 2]>,
    found: Option<Relative>,
    searches: u64,
}

impl Coherence {
    /// With boxes widened by `margin` (m): a few steps' motion.
    pub fn new(margin: f64) -> Self {
        let margin = if margin.is_finite() { margin.max(0.0) } else { 0.0 };
        Self { margin, levels: [0, 0], pairs: Vec::new(), found: None, searches: 0 }
    }

    /// Forgets what was found; call it when a body is replaced by another.
    pub fn clear(&mut self) {
        self.found = None;
    }

    /// How often the trees had to be searched.
    pub fn searches(&self) -> u64 {
        self.searches
    }

    /// Whether nothing of a guest of this radius has moved further than the margin since the search.
    pub(super) fn holds(&self, now: &Relative, radius: f64) -> bool {
        let Some(then) = &self.found else { return false };
        let (mut turn, mut shift) = (0.0, 0.0);
        for k in 0..3 {
            shift += (now.t[k] - then.t[k]) * (now.t[k] - then.t[k]);
            for j in 0..3 {
                turn += (now.r[k][j] - then.r[k][j]) * (now.r[k][j] - then.r[k][j]);
            }
        }
        // |(R − R')x| ≤ |R − R'|_F |x|.
        shift.sqrt() + turn.sqrt() * radius <= self.margin
    }

    /// Takes the pairs just found, for bodies that stand like this, in ascending order: whatever margin and levels found them, the sums
    /// keep their bits.
    pub(super) fn keep(&mut self, now: &Relative) {
        self.pairs.sort_unstable();
        self.found = Some(*now);
        self.searches += 1;
    }
}
