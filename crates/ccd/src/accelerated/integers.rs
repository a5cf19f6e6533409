//! The moving pair as integer polynomials.
//!
//! Takes Bernstein control points, gives P_i(t) = x_i − x_0 and E_ij = P_i × P_j as polynomials with integer
//! coefficients, and f = P1·E23. Every axis is scaled by its own power of two: an affine map, which changes neither
//! contact nor coplanarity nor which point of a line lies between which, and multiplies f and every coordinate of E by a
//! positive number.

use super::poly::Poly;
use crate::exact::int::{Int, decode};
use crate::kind::Kind;
use impinge_geometry::DVec3;

pub(super) struct Integers {
    pub kind: Kind,
    /// P1, P2, P3 by axis: quadratics.
    pub p: [[Poly; 3]; 3],
    /// E23, E31, E12 by axis: quartics.
    pub e: [[Poly; 3]; 3],
    /// P1·E23: degree 6.
    pub f: Poly,
}

impl Integers {
    #[must_use]
    pub fn new(kind: Kind, b: &[[DVec3; 4]; 3]) -> Self {
        let p: [[Poly; 3]; 3] = {
            let axes: [[Poly; 3]; 3] = std::array::from_fn(|k| axis(b, k));
            std::array::from_fn(|i| std::array::from_fn(|k| axes[k][i].clone()))
        };
        let cross = |a: &[Poly; 3], b: &[Poly; 3]| -> [Poly; 3] {
            std::array::from_fn(|k| {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                a[i].times(&b[j]).minus(&a[j].times(&b[i]))
            })
        };
        let e = [cross(&p[1], &p[2]), cross(&p[2], &p[0]), cross(&p[0], &p[1])];
        let f = (0..3).fold(Poly::default(), |f, k| f.plus(&p[0][k].times(&e[0][k])));
        Self { kind, p, e, f }
    }

    /// The unnormalised normal by axis: (b−a)×(c−a) = E23 + E31 + E12, or (b−a)×(d−c) = −E31 − E12.
    #[must_use]
    pub fn normal(&self) -> [Poly; 3] {
        std::array::from_fn(|k| {
            let sum = self.e[1][k].plus(&self.e[2][k]);
            match self.kind {
                Kind::VertexFace => sum.plus(&self.e[0][k]),
                Kind::EdgeEdge => Poly::default().minus(&sum),
            }
        })
    }

    /// Do the closed features touch at an instant at which all four points lie in one plane? `sign` gives signs at
    /// that instant.
    pub fn touch(&self, mut sign: impl FnMut(&Poly) -> i8) -> bool {
        for k in 0..3 {
            let [x, y, z] = [0, 1, 2].map(|i| sign(&self.e[i][k]));
            if x == 0 && y == 0 && z == 0 {
                continue;
            }
            return match self.kind {
                Kind::VertexFace => (x >= 0 && y >= 0 && z >= 0) || (x <= 0 && y <= 0 && z <= 0),
                Kind::EdgeEdge => {
                    let side = |s: i8, sum: i8| y * s >= 0 && z * s >= 0 && x * s <= 0 && sum * s >= 0;
                    let sum = sign(&self.sum(k));
                    side(1, sum) || side(-1, sum)
                }
            };
        }
        // All four points on one line. Along an axis the line is perpendicular to, everything is zero and touches;
        // along the others, order on the line is order on the axis.
        (0..3).all(|k| {
            let [p1, p2, p3] = [0, 1, 2].map(|i| sign(&self.p[i][k]));
            match self.kind {
                Kind::VertexFace => !(p1 == p2 && p2 == p3 && p1 != 0),
                Kind::EdgeEdge => {
                    // The edges 0 P1 and P2 P3 are apart when both ends of one lie on one side of both of the other.
                    let [q2, q3] = [1, 2].map(|i| sign(&self.p[i][k].minus(&self.p[0][k])));
                    !(p2 != 0 && p3 == p2 && q2 == p2 && q3 == p2)
                }
            }
        })
    }

    /// x + y + z of axis `k`.
    #[must_use]
    pub fn sum(&self, k: usize) -> Poly {
        self.e[0][k].plus(&self.e[1][k]).plus(&self.e[2][k])
    }
}

/// P1, P2, P3 along one axis, scaled to integers.
fn axis(b: &[[DVec3; 4]; 3], k: usize) -> [Poly; 3] {
    let at = |j: usize, i: usize| -> f64 { [b[j][i].x, b[j][i].y, b[j][i].z][k] };
    let mut low = i32::MAX;
    for j in 0..3 {
        for i in 0..4 {
            if at(j, i) != 0.0 {
                low = low.min(decode(at(j, i)).2);
            }
        }
    }
    // An axis of zeros needs no shift.
    let shift = if low == i32::MAX { 0 } else { -low };
    // Differences first: a common offset can be much longer than they are, and their common power of two goes.
    let d: [[Int; 3]; 3] = std::array::from_fn(|i| {
        std::array::from_fn(|j| &Int::from_f64(at(j, i + 1), shift) - &Int::from_f64(at(j, 0), shift))
    });
    let two = d.iter().flatten().filter(|d| !d.is_zero()).map(Int::trailing_zeros).min().unwrap_or(0);
    d.map(|d| {
        let [d0, d1, d2] = d.map(|d| d.shr(two));
        // (1−t)² d0 + 2t(1−t) d1 + t² d2.
        let linear = (&d1 - &d0).shl(1);
        let square = &(&d0 + &d2) - &d1.shl(1);
        Poly::exactly(vec![d0, linear, square])
    })
}
