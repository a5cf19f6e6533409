//! The indexed triangle mesh: two arrays and the promise that they fit together.

use crate::is_finite;
use std::fmt;
use ultraviolet::DVec3;

/// Vertices and counter-clockwise triangles; the outward side is where the corners run counter-clockwise.
///
/// Every index is in range and every coordinate finite: the constructor refuses anything else. Nothing is
/// promised about closedness or orientation; ask [`crate::Topology`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "crate::stored::TriMesh")
)]
#[doc(alias("collision mesh", "trimesh"))]
pub struct TriMesh {
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

/// Half-edges are numbered 3·triangle + side in a `u32`, and `u32::MAX` stands for "none".
const MAX_TRIANGLES: usize = (u32::MAX / 3) as usize;

/// Why arrays were refused as a mesh.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MeshError {
    /// No triangle, or no vertex.
    Empty,
    /// More vertices than a `u32` counts, or more triangles than leave room for their three sides.
    TooLarge {
        /// How many were given.
        count: usize,
    },
    /// A coordinate is NaN or infinite.
    NonFinite {
        /// The vertex, counted from 0.
        vertex: usize,
    },
    /// A triangle names a vertex that does not exist.
    IndexOutOfRange {
        /// The triangle, counted from 0.
        triangle: usize,
        /// The index it names.
        index: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// The surface has no inside: mass, volume and inside tests need a closed, oriented surface.
    NotClosed {
        /// Edges with one triangle.
        boundary_edges: usize,
        /// Edges with three or more triangles.
        non_manifold_edges: usize,
        /// Edges whose two triangles run the same way along it.
        misoriented_edges: usize,
    },
    /// The surface is closed but its enclosed volume is zero, lost in rounding, or negative (triangles face
    /// inwards).
    NoVolume {
        /// The signed volume found (m³).
        volume: f64,
    },
    /// The signed volume is positive but no solid has these moments: some part is inside out.
    NotASolid {
        /// The smallest principal second moment ∫x² dV about the centre (m⁵).
        moment: f64,
    },
    /// No tetrahedron, or no vertex.
    NoTets,
    /// A tetrahedron names a vertex that does not exist.
    TetIndexOutOfRange {
        /// The tetrahedron, counted from 0.
        tet: usize,
        /// The index it names.
        index: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A tetrahedron is flat or inside out.
    TetNotPositive {
        /// The tetrahedron, counted from 0.
        tet: usize,
        /// Its signed volume, to rounding (m³).
        volume: f64,
        /// Whether its corners lie in one plane, exactly.
        flat: bool,
    },
    /// A generator was asked for something it cannot make.
    BadParameter {
        /// What was wrong and what would be right.
        reason: String,
    },
}

impl fmt::Display for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "the mesh has no triangle; give at least one"),
            Self::TooLarge { count } => {
                write!(
                    f,
                    "{count} vertices or triangles; at most {} vertices and {} triangles fit a 32-bit index: \
                     decimate the mesh or split it in parts",
                    u32::MAX - 1,
                    MAX_TRIANGLES
                )
            }
            Self::NonFinite { vertex } => {
                write!(
                    f,
                    "vertex {vertex} has a coordinate that is NaN or infinite; every coordinate must be finite"
                )
            }
            Self::IndexOutOfRange { triangle, index, vertices } => write!(
                f,
                "triangle {triangle} names vertex {index}, but there are {vertices} vertices (0 to {})",
                vertices.saturating_sub(1)
            ),
            Self::NotClosed { boundary_edges, non_manifold_edges, misoriented_edges } => write!(
                f,
                "the surface is not closed: {boundary_edges} boundary edges, {non_manifold_edges} edges with more than two \
                 triangles, {misoriented_edges} edges with triangles facing opposite ways; a volume, a mass or an inside \
                 test needs a closed surface whose triangles all face outwards"
            ),
            Self::NoVolume { volume } => {
                write!(f, "the surface encloses {volume:e} m³; a body needs a finite, positive volume: ")?;
                f.write_str(if *volume < 0.0 {
                    "turn the triangles so that they run counter-clockwise seen from outside"
                } else if *volume == 0.0 {
                    "give the body a thickness"
                } else {
                    "give it a thickness that is not lost in rounding, and check the unit (metres)"
                })
            }
            Self::NotASolid { moment } => write!(
                f,
                "the enclosed volume has a negative second moment ({moment:e} m⁵), which no solid has: one part of \
                 the surface is inside out; turn the triangles of that part"
            ),
            Self::NoTets => write!(f, "the mesh has no tetrahedron; give at least one"),
            Self::TetIndexOutOfRange { tet, index, vertices } => write!(
                f,
                "tet {tet} names vertex {index}, but there are {vertices} vertices (0 to {})",
                vertices.saturating_sub(1)
            ),
            Self::TetNotPositive { tet, flat: true, .. } => write!(
                f,
                "tet {tet} is flat: its four corners lie in one plane; remove it or mesh the solid again with a \
                 lower bound on the thickness of tets"
            ),
            Self::TetNotPositive { tet, volume, flat: false } => write!(
                f,
                "tet {tet} is inside out (volume {volume:e} m³); swap two of its corners: `impinge mesh FILE \
                 --repair orient --out NEW` turns every such tet"
            ),
            Self::BadParameter { reason } => f.write_str(reason),
        }
    }
}

impl std::error::Error for MeshError {}

impl TriMesh {
    /// Checks and takes two arrays.
    ///
    /// # Errors
    /// [`MeshError`] when there is no triangle, an index is out of range or a coordinate is not finite.
    pub fn new(positions: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshError> {
        if positions.is_empty() || triangles.is_empty() {
            return Err(MeshError::Empty);
        }
        if positions.len() >= u32::MAX as usize {
            return Err(MeshError::TooLarge { count: positions.len() });
        }
        if triangles.len() > MAX_TRIANGLES {
            return Err(MeshError::TooLarge { count: triangles.len() });
        }
        if let Some(vertex) = positions.iter().position(|&p| !is_finite(p)) {
            return Err(MeshError::NonFinite { vertex });
        }
        let n = positions.len();
        for (triangle, t) in triangles.iter().enumerate() {
            if let Some(&index) = t.iter().find(|&&i| i as usize >= n) {
                return Err(MeshError::IndexOutOfRange { triangle, index, vertices: n });
            }
        }
        Ok(Self { positions, triangles })
    }

    /// The same from plain arrays, for users of another maths crate.
    ///
    /// # Errors
    /// As [`TriMesh::new`].
    pub fn from_arrays(positions: &[[f64; 3]], triangles: &[[u32; 3]]) -> Result<Self, MeshError> {
        Self::new(positions.iter().map(|&p| DVec3::from(p)).collect(), triangles.to_vec())
    }

    /// Meshes as parts of one, in order: the vertices and triangles of each follow those of the one before.
    ///
    /// # Errors
    /// [`MeshError::Empty`] for none, [`MeshError::TooLarge`] for more than fit one mesh.
    pub fn joined(meshes: &[&Self]) -> Result<Self, MeshError> {
        let (mut positions, mut triangles) = (Vec::new(), Vec::new());
        for m in meshes {
            let first = u32::try_from(positions.len()).unwrap_or(u32::MAX);
            let count = positions.len() + m.positions.len();
            if count >= u32::MAX as usize {
                return Err(MeshError::TooLarge { count });
            }
            positions.extend_from_slice(&m.positions);
            triangles.extend(m.triangles.iter().map(|t| t.map(|v| first + v)));
        }
        Self::new(positions, triangles)
    }

    /// Vertex positions (m).
    #[must_use]
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// Corner indices, counter-clockwise from outside.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The corner positions of one triangle.
    #[must_use]
    pub fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|i| self.positions[i as usize])
    }

    /// Moves every vertex by `f`.
    ///
    /// # Errors
    /// [`MeshError::NonFinite`] when `f` makes a coordinate that is not finite.
    pub fn mapped(&self, f: impl FnMut(DVec3) -> DVec3) -> Result<Self, MeshError> {
        Self::new(self.positions.iter().copied().map(f).collect(), self.triangles.clone())
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
    pub fn into_parts(self) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        (self.positions, self.triangles)
    }
}
