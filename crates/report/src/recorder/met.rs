//! What met at a contact, and what friction does there: from the simulation's words to the record's.

use crate::{Hold, Met, MetKind};
use impinge_world::{Features, Grip};

/// A row of [`crate::Frames::met`]; `turned` where the vertex or the first edge is of the pair's second body.
pub(super) fn met_name(features: Features, pair: u32, turned: bool) -> Met {
    let vertex = |v: u32| v as i32;
    let (kind, ids) = match features {
        Features::VertexFace(v, [a, b, c]) => (MetKind::VertexFace, [v, a, b, c].map(vertex)),
        Features::EdgeEdge([a, b], [c, d]) => (MetKind::EdgeEdge, [a, b, c, d].map(vertex)),
        Features::VertexPlane(v) => (MetKind::VertexPlane, [vertex(v), 0, 0, 0]),
        Features::Surface => (MetKind::Surface, [0; 4]),
        Features::Volume => (MetKind::Volume, [0; 4]),
        Features::Cell([i, j, k], part) => (MetKind::Cell, [i, j, k, part as i32]),
    };
    // Nothing of these belongs to one of the bodies.
    let turned = turned && matches!(kind, MetKind::VertexFace | MetKind::EdgeEdge | MetKind::VertexPlane);
    Met { pair, kind, turned, ids }
}

/// The record's word.
pub(super) fn hold(grip: Grip) -> Hold {
    match grip {
        Grip::Open => Hold::None,
        Grip::Sticks => Hold::Sticks,
        Grip::Slides => Hold::Slides,
        Grip::Breaks => Hold::Breaks,
        Grip::SlidesInPart => Hold::SlidesInPart,
        Grip::Creeps => Hold::Creeps,
        Grip::Parted => Hold::Parted,
        Grip::OtherCone => Hold::OtherCone,
    }
}
