//! Over the hollow edge between two faces a vertex that has sunk in is held where it would come out.
//!
//! What is free before faces that meet in hollow edges is in front of all of them: a convex place, and the depth of a vertex is its distance
//! to that. Under a face it is the depth behind its plane, under an edge the distance to the edge, and so on under a corner; force and
//! potential are continuous between them. Such a distance is one of weighted planes: with `y = p + Σ cᵢ nᵢ` the nearest free place,
//! `cᵢ ≥ 0`, the force `k (y − p)` is the sum of the planes' `k dᵢ nᵢ` with shares `cᵢ/dᵢ`. They depend on where the vertex is and not
//! on where it was. (With shares that grow with the way, as over a convex edge, a vertex that slides down a valley of 100 degrees went into the
//! other wall against next to nothing and came out against all of it: it gained more than it had, or fell through.)
//!
//! Planes at a right angle have shares of 1: beyond it both walls stay whole, see `follow.rs`.

use crate::follow::{Faces, across, corners};
use impinge_geometry::DVec3;
use smallvec::SmallVec;

/// Share of each face that holds a vertex.
pub(crate) type Shares = SmallVec<[(u32, f64); 3]>;

/// Steps of the walk: from one side of a pole of a thousand faces to the other. More are those of a mesh that is folded.
const MOST: usize = 512;

/// Cosine of the angle between planes from which on one of them says all.
const ONE_PLANE: f64 = 1.0 - 1e-12;

/// Of the length of an edge: no farther past it than this a place is on it. At a corner rounding would lead round it for ever.
pub(crate) const ON_EDGE: f64 = 1e-12;

/// A plane, its normal to the free side.
#[derive(Clone, Copy)]
struct Plane {
    face: u32,
    normal: DVec3,
    /// Of the vertex behind it (m).
    depth: f64,
    /// How far the nearest free place is pushed by it (m).
    push: f64,
}

/// A walk from a face that the vertex has passed an edge of, from face to face over hollow edges, to those that hold it.
pub(crate) struct Walk<'a> {
    pub faces: &'a Faces<'a>,
    pub x: &'a [DVec3],
    /// The vertex.
    pub vertex: u32,
    /// 1 or −1: which side of the faces is free.
    pub side: f64,
}

impl Walk<'_> {
    /// The faces that hold the vertex and their shares, none of them where it is free. `None` where the edge it is past farthest is no hollow one
    /// of more than a right angle.
    #[must_use]
    pub fn from(&self, face: u32) -> Option<Shares> {
        let first = self.plane(face)?;
        let mut held: SmallVec<[Plane; 3]> = SmallVec::new();
        let mut at = face;
        if first.depth > 0.0 {
            held.push(first);
        }
        self.next(face, &held)?;
        for _ in 0..MOST {
            let from: SmallVec<[u32; 3]> = if held.is_empty() {
                SmallVec::from_slice(&[at])
            } else {
                held.iter().map(|h| h.face).collect()
            };
            let mut best: Option<(f64, u32)> = None;
            for face in from {
                if let Some(next) = self.next(face, &held)
                    && best.is_none_or(|b| next.0 > b.0)
                {
                    best = Some(next);
                }
            }
            let Some((_, new)) = best else {
                // One that came from in front goes nowhere but under a face.
                if first.depth <= 0.0 && held.len() == 1 {
                    let past = self.past(held[0].face, &held)?;
                    if past.iter().any(|p| *p > 0.0) {
                        return Some(Shares::new());
                    }
                }
                return Some(held.iter().map(|h| (h.face, h.push / h.depth)).collect());
            };
            let new = self.plane(new)?;
            at = new.face;
            if held.is_empty() {
                if new.depth > 0.0 {
                    held.push(new);
                }
                continue;
            }
            held = nearest(&held, new)?;
        }
        None
    }

    fn plane(&self, face: u32) -> Option<Plane> {
        let &[a, b, c] = self.faces.corners.get(face as usize)?;
        let [p, a, b, c] = corners(&[self.vertex, a, b, c], self.x)?;
        let m = (b - a).cross(c - a);
        let normal = m / m.mag() * self.side;
        let depth = -(p - a).dot(normal);
        depth.is_finite().then_some(Plane { face, normal, depth, push: depth })
    }

    /// The face across the edge that the nearest free place is past farthest, and how far (m), if that edge is hollow and of more than a right
    /// angle.
    fn next(&self, face: u32, held: &[Plane]) -> Option<(f64, u32)> {
        let &[a, b, c] = self.faces.corners.get(face as usize)?;
        let stencil = [self.vertex, a, b, c];
        let mut best: Option<(f64, usize)> = None;
        for (i, past) in self.past(face, held)?.into_iter().enumerate() {
            if past > 0.0 && best.is_none_or(|b| past > b.0) {
                let to = across(self.faces, face, &stencil, i);
                // Between those that hold it already the place is on the edge, and a wall across from one of them holds by itself.
                let known = |to: u32| {
                    let opposed = |h: &Plane| self.plane(to).is_some_and(|p| p.normal.dot(h.normal) < -1e-9);
                    held.iter().any(|h| h.face == to || h.face != face && opposed(h))
                };
                if !to.is_some_and(known) {
                    best = Some((past, i));
                }
            }
        }
        let (past, corner) = best?;
        let to = across(self.faces, face, &stencil, corner)?;
        self.is_hollow(face, to).then_some((past, to))
    }

    /// How far (m) the nearest free place is past the edges of a face, each opposite of a corner; 0 where it is on one or before it.
    fn past(&self, face: u32, held: &[Plane]) -> Option<[f64; 3]> {
        let &[a, b, c] = self.faces.corners.get(face as usize)?;
        let [p, a, b, c] = corners(&[self.vertex, a, b, c], self.x)?;
        let y = held.iter().fold(p, |y, h| y + h.normal * h.push);
        let m = (b - a).cross(c - a);
        Some([(b, c), (c, a), (a, b)].map(|(s, e)| {
            // Outwards in the plane.
            let out = (e - s).cross(m);
            let past = (y - s).dot(out) / out.mag();
            if past > ON_EDGE * (e - s).mag() { past } else { 0.0 }
        }))
    }

    /// Whether two faces with an edge in common are each in front of the other or in one plane, at more than a right angle.
    fn is_hollow(&self, face: u32, to: u32) -> bool {
        let of = |f: u32| {
            let &[a, b, c] = self.faces.corners.get(f as usize)?;
            let [_, a, b, c] = corners(&[self.vertex, a, b, c], self.x)?;
            let m = (b - a).cross(c - a);
            Some(([a, b, c], m / m.mag(), m.mag().sqrt()))
        };
        let (Some((p, m, size)), Some((q, n, _))) = (of(face), of(to)) else { return false };
        // Two of the corners are on the edge; in a flat place rounding is to decide nothing.
        let before: f64 = q.iter().map(|q| (*q - p[0]).dot(m) * self.side).sum();
        before >= -1e-9 * size && m.dot(n) > 1e-9
    }
}

/// Whether two faces have a corner in common.
pub(crate) fn meet(faces: &Faces<'_>, a: u32, b: u32) -> bool {
    match (faces.corners.get(a as usize), faces.corners.get(b as usize)) {
        (Some(a), Some(b)) => a.iter().any(|c| b.contains(c)),
        _ => false,
    }
}

/// The planes among `held` and `new` that push to the nearest place in front of all of them, with how far each does.
fn nearest(held: &[Plane], new: Plane) -> Option<SmallVec<[Plane; 3]>> {
    // The nearest place in front of the first ones is not in front of the new one, so that is among those that push.
    let all: SmallVec<[Plane; 4]> = held.iter().copied().chain([new]).collect();
    let last = all.len() - 1;
    let mut sets: SmallVec<[SmallVec<[usize; 3]>; 8]> = SmallVec::new();
    sets.push(SmallVec::from_slice(&[last]));
    (0..last).for_each(|i| sets.push(SmallVec::from_slice(&[i, last])));
    for i in 0..last {
        ((i + 1)..last).for_each(|j| sets.push(SmallVec::from_slice(&[i, j, last])));
    }
    // Of sets that all but satisfy the conditions, by rounding, the best.
    let mut best: Option<(f64, SmallVec<[Plane; 3]>)> = None;
    for set in sets {
        let Some(pushes) = pushes(&all, &set) else { continue };
        let moved = set.iter().zip(&pushes).fold(DVec3::zero(), |m, (&i, c)| m + all[i].normal * *c);
        let behind = (0..all.len())
            .filter(|i| !set.contains(i))
            .map(|i| all[i].depth - moved.dot(all[i].normal))
            .fold(0.0, f64::max);
        let wrong = pushes.iter().map(|c| -c).fold(behind, f64::max);
        if best.as_ref().is_none_or(|b| wrong < b.0) {
            let pushed = set.iter().zip(&pushes).map(|(&i, &push)| Plane { push, ..all[i] });
            best = Some((wrong, pushed.filter(|p| p.push > 0.0 && p.depth > 0.0).collect()));
        }
    }
    best.map(|b| b.1)
}

/// `c` with `Σⱼ cⱼ nᵢ·nⱼ = dᵢ` over a set of one to three planes; `None` where two of them are one.
fn pushes(all: &[Plane], set: &[usize]) -> Option<SmallVec<[f64; 3]>> {
    let n = |k: usize| all[set[k]].normal;
    let d = |k: usize| all[set[k]].depth;
    for i in 0..set.len() {
        for j in 0..i {
            if n(i).dot(n(j)) > ONE_PLANE {
                return None;
            }
        }
    }
    Some(match set.len() {
        1 => SmallVec::from_slice(&[d(0)]),
        2 => {
            let c = n(0).dot(n(1));
            // sin² from the cross product: 1 − c² has no digits left where the angle is small.
            let s = n(0).cross(n(1)).mag_sq();
            SmallVec::from_slice(&[(d(0) - c * d(1)) / s, (d(1) - c * d(0)) / s])
        }
        _ => {
            // The corner r of the three planes, behind the vertex by Σ d (n × n)/det, written in the normals.
            let (a, b, c) = (n(1).cross(n(2)), n(2).cross(n(0)), n(0).cross(n(1)));
            let det = n(0).dot(a);
            let r = (a * d(0) + b * d(1) + c * d(2)) / det;
            let push: [f64; 3] = [a, b, c].map(|m| m.dot(r) / det);
            if !push.iter().all(|p| p.is_finite()) {
                return None;
            }
            SmallVec::from_slice(&push)
        }
    })
}
