//! One pair of tets without bodies or trees: the plane of equal pressure and its polygon (Theorem 2 with errata P1, P2).

use crate::blocks::TetRecord;
use crate::query::pair_polygon;
use impinge_geometry::DVec3;
use smallvec::SmallVec;

/// The plane on which two affine pressures agree, and its part inside both tets.
#[derive(Clone, Debug, PartialEq)]
pub struct TetPair {
    /// Unit normal out of B into A: along ∇p_A − ∇p_B.
    pub normal: DVec3,
    /// n·x + offset = 0 on the plane (m).
    pub offset: f64,
    /// Corners counter-clockwise about the normal with their pressures (m, Pa); empty where the tets do not share it.
    pub polygon: SmallVec<[(DVec3, f64); 8]>,
}

/// Corners of a positive tet and the pressures (Pa) there, of A and of B. `None` where the gradients agree to rounding:
/// there is no plane then, or the pressures are equal in a volume.
#[must_use]
pub fn tet_pair(a: [DVec3; 4], pressure_a: [f64; 4], b: [DVec3; 4], pressure_b: [f64; 4]) -> Option<TetPair> {
    // About their common middle, so that tets far from the origin lose nothing.
    let middle = a.iter().chain(&b).fold(DVec3::zero(), |s, &p| s + p) * 0.125;
    let record = |v: [DVec3; 4], p| TetRecord::new(0, v.map(|x| x - middle), p);
    let (a, b) = (record(a, pressure_a), record(b, pressure_b));
    let (normal, size, corners) = pair_polygon(&a, &b)?;
    let offset = (a.c - b.c) / size - normal.dot(middle);
    // Where both fields end at 0 the rim lies in a face of each tet, and rounding leaves corners twice; one is enough.
    let reach = a.x[..4].iter().chain(&a.y[..4]).chain(&a.z[..4]).fold(0.0f64, |m, x| m.max(x.abs()));
    let mut polygon: SmallVec<[(DVec3, f64); 8]> = SmallVec::new();
    for c in &corners {
        let x = DVec3::new(c[0], c[1], c[2]) + middle;
        let twice = |p: Option<&(DVec3, f64)>| p.is_some_and(|p| (p.0 - x).mag() <= 1e-12 * reach);
        if !twice(polygon.last()) && !twice(polygon.first()) {
            polygon.push((x, c[3]));
        }
    }
    if polygon.len() < 3 {
        polygon.clear();
    }
    Some(TetPair { normal, offset, polygon })
}
