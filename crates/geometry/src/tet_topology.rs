//! Who touches whom on a tetrahedral mesh: unique faces and edges, tets around faces and vertices, parts, and the
//! boundary surface.
//!
//! Takes a [`TetMesh`], gives a [`TetTopology`] (indices only, right while vertices move) and, from it, the
//! surface as a [`TriMesh`] with the way back to tets and vertices. Faces and edges come in lexicographic order of
//! their sorted vertices, the same on every run.
//!
//! Face `i` of a tet lies opposite its corner `i` ([`TetMesh::FACES`]); edge `i` is [`TetMesh::EDGES`]`[i]`.

use crate::{MeshError, TetMesh, TriMesh};
use smallvec::SmallVec;

/// Faces, edges, incidences and counts of one tet mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct TetTopology {
    faces: Vec<[u32; 3]>,
    face_tets: Vec<[u32; 2]>,
    /// Third and later tets of a face, sorted by face; empty for every mesh that fills space once.
    extra_tets: Vec<(u32, SmallVec<[u32; 2]>)>,
    tet_faces: Vec<[u32; 4]>,
    edges: Vec<[u32; 2]>,
    tet_edges: Vec<[u32; 6]>,
    vertex_start: Vec<u32>,
    vertex_tets: Vec<u32>,
    tet_parts: Vec<u32>,
    parts: usize,
    unreferenced: Vec<u32>,
    boundary_faces: usize,
    misoriented: Vec<u32>,
}

/// The boundary of a tet mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct TetSurface {
    /// The surface, facing outwards; vertices in the order of the tet mesh, inner ones left out.
    pub mesh: TriMesh,
    /// The tet and its face (opposite corner 0 to 3) behind each triangle.
    pub tet_faces: Vec<[u32; 2]>,
    /// The vertex of the tet mesh at each surface vertex.
    pub vertices: Vec<u32>,
}

impl TetTopology {
    /// Stands where there is no tet.
    pub const NONE: u32 = u32::MAX;

    /// Reads the connectivity of a mesh.
    #[must_use]
    pub fn new(mesh: &TetMesh) -> Self {
        let tets = mesh.tets();
        let vertices = mesh.positions().len();
        let (vertex_start, vertex_tets) = tets_around_vertices(tets, vertices);
        let unreferenced =
            (0..vertices).filter(|&v| vertex_start[v] == vertex_start[v + 1]).map(|v| v as u32).collect();
        let (edges, tet_edges) = unique_edges(tets);
        let mut topology = Self {
            faces: Vec::with_capacity(2 * tets.len()),
            face_tets: Vec::with_capacity(2 * tets.len()),
            extra_tets: Vec::new(),
            tet_faces: vec![[Self::NONE; 4]; tets.len()],
            edges,
            tet_edges,
            vertex_start,
            vertex_tets,
            tet_parts: Vec::new(),
            parts: 0,
            unreferenced,
            boundary_faces: 0,
            misoriented: Vec::new(),
        };
        topology.build_faces(tets);
        topology.label_parts(tets.len());
        topology
    }

    fn build_faces(&mut self, tets: &[[u32; 4]]) {
        // Sorted vertices, then 4·tet + face: equal faces come to stand side by side, lowest tet first.
        let mut sides: Vec<([u32; 3], u32)> = Vec::with_capacity(4 * tets.len());
        for (t, tet) in tets.iter().enumerate() {
            for (i, f) in TetMesh::FACES.iter().enumerate() {
                let mut key = f.map(|k| tet[k]);
                key.sort_unstable();
                sides.push((key, (4 * t + i) as u32));
            }
        }
        sides.sort_unstable();
        for group in sides.chunk_by(|a, b| a.0 == b.0) {
            let face = self.faces.len() as u32;
            let mut around = [Self::NONE; 2];
            for (slot, &(_, side)) in around.iter_mut().zip(group) {
                *slot = side / 4;
            }
            for &(_, side) in group {
                self.tet_faces[side as usize / 4][side as usize % 4] = face;
            }
            match group {
                [_] => self.boundary_faces += 1,
                [(_, s0), (_, s1)] => {
                    // Neighbours see the face from opposite sides, so its corners run opposite ways.
                    if parity(tets, *s0) == parity(tets, *s1) {
                        self.misoriented.push(face);
                    }
                }
                _ => self.extra_tets.push((face, group[2..].iter().map(|s| s.1 / 4).collect())),
            }
            self.faces.push(group[0].0);
            self.face_tets.push(around);
        }
    }

    /// Tets that share a face are in one part; parts are numbered by their lowest tet.
    fn label_parts(&mut self, tets: usize) {
        self.tet_parts = vec![Self::NONE; tets];
        let mut open = Vec::new();
        for start in 0..tets {
            if self.tet_parts[start] != Self::NONE {
                continue;
            }
            self.tet_parts[start] = self.parts as u32;
            open.push(start as u32);
            while let Some(t) = open.pop() {
                for face in self.tet_faces[t as usize] {
                    for n in self.tets_of_face(face) {
                        if self.tet_parts[n as usize] == Self::NONE {
                            self.tet_parts[n as usize] = self.parts as u32;
                            open.push(n);
                        }
                    }
                }
            }
            self.parts += 1;
        }
    }

    /// The three vertices of each face in ascending order; faces are in lexicographic order.
    #[must_use]
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// The first two tets of each face, lowest first; [`TetTopology::NONE`] in the second slot on the boundary.
    #[must_use]
    pub fn face_tets(&self) -> &[[u32; 2]] {
        &self.face_tets
    }

    /// Every tet at a face, lowest first.
    #[must_use]
    pub fn tets_of_face(&self, face: u32) -> SmallVec<[u32; 2]> {
        let mut tets: SmallVec<[u32; 2]> =
            self.face_tets[face as usize].iter().copied().filter(|&t| t != Self::NONE).collect();
        if let Ok(i) = self.extra_tets.binary_search_by_key(&face, |x| x.0) {
            tets.extend_from_slice(&self.extra_tets[i].1);
        }
        tets
    }

    /// The four faces of each tet; face `i` lies opposite corner `i`.
    #[must_use]
    pub fn tet_faces(&self) -> &[[u32; 4]] {
        &self.tet_faces
    }

    /// The tet across face `i` of a tet; `None` on the boundary and where more than two tets meet.
    #[must_use]
    pub fn tet_across(&self, tet: u32, i: usize) -> Option<u32> {
        let face = self.tet_faces[tet as usize][i];
        if self.extra_tets.binary_search_by_key(&face, |x| x.0).is_ok() {
            return None;
        }
        let [t0, t1] = self.face_tets[face as usize];
        let other = if t0 == tet { t1 } else { t0 };
        (other != Self::NONE && other != tet).then_some(other)
    }

    /// The tets that share a face with this one, opposite corner 0, 1, 2, 3; [`TetTopology::NONE`] where there is
    /// none.
    #[must_use]
    pub fn neighbours(&self, tet: u32) -> [u32; 4] {
        [0, 1, 2, 3].map(|i| self.tet_across(tet, i).unwrap_or(Self::NONE))
    }

    /// The two vertices of each edge, lower index first; edges are in lexicographic order.
    #[must_use]
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// The six edges of each tet, in the order of [`TetMesh::EDGES`].
    #[must_use]
    pub fn tet_edges(&self) -> &[[u32; 6]] {
        &self.tet_edges
    }

    /// The tets around a vertex, lowest first; empty for an unreferenced vertex.
    #[must_use]
    pub fn vertex_tets(&self, vertex: u32) -> &[u32] {
        let v = vertex as usize;
        &self.vertex_tets[self.vertex_start[v] as usize..self.vertex_start[v + 1] as usize]
    }

    /// The part each tet belongs to: tets that hang together through faces.
    #[must_use]
    pub fn tet_parts(&self) -> &[u32] {
        &self.tet_parts
    }

    /// How many parts there are.
    #[must_use]
    pub fn part_count(&self) -> usize {
        self.parts
    }

    /// Vertices that no tet names, lowest first.
    #[must_use]
    pub fn unreferenced_vertices(&self) -> &[u32] {
        &self.unreferenced
    }

    /// Faces with one tet.
    #[must_use]
    pub fn boundary_faces(&self) -> usize {
        self.boundary_faces
    }

    /// Faces with three or more tets.
    #[must_use]
    pub fn non_manifold_faces(&self) -> usize {
        self.extra_tets.len()
    }

    /// Faces whose two tets lie on the same side, so that one is inside out or both overlap; lowest first.
    #[must_use]
    pub fn misoriented_faces(&self) -> &[u32] {
        &self.misoriented
    }

    /// V − E + F − T over referenced vertices: 1 for a solid ball, 0 for a solid ring.
    #[must_use]
    pub fn euler_characteristic(&self) -> i64 {
        let vertices = self.vertex_start.len() - 1 - self.unreferenced.len();
        vertices as i64 - self.edges.len() as i64 + self.faces.len() as i64 - self.tet_faces.len() as i64
    }

    /// The boundary surface, one triangle per face with one tet, in the order of tets. It faces outwards where its
    /// tet is positive.
    ///
    /// # Errors
    /// [`MeshError::Empty`] for a mesh without a boundary: every face has two tets or more, which no solid has.
    pub fn surface(&self, mesh: &TetMesh) -> Result<TetSurface, MeshError> {
        let mut tet_faces = Vec::with_capacity(self.boundary_faces);
        let mut used = vec![false; mesh.positions().len()];
        for (t, faces) in self.tet_faces.iter().enumerate() {
            for i in 0..4 {
                if self.face_tets[faces[i] as usize][1] == Self::NONE {
                    tet_faces.push([t as u32, i as u32]);
                    TetMesh::FACES[i].iter().for_each(|&k| used[mesh.tets()[t][k] as usize] = true);
                }
            }
        }
        let mut number = vec![Self::NONE; used.len()];
        let mut vertices = Vec::new();
        for (v, _) in used.iter().enumerate().filter(|u| *u.1) {
            number[v] = vertices.len() as u32;
            vertices.push(v as u32);
        }
        let triangles = tet_faces
            .iter()
            .map(|&[t, i]| TetMesh::FACES[i as usize].map(|k| number[mesh.tets()[t as usize][k] as usize]))
            .collect();
        let positions = vertices.iter().map(|&v| mesh.positions()[v as usize]).collect();
        Ok(TetSurface { mesh: TriMesh::new(positions, triangles)?, tet_faces, vertices })
    }
}

/// Whether the corners of a face, as the tet lists them outwards, are an odd permutation of the sorted ones.
fn parity(tets: &[[u32; 4]], side: u32) -> bool {
    let tet = tets[side as usize / 4];
    let [a, b, c] = TetMesh::FACES[side as usize % 4].map(|k| tet[k]);
    (a > b) ^ (b > c) ^ (a > c)
}

fn tets_around_vertices(tets: &[[u32; 4]], vertices: usize) -> (Vec<u32>, Vec<u32>) {
    let distinct = |t: &[u32; 4]| {
        let mut v: SmallVec<[u32; 4]> = SmallVec::from_slice(t);
        v.sort_unstable();
        v.dedup();
        v
    };
    let mut start = vec![0u32; vertices + 1];
    for t in tets {
        distinct(t).iter().for_each(|&v| start[v as usize + 1] += 1);
    }
    for v in 0..vertices {
        start[v + 1] += start[v];
    }
    let mut around = vec![0u32; start[vertices] as usize];
    let mut next = start.clone();
    for (i, t) in tets.iter().enumerate() {
        for v in distinct(t) {
            let slot = &mut next[v as usize];
            around[*slot as usize] = i as u32;
            *slot += 1;
        }
    }
    (start, around)
}

fn unique_edges(tets: &[[u32; 4]]) -> (Vec<[u32; 2]>, Vec<[u32; 6]>) {
    let ends = |tet: &[u32; 4], [i, j]: [usize; 2]| [tet[i].min(tet[j]), tet[i].max(tet[j])];
    let mut edges: Vec<[u32; 2]> =
        tets.iter().flat_map(|t| TetMesh::EDGES.map(|e| ends(t, e))).filter(|[a, b]| a != b).collect();
    edges.sort_unstable();
    edges.dedup();
    let tet_edges = tets
        .iter()
        .map(|t| {
            TetMesh::EDGES.map(|e| edges.binary_search(&ends(t, e)).map_or(TetTopology::NONE, |i| i as u32))
        })
        .collect();
    (edges, tet_edges)
}
