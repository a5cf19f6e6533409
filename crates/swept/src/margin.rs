//! How far bodies stray from their prediction: measured where a step ends, and guessed for the next one.
//!
//! A guess decides where candidates are looked for once instead of twice, and nothing else: a body that strays farther has its
//! candidates found anew.

use super::tables::Margin;
use impinge_contact::SurfaceMap;
use impinge_geometry::arrays::arrays;
use impinge_geometry::{DVec3, is_finite};

/// Room for a stray that grows from step to step.
const GROWTH: f64 = 1.5;

/// Of the last margin that is kept when the stray is smaller.
const KEPT: f64 = 0.8;

/// In face sizes: boxes grown by more find so many pairs that looking twice costs less (by half a size, three to four
/// times as many on a crumpled octopus).
pub const LARGEST: f64 = 0.1;

/// Largest coordinates of how far vertices are from where they were predicted (m): as they are, and beside the mean of the body.
/// Rounding included; infinite where a position is not finite, zero only where the two are the same bits.
#[must_use]
pub fn stray(predicted: &[DVec3], real: &[DVec3]) -> Margin {
    if predicted == real {
        return Margin::default();
    }
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

/// The means of several rows of points of one length (m), each summed in its order: side by side the sums do not wait for each other.
#[must_use]
pub fn means<const N: usize>(rows: [&[DVec3]; N]) -> [DVec3; N] {
    let n = rows.iter().map(|x| x.len()).min().unwrap_or_default();
    let (rows, mut sums) = (rows.map(|x| &x[..n]), [DVec3::zero(); N]);
    for i in 0..n {
        for (sum, x) in sums.iter_mut().zip(&rows) {
            *sum += x[i];
        }
    }
    sums.map(|sum| sum / n.max(1) as f64)
}

/// Numbers of four points side by side, as in `Aabb::from_points`.
const LANES: usize = 12;

/// Largest numbers of each lane.
#[derive(Clone, Copy)]
struct Largest {
    others: [f64; LANES],
    own: [f64; LANES],
    farthest: [f64; LANES],
}

#[inline(always)]
fn more(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// How far `at` is outside of the stretch around three numbers; negative inside.
#[inline(always)]
fn outside(p: [f64; 3], at: f64) -> f64 {
    let less = |a: f64, b: f64| if a < b { a } else { b };
    more(less(less(p[0], p[1]), p[2]) - at, at - more(more(p[0], p[1]), p[2]))
}

/// The coordinates of a stretch of points at their three places and where they are.
fn look_at(places: &[&[f64]; 4], middles: &[[f64; LANES]; 4], out: &mut Largest) {
    let mut see = |i: usize, [a, b, c, r]: [f64; 4]| {
        let [p, q, s, m] = middles;
        out.others[i] = more(out.others[i], outside([a, b, c], r));
        out.own[i] = more(out.own[i], outside([a - p[i], b - q[i], c - s[i]], r - m[i]));
        let farthest = more(more(a.abs(), b.abs()), more(c.abs(), r.abs()));
        out.farthest[i] = more(out.farthest[i], farthest);
    };
    let [a, b, c, r] = places.map(|x| x.chunks_exact(LANES));
    let [ra, rb, rc, rr] = [&a, &b, &c, &r].map(|x| x.remainder());
    for (((a, b), c), r) in a.zip(b).zip(c).zip(r) {
        for i in 0..LANES {
            see(i, [a[i], b[i], c[i], r[i]]);
        }
    }
    for (i, (((a, b), c), r)) in ra.iter().zip(rb).zip(rc).zip(rr).enumerate() {
        see(i, [*a, *b, *c, *r]);
    }
}

/// How far a body that ends at `real` leaves the boxes around each vertex' places, start, prediction and guess (m): where all of them are, and as
/// seen from the mean of the body. Rounding included; infinite where a position is not finite. Where both are above `enough`, they are some
/// numbers above it: the rest is not looked at.
#[must_use]
pub fn beyond(places: [&[DVec3]; 3], real: &[DVec3], enough: Margin) -> Margin {
    let [x0, x1, guess] = places;
    let middle = means([x0, x1, guess, real]);
    // A number that is not finite makes its mean so.
    if !middle.iter().all(|m| is_finite(*m)) {
        return Margin { others: f64::INFINITY, own: f64::INFINITY };
    }
    let middles = middle.map(|m| std::array::from_fn(|i| m[i % 3]));
    let zero = [0.0; LANES];
    let mut out = Largest { others: zero, own: zero, farthest: zero };
    let most = |of: &[f64; LANES]| of.iter().fold(0.0, |a, b| more(a, *b));
    const STRETCH: usize = 256 * 3;
    let [a, b, c, r] = [x0, x1, guess, real].map(|x| arrays(x).as_flattened().chunks(STRETCH));
    for (((a, b), c), r) in a.zip(b).zip(c).zip(r) {
        look_at(&[a, b, c, r], &middles, &mut out);
        if most(&out.others) > enough.others && most(&out.own) > enough.own {
            break;
        }
    }
    // Differences, the means and the grown boxes are rounded.
    let rounding = 16.0 * f64::EPSILON * most(&out.farthest);
    Margin { others: most(&out.others) + rounding, own: most(&out.own) + rounding }
}

/// In face sizes: a stray that is guessed is no longer than this along any axis.
const LONGEST: f64 = 1.0;

/// Remembers where the last step was predicted to end, and was guessed to.
///
/// A body strays alike from step to step: what rests is predicted to fall by g Δt² and is held, in every step anew. So the
/// guess is the prediction and the stray of the step before.
#[derive(Default)]
pub struct Guess {
    start: Vec<DVec3>,
    predicted: Vec<DVec3>,
    guessed: Vec<DVec3>,
}

impl Guess {
    /// Margins from the last ones and from how far the step that ended at `x0` (m) strayed; `size` is that of a body's faces (m).
    pub fn margins(&self, map: &SurfaceMap, x0: &[DVec3], size: impl Fn(u32) -> f64, out: &mut Vec<Margin>) {
        out.resize(map.bodies(), Margin::default());
        let known = self.predicted.len() == x0.len();
        for (b, margin) in out.iter_mut().enumerate() {
            let range = map.range(b);
            let most = LARGEST * size(b as u32);
            let last = match known {
                true => self.last(range.clone(), &x0[range], Margin { others: most, own: most }),
                false => Margin::default(),
            };
            let next = |last: f64, margin: f64| {
                if last <= most { (GROWTH * last).max(KEPT * margin).min(most) } else { 0.0 }
            };
            *margin = Margin { others: next(last.others, margin.others), own: next(last.own, margin.own) };
        }
    }

    /// How far a body has strayed that is at `x0` now (m).
    fn last(&self, range: std::ops::Range<usize>, x0: &[DVec3], enough: Margin) -> Margin {
        let predicted = &self.predicted[range.clone()];
        if self.guessed.len() != self.predicted.len() {
            return stray(predicted, x0);
        }
        if predicted == x0 {
            return Margin::default();
        }
        beyond([&self.start[range.clone()], predicted, &self.guessed[range]], x0, enough)
    }

    /// Writes where vertices may end that are at `x0` and predicted at `x1` (m).
    pub fn ends(
        &self,
        map: &SurfaceMap,
        [x0, x1]: [&[DVec3]; 2],
        size: impl Fn(u32) -> f64,
        out: &mut Vec<DVec3>,
    ) {
        out.clear();
        out.extend_from_slice(x1);
        if self.predicted.len() != x0.len() {
            return;
        }
        for b in 0..map.bodies() {
            let most = DVec3::broadcast(LONGEST * size(b as u32));
            for i in map.range(b) {
                let strayed = x0[i] - self.predicted[i];
                out[i] += strayed.max_by_component(-most).min_by_component(most);
            }
        }
    }

    /// Keeps the start, the predicted ends and the guess (m) of the step that begins.
    pub fn keep(&mut self, x0: &[DVec3], x1: &[DVec3], guess: &[DVec3]) {
        for (to, from) in [(&mut self.start, x0), (&mut self.predicted, x1), (&mut self.guessed, guess)] {
            to.clear();
            to.extend_from_slice(from);
        }
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
        guess.keep(&at(0.0), &at(0.1), &[]);
        guess.margins(&map, &at(0.0), |_| 10.0, &mut out);
        assert!((out[0].others - 0.45).abs() < 1e-12 && (out[0].own - 0.15).abs() < 1e-12, "{out:?}");
        guess.keep(&at(0.0), &at(0.0), &[]);
        guess.margins(&map, &at(0.0), |_| 10.0, &mut out);
        assert!((out[0].others - 0.36).abs() < 1e-12, "{out:?}");
        guess.keep(&at(0.0), &at(0.1), &[]);
        guess.margins(&map, &at(0.0), |_| 1.0, &mut out);
        assert_eq!(out, [Margin::default()]);
    }

    /// What the guess foresees is no stray; nor is what lies between start and prediction.
    #[test]
    fn a_stray_that_comes_again_is_foreseen() {
        let mut map = SurfaceMap::default();
        map.push_body(impinge_contact::Attachment::Rigid, &at(0.0));
        let (mut guess, mut margins, mut ends) = (Guess::default(), Vec::new(), Vec::new());
        guess.ends(&map, [&at(0.0), &at(-0.1)], |_| 10.0, &mut ends);
        assert_eq!(ends, at(-0.1));
        guess.keep(&at(0.0), &at(-0.1), &ends);
        // Held where it was, and predicted to fall again.
        guess.margins(&map, &at(0.0), |_| 10.0, &mut margins);
        assert!(margins[0].others < 1e-13, "{margins:?}");
        guess.ends(&map, [&at(0.0), &at(-0.1)], |_| 10.0, &mut ends);
        assert_eq!(ends, at(0.0));
        let none = Margin::default();
        let foreseen = beyond([&at(0.0), &at(-0.1), &ends], &at(0.0), none);
        assert!(foreseen.others < 1e-13 && foreseen.own < 1e-13, "{foreseen:?}");
        let thrown = beyond([&at(0.0), &at(-0.1), &ends], &at(0.2), none);
        assert!((thrown.others - 0.6).abs() < 1e-12 && (thrown.own - 0.2).abs() < 1e-12, "{thrown:?}");
        // No longer than a face.
        guess.keep(&at(0.0), &at(-9.0), &[]);
        guess.ends(&map, [&at(0.0), &at(-9.0)], |_| 1.0, &mut ends);
        assert_eq!(ends, at(-9.0).iter().map(|x| *x + DVec3::unit_z()).collect::<Vec<_>>());
        let mut lost = at(1.0);
        lost[1].x = f64::NAN;
        assert!(beyond([&at(0.0), &at(0.0), &at(0.0)], &lost, none).own == f64::INFINITY);
    }
}
