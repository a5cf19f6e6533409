//! The moving pair in exact coordinates, and whether its closed features touch at a given time.

use super::algebraic::Algebraic;
use super::dyadic::decompose;
use super::poly::Poly;
use impinge_ccd::Kind;
use impinge_geometry::DVec3;
use num_bigint::BigInt;

/// Coordinates as linear polynomials of time, scaled by one power of two to whole numbers.
pub struct Motion {
    pub kind: Kind,
    x: [[Poly; 3]; 4],
}

/// Where signs are taken: at a root, or at a time between two roots.
pub trait At {
    fn sign_of(&mut self, g: &Poly) -> i8;
}

impl At for Algebraic {
    fn sign_of(&mut self, g: &Poly) -> i8 {
        Algebraic::sign_of(self, g)
    }
}

impl At for super::Dyadic {
    fn sign_of(&mut self, g: &Poly) -> i8 {
        g.sign_at(self)
    }
}

impl Motion {
    /// The coordinates must be finite.
    pub fn new(kind: Kind, x0: &[DVec3; 4], x1: &[DVec3; 4]) -> Self {
        let numbers = x0.iter().chain(x1).flat_map(|p| [p.x, p.y, p.z]);
        let parts: Vec<(i64, i64)> = numbers.map(decompose).collect();
        let low = parts.iter().filter(|p| p.0 != 0).map(|p| p.1).min().unwrap_or(0);
        let whole = |i: usize| -> BigInt {
            let (m, e) = parts[i];
            BigInt::from(m) << if m == 0 { 0 } else { (e - low) as u64 }
        };
        let x = std::array::from_fn(|p| {
            std::array::from_fn(|k| {
                let (start, end) = (whole(3 * p + k), whole(12 + 3 * p + k));
                Poly::new(vec![start.clone(), end - start])
            })
        });
        Self { kind, x }
    }

    /// Coordinate `k` of the vector from point `i` to point `j`.
    pub fn diff(&self, i: usize, j: usize, k: usize) -> Poly {
        self.x[j][k].sub(&self.x[i][k])
    }

    /// Component `k` of (x_j − x_i) × (x_m − x_l).
    fn cross(&self, [i, j]: [usize; 2], [l, m]: [usize; 2], k: usize) -> Poly {
        let (p, q) = ((k + 1) % 3, (k + 2) % 3);
        self.diff(i, j, p).mul(&self.diff(l, m, q)).sub(&self.diff(i, j, q).mul(&self.diff(l, m, p)))
    }

    /// Twice the signed area of the triangle `i j l` seen along axis `k`.
    pub fn area(&self, i: usize, j: usize, l: usize, k: usize) -> Poly {
        self.cross([i, j], [i, l], k)
    }

    /// The unnormalised normal: of the face, or of both edges.
    pub fn normal(&self, k: usize) -> Poly {
        match self.kind {
            Kind::VertexFace => self.area(1, 2, 3, k),
            Kind::EdgeEdge => self.cross([0, 1], [2, 3], k),
        }
    }

    /// The coplanarity cubic of the papers: normal · (p − a), normal · (a − c).
    pub fn cubic(&self) -> Poly {
        let other = match self.kind {
            Kind::VertexFace => 1,
            Kind::EdgeEdge => 2,
        };
        (0..3).map(|k| self.normal(k).mul(&self.diff(other, 0, k))).fold(Poly::new(vec![]), |a, b| a.add(&b))
    }

    /// Everything whose sign the answer depends on while all four points share a plane.
    pub fn events(&self) -> Vec<Poly> {
        let mut all = Vec::new();
        for k in 0..3 {
            all.push(self.normal(k));
            for [i, j, l] in [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]] {
                all.push(self.area(i, j, l, k));
            }
            for [i, j] in [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]] {
                all.push(self.diff(i, j, k));
            }
        }
        all.retain(|p| p.degree() > 0);
        all
    }

    /// The closed features touch, given that the four points share a plane at this time.
    pub fn touch(&self, at: &mut impl At) -> bool {
        let axis = (0..3).find_map(|k| Some((k, at.sign_of(&self.normal(k)))).filter(|(_, s)| *s != 0));
        match (self.kind, axis) {
            (Kind::VertexFace, Some((k, turn))) => {
                // Seen along an axis the triangle keeps its shape, and the point lies in it on the same side of all edges.
                let sides = [[1, 2], [2, 3], [3, 1]];
                sides.into_iter().all(|[i, j]| at.sign_of(&self.area(i, j, 0, k)) * turn >= 0)
            }
            (Kind::EdgeEdge, Some((k, _))) => {
                // Two lines that cross: each segment has its ends on both sides of the other's line.
                let mut parted = |[i, j]: [usize; 2], [l, m]: [usize; 2]| {
                    at.sign_of(&self.area(i, j, l, k)) * at.sign_of(&self.area(i, j, m, k)) <= 0
                };
                parted([0, 1], [2, 3]) && parted([2, 3], [0, 1])
            }
            // A triangle without area is its three sides.
            (Kind::VertexFace, None) => {
                [[1, 2], [2, 3], [3, 1]].into_iter().any(|[i, j]| self.on_segment(0, i, j, at))
            }
            // Parallel segments, or such without length, that touch: one has an end on the other.
            (Kind::EdgeEdge, None) => [[0, 2, 3], [1, 2, 3], [2, 0, 1], [3, 0, 1]]
                .into_iter()
                .any(|[p, i, j]| self.on_segment(p, i, j, at)),
        }
    }

    /// Point `p` lies on the closed segment `i j`, which may be a point.
    fn on_segment(&self, p: usize, i: usize, j: usize, at: &mut impl At) -> bool {
        let between = |k: usize, at: &mut _| {
            At::sign_of(at, &self.diff(p, i, k)) * At::sign_of(at, &self.diff(p, j, k)) <= 0
        };
        (0..3).all(|k| between(k, at)) && (0..3).all(|k| at.sign_of(&self.area(p, i, j, k)) == 0)
    }
}
