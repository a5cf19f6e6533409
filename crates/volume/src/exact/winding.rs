//! How often each vertex of one body is wrapped by the other.
//!
//! Along an edge the winding number changes where the edge passes through a triangle, so it is carried from vertex to vertex. A
//! vertex outside the other's box has 0; a part that lies in it altogether is settled by one ray. All decisions see A moved by
//! the same infinitely small (ε, ε², ε³) as [`super::sign`].

use super::sign::{Of, Plane};
use crate::closed::Body;
use impinge_geometry::DVec3;
use robust::{Coord, orient2d};

const UNKNOWN: i32 = i32::MIN;

/// Scratch; `of_vertex` is the answer.
#[derive(Clone, Debug, Default)]
pub struct Windings {
    /// 0 but for those in `asked`.
    of_vertex: Vec<i32>,
    asked: Vec<u32>,
    /// Change of the winding number along each edge, from its lower vertex to its higher; 0 but for those in `stepped`.
    step: Vec<i32>,
    stepped: Vec<u32>,
    stack: Vec<u32>,
    part: Vec<u32>,
}

impl Windings {
    /// Room for a body; no edge passes through anything yet.
    pub fn shape(&mut self, body: Body<'_>) {
        self.stepped.drain(..).for_each(|e| self.step[e as usize] = 0);
        self.asked.drain(..).for_each(|v| self.of_vertex[v as usize] = 0);
        let (edges, vertices) = (body.surface.edges().len(), body.x.len());
        self.step.resize(edges.max(self.step.len()), 0);
        self.of_vertex.resize(vertices.max(self.of_vertex.len()), 0);
    }

    /// An edge passes through a triangle of the other body; `up` from its lower to its higher vertex.
    pub fn pass(&mut self, edge: u32, up: i32) {
        self.stepped.push(edge);
        self.step[edge as usize] += up;
    }

    /// Carries the numbers to the vertices of `body` (which is `of`) that may be inside of `other`, `near` in ascending order; 0 for those that are
    /// `beyond` some side of its box, as all others are.
    pub fn settle(&mut self, body: Body<'_>, of: Of, other: Body<'_>, (near, beyond): (&[u32], &[u8])) {
        self.asked.extend(near.iter().filter(|v| beyond[**v as usize] == 0));
        self.asked.iter().for_each(|&v| self.of_vertex[v as usize] = UNKNOWN);
        let edges = body.surface.edges();
        for i in 0..self.asked.len() {
            let seed = self.asked[i];
            if self.of_vertex[seed as usize] != UNKNOWN || body.surface.edges_of(seed).is_empty() {
                continue;
            }
            // Relative to the seed first, until some neighbour outside says what the seed is.
            self.of_vertex[seed as usize] = 0;
            self.part.clear();
            self.stack.push(seed);
            let mut offset = None;
            while let Some(v) = self.stack.pop() {
                self.part.push(v);
                let own = self.of_vertex[v as usize];
                for &e in body.surface.edges_of(v) {
                    let [lo, hi] = edges[e as usize];
                    let step = self.step[e as usize];
                    let (w, value) = if lo == v { (hi, own + step) } else { (lo, own - step) };
                    if beyond[w as usize] != 0 {
                        offset = offset.or(Some(-value));
                    } else if self.of_vertex[w as usize] == UNKNOWN {
                        self.of_vertex[w as usize] = value;
                        self.stack.push(w);
                    }
                }
            }
            let offset = offset.unwrap_or_else(|| around(body.x[seed as usize], of, other));
            if offset != 0 {
                self.part.iter().for_each(|&v| self.of_vertex[v as usize] += offset);
            }
        }
    }

    /// The vertices inside of the other body, ascending.
    pub fn inside(&self) -> impl Iterator<Item = u32> + '_ {
        self.asked.iter().copied().filter(|&v| self.of(v) != 0)
    }

    /// The winding number of the other body around a vertex.
    #[inline]
    #[must_use]
    pub fn of(&self, vertex: u32) -> i32 {
        let w = self.of_vertex[vertex as usize];
        if w == UNKNOWN { 0 } else { w }
    }
}

/// The winding number of `other` around `p`, a point of the body `of`, by a ray along +x.
fn around(p: DVec3, of: Of, other: Body<'_>) -> i32 {
    let (moved, face) = if of == Of::A { (1, Of::B) } else { (-1, Of::A) };
    let mut winding = 0;
    for t in 0..other.surface.triangles().len() {
        let [a, b, c] = other.corners(t);
        let misses = |lo: f64, hi: f64, x: f64| hi < x || lo > x;
        let range = |f: fn(DVec3) -> f64| (f(a).min(f(b)).min(f(c)), f(a).max(f(b)).max(f(c)));
        let (y, z, x) = (range(|q| q.y), range(|q| q.z), range(|q| q.x));
        if misses(y.0, y.1, p.y) || misses(z.0, z.1, p.z) || x.1 < p.x {
            continue;
        }
        let s = beside(a, b, p, moved);
        if s == 0 || beside(b, c, p, moved) != s || beside(c, a, p, moved) != s {
            continue;
        }
        // s is the sign of the normal's x; the ray meets the plane when p is below it, seen along x.
        let inner = Plane::new([a, b, c]).side(face, p) < 0;
        if inner == (s > 0) {
            winding += s;
        }
    }
    winding
}

/// On which side of a → b the moved p lies in the (y, z) projection: +1 left, −1 right, 0 where a and b project to one point.
fn beside(a: DVec3, b: DVec3, p: DVec3, moved: i32) -> i32 {
    let v = |q: DVec3| Coord { x: q.y, y: q.z };
    let d = orient2d(v(a), v(b), v(p));
    let order = |x: f64, y: f64| i32::from(x > y) - i32::from(x < y);
    if d != 0.0 {
        return order(d, 0.0);
    }
    // ∂/∂p_y = a_z − b_z, ∂/∂p_z = b_y − a_y.
    let by_y = order(a.z, b.z);
    moved * if by_y != 0 { by_y } else { order(b.y, a.y) }
}
