//! Which bodies are pushed by which others, from where, and how deep they are there.

use super::{ONE_WAY, Standing, WAYS};
use impinge_bodies::{Shape, world_plane};
use impinge_ccd::{Kind, contact_normal};
use impinge_geometry::DVec3;
use impinge_swept::List;

/// Square of the sine of an angle that is rounding.
const FLAT: f64 = 1e-24;

/// A body that another pushes one way.
#[derive(Clone, Copy)]
pub(super) struct Push {
    pub body: u32,
    pub other: u32,
    /// Unit, away from the other body.
    pub normal: DVec3,
    /// The most there is when the step begins and when it ends (m).
    pub depth: f64,
    /// Of the contact on the other body when the step ends (m).
    pub place: DVec3,
}

/// All pushes of a step; kept from step to step for its memory alone.
#[derive(Default)]
pub(super) struct Pushes {
    /// By the body that is pushed and the other one.
    all: Vec<Push>,
    /// Where each of them is on the body itself (m), while they are gathered.
    first: Vec<DVec3>,
    /// The most of all (m).
    pub deepest: f64,
}

impl Pushes {
    /// Those of a body, by the other one.
    pub fn of(&self, body: u32) -> &[Push] {
        let from = self.all.partition_point(|p| p.body < body);
        let count = self.all[from..].partition_point(|p| p.body == body);
        &self.all[from..from + count]
    }

    /// All of them, body by body.
    pub fn by_body(&self) -> impl Iterator<Item = &[Push]> {
        self.all.chunk_by(|p, q| p.body == q.body)
    }

    /// Looks at the contacts that are open.
    pub fn gather(&mut self, on: &Standing<'_>) {
        let map = on.matter.map;
        self.all.clear();
        self.first.clear();
        self.deepest = 0.0;
        for list in List::ALL {
            let (rows, kind) = (&on.open[list as usize], list.features().0);
            // Rows come by their first feature, so mostly those of a body together.
            let mut from = self.all.len();
            for i in (0..rows.len()).filter(|&i| !rows.fading[i] && rows.share[i] > 0.0) {
                let stencil = rows.stencil[i];
                let (body, other) = (map.body_of(stencil[0]), map.body_of(stencil[3]));
                if body == other {
                    continue;
                }
                let [p, q] = on.x.map(|x| stencil.map(|v| x[v as usize]));
                let weight = &rows.weight[i];
                let normal = standing_normal(kind, &q, rows.side[i], weight);
                let depth = deep(&p, weight, normal).max(deep(&q, weight, normal));
                let first = if kind == Kind::EdgeEdge { 2 } else { 1 };
                let place = |of: std::ops::Range<usize>| of.fold(DVec3::zero(), |s, i| s + q[i] * weight[i]);
                let push = Push { body, other, normal, depth, place: -place(first..4) };
                self.add(&mut from, push, || place(0..first));
            }
        }
        let planes = on.candidates.planes.view();
        let mut from = self.all.len();
        for i in 0..planes.len() {
            let (vertex, other) = (planes.vertex[i], planes.target[i]);
            let Shape::Plane { normal, offset } = on.matter.shapes.0[other as usize] else {
                continue;
            };
            let (normal, offset) = world_plane(&on.dofs.bodies.pose[other as usize], normal, offset);
            let [p, q] = on.x.map(|x| x[vertex as usize]);
            let depth = offset - normal.dot(p).min(normal.dot(q));
            let place = q + normal * (offset - normal.dot(q));
            let push = Push { body: map.body_of(vertex), other, normal, depth, place };
            self.add(&mut from, push, || q);
        }
        for i in 0..self.all.len() {
            let Push { body, other, normal, depth, .. } = self.all[i];
            let place = self.first[i];
            self.all.push(Push { body: other, other: body, normal: -normal, depth, place });
        }
        self.all.sort_by_key(|p| (p.body, p.other));
    }

    /// Adds a push, at `place` (m) on the body itself, to those that begin at `from`, which are of one body: those of one plane are one.
    fn add(&mut self, from: &mut usize, push: Push, place: impl Fn() -> DVec3) {
        let deep = push.depth > 0.0;
        if !deep {
            return;
        }
        self.deepest = self.deepest.max(push.depth);
        if self.all.get(*from).is_some_and(|p| p.body != push.body) {
            *from = self.all.len();
        }
        let mut ways = 0;
        for (known, first) in self.all[*from..].iter_mut().zip(&mut self.first[*from..]) {
            if known.other != push.other {
                continue;
            }
            let off = known.normal.dot(push.place - known.place).abs();
            if known.normal.dot(push.normal) > ONE_WAY && off <= known.depth + push.depth {
                if push.depth > known.depth {
                    (*known, *first) = (push, place());
                }
                return;
            }
            ways += 1;
        }
        if ways < WAYS {
            self.all.push(push);
            self.first.push(place());
        }
    }
}

/// How deep the first feature is in the second along `n` (m).
fn deep(p: &[DVec3; 4], weight: &[f64; 4], n: DVec3) -> f64 {
    // Differences first: far from the origin the sum would leave only rounding.
    let apart = (p[1] - p[0]) * weight[1] + (p[2] - p[0]) * weight[2] + (p[3] - p[0]) * weight[3];
    -apart.dot(n)
}

/// [`contact_normal`] of features that stand still at `p` (m).
pub(crate) fn standing_normal(kind: Kind, p: &[DVec3; 4], side: i8, weight: &[f64; 4]) -> DVec3 {
    let [u, v] = match kind {
        Kind::VertexFace => [p[2] - p[1], p[3] - p[1]],
        Kind::EdgeEdge => [p[1] - p[0], p[3] - p[2]],
    };
    let across = u.cross(v);
    let long = across.mag_sq();
    if side == 0 || !(long > f64::MIN_POSITIVE && long > FLAT * u.mag_sq() * v.mag_sq()) {
        return contact_normal(kind, p, p, 0.0, side, weight);
    }
    across * (f64::from(side.signum()) / long.sqrt())
}
