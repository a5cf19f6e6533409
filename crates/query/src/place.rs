//! Boxes of a mesh in another frame, rounded outward, and what is refused as a pose.

use crate::tree::MeshIndex;
use impinge_geometry::{DMat3, DRotor3, DVec3, Pose};
use std::fmt;

/// Why a pose was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PoseError {
    /// A number of the pose of mesh 0 or 1 is NaN or infinite.
    NotFinite {
        /// Which mesh.
        mesh: usize,
    },
    /// The rotation of mesh 0 or 1 is not a rotation: its rotor is not of length one.
    NotUnit {
        /// Which mesh.
        mesh: usize,
    },
}

impl fmt::Display for PoseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite { mesh } => {
                write!(f, "the pose of mesh {mesh} is NaN or infinite; stop at the state that made it")
            }
            Self::NotUnit { mesh } => {
                write!(f, "the rotation of mesh {mesh} is not of length one; make the pose with Pose::new")
            }
        }
    }
}

impl std::error::Error for PoseError {}

/// How far the length of a rotor may be from one.
const LOOSE: f64 = 1e-6;

impl PoseError {
    /// Refuses a pose that is not finite or no rotation.
    ///
    /// # Errors
    /// As this type says.
    pub fn check(mesh: usize, pose: &Pose) -> Result<(), Self> {
        if !pose.is_finite() {
            return Err(Self::NotFinite { mesh });
        }
        if defect(&pose.rotation) > LOOSE { Err(Self::NotUnit { mesh }) } else { Ok(()) }
    }
}

fn defect(r: &DRotor3) -> f64 {
    (r.mag_sq() - 1.0).abs()
}

/// Places boxes of one mesh, at one pose, along the axes of a frame.
#[derive(Clone, Copy, Debug)]
pub struct Placing {
    turn: Option<(DMat3, DMat3)>,
    shift: DVec3,
    /// On every side (m): rounding of the box and of the points it holds.
    pad: DVec3,
}

impl Placing {
    /// Boxes of `mesh` at `pose` in the world turned back by the rotation `axes`. Boxes grow by `margin` (m) on every side, and by
    /// what rounds: they hold the points of [`Pose::point_to_world`] as computed.
    #[must_use]
    pub fn new(mesh: &MeshIndex, pose: &Pose, axes: &DRotor3, margin: f64) -> Self {
        let back = axes.into_matrix().transposed();
        let turn = (pose.rotation != *axes).then(|| {
            let m = back * pose.matrix();
            (m, DMat3::new(m.cols[0].abs(), m.cols[1].abs(), m.cols[2].abs()))
        });
        let (lo, hi) = mesh.bounds();
        let sum = |v: DVec3| v.x.abs() + v.y.abs() + v.z.abs();
        let reach = sum(pose.position) + sum(lo).max(sum(hi));
        let slack = 64.0 * f64::EPSILON + 8.0 * (defect(&pose.rotation) + defect(axes));
        Self { turn, shift: back * pose.position, pad: DVec3::broadcast(slack * reach + margin) }
    }

    /// A box of the mesh (m, body frame) in the frame.
    #[inline]
    #[must_use]
    pub fn place(&self, (lo, hi): (DVec3, DVec3)) -> (DVec3, DVec3) {
        let Some((m, abs)) = &self.turn else {
            return (lo + self.shift - self.pad, hi + self.shift + self.pad);
        };
        let centre = mul(m, lo * 0.5 + hi * 0.5) + self.shift;
        let half = mul(abs, hi * 0.5 - lo * 0.5) + self.pad;
        (centre - half, centre + half)
    }
}

impl Placing {
    /// A box that this placed, where `other` places it: of the same mesh with the same rotation along the same axes. Give both a margin
    /// for the rounding of the way between them.
    #[inline]
    #[must_use]
    pub fn shifted_to(&self, other: &Self, (lo, hi): (DVec3, DVec3)) -> (DVec3, DVec3) {
        let by = self.way_to(other);
        (lo + by, hi + by)
    }

    /// How far boxes go from here to where `other` places them: of the same mesh with the same rotation along the same axes.
    #[must_use]
    pub fn way_to(&self, other: &Self) -> DVec3 {
        other.shift - self.shift
    }

    /// A box along the axes of two frames; looked at once where they are one.
    #[inline]
    pub(crate) fn along_both(placings: &[Self; 2], b: (DVec3, DVec3)) -> [(DVec3, DVec3); 2] {
        let first = placings[0].place(b);
        // Both meshes stand alike where one of them stands along both frames.
        let alike = placings[0].turn.is_none() && placings[1].turn.is_none();
        [first, if alike { first } else { placings[1].place(b) }]
    }
}

#[inline]
fn mul(m: &DMat3, v: DVec3) -> DVec3 {
    m.cols[0] * v.x + m.cols[1] * v.y + m.cols[2] * v.z
}
