//! The indexed tetrahedral mesh: two arrays and the promise that they fit together.
//!
//! Corners run so that the volume V = (b − a)·((c − a) × (d − a))/6 is positive: seen from the last corner, the
//! first three run clockwise; seen from outside, every face in [`TetMesh::FACES`] runs counter-clockwise. Which
//! way a tet faces is decided exactly (Shewchuk's predicate, the `robust` crate): a flat one is never taken for
//! a thin one, nor the other way round.

use crate::{MeshError, is_finite};
use robust::{Coord3D, orient3d};
use std::cmp::Ordering;
use ultraviolet::DVec3;

/// Vertices and tetrahedra.
///
/// Every index is in range and every coordinate finite: the constructor refuses anything else. Flat and inverted
/// tets are let in, so that a file with a few of them can be looked at; [`TetMesh::require_positive`] refuses
/// them by number, [`TetMesh::oriented`] turns the inverted ones.
#[derive(Clone, Debug, PartialEq)]
pub struct TetMesh {
    positions: Vec<DVec3>,
    tets: Vec<[u32; 4]>,
}

/// Faces are numbered 4·tet + face in a `u32`, and `u32::MAX` stands for "none".
const MAX_TETS: usize = (u32::MAX / 4) as usize;

impl TetMesh {
    /// The corners of face `i`, which lies opposite corner `i`, counter-clockwise seen from outside a positive tet.
    pub const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

    /// The corners of the six edges of a tet.
    pub const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

    /// Checks and takes two arrays.
    ///
    /// # Errors
    /// [`MeshError`] when there is no tet, an index is out of range or a coordinate is not finite.
    pub fn new(positions: Vec<DVec3>, tets: Vec<[u32; 4]>) -> Result<Self, MeshError> {
        if positions.is_empty() || tets.is_empty() {
            return Err(MeshError::NoTets);
        }
        if positions.len() >= u32::MAX as usize {
            return Err(MeshError::TooLarge { count: positions.len() });
        }
        if tets.len() > MAX_TETS {
            return Err(MeshError::TooLarge { count: tets.len() });
        }
        if let Some(vertex) = positions.iter().position(|&p| !is_finite(p)) {
            return Err(MeshError::NonFinite { vertex });
        }
        let n = positions.len();
        for (tet, t) in tets.iter().enumerate() {
            if let Some(&index) = t.iter().find(|&&i| i as usize >= n) {
                return Err(MeshError::TetIndexOutOfRange { tet, index, vertices: n });
            }
        }
        Ok(Self { positions, tets })
    }

    /// The same from plain arrays, for users of another maths crate.
    ///
    /// # Errors
    /// As [`TetMesh::new`].
    pub fn from_arrays(positions: &[[f64; 3]], tets: &[[u32; 4]]) -> Result<Self, MeshError> {
        Self::new(positions.iter().map(|&p| DVec3::from(p)).collect(), tets.to_vec())
    }

    /// Vertex positions (m).
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// Corner indices.
    pub fn tets(&self) -> &[[u32; 4]] {
        &self.tets
    }

    /// The corner positions of one tet.
    pub fn corners(&self, tet: usize) -> [DVec3; 4] {
        self.tets[tet].map(|i| self.positions[i as usize])
    }

    /// The signed volume of one tet (m³).
    pub fn volume(&self, tet: usize) -> f64 {
        tet_volume(self.corners(tet))
    }

    /// The signed volume of every tet (m³).
    pub fn volumes(&self) -> Vec<f64> {
        (0..self.tets.len()).map(|t| self.volume(t)).collect()
    }

    /// Moves every vertex by `f`.
    ///
    /// # Errors
    /// [`MeshError::NonFinite`] when `f` makes a coordinate that is not finite.
    pub fn mapped(&self, f: impl FnMut(DVec3) -> DVec3) -> Result<Self, MeshError> {
        Self::new(self.positions.iter().copied().map(f).collect(), self.tets.clone())
    }

    /// Lower and upper corner of the axis-aligned box around all vertices (m).
    pub fn bounds(&self) -> (DVec3, DVec3) {
        let mut lo = self.positions[0];
        let mut hi = lo;
        for &p in &self.positions {
            lo = lo.min_by_component(p);
            hi = hi.max_by_component(p);
        }
        (lo, hi)
    }

    /// Both arrays back.
    pub fn into_parts(self) -> (Vec<DVec3>, Vec<[u32; 4]>) {
        (self.positions, self.tets)
    }

    /// The first tet that is flat or inside out, lowest first.
    pub fn first_not_positive(&self) -> Option<usize> {
        (0..self.tets.len()).find(|&t| tet_orientation(self.corners(t)) != Ordering::Greater)
    }

    /// Tets with the four corners of an earlier one, in whatever order: the earlier one and the later one, in the order of
    /// the later.
    pub fn duplicates(&self) -> Vec<[usize; 2]> {
        let mut keys: Vec<([u32; 4], usize)> = self.tets.iter().copied().zip(0..).collect();
        keys.iter_mut().for_each(|k| k.0.sort_unstable());
        keys.sort_unstable();
        let mut found: Vec<[usize; 2]> = Vec::new();
        for same in keys.chunk_by(|a, b| a.0 == b.0) {
            found.extend(same[1..].iter().map(|again| [same[0].1, again.1]));
        }
        found.sort_unstable_by_key(|pair| pair[1]);
        found
    }

    /// Refuses a mesh with a flat or an inverted tet.
    ///
    /// # Errors
    /// [`MeshError::TetNotPositive`] naming the first one.
    pub fn require_positive(&self) -> Result<(), MeshError> {
        match self.first_not_positive() {
            None => Ok(()),
            Some(tet) => Err(MeshError::TetNotPositive {
                tet,
                volume: self.volume(tet),
                flat: tet_orientation(self.corners(tet)) == Ordering::Equal,
            }),
        }
    }

    /// Turns every inverted tet by swapping its last two corners, and says how many were turned: files differ in
    /// the order of corners, but a tet has only one inside. Tets that overlap because a vertex was pulled through
    /// a face are not mended by this; [`crate::TetTopology::misoriented_faces`] counts them.
    ///
    /// # Errors
    /// [`MeshError::TetNotPositive`] naming the first flat tet, which no turning helps.
    pub fn oriented(mut self) -> Result<(Self, usize), MeshError> {
        let mut turned = 0;
        for tet in 0..self.tets.len() {
            match tet_orientation(self.corners(tet)) {
                Ordering::Greater => {}
                Ordering::Less => {
                    self.tets[tet].swap(2, 3);
                    turned += 1;
                }
                Ordering::Equal => {
                    return Err(MeshError::TetNotPositive { tet, volume: self.volume(tet), flat: true });
                }
            }
        }
        Ok((self, turned))
    }
}

/// The signed volume of a tet (m³), to rounding; [`tet_orientation`] gives its sign exactly.
pub fn tet_volume([a, b, c, d]: [DVec3; 4]) -> f64 {
    (b - a).dot((c - a).cross(d - a)) / 6.0
}

/// The exact sign of the volume: `Greater` for a positive tet, `Equal` where the four corners lie in one plane.
///
/// Exact as long as no product of three coordinate differences under- or overflows: sizes of 1e-90 to 1e90 m.
pub fn tet_orientation([a, b, c, d]: [DVec3; 4]) -> Ordering {
    let at = |p: DVec3| Coord3D { x: p.x, y: p.y, z: p.z };
    // The predicate is positive where the last point lies below the plane of the others.
    0.0f64.total_cmp(&(orient3d(at(a), at(b), at(c), at(d)) + 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit() -> Vec<DVec3> {
        vec![DVec3::zero(), DVec3::unit_x(), DVec3::unit_y(), DVec3::unit_z()]
    }

    #[test]
    fn bad_arrays_are_refused_with_the_place() {
        assert_eq!(TetMesh::new(unit(), vec![]), Err(MeshError::NoTets));
        let e = TetMesh::new(unit(), vec![[0, 1, 2, 3], [0, 1, 2, 4]]).unwrap_err();
        assert_eq!(e, MeshError::TetIndexOutOfRange { tet: 1, index: 4, vertices: 4 });
        assert!(e.to_string().contains("tet 1 names vertex 4"));
        let e = TetMesh::from_arrays(&[[0.0, f64::INFINITY, 0.0]; 4], &[[0, 1, 2, 3]]).unwrap_err();
        assert_eq!(e, MeshError::NonFinite { vertex: 0 });
    }

    #[test]
    fn the_sign_is_exact_and_the_culprit_is_named() {
        let good = TetMesh::new(unit(), vec![[0, 1, 2, 3]]).unwrap();
        assert!(good.require_positive().is_ok());
        assert_eq!(good.volume(0), 1.0 / 6.0);
        let mixed = TetMesh::new(unit(), vec![[0, 1, 2, 3], [0, 2, 1, 3]]).unwrap();
        let e = mixed.require_positive().unwrap_err();
        assert_eq!(e, MeshError::TetNotPositive { tet: 1, volume: -1.0 / 6.0, flat: false });
        assert!(e.to_string().contains("tet 1"));
        assert_eq!(mixed.duplicates(), [[0, 1]]);
        let (turned, n) = mixed.oriented().unwrap();
        assert_eq!(n, 1);
        assert!(turned.require_positive().is_ok());
        // In a plane through points that round: the plain determinant of the first is not zero, its sign is.
        let p = |x: f64, y: f64| DVec3::new(x, y, x + y);
        let flat = [p(0.5, 0.5), p(12.0, 12.0), p(24.0, 24.0), p(0.1, 3.0)];
        assert_eq!(tet_orientation(flat), Ordering::Equal);
        let tiny = [flat[0], flat[1], p(24.0, 23.0), flat[3] + DVec3::new(0.0, 0.0, 1e-15)];
        assert_ne!(tet_orientation(tiny), Ordering::Equal);
        let e = TetMesh::new(flat.to_vec(), vec![[0, 1, 2, 3]]).unwrap().oriented().unwrap_err();
        assert!(e.to_string().contains("flat"), "{e}");
    }

    #[test]
    fn faces_look_outwards() {
        let p = unit();
        let middle = (p[0] + p[1] + p[2] + p[3]) / 4.0;
        for (i, f) in TetMesh::FACES.iter().enumerate() {
            let [a, b, c] = f.map(|k| p[k]);
            assert!((b - a).cross(c - a).dot(a - middle) > 0.0, "face {i}");
            assert!(!f.contains(&i));
        }
    }
}
