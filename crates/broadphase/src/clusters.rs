//! The features of a surface in tree order, cut into clusters of neighbouring triangles.
//!
//! Takes triangles and their [`Topology`], gives columns: faces, edges and vertices numbered by *rank*. A
//! cluster is [`CLUSTER`] faces in a row; it owns the vertices and edges that its faces are the first to name,
//! so each feature has one owner, owned ranks are contiguous, and what is tested together lies together.
//!
//! ```text
//! cluster c:  faces    CLUSTER·c .. CLUSTER·(c + 1)
//!             edges    edge_start[c]   .. edge_start[c + 1]
//!             vertices vertex_start[c] .. vertex_start[c + 1]
//! ```
//! Boxes are kept for vertices only: a face's or an edge's is the join of two or three of them.

use crate::lane_block::LANES;
use crate::lane_group::{NameGroup, groups, name};
use impinge_geometry::Topology;
use std::ops::Range;

/// Triangles per leaf; features of one kind in a cluster (three per triangle at most) must fit 63 bits.
///
/// Measured on a folded cloth of 269 k triangles, candidate lists: 4 takes 97 ms, 6 88, 8 78, 12 74; triangle
/// pairs of a plain sheet are a tenth faster with 8.
pub(crate) const CLUSTER: usize = 12;

/// Marks a rank not given yet, the side of a collapsed face and an edge that is not kept.
const NONE: u32 = u32::MAX;

/// Columns by rank.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clusters {
    /// Vertex ranks of each face.
    pub face_vertices: Vec<[u32; 3]>,
    /// The caller's face.
    pub face_id: Vec<u32>,
    /// Edge ranks of each face; only a new ordering needs them.
    face_edges: Vec<[u32; 3]>,
    /// Vertex ranks of each edge.
    pub edge_vertices: Vec<[u32; 2]>,
    /// The caller's edge.
    pub edge_id: Vec<u32>,
    /// The caller's vertex. Vertices that no triangle names have no rank.
    pub vertex_id: Vec<u32>,
    edge_start: Vec<u32>,
    vertex_start: Vec<u32>,
    /// Where each cluster's blocks start, see [`crate::packed`].
    block_start: Vec<u32>,
    /// Where each cluster's groups start, see [`crate::lane_group`], and the names in them: faces, then vertices, then edges.
    group_start: Vec<u32>,
    names: Vec<NameGroup>,
}

impl Clusters {
    /// In the caller's order; not cut yet. Indices must have been checked. Edges that are not kept are sides of no face, so no
    /// ordering gives them a rank.
    #[must_use]
    pub fn unordered(
        triangles: &[[u32; 3]],
        topology: &Topology,
        vertices: usize,
        keep: impl Fn(u32) -> bool,
    ) -> Self {
        let side = |e: u32| if e != NONE && keep(e) { e } else { NONE };
        Self {
            face_vertices: triangles.to_vec(),
            face_id: (0..triangles.len() as u32).collect(),
            face_edges: topology.face_edges().iter().map(|f| f.map(side)).collect(),
            edge_vertices: topology.edges().to_vec(),
            edge_id: (0..topology.edges().len() as u32).collect(),
            vertex_id: (0..vertices as u32).collect(),
            edge_start: Vec::new(),
            vertex_start: Vec::new(),
            block_start: Vec::new(),
            group_start: Vec::new(),
            names: Vec::new(),
        }
    }

    /// The segments that join vertices in a row. Each is edge i, and face i without area, of vertices i and i + 1.
    #[must_use]
    pub fn line(vertices: usize) -> Self {
        let segments = 0..vertices.saturating_sub(1) as u32;
        Self {
            face_vertices: segments.clone().map(|i| [i, i + 1, i + 1]).collect(),
            face_id: segments.clone().collect(),
            face_edges: segments.clone().map(|i| [i, NONE, NONE]).collect(),
            edge_vertices: segments.clone().map(|i| [i, i + 1]).collect(),
            edge_id: segments.collect(),
            vertex_id: (0..vertices as u32).collect(),
            ..Self::default()
        }
    }

    /// How many clusters there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.face_id.len().div_ceil(CLUSTER)
    }

    /// Face ranks of a cluster.
    #[inline]
    #[must_use]
    pub fn faces(&self, cluster: usize) -> Range<usize> {
        cluster * CLUSTER..((cluster + 1) * CLUSTER).min(self.face_id.len())
    }

    /// Ranks of the edges a cluster owns.
    #[inline]
    #[must_use]
    pub fn edges(&self, cluster: usize) -> Range<usize> {
        self.edge_start[cluster] as usize..self.edge_start[cluster + 1] as usize
    }

    /// Ranks of the vertices a cluster owns.
    #[inline]
    #[must_use]
    pub fn vertices(&self, cluster: usize) -> Range<usize> {
        self.vertex_start[cluster] as usize..self.vertex_start[cluster + 1] as usize
    }

    /// Where a cluster's boxes stand in [`crate::packed::Packed`].
    #[inline]
    #[must_use]
    pub fn blocks(&self, cluster: usize) -> Range<usize> {
        self.block_start[cluster] as usize..self.block_start[cluster + 1] as usize
    }

    /// How many blocks all clusters need.
    #[must_use]
    pub fn block_count(&self) -> usize {
        self.block_start.last().map_or(0, |&n| n as usize)
    }

    /// Face ranks in the order wanted; gives every feature a new rank and cuts clusters.
    pub fn reorder(&mut self, order: impl ExactSizeIterator<Item = u32>) {
        let faces = order.len();
        let mut new = Self {
            face_vertices: Vec::with_capacity(faces),
            face_id: Vec::with_capacity(faces),
            face_edges: Vec::with_capacity(faces),
            edge_vertices: Vec::with_capacity(self.edge_id.len()),
            edge_id: Vec::with_capacity(self.edge_id.len()),
            vertex_id: Vec::with_capacity(self.vertex_id.len()),
            edge_start: Vec::with_capacity(self.len() + 1),
            vertex_start: Vec::with_capacity(self.len() + 1),
            block_start: Vec::with_capacity(self.len() + 1),
            group_start: Vec::with_capacity(self.len() + 1),
            names: Vec::new(),
        };
        let mut vertex_rank = vec![NONE; self.vertex_id.len()];
        let mut edge_rank = vec![NONE; self.edge_id.len()];
        for (k, f) in order.enumerate() {
            let f = f as usize;
            if k % CLUSTER == 0 {
                new.edge_start.push(new.edge_id.len() as u32);
                new.vertex_start.push(new.vertex_id.len() as u32);
            }
            new.face_id.push(self.face_id[f]);
            new.face_vertices.push(self.face_vertices[f].map(|v| {
                let v = v as usize;
                if vertex_rank[v] == NONE {
                    vertex_rank[v] = new.vertex_id.len() as u32;
                    new.vertex_id.push(self.vertex_id[v]);
                }
                vertex_rank[v]
            }));
            new.face_edges.push(self.face_edges[f].map(|e| {
                if e == NONE {
                    return NONE;
                }
                let e = e as usize;
                if edge_rank[e] == NONE {
                    edge_rank[e] = new.edge_id.len() as u32;
                    new.edge_id.push(self.edge_id[e]);
                    new.edge_vertices.push(self.edge_vertices[e]);
                }
                edge_rank[e]
            }));
        }
        new.edge_start.push(new.edge_id.len() as u32);
        new.vertex_start.push(new.vertex_id.len() as u32);
        for ends in &mut new.edge_vertices {
            *ends = ends.map(|v| vertex_rank[v as usize]);
        }
        let mut blocks = 0;
        for c in 0..new.len() {
            new.block_start.push(blocks);
            let counts = [new.faces(c).len(), new.vertices(c).len(), new.edges(c).len()];
            blocks += counts.map(|n| n.div_ceil(LANES)).iter().sum::<usize>() as u32;
        }
        new.block_start.push(blocks);
        new.name_groups();
        *self = new;
    }

    fn name_groups(&mut self) {
        let mut names = std::mem::take(&mut self.names);
        let of = |c: usize| {
            groups(self.faces(c).len()) + groups(self.vertices(c).len()) + groups(self.edges(c).len())
        };
        names.reserve_exact((0..self.len()).map(of).sum());
        for c in 0..self.len() {
            self.group_start.push(names.len() as u32);
            let (f, v, e) = (self.faces(c), self.vertices(c), self.edges(c));
            name(&mut names, &self.face_id[f.clone()], |i| self.face_vertices[f.start + i]);
            name(&mut names, &self.vertex_id[v.clone()], |i| [(v.start + i) as u32]);
            name(&mut names, &self.edge_id[e.clone()], |i| self.edge_vertices[e.start + i]);
        }
        self.group_start.push(names.len() as u32);
        self.names = names;
    }

    /// Where the groups of a cluster's faces, vertices and edges stand.
    #[inline]
    #[must_use]
    pub fn groups(&self, cluster: usize) -> [Range<usize>; 3] {
        let (first, end) = (self.group_start[cluster] as usize, self.group_start[cluster + 1] as usize);
        let vertices = first + groups(self.faces(cluster).len());
        let edges = vertices + groups(self.vertices(cluster).len());
        [first..vertices, vertices..edges, edges..end]
    }

    /// The names of all groups.
    #[inline]
    #[must_use]
    pub fn names(&self) -> &[NameGroup] {
        &self.names
    }

    /// Bytes held.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        12 * (self.face_vertices.capacity() + self.face_edges.capacity())
            + 8 * self.edge_vertices.capacity()
            + 4 * (self.face_id.capacity() + self.edge_id.capacity() + self.vertex_id.capacity())
            + 4 * (self.edge_start.capacity() + self.vertex_start.capacity() + self.block_start.capacity())
            + 4 * self.group_start.capacity()
            + size_of::<NameGroup>() * self.names.capacity()
    }
}
