//! Vertex against a plane where one of the two goes on an arc or a parabola: the height may fall below zero and rise again several times.

use crate::gauss::GAUSS_6;
use crate::{Force, Params};
use impinge_geometry::{DVec3, try_normalized};

/// What a plane does to a vertex in one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneWayImpulse {
    /// From when to when it is below at the most, fractions of the step.
    pub interval: [f64; 2],
    /// For how much of the step it is.
    pub span: f64,
    /// On the vertex (N·s).
    pub impulse: DVec3,
    /// Its unit direction.
    pub normal: DVec3,
    /// Depth at the end of the step (m).
    pub depth: f64,
    /// ½ k δ² at the end of the step (J).
    pub energy: f64,
}

/// Halvings and secants that look for a zero at the most.
const TRIES: usize = 60;

/// A zero of `f` between `a` and `b`, at which it has the signs of `fa` and `fb`.
fn zero(f: &impl Fn(f64) -> f64, (mut a, mut fa): (f64, f64), (mut b, mut fb): (f64, f64)) -> f64 {
    for _ in 0..TRIES {
        let chord = a + (b - a) * (fa / (fa - fb));
        // Regula falsi with the weight of the end that stays halved (Illinois).
        let c = if chord > a && chord < b { chord } else { 0.5 * (a + b) };
        let fc = f(c);
        if fc == 0.0 || c <= a || c >= b || b - a < 4.0 * f64::EPSILON {
            return c;
        }
        if (fc < 0.0) == (fb < 0.0) {
            (b, fb, fa) = (c, fc, 0.5 * fa);
        } else {
            (a, fa, fb) = (c, fc, 0.5 * fb);
        }
    }
    0.5 * (a + b)
}

/// The impulse −k Δt ∫ n min(0, h) dt of stiffness `k` (N/m) on a vertex whose plane has normal n and is h (m) below it at a fraction of the step,
/// as `height` says; `None` where it stays free. The way is cut into so many `pieces`, in each of which the height bends one way at the most.
#[must_use]
pub fn plane_way_impulse(
    height: &impl Fn(f64) -> (DVec3, f64),
    pieces: usize,
    k: f64,
    params: &Params,
) -> Option<PlaneWayImpulse> {
    let h = |t: f64| height(t).1;
    let n = pieces.max(1);
    let (mut sum, mut span, mut interval) = (DVec3::zero(), 0.0, [f64::INFINITY, 0.0]);
    let mut below = |a: f64, b: f64| {
        let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
        for (x, w) in GAUSS_6 {
            let (normal, h) = height(middle + half * x);
            sum += normal * (w * half * (-h).max(0.0));
        }
        span += b - a;
        interval = [interval[0].min(a), interval[1].max(b)];
    };
    let (mut t0, mut h0) = (0.0, h(0.0));
    for piece in 0..n {
        let t1 = if piece + 1 == n { 1.0 } else { (piece + 1) as f64 / n as f64 };
        let (tm, h1) = (0.5 * (t0 + t1), h(t1));
        let hm = h(tm);
        // Where the parabola through the three is lowest, or highest, that point is one more.
        let bend = h0 - 2.0 * hm + h1;
        let turn = 0.25 * (h0 - h1) / bend;
        let mut points = [(t0, h0), (tm, hm), (t1, h1), (t1, h1)];
        if turn.is_finite() && turn != 0.0 && turn.abs() < 0.5 {
            let t = tm + turn * (t1 - t0);
            points = [(t0, h0), (t.min(tm), h(t.min(tm))), (t.max(tm), h(t.max(tm))), (t1, h1)];
        }
        for pair in points.windows(2) {
            let ((a, ha), (b, hb)) = (pair[0], pair[1]);
            match (ha < 0.0, hb < 0.0) {
                _ if b <= a => {}
                (false, false) => {}
                (true, true) => below(a, b),
                (down, _) => {
                    let t = zero(&h, (a, ha), (b, hb));
                    if down { below(a, t) } else { below(t, b) }
                }
            }
        }
        (t0, h0) = (t1, h1);
    }
    let (normal, at_end) = height(1.0);
    let depth = (-at_end).max(0.0);
    let impulse = match params.force {
        Force::Integrated => sum * (k * params.dt),
        Force::AtEnd if depth == 0.0 => return None,
        Force::AtEnd => normal * (k * params.dt * depth),
    };
    let energy = 0.5 * k * depth * depth;
    if !(span > 0.0 && impinge_geometry::is_finite(impulse) && energy.is_finite()) {
        return None;
    }
    let normal = try_normalized(impulse).unwrap_or(normal);
    Some(PlaneWayImpulse { interval, span, impulse, normal, depth, energy })
}
