//! Moments of a region of a triangle from the directed segments around it, in the plane of the weights of corners 1 and 2.
//!
//! Green's theorem about corner 0: a segment s → e adds c/2 to ∫1, c (s + e)/6 to ∫(β₁, β₂), with c = s × e. The whole triangle is ½,
//! ⅙, ⅙; the true measure is |normal| times that.

use super::cross::Segment;

/// ∫1, ∫β₁, ∫β₂ over a region, in the plane of (β₁, β₂).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    pub area: f64,
    pub first: [f64; 2],
}

impl Moments {
    /// The segment `s → e`, `times` over.
    #[inline]
    pub fn add(&mut self, s: [f64; 2], e: [f64; 2], times: f64) {
        let c = times * (s[0] * e[1] - s[1] * e[0]);
        self.area += 0.5 * c;
        self.first[0] += c * (s[0] + e[0]) / 6.0;
        self.first[1] += c * (s[1] + e[1]) / 6.0;
    }

    /// A segment in A's triangle (`side` 0) or B's, and the way on from its ends along side 1–2. The other sides pass through the origin and add nothing.
    #[inline]
    pub fn add_segment(&mut self, side: usize, segment: &Segment) {
        let [start, end] = segment.directed(side);
        self.add(start.seen(side), end.seen(side), 1.0);
        for e in segment.on_own_edges(side).filter(|e| e.side == 1) {
            self.add(e.seen(side), [0.0, 1.0], f64::from(e.sign));
        }
    }

    /// The side from corner 1 to corner 2, `times` over.
    #[inline]
    pub fn add_side_12(&mut self, times: f64) {
        self.area += 0.5 * times;
        self.first[0] += times / 6.0;
        self.first[1] += times / 6.0;
    }

    /// ∫β of the three corners.
    #[inline]
    #[must_use]
    pub fn of_corners(&self) -> [f64; 3] {
        [self.area - self.first[0] - self.first[1], self.first[0], self.first[1]]
    }
}
