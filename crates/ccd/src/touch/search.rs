//! The search: boxes in the order of the time from which they may touch, kernels at the leaves.

use super::motion::Mover;
use super::slide::{Slide, Way};
use super::swept::{Swept, first_overlap};
use super::{Features, Hit, Pick, Start, TouchError, features};
use crate::screw::{self, ScrewError, screw_within};
use crate::{Kind, contact_normal, contact_weights, first_contact, side_of};
use impinge_geometry::{DMat3, DRotor3, DVec3, Pose};
use impinge_query::{PairVisitor, Place, Placing, triangles_meet};
use smallvec::SmallVec;
use std::ops::Range;

/// Bounds within this of the earliest contact are looked at: the lower end of an enclosure is at most 10⁻¹² early.
const TIE: f64 = 2e-12;

/// Largest angle of a piece of time (rad): arcs leave their chords by 1/2048 of the radius.
const PIECE: f64 = 1.0 / 16.0;

#[cfg(test)]
thread_local! {
    /// Pairs of triangles that were looked at.
    pub(super) static LOOKED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// What a search found.
pub(super) struct Found {
    /// The first touch of features.
    pub hit: Option<Hit>,
    /// The surfaces share a point at the start.
    pub meets: bool,
}

/// The first touch of features, and whether the surfaces share a point at the start.
pub(super) fn first(movers: &[Mover<'_>; 2]) -> Result<Found, TouchError> {
    let angle = movers.iter().map(|m| m.motion.rotation.mag()).fold(0.0, f64::max);
    let pieces = (angle / PIECE).ceil().max(1.0);
    let (mut best, mut meets) = (None, false);
    for i in 0..pieces as usize {
        let [t0, t1] = [i, i + 1].map(|i| if i as f64 == pieces { 1.0 } else { i as f64 / pieces });
        let axes = [1, 0].map(|m| movers[m].pose(t0).rotation);
        let mut search = Search::new(movers, [t0, t1], &axes, best);
        let trees = [0, 1].map(|m: usize| &*movers[m].index);
        match Slide::new(&mut search) {
            Some(mut slide) => trees[0].walk_pairs(trees[1], &mut slide),
            None => trees[0].walk_pairs(trees[1], &mut search),
        }
        if let Some(e) = search.error {
            return Err(e);
        }
        best = search.best;
        // What does so at the start has the bound 0 in the first piece, which no limit passes over.
        meets |= search.meets;
        if best.is_some_and(|b| b.t + TIE < t1) {
            break;
        }
    }
    Ok(Found { hit: best, meets })
}

/// A triangle on its way.
pub(super) struct Triangle {
    id: u32,
    vertices: [u32; 3],
    /// Corners at t = 0, and at both ends of the piece (m, world).
    rest: [DVec3; 3],
    x: [[DVec3; 3]; 2],
    swept: Swept,
}

pub(super) struct Search<'a> {
    pub movers: &'a [Mover<'a>; 2],
    piece: [f64; 2],
    /// By frame, by mesh: at both ends of the piece.
    pub placings: SmallVec<[[[Placing; 2]; 2]; 2]>,
    poses: [[Pose; 2]; 2],
    /// Rotations of the meshes at t = 0, and at the end of the piece.
    matrices: [[DMat3; 2]; 2],
    turning: bool,
    /// Where both meshes are rigid and none turns.
    pub way: Option<Way>,
    /// By how much features may miss each other's boxes (m) and still be within tolerance; 0 where nothing turns.
    pad: f64,
    best: Option<Hit>,
    /// Two triangles share a point at the start.
    meets: bool,
    error: Option<TouchError>,
}

impl<'a> Search<'a> {
    fn new(movers: &'a [Mover<'a>; 2], piece: [f64; 2], axes: &[DRotor3; 2], best: Option<Hit>) -> Self {
        let turning = movers.iter().any(Mover::turns);
        let mut margins = [0.0; 2];
        if !turning {
            // Boxes at the end are those of the start, shifted.
            for (margin, m) in margins.iter_mut().zip(movers) {
                *margin = 64.0 * f64::EPSILON * m.away();
            }
        }
        let size: f64 = movers.iter().map(|m| m.radius() + m.away()).sum();
        for (margin, m) in margins.iter_mut().zip(movers.iter().filter(|_| turning)) {
            let angle = m.motion.rotation.mag() * (piece[1] - piece[0]);
            // As in the screw module: arcs leave chords by angle² radius / 8, points round by `blur`.
            let bend = 0.125 * angle * angle * m.radius();
            let blur = 64.0 * f64::EPSILON * ((1.0 + m.motion.rotation.mag()) * m.radius() + m.away());
            *margin = (bend + blur + screw::tolerance(0.0, size)) * (1.0 + 1e-9);
        }
        let poses = movers.each_ref().map(|m| piece.map(|t| m.pose(t)));
        // One frame is enough where the meshes stand alike.
        let frames = if axes[0] == axes[1] { &axes[..1] } else { &axes[..] };
        let placings = frames
            .iter()
            .map(|axes| {
                [0, 1].map(|mesh| {
                    let m = &movers[mesh];
                    let place =
                        |index, end: usize| Placing::new(index, &poses[mesh][end], axes, margins[mesh]);
                    [place(&m.index, 0), place(m.at_end(), 1)]
                })
            })
            .collect();
        let matrices = [0, 1].map(|mesh| [movers[mesh].from.matrix(), poses[mesh][1].matrix()]);
        Self {
            movers,
            piece,
            placings,
            poses,
            matrices,
            turning,
            way: Way::of(movers),
            pad: if turning { margins[0] + margins[1] } else { 0.0 },
            best,
            meets: false,
            error: None,
        }
    }

    fn placed(&self, mesh: usize, at: Place) -> [Swept; 2] {
        let m = &self.movers[mesh];
        let start = m.index.box_at(at);
        let end = m.ends.as_ref().map_or(start, |e| e.box_at(at));
        let swept = |p: &[[Placing; 2]; 2]| {
            let at_start = p[mesh][0].place(start);
            let at_end = if self.turning || m.ends.is_some() {
                p[mesh][1].place(end)
            } else {
                p[mesh][0].shifted_to(&p[mesh][1], at_start)
            };
            Swept { start: at_start, end: at_end }
        };
        let first = swept(&self.placings[0]);
        [first, self.placings.get(1).map_or(first, swept)]
    }

    /// From a fraction of the piece.
    fn time(&self, s: f64) -> f64 {
        self.piece[0] + s * (self.piece[1] - self.piece[0])
    }

    /// The corners of a triangle at t = 0 (m, world).
    pub fn corners(&self, mesh: usize, slot: usize) -> [DVec3; 3] {
        let m = &self.movers[mesh];
        // As `Pose::point_to_world`.
        m.index.corners_at(slot).map(|p| m.from.position + self.matrices[mesh][0] * p)
    }

    pub fn triangle(&self, mesh: usize, slot: usize) -> Triangle {
        let m = &self.movers[mesh];
        let (rest, end) = (self.corners(mesh, slot), m.at_end().corners_at(slot));
        let m1 = &self.matrices[mesh][1];
        let x = if self.turning {
            self.piece.map(|t| rest.map(|p| m.motion.point_at(p, t)))
        } else {
            [rest, end.map(|p| self.poses[mesh][1].position + *m1 * p)]
        };
        let swept = Swept::around(&x[0], &x[1]);
        Triangle { id: m.index.triangle_at(slot), vertices: m.index.vertices_at(slot), rest, x, swept }
    }

    pub fn pair(&mut self, a: &Triangle, b: &Triangle) {
        #[cfg(test)]
        LOOKED.with(|n| n.set(n.get() + 1));
        let bound = self.time(first_overlap(&a.swept, &b.swept, self.pad));
        if bound > self.limit() {
            return;
        }
        self.meets |= bound == 0.0 && triangles_meet(&a.rest, &b.rest);
        for (features, kind, pick) in features(&a.vertices, a.id, &b.vertices, b.id) {
            let x0 = pick.of(&a.x[0], &b.x[0]);
            if self.way.is_some_and(|w| w.passes(kind, pick.turned(), &x0, self.limit())) {
                continue;
            }
            let x1 = pick.of(&a.x[1], &b.x[1]);
            let split = if kind == Kind::VertexFace { 1 } else { 2 };
            let of = |r: Range<usize>| Swept::around(&x0[r.clone()], &x1[r]);
            let bound = || self.time(first_overlap(&of(0..split), &of(split..4), self.pad));
            if self.way.is_none() && bound() > self.limit() {
                continue;
            }
            let found = if self.turning {
                self.turned(features, kind, pick, &pick.of(&a.rest, &b.rest))
            } else {
                straight(features, kind, pick, &x0, &x1)
            };
            match found {
                Ok(Some(hit)) => {
                    let key = |h: &Hit| (h.t, h.features);
                    if self.best.is_none_or(|b| key(&hit) < key(&b)) {
                        self.best = Some(hit);
                    }
                }
                Ok(None) => {}
                Err(e) => self.error = Some(e),
            }
        }
    }

    /// A pair of features, one of which turns.
    fn turned(
        &self,
        features: Features,
        kind: Kind,
        pick: Pick,
        rest: &[DVec3; 4],
    ) -> Result<Option<Hit>, TouchError> {
        let order = if pick.turned() { [1, 0] } else { [0, 1] };
        let motions = order.map(|m| self.movers[m].motion);
        let within = screw_within(kind, rest, &motions, 0.0).map_err(|e| match e {
            ScrewError::MotionNotFinite(i) => TouchError::MotionNotFinite { mesh: order[i] },
            ScrewError::TooManyTurns(i) => TouchError::TooManyTurns { mesh: order[i] },
            ScrewError::Separation(_) => TouchError::MotionNotFinite { mesh: order[0] },
        })?;
        let Some(within) = within else { return Ok(None) };
        let split = if kind == Kind::VertexFace { 1 } else { 2 };
        let x: [DVec3; 4] =
            std::array::from_fn(|i| motions[usize::from(i >= split)].point_at(rest[i], within.t));
        let weight = contact_weights(kind, &x, &x, 0.0);
        // They are still apart: where they are is where they came from.
        let side = side_of(kind, &x).unwrap_or(0);
        let normal = contact_normal(kind, &x, &x, 0.0, side, &weight);
        let t_hi = if within.distance > 0.0 { f64::INFINITY } else { within.t };
        Ok(Some(hit(features, kind, pick, (within.t, t_hi, within.distance), &x, &weight, normal)))
    }
}

fn straight(
    features: Features,
    kind: Kind,
    pick: Pick,
    x0: &[DVec3; 4],
    x1: &[DVec3; 4],
) -> Result<Option<Hit>, TouchError> {
    // Positions were found finite when they came in; their sums may have overflowed.
    let found = first_contact(kind, x0, x1)
        .map_err(|e| TouchError::MotionNotFinite { mesh: usize::from((e.point > 0) != pick.turned()) })?;
    Ok(found.map(|c| {
        let t = 0.5 * (c.t + c.t_hi);
        let x: [DVec3; 4] = std::array::from_fn(|i| x0[i] * (1.0 - t) + x1[i] * t);
        hit(features, kind, pick, (c.t, c.t_hi, 0.0), &x, &c.weight, c.normal)
    }))
}

/// Points and normal, in the order of the meshes.
fn hit(
    features: Features,
    kind: Kind,
    pick: Pick,
    (t, t_hi, gap): (f64, f64, f64),
    x: &[DVec3; 4],
    w: &[f64; 4],
    normal: DVec3,
) -> Hit {
    let [p, q] = match kind {
        Kind::VertexFace => [x[0], -(x[1] * w[1] + x[2] * w[2] + x[3] * w[3])],
        Kind::EdgeEdge => [x[0] * w[0] + x[1] * w[1], -(x[2] * w[2] + x[3] * w[3])],
    };
    let (points, normal) = if pick.turned() { ([q, p], -normal) } else { ([p, q], normal) };
    Hit { t, t_hi, gap, start: Start::Apart, points, normal, features }
}

impl PairVisitor for Search<'_> {
    type Placed = [Swept; 2];
    fn first(&self, at: Place) -> Self::Placed {
        self.placed(0, at)
    }
    fn second(&self, at: Place) -> Self::Placed {
        self.placed(1, at)
    }
    fn bound(&self, a: &Self::Placed, b: &Self::Placed) -> f64 {
        let mut s = first_overlap(&a[0], &b[0], 0.0);
        if self.placings.len() == 2 {
            s = s.max(first_overlap(&a[1], &b[1], 0.0));
        }
        self.time(s)
    }
    fn limit(&self) -> f64 {
        // Once they share a point at the start, later touches do not matter.
        if self.meets { TIE } else { self.best.map_or(1.0, |b| b.t + TIE) }
    }
    fn leaves(&mut self, a: Range<usize>, b: Range<usize>) {
        let second: SmallVec<[Triangle; 4]> = b.map(|slot| self.triangle(1, slot)).collect();
        for slot in a {
            let first = self.triangle(0, slot);
            for second in &second {
                self.pair(&first, second);
            }
        }
    }
}
