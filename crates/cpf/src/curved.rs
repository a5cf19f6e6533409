//! Constant acceleration and rigid rotation (seed 000 §3.6, "Extension to higher order deformations").
//!
//! Points on parabolas: the coplanarity function has degree 6, the normal degree 4; with L_k the impulse is a polynomial of
//! degree 11 in the ends of the intervals, which six Gauss points give exactly. Up to six roots, so up to three intervals, by the
//! same rules as for straight motion (ERRATA C10, C13), decided as exactly.
//!
//! Rigid motion: the step is cut into pieces on which every arc is within a stated distance of a parabola (through its ends and
//! its middle), and the contact is carried from piece to piece. [`way_impulses`] does so with any way.

use crate::gauss::GAUSS_6;
use crate::integral::{certified, constant, constant_bound, constant_error};
use crate::pair::{PairImpulse, depth_at_end, finish};
use crate::path::{Curved, Path};
use crate::{Normalisation, Params, Used};
use impinge_ccd::accelerated::{ControlNotFinite, contacts, roots};
use impinge_ccd::screw::RigidMotion;
use impinge_ccd::{
    Carried, Entry, Interval, Kind, Opens, Root, Roots, accelerated_length_squared_coefficients,
    accelerated_normal_coefficients, contact_normal, contact_weights,
};
use impinge_geometry::{DVec3, try_normalized};
use impinge_swept::parabolas;
use smallvec::SmallVec;

/// Penetration intervals of a pair on parabolas, Bernstein control points as in `impinge_ccd::accelerated`.
///
/// # Errors
/// A coordinate is not finite.
pub fn curved_intervals(
    kind: Kind,
    b: &[[DVec3; 4]; 3],
    carried: Option<&Carried>,
    opens: Opens,
) -> Result<SmallVec<[Interval; 3]>, ControlNotFinite> {
    let found = roots(kind, b)?;
    let carried = carried.map(|c| Carried { side: c.side.signum(), ..*c }).filter(|c| c.side != 0);
    let at = |t: f64| -> [DVec3; 4] {
        let s = 1.0 - t;
        std::array::from_fn(|i| b[0][i] * (s * s) + b[1][i] * (2.0 * s * t) + b[2][i] * (t * t))
    };
    let meet = |t: f64, side: i8, weight: Option<[f64; 4]>| {
        let x = at(t);
        let weight = weight.unwrap_or_else(|| contact_weights(kind, &x, &x, 0.0));
        (weight, contact_normal(kind, &x, &x, 0.0, side, &weight))
    };
    let mut out = SmallVec::new();
    let mut open: Option<Interval> = None;
    if let Some(c) = &carried
        && sign_at_start(kind, b, &found) == -c.side
    {
        let (weight, normal) = meet(0.0, c.side, c.weight);
        let (side, entry) = (c.side, Entry::Initial);
        open = Some(Interval { t_in: 0.0, t_out: 1.0, side, side_end: side, entry, weight, normal });
    }
    // A regular root at t = 0 is a crossing if the sign after it is not that of the side carried over.
    let event = |r: &&Root| {
        let at_start = carried.is_some() && r.t_hi == 0.0 && r.vanishing == 0;
        at_start || r.reduced_multiplicity() % 2 == 1
    };
    for r in found.roots.iter().filter(event) {
        if let Some(mut i) = open.take() {
            i.t_out = r.t_hi;
            out.push(i);
            continue;
        }
        let from = carried.as_ref().filter(|_| r.t_hi == 0.0).map(|c| c.side);
        let side = from.unwrap_or(r.before);
        let separates = from == Some(r.after);
        if !r.inside || separates || matches!(opens, Opens::From(s) if s != side) {
            continue;
        }
        let (weight, normal) = meet(0.5 * (r.t + r.t_hi), side, None);
        let entry = Entry::Contact;
        open = Some(Interval { t_in: r.t, t_out: 1.0, side, side_end: side, entry, weight, normal });
    }
    if let Some(mut i) = open
        && i.t_in < 1.0
    {
        let turned = |r: &&Root| r.t >= i.t_in && r.t_hi < 1.0 && r.vanishing % 2 == 1;
        if found.roots.iter().filter(turned).count() % 2 == 1 {
            i.side_end = -i.side;
        }
        out.push(i);
    }
    Ok(out)
}

/// Sign of f at t = 0.
fn sign_at_start(kind: Kind, b: &[[DVec3; 4]; 3], found: &Roots) -> i8 {
    match found.roots.first() {
        Some(r) if r.t_hi == 0.0 => 0,
        Some(r) => r.before,
        None => {
            // No root: one sign throughout; read where f is largest, farthest from rounding.
            let path = Curved::new(kind, b);
            let f = |i: usize| {
                let at = path.at(f64::from(i as u32) * 0.125);
                at.normal().dot(at.r)
            };
            let largest = (0..9).map(f).fold(0.0f64, |a, b| if b.abs() > a.abs() { b } else { a });
            i8::from(largest > 0.0) - i8::from(largest < 0.0)
        }
    }
}

/// Literal CPF of a pair on parabolas with stiffness `k` (N/m). It is not looked at: check it with [`crate::check_stiffness`]. NaN and
/// infinity give zero impulses, a negative one pulls.
///
/// # Errors
/// A coordinate is not finite.
pub fn curved_impulses(
    kind: Kind,
    b: &[[DVec3; 4]; 3],
    carried: Option<&Carried>,
    opens: Opens,
    k: f64,
    params: &Params,
) -> Result<SmallVec<[PairImpulse; 3]>, ControlNotFinite> {
    let path = Curved::new(kind, b);
    let l = accelerated_length_squared_coefficients(&accelerated_normal_coefficients(kind, b));
    let lk2 = l.iter().sum::<f64>() / 9.0;
    let scale = -k * params.dt;
    let intervals = curved_intervals(kind, b, carried, opens)?;
    Ok(intervals
        .iter()
        .map(|i| {
            let (mut value, mut error, mut used) = (DVec3::zero(), 0.0, Used::Exact);
            let off = constant_error(&l, lk2);
            let (by_constant, tolerance) = match params.normalisation {
                Normalisation::Constant => (true, 1.0),
                Normalisation::Exact { tolerance } => (false, tolerance),
                Normalisation::Auto { tolerance } => (off <= tolerance, tolerance),
            };
            if lk2 > 0.0 && lk2.is_finite() {
                if by_constant {
                    let (j, f) = constant(&path, &GAUSS_6, i.t_in, i.t_out, lk2);
                    let bound = constant_bound(&path, &GAUSS_6, i.t_in, i.t_out, lk2, off, f);
                    (value, error, used) = (j, bound, Used::Constant);
                } else {
                    let found = certified(&path, i.t_in, i.t_out, tolerance);
                    (value, error) = (found.value, found.error);
                }
            }
            finish(i, &b[0], value * scale, error * scale.abs(), used, depth_at_end(&path, i), k)
        })
        .collect())
}

/// The zero of the coplanarity function on the way near `t` by Newton's method; `t` itself where it leads farther than `within`, or to no
/// smaller value.
fn on_the_way(kind: Kind, way: &impl Fn(f64) -> [DVec3; 4], t: f64, within: f64) -> f64 {
    let first = if kind == Kind::VertexFace { 1 } else { 2 };
    let f = |t: f64| {
        let p = way(t);
        let normal = match kind {
            Kind::VertexFace => (p[2] - p[1]).cross(p[3] - p[1]),
            Kind::EdgeEdge => (p[1] - p[0]).cross(p[3] - p[2]),
        };
        normal.dot(p[0] - p[first])
    };
    let (mut at, d) = (t, 1e-6);
    for _ in 0..4 {
        // Only the speed of convergence depends on the slope's error.
        let step = f(at) * 2.0 * d / (f(at + d) - f(at - d));
        if !step.is_finite() || (at - step - t).abs() > within {
            return t;
        }
        at -= step;
    }
    if at > 0.0 && at < 1.0 && f(at).abs() <= f(t).abs() { at } else { t }
}

/// When a piece of a way in so many begins, as a fraction of the step.
pub(crate) fn piece_starts(piece: usize, of: usize) -> f64 {
    if piece >= of { 1.0 } else { piece as f64 * (1.0 / of as f64) }
}

/// The control points of the parabola through the places `a` and `b` of a way at the ends of a time, and through that at its middle.
pub(crate) fn parabola(
    way: &impl Fn(f64) -> [DVec3; 4],
    [start, end]: [f64; 2],
    [a, b]: [[DVec3; 4]; 2],
) -> [[DVec3; 4]; 3] {
    let m = way(0.5 * (start + end));
    [a, std::array::from_fn(|i| m[i] * 2.0 - (a[i] + b[i]) * 0.5), b]
}

/// Literal CPF of a pair whose features ride on rigid motions, on arcs that are right to `tolerance` (m) or, below some 8e-12 of
/// |w|³ρ (w the rotation in rad, ρ the largest distance from the axis' origin), to that. Times are those of the arcs where Newton's method comes
/// nearer to them from those of the parabolas.
///
/// The stiffness `k` (N/m) is as in [`curved_impulses`].
///
/// `x` are the positions at the start; `motions[0]` carries the vertex or first edge, `motions[1]` the triangle or second edge.
///
/// # Errors
/// A coordinate is not finite.
pub fn rigid_impulses(
    kind: Kind,
    x: &[DVec3; 4],
    motions: &[RigidMotion; 2],
    carried: Option<&Carried>,
    opens: Opens,
    k: f64,
    params: &Params,
    tolerance: f64,
) -> Result<SmallVec<[PairImpulse; 3]>, ControlNotFinite> {
    let first = if kind == Kind::VertexFace { 1 } else { 2 };
    let motion = |i: usize| &motions[usize::from(i >= first)];
    // A parabola through ends and middle is within |x‴|h³/(72√3) of an arc of length h in time; |x‴| ≤ |w|³ρ.
    let bend = (0..4)
        .map(|i| motion(i).rotation.mag().powi(3) * (x[i] - motion(i).origin).mag())
        .fold(0.0, f64::max);
    let pieces = parabolas(bend / tolerance);
    let way = |t: f64| -> [DVec3; 4] { std::array::from_fn(|i| motion(i).point_at(x[i], t)) };
    way_impulses(kind, &way, pieces, carried, opens, k, params)
}

/// Literal CPF of a pair whose points are at `way` at a fraction of the step (m): the way is cut into so many `pieces` of equal time, and each is the
/// parabola through its ends and its middle. Times are those of the way itself where Newton's method comes nearer to them.
///
/// The stiffness `k` (N/m) is as in [`curved_impulses`].
///
/// # Errors
/// A coordinate is not finite.
pub fn way_impulses(
    kind: Kind,
    way: &impl Fn(f64) -> [DVec3; 4],
    pieces: usize,
    carried: Option<&Carried>,
    opens: Opens,
    k: f64,
    params: &Params,
) -> Result<SmallVec<[PairImpulse; 3]>, ControlNotFinite> {
    let pieces = pieces.max(1);
    let h = 1.0 / pieces as f64;
    let inner = Params { dt: params.dt * h, ..*params };
    let mut out: SmallVec<[PairImpulse; 3]> = SmallVec::new();
    let mut carried = carried.copied();
    let x = way(0.0);
    let mut a = x;
    for piece in 0..pieces {
        let (start, end) = (piece_starts(piece, pieces), piece_starts(piece + 1, pieces));
        let b = way(end);
        let control = parabola(way, [start, end], [std::mem::replace(&mut a, b), b]);
        // What is free and does not touch stays free.
        if carried.is_none() && !contacts(kind, &control)?.touch() {
            continue;
        }
        let found = curved_impulses(kind, &control, carried.as_ref(), opens, k, &inner)?;
        carried = match found.last() {
            Some(i) if i.t_out >= 1.0 => Some(Carried { side: i.side_end, weight: Some(i.weight) }),
            // Free at the end of a piece: the side is known, the contact is not.
            Some(i) => Some(Carried { side: i.side_end, weight: None }),
            None => None,
        };
        for mut i in found {
            i.t_in = start + i.t_in * (end - start);
            i.t_out = if i.t_out >= 1.0 { end } else { start + i.t_out * (end - start) };
            match out.last_mut() {
                Some(o) if i.entry == Entry::Initial && o.t_out == i.t_in => {
                    o.impulse += i.impulse;
                    o.error += i.error;
                    (o.t_out, o.side_end, o.depth, o.energy) = (i.t_out, i.side_end, i.depth, i.energy);
                    if i.used == Used::Exact {
                        o.used = Used::Exact;
                    }
                }
                _ => out.push(i),
            }
        }
    }
    // Times are those of the parabolas, right to the tolerance over the speed; from there Newton's method looks for those of the arcs.
    let settle = |t: f64| if t > 0.0 && t < 1.0 { on_the_way(kind, way, t, 0.25 * h) } else { t };
    for o in &mut out {
        let settled = (settle(o.t_in), settle(o.t_out));
        // Two zeros near each other may lead to one of them.
        if settled.0 < settled.1 {
            (o.t_in, o.t_out) = settled;
        }
        let w = o.weight;
        let apart = (x[1] - x[0]) * w[1] + (x[2] - x[0]) * w[2] + (x[3] - x[0]) * w[3];
        o.couple = apart.cross(o.impulse);
        o.normal = try_normalized(o.impulse).unwrap_or(o.normal);
    }
    Ok(out)
}
