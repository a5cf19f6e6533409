//! The parts of a mesh: what hangs together, whether it is closed, what it encloses.

use impinge_geometry::{DVec3, Topology, TriMesh};

/// Faces that hang together through vertices.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Part {
    /// Its lowest face.
    pub first_face: u32,
    /// How many faces it has.
    pub faces: usize,
    /// Every edge has two faces that run opposite ways along it.
    pub closed: bool,
    /// Edges with one face.
    pub boundary_edges: usize,
    /// The volume it encloses (m³), negative where it faces inwards; `None` for an open part.
    pub volume: Option<f64>,
    /// Area (m²).
    pub area: f64,
    /// Lower and upper corner of the box around it (m).
    pub bounds: (DVec3, DVec3),
}

impl Part {
    /// Closed and facing inwards: a cavity where it lies in another part, else inside out.
    #[must_use]
    pub fn faces_inwards(&self) -> bool {
        self.volume.is_some_and(|v| v < 0.0)
    }
}

/// The parts in order of their lowest face.
pub(crate) fn parts(mesh: &TriMesh, topology: &Topology) -> Vec<Part> {
    let n = topology.part_count();
    let mut parts: Vec<Part> = vec![
        Part {
            first_face: Topology::NONE,
            faces: 0,
            closed: true,
            boundary_edges: 0,
            volume: None,
            area: 0.0,
            bounds: (DVec3::broadcast(f64::INFINITY), DVec3::broadcast(f64::NEG_INFINITY)),
        };
        n
    ];
    let mut volume = vec![0.0; n];
    for (f, &part) in topology.face_parts().iter().enumerate() {
        let p = &mut parts[part as usize];
        let corners = mesh.corners(f);
        if p.faces == 0 {
            p.first_face = f as u32;
        }
        p.faces += 1;
        // Tets over a point of the part itself: no digits are lost far from the origin.
        let o = mesh.corners(p.first_face as usize)[0];
        let [a, b, c] = corners.map(|x| x - o);
        volume[part as usize] += a.dot(b.cross(c)) / 6.0;
        p.area += impinge_geometry::triangle_area(corners);
        for x in corners {
            p.bounds = (p.bounds.0.min_by_component(x), p.bounds.1.max_by_component(x));
        }
    }
    for e in 0..topology.edges().len() as u32 {
        let p = &mut parts[topology.face_parts()[topology.edge_owner(e) as usize] as usize];
        if topology.edge_faces()[e as usize][1] == Topology::NONE {
            p.boundary_edges += 1;
            p.closed = false;
        } else if topology.extra_face_count(e) > 0 || runs_alike(mesh, topology, e) {
            p.closed = false;
        }
    }
    for (p, v) in parts.iter_mut().zip(volume) {
        // A part of collapsed faces alone has no edge that could be open, and no inside either.
        let (lo, hi) = p.bounds;
        let rounding = 64.0 * f64::EPSILON * p.area * (hi - lo).mag();
        p.volume = p.closed.then_some(if v.abs() > rounding { v } else { 0.0 });
    }
    parts
}

/// Whether the two faces of a manifold edge run the same way along it: one of them is inside out.
pub(crate) fn runs_alike(mesh: &TriMesh, topology: &Topology, edge: u32) -> bool {
    let [a, b] = topology.edges()[edge as usize];
    let forward = |f: u32| {
        let t = mesh.triangles()[f as usize];
        (0..3).any(|i| t[i] == a && t[(i + 1) % 3] == b)
    };
    let [f, g] = topology.edge_faces()[edge as usize];
    forward(f) == forward(g)
}
