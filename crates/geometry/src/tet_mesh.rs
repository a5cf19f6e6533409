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
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "crate::stored::TetMesh")
)]
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
    #[must_use]
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// Corner indices.
    #[must_use]
    pub fn tets(&self) -> &[[u32; 4]] {
        &self.tets
    }

    /// The corner positions of one tet.
    #[must_use]
    pub fn corners(&self, tet: usize) -> [DVec3; 4] {
        self.tets[tet].map(|i| self.positions[i as usize])
    }

    /// The signed volume of one tet (m³).
    #[must_use]
    pub fn volume(&self, tet: usize) -> f64 {
        tet_volume(self.corners(tet))
    }

    /// The signed volume of every tet (m³).
    #[must_use]
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
    #[must_use]
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
    #[must_use]
    pub fn into_parts(self) -> (Vec<DVec3>, Vec<[u32; 4]>) {
        (self.positions, self.tets)
    }

    /// The first tet that is flat or inside out, lowest first.
    #[must_use]
    pub fn first_not_positive(&self) -> Option<usize> {
        (0..self.tets.len()).find(|&t| tet_orientation(self.corners(t)) != Ordering::Greater)
    }

    /// Tets with the four corners of an earlier one, in whatever order: the earlier one and the later one, in the order of
    /// the later.
    #[must_use]
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
#[doc(alias("signed volume"))]
#[must_use]
pub fn tet_volume([a, b, c, d]: [DVec3; 4]) -> f64 {
    (b - a).dot((c - a).cross(d - a)) / 6.0
}

/// The exact sign of the volume: `Greater` for a positive tet, `Equal` where the four corners lie in one plane.
///
/// Exact as long as no product of three coordinate differences under- or overflows: sizes of 1e-90 to 1e90 m.
#[doc(alias("signed volume", "orient3d"))]
#[must_use]
pub fn tet_orientation([a, b, c, d]: [DVec3; 4]) -> Ordering {
    let at = |p: DVec3| Coord3D { x: p.x, y: p.y, z: p.z };
    // The predicate is positive where the last point lies below the plane of the others.
    0.0f64.total_cmp(&(orient3d(at(a), at(b), at(c), at(d)) + 0.0))
}
