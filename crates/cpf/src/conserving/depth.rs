//! Depth of a pair as a function of its points, with first and second derivatives.
//!
//! δ = −s f/|m| with f = m·r, m = u×v and s the sign of the free side (see `path.rs` for u, v, r). It depends on the points only
//! through the three vectors, and only on their lengths and angles: it does not change when everything is moved or turned. Its
//! gradient is the true one, ∂n/∂x included (MODELS §2, 2), which shares the reaction by where the point is now.

use crate::path::Frame;
use impinge_ccd::Kind;
use impinge_geometry::{DMat3, DVec3, add, outer, scale, skew, sub};

/// Three vectors, or a linear form of them.
pub(super) type Triple = [DVec3; 3];

/// A linear map between triples: `block[i][j]` maps vector j to vector i.
pub(super) type Blocks = [[DMat3; 3]; 3];

pub(super) fn triple(f: &Frame) -> Triple {
    [f.u, f.v, f.r]
}

pub(super) fn dot(a: &Triple, b: &Triple) -> f64 {
    a[0].dot(b[0]) + a[1].dot(b[1]) + a[2].dot(b[2])
}

pub(super) fn zero_matrix() -> DMat3 {
    DMat3::new(DVec3::zero(), DVec3::zero(), DVec3::zero())
}

/// Adds a bᵀ times `by`.
pub(super) fn add_outer(to: &mut Blocks, a: &Triple, b: &Triple, by: f64) {
    for i in 0..3 {
        for j in 0..3 {
            to[i][j] = add(&to[i][j], &scale(&outer(a[i], b[j]), by));
        }
    }
}

pub(super) fn apply(to: &Blocks, x: &Triple) -> Triple {
    std::array::from_fn(|i| to[i][0] * x[0] + to[i][1] * x[1] + to[i][2] * x[2])
}

/// Depth with its gradient; the Hessian is computed on request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Depth {
    y: Triple,
    side: f64,
    f: f64,
    q: f64,
    df: Triple,
    dq: Triple,
    /// δ (m), negative on the free side.
    pub value: f64,
    /// ∂δ/∂(u, v, r).
    pub gradient: Triple,
}

impl Depth {
    /// `None` where the normal is no more than rounding.
    #[must_use]
    pub fn new(y: &Triple, side: f64) -> Option<Self> {
        let [u, v, r] = *y;
        let m = u.cross(v);
        let (uu, vv, uv) = (u.dot(u), v.dot(v), u.dot(v));
        let q = m.dot(m);
        if !(q > 1e-24 * uu * vv && q.is_finite() && q > 1e-290) {
            return None;
        }
        let f = m.dot(r);
        let df = [v.cross(r), r.cross(u), m];
        let dq = [(u * vv - v * uv) * 2.0, (v * uu - u * uv) * 2.0, DVec3::zero()];
        let root = q.sqrt();
        let (a, b) = (-side / root, side * 0.5 * f / (q * root));
        let gradient = std::array::from_fn(|i| df[i] * a + dq[i] * b);
        Some(Self { y: *y, side, f, q, df, dq, value: -side * f / root, gradient })
    }

    /// ∂²δ/∂(u, v, r)².
    #[must_use]
    pub fn hessian(&self) -> Blocks {
        let [u, v, r] = self.y;
        let z = zero_matrix();
        let (f, q, side) = (self.f, self.q, self.side);
        let root = q.sqrt();
        let (u_, v_, r_) = (skew(u), skew(v), skew(r));
        let minus = |m: &DMat3| scale(m, -1.0);
        let d2f = [[z, minus(&r_), v_], [r_, z, minus(&u_)], [minus(&v_), u_, z]];
        let (uu, vv, uv) = (u.dot(u), v.dot(v), u.dot(v));
        let one = DMat3::identity();
        let quu = scale(&sub(&scale(&one, vv), &outer(v, v)), 2.0);
        let qvv = scale(&sub(&scale(&one, uu), &outer(u, u)), 2.0);
        let quv = scale(&sub(&sub(&scale(&outer(u, v), 2.0), &outer(v, u)), &scale(&one, uv)), 2.0);
        let d2q = [[quu, quv, z], [quv.transposed(), qvv, z], [z, z, z]];
        let (a, b) = (-side / root, side * 0.5 * f / (q * root));
        let mut h: Blocks = d2f;
        for (h, q) in h.as_flattened_mut().iter_mut().zip(d2q.as_flattened()) {
            *h = add(&scale(h, a), &scale(q, b));
        }
        let mixed = side * 0.5 / (q * root);
        add_outer(&mut h, &self.df, &self.dq, mixed);
        add_outer(&mut h, &self.dq, &self.df, mixed);
        add_outer(&mut h, &self.dq, &self.dq, -side * 0.75 * f / (q * q * root));
        h
    }
}

/// Which point a vector goes to and which it comes from: u, v, r.
fn ends(kind: Kind) -> [(usize, usize); 3] {
    match kind {
        Kind::VertexFace => [(2, 1), (3, 1), (0, 1)],
        Kind::EdgeEdge => [(1, 0), (3, 2), (0, 2)],
    }
}

/// A form of the three vectors as a form of the four points; the four sum to zero exactly where one rounding allows.
pub(super) fn on_points(kind: Kind, g: &Triple) -> [DVec3; 4] {
    let mut out = [DVec3::zero(); 4];
    for (g, (to, from)) in g.iter().zip(ends(kind)) {
        out[to] += *g;
        out[from] -= *g;
    }
    out
}

/// A map of the three vectors as a map of the four points.
pub(super) fn blocks_on_points(kind: Kind, k: &Blocks) -> [[DMat3; 4]; 4] {
    let mut out = [[zero_matrix(); 4]; 4];
    let ends = ends(kind);
    for (i, (to_i, from_i)) in ends.iter().enumerate() {
        for (j, (to_j, from_j)) in ends.iter().enumerate() {
            for (a, sa) in [(*to_i, 1.0), (*from_i, -1.0)] {
                for (b, sb) in [(*to_j, 1.0), (*from_j, -1.0)] {
                    out[a][b] = add(&out[a][b], &scale(&k[i][j], sa * sb));
                }
            }
        }
    }
    out
}

/// A gradient in terms of the three vectors.
pub(super) struct Found {
    pub gradient: Triple,
    pub dissipated: f64,
}
