//! Weights and normal at a contact time, eight contacts at a time.
//!
//! Takes coordinates packed by lane and a time for each, gives the signed weights of the two material points from the
//! ratios of the signed areas, the unit normal, and how far they can be trusted. The ratios cost least; for features
//! without a normal, and for those where the two points then do not coincide, [`crate::contact`] goes on.

use super::screen::{Block, W, cross, dot, max, min};
use crate::Kind;
use impinge_geometry::DVec3;
use impinge_geometry::for_each_set;

/// What became of the lanes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Weighed<const N: usize> {
    /// A [`trust`].
    pub trust: [f64; N],
    /// Signed weights, `[point][lane]`.
    pub weight: [[f64; N]; 4],
    /// Unit normal towards the side where the coplanarity function is positive, `[axis][lane]`.
    pub normal: [[f64; N]; 3],
}

impl<const N: usize> Weighed<N> {
    pub const NONE: Self = Self { trust: [trust::FLAT; N], weight: [[0.0; N]; 4], normal: [[0.0; N]; 3] };

    /// The weights of a lane.
    #[inline]
    #[must_use]
    pub fn weight(&self, l: usize) -> [f64; 4] {
        std::array::from_fn(|i| self.weight[i][l])
    }

    /// The normal of a lane towards a side that is not zero.
    #[inline]
    #[must_use]
    pub fn normal(&self, l: usize, side: i8) -> DVec3 {
        DVec3::new(self.normal[0][l], self.normal[1][l], self.normal[2][l]) * f64::from(side)
    }
}

/// Trust in a lane; numbers, so that they stay in the same registers.
pub(crate) mod trust {
    /// The normal is no more than rounding: weights and normal mean nothing.
    pub const FLAT: f64 = 0.0;
    /// The normal is good; the two points do not coincide.
    pub const APART: f64 = 1.0;
    /// All is good.
    pub const GOOD: f64 = 2.0;
}

#[inline(always)]
fn clamp(v: f64) -> f64 {
    min(max(v, 0.0), 1.0)
}

/// How far the points of a lane lie apart along an axis.
#[inline(always)]
fn spread<const N: usize>(x: &[[[f64; N]; 3]; 4], k: usize, l: usize) -> f64 {
    let [a, b, c, d] = [x[0][k][l], x[1][k][l], x[2][k][l], x[3][k][l]];
    max(max(a, b), max(c, d)) - min(min(a, b), min(c, d))
}

/// A time, and the unit of the differences.
#[derive(Clone, Copy)]
struct Time {
    s: f64,
    t: f64,
    unit: f64,
    overflow: bool,
}

// Functions, not closures: those were not inlined, and nothing was spread over lanes.
impl Time {
    #[inline(always)]
    fn from<const N: usize>(self, x: &[[[[f64; N]; 3]; 4]; 2], i: usize, j: usize, l: usize) -> [f64; 3] {
        [self.along(x, i, j, 0, l), self.along(x, i, j, 1, l), self.along(x, i, j, 2, l)]
    }

    #[inline(always)]
    fn along<const N: usize>(
        self,
        x: &[[[[f64; N]; 3]; 4]; 2],
        i: usize,
        j: usize,
        k: usize,
        l: usize,
    ) -> f64 {
        let start = self.difference(x[0][i][k][l], x[0][j][k][l]);
        let end = self.difference(x[1][i][k][l], x[1][j][k][l]);
        start * self.s + end * self.t
    }

    /// Differences first: what the points have in common then costs nothing, not even range.
    #[inline(always)]
    fn difference(self, a: f64, b: f64) -> f64 {
        if self.overflow { a * self.unit - b * self.unit } else { (a - b) * self.unit }
    }
}

/// One lane: the scalar twin, and the body of the wide kernel. Without inner loops, see [`super::screen`].
///
/// In units of a power of two near the largest difference between the points, so that products neither over- nor
/// underflow.
#[inline(always)]
fn lane<const EDGES: bool, const N: usize>(x: &[[[[f64; N]; 3]; 4]; 2], t: f64, l: usize) -> [f64; 8] {
    let both = |k: usize| max(spread(&x[0], k, l), spread(&x[1], k, l));
    let largest = max(both(0), max(both(1), both(2)));
    // Into [1, 4), as far as there is such a power of two.
    let biased = (largest.to_bits() >> 52).clamp(1, 2045);
    let unit = f64::from_bits((2046 - biased) << 52);
    let at = Time { s: 1.0 - t, t, unit, overflow: largest == f64::INFINITY };
    let p = [at.from(x, 1, 0, l), at.from(x, 2, 0, l), at.from(x, 3, 0, l)];
    // From the coordinates themselves: as differences of `p` a short edge would have the error of a long one.
    let edges = if EDGES { [p[0], at.from(x, 3, 2, l)] } else { [at.from(x, 2, 1, l), at.from(x, 3, 1, l)] };
    let m = cross(edges[0], edges[1]);
    let mm = dot(m, m);
    // The angle between the features is above 1e-12.
    let flat = 1e-24 * (dot(edges[0], edges[0]) * dot(edges[1], edges[1]));
    let regular = mm < f64::INFINITY && mm > f64::MIN_POSITIVE && mm > flat;
    let weight = if EDGES {
        // c − a against the edges: P2×P3 = P2×(d−c).
        let (e23, e21) = (cross(p[1], edges[1]), cross(p[1], edges[0]));
        let (s, u) = (clamp(dot(e23, m) / mm), clamp(dot(e21, m) / mm));
        [1.0 - s, s, u - 1.0, -u]
    } else {
        let (e23, e31, e12) = (cross(p[1], p[2]), cross(p[2], p[0]), cross(p[0], p[1]));
        let (a, b, c) = (clamp(dot(e23, m) / mm), clamp(dot(e31, m) / mm), clamp(dot(e12, m) / mm));
        let sum = a + b + c;
        let some = sum > 0.0;
        [
            1.0,
            if some { -a / sum } else { -1.0 },
            if some { -b / sum } else { 0.0 },
            if some { -c / sum } else { 0.0 },
        ]
    };
    let off = |k: usize| p[0][k] * weight[1] + p[1][k] * weight[2] + p[2][k] * weight[3];
    let off = [off(0), off(1), off(2)];
    let widest = |p: [f64; 3]| max(p[0].abs(), max(p[1].abs(), p[2].abs()));
    let size = 1e-12 * max(widest(p[0]), max(widest(p[1]), widest(p[2])));
    let trust = if !regular {
        trust::FLAT
    } else if dot(off, off) <= size * size {
        trust::GOOD
    } else {
        trust::APART
    };
    let length = 1.0 / mm.sqrt();
    let [a, b, c, d] = weight;
    [trust, a, b, c, d, m[0] * length, m[1] * length, m[2] * length]
}

/// One contact, scalar: the same answer as its lane in a block.
#[inline]
pub(crate) fn one(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4], t: f64) -> Weighed<1> {
    let x: [[[[f64; 1]; 3]; 4]; 2] = [x0, x1].map(|x| x.map(|p| <[f64; 3]>::from(p).map(|c| [c])));
    let [trust, a, b, c, d, nx, ny, nz] = match kind {
        Kind::VertexFace => lane::<false, 1>(&x, t, 0),
        Kind::EdgeEdge => lane::<true, 1>(&x, t, 0),
    };
    Weighed { trust: [trust], weight: [[a], [b], [c], [d]], normal: [[nx], [ny], [nz]] }
}

#[inline(always)]
fn all_lanes<const EDGES: bool>(block: &Block, t: &[f64; W], out: &mut Weighed<W>) {
    for l in 0..W {
        let [trust, a, b, c, d, nx, ny, nz] = lane::<EDGES, W>(&block.x, t[l], l);
        out.trust[l] = trust;
        out.weight[0][l] = a;
        out.weight[1][l] = b;
        out.weight[2][l] = c;
        out.weight[3][l] = d;
        out.normal[0][l] = nx;
        out.normal[1][l] = ny;
        out.normal[2][l] = nz;
    }
}

for_each_set! {
    /// The lanes of a block.
    pub(crate) weigh<EDGES> = all_lanes(block: &Block, t: &[f64; W], out: &mut Weighed<W>)
}
