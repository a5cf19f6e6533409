//! Frames centred on the middle of a body's bounds.

use impinge_geometry::{DMat3, DVec3, Pose};

/// A body's frame moved to the middle of its bounds: x_world = position + rotation · x_centred.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    pub rotation: DMat3,
    pub position: DVec3,
    pub origin: DVec3,
}

impl Frame {
    #[must_use]
    pub fn new(pose: &Pose, origin: DVec3) -> Self {
        Self { rotation: pose.matrix(), position: pose.position, origin }
    }

    #[must_use]
    pub fn world_origin(&self) -> DVec3 {
        self.position + self.rotation * self.origin
    }

    /// This frame in `host`. The bodies' origins are subtracted before anything small is added.
    #[must_use]
    pub fn seen_from(&self, host: &Self) -> (DMat3, DVec3) {
        let back = host.rotation.transposed();
        let t = back * ((self.position - host.position) + self.rotation * self.origin) - host.origin;
        (back * self.rotation, t)
    }
}
