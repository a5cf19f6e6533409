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

use super::lattice::Lattice;
use super::sample::Sample;
use crate::closed::{Body, Bounds, along};
use impinge_geometry::DVec3;

/// An interval of a ray inside the body at least twice.
#[derive(Clone, Copy, Debug)]
pub struct OwnInterval {
    pub axis: u8,
    /// Along the two axes that follow.
    pub pixel: [u32; 2],
    pub lower: Sample,
    pub upper: Sample,
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
    /// (place, vertex), ascending.
    active: Vec<(u32, u32)>,
    piece: Vec<u32>,
    /// By interval: of its lower and upper end.
    side: Vec<[bool; 2]>,
    /// (place, triangle) that rays met, ascending.
    met: Vec<(u32, u32)>,
    /// By interval.
    place: Vec<u32>,
    voxels: Vec<(u64, u32)>,
    /// ∂V/∂p (m²) by active vertex, for contacts that are folds.
    push: Vec<DVec3>,
}

/// Sets that remember on which side of their root each member is.
#[derive(Clone, Debug, Default)]
struct Joined {
    root: Vec<u32>,
    flipped: Vec<bool>,
}

impl Joined {
    fn new(n: usize) -> Self {
        Self { root: (0..n as u32).collect(), flipped: vec![false; n] }
    }

    /// Root, and whether the member is on its other side.
    fn find(&mut self, mut i: u32) -> (u32, bool) {
        let mut flipped = false;
        while self.root[i as usize] != i {
            let up = self.root[i as usize];
            // Halve the way, keeping the sides.
            let over = self.root[up as usize];
            if over != up {
                self.flipped[i as usize] ^= self.flipped[up as usize];
                self.root[i as usize] = over;
            }
            flipped ^= self.flipped[i as usize];
            i = self.root[i as usize];
        }
        (i, flipped)
    }

    /// Joins two members, on opposite sides or on the same; `false` where they were joined the other way round.
    fn join(&mut self, i: u32, j: u32, opposite: bool) -> bool {
        let ((a, fa), (b, fb)) = (self.find(i), self.find(j));
        if a == b {
            return (fa ^ fb) == opposite;
        }
        let (low, high) = (a.min(b), a.max(b));
        self.root[high as usize] = low;
        self.flipped[high as usize] = fa ^ fb ^ opposite;
        true
    }
}

/// Voxels along an axis that a key has room for.
const KEY: u32 = 21;

fn key(v: [i64; 3]) -> u64 {
    // One voxel of margin, so that neighbours of the first have keys too.
    v.iter().fold(0, |k, &i| k << KEY | ((i + 1).clamp(0, (1 << KEY) - 1) as u64))
}

fn voxel(lattice: &Lattice, p: DVec3) -> [i64; 3] {
    [0, 1, 2].map(|k| ((along(p, k) - along(lattice.origin, k)) / lattice.pixel).floor() as i64)
}

impl Sheets {
    /// Sorts intervals into contacts and surfaces into sheets. `triangle` of a sample are those of `body`.
    pub fn settle(&mut self, body: Body<'_>, lattice: &Lattice, intervals: &[OwnInterval]) {
        self.places(lattice, intervals);
        self.reach(body, lattice, intervals);
        self.pieces(body);
        self.contacts(body, intervals);
    }

    /// The side of a vertex of the triangle at an end of an interval (0 lower, 1 upper).
    pub fn side(&self, interval: usize, end: usize, vertex: u32) -> usize {
        match self.folded[self.contact[interval] as usize] {
            Some(n) => {
                let at = self.at(self.place[interval], vertex);
                at.map_or(0, |at| usize::from(self.push[at].dot(n) > 0.0))
            }
            None => usize::from(self.side[interval][end]),
        }
    }

    fn at(&self, place: u32, vertex: u32) -> Option<usize> {
        self.active.binary_search(&(place, vertex)).ok()
    }

    /// The voxels with an end in this one and in the two beside it in its row.
    fn near(&self, k: u64) -> &[(u64, u32)] {
        let first = self.voxels.partition_point(|v| v.0 < k.wrapping_sub(1));
        let count = self.voxels[first..].iter().take(3).take_while(|v| v.0 <= k.wrapping_add(1)).count();
        &self.voxels[first..first + count]
    }

    /// Intervals that end in one voxel, or in neighbouring ones, are one place: the ends along three axes cover the surface of a place without a
    /// gap.
    fn places(&mut self, lattice: &Lattice, intervals: &[OwnInterval]) {
        self.voxels.clear();
        for (i, o) in intervals.iter().enumerate() {
            let axis = usize::from(o.axis);
            let of = |d: f64| ((d - along(lattice.origin, axis)) / lattice.pixel).floor() as i64;
            let mut at = [0; 3];
            at[(axis + 1) % 3] = i64::from(o.pixel[0]);
            at[(axis + 2) % 3] = i64::from(o.pixel[1]);
            for end in [o.lower, o.upper] {
                at[axis] = of(end.depth);
                self.voxels.push((key(at), i as u32));
            }
        }
        self.voxels.sort_unstable();
        let mut sets = Joined::new(intervals.len());
        let mut first = 0;
        for i in 0..self.voxels.len() {
            if self.voxels[i].0 == self.voxels[first].0 {
                sets.join(self.voxels[i].1, self.voxels[first].1, false);
                continue;
            }
            first = i;
        }
        self.voxels.dedup_by_key(|v| v.0);
        for i in 0..self.voxels.len() {
            let (k, o) = self.voxels[i];
            for row in rows() {
                for &(_, other) in self.near(k.wrapping_add_signed(row)) {
                    sets.join(o, other, false);
                }
            }
        }
        self.place.clear();
        self.place.extend((0..intervals.len() as u32).map(|i| sets.find(i).0));
        self.voxels.iter_mut().for_each(|v| v.1 = self.place[v.1 as usize]);
    }

    /// Vertices met by rays, and those in a place's voxels or next to them.
    fn reach(&mut self, body: Body<'_>, lattice: &Lattice, intervals: &[OwnInterval]) {
        self.met.clear();
        for (o, &place) in intervals.iter().zip(&self.place) {
            self.met.extend([o.lower, o.upper].map(|s| (place, s.triangle())));
        }
        self.met.sort_unstable();
        self.met.dedup();
        self.active.clear();
        for &(place, t) in &self.met {
            let corners = body.surface.triangles()[t as usize];
            self.active.extend(corners.map(|v| (place, v)));
        }
        let (mut lo, mut hi) = (DVec3::broadcast(f64::INFINITY), DVec3::broadcast(f64::NEG_INFINITY));
        for o in intervals {
            let axis = usize::from(o.axis);
            for depth in [o.lower.depth, o.upper.depth] {
                let mut p = DVec3::zero();
                p[axis] = depth;
                for (k, i) in o.pixel.into_iter().enumerate() {
                    let k = (axis + 1 + k) % 3;
                    p[k] = along(lattice.origin, k) + (0.5 + f64::from(i)) * lattice.pixel;
                }
                (lo, hi) = (lo.min_by_component(p), hi.max_by_component(p));
            }
        }
        let margin = DVec3::broadcast(2.0 * lattice.pixel);
        let bounds = Bounds { lo: lo - margin, hi: hi + margin };
        for (v, &p) in body.x.iter().enumerate().filter(|(_, p)| bounds.contains(**p)) {
            let own = key(voxel(lattice, p));
            if let Some(&(_, place)) =
                rows().iter().find_map(|r| self.near(own.wrapping_add_signed(*r)).first())
            {
                self.active.push((place, v as u32));
            }
        }
        self.active.sort_unstable();
        self.active.dedup();
    }

    /// Joins vertices along edges and across the triangles that rays met.
    fn pieces(&mut self, body: Body<'_>) {
        let mut sets = Joined::new(self.active.len());
        for (i, &(place, v)) in self.active.iter().enumerate() {
            for &e in body.surface.edges_of(v) {
                let [a, b] = body.surface.edges()[e as usize];
                let other = if a == v { b } else { a };
                if let Some(j) = self.at(place, other).filter(|_| other > v) {
                    sets.join(i as u32, j as u32, false);
                }
            }
        }
        for &(place, t) in &self.met {
            let corners = body.surface.triangles()[t as usize];
            let at = corners.map(|v| self.at(place, v).unwrap_or(0) as u32);
            sets.join(at[0], at[1], false);
            sets.join(at[1], at[2], false);
        }
        self.piece.clear();
        self.piece.extend((0..self.active.len() as u32).map(|i| sets.find(i).0));
    }

    /// Pieces at the ends of one interval stand against each other; those seen so by most rays decide first.
    fn contacts(&mut self, body: Body<'_>, intervals: &[OwnInterval]) {
        // The piece and the lowest vertex of each triangle met.
        let of = |&(place, t): &(u32, u32)| {
            let corners = body.surface.triangles()[t as usize];
            let lowest = corners[0].min(corners[1]).min(corners[2]);
            (self.piece[self.at(place, corners[0]).unwrap_or(0)], lowest)
        };
        let met: Vec<(u32, u32)> = self.met.iter().map(of).collect();
        let which = |place: u32, s: &Sample| self.met.partition_point(|m| *m < (place, s.triangle()));
        let at: Vec<[usize; 2]> = (intervals.iter().zip(&self.place))
            .map(|(o, &place)| [which(place, &o.lower), which(place, &o.upper)])
            .collect();
        let ends: Vec<[u32; 2]> = at.iter().map(|at| at.map(|m| met[m].0)).collect();
        let mut facing: Vec<[u32; 2]> = ends.iter().map(|[a, b]| [*a.min(b), *a.max(b)]).collect();
        facing.sort_unstable();
        let mut links: Vec<(u32, [u32; 2])> = Vec::new();
        for f in facing.into_iter().filter(|[a, b]| a != b) {
            match links.last_mut() {
                Some((n, last)) if *last == f => *n += 1,
                _ => links.push((1, f)),
            }
        }
        links.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut sets = Joined::new(self.active.len());
        for (_, [a, b]) in links {
            // One that contradicts what more rays saw is left out: its push is within one sheet.
            let _ = sets.join(a, b, true);
        }
        let roots: Vec<u32> = ends.iter().map(|e| sets.find(e[0]).0).collect();
        let mut known = roots.clone();
        known.sort_unstable();
        known.dedup();
        self.contact.clear();
        self.contact.extend(roots.iter().map(|r| known.partition_point(|k| k < r) as u32));
        self.side.clear();
        self.side.extend(ends.iter().map(|e| e.map(|p| sets.find(p).1)));
        // Which contacts show both sides, and their lowest vertices.
        let mut seen = vec![[false; 2]; known.len()];
        self.name.clear();
        self.name.resize(known.len(), u32::MAX);
        for ((at, side), &c) in at.iter().zip(&self.side).zip(&self.contact) {
            for end in 0..2 {
                seen[c as usize][usize::from(side[end])] = true;
                let name = &mut self.name[c as usize];
                *name = met[at[end]].1.min(*name);
            }
        }
        self.folded.clear();
        self.folded.resize(known.len(), None);
        self.push.clear();
        if seen.iter().all(|s| *s == [true; 2]) {
            return;
        }
        self.push.resize(self.active.len(), DVec3::zero());
        for (o, &place) in intervals.iter().zip(&self.place) {
            for (s, sign) in [(o.upper, 1.0), (o.lower, -1.0)] {
                for v in body.surface.triangles()[s.triangle() as usize] {
                    if let Ok(at) = self.active.binary_search(&(place, v)) {
                        self.push[at][usize::from(o.axis)] += sign;
                    }
                }
            }
        }
        for c in (0..known.len()).filter(|&c| seen[c] != [true; 2]) {
            let of = |at: &usize| sets.find(self.piece[*at]).0 == known[c];
            let pushes: Vec<DVec3> = (0..self.active.len()).filter(of).map(|at| self.push[at]).collect();
            self.folded[c] = Some(axis_of(&pushes));
        }
    }
}

/// Steps from a voxel's key to the middles of the nine rows of its neighbours, its own row first.
fn rows() -> [i64; 9] {
    const ROWS: [[i64; 2]; 9] =
        [[0, 0], [-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 1], [1, -1], [1, 0], [1, 1]];
    ROWS.map(|[x, y]| ((x << KEY) + y) << KEY)
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
