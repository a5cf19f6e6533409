//! A rigid motion at constant velocity and constant angular velocity.

use impinge_geometry::{DVec3, Pose, rotor_from_rotation_vector};

/// x(t) = o + t·v + exp(t w×)(x(0) − o), t ∈ [0, 1]: the origin moves straight, the body turns about it at constant rate.
///
/// What integrators of rigid bodies produce, with o the centre of mass. It is a screw motion (constant twist in space)
/// exactly when v is parallel to w or o is chosen on the screw's axis; see [`RigidMotion::screw`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidMotion {
    /// o: a point of the body, in world coordinates at t = 0 (m).
    pub origin: DVec3,
    /// v: how far the origin goes during the step (m).
    pub translation: DVec3,
    /// w: axis times angle turned during the step (rad); more than half a turn is fine.
    pub rotation: DVec3,
}

impl RigidMotion {
    /// A body that does not move.
    #[must_use]
    pub fn at_rest() -> Self {
        Self { origin: DVec3::zero(), translation: DVec3::zero(), rotation: DVec3::zero() }
    }

    /// The motion from one pose to the other by the shorter way round; a body point x is at `pose0` at t = 0.
    ///
    /// Error at t = 1: a few roundings of the distance from the pose's position.
    #[must_use]
    pub fn between(pose0: &Pose, pose1: &Pose) -> Self {
        let r = pose1.rotation * pose0.rotation.reversed();
        // As a quaternion; both signs are the same rotation, and s ≥ 0 is the shorter way.
        let turn = if r.s < 0.0 { -1.0 } else { 1.0 };
        let q = DVec3::new(-r.bv.yz, r.bv.xz, -r.bv.xy) * turn;
        let sine = q.mag();
        // 2·atan2(sine, cosine)/sine tends to 2/cosine.
        let by = if sine > 1e-150 { 2.0 * libm::atan2(sine, r.s * turn) / sine } else { 2.0 };
        Self { origin: pose0.position, translation: pose1.position - pose0.position, rotation: q * by }
    }

    /// A screw: turns by `rotation` (axis times angle, rad) about the axis through `on_axis` while going `advance` (m) along
    /// it. Without rotation there is no axis and the body stays.
    #[must_use]
    pub fn screw(on_axis: DVec3, rotation: DVec3, advance: f64) -> Self {
        let along = impinge_geometry::try_normalized(rotation).unwrap_or(DVec3::zero());
        Self { origin: on_axis, translation: along * advance, rotation }
    }

    /// Where the point that is at `x` at t = 0 is at `t`.
    ///
    /// Error: at most 64u((1 + |w|)·|x − o| + |o| + |v|), u = 2⁻⁵³: the angle is right to 4u|w|, the rotor to 4u, its
    /// product with a vector to 20u, the sums to 4u.
    #[must_use]
    pub fn point_at(&self, x: DVec3, t: f64) -> DVec3 {
        let r = rotor_from_rotation_vector(self.rotation * t);
        let q = DVec3::new(-r.bv.yz, r.bv.xz, -r.bv.xy);
        let a = x - self.origin;
        // a + 2 q×(q×a + s a).
        let turned = a + q.cross(q.cross(a) + a * r.s) * 2.0;
        self.origin + self.translation * t + turned
    }

    pub(crate) fn is_finite(&self) -> bool {
        [self.origin, self.translation, self.rotation].iter().all(|v| impinge_geometry::is_finite(*v))
    }
}
