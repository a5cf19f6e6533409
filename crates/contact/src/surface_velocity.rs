//! Surfaces that move along themselves while their bodies stay: conveyor belts, turntables, rollers.
//!
//! Friction sees the slip against such a surface; nothing else does. The part of the velocity across a contact is left out, so that a belt
//! neither presses nor parts. In the ledger what a belt puts in is the work of a driver.

use crate::StateHash;
use impinge_geometry::{DVec3, Pose, is_bounded};

/// How the surface of a body moves against the body, in its axes (of the centre-of-mass frame): `linear + spin × (x − about)`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SurfaceVelocity {
    /// The same everywhere (m/s): a belt.
    pub linear: DVec3,
    /// About an axis through `about` (rad/s): a turntable, a roller.
    pub spin: DVec3,
    /// A point of that axis (m).
    pub about: DVec3,
}

impl SurfaceVelocity {
    /// A belt with this velocity (m/s, body axes).
    ///
    /// ```
    /// use impinge_contact::SurfaceVelocity;
    /// assert_eq!(SurfaceVelocity::along([1.0, 0.0, 0.0]).linear.x, 1.0);
    /// ```
    #[must_use]
    pub fn along(velocity: impl Into<DVec3>) -> Self {
        Self { linear: velocity.into(), ..Self::default() }
    }

    /// A surface that turns with `spin` (rad/s) about an axis through `about` (m), both in body axes.
    ///
    /// ```
    /// use impinge_contact::SurfaceVelocity;
    /// let table = SurfaceVelocity::turning([0.0, 0.0, 2.0], [0.0; 3]);
    /// assert_eq!(table.at([0.5, 0.0, 0.1].into()).y, 1.0);
    /// ```
    #[must_use]
    pub fn turning(spin: impl Into<DVec3>, about: impl Into<DVec3>) -> Self {
        Self { linear: DVec3::zero(), spin: spin.into(), about: about.into() }
    }

    /// At a point of the body (m), both in body axes.
    #[must_use]
    pub fn at(&self, point: DVec3) -> DVec3 {
        self.linear + self.spin.cross(point - self.about)
    }

    /// Every number is one, of at most [`impinge_geometry::LARGEST`].
    #[must_use]
    pub fn is_bounded(&self) -> bool {
        is_bounded(self.linear) && is_bounded(self.spin) && is_bounded(self.about)
    }

    /// Nothing moves.
    #[must_use]
    pub fn is_still(&self) -> bool {
        self.linear == DVec3::zero() && self.spin == DVec3::zero()
    }

    pub(crate) fn hash_into(&self, h: &mut StateHash) {
        [self.linear, self.spin, self.about].into_iter().for_each(|v| h.vector(v));
    }
}

/// The bodies of a world whose surfaces move, by slot; of most worlds none.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SurfaceVelocities(Vec<(u32, SurfaceVelocity)>);

impl SurfaceVelocities {
    /// Of these slots; the last one of a slot holds.
    #[must_use]
    pub fn new(all: impl IntoIterator<Item = (u32, SurfaceVelocity)>) -> Self {
        let mut rows: Vec<(u32, SurfaceVelocity)> = all.into_iter().collect();
        rows.sort_by_key(|r| r.0);
        // Of a slot the last one stays.
        rows.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                kept.1 = later.1;
            }
            same
        });
        rows.retain(|r| !r.1.is_still());
        Self(rows)
    }

    /// No surface moves.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// That of a body.
    #[must_use]
    pub fn get(&self, body: u32) -> Option<&SurfaceVelocity> {
        let i = self.0.binary_search_by_key(&body, |r| r.0).ok()?;
        Some(&self.0[i].1)
    }

    /// Spin (rad/s, world) of the surface of a body with this frame against the body.
    #[must_use]
    pub fn spin(&self, body: u32, frame: &Pose) -> DVec3 {
        self.get(body).map_or(DVec3::zero(), |own| frame.vector_to_world(own.spin))
    }

    /// Velocity (m/s, world) of the surface of a body with this frame against the body, at a point of the world (m).
    #[must_use]
    pub fn at(&self, body: u32, frame: &Pose, point: DVec3) -> Option<DVec3> {
        let own = self.get(body)?;
        Some(frame.vector_to_world(own.at(frame.point_to_body(point))))
    }

    /// How fast a contact point (m, world) drifts along the first body because surfaces move (m/s, across `normal`): the velocity of the second
    /// body's surface less that of the first's. `None` where neither moves. The slip of the first over the second is less by this, and a place
    /// that friction holds on to goes along with it. `frames` are by slot.
    #[must_use]
    pub fn drift(
        &self,
        frames: &[Pose],
        [first, second]: [u32; 2],
        point: DVec3,
        normal: DVec3,
    ) -> Option<DVec3> {
        if self.0.is_empty() {
            return None;
        }
        let of = |b: u32| self.at(b, frames.get(b as usize)?, point);
        let drift = match (of(first), of(second)) {
            (None, None) => return None,
            (a, b) => b.unwrap_or_default() - a.unwrap_or_default(),
        };
        Some(drift - normal * normal.dot(drift))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drift_is_tangential_and_changes_sign_with_the_order() {
        let all = SurfaceVelocities::new([(3, SurfaceVelocity::along([1.0, 2.0, 3.0]))]);
        let frames = [Pose::identity(); 4];
        let n = DVec3::unit_z();
        let drift = |pair| all.drift(&frames, pair, DVec3::zero(), n);
        assert_eq!(drift([0, 3]), Some(DVec3::new(1.0, 2.0, 0.0)));
        assert_eq!(drift([3, 0]), Some(DVec3::new(-1.0, -2.0, 0.0)));
        assert_eq!(drift([0, 1]), None);
    }

    #[test]
    fn the_last_one_of_a_body_holds_and_what_is_still_is_left_out() {
        let one = SurfaceVelocity::along([1.0, 0.0, 0.0]);
        assert!(SurfaceVelocities::new([(2, one), (2, SurfaceVelocity::default())]).is_empty());
        assert_eq!(SurfaceVelocities::new([(2, SurfaceVelocity::default()), (2, one)]).get(2), Some(&one));
    }
}
