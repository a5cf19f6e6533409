//! How two meshes lie now: apart, touching, through each other, one inside the other.

use crate::between::triangles;
use crate::meet::{Meet, meet};
use crate::pairs::{PairVisitor, Place};
use crate::place::PoseError;
use crate::posed::{Corners, Posed};
use crate::tree::MeshIndex;
use impinge_geometry::{DVec3, Pose, triangle_normal, try_normalized};
use std::ops::Range;

/// How two meshes lie.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Relation {
    /// The surfaces share no point, and no closed mesh holds a part of the other.
    Apart,
    /// The surfaces share points; neither passes through the other.
    Touching {
        /// A common point (m, world), to rounding.
        point: DVec3,
        /// The triangles that share it: of all, those with the lowest numbers.
        triangles: [u32; 2],
    },
    /// The surfaces pass through each other; of two closed meshes also: they lie on each other and both are solid there.
    Crossing {
        /// A common point (m, world), to rounding.
        point: DVec3,
        /// The triangles that share it: of all that cross, those with the lowest numbers.
        triangles: [u32; 2],
    },
    /// The surfaces share no point, and a part of one mesh lies inside the other, which is closed.
    Inside {
        /// Which mesh has the part that lies inside: 0 or 1.
        inner: usize,
        /// A vertex of that part (m, world).
        point: DVec3,
    },
}

impl Relation {
    /// Do the solids, or surfaces, share more than their boundary?
    #[must_use]
    pub fn overlaps(&self) -> bool {
        matches!(self, Self::Crossing { .. } | Self::Inside { .. })
    }
}

/// A step off the surface, against the size of both meshes: overlap of meshes whose sides lie on each other is looked for that deep.
const STEP: f64 = 1e-9;

/// Triangles that touch without crossing and are asked whether both solids are at their point.
const ASKED: usize = 4096;

struct Search<'a> {
    posed: Posed<'a>,
    /// Stops at the first common point, or at the first crossing.
    enough: Option<Meet>,
    done: bool,
    crossing: Option<[u32; 2]>,
    /// Pairs of places in tree order, and the triangles.
    touching: Vec<[u32; 4]>,
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
        let apart = |a: &Corners, b: &Corners| (0..3).any(|k| a.0[k] > b.1[k] || b.0[k] > a.1[k]);
        if apart(&a[0], &b[0]) || apart(&a[1], &b[1]) { f64::INFINITY } else { 0.0 }
    }
    fn limit(&self) -> f64 {
        if self.done { -1.0 } else { 0.0 }
    }
    fn leaves(&mut self, a: Range<usize>, b: Range<usize>) {
        for i in a {
            let first = self.posed.in_world(0, i);
            for j in b.clone() {
                let found = meet(&first, &self.posed.in_world(1, j));
                let ids = [self.posed.meshes[0].triangle_at(i), self.posed.meshes[1].triangle_at(j)];
                match found {
                    Meet::Apart => continue,
                    Meet::Touch => self.touching.push([ids[0], ids[1], i as u32, j as u32]),
                    Meet::Cross => self.crossing = Some(self.crossing.map_or(ids, |c| c.min(ids))),
                }
                self.done |= self.enough.is_some_and(|e| found >= e);
            }
        }
    }
}

impl<'a> Search<'a> {
    fn new(
        meshes: [&'a MeshIndex; 2],
        poses: [&'a Pose; 2],
        enough: Option<Meet>,
    ) -> Result<Self, PoseError> {
        let posed = Posed::new(meshes, poses)?;
        Ok(Self { posed, enough, done: false, crossing: None, touching: Vec::new() })
    }

    fn run(
        meshes: [&'a MeshIndex; 2],
        poses: [&'a Pose; 2],
        enough: Option<Meet>,
    ) -> Result<Self, PoseError> {
        let mut search = Self::new(meshes, poses, enough)?;
        meshes[0].walk_pairs(meshes[1], &mut search);
        search.touching.sort_unstable();
        Ok(search)
    }

    fn holds(&self, mesh: usize, world: DVec3) -> bool {
        self.posed.meshes[mesh].winding(self.posed.poses[mesh].point_to_body(world)) > 0
    }

    /// Of two closed meshes that touch and do not cross: is there a point just off the common ones that both hold?
    fn both_solid(&self) -> bool {
        if !self.posed.meshes.iter().all(|m| m.is_closed()) {
            return false;
        }
        let step = STEP * (self.posed.meshes[0].size + self.posed.meshes[1].size);
        let shared = |at: DVec3| self.holds(0, at) && self.holds(1, at);
        self.touching.iter().take(ASKED).any(|t| {
            let (a, b) = (self.posed.in_world(0, t[2] as usize), self.posed.in_world(1, t[3] as usize));
            let normals = [triangle_normal(a), triangle_normal(b)].map(|n| n.unwrap_or(DVec3::zero()));
            let middle = |t: &[DVec3; 3]| (t[0] + t[1] + t[2]) / 3.0;
            let inward = try_normalized(-(normals[0] + normals[1])).unwrap_or(DVec3::zero());
            let point = triangles(&a, &b).points[0];
            shared(middle(&a) - normals[0] * step)
                || shared(middle(&b) - normals[1] * step)
                || shared(point + inward * step)
        })
    }

    fn inside(&self) -> Option<Relation> {
        [(0, 1), (1, 0)].into_iter().find_map(|(inner, outer)| {
            let (lo, hi) = self.posed.meshes[outer].bounds();
            let within = |p: DVec3| (0..3).all(|k| lo[k] <= p[k] && p[k] <= hi[k]);
            // A part of the inner mesh can only be in a box that the meshes' boxes share.
            let whole = |mesh| self.posed.placed(mesh, Place::WHOLE);
            if self.bound(&whole(0), &whole(1)) > 0.0 || !self.posed.meshes[outer].is_closed() {
                return None;
            }
            let points = self.posed.meshes[inner].point_of_each_part();
            let mut points = points.map(|p| self.posed.poses[inner].point_to_world(p));
            let found =
                points.find(|p| within(self.posed.poses[outer].point_to_body(*p)) && self.holds(outer, *p));
            found.map(|point| Relation::Inside { inner, point })
        })
    }

    fn common_point(&self, [i, j]: [usize; 2]) -> DVec3 {
        triangles(&self.posed.in_world(0, i), &self.posed.in_world(1, j)).points[0]
    }

    fn relation(&self) -> Relation {
        if let Some(ids) = self.crossing {
            let slot = |mesh: usize| self.posed.meshes[mesh].slot_of(ids[mesh]);
            return Relation::Crossing { point: self.common_point([slot(0), slot(1)]), triangles: ids };
        }
        let Some(&[a, b, i, j]) = self.touching.first() else {
            return self.inside().unwrap_or(Relation::Apart);
        };
        let (point, triangles) = (self.common_point([i as usize, j as usize]), [a, b]);
        if self.both_solid() {
            Relation::Crossing { point, triangles }
        } else {
            Relation::Touching { point, triangles }
        }
    }
}

/// How two meshes lie at their poses. Common points are decided exactly, for the corners as [`Pose::point_to_world`] computes them.
///
/// Open meshes are surfaces: they cross where an edge of one passes through the inside of a triangle of the other. A closed mesh is a
/// solid, and a part of the other inside it overlaps, too. Where solids meet on sides, edges or corners alone (two equal cubes at one
/// place, a face on a face), points 10⁻⁹ of the meshes' size off the common ones decide whether they overlap.
///
/// # Errors
/// [`PoseError`] for a pose that is not finite or whose rotor is not of length one.
///
/// ```
/// use impinge_geometry::{DVec3, Pose, cuboid};
/// use impinge_query::{MeshIndex, Relation, relation};
///
/// let cube = MeshIndex::new(&cuboid(DVec3::one(), [1; 3])?);
/// let at = |x| Pose::from_position(DVec3::new(x, 0.0, 0.0));
/// let lie = |x| relation(&cube, &Pose::identity(), &cube, &at(x));
/// assert_eq!(lie(1.5)?, Relation::Apart);
/// assert!(matches!(lie(1.0)?, Relation::Touching { .. }));
/// assert!(matches!(lie(0.9)?, Relation::Crossing { .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn relation(a: &MeshIndex, pose_a: &Pose, b: &MeshIndex, pose_b: &Pose) -> Result<Relation, PoseError> {
    Ok(Search::run([a, b], [pose_a, pose_b], None)?.relation())
}

/// Do the meshes overlap now: does one pass through the other, or lie inside it where that is closed? As [`relation`] says, and
/// sooner: the first crossing ends the search.
///
/// # Errors
/// As [`relation`].
///
/// ```
/// use impinge_geometry::{DVec3, Pose, cuboid};
/// use impinge_query::{MeshIndex, overlapping, touching};
///
/// let cube = MeshIndex::new(&cuboid(DVec3::one(), [1; 3])?);
/// let (here, beside) = (Pose::identity(), Pose::from_position(DVec3::unit_x()));
/// assert!(touching(&cube, &here, &cube, &beside)? && !overlapping(&cube, &here, &cube, &beside)?);
/// assert!(overlapping(&cube, &here, &cube, &here)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("intersection test"))]
pub fn overlapping(a: &MeshIndex, pose_a: &Pose, b: &MeshIndex, pose_b: &Pose) -> Result<bool, PoseError> {
    let search = Search::run([a, b], [pose_a, pose_b], Some(Meet::Cross))?;
    Ok(search.crossing.is_some() || search.relation().overlaps())
}

/// Do the surfaces share a point now? Exact; the first common point ends the search. One solid inside another does not touch it.
///
/// # Errors
/// As [`relation`].
///
/// ```
/// use impinge_geometry::{DVec3, Pose, icosphere};
/// use impinge_query::{MeshIndex, touching};
///
/// let (small, large) = (MeshIndex::new(&icosphere(0.5, 1)?), MeshIndex::new(&icosphere(1.0, 1)?));
/// let here = Pose::identity();
/// assert!(!touching(&small, &here, &large, &here)?);
/// assert!(touching(&small, &here, &large, &Pose::from_position(DVec3::unit_x()))?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn touching(a: &MeshIndex, pose_a: &Pose, b: &MeshIndex, pose_b: &Pose) -> Result<bool, PoseError> {
    let search = Search::run([a, b], [pose_a, pose_b], Some(Meet::Touch))?;
    Ok(search.crossing.is_some() || !search.touching.is_empty())
}

/// Of two meshes whose surfaces share no point, which the caller knows: does a part of one lie inside the other?
/// [`Relation::Inside`] or [`Relation::Apart`], without looking for common points as [`relation`] does.
///
/// # Errors
/// As [`relation`].
///
/// ```
/// use impinge_geometry::{Pose, icosphere};
/// use impinge_query::{MeshIndex, Relation, relation_of_separate};
///
/// let (small, large) = (MeshIndex::new(&icosphere(0.5, 1)?), MeshIndex::new(&icosphere(1.0, 1)?));
/// let here = Pose::identity();
/// let lie = relation_of_separate(&small, &here, &large, &here)?;
/// assert!(matches!(lie, Relation::Inside { inner: 0, .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn relation_of_separate(
    a: &MeshIndex,
    pose_a: &Pose,
    b: &MeshIndex,
    pose_b: &Pose,
) -> Result<Relation, PoseError> {
    Ok(Search::new([a, b], [pose_a, pose_b], None)?.inside().unwrap_or(Relation::Apart))
}
