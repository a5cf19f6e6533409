//! How near to others the features of a body stand when the step begins, which is how near others may come to them past a rim.
//!
//! A box that stands a little nearer to a tile than the surfaces keep slides on over the next one, flush with it. The rim of that one asked for the whole
//! distance, which from as low as the box stood was asked for against its way: a box at 1.5 m/s was at 1.1 m/s behind the seam, with steps of
//! 0.1 ms. What has passed over the rim is as near to the next tile as it was to the first, and no more is asked for there. Where places are moved apart
//! that is as far as the first tile is to be: of four corners in line with a rim, one that lay a hair within it rose alone, and towers leant.
//!
//! That is of a rim from which the other body goes down, as what the box stands on does. A wall goes up from it.
//!
//! What stands nearer than surfaces keep, and has none or little of a flat foot, may turn on it: of two rigid bodies everything may come as near along one way
//! as the nearest there is, down to touching. (A ball laid down where it touches, a millimetre nearer than it keeps, had a foot of all that was within
//! that millimetre, as nothing of it might come nearer than it was. On a slope of ten degrees it rolled at 0.31 for 0.37 m/s until it was moved out.)

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

/// Part of the distance that surfaces keep from which on what lacks it counts as too near: less is what answers leave.
const LACKS: f64 = 1e-3;
/// The same of the ways between two bodies that are rounded.
const ALONG: f64 = 0.9;

/// What stands near.
#[derive(Default)]
pub(crate) struct Low {
    /// By vertex of what can move the distance (m) and the way from what it stands on and what is beside it, as far as noted; `INFINITY` of the rest.
    of: Vec<[(f64, DVec3); WAYS]>,
    /// Ways and distances (m) of what of two rigid bodies stands nearer than they keep; by bodies.
    between: Vec<([u32; 2], DVec3, f64)>,
}

impl Low {
    pub fn clear(&mut self) {
        self.of.clear();
        self.between.clear();
    }

    /// Gap at the start (m) that a contact is taken for: of two rigid bodies that of all of theirs along its way which is nearest.
    fn start(&self, r: &Row) -> f64 {
        let from = self.between.partition_point(|b| b.0 < r.bodies);
        let of_pair = self.between[from..].iter().take_while(|b| b.0 == r.bodies);
        let along = of_pair.filter(|b| b.1.dot(r.normal) > ALONG);
        let low = along.map(|b| b.2).fold(r.start, f64::min).max(0.0);
        // A flat foot stays one, whatever rounding makes of its corners.
        if low < r.start - LACKS * r.keeps { low } else { r.start }
    }

    /// Notes what stands on faces and on edges. At the rim of a face, the next one may be what it stands on.
    pub fn note(&mut self, program: &Program<'_>, scene: &Scene<'_>, rows: &[Row]) {
        let Scene { map, dofs, .. } = *scene;
        let rigid = |b: u32| !map.attachment(b as usize).has_nodes();
        let near =
            rows.iter().filter(|r| r.start < r.keeps * (1.0 - LACKS) && r.bodies.into_iter().all(rigid));
        self.between.extend(near.map(|r| (r.bodies, r.normal, r.start)));
        self.between.sort_by_key(|b| b.0);
        for r in rows.iter().filter(|r| r.start < r.keeps && !at_a_rim(r)) {
            let first = if r.order == List::Edges as u8 { 2 } else { 1 };
            for k in (0..r.points()).filter(|&k| r.weight[k] != 0.0) {
                let v = r.stencil[k];
                if dofs.bodies.kind[map.body_of(v) as usize].is_dynamic() {
                    let goal = program.goal(r, self.start(r)).max(0.0);
                    self.of.resize(map.vertices(), [(f64::INFINITY, DVec3::zero()); WAYS]);
                    keep(&mut self.of[v as usize], goal, if k < first { r.normal } else { -r.normal });
                }
            }
        }
    }

    /// Distance that a contact is to have (m), with surface vertices at `x` (m) when the step begins.
    pub fn goal(&self, program: &Program<'_>, r: &Row, scene: &Scene<'_>, x: &[DVec3]) -> f64 {
        let goal = program.goal(r, self.start(r));
        if self.of.is_empty() || r.order != List::Solid as u8 || !at_a_rim(r) {
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
                self.of[r.stencil[k] as usize].iter().filter(|(low, way)| *low < goal && goes_down(*way));
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
