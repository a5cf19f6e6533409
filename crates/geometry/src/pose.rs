//! Rigid placement and the exponential map of rotations.

use ultraviolet::{DBivec3, DMat3, DRotor3, DVec3};

/// Where a body frame stands in the world: `x_world = position + rotation · x_body`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias("transform", "isometry"))]
pub struct Pose {
    /// Origin of the body frame in world coordinates (m).
    pub position: DVec3,
    /// Rotation from body to world axes; unit.
    pub rotation: DRotor3,
}

/// How far a matrix may be from a rotation: one of single precision is taken.
const UNROTATED: f64 = 1e-6;

impl Default for Pose {
    fn default() -> Self {
        Self::identity()
    }
}

/// Unturned.
impl From<DVec3> for Pose {
    fn from(position: DVec3) -> Self {
        Self::from_position(position)
    }
}

/// Unturned.
impl From<[f64; 3]> for Pose {
    fn from(position: [f64; 3]) -> Self {
        Self::from_position(position.into())
    }
}

impl Pose {
    /// The pose that changes nothing.
    #[must_use]
    pub fn identity() -> Self {
        Self { position: DVec3::zero(), rotation: DRotor3::identity() }
    }

    /// A pose from its parts; the rotation is renormalised. A rotor of length zero has no direction and gives NaN, as one with NaN
    /// or infinity in it does; [`Pose::is_finite`] tells.
    #[must_use]
    pub fn new(position: DVec3, rotation: DRotor3) -> Self {
        Self { position, rotation: rotation.normalized() }
    }

    /// A pose without rotation.
    #[must_use]
    pub fn from_position(position: DVec3) -> Self {
        Self { position, rotation: DRotor3::identity() }
    }

    /// A pose turned by `angle` (rad) about `axis`, counter-clockwise where that points at the eye. The axis may have any length; of length 0 it turns
    /// nothing.
    ///
    /// ```
    /// use impinge_geometry::{DVec3, Pose};
    /// let quarter = Pose::from_axis_angle(DVec3::zero(), DVec3::unit_z() * 2.0, std::f64::consts::FRAC_PI_2);
    /// assert!((quarter.vector_to_world(DVec3::unit_x()) - DVec3::unit_y()).mag() < 1e-15);
    /// ```
    #[must_use]
    pub fn from_axis_angle(position: DVec3, axis: DVec3, angle: f64) -> Self {
        let length = axis.mag();
        let turn = if length > 0.0 { axis * (angle / length) } else { DVec3::zero() };
        Self::new(position, rotor_from_rotation_vector(turn))
    }

    /// A pose from a quaternion `[w, x, y, z]`, scalar first; it is made unit. As for [`Pose::new`], one of length zero gives NaN.
    ///
    /// ```
    /// use impinge_geometry::{DVec3, Pose};
    /// let half = std::f64::consts::FRAC_1_SQRT_2;
    /// let quarter = Pose::from_quaternion(DVec3::zero(), [half, 0.0, 0.0, half]);
    /// assert!((quarter.vector_to_world(DVec3::unit_x()) - DVec3::unit_y()).mag() < 1e-15);
    /// ```
    #[must_use]
    pub fn from_quaternion(position: DVec3, [w, x, y, z]: [f64; 4]) -> Self {
        Self::new(position, DRotor3::new(w, DBivec3::new(-z, y, -x)))
    }

    /// A pose from a rotation matrix, by columns: where the axes of the body point in the world. `None` for a matrix that is no rotation: columns that
    /// are not unit or not at right angles, to 10⁻⁶, and mirror images.
    ///
    /// ```
    /// use impinge_geometry::{DVec3, Pose};
    /// let quarter = Pose::from_matrix(DVec3::zero(), [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]).unwrap();
    /// assert!((quarter.vector_to_world(DVec3::unit_x()) - DVec3::unit_y()).mag() < 1e-15);
    /// let mirror = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]];
    /// assert!(Pose::from_matrix(DVec3::zero(), mirror).is_none());
    /// ```
    #[must_use]
    pub fn from_matrix(position: DVec3, columns: impl Into<DMat3>) -> Option<Self> {
        let m: DMat3 = columns.into();
        let [x, y, z] = m.cols;
        let off = [x.mag_sq() - 1.0, y.mag_sq() - 1.0, z.mag_sq() - 1.0, x.dot(y), y.dot(z), z.dot(x)];
        if !(off.iter().all(|o| o.abs() <= UNROTATED) && x.cross(y).dot(z) > 0.0) {
            return None;
        }
        // The largest of the four is found by a root, the others over it.
        let four =
            [1.0 + x.x + y.y + z.z, 1.0 + x.x - y.y - z.z, 1.0 - x.x + y.y - z.z, 1.0 - x.x - y.y + z.z];
        let largest = (0..4).fold(0, |best, i| if four[i] > four[best] { i } else { best });
        let quaternion = match largest {
            0 => [four[0], y.z - z.y, z.x - x.z, x.y - y.x],
            1 => [y.z - z.y, four[1], x.y + y.x, z.x + x.z],
            2 => [z.x - x.z, x.y + y.x, four[2], y.z + z.y],
            _ => [x.y - y.x, z.x + x.z, y.z + z.y, four[3]],
        };
        Some(Self::from_quaternion(position, quaternion))
    }

    /// The rotation as a matrix; take it once when many points are transformed.
    #[inline]
    #[must_use]
    pub fn matrix(&self) -> DMat3 {
        self.rotation.into_matrix()
    }

    /// Body point to world point.
    #[inline]
    #[must_use]
    pub fn point_to_world(&self, p: DVec3) -> DVec3 {
        self.position + self.matrix() * p
    }

    /// World point to body point.
    #[inline]
    #[must_use]
    pub fn point_to_body(&self, p: DVec3) -> DVec3 {
        self.matrix().transposed() * (p - self.position)
    }

    /// Body direction to world direction.
    #[inline]
    #[must_use]
    pub fn vector_to_world(&self, v: DVec3) -> DVec3 {
        self.matrix() * v
    }

    /// World direction to body direction.
    #[inline]
    #[must_use]
    pub fn vector_to_body(&self, v: DVec3) -> DVec3 {
        self.matrix().transposed() * v
    }

    /// This frame seen from `other`: `x_other = self.relative_to(other) · x_self`.
    #[must_use]
    pub fn relative_to(&self, other: &Self) -> Self {
        let back = other.matrix().transposed();
        Self {
            position: back * (self.position - other.position),
            rotation: (other.rotation.reversed() * self.rotation).normalized(),
        }
    }

    /// `true` when every number is finite.
    #[inline]
    #[must_use]
    pub fn is_finite(&self) -> bool {
        let r = self.rotation;
        let p = self.position;
        [p.x, p.y, p.z, r.s, r.bv.xy, r.bv.xz, r.bv.yz].iter().all(|c| c.is_finite())
    }

    /// `true` when every number is finite and the position within [`crate::LARGEST`] of the origin on each axis.
    #[inline]
    #[must_use]
    pub fn is_bounded(&self) -> bool {
        self.is_finite() && crate::is_bounded(self.position)
    }
}

/// What the mean velocity (m/s) of a place over a time `span` (s) has beyond that of the moment: its way is an arc.
///
/// The place goes at the velocity `turning` (m/s), which `shared` (rad/s) turns. The time begins now, or ends now where it is negative. This is to second
/// order. What bodies that turn as one leave of each other's arcs is of the third.
#[inline]
#[must_use]
pub fn bent(shared: DVec3, turning: DVec3, span: f64) -> DVec3 {
    shared.cross(turning) * (0.5 * span)
}

/// The spin (rad/s) that two bodies have in common: all of it where they turn as one, none where one rests or turns across or against the other.
///
/// A place of contact goes along with that. It does not go along with what a body turns against the other, which bends no slip.
#[must_use]
pub fn shared_spin(a: DVec3, b: DVec3) -> DVec3 {
    let both = a.dot(b).max(0.0);
    if both > 0.0 { (a + b) * (both / (a.mag_sq() + b.mag_sq())) } else { DVec3::zero() }
}

/// The exponential map: the rotation by `|w|` radians about the axis `w`, as a rotor.
///
/// Near zero the half-angle sine is taken from its series, so the map is smooth and never divides by zero.
#[must_use]
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
