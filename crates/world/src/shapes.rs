//! Shapes: what a body looks like in its own frame, with the trees that never need refitting.

use impinge_broadphase::{Aabb, VertexTree};
use impinge_contact::SurfaceMap;
use impinge_geometry::{DVec3, MeshError, TetMesh, Topology, TriMesh, vertex_areas};
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

/// The surface of a deformable: triangles over its surface vertices, which the step places. Trees are built where a pair asks for
/// them.
#[derive(Clone, Debug)]
pub struct SoftShape {
    /// The surface at rest, `None` for a cable.
    pub mesh: Option<TriMesh>,
    /// Surface vertices.
    pub vertices: usize,
    /// Area each vertex stands for at rest (m²); 0 on a cable.
    pub areas: Vec<f64>,
    /// It has an inside.
    pub closed: bool,
    /// What it takes to meet itself; `None` where it does not.
    pub own: Option<Arc<OwnTets>>,
}

/// A solid at rest, for contact with itself.
#[derive(Debug)]
pub struct OwnTets {
    /// Its tets.
    pub rest: TetMesh,
    /// Its surface.
    pub surface: MeshIndex,
}

impl SoftShape {
    /// A surface that deforms.
    pub fn surface(mesh: TriMesh) -> Self {
        let closed = Topology::new(&mesh).require_closed().is_ok();
        Self {
            vertices: mesh.positions().len(),
            areas: vertex_areas(&mesh),
            closed,
            mesh: Some(mesh),
            own: None,
        }
    }

    /// A line of vertices.
    pub fn line(vertices: usize) -> Self {
        Self { mesh: None, vertices, areas: vec![0.0; vertices], closed: false, own: None }
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
    /// The surface of a deformable.
    Soft(Arc<SoftShape>),
    /// Free vertices without a surface.
    Points {
        /// How many.
        count: usize,
    },
}

impl Shape {
    /// Its triangles, rigid or deformable, with vertices counted from the body's first.
    pub fn triangles(&self) -> Option<&TriMesh> {
        match self {
            Self::Mesh(m) => Some(&m.mesh),
            Self::Soft(s) => s.mesh.as_ref(),
            Self::Plane { .. } | Self::Points { .. } => None,
        }
    }

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

impl Shapes {
    /// Area a surface vertex stands for at rest (m²); 0 for a loose point.
    pub fn vertex_area(&self, map: &SurfaceMap, vertex: u32) -> f64 {
        let b = map.body_of(vertex) as usize;
        let i = (vertex - map.first(b)) as usize;
        match &self.0[b] {
            Shape::Mesh(m) => m.areas[i],
            Shape::Soft(s) => s.areas[i],
            Shape::Plane { .. } | Shape::Points { .. } => 0.0,
        }
    }
}
