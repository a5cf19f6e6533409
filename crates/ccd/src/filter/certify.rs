//! Tier 2: roots of one cubic, isolated and tested with certainty in f64, or "cannot say".
//!
//! The interval [0, 1] is cut into pieces until each piece either certainly holds no root (all Bernstein coefficients of
//! one certain sign), or exactly one (certain opposite ends, one possible variation: Descartes' rule), or is left to
//! the exact tier. A piece that is left open may still be harmless: if two of the touching conditions have certain
//! opposite signs all over it, the features do not touch there.

use super::pair::{Pair, Quadratic, Vector, cross, cubic_at, cubic_over, quadratic_over};
use super::screen::{TINY, U};
use crate::root::Root;
use smallvec::SmallVec;

/// Answer of the f64 tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Certainly no contact.
    Apart,
    /// Certainly a contact.
    Touch,
    /// For the exact tier.
    Open,
}

/// An isolated simple root: certain and opposite signs of `f` at both ends.
#[derive(Clone, Copy)]
struct Bracket {
    lo: f64,
    hi: f64,
    /// `f(lo) > 0`.
    falling: bool,
}

/// Widest enclosure of a root that the certified tiers may report. Their bound grows with the motion; a vertex that
/// crosses the features a thousand times over in one step is better timed by the exact tier, which gives neighbouring
/// doubles. Of the contacts of simulations one in a thousand is wider than 2e-13.
pub(crate) const TIGHT: f64 = 1e-12;

/// More pieces than this are left to the exact tier.
const PIECES: usize = 24;

/// What a piece of [0, 1] turned out to be.
enum Piece {
    Empty,
    OneRoot(Bracket),
    /// Look at `[lo, left]` and `[right, hi]`; what lies between, if anything, stays open.
    Cut {
        left: f64,
        right: f64,
    },
    Open,
}

/// Does the pair touch?
pub(crate) fn decide(pair: &Pair) -> Verdict {
    let mut open = false;
    let mut touch = false;
    let finished = pieces(pair, |part| match part {
        Part::Root(b) => match at_root(pair, b) {
            Verdict::Touch => {
                touch = true;
                false
            }
            Verdict::Apart => true,
            Verdict::Open => {
                open = true;
                true
            }
        },
        Part::Open(lo, hi) => {
            open |= !apart_over(pair, lo, hi);
            true
        }
    });
    match (touch, open || !finished) {
        (true, _) => Verdict::Touch,
        (false, true) => Verdict::Open,
        (false, false) => Verdict::Apart,
    }
}

/// Do the features touch at this root? A coarse bracket decides most; only a root near the rim needs a fine one.
#[inline]
fn at_root(pair: &Pair, bracket: Bracket) -> Verdict {
    let bracket = refine(pair, bracket, 1e-3);
    match meet(pair, bracket).0 {
        Verdict::Open => meet(pair, refine(pair, bracket, 0.0)).0,
        decided => decided,
    }
}

/// All roots in [0, 1], ascending; `false` when some could not be certified.
pub(crate) fn roots(pair: &Pair, out: &mut SmallVec<[Root; 3]>) -> bool {
    out.clear();
    let sign = pair.kind.sign() as i8;
    let mut open = false;
    let finished = pieces(pair, |part| {
        let Part::Root(b) = part else {
            open = true;
            return false;
        };
        let b = refine(pair, b, 0.0);
        let (verdict, regular) = meet(pair, b);
        if verdict == Verdict::Open || !regular || out.len() == 3 {
            open = true;
            return false;
        }
        let before = if b.falling { sign } else { -sign };
        out.push(Root {
            t: b.lo,
            t_hi: b.hi,
            multiplicity: 1,
            vanishing: 0,
            inside: verdict == Verdict::Touch,
            before,
            after: -before,
        });
        true
    });
    out.sort_unstable_by(|a, b| a.t.total_cmp(&b.t));
    finished && !open
}

enum Part {
    Root(Bracket),
    Open(f64, f64),
}

/// Walks over the pieces, in no order; stops when `visit` says `false`. `false` when there were too many.
#[inline]
fn pieces(pair: &Pair, mut visit: impl FnMut(Part) -> bool) -> bool {
    let mut waiting: SmallVec<[(f64, f64); 8]> = SmallVec::new();
    waiting.push((0.0, 1.0));
    for _ in 0..PIECES {
        let Some((lo, hi)) = waiting.pop() else { return true };
        let go_on = match look(pair, lo, hi) {
            Piece::Empty => true,
            Piece::OneRoot(b) => visit(Part::Root(b)),
            Piece::Open => visit(Part::Open(lo, hi)),
            Piece::Cut { left, right } => {
                for part in [(lo, left), (right, hi)] {
                    if part.0 < part.1 {
                        waiting.push(part);
                    }
                }
                left >= right || visit(Part::Open(left, right))
            }
        };
        if !go_on {
            return true;
        }
    }
    waiting.is_empty()
}

/// Classifies `[lo, hi]`.
#[inline]
fn look(pair: &Pair, lo: f64, hi: f64) -> Piece {
    let whole = lo == 0.0 && hi == 1.0;
    let (c, e) = if whole { (pair.f, pair.error) } else { (cubic_over(&pair.f, lo, hi), pair.error_at) };
    let sign = c.map(|v| i8::from(v > e) - i8::from(v < -e));
    if sign[0] != 0 && sign == [sign[0]; 4] {
        return Piece::Empty;
    }
    // After +, … , − the inner two must not be able to come as (−, +): then there is one variation, one root.
    if sign[0] * sign[3] < 0 && (sign[1] == sign[0] || sign[2] == sign[3]) {
        return Piece::OneRoot(Bracket { lo, hi, falling: sign[0] > 0 });
    }
    let width = hi - lo;
    if width < 1e-12 {
        return Piece::Open;
    }
    // An uncertain end is cut off at four times the distance that the slope there needs to become certain.
    let reach = |end: f64, inner: f64| 4.0 * e / (inner - end).abs() * (width / 3.0);
    if sign[0] == 0 {
        let d = reach(c[0], c[1]);
        return if d < 0.5 * width { Piece::Cut { left: lo, right: lo + d } } else { Piece::Open };
    }
    if sign[3] == 0 {
        let d = reach(c[3], c[2]);
        return if d < 0.5 * width { Piece::Cut { left: hi - d, right: hi } } else { Piece::Open };
    }
    let tau = turning_point(&c);
    let t = lo + tau * width;
    if cubic_at(&pair.f, t).abs() > pair.error_at {
        return Piece::Cut { left: t, right: t };
    }
    // Nearly a double root: leave out the stretch in which the sign cannot be certain, f'' δ²/2 ≥ 4 errors.
    let bend = 6.0 * ((c[2] - 2.0 * c[1] + c[0]) * (1.0 - tau) + (c[3] - 2.0 * c[2] + c[1]) * tau);
    let d = (8.0 * pair.error_at / bend.abs()).sqrt() * width;
    let (left, right) = (t - d, t + d);
    if left > lo && right < hi { Piece::Cut { left, right } } else { Piece::Open }
}

/// Where in (0,1) the cubic turns, the turn nearest to zero; the middle when it does not.
#[inline]
fn turning_point(c: &[f64; 4]) -> f64 {
    // d0 (1−τ)² + 2 d1 τ(1−τ) + d2 τ² = 0.
    let d = [c[1] - c[0], c[2] - c[1], c[3] - c[2]];
    let (a, b) = (d[0] - 2.0 * d[1] + d[2], d[1] - d[0]);
    let disc = b * b - a * d[0];
    if disc <= 0.0 {
        return 0.5;
    }
    let q = -(b + disc.sqrt().copysign(b));
    let inner = |t: f64| t > 1e-3 && t < 1.0 - 1e-3;
    match (q / a, d[0] / q) {
        (s, t) if inner(s) && inner(t) => {
            if cubic_at(c, s).abs() < cubic_at(c, t).abs() {
                s
            } else {
                t
            }
        }
        (s, _) if inner(s) => s,
        (_, t) if inner(t) => t,
        _ => 0.5,
    }
}

/// Shrinks a bracket to about `wanted`, or to what the error bound allows, by Newton's method and a certain sign at
/// each end.
#[inline]
fn refine(pair: &Pair, bracket: Bracket, wanted: f64) -> Bracket {
    let Bracket { mut lo, mut hi, falling } = bracket;
    let b = &pair.f;
    let up = if falling { -1.0 } else { 1.0 };
    // Value and slope, turned so that the function rises through its root.
    let value = |t: f64| up * cubic_at(b, t);
    let slope = |t: f64| {
        let s = 1.0 - t;
        up * 3.0 * ((b[1] - b[0]) * s * s + 2.0 * (b[2] - b[1]) * s * t + (b[3] - b[2]) * t * t)
    };
    let (at_lo, at_hi) = (value(lo), value(hi));
    let mut t = lo + (hi - lo) * (at_lo / (at_lo - at_hi));
    let mut rate = slope(t);
    let mut step = hi - lo;
    for _ in 0..12 {
        let v = value(t);
        rate = slope(t);
        if v < -pair.error_at {
            lo = lo.max(t);
        } else if v > pair.error_at {
            hi = hi.min(t);
        } else {
            step = 0.0;
            break;
        }
        let next = t - v / rate;
        // Also when the slope is zero or negative: the step is then no use.
        let next = if next > lo && next < hi { next } else { 0.5 * (lo + hi) };
        step = (next - t).abs();
        t = next;
        if 2.0 * step < wanted {
            break;
        }
    }
    // The last step bounds what is missing, generously once Newton's method converges.
    let mut reach = (2.0 * pair.error_at / rate.abs() + 4.0 * f64::EPSILON * t).max(step.min(0.5 * wanted));
    for _ in 0..3 {
        let (l, h) = (t - reach, t + reach);
        if l > lo && value(l) < -pair.error_at {
            lo = l;
        }
        if h < hi && value(h) > pair.error_at {
            hi = h;
        }
        if hi - lo <= 2.0 * reach {
            break;
        }
        reach *= 16.0;
    }
    Bracket { lo, hi, falling }
}

/// Do the features touch at the root in the bracket? And is the normal there certainly not zero?
///
/// The conditions are evaluated in the middle from interpolated differences. Over a bracket of half-width r a component
/// of `E_ij` changes by at most 8 r MiMj, the sum of three by 24 r MiMj; the interpolation adds 4 roundings to each
/// factor: 24u·MiMj for one and 80u for the sum, within 96u.
#[inline]
fn meet(pair: &Pair, b: Bracket) -> (Verdict, bool) {
    let t = 0.5 * (b.lo + b.hi);
    let s = 1.0 - t;
    let p: [Vector; 3] =
        std::array::from_fn(|i| std::array::from_fn(|k| pair.p[0][i][k] * s + pair.p[1][i][k] * t));
    let (e23, e31, e12) = (cross(&p[1], &p[2]), cross(&p[2], &p[0]), cross(&p[0], &p[1]));
    let edges = pair.kind == crate::Kind::EdgeEdge;
    let a: Vector =
        std::array::from_fn(|k| if edges { e31[k] + e12[k] } else { e23[k] + e31[k] + e12[k] }.abs());
    // The axis along which the normal is longest tells most.
    let k = if a[0] >= a[1] && a[0] >= a[2] {
        0
    } else if a[1] >= a[2] {
        1
    } else {
        2
    };
    let (x, y, z) = (e23[k], e31[k], e12[k]);
    let width = b.hi - b.lo;
    let e = (96.0 * U + 12.0 * width) * (pair.m[(k + 1) % 3] * pair.m[(k + 2) % 3]) + TINY;
    let q = if edges { [y, z, -x, x + y + z] } else { [x, y, z, x] };
    let low = q[0].min(q[1]).min(q[2].min(q[3]));
    let high = q[0].max(q[1]).max(q[2].max(q[3]));
    let verdict = if low > e || high < -e {
        Verdict::Touch
    } else if low < -e && high > e {
        Verdict::Apart
    } else {
        Verdict::Open
    };
    (verdict, a[k] > e)
}

/// On one axis two of the conditions are certainly of opposite sign all over `[lo, hi]`.
#[inline]
fn apart_over(pair: &Pair, lo: f64, hi: f64) -> bool {
    (0..3).any(|k| {
        let e = pair.quadratic_error(k);
        let (mut up, mut down) = (false, false);
        for q in pair.conditions(k) {
            let q: Quadratic = quadratic_over(&q, lo, hi);
            up |= q[0].min(q[1]).min(q[2]) > e;
            down |= q[0].max(q[1]).max(q[2]) < -e;
        }
        up && down
    })
}
