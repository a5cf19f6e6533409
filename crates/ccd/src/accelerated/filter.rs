//! f and E in doubles, with error bounds.
//!
//! Takes Bernstein control points, gives the Bernstein coefficients of f = P1·(P2×P3) (degree 6) and of the coordinates of
//! E23, E31, E12 (degree 4), and what they can be off by.
//!
//! u = 2⁻⁵³, Mₖ the largest |coordinate k| of the P_i at any control point. Products of Bernstein forms:
//! e_l = Σ C(2,i)C(2,j)/C(4,l) A_i×B_j over i+j = l, f_m = Σ C(2,i)C(4,l)/C(6,m) P1_i·e_l over i+l = m. The binomials above
//! are powers of two (1, 2) or cancel (C(4,l) of f against the division in e_l, so the division is made once).
//!
//! * E: a term passes through 2 rounded differences, 1 product, 1 subtraction, 2 additions, 1 division: 7u on
//!   two products of at most M_iM_j, whose weights sum to one: 14u·M_iM_j. Used: 16u·M_iM_j.
//! * f: one difference more, 1 product, 2 + 2 additions, and the division is its own: 13u on six products: 78u·MxMyMz.
//!   Used: 96u·MxMyMz. As coefficients of a Bernstein form, this bounds |f − f̃| on all of [0, 1].
//!
//! Mₖ is zero or in [1e-60, 1e60] (else the pair goes to integers), so underflow adds less than 1e-300 to what is at
//! least 1e-180 before the factor u.

use crate::kind::Kind;
use impinge_geometry::DVec3;

/// Half an ulp of one.
pub(super) const U: f64 = f64::EPSILON / 2.0;

/// The differences P_i at the control points, index `[i − 1][j]`.
pub(super) type Differences = [[DVec3; 3]; 3];

#[inline]
pub(super) fn differences(b: &[[DVec3; 4]; 3]) -> Differences {
    std::array::from_fn(|i| std::array::from_fn(|j| b[j][i + 1] - b[j][0]))
}

/// f and E in doubles.
pub(super) struct Filter {
    /// Bernstein coefficients of f.
    pub f: [f64; 7],
    /// Bound of the error of f.
    pub f_error: f64,
    /// Bernstein coefficients of E23, E31, E12: `[which][l]`.
    pub e: [[DVec3; 5]; 3],
    /// Bound of the error of E, by axis.
    pub e_error: DVec3,
}

/// C(4,l) e_l.
fn product(a: &[DVec3; 3], b: &[DVec3; 3]) -> [DVec3; 5] {
    [
        a[0].cross(b[0]),
        (a[0].cross(b[1]) + a[1].cross(b[0])) * 2.0,
        (a[0].cross(b[2]) + a[2].cross(b[0])) + a[1].cross(b[1]) * 4.0,
        (a[1].cross(b[2]) + a[2].cross(b[1])) * 2.0,
        a[2].cross(b[2]),
    ]
}

fn divided(e: [DVec3; 5]) -> [DVec3; 5] {
    [e[0], e[1] / 4.0, e[2] / 6.0, e[3] / 4.0, e[4]]
}

impl Filter {
    /// `None` where magnitudes could under- or overflow.
    #[must_use]
    pub fn new(p: &Differences) -> Option<Self> {
        let mut m = DVec3::zero();
        for p in p.iter().flatten() {
            m = DVec3::new(m.x.max(p.x.abs()), m.y.max(p.y.abs()), m.z.max(p.z.abs()));
        }
        let fits = |m: f64| m == 0.0 || (1e-60..1e60).contains(&m);
        if !(fits(m.x) && fits(m.y) && fits(m.z)) {
            return None;
        }
        let e23 = product(&p[1], &p[2]);
        let a = &p[0];
        let f = [
            a[0].dot(e23[0]),
            (a[0].dot(e23[1]) + a[1].dot(e23[0]) * 2.0) / 6.0,
            (a[0].dot(e23[2]) + a[1].dot(e23[1]) * 2.0 + a[2].dot(e23[0])) / 15.0,
            (a[0].dot(e23[3]) + a[1].dot(e23[2]) * 2.0 + a[2].dot(e23[1])) / 20.0,
            (a[0].dot(e23[4]) + a[1].dot(e23[3]) * 2.0 + a[2].dot(e23[2])) / 15.0,
            (a[1].dot(e23[4]) * 2.0 + a[2].dot(e23[3])) / 6.0,
            a[2].dot(e23[4]),
        ];
        Some(Self {
            f,
            f_error: 96.0 * U * (m.x * m.y * m.z),
            e: [divided(e23), divided(product(&p[2], &p[0])), divided(product(&p[0], &p[1]))],
            e_error: DVec3::new(m.y * m.z, m.z * m.x, m.x * m.y) * (16.0 * U),
        })
    }

    /// At no root of f are the features in contact, certainly: along one axis two of the orientations that must not have
    /// opposite signs there (see [`Kind`]) have certain opposite signs for all time.
    #[must_use]
    pub fn apart(&self, kind: Kind) -> bool {
        (0..3).any(|k| {
            let axis = |v: &DVec3| [v.x, v.y, v.z][k];
            let error = axis(&self.e_error);
            let [x, y, z] = [0, 1, 2].map(|i| self.e[i].each_ref().map(axis));
            let sign = |e: &[f64; 5], error: f64| {
                i8::from(e.iter().all(|&e| e > error)) - i8::from(e.iter().all(|&e| e < -error))
            };
            let fourth = match kind {
                Kind::VertexFace => 0,
                // Three errors, and two roundings of sums of at most twice the orientations.
                Kind::EdgeEdge => sign(&std::array::from_fn(|l| x[l] + y[l] + z[l]), 4.0 * error),
            };
            let flip = if kind == Kind::EdgeEdge { -1 } else { 1 };
            let signs = [flip * sign(&x, error), sign(&y, error), sign(&z, error), fourth];
            signs.contains(&1) && signs.contains(&-1)
        })
    }

    /// f has no root in [0, 1], certainly.
    #[inline]
    #[must_use]
    pub fn clear(&self) -> bool {
        self.f.iter().all(|&b| b > self.f_error) || self.f.iter().all(|&b| b < -self.f_error)
    }
}

/// One coordinate keeps the features on different sides for the whole step: every P_i (vertex–face) or every point of one
/// edge minus every point of the other is of one sign at every control point, and so, as a convex combination, at every
/// time. Only signs of differences are used, and those are exact.
pub(super) fn separated(split: usize, b: &[[DVec3; 4]; 3]) -> bool {
    let axis = |k: usize, p: &DVec3| [p.x, p.y, p.z][k];
    (0..3).any(|k| {
        let (mut above, mut below) = (true, true);
        for x in b {
            for p in &x[..split] {
                for q in &x[split..] {
                    above &= axis(k, p) > axis(k, q);
                    below &= axis(k, p) < axis(k, q);
                }
            }
        }
        above || below
    })
}
