//! The swept path of the step: every surface vertex moves straight from where it is to its predicted place, feature pairs that may
//! meet on the way are listed, and the response integrates over their penetration intervals. Where the impulses lead elsewhere, what
//! is in contact is found again.

mod broad;
mod edges;
mod finder;
mod follow;
mod place;
mod response;
mod retrack;
mod surfaces;

pub use broad::SweptBroad;
pub use follow::FollowTracked;
pub use place::PlaceSwept;
pub use response::CpfResponse;
pub use retrack::Retrack;

use crate::components::Laws;
use crate::shapes::Shapes;
use crate::swept::{Faces, FeaturePairs, List, edges_of};
use impinge_contact::{Pairs, Sides, SurfaceMap};

/// Part of a per-area law that one contact of this pair carries: half where the vertices of both bodies are tested. Edges carry
/// as much as the vertices of one body: they take over where those find nothing.
fn part(sides: Sides) -> f64 {
    if sides == Sides::Both { 0.5 } else { 1.0 }
}

/// Area that the first feature of an open contact stands for (m²).
fn open_area(shapes: &Shapes, map: &SurfaceMap, faces: &Faces, list: List, vertex: u32, key: u64) -> f64 {
    match list {
        List::Edges => faces.edge_area.get(edges_of(key).0 as usize).copied().unwrap_or_default(),
        List::Solid | List::Sheet => shapes.vertex_area(map, vertex),
    }
}

/// Stiffness of each candidate (N/m).
fn stiffness(laws: &Laws, pairs: &Pairs, c: &FeaturePairs, out: &mut Vec<f64>) {
    let of = |i: usize| {
        let law = &laws.laws[pairs.law[c.pair[i] as usize] as usize];
        law.point_stiffness(c.area[i], part(pairs.sides[c.pair[i] as usize])).0
    };
    out.clear();
    out.extend((0..c.len()).map(of));
}
