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
use crate::swept::FeaturePairs;
use impinge_contact::{Pairs, Sides};

/// Part of a per-area law that one contact of this pair carries: half where the vertices of both bodies are tested. Edges carry
/// as much as the vertices of one body: they take over where those find nothing.
fn part(pairs: &Pairs, pair: u32) -> f64 {
    if pairs.sides[pair as usize] == Sides::Both { 0.5 } else { 1.0 }
}

/// Stiffness of each candidate (N/m).
fn stiffness(laws: &Laws, pairs: &Pairs, c: &FeaturePairs, out: &mut Vec<f64>) {
    let of = |i: usize| {
        let law = &laws.laws[pairs.law[c.pair[i] as usize] as usize];
        law.point_stiffness(c.area[i], part(pairs, c.pair[i])).0
    };
    out.clear();
    out.extend((0..c.len()).map(of));
}
