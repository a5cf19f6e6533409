//! Two triangles that cut each other: the segment, end by end, in the barycentric coordinates of both.
//!
//! A segment ends where an edge of one passes through the other. Its point is computed once from the edge (lower vertex
//! first) and the triangle, so both triangles at the edge get the same bits and what is cut stays closed.

use super::sign::{Of, Plane, passing};
use impinge_geometry::DVec3;

/// One end of a segment.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// Whose edge passes through the other's triangle.
    pub of: Of,
    /// Which side of that triangle the edge is.
    pub side: u8,
    /// +1 where the edge, counter-clockwise, enters the other body, −1 where it leaves.
    pub sign: i8,
    /// Weights of corners 1 and 2 of A's triangle.
    pub in_a: [f64; 2],
    /// The same of B's.
    pub in_b: [f64; 2],
}

/// The segment two triangles have in common, along (normal of A) × (normal of B): what is inside B lies to its left in A's
/// triangle, what is inside A to its right in B's.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    pub start: End,
    pub end: End,
}

impl End {
    /// Weights of corners 1 and 2 of the triangle of `side` (0: A's, 1: B's).
    #[inline]
    #[must_use]
    pub fn seen(&self, side: usize) -> [f64; 2] {
        if side == 0 { self.in_a } else { self.in_b }
    }
}

impl Segment {
    /// Its ends, in A's triangle (`side` 0) or B's, with what is inside of the other body to the left.
    #[inline]
    #[must_use]
    pub fn directed(&self, side: usize) -> [&End; 2] {
        if side == 0 { [&self.start, &self.end] } else { [&self.end, &self.start] }
    }

    /// Its ends on edges of that side's own triangle: there the boundary of the inside goes on along the edge.
    #[inline]
    pub fn on_own_edges(&self, side: usize) -> impl Iterator<Item = &End> {
        let of = [Of::A, Of::B][side];
        [&self.start, &self.end].into_iter().filter(move |e| e.of == of)
    }
}

/// A triangle with what is asked of it: its plane and its vertices.
#[derive(Clone, Copy, Debug)]
pub struct Face {
    pub plane: Plane,
    pub vertices: [u32; 3],
}

/// The common segment, or none.
#[must_use]
pub fn cross(a: &Face, b: &Face) -> Option<Segment> {
    // On which side of A's plane B's corners are, and the other way round.
    let sides_b = a.plane.sides(Of::A, &b.plane.corners);
    if sides_b[0] == sides_b[1] && sides_b[1] == sides_b[2] {
        return None;
    }
    let sides_a = b.plane.sides(Of::B, &a.plane.corners);
    if sides_a[0] == sides_a[1] && sides_a[1] == sides_a[2] {
        return None;
    }
    let edge = |c: &[DVec3; 3], i: usize| [c[i], c[(i + 1) % 3]];
    let crosses = |s: &[i8; 3], i: usize| s[i] != s[(i + 1) % 3];
    let mut turn = [[0i8; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            if crosses(&sides_a, i) || crosses(&sides_b, j) {
                turn[i][j] = passing(edge(&a.plane.corners, i), edge(&b.plane.corners, j));
            }
        }
    }
    let (mut start, mut end) = (None, None);
    for i in 0..3 {
        if crosses(&sides_a, i) && turn[i][0] == turn[i][1] && turn[i][1] == turn[i][2] {
            let sign = sides_a[i]; // From outside: it enters.
            let (s, beta) = pierce(a, i, &b.plane);
            let e = End { of: Of::A, side: i as u8, sign, in_a: on_side(i, s), in_b: beta };
            // Inside B the boundary follows A's edge: a segment ends where the edge enters.
            if sign > 0 { end = Some(e) } else { start = Some(e) }
        }
        if crosses(&sides_b, i) && turn[0][i] == turn[1][i] && turn[1][i] == turn[2][i] {
            let sign = sides_b[i];
            let (s, beta) = pierce(b, i, &a.plane);
            let e = End { of: Of::B, side: i as u8, sign, in_a: beta, in_b: on_side(i, s) };
            if sign > 0 { start = Some(e) } else { end = Some(e) }
        }
    }
    Some(Segment { start: start?, end: end? })
}

/// An edge of one triangle that passes through the other, where no segment comes of it.
#[derive(Clone, Copy, Debug)]
pub struct Passage {
    /// Whose edge.
    pub of: Of,
    /// Which side of its triangle.
    pub side: u8,
    /// As [`End::sign`].
    pub sign: i8,
}

/// The edges of a triangle without area that pass through the other one. They are edges of its neighbours too, and the one face of
/// an edge at which passages are counted may be this one.
pub fn passages(a: &Face, b: &Face, mut out: impl FnMut(Passage)) {
    let flat = (a.plane.is_flat(), b.plane.is_flat());
    let (of, face, other) = match flat {
        (true, false) => (Of::A, a, b),
        (false, true) => (Of::B, b, a),
        _ => return,
    };
    let facing = if of == Of::A { Of::B } else { Of::A };
    let sides = face.plane.corners.map(|p| other.plane.side(facing, p));
    let edge = |c: &[DVec3; 3], i: usize| [c[i], c[(i + 1) % 3]];
    for i in (0..3).filter(|&i| sides[i] != sides[(i + 1) % 3]) {
        let turn = [0, 1, 2].map(|j| {
            let (own, others) = (edge(&face.plane.corners, i), edge(&other.plane.corners, j));
            if of == Of::A { passing(own, others) } else { passing(others, own) }
        });
        if turn[0] == turn[1] && turn[1] == turn[2] {
            out(Passage { of, side: i as u8, sign: sides[i] });
        }
    }
}

/// Weights of corners 1 and 2 at the fraction `s` of side `i`.
fn on_side(i: usize, s: f64) -> [f64; 2] {
    match i {
        0 => [s, 0.0],
        1 => [1.0 - s, s],
        _ => [0.0, 1.0 - s],
    }
}

/// Where side `i` of `face` passes through `plane`'s triangle: the fraction along the side, and the weights of corners 1 and 2.
fn pierce(face: &Face, i: usize, plane: &Plane) -> (f64, [f64; 2]) {
    let j = (i + 1) % 3;
    let forward = face.vertices[i] < face.vertices[j];
    let (p, q) = if forward { (i, j) } else { (j, i) };
    let (p, q) = (face.plane.corners[p], face.plane.corners[q]);
    let (hp, hq) = (plane.height(p), plane.height(q));
    let t = hp / (hp - hq);
    // Signs are exact and heights are not: 0/0 for an edge in the plane.
    let t = if t.is_finite() { t.clamp(0.0, 1.0) } else { 0.5 };
    let (bp, bq) = (plane.weights(p), plane.weights(q));
    let t = within(bp, bq, t);
    // Not to 0 and 1: what lies over the border by rounding has to be the same point in both triangles, or what is cut does not close.
    let mix = |k: usize| (bp[k] + (bq[k] - bp[k]) * t).clamp(-2.0 * BORDER, 1.0 + 2.0 * BORDER);
    let (s, beta) = (if forward { t } else { 1.0 - t }, [mix(1), mix(2)]);
    (s, beta)
}

/// How far outside a triangle its border still reaches, in barycentric weights.
const BORDER: f64 = 1e-9;

/// The fraction nearest to `t` at which the line between two points lies over the triangle. It passes through (the signs
/// say so); where it runs almost in the plane the heights alone would put the point anywhere.
fn within(from: [f64; 3], to: [f64; 3], t: f64) -> f64 {
    let (mut lo, mut hi) = (0.0f64, 1.0f64);
    for k in 0..3 {
        // A line along a border of the triangle is on both sides of it by rounding: that must not cut it.
        let (f, t) = (from[k] + BORDER, to[k] + BORDER);
        if f < 0.0 && t > 0.0 {
            lo = lo.max(f / (f - t));
        } else if f > 0.0 && t < 0.0 {
            hi = hi.min(f / (f - t));
        }
    }
    if lo <= hi { t.clamp(lo, hi) } else { (0.5 * (lo + hi)).clamp(0.0, 1.0) }
}
