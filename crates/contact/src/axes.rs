//! The six axes of a rigid body's motion, and sets of them.

use impinge_geometry::DVec3;
use std::fmt;
use std::ops::{BitOr, Not};

/// One axis of the world that a rigid body moves along or turns about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Axis {
    /// Along x.
    X,
    /// Along y.
    Y,
    /// Along z.
    Z,
    /// About x.
    Rx,
    /// About y.
    Ry,
    /// About z.
    Rz,
}

impl Axis {
    /// All of them, in the order of [`Axis::name`]s `x`, `y`, `z`, `rx`, `ry`, `rz`.
    pub const ALL: [Self; 6] = [Self::X, Self::Y, Self::Z, Self::Rx, Self::Ry, Self::Rz];

    /// Whether a body turns about it.
    #[must_use]
    pub fn turns(self) -> bool {
        matches!(self, Self::Rx | Self::Ry | Self::Rz)
    }

    /// Its direction in the world.
    #[must_use]
    pub fn direction(self) -> DVec3 {
        match self {
            Self::X | Self::Rx => DVec3::unit_x(),
            Self::Y | Self::Ry => DVec3::unit_y(),
            Self::Z | Self::Rz => DVec3::unit_z(),
        }
    }

    /// The word of scene files and messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["x", "y", "z", "rx", "ry", "rz"][self as usize]
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.turns() { "rotation about" } else { "translation along" };
        write!(f, "{word} {}", &self.name()[usize::from(self.turns())..])
    }
}

/// A set of axes of the world: translations along x, y, z and rotations about x, y, z.
///
/// ```
/// use impinge_contact::{Axes, Axis};
/// let slider = Axes::all_but(Axis::Y);
/// assert_eq!(slider, Axes::X | Axes::Z | Axes::ROTATIONS);
/// assert!(slider.contains(Axis::Rx) && !slider.contains(Axis::Y));
/// assert_eq!(slider.to_string(), "x, z, rx, ry, rz");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Axes(u8);

impl Axes {
    /// No axis.
    pub const NONE: Self = Self(0);
    /// Translation along x.
    pub const X: Self = Self(1);
    /// Translation along y.
    pub const Y: Self = Self(2);
    /// Translation along z.
    pub const Z: Self = Self(4);
    /// Rotation about x.
    pub const RX: Self = Self(8);
    /// Rotation about y.
    pub const RY: Self = Self(16);
    /// Rotation about z.
    pub const RZ: Self = Self(32);
    /// All translations.
    pub const TRANSLATIONS: Self = Self(7);
    /// All rotations.
    pub const ROTATIONS: Self = Self(56);
    /// All six.
    pub const ALL: Self = Self(63);

    /// All but these.
    #[must_use]
    pub fn all_but(free: impl Into<Self>) -> Self {
        !free.into()
    }

    /// Whether an axis is among them.
    #[must_use]
    pub fn contains(self, axis: Axis) -> bool {
        self.0 & Self::from(axis).0 != 0
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Its axes, in the order of [`Axis::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Axis> {
        Axis::ALL.into_iter().filter(move |a| self.contains(*a))
    }

    /// Whether it has no other bits than those of axes.
    #[must_use]
    pub fn is_valid(self) -> bool {
        self.0 <= Self::ALL.0
    }

    /// The bits, for hashes.
    #[must_use]
    pub fn bits(self) -> u8 {
        self.0
    }

    /// Whether it has a rotation.
    #[must_use]
    pub fn rotates(self) -> bool {
        self.0 & Self::ROTATIONS.0 != 0
    }

    /// Which of x, y, z it has among its translations.
    #[must_use]
    pub fn translations(self) -> [bool; 3] {
        [0, 1, 2].map(|k| self.0 >> k & 1 == 1)
    }

    /// Which of x, y, z it has among its rotations.
    #[must_use]
    pub fn rotations(self) -> [bool; 3] {
        [3, 4, 5].map(|k| self.0 >> k & 1 == 1)
    }
}

impl From<Axis> for Axes {
    fn from(axis: Axis) -> Self {
        Self(1 << axis as u8)
    }
}

impl BitOr for Axes {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Not for Axes {
    type Output = Self;

    fn not(self) -> Self {
        Self(!self.0 & Self::ALL.0)
    }
}

impl FromIterator<Axis> for Axes {
    fn from_iter<T: IntoIterator<Item = Axis>>(axes: T) -> Self {
        axes.into_iter().fold(Self::NONE, |all, a| all | a.into())
    }
}

impl fmt::Display for Axes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(Axis::name).collect();
        f.write_str(if names.is_empty() { "none" } else { "" })?;
        f.write_str(&names.join(", "))
    }
}
