//! A region of a triangle as the directed segments around it, to be cut at the walls of a grid.
//!
//! Segments may come in any order and with any multiplicity; only their ends must cancel. Cutting at a line keeps that so: what is
//! left open on the line is joined to one point of it.

use super::moments::Moments;

/// Directed segments s → e in the plane of the weights of corners 1 and 2, each `times` over.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    segments: Vec<Segment>,
    /// Room for those to be cut.
    cut: Vec<Segment>,
}

type Segment = ([f64; 2], [f64; 2], f64);

impl Chain {
    pub fn clear(&mut self) {
        self.segments.clear();
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    pub fn add(&mut self, s: [f64; 2], e: [f64; 2], times: f64) {
        if times != 0.0 && s != e {
            self.segments.push((s, e, times));
        }
    }

    #[must_use]
    pub fn moments(&self) -> Moments {
        let mut m = Moments::default();
        self.segments.iter().for_each(|&(s, e, times)| m.add(s, e, times));
        m
    }

    /// How often it goes around a point, counter-clockwise.
    #[must_use]
    pub fn winding(&self, at: [f64; 2]) -> f64 {
        let turns = self.segments.iter().map(|&(s, e, times)| {
            // A ray along β₁, with the lower end of a segment on it and the upper one not.
            if (s[1] <= at[1]) == (e[1] <= at[1]) {
                return 0.0;
            }
            let turn = (e[0] - s[0]) * (at[1] - s[1]) - (e[1] - s[1]) * (at[0] - s[0]);
            let up = e[1] > s[1];
            if (turn > 0.0) == up { if up { times } else { -times } } else { 0.0 }
        });
        turns.sum()
    }

    /// Least and greatest of h = h[0] + h[1] β₁ + h[2] β₂ over the ends.
    #[must_use]
    pub fn range(&self, h: [f64; 3]) -> (f64, f64) {
        let at = |b: [f64; 2]| h[0] + h[1] * b[0] + h[2] * b[1];
        self.segments.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), (s, e, _)| {
            (lo.min(at(*s)).min(at(*e)), hi.max(at(*s)).max(at(*e)))
        })
    }

    /// Moves the part with h < `wall` to `below` (cleared first); what is left is the rest.
    pub fn cut(&mut self, h: [f64; 3], wall: f64, below: &mut Self) {
        let at = |b: [f64; 2]| h[0] + h[1] * b[0] + h[2] * b[1] - wall;
        below.clear();
        // Most walls pass beside most chains.
        let (mut low, mut high) = (false, false);
        for (s, e, _) in &self.segments {
            let under = [at(*s) < 0.0, at(*e) < 0.0];
            low |= under[0] | under[1];
            high |= !(under[0] & under[1]);
        }
        if !(low && high) {
            if low {
                std::mem::swap(&mut self.segments, &mut below.segments);
            }
            return;
        }
        std::mem::swap(&mut self.segments, &mut self.cut);
        self.segments.clear();
        let all = std::mem::take(&mut self.cut);
        let mut joint = None;
        for &(s, e, times) in &all {
            let (hs, he) = (at(s), at(e));
            match (hs < 0.0, he < 0.0) {
                (true, true) => below.segments.push((s, e, times)),
                (false, false) => self.segments.push((s, e, times)),
                (leaves, _) => {
                    let t = hs / (hs - he);
                    let x = [s[0] + (e[0] - s[0]) * t, s[1] + (e[1] - s[1]) * t];
                    let joint = *joint.get_or_insert(x);
                    let (low, high) =
                        if leaves { (&mut *below, &mut *self) } else { (&mut *self, &mut *below) };
                    low.add(s, x, times);
                    low.add(x, joint, times);
                    high.add(joint, x, times);
                    high.add(x, e, times);
                }
            }
        }
        self.cut = all;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_a_triangle_add_up_to_it() {
        let mut whole = Chain::default();
        for (s, e) in [([0.0, 0.0], [1.0, 0.0]), ([1.0, 0.0], [0.0, 1.0]), ([0.0, 1.0], [0.0, 0.0])] {
            whole.add(s, e, 1.0);
        }
        // β₁ + 2 β₂ < 1 cuts off the half next to corner 1.
        let want = whole.moments();
        let mut below = Chain::default();
        whole.cut([0.0, 1.0, 2.0], 1.0, &mut below);
        let (b, a) = (below.moments(), whole.moments());
        assert!((b.area - 0.25).abs() < 1e-16 && (a.area - 0.25).abs() < 1e-16, "{b:?} {a:?}");
        assert!((a.first[0] + b.first[0] - want.first[0]).abs() < 1e-16);
        // ∫β₁ over the triangle (0,0), (1,0), (0,½): area · mean of corners = ¼ · ⅓.
        assert!((b.first[0] - 0.25 / 3.0).abs() < 1e-16);
        // Cutting beside it takes all or nothing.
        let mut rest = below.clone();
        rest.cut([0.0, 1.0, 0.0], 2.0, &mut whole);
        assert!(rest.is_empty() && whole.moments() == b);
    }
}
