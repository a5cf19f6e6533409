//! Where and how two features touch: weights of the two material points, and the normal.
//!
//! Takes positions at a contact time, gives weights that are never NaN, not negative where they are convex, and a unit
//! normal. Degenerate features (a triangle without area, parallel edges) get the closest points of what they are.

use crate::decide::all_roots;
use crate::filter::pair::Vector;
use crate::filter::weigh::{self, trust};
use crate::kind::check_finite;
use crate::{Kind, NotFinite};
use impinge_geometry::{DVec3, closest_between_segments, closest_on_segment, closest_on_triangle};

/// First contact of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Contact {
    /// Fraction of the step; a lower bound of the true time, never late.
    pub t: f64,
    /// Upper bound of the true time.
    pub t_hi: f64,
    /// Signed weights of the four points: the separation of the material points in contact is `p − q = Σ wᵢ xᵢ`.
    /// Vertex–face: `[1, −w_a, −w_b, −w_c]`; edge–edge `[1−s, s, −(1−u), −u]`.
    pub weight: [f64; 4],
    /// Unit normal towards the side the first feature came from. See [`contact_normal`] for what it is where the features
    /// have none.
    pub normal: DVec3,
    /// Sign of the coplanarity function (see [`Kind::sign`]) just before the contact; 0 when it is zero throughout.
    pub side: i8,
}

/// First contact of a vertex with a triangle, points `[p, a, b, c]`; `None` when they never touch. Exact.
///
/// # Errors
/// [`NotFinite`] for NaN and infinities.
#[doc(alias("time of impact", "toi", "continuous collision detection"))]
pub fn vertex_face(x0: &[DVec3; 4], x1: &[DVec3; 4]) -> Result<Option<Contact>, NotFinite> {
    first_contact(Kind::VertexFace, x0, x1)
}

/// First contact of edge `ab` with edge `cd`, points `[a, b, c, d]`; `None` when they never touch. Exact.
///
/// # Errors
/// [`NotFinite`] for NaN and infinities.
#[doc(alias("time of impact", "toi"))]
pub fn edge_edge(x0: &[DVec3; 4], x1: &[DVec3; 4]) -> Result<Option<Contact>, NotFinite> {
    first_contact(Kind::EdgeEdge, x0, x1)
}

/// As [`vertex_face`] and [`edge_edge`].
///
/// # Errors
/// [`NotFinite`] for NaN and infinities.
pub fn first_contact(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4]) -> Result<Option<Contact>, NotFinite> {
    // The decision is cheap for pairs that do not touch, which most do not.
    if !crate::touches(kind, x0, x1)? {
        return Ok(None);
    }
    check_finite(x0, x1)?;
    Ok(first_of_touching(kind, x0, x1))
}

/// For a pair known to touch.
pub(crate) fn first_of_touching(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4]) -> Option<Contact> {
    let found = all_roots(kind, x0, x1);
    let (t, t_hi, side) = match found.roots.iter().find(|r| r.inside) {
        Some(r) => (r.t, r.t_hi, r.before),
        // The lower end is at most one double early.
        None => found.touching.first().map(|i| (i[0], i[0].next_up().min(i[1]), 0))?,
    };
    let (weight, normal) = weights_and_normal(kind, x0, x1, 0.5 * (t + t_hi), side);
    Some(Contact { t, t_hi, weight, normal, side })
}

/// Signed weights of the material points that are in contact at time `t` (see [`Contact::weight`]).
///
/// From the ratios of the signed areas, which cost least; where the two points then do not coincide (slivers, edges at a
/// tiny angle, a triangle that collapses at this very moment: the ratios are noise) from the closest points of the
/// features. Parallel edges meet in the middle of their overlap (ERRATA C13). Convex parts are in [0, 1].
///
/// Nothing is refused here: of coordinates or a time that are NaN or infinite the weights mean nothing and may be NaN.
/// [`crate::vertex_face`] and its like look first.
#[must_use]
pub fn contact_weights(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4], t: f64) -> [f64; 4] {
    let w = weigh::one(kind, x0, x1, t);
    settled(kind, x0, x1, t, w.trust[0], w.weight(0))
}

/// [`contact_weights`] and [`contact_normal`] in one go.
#[inline]
pub(crate) fn weights_and_normal(
    kind: Kind,
    x0: &[DVec3; 4],
    x1: &[DVec3; 4],
    t: f64,
    side: i8,
) -> ([f64; 4], DVec3) {
    let weighed = weigh::one(kind, x0, x1, t);
    let weight = settled(kind, x0, x1, t, weighed.trust[0], weighed.weight(0));
    let regular = side != 0 && weighed.trust[0] != trust::FLAT;
    let normal = if regular { weighed.normal(0, side) } else { against_motion(x0, x1, &weight) };
    (weight, normal)
}

/// Weights from those of the areas, by how far they can be trusted.
#[inline]
fn settled(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4], t: f64, trust: f64, quick: [f64; 4]) -> [f64; 4] {
    if trust == trust::GOOD {
        return quick;
    }
    let p = relative(x0, x1, t);
    let slow = by_closest_points(kind, &p);
    if trust == trust::FLAT || apart(&p, &slow) < apart(&p, &quick) { slow } else { quick }
}

/// Positions at one time relative to the first point, P1 to P3, in units of a power of two near the largest difference
/// between the points.
fn relative(x0: &[DVec3; 4], x1: &[DVec3; 4], t: f64) -> [Vector; 3] {
    let spread = |k: usize| {
        let ends = [x0, x1].map(|x| {
            let [a, b, c, d] = x.map(|p| <Vector>::from(p)[k]);
            a.max(b).max(c.max(d)) - a.min(b).min(c.min(d))
        });
        ends[0].max(ends[1])
    };
    let largest = spread(0).max(spread(1)).max(spread(2));
    let biased = (largest.to_bits() >> 52).clamp(1, 2045);
    let unit = f64::from_bits((2046 - biased) << 52);
    let difference = |x: &[DVec3; 4], i: usize| {
        if largest == f64::INFINITY { x[i] * unit - x[0] * unit } else { (x[i] - x[0]) * unit }
    };
    [1, 2, 3].map(|i| <Vector>::from(difference(x0, i) * (1.0 - t) + difference(x1, i) * t))
}

#[inline]
fn dot(a: &Vector, b: &Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Distance of the two material points.
#[inline]
fn apart(p: &[Vector; 3], w: &[f64; 4]) -> f64 {
    let d: Vector = std::array::from_fn(|k| p[0][k] * w[1] + p[1][k] * w[2] + p[2][k] * w[3]);
    dot(&d, &d).sqrt()
}

#[inline]
fn on_triangle(w: [f64; 3]) -> [f64; 4] {
    let sum = w[0] + w[1] + w[2];
    if sum > 0.0 { [1.0, -w[0] / sum, -w[1] / sum, -w[2] / sum] } else { [1.0, -1.0, 0.0, 0.0] }
}

#[inline]
fn on_edges(s: f64, u: f64) -> [f64; 4] {
    let (s, u) = (s.clamp(0.0, 1.0), u.clamp(0.0, 1.0));
    [1.0 - s, s, u - 1.0, -u]
}

fn by_closest_points(kind: Kind, p: &[Vector; 3]) -> [f64; 4] {
    let [b, c, d] = p.map(DVec3::from);
    match kind {
        Kind::VertexFace => on_triangle(closest_on_triangle(DVec3::zero(), [b, c, d]).weights),
        Kind::EdgeEdge => {
            let (s, u) = along_parallel_edges(p);
            let parallel = on_edges(s, u);
            let [s, u] = closest_between_segments([DVec3::zero(), b], [c, d]).parameters;
            let closest = on_edges(s, u);
            // The middle of the overlap where it is as near as the nearest points, up to rounding.
            let size = p.iter().flatten().fold(0.0f64, |a, b| a.max(b.abs()));
            if apart(p, &parallel) <= apart(p, &closest) + 1e-12 * size { parallel } else { closest }
        }
    }
}

/// Parameters on two parallel (or zero-length) edges from 0 to `p[0]` and from `p[1]` to `p[2]`: the middle of the
/// overlap of their projections on the longer one, the closest ends when they do not overlap.
fn along_parallel_edges(p: &[Vector; 3]) -> (f64, f64) {
    let [b, c, d] = p.map(DVec3::from);
    let (first, second) = (b, d - c);
    let swap = second.mag_sq() > first.mag_sq();
    let (origin, axis, ends) =
        if swap { (c, second, [DVec3::zero(), b]) } else { (DVec3::zero(), first, [c, d]) };
    let length = axis.mag_sq();
    if length.is_nan() || length <= 0.0 {
        return (0.0, 0.0);
    }
    let at = ends.map(|e| (e - origin).dot(axis) / length);
    let (low, high) = (at[0].min(at[1]).max(0.0), at[0].max(at[1]).min(1.0));
    // Without an overlap: the end of the long edge that is nearer.
    let on_long = if low <= high { 0.5 * (low + high) } else { f64::from(at[0] > 1.0) };
    let on_short = closest_on_segment(origin + axis * on_long, ends).parameter;
    if swap { (on_short, on_long) } else { (on_long, on_short) }
}

/// Unit normal at time `t`, towards the side on which the coplanarity function has the sign `side`.
///
/// Where the features have no normal (collapsed triangle, parallel edges, motion within a plane): against the velocity
/// of the first material point relative to the second, and the zero vector when that is zero too.
///
/// Nothing is refused here: of coordinates, a time or weights that are NaN or infinite it means nothing, and is the zero vector
/// or not a number.
#[must_use]
pub fn contact_normal(
    kind: Kind,
    x0: &[DVec3; 4],
    x1: &[DVec3; 4],
    t: f64,
    side: i8,
    weight: &[f64; 4],
) -> DVec3 {
    let weighed = weigh::one(kind, x0, x1, t);
    if side != 0 && weighed.trust[0] != trust::FLAT {
        weighed.normal(0, side.signum())
    } else {
        against_motion(x0, x1, weight)
    }
}

/// Unit vector against the velocity of the first material point relative to the second; zero when that is zero.
fn against_motion(x0: &[DVec3; 4], x1: &[DVec3; 4], weight: &[f64; 4]) -> DVec3 {
    let (start, end) = (relative(x0, x1, 0.0), relative(x0, x1, 1.0));
    let motion = |i: usize| DVec3::from(end[i]) - DVec3::from(start[i]);
    let velocity = (0..3).fold(DVec3::zero(), |v, i| v + motion(i) * weight[i + 1]);
    impinge_geometry::try_normalized(-velocity).unwrap_or(DVec3::zero())
}
