//! The parts of triangles that are inside of the other body, by the place that they belong to.

use super::chain::Chain;
use super::cross::Segment;
use super::moments::Moments;
use super::places::{NONE, Places};
use super::{Active, CORNERS, Hit};
use crate::joined::Joined;
use impinge_geometry::DVec3;
use std::ops::Range;

/// What of a triangle belongs to one place.
#[derive(Clone, Debug)]
pub struct Region {
    /// The active triangle.
    pub face: u32,
    pub place: u32,
    /// Its segments, in the list of [`Regions`].
    hits: Range<usize>,
    /// How often each corner is inside of the other body; 0 where the corner is in another place.
    inside: [i32; 3],
}

/// The regions of one body's triangles, by triangle.
#[derive(Clone, Debug, Default)]
pub struct Regions {
    pub list: Vec<Region>,
    /// (triangle, place, segment).
    hits: Vec<(u32, u32, u32)>,
}

impl Regions {
    /// Those of body `side`; all of one place where none are told apart.
    pub fn fill(&mut self, side: usize, hits: &[Hit], active: &Active, places: Option<&Places>) {
        let face_of = |h: &Hit| if side == 0 { h.a } else { h.b };
        let of_hit = |i: usize| places.map_or(0, |p| p.of_hit[i]);
        self.hits.clear();
        self.hits.extend(hits.iter().enumerate().map(|(i, h)| (face_of(h), of_hit(i), i as u32)));
        self.hits.sort_unstable();
        self.list.clear();
        let mut next = 0;
        for (i, face) in active.face.iter().enumerate() {
            let from = next;
            next += self.hits[from..].partition_point(|h| h.0 as usize <= i);
            let inside = face.vertices.map(|v| active.windings.of(v));
            if from == next && inside == [0; 3] {
                continue;
            }
            let corner = [0, 1, 2].map(|k| match (inside[k], places) {
                (0, _) => NONE,
                (_, Some(p)) => p.of_vertex(side, face.vertices[k]),
                (_, None) => 0,
            });
            let region = |place: u32, hits: Range<usize>| {
                let inside = [0, 1, 2].map(|k| if corner[k] == place { inside[k] } else { 0 });
                Region { face: i as u32, place, hits, inside }
            };
            let (first, mut end) = (self.list.len(), from);
            for same in self.hits[from..next].chunk_by(|p, q| p.1 == q.1) {
                self.list.push(region(same[0].1, end..end + same.len()));
                end += same.len();
            }
            for place in corner.into_iter().filter(|&p| p != NONE) {
                if self.list[first..].iter().all(|r| r.place != place) {
                    self.list.push(region(place, end..end));
                }
            }
        }
    }

    fn segments<'a>(&'a self, region: &Region, hits: &'a [Hit]) -> impl Iterator<Item = &'a Segment> {
        self.hits[region.hits.clone()].iter().map(|h| &hits[h.2 as usize].segment)
    }

    /// Moments of a region of body `side`, about corner 0.
    #[must_use]
    pub fn moments(&self, side: usize, region: &Region, hits: &[Hit]) -> Moments {
        let mut m = Moments::default();
        self.segments(region, hits).for_each(|s| m.add_segment(side, s));
        m.add_side_12(f64::from(region.inside[1]));
        m
    }

    /// Adds what is around a region of body `side` to `chain`.
    pub fn around(&self, side: usize, region: &Region, hits: &[Hit], chain: &mut Chain) {
        for s in self.segments(region, hits) {
            let [start, end] = s.directed(side);
            chain.add(start.seen(side), end.seen(side), 1.0);
            for e in s.on_own_edges(side) {
                chain.add(e.seen(side), CORNERS[(usize::from(e.side) + 1) % 3], f64::from(e.sign));
            }
        }
        for k in 0..3 {
            chain.add(CORNERS[k], CORNERS[(k + 1) % 3], f64::from(region.inside[k]));
        }
    }

    /// A point on a segment around a region of body `side`; `None` where it has none.
    fn on_it(&self, side: usize, region: &Region, hits: &[Hit]) -> Option<[f64; 2]> {
        let s = self.segments(region, hits).next()?;
        let ends = [&s.start, &s.end].map(|e| e.seen(side));
        Some([0, 1].map(|k| 0.5 * (ends[0][k] + ends[1][k])))
    }

    /// The place of a point of an active triangle, by the weights of its corners 1 and 2.
    #[must_use]
    pub fn place_at(&self, side: usize, face: u32, at: [f64; 2], hits: &[Hit]) -> Option<u32> {
        let first = self.list.partition_point(|r| r.face < face);
        let own = &self.list[first..first + self.list[first..].partition_point(|r| r.face == face)];
        match own {
            [] => None,
            [only] => Some(only.place),
            _ => {
                let mut chain = Chain::default();
                let around = own.iter().find(|r| {
                    chain.clear();
                    self.around(side, r, hits, &mut chain);
                    chain.winding(at) > 0.5
                });
                around.map(|r| r.place)
            }
        }
    }
}

/// Joins places that are not apart: a hole in a triangle with the region that is around it, and what has no volume of its own (a hollow, or next to
/// nothing) with the largest. Gives regions their final places, numbered as they come, and returns how many there are.
pub fn unite(
    places: usize,
    regions: &mut [Regions; 2],
    active: [&Active; 2],
    moments: &[Vec<Moments>; 2],
    hits: &[Hit],
    centre: DVec3,
) -> usize {
    let mut sets = Joined::default();
    sets.start(places);
    let mut chain = Chain::default();
    for (side, (regions, moments)) in regions.iter().zip(moments).enumerate() {
        let mut from = 0;
        for own in regions.list.chunk_by(|p, q| p.face == q.face) {
            let area = &moments[from..from + own.len()];
            from += own.len();
            for hole in (0..own.len()).filter(|&i| area[i].area < 0.0) {
                let Some(at) = regions.on_it(side, &own[hole], hits) else { continue };
                for around in own.iter().filter(|r| r.place != own[hole].place) {
                    chain.clear();
                    regions.around(side, around, hits, &mut chain);
                    if chain.winding(at) > 0.5 {
                        sets.join(own[hole].place, around.place, false);
                    }
                }
            }
        }
    }
    let mut volume = vec![0.0; places];
    for side in 0..2 {
        for (r, m) in regions[side].list.iter().zip(&moments[side]) {
            let plane = &active[side].face[r.face as usize].plane;
            volume[sets.find(r.place).0 as usize] += plane.normal.dot(plane.corners[0] - centre) * m.area;
        }
    }
    let largest = (0..places).fold(0, |l, p| if volume[p] > volume[l] { p } else { l });
    for p in (0..places as u32).filter(|&p| !(volume[p as usize] > 0.0)) {
        if sets.find(p).0 == p {
            sets.join(p, largest as u32, false);
        }
    }
    let (mut number, mut count) = (vec![NONE; places], 0);
    for r in regions.iter_mut().flat_map(|r| &mut r.list) {
        let number = &mut number[sets.find(r.place).0 as usize];
        if *number == NONE {
            *number = count;
            count += 1;
        }
        r.place = *number;
    }
    count as usize
}
