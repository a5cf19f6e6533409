//! Tables of the swept path: the features of all surfaces under one numbering, feature pairs whose swept boxes meet, and the
//! contacts tracked from step to step.

use crate::around::Around;
use crate::paths::Ways;
use crate::tracked;
use impinge_bodies::{Candidates, Laws, Shape, Shapes};
use impinge_ccd::{Kind, Opens};
use impinge_contact::{Pairs, StateHash, SurfaceMap};
use impinge_geometry::{DVec3, is_finite};

/// Feature pairs that may meet, by body pair.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeaturePairs {
    /// Vertex and face, or two edges, numbered over all surfaces.
    pub features: Vec<(u32, u32)>,
    /// The body pairs with features here, in order.
    pub runs: Vec<Run>,
}

/// Features of one body pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The lower slot, and the other; twice the same for a body that may meet itself.
    pub bodies: [u32; 2],
    /// Place after its last feature pair.
    pub end: usize,
}

impl FeaturePairs {
    /// Number of feature pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.features.len()
    }

    /// `true` without pairs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
    }

    /// Removes every pair and keeps the memory.
    pub fn clear(&mut self) {
        self.features.clear();
        self.runs.clear();
    }

    /// The features of one body pair; the runs ascend.
    #[must_use]
    pub fn of(&self, bodies: [u32; 2]) -> &[(u32, u32)] {
        match self.runs.binary_search_by_key(&bodies, |r| r.bodies) {
            Ok(i) => &self.features[if i == 0 { 0 } else { self.runs[i - 1].end }..self.runs[i].end],
            Err(_) => &[],
        }
    }

    /// Ends a run.
    pub fn close(&mut self, bodies: [u32; 2]) {
        let end = self.features.len();
        if self.runs.last().map_or(0, |r| r.end) < end {
            self.runs.push(Run { bodies, end });
        }
    }
}

/// Which features meet; the lists differ in where a contact may open from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum List {
    /// A vertex and a triangle of a surface with a front: contacts open from outside only.
    Solid,
    /// A vertex and a triangle of a sheet: from both sides.
    Sheet,
    /// Two edges: from both sides.
    Edges,
}

impl List {
    /// In the order of [`SweptCandidates::lists`] and [`Tracked`].
    pub const ALL: [List; 3] = [Self::Solid, Self::Sheet, Self::Edges];

    /// The features, and from where contacts may open.
    #[must_use]
    pub fn features(self) -> (Kind, Opens) {
        match self {
            Self::Solid => (Kind::VertexFace, Opens::From(1)),
            Self::Sheet => (Kind::VertexFace, Opens::FromBothSides),
            Self::Edges => (Kind::EdgeEdge, Opens::FromBothSides),
        }
    }

    /// Features of this list with their vertices.
    #[must_use]
    pub fn candidates<'a>(self, pairs: &'a [(u32, u32)], faces: &'a Faces) -> impinge_ccd::Candidates<'a> {
        match self {
            Self::Solid | Self::Sheet => {
                impinge_ccd::Candidates::VertexFacePairs { pairs, faces: &faces.corners }
            }
            Self::Edges => impinge_ccd::Candidates::EdgeEdgePairs { pairs, edges: &faces.edges },
        }
    }

    /// Stable name of a feature pair.
    #[must_use]
    pub fn key(self, (first, second): (u32, u32)) -> u64 {
        match self {
            Self::Solid | Self::Sheet => impinge_contact::vertex_face_key(first, second),
            Self::Edges => impinge_contact::edge_edge_key(first, second),
        }
    }
}

/// How far each body may stray from its prediction for the lists to hold what it meets (m, along each axis), by slot; where there is a
/// guess, how far it may leave the boxes around start, prediction and guess. What is in contact does not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Margin {
    /// Against other bodies.
    pub others: f64,
    /// Against itself, as seen from the body.
    pub own: f64,
}

/// What may meet during the step.
#[derive(Clone, Debug, Default)]
pub struct SweptCandidates {
    /// By [`List`].
    pub lists: [FeaturePairs; 3],
    /// By slot.
    pub margin: Vec<Margin>,
    /// Where surface vertices are guessed to end in truth (m), see [`Margin`]; empty where nothing is guessed.
    pub guess: Vec<DVec3>,
    /// How vertices go between the ends of the step; margins hold how far that is from straight.
    pub ways: Ways,
    /// Vertices that are below a plane at the start or at the predicted end of the step, or may be on the way.
    pub planes: Candidates,
}

/// Faces of all surfaces, numbered through; written when a surface is new or was cut.
#[derive(Clone, Debug, Default)]
pub struct Faces {
    /// Corners, as surface vertices.
    pub corners: Vec<[u32; 3]>,
    /// Face across the side from corner i to corner i + 1; `u32::MAX` where there is none.
    pub across: Vec<[u32; 3]>,
    /// Faces at each edge of a surface with a front; `u32::MAX` for edges of sheets and where there is none. Segments of cables have no place here.
    pub edge_faces: Vec<[u32; 2]>,
    /// Ends of each edge, as surface vertices; behind those of all surfaces the segments of cables, where they are asked for.
    pub edges: Vec<[u32; 2]>,
    /// A third of the rest area of the faces at each edge (m²); segments have none.
    pub edge_area: Vec<f64>,
    /// The edges at each surface vertex, ascending.
    pub edges_at: Around,
}

impl Faces {
    /// The edge is a segment of a cable.
    #[must_use]
    pub fn is_segment(&self, edge: u32) -> bool {
        edge as usize >= self.edge_faces.len()
    }

    /// Writes which edges are at which of this many vertices.
    pub fn gather_edges(&mut self, vertices: usize) {
        let edges = &self.edges;
        self.edges_at.set(vertices, || (0..).zip(edges).flat_map(|(e, &[a, b])| [(a, e), (b, e)]));
    }
}

/// The two edges of a key of [`crate::edge_edge_key`].
#[must_use]
pub fn edges_of(key: u64) -> (u32, u32) {
    ((key >> 32) as u32 & (u32::MAX >> 1), key as u32)
}

/// Contacts that are open between two steps, by [`List`].
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Tracked(pub [tracked::Tracked; 3]);

/// [`Tracked`] with every traced point moved to where it is when the step begins.
#[derive(Clone, Debug, Default)]
pub struct Followed(pub [tracked::Tracked; 3]);

/// Those of the step in progress; they replace [`Tracked`] when the step is accepted.
#[derive(Clone, Debug, Default)]
pub struct TrackedNext(pub [tracked::Tracked; 3]);

impl Tracked {
    /// Number of open contacts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.iter().map(tracked::Tracked::len).sum()
    }

    /// `true` with no open contact.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds every contact to a hash.
    pub fn hash_into(&self, h: &mut StateHash) {
        for t in &self.0 {
            for i in 0..t.len() {
                h.word(t.key[i]);
                t.stencil[i].iter().for_each(|v| h.word(u64::from(*v)));
                h.word(t.side[i] as u64);
                t.weight[i].iter().for_each(|w| h.number(*w));
                h.number(t.stiffness[i]);
                h.number(t.share[i]);
                h.word(u64::from(t.fading[i]));
                h.number(t.height[i]);
                h.number(t.band[i]);
                h.vector(t.anchor[i]);
                h.word(t.grip[i] as u64);
            }
        }
    }

    /// Refuses rows that are not finite, not in order, or not about features of this world that may touch.
    ///
    /// # Errors
    /// What is wrong, as a sentence.
    pub fn check(&self, map: &SurfaceMap, shapes: &Shapes, laws: &Laws) -> Result<(), String> {
        let [faces, edges] = counts(shapes);
        for t in &self.0 {
            let finite = |i: usize| {
                let numbers = [t.stiffness[i], t.share[i], t.height[i], t.band[i]];
                t.weight[i].iter().chain(&numbers).all(|x| x.is_finite()) && is_finite(t.anchor[i])
            };
            let ours = |i: usize| {
                let s = t.stencil[i];
                if s.iter().any(|v| *v as usize >= map.vertices()) {
                    return false;
                }
                let body = s.map(|v| map.body_of(v));
                let (named, of_first) = match impinge_contact::vertex_and_face(t.key[i]) {
                    Some((v, f)) => (v == s[0] && f < faces, body[1] == body[2]),
                    None => {
                        let (e, f) = edges_of(t.key[i]);
                        (e < edges && f < edges, body[0] == body[1])
                    }
                };
                named && of_first && body[2] == body[3]
            };
            let in_order = |i: usize| i == 0 || t.key[i - 1] < t.key[i];
            if let Some(i) = (0..t.len()).find(|&i| !(finite(i) && in_order(i) && ours(i))) {
                return Err(format!("the snapshot's tracked contact {i} is not one of this world"));
            }
            for s in &t.stencil {
                let (a, b) = (map.body_of(s[0]), map.body_of(s[3]));
                if laws.of(a.min(b), a.max(b)).is_none() {
                    return Err(format!(
                        "the snapshot has an open contact between bodies {a} and {b}, which a rule of this world keeps apart; \
                         restore it into the scene it was taken from"
                    ));
                }
            }
        }
        Ok(())
    }
}

/// How many faces, and edges and segments, there are in all.
fn counts(shapes: &Shapes) -> [u32; 2] {
    let of = |s: &Shape| match (s.surface(), s) {
        (Some((mesh, topology)), _) => [mesh.triangles().len() as u32, topology.edges().len() as u32],
        (None, Shape::Soft(s)) => [0, s.segments()],
        _ => [0; 2],
    };
    shapes.0.iter().map(of).fold([0; 2], |[f, e], [faces, edges]| [f + faces, e + edges])
}

/// Row of a body pair; pairs are ascending.
#[must_use]
pub fn pair_of(pairs: &Pairs, a: u32, b: u32) -> Option<u32> {
    // By the first slot, then by the second within its run.
    let from = pairs.a.partition_point(|&x| x < a);
    let to = from + pairs.a[from..].partition_point(|&x| x == a);
    let at = from + pairs.b[from..to].partition_point(|&x| x < b);
    (at < to && pairs.b[at] == b).then_some(at as u32)
}
