//! The motion of a pair during a step: two spanning vectors, a vector between the features, and the polynomials they make.
//!
//! With `u, v` the vectors that span the normal (`b−a, c−a` of a triangle; `b−a, d−c` of two edges) and `r` from one feature
//! to the other (`p−a`; `a−c`), m = u×v and f = m·r is the coplanarity function of the papers (ERRATA C7, C10). Because
//! f = m·(p−q) for *any* points q of the plane, or of the two lines, the impulse needs no weights.
//!
//! m is evaluated as u(t)×v(t), not from its Bernstein vectors: it costs the same and loses nothing where the triangle is a
//! sliver at that moment.

use impinge_ccd::Kind;
use impinge_geometry::DVec3;

/// The three vectors a pair's geometry depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub u: DVec3,
    pub v: DVec3,
    pub r: DVec3,
}

impl Frame {
    #[inline(always)]
    #[must_use]
    pub fn of(kind: Kind, x: &[DVec3; 4]) -> Self {
        match kind {
            Kind::VertexFace => Self { u: x[2] - x[1], v: x[3] - x[1], r: x[0] - x[1] },
            Kind::EdgeEdge => Self { u: x[1] - x[0], v: x[3] - x[2], r: x[0] - x[2] },
        }
    }

    /// m = u×v.
    #[inline(always)]
    #[must_use]
    pub fn normal(&self) -> DVec3 {
        self.u.cross(self.v)
    }
}

/// A motion the quadrature can integrate over.
pub(crate) trait Path {
    /// The vectors at time t.
    fn at(&self, t: f64) -> Frame;

    /// Taylor vectors of m and of r about `mid` for the argument s = (t − mid)/half.
    fn taylor(&self, mid: f64, half: f64) -> ([DVec3; 5], [DVec3; 3]);
}

/// Where m vanishes at the end of the step, the unit vector it comes from: edges that are parallel by then, a triangle that has
/// collapsed (C13). `None` where it does not vanish, or does so throughout.
pub(crate) fn normal_before_end<P: Path>(path: &P) -> Option<DVec3> {
    let end = path.at(1.0);
    if end.normal() != DVec3::zero() {
        return None;
    }
    let times = [path.at(0.0), path.at(0.5), end];
    let longest = |of: fn(&Frame) -> DVec3| times.iter().fold(0.0, |m, f| f64::max(m, of(f).mag()));
    // Differences of edges are up to four times as long as the edges.
    let rounding = 1e-14 * longest(|f| f.u) * longest(|f| f.v);
    let (taylor, _) = path.taylor(1.0, 1.0);
    // Powers of t − 1, which is negative.
    let k = (1..taylor.len()).find(|&k| taylor[k].mag() > rounding)?;
    Some(taylor[k] * ((if k % 2 == 1 { -1.0 } else { 1.0 }) / taylor[k].mag()))
}

/// Every point on a straight line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Straight {
    pub start: Frame,
    pub end: Frame,
}

impl Straight {
    #[inline(always)]
    #[must_use]
    pub fn new(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4]) -> Self {
        Self { start: Frame::of(kind, x0), end: Frame::of(kind, x1) }
    }
}

impl Path for Straight {
    #[inline(always)]
    fn at(&self, t: f64) -> Frame {
        let s = 1.0 - t;
        Frame {
            u: self.start.u * s + self.end.u * t,
            v: self.start.v * s + self.end.v * t,
            r: self.start.r * s + self.end.r * t,
        }
    }

    fn taylor(&self, mid: f64, half: f64) -> ([DVec3; 5], [DVec3; 3]) {
        let m = self.at(mid);
        let (du, dv) = ((self.end.u - self.start.u) * half, (self.end.v - self.start.v) * half);
        let z = DVec3::zero();
        let normal = [m.u.cross(m.v), m.u.cross(dv) + du.cross(m.v), du.cross(dv), z, z];
        (normal, [m.r, (self.end.r - self.start.r) * half, z])
    }
}

/// Every point on a parabola, Bernstein control points as in `impinge_ccd::accelerated`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Curved {
    pub control: [Frame; 3],
}

impl Curved {
    #[must_use]
    pub fn new(kind: Kind, b: &[[DVec3; 4]; 3]) -> Self {
        Self { control: [Frame::of(kind, &b[0]), Frame::of(kind, &b[1]), Frame::of(kind, &b[2])] }
    }
}

impl Path for Curved {
    fn at(&self, t: f64) -> Frame {
        let s = 1.0 - t;
        let (b0, b1, b2) = (s * s, 2.0 * t * s, t * t);
        let mix = |of: fn(&Frame) -> DVec3| {
            of(&self.control[0]) * b0 + of(&self.control[1]) * b1 + of(&self.control[2]) * b2
        };
        Frame { u: mix(|f| f.u), v: mix(|f| f.v), r: mix(|f| f.r) }
    }

    fn taylor(&self, mid: f64, half: f64) -> ([DVec3; 5], [DVec3; 3]) {
        let m = self.at(mid);
        let [c0, c1, c2] = &self.control;
        let (s, t) = (1.0 - mid, mid);
        // First and half the second derivative of a quadratic Bézier, in units of `half`.
        let expand = |of: fn(&Frame) -> DVec3| {
            let (a, b) = (of(c1) - of(c0), of(c2) - of(c1));
            ((a * s + b * t) * (2.0 * half), (b - a) * (half * half))
        };
        let ((u1, u2), (v1, v2), (r1, r2)) = (expand(|f| f.u), expand(|f| f.v), expand(|f| f.r));
        let normal = [
            m.u.cross(m.v),
            m.u.cross(v1) + u1.cross(m.v),
            m.u.cross(v2) + u1.cross(v1) + u2.cross(m.v),
            u1.cross(v2) + u2.cross(v1),
            u2.cross(v2),
        ];
        (normal, [m.r, r1, r2])
    }
}
