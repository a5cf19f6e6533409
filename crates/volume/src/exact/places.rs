//! Which parts of both surfaces bound one volume: the places where two bodies meet.
//!
//! The boundary of an intersection is made of parts of both surfaces, with segments between them where the surfaces cross. From one end of it to
//! the other these steps lead: from a segment to the next, through the edge at which both end; along an edge inside of the other body, from
//! a passage to the next one or to a vertex; along a whole edge between two vertices inside. What they do not reach, a hole in the middle
//! of a triangle and a hollow, is left to [`super::regions`].

use super::sign::Of;
use super::{Active, Hit, Through};
use crate::closed::Body;
use crate::joined::Joined;

/// No place.
pub const NONE: u32 = u32::MAX;

/// An edge passes through a triangle of the other body.
#[derive(Clone, Copy, Debug)]
struct Passing {
    edge: u32,
    /// The other body's active triangle.
    face: u32,
    /// Where, from the edge's lower vertex (0) to its higher (1); NaN where no segment tells.
    at: f64,
    /// Change of the winding number, upwards.
    up: i32,
    node: u32,
}

/// Scratch and the answer.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Segments, passages without one, vertices of A and of B.
    sets: Joined,
    passings: Vec<Passing>,
    /// Edges that something passes, ascending.
    crossed: Vec<u32>,
    number: Vec<u32>,
    pub of_hit: Vec<u32>,
    /// Vertices inside of the other body, ascending, and their places.
    inside: [Vec<u32>; 2],
    of_inside: [Vec<u32>; 2],
    pub count: usize,
}

impl Places {
    /// Finds them; windings must be settled.
    pub fn settle(&mut self, hits: &[Hit], through: &[Through], bodies: [Body<'_>; 2], active: [&Active; 2]) {
        let first = hits.len() + through.len();
        for side in 0..2 {
            self.inside[side].clear();
            self.inside[side].extend(active[side].windings.inside());
        }
        let vertex = [first, first + self.inside[0].len()];
        self.sets.start(vertex[1] + self.inside[1].len());
        // A triangle without area passes through the other one without a segment: its two passages are one way.
        for (i, pair) in (hits.len() as u32..).zip(through.windows(2)) {
            if (pair[0].a, pair[0].b) == (pair[1].a, pair[1].b) {
                self.sets.join(i, i + 1, false);
            }
        }
        for side in 0..2 {
            self.list(side, hits, through, bodies[side], active[side]);
            self.along_edges(side, bodies[side], active[side], vertex[side] as u32);
        }
        self.number(hits.len(), vertex);
    }

    /// The passages of one body's edges.
    fn list(&mut self, side: usize, hits: &[Hit], through: &[Through], body: Body<'_>, active: &Active) {
        let of = [Of::A, Of::B][side];
        let (triangles, face_edges) = (body.surface.triangles(), body.surface.face_edges());
        let passing = |own: u32, face: u32, k: u8, sign: i8, at: f64, node: usize| {
            let (t, k) = (active.triangle[own as usize] as usize, usize::from(k));
            let edge = face_edges[t][k];
            let upward = body.surface.edges()[edge as usize][0] == triangles[t][k];
            let (at, up) = if upward { (at, i32::from(sign)) } else { (1.0 - at, -i32::from(sign)) };
            Passing { edge, face, at, up, node: node as u32 }
        };
        self.passings.clear();
        for (i, h) in hits.iter().enumerate() {
            let (own, other) = if side == 0 { (h.a, h.b) } else { (h.b, h.a) };
            for e in h.segment.on_own_edges(side) {
                let [b, c] = e.seen(side);
                // Weights of corners 1 and 2 on a side to the way along it.
                let at = match e.side {
                    0 => b,
                    1 => c,
                    _ => 1.0 - c,
                };
                self.passings.push(passing(own, other, e.side, e.sign, at, i));
            }
        }
        for (i, t) in through.iter().enumerate().filter(|(_, t)| t.passage.of == of) {
            let (own, other) = if of == Of::A { (t.a, t.b) } else { (t.b, t.a) };
            let Through { passage: p, .. } = *t;
            self.passings.push(passing(own, other, p.side, p.sign, f64::NAN, hits.len() + i));
        }
        self.passings.sort_unstable_by_key(|p| (p.edge, p.face, p.node));
    }

    /// Joins what is met along every edge; vertices inside are nodes from `first` on.
    fn along_edges(&mut self, side: usize, body: Body<'_>, active: &Active, first: u32) {
        let edges = body.surface.edges();
        let Self { sets, passings, crossed, inside: vertices, .. } = self;
        let vertices = &vertices[side];
        let node = |v: u32| first + vertices.partition_point(|&w| w < v) as u32;
        crossed.clear();
        let mut once: Vec<Passing> = Vec::new();
        for edge in passings.chunk_by(|p, q| p.edge == q.edge) {
            crossed.push(edge[0].edge);
            once.clear();
            for same in edge.chunk_by(|p, q| p.face == q.face) {
                same.iter().for_each(|p| _ = sets.join(same[0].node, p.node, false));
                let told = same.iter().find(|p| !p.at.is_nan());
                once.push(*told.unwrap_or(&same[0]));
            }
            once.sort_unstable_by(|p, q| p.at.total_cmp(&q.at).then(p.face.cmp(&q.face)));
            // Without an order, what is on the edge is one.
            let all = once.iter().any(|p| p.at.is_nan());
            let [lo, hi] = edges[edge[0].edge as usize];
            let mut inside = active.windings.of(lo);
            let mut last = (inside != 0).then(|| node(lo));
            for p in &once {
                if let Some(last) = last {
                    sets.join(last, p.node, false);
                }
                inside += p.up;
                last = (inside != 0 || all).then_some(p.node);
            }
            if let Some(last) = last.filter(|_| active.windings.of(hi) != 0) {
                sets.join(last, node(hi), false);
            }
        }
        for (at, &lo) in (first..).zip(vertices) {
            for &e in body.surface.edges_of(lo) {
                let [v, hi] = edges[e as usize];
                if v == lo && active.windings.of(hi) != 0 && crossed.binary_search(&e).is_err() {
                    sets.join(at, node(hi), false);
                }
            }
        }
    }

    /// Numbers places in the order in which segments, then vertices show them.
    fn number(&mut self, hits: usize, vertex: [usize; 2]) {
        let Self { sets, number, of_hit, inside, of_inside, count, .. } = self;
        number.clear();
        number.resize(vertex[1] + inside[1].len(), NONE);
        *count = 0;
        let mut of = |node: usize| {
            let number = &mut number[sets.find(node as u32).0 as usize];
            if *number == NONE {
                *number = *count as u32;
                *count += 1;
            }
            *number
        };
        of_hit.clear();
        of_hit.extend((0..hits).map(&mut of));
        for side in 0..2 {
            let first = vertex[side];
            of_inside[side].clear();
            of_inside[side].extend((first..first + inside[side].len()).map(&mut of));
        }
    }

    /// Of a vertex of a body; [`NONE`] outside of the other body.
    #[must_use]
    pub fn of_vertex(&self, side: usize, vertex: u32) -> u32 {
        self.inside[side].binary_search(&vertex).map_or(NONE, |i| self.of_inside[side][i])
    }
}

#[cfg(test)]
mod tests {
    use super::super::Exact;
    use super::*;
    use crate::{ClosedSurface, Evaluate, Overlap};
    use impinge_geometry::{DVec3, TriMesh, cuboid};

    /// Splits the edges of a mesh that `split` names on one side only, with a triangle without area in between.
    fn needled(mesh: &TriMesh, split: impl Fn(DVec3, DVec3) -> bool) -> TriMesh {
        let (mut x, mut t) = mesh.clone().into_parts();
        let edges: Vec<[u32; 2]> = t
            .iter()
            .flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]])
            .filter(|e| e[0] < e[1])
            .collect();
        for [a, b] in edges {
            if !split(x[a as usize], x[b as usize]) {
                continue;
            }
            let at = t.iter().position(|t| (0..3).any(|k| [t[k], t[(k + 1) % 3]] == [a, b])).unwrap();
            let c = t[at].into_iter().find(|&v| v != a && v != b).unwrap();
            let m = x.len() as u32;
            x.push((x[a as usize] + x[b as usize]) * 0.5);
            t[at] = [a, m, c];
            t.extend([[m, b, c], [a, b, m]]);
        }
        TriMesh::new(x, t).unwrap()
    }

    /// How many places there are before regions have their say, and the volume.
    fn places(a: &TriMesh, b: &TriMesh) -> (usize, f64) {
        let closed = [a, b].map(|m| ClosedSurface::new(m).unwrap());
        let [a, b] = [(&closed[0], a), (&closed[1], b)].map(|(c, m)| Body::new(c, m.positions()).unwrap());
        let (mut e, mut out) = (Exact::new().by_place(true), Overlap::new());
        e.evaluate(a, b, None, &mut out).unwrap();
        (e.places.count, out.volume())
    }

    #[test]
    fn triangles_without_area_cut_nothing_apart() {
        let rod = cuboid(DVec3::new(0.1, 0.1, 1.0), [1; 3]).unwrap();
        let rod = needled(&rod, |a, b| (a.z - b.z).abs() > 0.5);
        assert_eq!(rod.triangles().len(), 12 + 2 * 8);
        let plate = cuboid(DVec3::new(2.0, 2.0, 0.1), [1; 3]).unwrap();
        let plate = plate.mapped(|p| p + DVec3::new(0.1, 0.27, 0.2)).unwrap();
        for (a, b) in [(&rod, &plate), (&plate, &rod)] {
            let (count, volume) = places(a, b);
            assert_eq!(count, 1);
            assert!((volume - 1e-3).abs() < 1e-15);
        }
    }
}
