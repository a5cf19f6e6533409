//! From sorted layers to intersections: along each ray the stretches that two bodies, or one body twice, both cover.
//!
//! A ray keeps a count for each body, up by one where it enters and down where it leaves. Two bodies overlap while both counts are
//! positive, a body overlaps itself while its count is two or more. Any number of bodies and any winding go through the same walk.

use super::raster::Band;
use super::sample::Sample;
use crate::closed::Body;

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Overlaps of different bodies.
    pub between: bool,
    /// Overlaps of a body with itself.
    pub within: bool,
}

/// A stretch of a ray that belongs to a pair (lower body first; twice the same for a self-intersection).
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    pub pair: [u32; 2],
    pub pixel: u32,
    pub lower: Sample,
    pub upper: Sample,
}

/// Scratch of the walk.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// Bodies the ray is inside of, and how often.
    inside: Vec<(u32, i32)>,
    /// Pairs that overlap just now and the layer where that began.
    open: Vec<([u32; 2], Sample)>,
}

impl Walk {
    /// Calls `out` for every interval of a band, ray by ray. `body` tells the body of a sample; of the body `cut` samples are missing where
    /// the rays start.
    pub fn band(
        &mut self,
        band: &Band,
        wanted: Wanted,
        cut: Option<u32>,
        body: impl Fn(&Sample) -> u32,
        mut out: impl FnMut(Interval),
    ) {
        for pixel in 0..band.start.len() - 1 {
            let ray = &band.samples[band.start[pixel] as usize..band.start[pixel + 1] as usize];
            if ray.is_empty() {
                continue;
            }
            self.inside.clear();
            self.open.clear();
            if let Some(cut) = cut {
                // It ends outside.
                let turns = ray.iter().filter(|s| body(s) == cut).map(|s| if s.enters() { -1 } else { 1 });
                self.inside.push((cut, turns.sum()));
            }
            for s in ray {
                self.step(s, body(s), wanted, |pair, lower| {
                    out(Interval { pair, pixel: pixel as u32, lower, upper: *s });
                });
            }
        }
    }

    fn step(&mut self, s: &Sample, body: u32, wanted: Wanted, mut close: impl FnMut([u32; 2], Sample)) {
        let at = self.inside.iter().position(|x| x.0 == body).unwrap_or_else(|| {
            self.inside.push((body, 0));
            self.inside.len() - 1
        });
        let was = self.inside[at].1;
        let is = if s.enters() { was + 1 } else { was - 1 };
        self.inside[at].1 = is;
        let (open, inside) = (&mut self.open, &self.inside);
        let mut change = |pair: [u32; 2], opens: bool| {
            if opens {
                open.push((pair, *s));
            } else if let Some(k) = open.iter().position(|o| o.0 == pair) {
                close(pair, open.remove(k).1);
            }
        };
        if wanted.within && (was >= 2) != (is >= 2) {
            change([body, body], is >= 2);
        }
        if wanted.between && (was > 0) != (is > 0) {
            for &(other, _) in inside.iter().filter(|x| x.0 != body && x.1 > 0) {
                change([body.min(other), body.max(other)], is > 0);
            }
        }
    }
}

/// How many layers a ray has at least that says anything about overlaps below their top.
#[must_use]
pub fn fewest(bodies: &[Body<'_>], cut: Option<u32>) -> usize {
    match (bodies, cut) {
        // In twice and out twice.
        ([_], _) => 4,
        // Of two that overlap the last way out lies above the top, and where rays start inside a body no way in is seen.
        (_, None) => 3,
        (_, Some(_)) => 2,
    }
}

/// As [`Walk::band`] for the overlaps of the only body with itself, where a count is all there is to keep.
pub fn within(band: &Band, mut out: impl FnMut(Interval)) {
    for (pixel, range) in band.start.windows(2).enumerate() {
        let ray = &band.samples[range[0] as usize..range[1] as usize];
        let mut inside = 0;
        let mut open = None;
        for s in ray {
            inside += if s.enters() { 1 } else { -1 };
            if inside >= 2 {
                open = open.or(Some(*s));
            } else if let Some(lower) = open.take() {
                out(Interval { pair: [0, 0], pixel: pixel as u32, lower, upper: *s });
            }
        }
    }
}

/// Weights of the corners of a triangle, seen along the axis, at a pixel's centre.
#[must_use]
pub fn weights(corner: [[f64; 3]; 3], centre: [f64; 2]) -> [f64; 3] {
    let [a, b, c] = corner;
    let (u, v) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
    let w = [centre[0] - a[0], centre[1] - a[1]];
    let turn = u[0] * v[1] - u[1] * v[0];
    let (x, y) = ((w[0] * v[1] - w[1] * v[0]) / turn, (u[0] * w[1] - u[1] * w[0]) / turn);
    if !(x.is_finite() && y.is_finite()) {
        return [1.0 / 3.0; 3];
    }
    // Inside by the raster's decision: what sticks out is rounding.
    let (x, y) = (x.clamp(0.0, 1.0), y.clamp(0.0, 1.0));
    let z = (1.0 - x - y).max(0.0);
    let sum = x + y + z;
    [z / sum, x / sum, y / sum]
}
