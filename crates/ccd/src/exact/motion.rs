//! The pair in integers: differences, orientations and the cubic.
//!
//! Takes scaled differences, gives the forms whose signs decide everything. With P_i(t) = s P_i⁰ + t P_i¹ (s = 1 − t) all are
//! polar forms of products, so no velocity is ever computed:
//!
//! * `(P_i×P_j)_k`: `P_i⁰×P_j⁰`, `P_i⁰×P_j¹ + P_i¹×P_j⁰`, `P_i¹×P_j¹`;
//! * f = P1·(P2×P3): likewise with the three coefficients of P2×P3.
//!
//! One rule serves both kinds. Where not all four points are on a line, with x, y, z = (P2×P3, P3×P1, P1×P2)ₖ on an axis where
//! they are not all zero, the features touch if and only if all of `x, y, z` (vertex–face), all of
//! `y, z, −x, x + y + z` (edge–edge) have one sign or are zero. (Edge–edge with y = z = 0 leaves −x against x.) Where the
//! points are on a line, the features touch if and only if no axis separates them: `P1, P2, P3` resp.
//! `P2, P3, P2 − P1, P3 − P1` strictly of one sign. Zero-length edges and flat triangles need no case of their own.

use super::scale::Scaled;
use super::width::{Num, Width};
use crate::Kind;

/// Coefficients of a form of degree 2.
pub(super) type Quadratic<N> = [N; 3];

pub(super) struct Motion<'a, W: Width> {
    pub kind: Kind,
    scaled: &'a Scaled,
    /// `[end][i − 1][axis]`.
    p: [[[W::P; 3]; 3]; 2],
}

/// |error| of an orientation from `near` at a double within one spacing of the time that is meant.
///
/// u = 2^-53. A difference at that time: 3u from the two halves (what underflows is far less), 3u from the
/// interpolation, 2u from the time, 8u in all; a product of two 16u + u, the difference of two products 36u, a sum of three of those 118u < 2^-46.
pub(super) const NEAR: f64 = 1.0 / (1u64 << 45) as f64;

/// Orientations in doubles.
pub(super) struct Near {
    /// The rule's three or four values, `[axis][..]`; index 3 unused for vertex–face.
    pub rule: [[f64; 4]; 3],
    /// The unnormalised normal.
    pub normal: [f64; 3],
}

impl<'a, W: Width> Motion<'a, W> {
    #[must_use]
    pub fn new(kind: Kind, scaled: &'a Scaled) -> Self {
        let mut p: [[[W::P; 3]; 3]; 2] = Default::default();
        for k in 0..3 {
            let (unit, low) = (scaled.unit(k), scaled.low[k]);
            for end in 0..2 {
                for i in 0..3 {
                    let lo = if scaled.exact { 0.0 } else { scaled.lo[end][i][k] };
                    p[end][i][k] = W::lift(scaled.hi[end][i][k], lo, unit, low);
                }
            }
        }
        Self { kind, scaled, p }
    }

    /// How many forms the rule looks at.
    #[must_use]
    pub fn rule_len(&self) -> usize {
        match self.kind {
            Kind::VertexFace => 3,
            Kind::EdgeEdge => 4,
        }
    }

    /// The same P at both ends.
    fn cross_at(&self, i: usize, e: usize, j: usize, f: usize, k: usize) -> W::Q {
        let (a, b) = ((k + 1) % 3, (k + 2) % 3);
        W::pp(&self.p[e][i][a], &self.p[f][j][b]).minus(&W::pp(&self.p[e][i][b], &self.p[f][j][a]))
    }

    /// `(P_{i+1} × P_{j+1})_k`.
    fn cross(&self, i: usize, j: usize, k: usize) -> [W::Q; 3] {
        let middle = self.cross_at(i, 0, j, 1, k).plus(&self.cross_at(i, 1, j, 0, k));
        [self.cross_at(i, 0, j, 0, k), middle, self.cross_at(i, 1, j, 1, k)]
    }

    fn x(&self, k: usize) -> [W::Q; 3] {
        self.cross(1, 2, k)
    }

    fn y(&self, k: usize) -> [W::Q; 3] {
        self.cross(2, 0, k)
    }

    fn z(&self, k: usize) -> [W::Q; 3] {
        self.cross(0, 1, k)
    }

    /// Form `index` of the rule on axis `k`.
    #[must_use]
    pub fn rule(&self, k: usize, index: usize) -> Quadratic<W::Q> {
        match (self.kind, index) {
            (Kind::VertexFace, 0) => self.x(k),
            (Kind::VertexFace, 1) | (Kind::EdgeEdge, 0) => self.y(k),
            (Kind::VertexFace, _) | (Kind::EdgeEdge, 1) => self.z(k),
            (Kind::EdgeEdge, 2) => self.x(k).map(|q| q.negated()),
            (Kind::EdgeEdge, _) => sum(&sum(&self.x(k), &self.y(k)), &self.z(k)),
        }
    }

    /// All forms of the rule on axis `k`; the last one counts for edge–edge only.
    #[must_use]
    pub fn rules(&self, k: usize) -> [Quadratic<W::Q>; 4] {
        let (x, y, z) = (self.x(k), self.y(k), self.z(k));
        match self.kind {
            Kind::VertexFace => [x, y, z, Default::default()],
            Kind::EdgeEdge => {
                let all = sum(&sum(&x, &y), &z);
                [y, z, x.map(|q| q.negated()), all]
            }
        }
    }

    /// Component `k` of the unnormalised normal, for edge–edge with the opposite sign.
    #[must_use]
    pub fn normal(&self, k: usize) -> Quadratic<W::Q> {
        let yz = sum(&self.y(k), &self.z(k));
        match self.kind {
            Kind::VertexFace => sum(&self.x(k), &yz),
            Kind::EdgeEdge => yz,
        }
    }

    /// Linear form `index` of the rule for points on a line, on axis `k`, times s + t = 1.
    #[must_use]
    pub fn line_rule(&self, k: usize, index: usize) -> Quadratic<W::Q> {
        let at = |end: usize| {
            let p = &self.p[end];
            match (self.kind, index) {
                (Kind::VertexFace, i) => p[i][k].clone(),
                (Kind::EdgeEdge, 0 | 1) => p[index + 1][k].clone(),
                (Kind::EdgeEdge, _) => p[index - 1][k].minus(&p[0][k]),
            }
        };
        by_whole(&W::widen(&at(0)), &W::widen(&at(1)))
    }

    /// Coefficients of f.
    #[must_use]
    pub fn cubic(&self) -> [W::F; 4] {
        let mut b: [W::F; 4] = Default::default();
        for k in 0..3 {
            let [n00, m, n11] = self.x(k);
            let (p0, p1) = (&self.p[0][0][k], &self.p[1][0][k]);
            b[0] = b[0].plus(&W::pq(p0, &n00));
            b[1] = b[1].plus(&W::pq(p0, &m)).plus(&W::pq(p1, &n00));
            b[2] = b[2].plus(&W::pq(p0, &n11)).plus(&W::pq(p1, &m));
            b[3] = b[3].plus(&W::pq(p1, &n11));
        }
        b
    }

    /// The orientations at a double, within [`NEAR`] of those within one spacing of it.
    #[must_use]
    pub fn near(&self, t: f64) -> Near {
        let s = 1.0 - t;
        let Scaled { hi, lo, exact, .. } = self.scaled;
        let mut p = [[0.0; 3]; 3];
        for k in 0..3 {
            let [f, g] = self.scaled.whole(k);
            for i in 0..3 {
                let mut at = [hi[0][i][k] * f * g, hi[1][i][k] * f * g];
                if !*exact {
                    at = [at[0] + lo[0][i][k] * f * g, at[1] + lo[1][i][k] * f * g];
                }
                p[i][k] = s * at[0] + t * at[1];
            }
        }
        let (mut rule, mut normal) = ([[0.0; 4]; 3], [0.0; 3]);
        for k in 0..3 {
            let (a, b) = ((k + 1) % 3, (k + 2) % 3);
            let cross = |i: usize, j: usize| p[i][a] * p[j][b] - p[i][b] * p[j][a];
            let (x, y, z) = (cross(1, 2), cross(2, 0), cross(0, 1));
            (rule[k], normal[k]) = match self.kind {
                Kind::VertexFace => ([x, y, z, 0.0], x + y + z),
                Kind::EdgeEdge => ([y, z, -x, x + y + z], y + z),
            };
        }
        Near { rule, normal }
    }
}

/// (a s + b t)(s + t).
pub(super) fn by_whole<N: Num>(a: &N, b: &N) -> Quadratic<N> {
    [a.clone(), a.plus(b), b.clone()]
}

fn sum<N: Num>(a: &[N; 3], b: &[N; 3]) -> [N; 3] {
    std::array::from_fn(|i| a[i].plus(&b[i]))
}
