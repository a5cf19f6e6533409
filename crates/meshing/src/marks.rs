//! The faults as points to draw.

use crate::health::Health;
use impinge_geometry::DVec3;

/// What is wrong at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FaultKind {
    /// An edge with one face: the rim of a hole.
    BoundaryEdge,
    /// An edge with three or more faces.
    NonManifoldEdge,
    /// An edge whose two faces disagree which side is out.
    MisorientedEdge,
    /// A vertex where several fans of faces touch in one point.
    PinchedVertex,
    /// A vertex that stands where another one stands, or nearly.
    DuplicateVertex,
    /// A face without area.
    DegenerateFace,
    /// A face that is there twice.
    DuplicateFace,
    /// A face back to back on another one.
    MirroredFace,
    /// Two faces that cross.
    SelfIntersection,
}

impl FaultKind {
    /// Every kind, in the order of a report.
    pub const ALL: [Self; 9] = [
        Self::BoundaryEdge,
        Self::NonManifoldEdge,
        Self::MisorientedEdge,
        Self::PinchedVertex,
        Self::DuplicateVertex,
        Self::DegenerateFace,
        Self::DuplicateFace,
        Self::MirroredFace,
        Self::SelfIntersection,
    ];

    /// A name for a legend.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::BoundaryEdge => "boundary edge",
            Self::NonManifoldEdge => "non-manifold edge",
            Self::MisorientedEdge => "misoriented edge",
            Self::PinchedVertex => "pinched vertex",
            Self::DuplicateVertex => "duplicate vertex",
            Self::DegenerateFace => "face without area",
            Self::DuplicateFace => "duplicate face",
            Self::MirroredFace => "faces back to back",
            Self::SelfIntersection => "self-intersection",
        }
    }
}

/// One fault at one place.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FaultMark {
    /// What is wrong.
    pub kind: FaultKind,
    /// Where (m): the vertex, the middle of the edge or face, or between two crossing faces.
    pub position: DVec3,
    /// The faces it is about, lowest first; to be drawn in the colour of the fault.
    pub faces: Vec<u32>,
}

/// A kind of fault with the place and the faces of each one.
type Listed<'a> = (FaultKind, &'a [DVec3], &'a [Vec<u32>]);

/// Every fault of a report with its place, kind by kind in the order of [`FaultKind::ALL`], each in the order of the
/// report. An unreferenced vertex is on no face and is left out.
#[must_use]
pub fn fault_marks(health: &Health) -> Vec<FaultMark> {
    let p = &health.places;
    let alone = |faces: &[u32]| -> Vec<Vec<u32>> { faces.iter().map(|&f| vec![f]).collect() };
    let (degenerate, duplicate) = (alone(&health.degenerate_faces), alone(&health.duplicate_faces));
    let mirrored = alone(&health.mirrored_faces);
    let lists: [Listed<'_>; 8] = [
        (FaultKind::BoundaryEdge, &p.boundary_edges, &p.boundary_faces),
        (FaultKind::NonManifoldEdge, &p.non_manifold_edges, &p.non_manifold_faces),
        (FaultKind::MisorientedEdge, &p.misoriented_edges, &p.misoriented_faces),
        (FaultKind::PinchedVertex, &p.pinched_vertices, &p.pinched_faces),
        (FaultKind::DuplicateVertex, &p.near_duplicate_vertices, &p.near_duplicate_faces),
        (FaultKind::DegenerateFace, &p.degenerate_faces, &degenerate),
        (FaultKind::DuplicateFace, &p.duplicate_faces, &duplicate),
        (FaultKind::MirroredFace, &p.mirrored_faces, &mirrored),
    ];
    let mut marks: Vec<FaultMark> = lists
        .into_iter()
        .flat_map(|(kind, positions, faces)| {
            positions.iter().zip(faces).map(move |(&position, faces)| FaultMark {
                kind,
                position,
                faces: faces.clone(),
            })
        })
        .collect();
    marks.extend(health.self_intersections.iter().map(|c| FaultMark {
        kind: FaultKind::SelfIntersection,
        position: c.position,
        faces: c.faces.to_vec(),
    }));
    marks
}
