//! Continuous penalty between layers that keep a distance: cloth that meets itself has no inside to be in.
//!
//! A pair acts while its points are nearer than the distance h, by F = k δ n with δ = h − n·(p − q), integrated over that time. A vertex over the
//! inside of a face, and two edges that cross, have the normal of the papers, which turns with the features; it has a side, that of the
//! start of the step, so a pair that has come through is pushed back and not on. A vertex beside an edge or a corner is pushed along the line from
//! there, which does not turn within a step. Without those the layer had gaps along its folds.

use crate::Force;
use crate::gauss::GAUSS_6;
use crate::path::{Path, Straight};
use impinge_ccd::Kind;
use impinge_geometry::{
    DVec3, TriangleFeature, closest_between_segments, closest_on_triangle, try_normalized,
};

/// Where the point of the second feature is, or those of two edges are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// Strictly inside the face, or inside both edges.
    Inside,
    /// Inside side i of the face, from its corner i to the next.
    Side(u8),
    /// At corner i of the face.
    Corner(u8),
    /// At an end of one of two edges.
    End,
}

/// The nearest points of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Signed weights, p − q = Σ wᵢ xᵢ.
    pub weight: [f64; 4],
    /// m.
    pub distance: f64,
    /// Where they are.
    pub on: On,
}

impl Nearest {
    /// Of features with vertices at `x` (m).
    #[must_use]
    pub fn of(kind: Kind, x: &[DVec3; 4]) -> Self {
        match kind {
            Kind::VertexFace => {
                let p = closest_on_triangle(x[0], [x[1], x[2], x[3]]);
                let [a, b, c] = p.weights;
                let on = match p.feature {
                    TriangleFeature::Face => On::Inside,
                    TriangleFeature::Edge(i) => On::Side(i),
                    TriangleFeature::Vertex(i) => On::Corner(i),
                };
                Self { weight: [1.0, -a, -b, -c], distance: p.distance_squared.sqrt(), on }
            }
            Kind::EdgeEdge => {
                let p = closest_between_segments([x[0], x[1]], [x[2], x[3]]);
                let [s, t] = p.parameters;
                let on = if p.parameters.iter().all(|t| *t > 0.0 && *t < 1.0) { On::Inside } else { On::End };
                Self { weight: [1.0 - s, s, t - 1.0, -t], distance: p.distance_squared.sqrt(), on }
            }
        }
    }
}

/// Points at a fraction of the step.
#[must_use]
pub fn between(x0: &[DVec3; 4], x1: &[DVec3; 4], t: f64) -> [DVec3; 4] {
    std::array::from_fn(|i| x0[i] * (1.0 - t) + x1[i] * t)
}

/// Part of the distance by which an entry may be early: it decides which points are followed, not how long they act.
const ENTRY: f64 = 1e-6;

/// Pairs that glide along the distance take the points they have after this many looks.
const LOOKS: usize = 64;

/// When features first come within `distance` (m) on straight ways, and their nearest points then. No feature can be nearer than its distance
/// less its way: each look goes on by so much time.
#[must_use]
pub fn comes_within(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4], distance: f64) -> Option<(f64, Nearest)> {
    let way = |i: usize| x1[i] - x0[i];
    let speed = match kind {
        Kind::VertexFace => (1..4).fold(0.0, |m, i| f64::max(m, (way(0) - way(i)).mag())),
        Kind::EdgeEdge => {
            let to = |i: usize| f64::max((way(i) - way(2)).mag(), (way(i) - way(3)).mag());
            f64::max(to(0), to(1))
        }
    };
    let mut t = 0.0;
    let mut found = Nearest::of(kind, x0);
    for _ in 0..LOOKS {
        let left = found.distance - distance;
        if left <= ENTRY * distance {
            return Some((t, found));
        }
        t += left / speed;
        // Not `>`: without a way, and with coordinates that are not finite, nothing comes nearer.
        let within = t <= 1.0;
        if !within {
            return None;
        }
        found = Nearest::of(kind, &between(x0, x1, t));
    }
    Some((t, found))
}

/// What a pair is pushed along.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Push {
    /// The normal of the features, to the side on which the coplanarity function has this sign.
    Normal(i8),
    /// A unit vector that does not turn.
    Fixed(DVec3),
}

impl Push {
    /// Of the nearest points of features at `x` (m); `None` where they touch, so that nothing says which side is whose.
    #[must_use]
    pub fn of(kind: Kind, x: &[DVec3; 4], near: &Nearest) -> Option<Self> {
        if near.on == On::Inside {
            let at = crate::path::Frame::of(kind, x);
            let f = at.normal().dot(at.r);
            return (f != 0.0 && f.is_finite()).then_some(Self::Normal(if f > 0.0 { 1 } else { -1 }));
        }
        let w = near.weight;
        // Differences first: the weights come to nothing in all.
        let gap = (x[1] - x[0]) * w[1] + (x[2] - x[0]) * w[2] + (x[3] - x[0]) * w[3];
        try_normalized(gap).map(Self::Fixed)
    }
}

/// A pair of features of one layer and another.
#[derive(Clone, Copy, Debug)]
pub struct LayerPair {
    /// Which features.
    pub kind: Kind,
    /// Signed weights of its points.
    pub weight: [f64; 4],
    /// What it is pushed along.
    pub push: Push,
    /// Fraction of the step from which on it acts.
    pub from: f64,
    /// What the layers keep (m).
    pub distance: f64,
    /// N/m.
    pub stiffness: f64,
}

/// What it does in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerImpulse {
    /// Fractions of the step between which it acts.
    pub t_in: f64,
    /// The last of them.
    pub t_out: f64,
    /// On the first feature (N·s).
    pub impulse: DVec3,
    /// Its direction.
    pub normal: DVec3,
    /// How much the points lack of the distance at the start and at the end of the step (m).
    pub depth: [f64; 2],
    /// ½kδ² at the end (J).
    pub energy: f64,
}

/// Pieces in each of which δ is taken to change its sign once at the most: exact where the normal is fixed.
const PIECES: usize = 4;

/// Halvings of a piece until its root is a double.
const HALVINGS: usize = 60;

/// The impulse of a pair whose vertices move straight from `x0` to `x1` (m) in a step of `dt` (s); `None` for one that is never nearer than the
/// distance, or whose force is none.
#[must_use]
pub fn layer_impulse(
    pair: &LayerPair,
    x0: &[DVec3; 4],
    x1: &[DVec3; 4],
    dt: f64,
    force: Force,
) -> Option<LayerImpulse> {
    let path = Straight::new(pair.kind, x0, x1);
    let w = pair.weight;
    let gap = |x: &[DVec3; 4]| (x[1] - x[0]) * w[1] + (x[2] - x[0]) * w[2] + (x[3] - x[0]) * w[3];
    let (g0, g1) = (gap(x0), gap(x1));
    // Direction, and what is lacking; none where the features have no normal.
    let at = |t: f64| match pair.push {
        Push::Fixed(u) => (u, pair.distance - u.dot(g0 * (1.0 - t) + g1 * t)),
        Push::Normal(side) => {
            let frame = path.at(t);
            let m = frame.normal();
            let size = m.mag() * f64::from(side);
            if size == 0.0 {
                return (DVec3::zero(), 0.0);
            }
            let n = m / size;
            (n, pair.distance - n.dot(frame.r))
        }
    };
    let start = if pair.from > 0.0 { 0.0 } else { at(0.0).1.max(0.0) };
    let (n_end, end) = at(1.0);
    let end = end.max(0.0);
    let mut span: Option<[f64; 2]> = None;
    let mut sum = DVec3::zero();
    let mut a = (pair.from, at(pair.from).1);
    for piece in 1..=PIECES {
        let t = pair.from + (1.0 - pair.from) * piece as f64 / PIECES as f64;
        let b = (t, at(t).1);
        let inside = match (a.1 > 0.0, b.1 > 0.0) {
            (false, false) => None,
            (true, true) => Some([a.0, b.0]),
            (true, false) => Some([a.0, root(&at, a.0, b.0)]),
            (false, true) => Some([root(&at, b.0, a.0), b.0]),
        };
        if let Some([from, to]) = inside {
            span = Some([span.map_or(from, |s| s[0]), to]);
            let (mid, half) = (0.5 * (from + to), 0.5 * (to - from));
            for (x, weight) in GAUSS_6 {
                let (n, depth) = at(mid + half * x);
                sum += n * (depth.max(0.0) * weight * half);
            }
        }
        a = b;
    }
    let [t_in, t_out] = span?;
    let impulse = match force {
        Force::Integrated => sum,
        Force::AtEnd => n_end * end,
    } * (pair.stiffness * dt);
    let normal = try_normalized(impulse)?;
    let energy = 0.5 * pair.stiffness * end * end;
    Some(LayerImpulse { t_in, t_out, impulse, normal, depth: [start, end], energy })
}

/// Where what is lacking ends, between a time at which it is there and one at which it is not.
fn root(at: &impl Fn(f64) -> (DVec3, f64), mut inside: f64, mut outside: f64) -> f64 {
    for _ in 0..HALVINGS {
        let mid = 0.5 * (inside + outside);
        if at(mid).1 > 0.0 {
            inside = mid;
        } else {
            outside = mid;
        }
    }
    inside
}

#[cfg(test)]
mod tests;
