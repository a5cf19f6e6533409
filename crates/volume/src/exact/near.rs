//! The part of two surfaces that can bound their intersection, found by boxes around clusters of triangles.
//!
//! A cluster whose box meets no box of the other surface does not cross it, and the winding number of the other body is the same all over that box. So
//! it is for all clusters that hang together by vertices; where one of them is outside of the other body's box, all are outside and say nothing. What is
//! left meets the other body or is inside of it, and its box is around all of the intersection's surface. Two fine bodies that touch at one place
//! cost what is there.
//!
//! Of a surface without clusters each triangle is one, and all are kept. Its part of the intersection's surface reaches no farther than where it crosses the
//! other, and its vertices inside of that.

use super::clusters::Clusters;
use super::tree::{Scratch, Tree};
use crate::bounds::Bounds;
use crate::closed::Body;
use impinge_contact::wide::Instructions;
use impinge_geometry::DVec3;

/// Where a cluster is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Outside of the other body.
    Outside,
    /// Where it does not meet the other surface; inside or outside.
    Apart,
    /// Its box meets one of the other surface.
    Meets,
}

/// Numbers, each once, in ascending order.
#[derive(Clone, Debug, Default)]
struct Set(Vec<u64>);

impl Set {
    /// Writes all numbers that lists have, below `numbers`.
    fn gather<'a>(
        &mut self,
        numbers: usize,
        lists: &[u32],
        of: impl Fn(u32) -> &'a [u32],
        out: &mut Vec<u32>,
    ) {
        self.0.clear();
        self.0.resize(numbers.div_ceil(64), 0);
        lists.iter().flat_map(|&l| of(l)).for_each(|&i| self.insert(i));
        out.clear();
        self.list(out);
    }

    fn insert(&mut self, i: u32) {
        self.0[i as usize / 64] |= 1 << (i % 64);
    }

    fn list(&self, out: &mut Vec<u32>) {
        for (k, &word) in (0u32..).zip(&self.0) {
            let mut rest = word;
            while rest != 0 {
                out.push(64 * k + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
    }
}

/// One body.
#[derive(Clone, Debug, Default)]
struct Side {
    /// By cluster, or by triangle where there are none.
    boxes: Vec<Bounds>,
    place: Vec<Place>,
    /// Clusters within the boxes of both bodies.
    within: Vec<u32>,
    /// What is left.
    triangles: Vec<u32>,
    vertices: Vec<u32>,
}

/// Scratch and the answer.
#[derive(Clone, Debug, Default)]
pub(super) struct Near {
    sides: [Side; 2],
    boxes: Vec<Bounds>,
    tree: Tree,
    scratch: Scratch,
    stack: Vec<u32>,
    set: Set,
}

impl Near {
    /// Looks at two bodies with these boxes; gives a box around the surface of their intersection, empty where there is none.
    /// `None` where neither surface has clusters: then all of both can matter.
    pub fn find(&mut self, bodies: [Body<'_>; 2], bounds: &[Bounds; 2]) -> Option<Bounds> {
        let clusters = bodies.map(|b| b.surface.clusters());
        if clusters.iter().all(Option::is_none) {
            return None;
        }
        let common = bounds[0].intersection(&bounds[1]);
        for side in 0..2 {
            let Side { boxes, place, within, .. } = &mut self.sides[side];
            let body = bodies[side];
            match clusters[side] {
                Some(of) => of.all_bounds(body, boxes),
                None => {
                    boxes.clear();
                    boxes.extend((0..body.surface.triangles().len()).map(|t| Bounds::of(body.corners(t))));
                }
            }
            within.clear();
            within.extend((0..).zip(&*boxes).filter(|(_, b)| b.overlaps(&common)).map(|(c, _)| c));
            place.clear();
            place.resize(boxes.len(), Place::Outside);
            within.iter().for_each(|&c| place[c as usize] = Place::Apart);
        }
        self.meet();
        let nothing = DVec3::broadcast(f64::INFINITY);
        let mut reach = Bounds { lo: nothing, hi: -nothing };
        for side in 0..2 {
            match clusters[side] {
                Some(clusters) => self.keep(side, clusters, bodies[side], &mut reach),
                None => {
                    let inside = bodies[side].x.iter().filter(|p| common.contains(**p));
                    reach = inside.fold(reach, |r, &p| r.merged(&Bounds { lo: p, hi: p }));
                }
            }
        }
        Some(reach.intersection(&common))
    }

    /// Which clusters meet the other surface.
    fn meet(&mut self) {
        let [a, b] = &mut self.sides;
        self.boxes.clear();
        self.boxes.extend(b.within.iter().map(|&c| b.boxes[c as usize]));
        self.tree.build(&self.boxes);
        let with = Instructions::best();
        for &c in &a.within {
            self.tree.query(with, &a.boxes[c as usize], &mut self.scratch, |i| {
                a.place[c as usize] = Place::Meets;
                b.place[b.within[i as usize] as usize] = Place::Meets;
            });
        }
    }

    /// Leaves out what is outside of the other body; the rest is listed and widens `reach`.
    fn keep(&mut self, side: usize, clusters: &Clusters, body: Body<'_>, reach: &mut Bounds) {
        let Self { sides, stack, set, .. } = self;
        let Side { boxes, place, within, triangles, vertices } = &mut sides[side];
        // What hangs together with something outside, and does not meet the other surface, is outside as well.
        stack.clear();
        stack.extend((0..).zip(&*place).filter(|(_, p)| **p == Place::Outside).map(|(c, _)| c));
        while let Some(c) = stack.pop() {
            for &next in clusters.beside(c) {
                if place[next as usize] == Place::Apart {
                    place[next as usize] = Place::Outside;
                    stack.push(next);
                }
            }
        }
        within.retain(|&c| place[c as usize] != Place::Outside);
        within.iter().for_each(|&c| *reach = reach.merged(&boxes[c as usize]));
        set.gather(body.surface.triangles().len(), within, |c| clusters.triangles(c), triangles);
        set.gather(body.x.len(), within, |c| clusters.vertices(c), vertices);
    }

    /// Triangles and vertices of a body with clusters that are left, ascending.
    pub fn kept(&self, side: usize) -> [&[u32]; 2] {
        let Side { triangles, vertices, .. } = &self.sides[side];
        [triangles, vertices]
    }
}

#[cfg(test)]
mod tests {
    use super::super::Exact;
    use crate::{Body, CellGrid, ClosedSurface, Evaluate, Overlap};
    use impinge_geometry::{DRotor3, DVec3, TriMesh, cuboid, icosphere, torus};

    /// What there is with clusters and without, and how many triangles were looked at.
    fn both(e: &mut Exact, mesh: [&TriMesh; 2], grid: Option<&CellGrid>) -> [(Overlap, usize); 2] {
        let fine = mesh.map(|m| ClosedSurface::new(m).unwrap());
        let coarse = fine.clone().map(ClosedSurface::without_clusters);
        [fine, coarse].map(|of| {
            let [a, b] = [0, 1].map(|k| Body::new(&of[k], mesh[k].positions()).unwrap());
            let mut out = Overlap::new();
            e.evaluate(a, b, grid, &mut out).unwrap();
            (out, e.a.triangle.len() + e.b.triangle.len())
        })
    }

    fn moved(mesh: &TriMesh, k: u32) -> TriMesh {
        let s = |f: f64| (f * f64::from(k) + 0.3).sin();
        let turn = DRotor3::from_rotation_xy(3.0 * s(1.7)) * DRotor3::from_rotation_yz(3.0 * s(2.3));
        let by = DVec3::new(s(0.9), s(1.3), s(2.9)) * 0.7;
        mesh.mapped(|p| turn * p + by).unwrap()
    }

    /// By side: the whole gradient of all vertices.
    fn gradients(o: &Overlap, mesh: [&TriMesh; 2]) -> [Vec<DVec3>; 2] {
        [0, 1].map(|side| {
            let mut g = vec![DVec3::zero(); mesh[side].positions().len()];
            o.add_gradient(side, &mut g);
            g
        })
    }

    #[test]
    fn clusters_change_nothing_but_the_time() {
        let (ring, ball) = (torus(0.6, 0.25, 60, 24).unwrap(), icosphere(0.6, 4).unwrap());
        let (pearl, brick) =
            (icosphere(0.15, 4).unwrap(), cuboid(DVec3::new(0.9, 0.7, 0.4), [1; 3]).unwrap());
        let pairs = [[&ring, &ring], [&ring, &ball], [&ball, &pearl], [&ring, &brick], [&brick, &ball]];
        // One for all: what is left of the last pair must not show.
        let (mut e, mut overlapping) = (Exact::new(), 0);
        let grid = CellGrid::new(DVec3::new(0.01, 0.02, 0.03), 0.3).unwrap();
        for k in 0..60 {
            let [a, b] = pairs[k as usize % pairs.len()];
            let b = moved(b, k);
            for (a, b) in [(a, &b), (&b, a)] {
                let [(with, _), (without, _)] = both(&mut e, [a, b], None);
                let (v, w) = (with.volume(), without.volume());
                assert!((v - w).abs() <= 1e-14, "{k}: {v} {w}");
                let [g, h] = [&with, &without].map(|o| gradients(o, [a, b]));
                for (g, h) in g.iter().flatten().zip(h.iter().flatten()) {
                    assert!((*g - *h).mag() < 1e-14, "{k}: {g:?} {h:?}");
                }
                overlapping += u32::from(v > 1e-3);
                let [(with, _), (without, _)] = both(&mut e, [a, b], Some(&grid));
                let of = |o: &Overlap, at: [i32; 3]| {
                    o.cells().iter().filter(|c| c.index == at).map(|c| c.volume).sum::<f64>()
                };
                for c in with.cells().iter().chain(without.cells()) {
                    let (v, w) = (of(&with, c.index), of(&without, c.index));
                    assert!((v - w).abs() < 1e-14, "{k}: {v} {w} in {:?}", c.index);
                }
                // Rays elsewhere share the walls' pushes out a little differently; all cells together push the same.
                let [g, h] = [&with, &without].map(|o| gradients(o, [a, b]));
                for (g, h) in g.iter().flatten().zip(h.iter().flatten()) {
                    assert!((*g - *h).mag() < 1e-14, "{k}: {g:?} {h:?}");
                }
            }
        }
        assert!(overlapping > 30, "{overlapping}");
    }

    #[test]
    fn of_two_balls_that_touch_what_touches_is_looked_at() {
        let ball = icosphere(0.5, 5).unwrap();
        let other = ball.mapped(|p| p + DVec3::new(0.58, 0.57, 0.56)).unwrap();
        let [(with, near), (_, all)] = both(&mut Exact::new(), [&ball, &other], None);
        assert!(with.volume() > 0.0 && near < all, "{} {near} of {all}", with.volume());
        // One inside of the other, which it does not meet: a ray says so.
        let pearl = icosphere(0.1, 4).unwrap();
        let [(with, near), (without, _)] = both(&mut Exact::new(), [&ball, &pearl], None);
        assert_eq!((with.volume(), near), (without.volume(), pearl.triangles().len()));
    }
}
