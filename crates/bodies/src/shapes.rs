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
    /// How its features hang together.
    pub topology: Topology,
    /// It has a border: a front, and no inside.
    pub open: bool,
}

impl MeshShape {
    /// Builds the trees of a mesh that is closed, or open with one front: every edge has one triangle, or two that run opposite ways
    /// along it.
    ///
    /// # Errors
    /// [`MeshError::NotClosed`] for edges with more triangles, or with two of which one shows its back.
    pub fn new(mesh: TriMesh) -> Result<Self, MeshError> {
        let topology = Topology::new(&mesh);
        topology.require_front()?;
        Ok(Self {
            open: topology.boundary_edges() > 0,
            topology,
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
    /// How its features hang together, `None` for a cable.
    pub topology: Option<Topology>,
    /// Surface vertices.
    pub vertices: usize,
    /// Area each vertex stands for at rest (m²); 0 on a cable.
    pub areas: Vec<f64>,
    /// It has an inside.
    pub closed: bool,
    /// Thickness of cloth, diameter of a cable (m), where it is known. No contact is found by it.
    pub thick: Option<f64>,
    /// What it takes to meet itself; `None` where it does not.
    pub own: Option<Own>,
}

/// How a deformable meets itself.
#[derive(Clone, Debug)]
pub enum Own {
    /// A solid: what is inside its own tets, or the way of its surface.
    Solid(Arc<OwnTets>),
    /// A sheet, open or closed: the way of its surface alone, for responses that need no inside.
    Sheet,
    /// A cable: the way of its segments, and where its nodes are at rest (m), for responses that need no inside.
    Line(Arc<[DVec3]>),
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
    #[must_use]
    pub fn surface(mesh: TriMesh) -> Self {
        let topology = Topology::new(&mesh);
        Self {
            vertices: mesh.positions().len(),
            areas: vertex_areas(&mesh),
            closed: topology.require_closed().is_ok(),
            topology: Some(topology),
            mesh: Some(mesh),
            thick: None,
            own: None,
        }
    }

    /// The same, known to be so thick (m).
    #[must_use]
    pub fn with_thickness(self, thick: f64) -> Self {
        Self { thick: Some(thick), ..self }
    }

    /// The surface with its vertices at `x` (m); `None` for a cable, and for positions that make no mesh.
    #[must_use]
    pub fn standing(&self, x: &[DVec3]) -> Option<TriMesh> {
        let mut at = x.iter();
        self.mesh.as_ref()?.mapped(|p| at.next().copied().unwrap_or(p)).ok()
    }

    /// It meets itself without an inside, from either side: cloth, closed or not, and cables.
    #[must_use]
    pub fn meets_itself_thin(&self) -> bool {
        matches!(self.own, Some(Own::Sheet | Own::Line(_)))
    }

    /// Segments of a cable; 0 of a surface.
    #[must_use]
    pub fn segments(&self) -> u32 {
        if self.mesh.is_some() { 0 } else { self.vertices.saturating_sub(1) as u32 }
    }

    /// A line of vertices.
    #[must_use]
    pub fn line(vertices: usize) -> Self {
        let areas = vec![0.0; vertices];
        Self { mesh: None, topology: None, vertices, areas, closed: false, thick: None, own: None }
    }
}

/// A body's shape.
#[derive(Clone, Debug)]
#[doc(alias("collider", "collision shape"))]
pub enum Shape {
    /// A surface that keeps its shape: closed, or open with a front ([`MeshShape::open`]).
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
    #[must_use]
    pub fn triangles(&self) -> Option<&TriMesh> {
        self.surface().map(|(mesh, _)| mesh)
    }

    /// The same with how they hang together.
    #[must_use]
    pub fn surface(&self) -> Option<(&TriMesh, &Topology)> {
        match self {
            Self::Mesh(m) => Some((&m.mesh, &m.topology)),
            Self::Soft(s) => s.mesh.as_ref().zip(s.topology.as_ref()),
            Self::Plane { .. } | Self::Points { .. } => None,
        }
    }

    /// It is the same surface, not one like it.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Mesh(a), Self::Mesh(b)) => Arc::ptr_eq(a, b),
            (Self::Soft(a), Self::Soft(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// It has a surface that closes around an inside.
    #[must_use]
    pub fn is_solid(&self) -> bool {
        match self {
            Self::Mesh(m) => !m.open,
            Self::Soft(s) => s.closed,
            Self::Plane { .. } | Self::Points { .. } => false,
        }
    }

    /// Shortest side of the box around a solid at rest, in its own frame (m); infinite for what has no inside.
    #[must_use]
    pub fn narrowest(&self) -> f64 {
        let Some(mesh) = self.triangles().filter(|_| self.is_solid()) else { return f64::INFINITY };
        let Some(&first) = mesh.positions().first() else { return f64::INFINITY };
        let grow = |[low, high]: [DVec3; 2], &x: &DVec3| [low.min_by_component(x), high.max_by_component(x)];
        let [low, high] = mesh.positions().iter().fold([first; 2], grow);
        (high - low).component_min()
    }

    /// Thickness of cloth, diameter of a cable (m), where it is known.
    #[must_use]
    pub fn thickness(&self) -> Option<f64> {
        match self {
            Self::Soft(s) => s.thick,
            Self::Mesh(_) | Self::Plane { .. } | Self::Points { .. } => None,
        }
    }

    /// It has a surface that is met from one side: closed, or open and kept in shape.
    #[must_use]
    pub fn has_front(&self) -> bool {
        matches!(self, Self::Mesh(_)) || self.is_solid()
    }

    /// The mesh, if it is one.
    #[must_use]
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
    #[must_use]
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
