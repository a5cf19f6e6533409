//! How near to others the features of a body stand when the step begins, which is how near others may come to them past a rim.
//!
//! A box that stands a little nearer to a tile than the surfaces keep slides on over the next one, flush with it. The rim of that one asked for the whole
//! distance, which from as low as the box stood was asked for against its way: a box at 1.5 m/s was at 1.1 m/s behind the seam, with steps of
//! 0.1 ms. What has passed over the rim is as near to the next tile as it was to the first, and no more is asked for there. Where places are moved apart
//! that is as far as the first tile is to be: of four corners in line with a rim, one that lay a hair within it rose alone, and towers leant.
//!
//! That is of a rim from which the other body goes down, as what the box stands on does. A wall goes up from it.

use super::near::ENDS;
use super::program::Program;
use super::row::Row;
use super::scene::Scene;
use impinge_bodies::CONE_SLACK;
use impinge_geometry::DVec3;
use impinge_swept::List;

/// Ways out of what a vertex stands on that are kept: a floor and walls beside it.
const WAYS: usize = 4;
/// Cosine from which on two ways are one.
const SAME: f64 = 0.99;

/// By vertex of what can move the distance (m) and the way from what it stands on and what is beside it, as far as noted; `INFINITY` of the rest.
#[derive(Default)]
pub(crate) struct Low(Vec<[(f64, DVec3); WAYS]>);

impl Low {
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Notes what stands on faces and on edges. At the rim of a face, the next one may be what it stands on.
    pub fn note(&mut self, program: &Program<'_>, scene: &Scene<'_>, rows: &[Row]) {
        let Scene { map, dofs, .. } = *scene;
        for r in rows.iter().filter(|r| r.start < r.keeps && !at_a_rim(r)) {
            let first = if r.order == List::Edges as u8 { 2 } else { 1 };
            for k in (0..r.points()).filter(|&k| r.weight[k] != 0.0) {
                let v = r.stencil[k];
                if dofs.bodies.kind[map.body_of(v) as usize].is_dynamic() {
                    self.0.resize(map.vertices(), [(f64::INFINITY, DVec3::zero()); WAYS]);
                    keep(
                        &mut self.0[v as usize],
                        program.goal(r).max(0.0),
                        if k < first { r.normal } else { -r.normal },
                    );
                }
            }
        }
    }

    /// Distance that a contact is to have (m), with surface vertices at `x` (m) when the step begins.
    pub fn goal(&self, program: &Program<'_>, r: &Row, scene: &Scene<'_>, x: &[DVec3]) -> f64 {
        let goal = program.goal(r);
        if self.0.is_empty() || r.order != List::Solid as u8 || !at_a_rim(r) {
            return goal;
        }
        let place = |v: u32| x[v as usize];
        let at = |k: usize| {
            if r.weight[k] == 0.0 {
                return goal;
            }
            let goes_down = |way: DVec3| {
                let below = |from: DVec3, to: u32| {
                    let to = place(to) - from;
                    way.dot(to) <= CONE_SLACK * to.mag()
                };
                if k == 0 {
                    let rim = (1..4).fold(DVec3::zero(), |p, i| p - place(r.stencil[i]) * r.weight[i]);
                    r.stencil[1..].iter().all(|c| below(rim, *c))
                } else {
                    let v = r.stencil[0];
                    let ends = scene.faces.edges_at.of(v).iter().flat_map(|e| scene.faces.edges[*e as usize]);
                    ends.filter(|q| *q != v).all(|q| below(place(v), q))
                }
            };
            let ways =
                self.0[r.stencil[k] as usize].iter().filter(|(low, way)| *low < goal && goes_down(*way));
            ways.map(|w| w.0).fold(goal, f64::min)
        };
        (0..r.points()).map(at).fold(goal, f64::min)
    }
}

/// Notes a distance along a way: the least of each way, and of more ways than there is room for the nearest.
fn keep(ways: &mut [(f64, DVec3); WAYS], low: f64, way: DVec3) {
    let same = ways.iter().position(|w| w.0 < f64::INFINITY && w.1.dot(way) > SAME);
    let at =
        same.unwrap_or_else(|| (1..WAYS).fold(0, |most, i| if ways[i].0 > ways[most].0 { i } else { most }));
    if low < ways[at].0 {
        ways[at] = (low, way);
    }
}

/// A vertex whose nearest point of a face is on the rim.
fn at_a_rim(r: &Row) -> bool {
    let faces = [List::Solid as u8, List::Sheet as u8];
    faces.contains(&r.order) && r.weight[1..].iter().any(|w| w.abs() <= ENDS)
}
