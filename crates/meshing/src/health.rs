//! The health report: everything about a surface that a simulation may stumble over, and where.
//!
//! Takes a mesh, changes nothing, gives a [`Health`]: counts, lists of the faces, edges and vertices at fault in
//! ascending order, and what follows for a body made of it.

use crate::merge::merge_map;
use crate::parts::{Part, parts, runs_alike};
use crate::self_intersections::{Crossing, self_intersections};
use crate::units::{UnitGuess, guess_unit};
use impinge_geometry::{DVec3, MassProperties, MeshError, Topology, TriMesh, closed_mass_properties};

/// What to look for.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HealthOptions {
    /// Vertices closer than this are reported as near duplicates (m); `None` takes a millionth of the diagonal of the
    /// box around the mesh, the last digit of a file written with six.
    pub tolerance: Option<f64>,
    /// Whether to look for self-intersections, which takes about half of the time.
    pub self_intersections: bool,
}

impl Default for HealthOptions {
    fn default() -> Self {
        Self { tolerance: None, self_intersections: true }
    }
}

/// What the mesh is when vertices in the same place count as one.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Merged {
    /// Vertices left.
    pub vertices: usize,
    /// Edges with one face.
    pub boundary_edges: usize,
    /// Parts.
    pub parts: usize,
    /// Every edge has two faces that run opposite ways along it.
    pub closed: bool,
}

/// What is right and wrong with one surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Health {
    /// Vertices, as in the file.
    pub vertices: usize,
    /// Triangles.
    pub triangles: usize,
    /// Edges.
    pub edges: usize,
    /// V − E + F: 2 for each closed part without a handle, two less for every handle.
    pub euler_characteristic: i64,
    /// Lower and upper corner of the box around the triangles (m).
    pub bounds: (DVec3, DVec3),
    /// Total area (m²).
    pub area: f64,
    /// A guess of the file's unit.
    pub unit: UnitGuess,
    /// What hangs together.
    pub parts: Vec<Part>,
    /// Volume, centre and inertia, or why there are none.
    pub solid: Result<MassProperties, MeshError>,
    /// Edges with one face, by their two vertices.
    pub boundary_edges: Vec<[u32; 2]>,
    /// Closed loops of boundary edges; see [`crate::repair::boundary_loops`].
    pub holes: usize,
    /// Edges with three or more faces.
    pub non_manifold_edges: Vec<[u32; 2]>,
    /// Edges whose two faces run the same way along them.
    pub misoriented_edges: Vec<[u32; 2]>,
    /// Vertices where several fans of faces touch in one point.
    pub pinched_vertices: Vec<u32>,
    /// Vertices that no triangle names.
    pub unreferenced_vertices: Vec<u32>,
    /// Vertices that stand exactly where a lower one stands.
    pub duplicate_vertices: Vec<u32>,
    /// Vertices within [`Health::tolerance`] of a lower one; holds the exact duplicates too.
    pub near_duplicate_vertices: Vec<u32>,
    /// The distance used for near duplicates (m).
    pub tolerance: f64,
    /// Faces that name a vertex twice, or whose height over the longest side is lost in the rounding of their
    /// coordinates.
    pub degenerate_faces: Vec<u32>,
    /// Faces with the three vertices of a lower face, the same way round.
    pub duplicate_faces: Vec<u32>,
    /// Faces with the three vertices of a lower face, the other way round: the two sides of a sheet without thickness.
    pub mirrored_faces: Vec<u32>,
    /// Pairs of faces that cross; empty also when nobody looked.
    pub self_intersections: Vec<Crossing>,
    /// Whether self-intersections were looked for.
    pub looked_for_self_intersections: bool,
    /// The mesh with equal positions counted as one vertex; `None` where no two are equal.
    pub merged: Option<Merged>,
    /// A point of each fault that is not a crossing, for pictures: positions of all vertices at fault.
    pub(crate) places: Places,
}

/// Positions of the faults, kept so that the mesh is not needed again.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Places {
    pub boundary_edges: Vec<DVec3>,
    pub non_manifold_edges: Vec<DVec3>,
    pub misoriented_edges: Vec<DVec3>,
    pub pinched_vertices: Vec<DVec3>,
    pub near_duplicate_vertices: Vec<DVec3>,
    pub degenerate_faces: Vec<DVec3>,
    pub duplicate_faces: Vec<DVec3>,
    pub mirrored_faces: Vec<DVec3>,
    /// Faces at each boundary, non-manifold and misoriented edge and each pinched vertex.
    pub boundary_faces: Vec<Vec<u32>>,
    pub non_manifold_faces: Vec<Vec<u32>>,
    pub misoriented_faces: Vec<Vec<u32>>,
    pub pinched_faces: Vec<Vec<u32>>,
    pub near_duplicate_faces: Vec<Vec<u32>>,
}

impl Health {
    /// Every edge has two faces that run opposite ways along it.
    #[must_use]
    pub fn closed(&self) -> bool {
        self.boundary_edges.is_empty() && self.manifold_edges() && self.oriented()
    }

    /// No edge has more than two faces.
    #[must_use]
    pub fn manifold_edges(&self) -> bool {
        self.non_manifold_edges.is_empty()
    }

    /// No edge with more than two faces, no pinched vertex: around every inner point the surface is a disc.
    #[must_use]
    pub fn manifold(&self) -> bool {
        self.manifold_edges() && self.pinched_vertices.is_empty()
    }

    /// Neighbouring faces agree which side is out.
    #[must_use]
    pub fn oriented(&self) -> bool {
        self.misoriented_edges.is_empty()
    }

    /// The volume (m³), or why there is none.
    ///
    /// # Errors
    /// As [`impinge_geometry::mass_properties`].
    pub fn volume(&self) -> Result<f64, MeshError> {
        self.solid.as_ref().map(|s| s.volume).map_err(Clone::clone)
    }

    /// Nothing is wrong: closed, manifold, oriented, a volume, no double or collapsed features, no crossing, no unused
    /// vertex.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.closed()
            && self.manifold()
            && self.solid.is_ok()
            && self.unreferenced_vertices.is_empty()
            && self.near_duplicate_vertices.is_empty()
            && self.degenerate_faces.is_empty()
            && self.duplicate_faces.is_empty()
            && self.mirrored_faces.is_empty()
            && self.self_intersections.is_empty()
    }
}

/// The health of a mesh, with the usual options.
#[must_use]
pub fn health(mesh: &TriMesh) -> Health {
    health_with(mesh, &HealthOptions::default())
}

/// The health of a mesh. About two seconds for a million triangles.
#[must_use]
pub fn health_with(mesh: &TriMesh, options: &HealthOptions) -> Health {
    let topology = Topology::new(mesh);
    let positions = mesh.positions();
    let bounds = referenced_bounds(mesh);
    let extent = bounds.1 - bounds.0;
    let tolerance = match options.tolerance {
        Some(t) if t >= 0.0 => t,
        _ => {
            let diagonal = 1e-6 * extent.mag();
            // The square of an enormous diagonal overflows, and then everything would count as near.
            let largest = extent.component_max().min(f64::MAX);
            if diagonal.is_finite() { diagonal } else { 1e-6 * largest * (extent / largest).mag().min(2.0) }
        }
    };
    let mut places = Places::default();
    let used = |v: u32| !topology.vertex_faces(v).is_empty();
    // Vertices nobody uses are one fault, not two.
    let repeated = |map: &[u32]| -> Vec<u32> {
        (0..map.len() as u32).filter(|&v| map[v as usize] != v && used(v)).collect()
    };
    let exact = merge_map(positions, 0.0);
    let duplicate_vertices = repeated(&exact);
    let near_duplicate_vertices = repeated(&merge_map(positions, tolerance));

    let middle = |e: u32| {
        let [a, b] = topology.edges()[e as usize].map(|v| positions[v as usize]);
        a * 0.5 + b * 0.5
    };
    let (mut boundary_edges, mut non_manifold_edges, mut misoriented_edges) = (vec![], vec![], vec![]);
    for e in 0..topology.edges().len() as u32 {
        let (list, place, faces) = if topology.edge_faces()[e as usize][1] == Topology::NONE {
            (&mut boundary_edges, &mut places.boundary_edges, &mut places.boundary_faces)
        } else if topology.extra_face_count(e) > 0 {
            (&mut non_manifold_edges, &mut places.non_manifold_edges, &mut places.non_manifold_faces)
        } else if runs_alike(mesh, &topology, e) {
            (&mut misoriented_edges, &mut places.misoriented_edges, &mut places.misoriented_faces)
        } else {
            continue;
        };
        list.push(topology.edges()[e as usize]);
        place.push(middle(e));
        faces.push(topology.faces_of_edge(e).to_vec());
    }
    let pinched_vertices = topology.pinched_vertices();
    let degenerate_faces: Vec<u32> =
        (0..mesh.triangles().len() as u32).filter(|&f| is_degenerate(mesh, f)).collect();
    let (duplicate_faces, mirrored_faces) = repeated_faces(mesh);
    let faces_at = |v: u32| topology.vertex_faces(v).to_vec();
    places.pinched_vertices = pinched_vertices.iter().map(|&v| positions[v as usize]).collect();
    places.pinched_faces = pinched_vertices.iter().map(|&v| faces_at(v)).collect();
    places.near_duplicate_vertices = near_duplicate_vertices.iter().map(|&v| positions[v as usize]).collect();
    places.near_duplicate_faces = near_duplicate_vertices.iter().map(|&v| faces_at(v)).collect();
    let face_middle = |&f: &u32| {
        let [a, b, c] = mesh.corners(f as usize);
        a / 3.0 + b / 3.0 + c / 3.0
    };
    places.degenerate_faces = degenerate_faces.iter().map(face_middle).collect();
    places.duplicate_faces = duplicate_faces.iter().map(face_middle).collect();
    places.mirrored_faces = mirrored_faces.iter().map(face_middle).collect();

    Health {
        vertices: positions.len(),
        triangles: mesh.triangles().len(),
        edges: topology.edges().len(),
        euler_characteristic: topology.euler_characteristic(),
        bounds,
        area: impinge_geometry::area(mesh),
        unit: guess_unit(extent.into()),
        parts: parts(mesh, &topology),
        solid: topology.require_closed().and_then(|()| closed_mass_properties(mesh)),
        holes: crate::repair::boundary_loops(mesh, &topology).closed.len(),
        boundary_edges,
        non_manifold_edges,
        misoriented_edges,
        pinched_vertices,
        unreferenced_vertices: topology.unreferenced_vertices().to_vec(),
        merged: merged(mesh, &exact, duplicate_vertices.len()),
        duplicate_vertices,
        near_duplicate_vertices,
        tolerance,
        degenerate_faces,
        duplicate_faces,
        mirrored_faces,
        self_intersections: if options.self_intersections { self_intersections(mesh) } else { vec![] },
        looked_for_self_intersections: options.self_intersections,
        places,
    }
}

/// The box around the vertices that are used: a stray one far away is no part of the surface.
pub(crate) fn referenced_bounds(mesh: &TriMesh) -> (DVec3, DVec3) {
    let first = mesh.corners(0)[0];
    mesh.triangles()
        .iter()
        .flatten()
        .map(|&v| mesh.positions()[v as usize])
        .fold((first, first), |(lo, hi), p| (lo.min_by_component(p), hi.max_by_component(p)))
}

/// Whether a face names a vertex twice or has no height that its coordinates could express.
pub(crate) fn is_degenerate(mesh: &TriMesh, face: u32) -> bool {
    let [i, j, k] = mesh.triangles()[face as usize];
    if i == j || j == k || k == i {
        return true;
    }
    let [a, b, c] = mesh.corners(face as usize);
    let longest = (b - a).mag().max((c - b).mag()).max((a - c).mag());
    let reach = a.abs().max_by_component(b.abs()).max_by_component(c.abs()).component_max();
    // Twice the area is longest side times height.
    let doubled = (b - a).cross(c - a).mag();
    doubled <= 4.0 * f64::EPSILON * reach * longest || crate::cross::is_flat(&[a, b, c])
}

/// Faces with the vertices of a lower face, the same way round and the other; collapsed faces are a fault of their own.
pub(crate) fn repeated_faces(mesh: &TriMesh) -> (Vec<u32>, Vec<u32>) {
    let mut keys: Vec<([u32; 3], u32)> = mesh
        .triangles()
        .iter()
        .enumerate()
        .map(|(f, &t)| {
            let mut key = t;
            key.sort_unstable();
            (key, f as u32)
        })
        .filter(|(k, _)| k[0] != k[1] && k[1] != k[2])
        .collect();
    keys.sort_unstable();
    let odd = |f: u32| {
        let [a, b, c] = mesh.triangles()[f as usize];
        (a > b) ^ (b > c) ^ (a > c)
    };
    let (mut same, mut mirrored) = (vec![], vec![]);
    for group in keys.chunk_by(|a, b| a.0 == b.0).filter(|g| g.len() > 1) {
        let first = odd(group[0].1);
        let mut both = false;
        for &(_, f) in &group[1..] {
            if odd(f) == first || both {
                same.push(f);
            } else {
                both = true;
                mirrored.push(f);
            }
        }
    }
    same.sort_unstable();
    mirrored.sort_unstable();
    (same, mirrored)
}

fn merged(mesh: &TriMesh, exact: &[u32], duplicates: usize) -> Option<Merged> {
    if duplicates == 0 {
        return None;
    }
    let triangles = mesh.triangles().iter().map(|t| t.map(|v| exact[v as usize])).collect();
    // The same vertices, fewer of them named: always a mesh.
    let merged = TriMesh::new(mesh.positions().to_vec(), triangles).ok()?;
    let topology = Topology::new(&merged);
    Some(Merged {
        vertices: mesh.positions().len() - topology.unreferenced_vertices().len(),
        boundary_edges: topology.boundary_edges(),
        parts: topology.part_count(),
        closed: topology.is_closed(),
    })
}
