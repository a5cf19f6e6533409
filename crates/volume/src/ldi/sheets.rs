//! A body that overlaps itself: its rays' intervals sorted into contacts, and each contact's surface into two sheets.
//!
//! Seed 002 finds self-intersections where a ray has entered a body twice, and pushes every surface point against its normal. That is all a
//! penalty needs. A frame of contact needs to know which part of the surface stands against which, and which overlaps have
//! nothing to do with each other. Both come from the rays and the mesh:
//!
//! 1. Intervals that end in one voxel of the lattice, or in neighbouring ones, are one *place*.
//! 2. The vertices that a place's rays met, or that lie in the voxels of its ends or next to them, are joined along the edges of the mesh: *pieces* of
//!    surface. Two arms that overlap are far from each other along the surface, so they are two pieces.
//! 3. Pieces at the two ends of an interval stand against each other: a *contact*, with a sheet on each side. Where one piece closes on
//!    itself (a fold sharper than shut) the sheets are told apart by the direction of their push.

use super::intervals::Interval;
use super::lattice::Lattice;
use super::members::Members;
use super::places::Places;
use super::sample::Sample;
use crate::closed::Body;
use crate::joined::Joined;
use impinge_geometry::DVec3;

/// An interval of a ray that is to find its place: inside a body at least twice, or inside two.
#[derive(Clone, Copy, Debug)]
pub struct OwnInterval {
    pub axis: u8,
    /// Along the two axes that follow.
    pub pixel: [u32; 2],
    pub lower: Sample,
    pub upper: Sample,
}

impl OwnInterval {
    /// One along an axis, of a band of so many columns that begins with this row.
    #[must_use]
    pub fn of(axis: usize, columns: usize, first_row: usize, i: &Interval) -> Self {
        let (column, row) = (i.pixel as usize % columns, first_row + i.pixel as usize / columns);
        Self { axis: axis as u8, pixel: [column as u32, row as u32], lower: i.lower, upper: i.upper }
    }
}

/// The contacts of a body with itself.
#[derive(Clone, Debug, Default)]
pub struct Sheets {
    /// By interval: its contact.
    pub contact: Vec<u32>,
    /// By contact: the lowest vertex that a ray met there.
    pub name: Vec<u32>,
    /// By contact: the direction that tells its sheets apart, for one that is a single piece.
    folded: Vec<Option<DVec3>>,
    /// Vertices of each place that are on its pieces, ascending.
    active: Members,
    piece: Vec<u32>,
    /// By interval: of its lower and upper end.
    side: Vec<[bool; 2]>,
    /// Triangles that rays met.
    met: Members,
    /// By interval: what its lower and upper end met.
    ends: Vec<[u32; 2]>,
    places: Places,
    /// ∂V/∂p (m²) by active vertex, for contacts that are folds.
    push: Vec<DVec3>,
    sets: Joined,
}

impl Sheets {
    /// Sorts intervals into contacts and surfaces into sheets. `triangle` of a sample are those of `body`.
    pub fn settle(&mut self, body: Body<'_>, lattice: &Lattice, intervals: &[OwnInterval]) {
        self.places.settle(lattice, intervals);
        self.reach(body, lattice, intervals);
        self.pieces(body);
        self.contacts(body, intervals);
    }

    /// The side of a vertex of the triangle at an end of an interval (0 lower, 1 upper).
    #[must_use]
    pub fn side(&self, interval: usize, end: usize, vertex: u32) -> usize {
        match self.folded[self.contact[interval] as usize] {
            Some(n) => {
                let at = self.active.at(self.places.place[interval], vertex);
                at.map_or(0, |at| usize::from(self.push[at].dot(n) > 0.0))
            }
            None => usize::from(self.side[interval][end]),
        }
    }

    /// The side of an end of an interval (0 lower, 1 upper); `None` in a contact whose sheets are told apart vertex by vertex.
    #[must_use]
    pub fn side_of_end(&self, interval: usize, end: usize) -> Option<usize> {
        let whole = self.folded[self.contact[interval] as usize].is_none();
        whole.then(|| usize::from(self.side[interval][end]))
    }

    /// Vertices met by rays, and those in a place's voxels or next to them.
    fn reach(&mut self, body: Body<'_>, lattice: &Lattice, intervals: &[OwnInterval]) {
        self.met.clear(body.surface.triangles().len());
        self.ends.clear();
        // What the ray before met, lower and upper: it may be the same.
        let mut last = [(u32::MAX, u32::MAX, 0); 2];
        for (o, &place) in intervals.iter().zip(&self.places.place) {
            for (s, last) in [o.lower, o.upper].iter().zip(&mut last) {
                if (last.0, last.1) != (place, s.triangle()) {
                    *last = (place, s.triangle(), self.met.insert(place, s.triangle()) as u32);
                }
            }
            self.ends.push(last.map(|l| l.2));
        }
        self.active.clear(body.x.len());
        for &(place, t) in self.met.list() {
            for v in body.surface.triangles()[t as usize] {
                self.active.insert(place, v);
            }
        }
        let bounds = self.places.bounds(lattice);
        for (v, &p) in body.x.iter().enumerate().filter(|(_, p)| bounds.contains(**p)) {
            if self.places.only_one && self.active.is_any(v as u32) {
                continue;
            }
            if let Some(place) = self.places.near(lattice, p) {
                self.active.insert(place, v as u32);
            }
        }
        self.active.sort();
    }

    /// Joins vertices along edges and across the triangles that rays met.
    fn pieces(&mut self, body: Body<'_>) {
        let (active, sets) = (&self.active, &mut self.sets);
        sets.start(active.list().len());
        for (i, &(place, v)) in active.list().iter().enumerate() {
            for &e in body.surface.edges_of(v) {
                let [a, b] = body.surface.edges()[e as usize];
                let other = if a == v { b } else { a };
                if let Some(j) = active.at(place, other).filter(|_| other > v) {
                    sets.join(i as u32, j as u32, false);
                }
            }
        }
        for &(place, t) in self.met.list() {
            let corners = body.surface.triangles()[t as usize];
            let at = corners.map(|v| active.at(place, v).unwrap_or(0) as u32);
            sets.join(at[0], at[1], false);
            sets.join(at[1], at[2], false);
        }
        self.piece.clear();
        self.piece.extend((0..active.list().len() as u32).map(|i| sets.find(i).0));
    }

    /// Pieces at the ends of one interval stand against each other; those seen so by most rays decide first.
    fn contacts(&mut self, body: Body<'_>, intervals: &[OwnInterval]) {
        // The piece and the lowest vertex of each triangle met.
        let of = |&(place, t): &(u32, u32)| {
            let corners = body.surface.triangles()[t as usize];
            let lowest = corners[0].min(corners[1]).min(corners[2]);
            (self.piece[self.active.at(place, corners[0]).unwrap_or(0)], lowest)
        };
        let met: Vec<(u32, u32)> = self.met.list().iter().map(of).collect();
        // Neighbours mostly see the same: how many one after the other.
        let mut runs: Vec<([u32; 2], u32)> = Vec::new();
        for e in &self.ends {
            let ends = e.map(|m| met[m as usize].0);
            match runs.last_mut() {
                Some((last, n)) if *last == ends => *n += 1,
                _ => runs.push((ends, 1)),
            }
        }
        let mut facing: Vec<([u32; 2], u32)> = (runs.iter())
            .filter(|([a, b], _)| a != b)
            .map(|&([a, b], n)| ([a.min(b), a.max(b)], n))
            .collect();
        facing.sort_unstable();
        let mut links: Vec<(u32, [u32; 2])> = Vec::new();
        for same in facing.chunk_by(|a, b| a.0 == b.0) {
            links.push((same.iter().map(|f| f.1).sum(), same[0].0));
        }
        links.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        let sets = &mut self.sets;
        sets.start(self.active.list().len());
        for (_, [a, b]) in links {
            // One that contradicts what more rays saw is left out: its push is within one sheet.
            let _ = sets.join(a, b, true);
        }
        let mut known: Vec<u32> = runs.iter().map(|r| sets.find(r.0[0]).0).collect();
        known.sort_unstable();
        known.dedup();
        self.contact.clear();
        self.side.clear();
        // Which contacts show both sides, and their lowest vertices.
        let mut seen = vec![[false; 2]; known.len()];
        self.name.clear();
        self.name.resize(known.len(), u32::MAX);
        for (ends, n) in runs {
            let root = sets.find(ends[0]).0;
            let (c, side) = (known.partition_point(|&k| k < root), ends.map(|p| sets.find(p).1));
            for side in side {
                seen[c][usize::from(side)] = true;
            }
            for _ in 0..n {
                let lowest = self.ends[self.contact.len()].map(|m| met[m as usize].1);
                self.name[c] = self.name[c].min(lowest[0]).min(lowest[1]);
                self.contact.push(c as u32);
                self.side.push(side);
            }
        }
        self.folded.clear();
        self.folded.resize(known.len(), None);
        self.push.clear();
        if seen.iter().all(|s| *s == [true; 2]) {
            return;
        }
        self.push.resize(self.active.list().len(), DVec3::zero());
        for (o, &place) in intervals.iter().zip(&self.places.place) {
            for (s, sign) in [(o.upper, 1.0), (o.lower, -1.0)] {
                for v in body.surface.triangles()[s.triangle() as usize] {
                    if let Some(at) = self.active.at(place, v) {
                        self.push[at][usize::from(o.axis)] += sign;
                    }
                }
            }
        }
        for c in (0..known.len()).filter(|&c| seen[c] != [true; 2]) {
            let of = |at: &usize| sets.find(self.piece[*at]).0 == known[c];
            let pushes: Vec<DVec3> = (0..self.piece.len()).filter(of).map(|at| self.push[at]).collect();
            self.folded[c] = Some(axis_of(&pushes));
        }
    }
}

/// The line along which pushes are largest: the principal axis of Σ g gᵀ / |g|, by power iteration from the largest.
fn axis_of(pushes: &[DVec3]) -> DVec3 {
    let largest = pushes.iter().fold(DVec3::zero(), |m, &g| if g.mag_sq() > m.mag_sq() { g } else { m });
    let mut n = largest;
    for _ in 0..40 {
        let next = pushes
            .iter()
            .filter(|g| g.mag_sq() > 0.0)
            .fold(DVec3::zero(), |s, &g| s + g * (g.dot(n) / g.mag()));
        let size = next.mag();
        if !(size > 0.0) {
            break;
        }
        n = next / size;
    }
    n
}
