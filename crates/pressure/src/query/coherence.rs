//! What one step's search leaves to the next.

use super::relative::Relative;

/// Pairs of blocks kept from one step to the next for one pair of bodies.
///
/// They were found with boxes widened by `margin`; until the bodies have moved against each other by that much, they
/// are a superset of what a new search would find, and the search is left out. Two fields that hardly move also keep the
/// rows, a tet against a block, that come near a polygon, for a small part of the margin: iterations of one step, and steps of
/// bodies at rest. The polygons are the same.
#[derive(Clone, Debug)]
pub struct Coherence {
    pub(super) margin: f64,
    pub(super) levels: [usize; 2],
    pub(super) pairs: Vec<[u32; 2]>,
    found: Option<Relative>,
    searches: u64,
    pub(super) rows: Vec<[u32; 2]>,
    rows_at: Option<Relative>,
    last: Option<Relative>,
}

/// Part of the margin that rows are kept for. Wider ones keep more rows that have nothing.
const FINE: f64 = 1.0 / 64.0;

/// What to do about rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rows {
    /// Those kept hold.
    Kept,
    /// The bodies hardly moved since the last query: take them anew.
    Take,
    /// The bodies move: not worth it.
    Leave,
}

impl Coherence {
    /// With boxes widened by `margin` (m): a few steps' motion.
    #[must_use]
    pub fn new(margin: f64) -> Self {
        let margin = if margin.is_finite() { margin.max(0.0) } else { 0.0 };
        Self {
            margin,
            levels: [0, 0],
            pairs: Vec::new(),
            found: None,
            searches: 0,
            rows: Vec::new(),
            rows_at: None,
            last: None,
        }
    }

    /// Forgets what was found; call it when a body is replaced by another.
    pub fn clear(&mut self) {
        (self.found, self.rows_at, self.last) = (None, None, None);
    }

    /// How far a point may move while rows are kept (m).
    pub(super) fn fine(&self) -> f64 {
        self.margin * FINE
    }

    /// `radius`: of the guest's points and, because the guest's functions are asked for at them, of the host's, about the middle of the
    /// guest. Whether the rows kept hold, and whether others are worth while. Whichever is chosen, the polygons are the same.
    pub(super) fn rows(&mut self, now: &Relative, radius: f64) -> Rows {
        let near = |then: &Option<Relative>| then.is_some_and(|t| moved(&t, now, radius) <= self.fine());
        let (kept, rests) = (near(&self.rows_at), near(&self.last));
        self.last = Some(*now);
        if kept {
            return Rows::Kept;
        }
        self.rows_at = rests.then_some(*now);
        if rests { Rows::Take } else { Rows::Leave }
    }

    /// How often the trees had to be searched.
    #[must_use]
    pub fn searches(&self) -> u64 {
        self.searches
    }

    /// Whether nothing of a guest of this radius has moved further than the margin since the search.
    pub(super) fn holds(&self, now: &Relative, radius: f64) -> bool {
        self.found.is_some_and(|then| moved(&then, now, radius) <= self.margin)
    }

    /// Takes the pairs just found, for bodies that stand like this, in ascending order: whatever margin and levels found them, the sums
    /// keep their bits.
    pub(super) fn keep(&mut self, now: &Relative) {
        self.pairs.sort_unstable();
        self.found = Some(*now);
        // Rows are of the pairs and levels that were.
        self.rows_at = None;
        self.searches += 1;
    }
}

/// How far a point of a guest of this radius has moved at most (m).
fn moved(then: &Relative, now: &Relative, radius: f64) -> f64 {
    let (mut turn, mut shift) = (0.0, 0.0);
    for k in 0..3 {
        shift += (now.t[k] - then.t[k]) * (now.t[k] - then.t[k]);
        for j in 0..3 {
            turn += (now.r[k][j] - then.r[k][j]) * (now.r[k][j] - then.r[k][j]);
        }
    }
    // |(R − R')x| ≤ |R − R'|_F |x|.
    shift.sqrt() + turn.sqrt() * radius
}
