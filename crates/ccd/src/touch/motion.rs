//! How a mesh moves, and what of that the search asks for.

use super::TouchError;
use crate::screw::{LARGEST_ROTATION, RigidMotion};
use impinge_geometry::{DVec3, Pose, rotor_from_rotation_vector};
use impinge_query::{MeshIndex, PoseError};
use std::borrow::Cow;

/// How a mesh moves from t = 0 to t = 1.
#[derive(Clone, Copy, Debug)]
pub enum Motion<'a> {
    /// Not at all.
    Still(Pose),
    /// From one pose to the other: straight, or turning at a constant rate by the shorter way round.
    Between(Pose, Pose),
    /// From a pose along a rigid motion, in world coordinates.
    Screw(Pose, RigidMotion),
    /// Each vertex straight from the one position to the other (m, world).
    Vertices(&'a [DVec3], &'a [DVec3]),
}

impl From<&Pose> for Motion<'_> {
    fn from(pose: &Pose) -> Self {
        Self::Still(*pose)
    }
}

impl From<(&Pose, &Pose)> for Motion<'_> {
    fn from((from, to): (&Pose, &Pose)) -> Self {
        Self::Between(*from, *to)
    }
}

impl From<(&Pose, &RigidMotion)> for Motion<'_> {
    fn from((from, motion): (&Pose, &RigidMotion)) -> Self {
        Self::Screw(*from, *motion)
    }
}

impl<'a> From<(&'a [DVec3], &'a [DVec3])> for Motion<'a> {
    fn from((from, to): (&'a [DVec3], &'a [DVec3])) -> Self {
        Self::Vertices(from, to)
    }
}

/// A mesh on its way.
pub(super) struct Mover<'a> {
    /// The tree, with boxes at the start.
    pub index: Cow<'a, MeshIndex>,
    /// Of vertices that move on their own: the tree with boxes at the end.
    pub ends: Option<MeshIndex>,
    pub from: Pose,
    /// Where it does not turn: the pose at the end.
    to: Pose,
    pub motion: RigidMotion,
}

impl<'a> Mover<'a> {
    pub fn new(mesh: usize, index: &'a MeshIndex, motion: Motion<'_>) -> Result<Self, TouchError> {
        let check = |pose: &Pose| PoseError::check(mesh, pose).map_err(TouchError::Pose);
        let rigid = |from: Pose, to: Pose, motion: RigidMotion| {
            check(&from)?;
            check(&to)?;
            if !motion.is_finite() {
                return Err(TouchError::MotionNotFinite { mesh });
            }
            if motion.rotation.mag() > LARGEST_ROTATION {
                return Err(TouchError::TooManyTurns { mesh });
            }
            Ok(Self { index: Cow::Borrowed(index), ends: None, from, to, motion })
        };
        let straight = |from: Pose, to: Pose| {
            let by = to.position - from.position;
            RigidMotion { origin: from.position, translation: by, rotation: DVec3::zero() }
        };
        match motion {
            Motion::Still(pose) => rigid(pose, pose, straight(pose, pose)),
            Motion::Between(from, to) if from.rotation == to.rotation => rigid(from, to, straight(from, to)),
            Motion::Between(from, to) => {
                check(&from)?;
                check(&to)?;
                rigid(from, to, RigidMotion::between(&from, &to))
            }
            Motion::Screw(from, motion) if motion.rotation == DVec3::zero() => {
                let to = Pose { position: from.position + motion.translation, ..from };
                if !to.is_finite() {
                    return Err(TouchError::MotionNotFinite { mesh });
                }
                rigid(from, to, straight(from, to))
            }
            Motion::Screw(from, motion) => rigid(from, from, motion),
            Motion::Vertices(x0, x1) => {
                let at = |at_end, x: &[DVec3]| {
                    let mut moved = index.clone();
                    let done = moved.update(x);
                    done.map(|()| moved).map_err(|error| TouchError::Positions { mesh, at_end, error })
                };
                let (start, end) = (at(false, x0)?, at(true, x1)?);
                let rest = Pose::identity();
                let motion = RigidMotion::at_rest();
                Ok(Self { index: Cow::Owned(start), ends: Some(end), from: rest, to: rest, motion })
            }
        }
    }

    #[must_use]
    pub fn turns(&self) -> bool {
        self.motion.rotation != DVec3::zero()
    }

    /// The tree at the end of the motion.
    #[must_use]
    pub fn at_end(&self) -> &MeshIndex {
        self.ends.as_ref().unwrap_or(&self.index)
    }

    /// Where the mesh is; at 0 and 1 of a straight motion the poses given.
    #[must_use]
    pub fn pose(&self, t: f64) -> Pose {
        if t == 0.0 {
            return self.from;
        }
        if t == 1.0 && !self.turns() {
            return self.to;
        }
        let turn = rotor_from_rotation_vector(self.motion.rotation * t);
        Pose::new(self.motion.point_at(self.from.position, t), turn * self.from.rotation)
    }

    /// Largest |x − o| of the mesh at the start (m), o the origin of the motion.
    #[must_use]
    pub fn radius(&self) -> f64 {
        let (lo, hi) = self.index.bounds();
        let corner = |i: usize| {
            let pick = |bit: usize, lo: f64, hi: f64| if i >> bit & 1 == 0 { lo } else { hi };
            DVec3::new(pick(0, lo.x, hi.x), pick(1, lo.y, hi.y), pick(2, lo.z, hi.z))
        };
        let far = |i: usize| (self.from.point_to_world(corner(i)) - self.motion.origin).mag();
        (0..8).map(far).fold(0.0, f64::max)
    }

    /// |o| + |v| (m).
    #[must_use]
    pub fn away(&self) -> f64 {
        self.motion.origin.mag() + self.motion.translation.mag()
    }
}
