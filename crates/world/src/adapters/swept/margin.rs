//! How far bodies stray from their prediction: measured where a step ends, and guessed for the next one.
//!
//! A guess decides where candidates are looked for once instead of twice, and nothing else: a body that strays farther has its
//! candidates found anew.

use crate::swept::Margin;
use impinge_contact::SurfaceMap;
use impinge_geometry::{DVec3, is_finite};

/// Room for a stray that grows from step to step.
const GROWTH: f64 = 1.5;

/// Of the last margin that is kept when the stray is smaller.
const KEPT: f64 = 0.8;

/// In face sizes: boxes grown by more find so many pairs that looking twice costs less.
const LARGEST: f64 = 0.5;

/// Largest coordinates of how far vertices are from where they were predicted (m): as they are, and beside the mean of the body.
/// Rounding included; infinite where a position is not finite, zero only where the two are the same bits.
pub(super) fn stray(predicted: &[DVec3], real: &[DVec3]) -> Margin {
    if predicted == real {
        return Margin::default();
    }
    let way = |(p, r): (&DVec3, &DVec3)| *r - *p;
    let pairs = || predicted.iter().zip(real);
    let mean = pairs().map(way).fold(DVec3::zero(), |sum, d| sum + d) / predicted.len().max(1) as f64;
    if !is_finite(mean) {
        return Margin { others: f64::INFINITY, own: f64::INFINITY };
    }
    let largest = |v: DVec3| v.abs().component_max();
    let (mut others, mut own, mut farthest) = (0.0f64, 0.0f64, 0.0f64);
    for (p, r) in pairs() {
        let d = way((p, r));
        others = others.max(largest(d));
        own = own.max(largest(d - mean));
        farthest = farthest.max(largest(*p)).max(largest(*r));
    }
    // Differences, the mean and the grown boxes are rounded.
    let rounding = 16.0 * f64::EPSILON * farthest;
    Margin { others: others + rounding, own: own + rounding }
}

/// Remembers where the last step was predicted to end.
#[derive(Default)]
pub(super) struct Guess {
    predicted: Vec<DVec3>,
}

impl Guess {
    /// Margins from the last ones and from how far the step that ended at `x0` (m) strayed; `size` is that of a body's faces (m).
    pub fn margins(&self, map: &SurfaceMap, x0: &[DVec3], size: impl Fn(u32) -> f64, out: &mut Vec<Margin>) {
        out.resize(map.bodies(), Margin::default());
        let known = self.predicted.len() == x0.len();
        for (b, margin) in out.iter_mut().enumerate() {
            let range = map.range(b);
            let last =
                if known { stray(&self.predicted[range.clone()], &x0[range]) } else { Margin::default() };
            let most = LARGEST * size(b as u32);
            let next = |last: f64, margin: f64| {
                if last <= most { (GROWTH * last).max(KEPT * margin).min(most) } else { 0.0 }
            };
            *margin = Margin { others: next(last.others, margin.others), own: next(last.own, margin.own) };
        }
    }

    /// Keeps the predicted ends (m) of the step that begins.
    pub fn keep(&mut self, x1: &[DVec3]) {
        self.predicted.clear();
        self.predicted.extend_from_slice(x1);
    }
}
