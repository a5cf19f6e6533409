//! Two rigid meshes that do not turn: the first slides against the second along one straight way.
//!
//! Bounds then need the boxes at the start and no divisions. Triangles that stay on two sides of a plane until the earliest contact
//! found are passed over. So are pairs of their features.

use super::motion::Mover;
use super::search::{Search, Triangle};
use crate::Kind;
use impinge_geometry::DVec3;
use impinge_query::{PairVisitor, Place, Placing};
use smallvec::SmallVec;
use std::ops::Range;

/// Relative rounding of a difference, an inverse and a product, with room.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Axes of boxes, turned so that the first mesh moves to their positive side.
struct Frame {
    backward: [bool; 3],
    /// One over how far it moves (1/m).
    inverse: [f64; 3],
}

/// Lower and upper corner along the axes of a frame.
type Corners = ([f64; 3], [f64; 3]);

/// The way of the first mesh against the second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// m, world.
    by: DVec3,
    /// Rounding of points and of their ways (m).
    slack: f64,
}

/// The search with the bounds of meshes that slide.
pub(super) struct Slide<'a, 'b> {
    search: &'b mut Search<'a>,
    frames: SmallVec<[Frame; 2]>,
    way: Way,
}

impl<'a, 'b> Slide<'a, 'b> {
    /// `None` where a mesh turns or its vertices move on their own.
    pub fn new(search: &'b mut Search<'a>) -> Option<Self> {
        let way = search.way?;
        let frame = |[first, second]: &[[_; 2]; 2]| {
            let way = |p: &[Placing; 2]| p[0].way_to(&p[1]);
            let by = <[f64; 3]>::from(way(first) - way(second));
            Frame { backward: by.map(|x| x < 0.0), inverse: by.map(|x| 1.0 / x.abs()) }
        };
        let frames = search.placings.iter().map(frame).collect();
        Some(Self { search, frames, way })
    }

    fn placed(&self, mesh: usize, at: Place) -> [Corners; 2] {
        let whole = self.search.movers[mesh].index.box_at(at);
        let along = |f: usize| {
            let (lo, hi) = self.search.placings[f][mesh][0].place(whole);
            let (lo, hi) = (<[f64; 3]>::from(lo), <[f64; 3]>::from(hi));
            let back = &self.frames[f].backward;
            let pick = |k: usize| if back[k] { (-hi[k], -lo[k]) } else { (lo[k], hi[k]) };
            let sides = [pick(0), pick(1), pick(2)];
            (sides.map(|s| s.0), sides.map(|s| s.1))
        };
        let first = along(0);
        [first, if self.frames.len() == 2 { along(1) } else { first }]
    }
}

/// When two boxes first overlap while the first moves; ∞ when they never do.
#[inline]
fn first_overlap(frame: &Frame, a: &Corners, b: &Corners) -> f64 {
    let (mut enter, mut leave) = (0.0f64, 1.0f64);
    for k in 0..3 {
        // Along an axis without motion: ±∞, or NaN on the border, which extremes pass over.
        enter = enter.max((b.0[k] - a.1[k]) * frame.inverse[k]);
        leave = leave.min((b.1[k] - a.0[k]) * frame.inverse[k]);
    }
    let (enter, leave) = (enter * (1.0 - ROUNDING), leave * (1.0 + ROUNDING));
    if enter > leave { f64::INFINITY } else { enter }
}

impl Way {
    /// `None` where a mesh turns or its vertices move on their own.
    pub fn of(movers: &[Mover<'_>; 2]) -> Option<Self> {
        if movers.iter().any(|m| m.turns() || m.ends.is_some()) {
            return None;
        }
        let [a, b] = movers.each_ref().map(|m| m.motion.translation);
        let slack = 64.0 * f64::EPSILON * movers.iter().map(|m| m.radius() + m.away()).sum::<f64>();
        Some(Self { by: a - b, slack })
    }

    /// Whether points at `a` and `b` along an axis, of length `norm` by the sum of its parts, are apart now and after a way `by` along it.
    #[inline]
    fn apart(&self, a: &[f64], b: &[f64], by: f64, norm: f64) -> bool {
        let ends = |x: &[f64]| x[1..].iter().fold((x[0], x[0]), |(lo, hi), &x| (lo.min(x), hi.max(x)));
        // Where products underflow nothing is apart.
        let (a, b, slack) = (ends(a), ends(b), self.slack * norm + f64::MIN_POSITIVE);
        let (over, under) = (a.0 - b.1 - slack, b.0 - a.1 - slack);
        (over > 0.0 && over + by > 0.0) || (under > 0.0 && under - by > 0.0)
    }

    #[inline]
    fn apart_along<const A: usize, const B: usize>(
        &self,
        n: DVec3,
        a: &[DVec3; A],
        b: &[DVec3; B],
        by: DVec3,
    ) -> bool {
        let at = |p: DVec3| n.dot(p - a[0]);
        self.apart(&a.map(at), &b.map(at), n.dot(by), n.x.abs() + n.y.abs() + n.z.abs())
    }

    /// Along the axes of the world.
    #[inline]
    fn boxes_apart<const A: usize, const B: usize>(&self, a: &[DVec3; A], b: &[DVec3; B], by: DVec3) -> bool {
        self.apart(&a.map(|p| p.x), &b.map(|p| p.x), by.x, 1.0)
            || self.apart(&a.map(|p| p.y), &b.map(|p| p.y), by.y, 1.0)
            || self.apart(&a.map(|p| p.z), &b.map(|p| p.z), by.z, 1.0)
    }

    /// Whether a triangle stays on one side of another until `t`: along an axis of the world or a normal.
    fn parts(&self, a: &[DVec3; 3], b: &[DVec3; 3], t: f64) -> bool {
        let by = self.by * t;
        self.boxes_apart(a, b, by) || [a, b].into_iter().any(|x| self.apart_along(normal(x), a, b, by))
    }

    /// The same of a vertex and a face, or of two edges; `turned` where the first belongs to the second mesh.
    pub fn passes(&self, kind: Kind, turned: bool, x: &[DVec3; 4], t: f64) -> bool {
        let by = self.by * if turned { -t } else { t };
        match (kind, *x) {
            (Kind::VertexFace, [p, a, b, c]) => {
                let (p, face) = ([p], [a, b, c]);
                self.boxes_apart(&p, &face, by) || self.apart_along(normal(&face), &p, &face, by)
            }
            (Kind::EdgeEdge, [a, b, c, d]) => {
                let (first, second) = ([a, b], [c, d]);
                let across = (b - a).cross(d - c);
                self.boxes_apart(&first, &second, by) || self.apart_along(across, &first, &second, by)
            }
        }
    }
}

/// Of a triangle, twice as long as its area. Any axis will do: its own rounding does not matter.
fn normal(t: &[DVec3; 3]) -> DVec3 {
    (t[1] - t[0]).cross(t[2] - t[0])
}

impl PairVisitor for Slide<'_, '_> {
    type Placed = [Corners; 2];
    fn first(&self, at: Place) -> Self::Placed {
        self.placed(0, at)
    }
    fn second(&self, at: Place) -> Self::Placed {
        self.placed(1, at)
    }
    fn bound(&self, a: &Self::Placed, b: &Self::Placed) -> f64 {
        let bound = first_overlap(&self.frames[0], &a[0], &b[0]);
        match self.frames.get(1) {
            Some(frame) => bound.max(first_overlap(frame, &a[1], &b[1])),
            None => bound,
        }
    }
    fn limit(&self) -> f64 {
        self.search.limit()
    }
    fn leaves(&mut self, a: Range<usize>, b: Range<usize>) {
        let of =
            |search: &Search<'_>, mesh: usize, slots: Range<usize>| -> SmallVec<[(usize, [DVec3; 3]); 4]> {
                slots.map(|slot| (slot, search.corners(mesh, slot))).collect()
            };
        let (first, second) = (of(self.search, 0, a), of(self.search, 1, b));
        for (i, x) in &first {
            let mut moving: Option<Triangle> = None;
            for (j, y) in &second {
                if self.way.parts(x, y, self.limit()) {
                    continue;
                }
                let own = moving.get_or_insert_with(|| self.search.triangle(0, *i));
                let other = self.search.triangle(1, *j);
                self.search.pair(own, &other);
            }
        }
    }
}
