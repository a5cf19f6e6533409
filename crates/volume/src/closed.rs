//! A triangle surface known to be closed: connectivity prepared once, positions given anew at every step.

use crate::VolumeError;
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
        })
    }

    /// How many positions it takes.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// Twice the volume over the area of the mesh it was made from (m): the thickness of a plate, the wall of a bowl, a third of the
    /// edge of a cube or of the diameter of a ball.
    pub fn thickness(&self) -> f64 {
        self.thickness
    }

    /// Corner indices, counter-clockwise from outside.
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
        Ok(Self { surface, x })
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
        let mut b = Bounds { lo: self.x[0], hi: self.x[0] };
        let mut check = DVec3::zero();
        for &p in self.x {
            // Without a care for NaN this is one instruction for each, and the next vertex waits for it.
            let (lo, hi) = (b.lo, b.hi);
            let less = |x: f64, than: f64| if x < than { x } else { than };
            let more = |x: f64, than: f64| if x > than { x } else { than };
            b.lo = DVec3::new(less(p.x, lo.x), less(p.y, lo.y), less(p.z, lo.z));
            b.hi = DVec3::new(more(p.x, hi.x), more(p.y, hi.y), more(p.z, hi.z));
            // A minimum drops NaN, and 0·∞ is NaN: one sum finds both.
            check += p * 0.0;
        }
        if check == DVec3::zero() {
            return Ok(b);
        }
        let vertex = self.x.iter().position(|&p| !is_finite(p)).unwrap_or(0);
        Err(VolumeError::NonFinite { body: index, vertex })
    }
}

/// An axis-aligned box; empty where `lo` exceeds `hi`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lower corner (m).
    pub lo: DVec3,
    /// Upper corner (m).
    pub hi: DVec3,
}

impl Bounds {
    /// Around three points.
    #[inline]
    pub(crate) fn of([a, b, c]: [DVec3; 3]) -> Self {
        Self { lo: a.min_by_component(b).min_by_component(c), hi: a.max_by_component(b).max_by_component(c) }
    }

    /// Around both.
    #[inline]
    pub(crate) fn merged(&self, o: &Self) -> Self {
        Self { lo: self.lo.min_by_component(o.lo), hi: self.hi.max_by_component(o.hi) }
    }

    /// What both cover.
    pub fn intersection(&self, o: &Self) -> Self {
        Self { lo: self.lo.max_by_component(o.lo), hi: self.hi.min_by_component(o.hi) }
    }

    /// Common points exist, borders included.
    #[inline]
    pub fn overlaps(&self, o: &Self) -> bool {
        (self.lo.x <= o.hi.x)
            & (o.lo.x <= self.hi.x)
            & (self.lo.y <= o.hi.y)
            & (o.lo.y <= self.hi.y)
            & (self.lo.z <= o.hi.z)
            & (o.lo.z <= self.hi.z)
    }

    /// The sides that a point is beyond, as bits: below and above along x, then y, then z. Points all beyond one side have a hull
    /// that shares no point with the box.
    #[inline(always)]
    pub(crate) fn beyond(&self, p: DVec3) -> u8 {
        let (lo, hi) = (self.lo, self.hi);
        u8::from(p.x < lo.x)
            | u8::from(p.x > hi.x) << 1
            | u8::from(p.y < lo.y) << 2
            | u8::from(p.y > hi.y) << 3
            | u8::from(p.z < lo.z) << 4
            | u8::from(p.z > hi.z) << 5
    }

    /// Inside or on the border.
    #[inline]
    pub(crate) fn contains(&self, p: DVec3) -> bool {
        self.overlaps(&Self { lo: p, hi: p })
    }

    /// No point.
    pub fn is_empty(&self) -> bool {
        !(self.lo.x <= self.hi.x && self.lo.y <= self.hi.y && self.lo.z <= self.hi.z)
    }
}
