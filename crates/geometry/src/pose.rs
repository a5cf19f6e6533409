//! Rigid placement and the exponential map of rotations.

use ultraviolet::{DBivec3, DMat3, DRotor3, DVec3};

/// Where a body frame stands in the world: `x_world = position + rotation · x_body`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pose {
    /// Origin of the body frame in world coordinates (m).
    pub position: DVec3,
    /// Rotation from body to world axes; unit.
    pub rotation: DRotor3,
}

impl Default for Pose {
    fn default() -> Self {
        Self::identity()
    }
}

impl Pose {
    /// The pose that changes nothing.
    pub fn identity() -> Self {
        Self { position: DVec3::zero(), rotation: DRotor3::identity() }
    }

    /// A pose from its parts; the rotation is renormalised. A rotor of length zero has no direction and gives NaN, as one with NaN
    /// or infinity in it does; [`Pose::is_finite`] tells.
    pub fn new(position: DVec3, rotation: DRotor3) -> Self {
        Self { position, rotation: rotation.normalized() }
    }

    /// A pose without rotation.
    pub fn from_position(position: DVec3) -> Self {
        Self { position, rotation: DRotor3::identity() }
    }

    /// The rotation as a matrix; take it once when many points are transformed.
    pub fn matrix(&self) -> DMat3 {
        self.rotation.into_matrix()
    }

    /// Body point to world point.
    pub fn point_to_world(&self, p: DVec3) -> DVec3 {
        self.position + self.matrix() * p
    }

    /// World point to body point.
    pub fn point_to_body(&self, p: DVec3) -> DVec3 {
        self.matrix().transposed() * (p - self.position)
    }

    /// Body direction to world direction.
    pub fn vector_to_world(&self, v: DVec3) -> DVec3 {
        self.matrix() * v
    }

    /// World direction to body direction.
    pub fn vector_to_body(&self, v: DVec3) -> DVec3 {
        self.matrix().transposed() * v
    }

    /// This frame seen from `other`: `x_other = self.relative_to(other) · x_self`.
    pub fn relative_to(&self, other: &Self) -> Self {
        let back = other.matrix().transposed();
        Self {
            position: back * (self.position - other.position),
            rotation: (other.rotation.reversed() * self.rotation).normalized(),
        }
    }

    /// `true` when every number is finite.
    pub fn is_finite(&self) -> bool {
        let r = self.rotation;
        let p = self.position;
        [p.x, p.y, p.z, r.s, r.bv.xy, r.bv.xz, r.bv.yz].iter().all(|c| c.is_finite())
    }
}

/// The exponential map: the rotation by `|w|` radians about the axis `w`, as a rotor.
///
/// Near zero the half-angle sine is taken from its series, so the map is smooth and never divides by zero.
pub fn rotor_from_rotation_vector(w: DVec3) -> DRotor3 {
    let angle_squared = w.mag_sq();
    // sin(θ/2)/θ; below 1e-4 rad² the first neglected term is θ⁶/645120, under one rounding.
    let (s, k) = if angle_squared < 1e-4 {
        let q = angle_squared;
        (
            1.0 - q / 8.0 + q * q / 384.0 - q * q * q / 46080.0,
            0.5 - q / 48.0 + q * q / 3840.0 - q * q * q / 645_120.0,
        )
    } else {
        let angle = angle_squared.sqrt();
        (libm::cos(0.5 * angle), libm::sin(0.5 * angle) / angle)
    };
    DRotor3::new(s, DBivec3::new(-k * w.z, k * w.y, -k * w.x)).normalized()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_map_turns_the_right_way() {
        let r = rotor_from_rotation_vector(DVec3::new(0.0, 0.0, std::f64::consts::FRAC_PI_2));
        assert!((r * DVec3::unit_x() - DVec3::unit_y()).mag() < 1e-15);
        let r = rotor_from_rotation_vector(DVec3::new(std::f64::consts::FRAC_PI_2, 0.0, 0.0));
        assert!((r * DVec3::unit_y() - DVec3::unit_z()).mag() < 1e-15);
        let r = rotor_from_rotation_vector(DVec3::new(0.0, std::f64::consts::FRAC_PI_2, 0.0));
        assert!((r * DVec3::unit_z() - DVec3::unit_x()).mag() < 1e-15);
    }

    #[test]
    fn series_and_closed_form_meet() {
        for angle in [0.0, 1e-12, 9.9e-3, 1.01e-2, 0.5, 3.0] {
            let w = DVec3::new(0.6, -0.48, 0.64) * angle;
            let v = DVec3::new(0.3, -1.1, 0.7);
            // Rodrigues' formula as the independent answer.
            let axis = DVec3::new(0.6, -0.48, 0.64);
            let want =
                v * angle.cos() + axis.cross(v) * angle.sin() + axis * (axis.dot(v) * (1.0 - angle.cos()));
            assert!((rotor_from_rotation_vector(w) * v - want).mag() < 1e-14, "angle {angle}");
        }
    }

    #[test]
    fn a_rotor_without_length_is_not_finite() {
        let none = DRotor3::new(0.0, DBivec3::new(0.0, 0.0, 0.0));
        for rotor in [none, DRotor3::new(f64::NAN, DBivec3::new(0.0, 0.0, 0.0))] {
            assert!(!Pose::new(DVec3::zero(), rotor).is_finite());
        }
    }

    #[test]
    fn pose_round_trip() {
        let p = Pose::new(DVec3::new(1.0, -2.0, 3.0), rotor_from_rotation_vector(DVec3::new(0.3, 0.2, -0.9)));
        let x = DVec3::new(0.1, 0.2, 0.3);
        assert!((p.point_to_body(p.point_to_world(x)) - x).mag() < 1e-15);
        assert!((p.matrix() * x - p.rotation * x).mag() < 1e-15);
        let q = Pose::new(DVec3::new(0.2, 0.1, -4.0), rotor_from_rotation_vector(DVec3::new(-0.5, 0.9, 0.1)));
        let via = q.point_to_body(p.point_to_world(x));
        assert!((p.relative_to(&q).point_to_world(x) - via).mag() < 1e-14);
    }
}
