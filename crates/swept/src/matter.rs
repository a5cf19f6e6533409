//! What contacts take from the bodies they are between: area, stiffness, which side is outside.

use super::edges::meets_outside_at;
use super::tables::{Faces, List, edges_of};
use impinge_bodies::{Laws, Shapes, opposes};
use impinge_ccd::Candidates;
use impinge_contact::{Sides, Stiffness, SurfaceMap};
use impinge_geometry::DVec3;

/// Part of a per-area law that one contact of this pair carries: half where the vertices of both bodies are tested. Edges carry
/// as much as the vertices of one body: they take over where those find nothing.
pub fn part(sides: Sides) -> f64 {
    if sides == Sides::Both { 0.5 } else { 1.0 }
}

/// What contacts take from the bodies they are between.
#[derive(Clone, Copy)]
pub struct Matter<'a> {
    /// Which surface vertices belong to which body.
    pub map: &'a SurfaceMap,
    /// Shapes by slot.
    pub shapes: &'a Shapes,
    /// Laws of pairs.
    pub laws: &'a Laws,
    /// Faces and edges of all surfaces.
    pub faces: &'a Faces,
}

impl Matter<'_> {
    /// Area that a contact stands for (m²): that of its vertex; of two edges a third of the faces at the one that has less, whichever is
    /// the first: the finer mesh makes the contacts.
    pub fn area(&self, list: List, vertex: u32, key: u64) -> f64 {
        match list {
            List::Edges => {
                let of = |edge: u32| self.faces.edge_area.get(edge as usize).copied().unwrap_or_default();
                let (first, second) = edges_of(key);
                of(first).min(of(second))
            }
            List::Solid | List::Sheet => self.shapes.vertex_area(self.map, vertex),
        }
    }

    /// Stiffness (N/m); `None` for bodies that a rule keeps apart.
    pub fn stiffness(&self, list: List, stencil: [u32; 4], key: u64) -> Option<f64> {
        let (a, b) = (self.map.body_of(stencil[0]), self.map.body_of(stencil[3]));
        let (law, sides) = self.laws.of(a.min(b), a.max(b))?;
        let area = self.area(list, stencil[0], key);
        Some(self.laws.laws[law as usize].point_stiffness(area, part(sides)).0)
    }

    /// Whether the law of these bodies gives each contact a stiffness of its own, whatever area it stands for.
    pub fn counts_contacts(&self, stencil: [u32; 4]) -> bool {
        let (a, b) = (self.map.body_of(stencil[0]), self.map.body_of(stencil[3]));
        let law = self.laws.of(a.min(b), a.max(b)).map(|(law, _)| &self.laws.laws[law as usize]);
        law.is_some_and(|l| matches!(l.stiffness, Stiffness::PerContact(_)))
    }

    /// Whether features of `key` that meet with normal `n`, to the free side of the first, meet from outside, with surface vertices at `x`.
    ///
    /// Two edges of solids touch where the normal leaves both bodies: from inside they are no contact (ERRATA C10 vii; a body
    /// that lifts off would be held back by every edge it slid under), and across a flat or a hollow edge there is no direction out
    /// but the faces' own, which the vertices find. A vertex touches a face that its own surface looks at. Without this the edges
    /// and the vertices inside a flat floor catch what slides over it.
    pub fn meets_outside(&self, list: List, x: &[DVec3], key: u64, stencil: [u32; 4], n: DVec3) -> bool {
        self.meets_outside_at(list, |v| x[v as usize], key, stencil, n)
    }

    /// [`Matter::meets_outside`] with surface vertices at `at` (m).
    pub fn meets_outside_at(
        &self,
        list: List,
        at: impl Fn(u32) -> DVec3,
        key: u64,
        stencil: [u32; 4],
        n: DVec3,
    ) -> bool {
        match list {
            List::Edges => meets_outside_at(self.faces, &at, key, stencil, n),
            List::Solid | List::Sheet => opposes(self.shapes, self.map, at, stencil[0], n),
        }
    }

    /// Name and stiffness of a candidate.
    pub fn named(
        &self,
        list: List,
        features: (u32, u32),
        candidates: &Candidates<'_>,
        i: usize,
    ) -> (u64, f64) {
        let key = list.key(features);
        let stiffness = candidates.stencil(i).and_then(|s| self.stiffness(list, s, key));
        (key, stiffness.unwrap_or_default())
    }
}
