//! One body's features with their trees: those of a surface, or of a cable the segments that join its nodes.

use impinge_bodies::{Shape, outer_edges};
use impinge_broadphase::{FeatureTree, TreeError};
use impinge_geometry::{DVec3, Topology, TriMesh, triangle_area};

/// One body's features, numbered as surface vertices.
pub struct BodySurface {
    pub shape: Shape,
    pub first_vertex: u32,
    pub tree: FeatureTree,
    /// Of a body that may meet itself: its boxes as seen from the body.
    pub own: Option<FeatureTree>,
    pub faces: Vec<[u32; 3]>,
    pub edges: Vec<[u32; 2]>,
    /// Face across the side from corner i to corner i + 1, counted from the body's first; `u32::MAX` where there is none.
    pub across: Vec<[u32; 3]>,
    /// Faces at each edge, counted from the body's first; none for a sheet, nothing at all for a cable.
    pub edge_faces: Vec<[u32; 2]>,
    /// A third of the rest area of the faces at each edge (m²); nothing for a cable.
    pub edge_area: Vec<f64>,
    /// √(2 area) of a mean face, or the length of a mean segment (m).
    pub size: f64,
    /// It is met from one side: closed, or open and kept in shape.
    pub solid: bool,
    /// It meets itself from either side all the same: closed cloth.
    pub thin: bool,
    /// It is a cable: edges without faces.
    pub line: bool,
    /// Number of its first face and edge among those of all bodies. Segments of cables are counted behind the edges of all surfaces.
    pub first_face: u32,
    pub first_edge: u32,
    /// The tree is asked for in this step.
    pub wanted: bool,
    /// It holds the boxes of this step.
    pub fresh: bool,
    /// Why it does not.
    pub refused: Option<TreeError>,
    /// Whether the two trees hold the boxes of an earlier step, in which all of this step's lies.
    pub kept: bool,
    pub own_kept: bool,
}

impl BodySurface {
    /// Of a body with its vertices at `x` (m), the first of them `first_vertex`; `None` without features, and for cables unless `segments` are
    /// asked for. Features are numbered later.
    pub fn of(
        shape: &Shape,
        x: &[DVec3],
        first_vertex: u32,
        segments: bool,
    ) -> Result<Option<Self>, TreeError> {
        match (shape.surface(), shape) {
            (Some(surface), _) => Self::mesh(shape, surface, x, first_vertex).map(Some),
            (None, Shape::Soft(_)) if segments => Self::cable(shape, x, first_vertex).map(Some),
            _ => Ok(None),
        }
    }

    fn mesh(
        shape: &Shape,
        (mesh, topology): (&TriMesh, &Topology),
        x: &[DVec3],
        first_vertex: u32,
    ) -> Result<Self, TreeError> {
        let solid = shape.has_front();
        // What is soft bends where it is flat now, and then needs the edges there.
        let outer = match shape {
            Shape::Mesh(_) => outer_edges(mesh, topology),
            _ => vec![true; topology.edges().len()],
        };
        let keep = |e: u32| outer[e as usize];
        let tree = FeatureTree::with_edges(mesh.triangles(), topology, x, keep)?;
        let own = match shape {
            Shape::Soft(s) if s.own.is_some() => Some(FeatureTree::new(mesh.triangles(), topology, x)?),
            _ => None,
        };
        let across = |f: u32| [0, 1, 2].map(|i| topology.face_across(f, i).unwrap_or(u32::MAX));
        let mut edge_area = vec![0.0; topology.edges().len()];
        for (sides, t) in topology.face_edges().iter().zip(mesh.triangles()) {
            let third = triangle_area(t.map(|v| mesh.positions()[v as usize])) / 3.0;
            for &e in sides.iter().filter(|&&e| e != Topology::NONE) {
                edge_area[e as usize] += third;
            }
        }
        let area: f64 = edge_area.iter().sum();
        let count = mesh.triangles().len().max(1) as f64;
        Ok(Self {
            size: (2.0 * area / count).sqrt(),
            own,
            faces: mesh.triangles().iter().map(|t| t.map(|v| v + first_vertex)).collect(),
            edges: topology.edges().iter().map(|e| e.map(|v| v + first_vertex)).collect(),
            across: (0..mesh.triangles().len() as u32).map(across).collect(),
            edge_faces: if solid {
                topology.edge_faces().to_vec()
            } else {
                vec![[u32::MAX; 2]; topology.edges().len()]
            },
            edge_area,
            solid,
            ..Self::without_features(shape, tree, first_vertex)
        })
    }

    fn cable(shape: &Shape, x: &[DVec3], first_vertex: u32) -> Result<Self, TreeError> {
        let tree = FeatureTree::line(x)?;
        let own = match shape {
            Shape::Soft(s) if s.own.is_some() => Some(tree.clone()),
            _ => None,
        };
        let length: f64 = x.windows(2).map(|x| (x[1] - x[0]).mag()).sum();
        let segments = x.len().saturating_sub(1) as u32;
        let nodes = first_vertex..first_vertex + segments;
        Ok(Self {
            size: length / f64::from(segments.max(1)),
            own,
            edges: nodes.map(|v| [v, v + 1]).collect(),
            line: true,
            ..Self::without_features(shape, tree, first_vertex)
        })
    }

    fn without_features(shape: &Shape, tree: FeatureTree, first_vertex: u32) -> Self {
        Self {
            shape: shape.clone(),
            first_vertex,
            tree,
            own: None,
            faces: Vec::new(),
            edges: Vec::new(),
            across: Vec::new(),
            edge_faces: Vec::new(),
            edge_area: Vec::new(),
            size: 0.0,
            solid: false,
            thin: matches!(shape, Shape::Soft(s) if s.meets_itself_thin()),
            line: false,
            first_face: 0,
            first_edge: 0,
            wanted: false,
            fresh: false,
            refused: None,
            kept: false,
            own_kept: false,
        }
    }
}
