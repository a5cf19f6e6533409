//! A triangle surface known to be closed: connectivity prepared once, positions given anew at every step.

use crate::VolumeError;
use crate::bounds::{Bounds, around};
use crate::exact::Clusters;
use impinge_geometry::{DVec3, Topology, TriMesh, area, closed_mass_properties, is_finite};

/// The connectivity of a closed, outward surface; positions come with every question, so one serves a body that
/// moves and deforms.
#[derive(Clone, Debug)]
pub struct ClosedSurface {
    vertices: usize,
    thickness: f64,
    triangles: Vec<[u32; 3]>,
    face_edges: Vec<[u32; 3]>,
    all_faces_bound: bool,
    edges: Vec<[u32; 2]>,
    /// The lower of the two faces of an edge: what is counted once per edge is counted there.
    edge_owner: Vec<u32>,
    vertex_start: Vec<u32>,
    vertex_edges: Vec<u32>,
    clusters: Option<Clusters>,
}

impl ClosedSurface {
    /// Prepares a mesh.
    ///
    /// # Errors
    /// [`VolumeError::Mesh`] for a surface with a boundary, with edges of more than two triangles, or with triangles
    /// facing inwards (a negative volume).
    pub fn new(mesh: &TriMesh) -> Result<Self, VolumeError> {
        let topology = Topology::new(mesh);
        topology.require_closed()?;
        let thickness = 2.0 * closed_mass_properties(mesh)?.volume / area(mesh);
        let vertices = mesh.positions().len();
        let edges = topology.edges().to_vec();
        let mut vertex_start = vec![0u32; vertices + 1];
        for e in &edges {
            e.iter().for_each(|&v| vertex_start[v as usize + 1] += 1);
        }
        for v in 0..vertices {
            vertex_start[v + 1] += vertex_start[v];
        }
        let mut next = vertex_start.clone();
        let mut vertex_edges = vec![0u32; 2 * edges.len()];
        for (i, e) in edges.iter().enumerate() {
            for &v in e {
                vertex_edges[next[v as usize] as usize] = i as u32;
                next[v as usize] += 1;
            }
        }
        Ok(Self {
            vertices,
            thickness,
            triangles: mesh.triangles().to_vec(),
            face_edges: topology.face_edges().to_vec(),
            all_faces_bound: topology.face_edges().iter().all(|e| e[0] != Topology::NONE),
            edge_owner: topology.edge_faces().iter().map(|f| f[0]).collect(),
            edges,
            vertex_start,
            vertex_edges,
            clusters: Clusters::new(mesh),
        })
    }

    /// How many positions it takes.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// Twice the volume over the area of the mesh it was made from (m): the thickness of a plate, the wall of a bowl, a third of the
    /// edge of a cube or of the diameter of a ball.
    #[must_use]
    pub fn thickness(&self) -> f64 {
        self.thickness
    }

    /// Corner indices, counter-clockwise from outside.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Side `i` of a face joins its corners `i` and `i + 1`; [`Topology::NONE`] for a face that names a vertex twice.
    pub(crate) fn face_edges(&self) -> &[[u32; 3]] {
        &self.face_edges
    }

    /// No face names a vertex twice.
    pub(crate) fn all_faces_bound(&self) -> bool {
        self.all_faces_bound
    }

    pub(crate) fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    pub(crate) fn edge_owner(&self) -> &[u32] {
        &self.edge_owner
    }

    /// The same as if it were coarse.
    #[cfg(test)]
    pub(crate) fn without_clusters(self) -> Self {
        Self { clusters: None, ..self }
    }

    /// Of a fine surface.
    pub(crate) fn clusters(&self) -> Option<&Clusters> {
        self.clusters.as_ref()
    }

    pub(crate) fn edges_of(&self, vertex: u32) -> &[u32] {
        let v = vertex as usize;
        &self.vertex_edges[self.vertex_start[v] as usize..self.vertex_start[v + 1] as usize]
    }
}

/// One coordinate. Indexing a vector is a call into another crate that is not inlined; hot loops cannot pay for that.
#[inline(always)]
pub(crate) fn along(v: DVec3, axis: usize) -> f64 {
    match axis {
        0 => v.x,
        1 => v.y,
        _ => v.z,
    }
}

/// A surface and where its vertices are now.
#[derive(Clone, Copy, Debug)]
pub struct Body<'a> {
    /// What is joined to what.
    pub surface: &'a ClosedSurface,
    /// Vertex positions (m).
    pub x: &'a [DVec3],
    /// Found before.
    pub(crate) known: Option<Known<'a>>,
}

/// What all pairs of a body need of its vertices, which are finite and none of them next to 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'a> {
    pub bounds: Bounds,
    /// By cluster.
    pub boxes: &'a [Bounds],
}

impl<'a> Body<'a> {
    /// Both together.
    ///
    /// # Errors
    /// [`VolumeError::Length`] when the numbers of vertices differ.
    pub fn new(surface: &'a ClosedSurface, x: &'a [DVec3]) -> Result<Self, VolumeError> {
        if x.len() != surface.vertices {
            return Err(VolumeError::Length { positions: x.len(), vertices: surface.vertices });
        }
        Ok(Self { surface, x, known: None })
    }

    /// The corners of a triangle (m).
    #[inline]
    pub(crate) fn corners(&self, triangle: usize) -> [DVec3; 3] {
        let [a, b, c] = self.surface.triangles[triangle];
        [self.x[a as usize], self.x[b as usize], self.x[c as usize]]
    }

    /// Box around the vertices.
    ///
    /// # Errors
    /// [`VolumeError::NonFinite`] naming `index` as the body.
    pub(crate) fn bounds(&self, index: usize) -> Result<Bounds, VolumeError> {
        if let Some(around) = self.known.map(|k| k.bounds).or_else(|| around(self.x)) {
            return Ok(around);
        }
        let vertex = self.x.iter().position(|&p| !is_finite(p)).unwrap_or(0);
        Err(VolumeError::NonFinite { body: index, vertex })
    }
}
