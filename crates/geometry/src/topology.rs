//! Who touches whom on a triangle mesh: unique edges, faces around edges and vertices, parts, and whether
//! the surface is closed.
//!
//! Takes a [`TriMesh`], gives a [`Topology`]: plain columns indexed by edge, face and vertex. Edges come from
//! a counting sort over their lower vertex followed by a small sort inside each bucket, so the order is
//! lexicographic, the same on every run, and a million triangles take a fraction of a second.
//!
//! Side `i` of a face joins its corners `i` and `(i + 1) % 3`, here and in [`crate::TriangleFeature::Edge`].

use crate::{MeshError, TriMesh};
use smallvec::SmallVec;

/// A short list of indices that lives on the stack for meshes of ordinary valence.
pub type Neighbours = SmallVec<[u32; 8]>;

/// Edges, incidences and counts of one mesh. Build once per mesh; it holds indices only, so it stays right
/// while vertices move.
///
/// A *collapsed* face names one vertex twice. It has no area and its outline cancels, so it makes no edge
/// (its three sides are [`Topology::NONE`]); it is counted in [`Topology::collapsed_faces`] and still listed
/// at its vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Topology {
    edges: Vec<[u32; 2]>,
    edge_faces: Vec<[u32; 2]>,
    /// Third and later faces of an edge, sorted by edge; empty for every manifold mesh.
    extra_faces: Vec<(u32, SmallVec<[u32; 4]>)>,
    face_edges: Vec<[u32; 3]>,
    vertex_start: Vec<u32>,
    vertex_faces: Vec<u32>,
    face_parts: Vec<u32>,
    parts: usize,
    unreferenced: Vec<u32>,
    collapsed: Vec<u32>,
    boundary_edges: usize,
    non_manifold_edges: usize,
    misoriented_edges: usize,
}

impl Topology {
    /// Stands where there is no face, no edge or no owner.
    pub const NONE: u32 = u32::MAX;

    /// Reads the connectivity of a mesh.
    #[must_use]
    pub fn new(mesh: &TriMesh) -> Self {
        let triangles = mesh.triangles();
        let vertices = mesh.positions().len();
        let collapsed: Vec<u32> =
            (0..triangles.len() as u32).filter(|&f| is_collapsed(triangles[f as usize])).collect();
        let (vertex_start, vertex_faces) = faces_around_vertices(triangles, vertices);
        let unreferenced =
            (0..vertices).filter(|&v| vertex_start[v] == vertex_start[v + 1]).map(|v| v as u32).collect();
        let (face_parts, parts) = label_parts(triangles, vertices);
        let mut topology = Self {
            edges: Vec::with_capacity(triangles.len() * 3 / 2),
            edge_faces: Vec::with_capacity(triangles.len() * 3 / 2),
            extra_faces: Vec::new(),
            face_edges: vec![[Self::NONE; 3]; triangles.len()],
            vertex_start,
            vertex_faces,
            face_parts,
            parts,
            unreferenced,
            collapsed,
            boundary_edges: 0,
            non_manifold_edges: 0,
            misoriented_edges: 0,
        };
        topology.build_edges(triangles, vertices);
        topology
    }

    /// Half-edges into buckets of their lower vertex, each bucket sorted by higher vertex, then by face.
    fn build_edges(&mut self, triangles: &[[u32; 3]], vertices: usize) {
        let mut start = vec![0u32; vertices + 1];
        for &t in triangles.iter().filter(|t| !is_collapsed(**t)) {
            for side in 0..3 {
                start[t[side].min(t[(side + 1) % 3]) as usize + 1] += 1;
            }
        }
        for v in 0..vertices {
            start[v + 1] += start[v];
        }
        // High half: the higher vertex; low half: the half-edge 3·face + side, which TriMesh keeps below 2³².
        let mut half_edges = vec![0u64; start[vertices] as usize];
        let mut next = start.clone();
        for (f, &t) in triangles.iter().enumerate().filter(|(_, t)| !is_collapsed(**t)) {
            for side in 0..3 {
                let (a, b) = (t[side], t[(side + 1) % 3]);
                let slot = &mut next[a.min(b) as usize];
                half_edges[*slot as usize] = u64::from(a.max(b)) << 32 | (3 * f + side) as u64;
                *slot += 1;
            }
        }
        for lower in 0..vertices {
            let bucket = &mut half_edges[start[lower] as usize..start[lower + 1] as usize];
            bucket.sort_unstable();
            for group in bucket.chunk_by(|a, b| a >> 32 == b >> 32) {
                self.push_edge([lower as u32, (group[0] >> 32) as u32], group, triangles);
            }
        }
    }

    fn push_edge(&mut self, ends: [u32; 2], half_edges: &[u64], triangles: &[[u32; 3]]) {
        let edge = self.edges.len() as u32;
        let place = |h: u64| ((h as u32 / 3) as usize, (h as u32 % 3) as usize);
        let upward = |h: u64| {
            let (f, side) = place(h);
            triangles[f][side] == ends[0]
        };
        let mut faces = [Self::NONE; 2];
        for (slot, &h) in faces.iter_mut().zip(half_edges) {
            *slot = place(h).0 as u32;
        }
        for &h in half_edges {
            let (f, side) = place(h);
            self.face_edges[f][side] = edge;
        }
        match half_edges {
            [_] => self.boundary_edges += 1,
            [h0, h1] => self.misoriented_edges += usize::from(upward(*h0) == upward(*h1)),
            _ => {
                self.non_manifold_edges += 1;
                self.extra_faces.push((edge, half_edges[2..].iter().map(|&h| place(h).0 as u32).collect()));
            }
        }
        self.edges.push(ends);
        self.edge_faces.push(faces);
    }

    /// The two vertices of each edge, lower index first; edges are in lexicographic order.
    #[must_use]
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// The first two faces of each edge, lowest first; [`Topology::NONE`] in the second slot on a boundary.
    /// Further faces of a non-manifold edge are in [`Topology::faces_of_edge`].
    #[must_use]
    pub fn edge_faces(&self) -> &[[u32; 2]] {
        &self.edge_faces
    }

    /// Every face at an edge, lowest first.
    #[must_use]
    pub fn faces_of_edge(&self, edge: u32) -> SmallVec<[u32; 2]> {
        let mut faces: SmallVec<[u32; 2]> =
            self.edge_faces[edge as usize].iter().copied().filter(|&f| f != Self::NONE).collect();
        if let Ok(i) = self.extra_faces.binary_search_by_key(&edge, |x| x.0) {
            faces.extend_from_slice(&self.extra_faces[i].1);
        }
        faces
    }

    /// How many faces an edge has beyond two; 0 on a manifold edge.
    #[must_use]
    pub fn extra_face_count(&self, edge: u32) -> usize {
        self.extra_faces.binary_search_by_key(&edge, |x| x.0).map_or(0, |i| self.extra_faces[i].1.len())
    }

    /// The three edges of each face; side `i` joins corners `i` and `(i + 1) % 3`.
    #[must_use]
    pub fn face_edges(&self) -> &[[u32; 3]] {
        &self.face_edges
    }

    /// The face across one side of a face; `None` on a boundary, on a non-manifold edge and on a collapsed
    /// face.
    #[must_use]
    pub fn face_across(&self, face: u32, side: usize) -> Option<u32> {
        let edge = self.face_edges[face as usize][side];
        if edge == Self::NONE || self.extra_face_count(edge) > 0 {
            return None;
        }
        let [f0, f1] = self.edge_faces[edge as usize];
        let other = if f0 == face { f1 } else { f0 };
        (other != Self::NONE).then_some(other)
    }

    /// The edge between two vertices, by binary search.
    #[must_use]
    pub fn edge_between(&self, a: u32, b: u32) -> Option<u32> {
        self.edges.binary_search(&[a.min(b), a.max(b)]).ok().map(|e| e as u32)
    }

    /// The faces around a vertex, lowest first; empty for an unreferenced vertex.
    #[must_use]
    pub fn vertex_faces(&self, vertex: u32) -> &[u32] {
        let v = vertex as usize;
        &self.vertex_faces[self.vertex_start[v] as usize..self.vertex_start[v + 1] as usize]
    }

    /// The vertices joined to this one by an edge, lowest first.
    #[must_use]
    pub fn vertex_neighbours(&self, vertex: u32) -> Neighbours {
        let mut found = Neighbours::new();
        for &f in self.vertex_faces(vertex) {
            for &e in self.face_edges[f as usize].iter().filter(|&&e| e != Self::NONE) {
                match self.edges[e as usize] {
                    [a, b] if a == vertex => found.push(b),
                    [a, b] if b == vertex => found.push(a),
                    _ => {}
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The face that owns an edge (its lowest), so that a loop over faces meets every edge once.
    #[must_use]
    pub fn edge_owner(&self, edge: u32) -> u32 {
        self.edge_faces[edge as usize][0]
    }

    /// The face that owns a vertex (its lowest); [`Topology::NONE`] for an unreferenced vertex.
    #[must_use]
    pub fn vertex_owner(&self, vertex: u32) -> u32 {
        self.vertex_faces(vertex).first().copied().unwrap_or(Self::NONE)
    }

    /// The part each face belongs to. Faces that share a vertex are in one part; parts are numbered by their
    /// lowest face.
    #[must_use]
    pub fn face_parts(&self) -> &[u32] {
        &self.face_parts
    }

    /// How many parts there are.
    #[must_use]
    pub fn part_count(&self) -> usize {
        self.parts
    }

    /// Vertices that no triangle names, lowest first.
    #[must_use]
    pub fn unreferenced_vertices(&self) -> &[u32] {
        &self.unreferenced
    }

    /// Faces that name a vertex twice, lowest first.
    #[must_use]
    pub fn collapsed_faces(&self) -> &[u32] {
        &self.collapsed
    }

    /// Edges with one face.
    #[must_use]
    pub fn boundary_edges(&self) -> usize {
        self.boundary_edges
    }

    /// Edges with three or more faces.
    #[must_use]
    pub fn non_manifold_edges(&self) -> usize {
        self.non_manifold_edges
    }

    /// Edges whose two faces run the same way along them, so that one of the two is inside out.
    #[must_use]
    pub fn misoriented_edges(&self) -> usize {
        self.misoriented_edges
    }

    /// Vertices where two or more fans of faces touch in a single point, lowest first. Such a surface can be
    /// closed, but it has no one neighbourhood there, and its Euler characteristic is lower by one per extra fan.
    ///
    /// Computed when asked: few callers want it.
    #[must_use]
    pub fn pinched_vertices(&self) -> Vec<u32> {
        (0..self.vertex_start.len() as u32 - 1).filter(|&v| self.fan_count(v) > 1).collect()
    }

    /// Groups of faces around a vertex that hang together through edges at the vertex.
    fn fan_count(&self, vertex: u32) -> usize {
        let faces: Neighbours = self
            .vertex_faces(vertex)
            .iter()
            .copied()
            .filter(|&f| self.face_edges[f as usize][0] != Self::NONE)
            .collect();
        let mut seen: SmallVec<[bool; 8]> = SmallVec::from_elem(false, faces.len());
        let mut open = Neighbours::new();
        let mut fans = 0;
        for start in 0..faces.len() {
            if seen[start] {
                continue;
            }
            fans += 1;
            seen[start] = true;
            open.push(faces[start]);
            while let Some(f) = open.pop() {
                for &e in self.face_edges[f as usize].iter() {
                    if !self.edges[e as usize].contains(&vertex) {
                        continue;
                    }
                    for g in self.faces_of_edge(e) {
                        // Faces around a vertex are sorted.
                        if let Ok(i) = faces.binary_search(&g)
                            && !seen[i]
                        {
                            seen[i] = true;
                            open.push(g);
                        }
                    }
                }
            }
        }
        fans
    }

    /// V − E + F over referenced vertices and faces that are not collapsed: 2 for each sphere-like part, 0 for
    /// a torus.
    #[must_use]
    pub fn euler_characteristic(&self) -> i64 {
        let vertices = self.vertex_start.len() - 1 - self.unreferenced.len();
        let faces = self.face_edges.len() - self.collapsed.len();
        vertices as i64 - self.edges.len() as i64 + faces as i64
    }

    /// `true` when every edge has exactly two faces that run opposite ways along it.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.boundary_edges == 0 && self.non_manifold_edges == 0 && self.misoriented_edges == 0
    }

    /// Refuses an open surface where a volume, a mass or an inside is needed.
    ///
    /// # Errors
    /// [`MeshError::NotClosed`] with the counts of offending edges.
    pub fn require_closed(&self) -> Result<(), MeshError> {
        if self.is_closed() {
            return Ok(());
        }
        Err(self.not_closed())
    }

    /// Refuses a surface without one front: every edge must have one triangle, or two that run opposite ways along it.
    ///
    /// # Errors
    /// As [`Topology::require_closed`].
    pub fn require_front(&self) -> Result<(), MeshError> {
        if self.has_front() { Ok(()) } else { Err(self.not_closed()) }
    }

    /// Every edge has one triangle, or two that run opposite ways along it.
    #[must_use]
    pub fn has_front(&self) -> bool {
        self.non_manifold_edges + self.misoriented_edges == 0
    }

    fn not_closed(&self) -> MeshError {
        MeshError::NotClosed {
            boundary_edges: self.boundary_edges,
            non_manifold_edges: self.non_manifold_edges,
            misoriented_edges: self.misoriented_edges,
        }
    }
}

fn is_collapsed([a, b, c]: [u32; 3]) -> bool {
    a == b || b == c || c == a
}

/// Corners of a face without repeats: a collapsed face is listed once at each of its vertices.
fn distinct_corners([a, b, c]: [u32; 3]) -> impl Iterator<Item = u32> {
    [Some(a), (b != a).then_some(b), (c != a && c != b).then_some(c)].into_iter().flatten()
}

fn faces_around_vertices(triangles: &[[u32; 3]], vertices: usize) -> (Vec<u32>, Vec<u32>) {
    let mut start = vec![0u32; vertices + 1];
    for &t in triangles {
        distinct_corners(t).for_each(|v| start[v as usize + 1] += 1);
    }
    for v in 0..vertices {
        start[v + 1] += start[v];
    }
    let mut faces = vec![0u32; start[vertices] as usize];
    let mut next = start.clone();
    for (f, &t) in triangles.iter().enumerate() {
        for v in distinct_corners(t) {
            let slot = &mut next[v as usize];
            faces[*slot as usize] = f as u32;
            *slot += 1;
        }
    }
    (start, faces)
}

/// Union–find over vertices; the lower root wins, so labels never depend on the order of unions.
fn label_parts(triangles: &[[u32; 3]], vertices: usize) -> (Vec<u32>, usize) {
    let mut parent: Vec<u32> = (0..vertices as u32).collect();
    fn root(parent: &mut [u32], mut v: u32) -> u32 {
        while parent[v as usize] != v {
            parent[v as usize] = parent[parent[v as usize] as usize];
            v = parent[v as usize];
        }
        v
    }
    for t in triangles {
        for k in 1..3 {
            let (a, b) = (root(&mut parent, t[0]), root(&mut parent, t[k]));
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    let mut label = vec![Topology::NONE; vertices];
    let mut parts = 0u32;
    let face_parts = triangles
        .iter()
        .map(|t| {
            let r = root(&mut parent, t[0]) as usize;
            if label[r] == Topology::NONE {
                label[r] = parts;
                parts += 1;
            }
            label[r]
        })
        .collect();
    (face_parts, parts as usize)
}
