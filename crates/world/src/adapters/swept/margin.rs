//! How far bodies stray from their prediction: measured where a step ends, and guessed for the next one.
//!
//! A guess decides where candidates are looked for once instead of twice, and nothing else: a body that strays farther has its
//! candidates found anew.

use crate::swept::Margin;
use impinge_contact::SurfaceMap;
use impinge_geometry::arrays::arrays;
use impinge_geometry::{DVec3, is_finite};

/// Room for a stray that grows from step to step.
const GROWTH: f64 = 1.5;

/// Of the last margin that is kept when the stray is smaller.
const KEPT: f64 = 0.8;

/// In face sizes: boxes grown by more find so many pairs that looking twice costs less (by half a size, three to four
/// times as many on a crumpled octopus).
pub(super) const LARGEST: f64 = 0.1;

/// Largest coordinates of how far vertices are from where they were predicted (m): as they are, and beside the mean of the body.
/// Rounding included; infinite where a position is not finite, zero only where the two are the same bits.
pub(super) fn stray(predicted: &[DVec3], real: &[DVec3]) -> Margin {
    if predicted == real {
        return Margin::default();
    }
    // Four points side by side, as in `Aabb::from_points`.
    const LANES: usize = 12;
    let (mut low, mut high) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
    let (mut sum, mut farthest) = ([0.0; LANES], [0.0f64; LANES]);
    let mut see = |i: usize, p: f64, r: f64| {
        let d = r - p;
        sum[i] += d;
        low[i] = if d < low[i] { d } else { low[i] };
        high[i] = if d > high[i] { d } else { high[i] };
        farthest[i] = if p.abs() > farthest[i] { p.abs() } else { farthest[i] };
        farthest[i] = if r.abs() > farthest[i] { r.abs() } else { farthest[i] };
    };
    let n = predicted.len().min(real.len());
    let [p, r] = [predicted, real].map(|x| arrays(&x[..n]).as_flattened());
    let (mut p, mut r) = (p.chunks_exact(LANES), r.chunks_exact(LANES));
    for (p, r) in p.by_ref().zip(r.by_ref()) {
        for i in 0..LANES {
            see(i, p[i], r[i]);
        }
    }
    for (i, (p, r)) in p.remainder().iter().zip(r.remainder()).enumerate() {
        see(i, *p, *r);
    }
    let of = |v: &[f64; LANES], join: fn(f64, f64) -> f64| {
        let axis = |k: usize| join(join(v[k], v[k + 3]), join(v[k + 6], v[k + 9]));
        DVec3::new(axis(0), axis(1), axis(2))
    };
    let mean = of(&sum, |a, b| a + b) / predicted.len().max(1) as f64;
    let (low, high, farthest) = (of(&low, f64::min), of(&high, f64::max), of(&farthest, f64::max));
    if !is_finite(mean) {
        return Margin { others: f64::INFINITY, own: f64::INFINITY };
    }
    let largest = |a: DVec3, b: DVec3| a.abs().max_by_component(b.abs()).component_max();
    let (others, own) = (largest(low, high), largest(low - mean, high - mean));
    // Differences, the mean and the grown boxes are rounded.
    let rounding = 16.0 * f64::EPSILON * farthest.component_max();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn at(z: f64) -> Vec<DVec3> {
        [0.0, 1.0, 2.0].map(|x| DVec3::new(x, 0.0, z * (1.0 + x))).to_vec()
    }

    /// Zero for the same bits only; against itself a body does not stray by going elsewhere as a whole.
    #[test]
    fn the_stray_is_the_largest_coordinate() {
        assert_eq!(stray(&at(1.0), &at(1.0)), Margin::default());
        let moved: Vec<DVec3> = at(1.0).iter().map(|x| *x + DVec3::new(0.0, -0.5, 0.25)).collect();
        let whole = stray(&at(1.0), &moved);
        assert!((whole.others - 0.5).abs() < 1e-13 && whole.own > 0.0 && whole.own < 1e-13, "{whole:?}");
        let bent = stray(&at(1.0), &at(1.5));
        assert!((bent.others - 1.5).abs() < 1e-13 && (bent.own - 0.5).abs() < 1e-13, "{bent:?}");
        let mut lost = at(1.0);
        lost[1].x = f64::NAN;
        assert!(stray(&at(1.0), &lost).others == f64::INFINITY);
    }

    /// None at first and beside faces that are too small for it, else more than the last stray.
    #[test]
    fn the_guess_follows_the_stray() {
        let mut map = SurfaceMap::default();
        map.push_body(impinge_contact::Attachment::Rigid, &at(0.0));
        let (mut guess, mut out) = (Guess::default(), Vec::new());
        guess.margins(&map, &at(0.0), |_| 10.0, &mut out);
        assert_eq!(out, [Margin::default()]);
        guess.keep(&at(0.1));
        guess.margins(&map, &at(0.0), |_| 10.0, &mut out);
        assert!((out[0].others - 0.45).abs() < 1e-12 && (out[0].own - 0.15).abs() < 1e-12, "{out:?}");
        guess.keep(&at(0.0));
        guess.margins(&map, &at(0.0), |_| 10.0, &mut out);
        assert!((out[0].others - 0.36).abs() < 1e-12, "{out:?}");
        guess.keep(&at(0.1));
        guess.margins(&map, &at(0.0), |_| 1.0, &mut out);
        assert_eq!(out, [Margin::default()]);
    }
}
