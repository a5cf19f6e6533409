//! Roots and contacts where doubles can be certain of them.
//!
//! Takes the Bernstein coefficients with their error bounds, gives everything [`Roots`] says, or `None` where some sign
//! is within rounding of zero: roots at the ends, double roots, contacts on the rim, vanishing normals. Those go to
//! integers.
//!
//! [0, 1] is halved (de Casteljau) until every piece has coefficients of one certain sign (no root), or ends of certain
//! opposite signs and a derivative of one certain sign (one simple root). A halving computes 6 rows of means, one
//! rounding each, so a piece of depth n is off by at most E + 6nu·max|b|; with at most [`DEPTH`] = 24 halvings and the evaluation of
//! f anywhere (6 rows of (1−t)a + tb, 3 roundings and the one of 1−t: 24u·max|b|) E + 170u·max|b| covers all.

use super::filter::{Filter, U};
use crate::kind::Kind;
use crate::root::{Class, Root, Roots};
use impinge_geometry::DVec3;
use smallvec::SmallVec;

const DEPTH: u32 = 24;

fn de_casteljau(b: &[f64; 7], t: f64) -> f64 {
    let mut b = *b;
    let s = 1.0 - t;
    for n in (1..7).rev() {
        for i in 0..n {
            b[i] = b[i] * s + b[i + 1] * t;
        }
    }
    b[0]
}

fn halves(b: &[f64; 7]) -> ([f64; 7], [f64; 7]) {
    let (mut row, mut left, mut right) = (*b, [0.0; 7], [0.0; 7]);
    for n in 0..7 {
        left[n] = row[0];
        right[6 - n] = row[6 - n];
        for i in 0..6 - n {
            row[i] = 0.5 * (row[i] + row[i + 1]);
        }
    }
    (left, right)
}

/// Everything about the pair, if doubles suffice.
pub(super) fn solve(kind: Kind, filter: &Filter) -> Option<Roots> {
    let most = filter.f.iter().fold(0.0f64, |m, b| m.max(b.abs()));
    let error = filter.f_error + 170.0 * U * most;
    let mut out = Roots::default();
    // (lower end, depth, coefficients); the width is 2^-depth, ends are exact.
    let mut stack: SmallVec<[(f64, u32, [f64; 7]); 8]> = SmallVec::new();
    stack.push((0.0, 0, filter.f));
    while let Some((t, depth, b)) = stack.pop() {
        if b.iter().all(|&b| b > error) || b.iter().all(|&b| b < -error) {
            continue;
        }
        let width = 1.0 / f64::from(1u32 << depth);
        let certain = b[0].abs() > error && b[6].abs() > error;
        if certain && (b[0] < 0.0) != (b[6] < 0.0) {
            let up = if b[6] > 0.0 { 1.0 } else { -1.0 };
            if b.windows(2).all(|w| (w[1] - w[0]) * up > 2.0 * error) {
                out.roots.push(root(kind, filter, error, t, t + width, up)?);
                continue;
            }
        }
        if depth == DEPTH {
            return None;
        }
        let (left, right) = halves(&b);
        stack.push((t + 0.5 * width, depth + 1, right));
        stack.push((t, depth + 1, left));
    }
    out.class = Class::Regular;
    Some(out)
}

/// The one root in [lo, hi], where f goes through zero in the direction `up` with certain signs at both ends.
fn root(kind: Kind, filter: &Filter, error: f64, mut lo: f64, mut hi: f64, up: f64) -> Option<Root> {
    let value = |t: f64| de_casteljau(&filter.f, t) * up;
    let (mut below, mut above) = (value(lo), value(hi));
    // Illinois steps: a certain sign moves its end; an uncertain one ends the search, as narrow as doubles see.
    let mut last = 0;
    for step in 0..60 {
        let width = hi - lo;
        if width <= 4.0 * U {
            break;
        }
        let t = if step % 4 == 3 || above <= below {
            lo + 0.5 * width
        } else {
            lo - below * width / (above - below)
        };
        if !(t > lo && t < hi) {
            break;
        }
        let v = value(t);
        if v > error {
            (hi, above) = (t, v);
            below *= if last == 1 { 0.5 } else { 1.0 };
            last = 1;
        } else if v < -error {
            (lo, below) = (t, v);
            above *= if last == -1 { 0.5 } else { 1.0 };
            last = -1;
        } else {
            (lo, hi) = squeeze(&value, error, lo, t, hi);
            break;
        }
    }
    let inside = inside(kind, filter, lo, hi)?;
    let after = (up * kind.sign()) as i8;
    Some(Root { t: lo, t_hi: hi, multiplicity: 1, vanishing: 0, inside, before: -after, after })
}

/// Certain signs as near to the root at about `t` as they come: steps away from it that grow by four.
fn squeeze(value: &impl Fn(f64) -> f64, error: f64, lo: f64, t: f64, hi: f64) -> (f64, f64) {
    let away = |end: f64, wanted: f64| {
        let mut h = 4.0 * U;
        while h < (end - t).abs() {
            let at = t + h * (end - t).signum();
            if value(at) * wanted > error {
                return at;
            }
            h *= 4.0;
        }
        end
    };
    (away(lo, -1.0), away(hi, 1.0))
}

/// Whether the features touch at the root in [lo, hi]; `None` where that, or whether the normal vanishes, is not certain.
///
/// At the root all three E are parallel, so one axis decides (see [`Kind`]). E is evaluated at the middle; within half
/// the width it changes by at most 4·2·max|e|·width/2, evaluation is off by 16u·max|e| (4 rows) and the rounded middle by
/// 8u·max|e|, on top of the error of the coefficients.
fn inside(kind: Kind, filter: &Filter, lo: f64, hi: f64) -> Option<bool> {
    let t = 0.5 * (lo + hi);
    let s = 1.0 - t;
    let at = |e: &[DVec3; 5]| {
        let mut e = *e;
        for n in (1..5).rev() {
            for i in 0..n {
                e[i] = e[i] * s + e[i + 1] * t;
            }
        }
        e[0]
    };
    let e = [at(&filter.e[0]), at(&filter.e[1]), at(&filter.e[2])];
    let mut most = DVec3::zero();
    for e in filter.e.iter().flatten() {
        most = DVec3::new(most.x.max(e.x.abs()), most.y.max(e.y.abs()), most.z.max(e.z.abs()));
    }
    let (mut decided, mut regular) = (None, false);
    for k in 0..3 {
        let axis = |v: DVec3| [v.x, v.y, v.z][k];
        let slack = axis(filter.e_error) + axis(most) * (4.0 * (hi - lo) + 32.0 * U);
        let certain = |v: f64, slack: f64| {
            if v > slack {
                1
            } else if v < -slack {
                -1
            } else {
                0
            }
        };
        let [x, y, z] = e.map(axis);
        let all = certain(x + y + z, 3.0 * slack + 8.0 * U * axis(most));
        let two = certain(y + z, 2.0 * slack + 8.0 * U * axis(most));
        let [x, y, z] = [x, y, z].map(|v| certain(v, slack));
        let (signs, normal) = match kind {
            Kind::VertexFace => ([x, y, z, z], all),
            Kind::EdgeEdge => ([-x, y, z, all], two),
        };
        regular |= normal != 0;
        // All of one certain sign: inside. Two of opposite certain signs: outside.
        if signs.iter().all(|&s| s == signs[0] && s != 0) {
            decided = Some(true);
        } else if signs.contains(&1) && signs.contains(&-1) {
            decided = Some(false);
        }
    }
    decided.filter(|_| regular)
}
