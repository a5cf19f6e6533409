//! Two meshes where they are: their boxes along the axes of both, their triangles in the world.

use crate::pairs::Place;
use crate::place::{Placing, PoseError};
use crate::tree::MeshIndex;
use impinge_geometry::{DVec3, Pose};

/// Lower and upper corner (m).
pub(crate) type Corners = (DVec3, DVec3);

pub(crate) struct Posed<'a> {
    pub meshes: [&'a MeshIndex; 2],
    pub poses: [&'a Pose; 2],
    /// Of each mesh, along the axes of the first and of the second.
    placings: [[Placing; 2]; 2],
}

impl<'a> Posed<'a> {
    pub fn new(meshes: [&'a MeshIndex; 2], poses: [&'a Pose; 2]) -> Result<Self, PoseError> {
        PoseError::check(0, poses[0])?;
        PoseError::check(1, poses[1])?;
        let along =
            |mesh: usize| poses.map(|axes| Placing::new(meshes[mesh], poses[mesh], &axes.rotation, 0.0));
        Ok(Self { meshes, poses, placings: [along(0), along(1)] })
    }

    /// A box along both axes.
    #[inline]
    #[must_use]
    pub fn placed(&self, mesh: usize, at: Place) -> [Corners; 2] {
        Placing::along_both(&self.placings[mesh], self.meshes[mesh].box_at(at))
    }

    /// The corners of a triangle by its place in the tree.
    #[inline]
    #[must_use]
    pub fn in_world(&self, mesh: usize, slot: usize) -> [DVec3; 3] {
        self.meshes[mesh].corners_at(slot).map(|p| self.poses[mesh].point_to_world(p))
    }
}
