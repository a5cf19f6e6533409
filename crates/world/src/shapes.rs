//! Shapes: what a body looks like in its own frame, with the trees that never need refitting.

use impinge_broadphase::{Aabb, VertexTree};
use impinge_geometry::{DVec3, MeshError, Topology, TriMesh, vertex_areas};
use impinge_query::MeshIndex;
use std::sync::Arc;

/// A mesh in a body frame with its rest-pose trees.
#[derive(Debug)]
pub struct MeshShape {
    /// The mesh; for rigid bodies the origin is the centre of mass.
    pub mesh: TriMesh,
    /// Nearest point and inside.
    pub index: MeshIndex,
    /// Vertices by place.
    pub tree: VertexTree,
    /// Area each vertex stands for (m²).
    pub areas: Vec<f64>,
    /// Box around it, body frame.
    pub bounds: Aabb,
}

impl MeshShape {
    /// Builds the trees of a closed mesh.
    ///
    /// # Errors
    /// [`MeshError::NotClosed`]: the penalty response asks what is inside.
    pub fn new(mesh: TriMesh) -> Result<Self, MeshError> {
        Topology::new(&mesh).require_closed()?;
        Ok(Self {
            index: MeshIndex::new(&mesh),
            tree: VertexTree::new(mesh.positions()),
            areas: vertex_areas(&mesh),
            bounds: Aabb::from_points(mesh.positions()),
            mesh,
        })
    }
}

/// A body's shape.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A closed surface.
    Mesh(Arc<MeshShape>),
    /// The half space below `normal · x = offset` in the body frame; `normal` is unit.
    Plane {
        /// Unit normal towards the free side.
        normal: DVec3,
        /// Distance of the plane from the body's origin along it (m).
        offset: f64,
    },
    /// Free vertices without a surface.
    Points {
        /// How many.
        count: usize,
    },
}

impl Shape {
    /// The mesh, if it is one.
    pub fn mesh(&self) -> Option<&MeshShape> {
        match self {
            Self::Mesh(m) => Some(m),
            _ => None,
        }
    }
}

/// Shapes by slot.
#[derive(Clone, Debug, Default)]
pub struct Shapes(pub Vec<Shape>);
