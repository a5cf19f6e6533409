//! The distance of two meshes, and the points where they are nearest.

use crate::meet::{Meet, meet};
use crate::nearest::widen;
use crate::pairs::{PairVisitor, Place};
use crate::place::PoseError;
use crate::posed::{Corners, Posed};
use crate::tree::MeshIndex;
use impinge_geometry::{DVec3, Pose, closest_between_segments, closest_on_triangle};
use std::ops::Range;

/// Where two meshes are nearest to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Between {
    /// Distance of the surfaces (m); 0 exactly where they share a point.
    pub distance: f64,
    /// A point on each surface (m, world).
    pub points: [DVec3; 2],
    /// The triangles the points lie on.
    pub triangles: [u32; 2],
}

/// The nearest points of two triangles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    pub points: [DVec3; 2],
    pub distance_squared: f64,
}

/// The nearest points of two closed triangles; up to rounding the same point where they meet.
///
/// Measured from a corner of the first: far from the origin nothing of the distance is lost.
pub(crate) fn triangles(a: &[DVec3; 3], b: &[DVec3; 3]) -> Near {
    let origin = a[0];
    let near = triangles_at_origin(&a.map(|p| p - origin), &b.map(|p| p - origin));
    Near { points: near.points.map(|p| p + origin), ..near }
}

fn triangles_at_origin(a: &[DVec3; 3], b: &[DVec3; 3]) -> Near {
    let mut best = Near { points: [a[0], b[0]], distance_squared: f64::INFINITY };
    let mut offer = |points: [DVec3; 2], distance_squared: f64| {
        if distance_squared < best.distance_squared {
            best = Near { points, distance_squared };
        }
    };
    for i in 0..3 {
        let c = closest_on_triangle(a[i], *b);
        offer([a[i], c.point], c.distance_squared);
        let c = closest_on_triangle(b[i], *a);
        offer([c.point, b[i]], c.distance_squared);
        // Where an edge passes through the other's plane; a point of the edge, so a candidate whatever it rounds to.
        for (edges, face, swap) in [(a, b, false), (b, a, true)] {
            let (p, q) = (edges[i], edges[(i + 1) % 3]);
            let n = (face[1] - face[0]).cross(face[2] - face[0]);
            let (s, t) = (n.dot(p - face[0]), n.dot(q - face[0]));
            if s * t < 0.0 {
                let x = p + (q - p) * (s / (s - t));
                let c = closest_on_triangle(x, *face);
                offer(if swap { [c.point, x] } else { [x, c.point] }, c.distance_squared);
            }
        }
        for j in 0..3 {
            let c = closest_between_segments([a[i], a[(i + 1) % 3]], [b[j], b[(j + 1) % 3]]);
            offer(c.points, c.distance_squared);
        }
    }
    best
}

/// Squared distance of two boxes (m²).
fn gap_squared(a: &Corners, b: &Corners) -> f64 {
    let gap = (a.0 - b.1).max_by_component(b.0 - a.1).max_by_component(DVec3::zero());
    gap.mag_sq()
}

fn around(t: &[DVec3; 3]) -> Corners {
    (t[0].min_by_component(t[1]).min_by_component(t[2]), t[0].max_by_component(t[1]).max_by_component(t[2]))
}

struct Search<'a> {
    posed: Posed<'a>,
    size: f64,
    /// Least squared distance, and the triangles of it with the lowest numbers.
    best: (f64, [u32; 2]),
    points: [DVec3; 2],
    limit: f64,
}

impl PairVisitor for Search<'_> {
    type Placed = [Corners; 2];
    fn first(&self, at: Place) -> Self::Placed {
        self.posed.placed(0, at)
    }
    fn second(&self, at: Place) -> Self::Placed {
        self.posed.placed(1, at)
    }
    fn bound(&self, a: &Self::Placed, b: &Self::Placed) -> f64 {
        gap_squared(&a[0], &b[0]).max(gap_squared(&a[1], &b[1]))
    }
    fn limit(&self) -> f64 {
        self.limit
    }
    fn leaves(&mut self, a: Range<usize>, b: Range<usize>) {
        let of_b: smallvec::SmallVec<[_; 4]> = b
            .map(|slot| {
                let t = self.posed.in_world(1, slot);
                (self.posed.meshes[1].triangle_at(slot), t, around(&t))
            })
            .collect();
        for slot in a {
            let first = self.posed.in_world(0, slot);
            let (id, box_a) = (self.posed.meshes[0].triangle_at(slot), around(&first));
            for (other, second, box_b) in &of_b {
                if gap_squared(&box_a, box_b) > self.limit {
                    continue;
                }
                let mut near = triangles(&first, second);
                // Whether they share a point is not for rounding to say.
                if near.distance_squared <= (1e-9 * self.size).powi(2) {
                    let meets = meet(&first, second) != Meet::Apart;
                    near.distance_squared =
                        if meets { 0.0 } else { near.distance_squared.max(f64::MIN_POSITIVE) };
                }
                let key = (near.distance_squared, [id, *other]);
                if key < self.best {
                    (self.best, self.points) = (key, near.points);
                    self.limit = widen(key.0, self.size).1;
                }
            }
        }
    }
}

/// The distance of two meshes at their poses, and the points where they are nearest; of pairs of triangles with the same
/// distance, the one with the lowest numbers. The same bits whatever the trees look like.
///
/// The distance is that of the surfaces. It is 0 exactly where they share a point, which [`crate::relation`] tells apart from passing
/// through each other; of one solid inside another it is the distance to the inner side.
///
/// # Errors
/// [`PoseError`] for a pose that is not finite or whose rotor is not of length one.
///
/// ```
/// use impinge_geometry::{DVec3, Pose, icosphere};
/// use impinge_query::{MeshIndex, distance};
///
/// let ball = MeshIndex::new(&icosphere(1.0, 3)?);
/// let there = Pose::from_position(DVec3::new(2.5, 0.0, 0.0));
/// let near = distance(&ball, &Pose::identity(), &ball, &there)?;
/// assert!((near.distance - 0.5).abs() < 1e-2); // facets of a ball of radius 1
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("GJK", "minimum distance"))]
pub fn distance(a: &MeshIndex, pose_a: &Pose, b: &MeshIndex, pose_b: &Pose) -> Result<Between, PoseError> {
    let posed = Posed::new([a, b], [pose_a, pose_b])?;
    let reach = |mesh: usize| {
        let (p, of) = (posed.poses[mesh].position, posed.meshes[mesh]);
        p.x.abs() + p.y.abs() + p.z.abs() + of.size + of.centre.mag()
    };
    let mut search = Search {
        size: reach(0) + reach(1),
        posed,
        best: (f64::INFINITY, [u32::MAX; 2]),
        points: [DVec3::zero(); 2],
        limit: f64::INFINITY,
    };
    a.walk_pairs(b, &mut search);
    let (squared, triangles) = search.best;
    let distance = squared.sqrt();
    Ok(Between { distance, points: search.points, triangles })
}
